//! Which programs the machine has, as far as detection asks.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns whether a program is on the `PATH`; `python3:NAME` asks for a module of that Python.
pub(crate) fn is_there(name: &str) -> bool {
    match name.split_once(':') {
        Some((python, module)) => is_there(python) && has_module(python, module),
        None => find(name).is_some(),
    }
}

/// Returns where a program is.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Asks Python, from outside of the repository and without its settings: nothing of the repository is run.
fn has_module(python: &str, module: &str) -> bool {
    let asked =
        "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)";
    let mut command = Command::new(python);
    command.args(["-I", "-c", asked, module]).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Opens a file in the person's browser, or says why not.
pub(crate) fn open_in_browser(file: &Path) -> Result<(), String> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    if opener == "xdg-open" && !set("DISPLAY") && !set("WAYLAND_DISPLAY") {
        return Err("there is no display to open it on".to_owned());
    }
    let opened = Command::new(opener)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match opened {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{opener}` ended with {status}")),
        Err(error) => Err(format!("`{opener}` cannot be started: {error}")),
    }
}
