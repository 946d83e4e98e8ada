//! How the program is linked.
//!
//! Hooks start it for every tool call of a session, so what happens before `main` is felt.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") != "linux" || target("ENV") != "gnu" {
        return;
    }
    // At a fixed address the loader has nothing to relocate.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    // One library less to find and map, where the linker has it in a form to put in.
    for library in ["gcc_eh"] {
        if is_there(library) {
            println!("cargo::rustc-link-lib=static:-bundle={library}");
        }
    }
}

/// Asks the C compiler that links whether it has a static library.
fn is_there(library: &str) -> bool {
    let file = format!("lib{library}.a");
    let asked = Command::new("cc").arg(format!("-print-file-name={file}")).output();
    // It prints the bare name where it has none.
    asked.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim() != file)
}
