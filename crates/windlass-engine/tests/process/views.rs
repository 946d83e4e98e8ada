//! Programs in namespaces of their own: what they see, and what they cannot reach.

use std::path::PathBuf;

use windlass_core::proof::Outcome;
use windlass_engine::launcher::LaunchPolicy;
use windlass_engine::launcher::view::{Mount, Rights, Upper, View, ViewNetwork};

use crate::support::{Fixture, RUNAWAYS};

/// Returns a policy for a script in a view with the system's folders, and `/work` written to `upper`.
fn viewed(fixture: &Fixture, script: &str) -> LaunchPolicy {
    fixture.write("lower/kept", "from below\n");
    for folder in ["stage", "root", "work-upper"] {
        fs_err::create_dir_all(fixture.path(folder)).unwrap();
    }
    let root = Upper::below(&fixture.path("root"), true);
    let upper = Upper::below(&fixture.path("work-upper"), true);
    root.make().unwrap();
    upper.make().unwrap();
    let mut mounts: Vec<Mount> = Vec::new();
    for name in ["/usr", "/etc"] {
        let path = PathBuf::from(name);
        mounts.push(Mount::ReadOnly { from: path.clone(), to: path });
    }
    for name in ["/bin", "/sbin", "/lib", "/lib64"] {
        let path = PathBuf::from(name);
        match path.read_link() {
            Ok(target) => mounts.push(Mount::Link { to: path, target }),
            Err(_) if path.is_dir() => {
                mounts.push(Mount::ReadOnly { from: path.clone(), to: path });
            }
            Err(_) => {}
        }
    }
    mounts.push(Mount::Mask { to: "/etc/shadow".into() });
    mounts.push(Mount::Folder { to: "/tmp".into() });
    mounts.push(Mount::Overlay {
        layers: vec![fixture.path("lower")],
        upper: Some(upper),
        to: "/work".into(),
    });
    let mut policy = fixture.sh(script);
    policy.env = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
    policy.cwd = "/work".into();
    policy.view = Some(View {
        stage: fixture.path("stage"),
        writes: root,
        mounts,
        network: ViewNetwork::Own,
        rights: Rights::None,
    });
    policy
}

#[test]
fn a_view_has_what_is_listed_and_nothing_else() {
    let fixture = Fixture::new();
    let script = r#"
        cat kept; echo changed > kept; echo new > made; cat kept
        ls /; ls /home /root 2>&1; id -u; ps ax 2>/dev/null | wc -l; cat /proc/1/cmdline | tr '\0' ' '; echo
        cat /proc/1/environ 2>&1; ls /proc/1/fd 2>&1
        echo x > /proc/sys/kernel/core_pattern; echo x > /usr/x; cat /etc/shadow
        ls /dev; cat /proc/self/mountinfo; cat /proc/self/status | grep -i cap; cat /proc/net/dev
    "#;
    let report = fixture.run(&viewed(&fixture, script));
    let output = fixture.output();
    println!("{output}");
    println!("{report:?}");
    assert_eq!(report.outcome, Outcome::Exited { code: 0 });
    assert!(output.starts_with("from below\nchanged\n"), "{output}");
}

#[test]
fn nothing_that_a_program_left_in_a_view_survives_it() {
    let fixture = Fixture::new();
    let report = fixture.run(&viewed(&fixture, RUNAWAYS));
    assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{}", fixture.output());
    assert!(report.left_behind >= 9, "{report:?}");
}
