//! Programs in namespaces of their own: what they see, and what they cannot reach.

use std::path::PathBuf;

use windlass_core::proof::Outcome;
use windlass_engine::launcher::LaunchPolicy;
use windlass_engine::launcher::view::{Mount, Rights, Upper, View, ViewNetwork};

use windlass_engine::launcher::{ConfinementMode, confine};

use crate::support::{CALLER_VARIABLE, Fixture, RUNAWAYS, harness_arguments};

/// Returns a policy for a script in a view with the system's folders, and `/work` written to `upper`.
fn viewed(fixture: &Fixture, script: &str) -> LaunchPolicy {
    fixture.write("lower/kept", "from below\n");
    for folder in ["stage", "root", "work-upper"] {
        fs_err::create_dir_all(fixture.path(folder)).expect("a folder");
    }
    let root = Upper::below(&fixture.path("root"), true);
    let upper = Upper::below(&fixture.path("work-upper"), true);
    root.make().expect("a folder");
    upper.make().expect("a folder");
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
        echo "root: $(ls / | tr '\n' ' ')"
        echo "init: $(tr -d '\0' < /proc/1/cmdline)"
        cat /proc/1/environ 2>/dev/null && echo "READ init's environment"
        (echo x > /proc/sys/kernel/core_pattern) 2>/dev/null && echo "WROTE core_pattern"
        (echo x > /usr/x) 2>/dev/null && echo "WROTE /usr"
        chmod 600 /dev/full 2>/dev/null && echo "CHANGED a device"
        test -s /etc/shadow && echo "READ shadow"
        grep CapEff /proc/self/status
        grep -v lo: /proc/net/dev | grep : && echo "SAW another network"
        echo "cgroup: $(cat /proc/self/cgroup | tail -1)"
        true
    "#;
    let report = fixture.run(&viewed(&fixture, script));
    let output = fixture.output();
    assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{output}");
    assert!(output.starts_with("from below\nchanged\n"), "{output}");
    assert!(output.contains("root: bin dev etc"), "{output}");
    assert!(
        output.contains("init: init\n") && output.contains("CapEff:\t0000000000000000"),
        "{output}"
    );
    for word in ["READ", "WROTE", "CHANGED", "SAW", "windlass"] {
        assert!(!output.contains(word), "{word}: {output}");
    }
    let below = fs_err::read_to_string(fixture.path("lower/kept")).expect("the lower layer");
    assert_eq!(below, "from below\n", "what was written is above");
}

#[test]
fn the_first_process_of_a_view_that_is_killed_fails_the_attempt() {
    let fixture = Fixture::new();
    let mut policy = viewed(&fixture, "echo started; sleep 100");
    policy.view.as_mut().expect("a view").rights = Rights::None;
    let mut unit = fixture.spawn(&policy);
    let init = unit.started().expect("it runs").pid;
    let pid = rustix::process::Pid::from_raw(init).expect("a pid");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("a signal");
    let report = unit.wait();
    assert!(report.lost.is_some(), "{report:?}");
}

#[test]
fn nothing_that_a_program_left_in_a_view_survives_it() {
    let fixture = Fixture::new();
    let report = fixture.run(&viewed(&fixture, RUNAWAYS));
    assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{}", fixture.output());
    assert!(report.left_behind >= 9, "{report:?}");
}

/// Whether a program in a view with the machine's network connects to an abstract socket of the machine;
/// returns what it printed, and what its record says.
fn call(rights: Rights) -> (String, String) {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixListener};
    let fixture = Fixture::new();
    let name = format!("windlass-test-{}-{rights:?}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).expect("a name");
    let _service = UnixListener::bind_addr(&address).expect("a service of the machine");
    let mut policy = viewed(&fixture, "true");
    policy.argv = vec!["/caller".to_owned()];
    policy.argv.extend(harness_arguments("caller_entry"));
    policy.env.push((CALLER_VARIABLE.to_owned(), name));
    let view = policy.view.as_mut().expect("a view");
    (view.network, view.rights) = (ViewNetwork::Host, rights);
    let from = std::env::current_exe().expect("this program");
    view.mounts.push(Mount::ReadOnly { from, to: "/caller".into() });
    let report = fixture.run(&policy);
    assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{}", fixture.output());
    (fixture.output(), report.confinement)
}

#[test]
fn abstract_sockets_of_the_machine_are_out_of_reach_also_with_its_network() {
    for rights in [Rights::None, Rights::Users] {
        let (output, words) = call(rights);
        if confine::scopes().is_ok() {
            assert!(output.contains("NOT CONNECTED"), "{rights:?}: {output}");
            assert!(words.contains("abstract sockets stay inside"), "{words}");
        } else {
            assert!(words.contains("abstract sockets of the machine open"), "{words}");
        }
    }
}

#[test]
fn where_confinement_is_required_no_view_is_started_with_open_sockets() {
    let fixture = Fixture::new();
    let mut policy = viewed(&fixture, "true");
    policy.confinement.mode = ConfinementMode::Require;
    policy.view.as_mut().expect("a view").network = ViewNetwork::Host;
    let report = fixture.run(&policy);
    match confine::scopes() {
        Ok(()) => assert_eq!(report.outcome, Outcome::Exited { code: 0 }),
        Err(_) => {
            assert!(matches!(report.outcome, Outcome::CouldNotStart { .. }), "{:?}", report.outcome)
        }
    }
}

#[test]
fn nothing_is_made_on_the_host_where_a_link_of_an_agent_leads() {
    let fixture = Fixture::new();
    let [place, victim, out] = ["place", "victim", "out"].map(|name| fixture.path(name));
    for folder in [&place, &victim, &out] {
        fs_err::create_dir_all(folder).unwrap();
    }
    std::os::unix::fs::symlink(&victim, place.join("a")).unwrap();
    let mut policy = viewed(&fixture, "true");
    let view = policy.view.as_mut().expect("a view");
    view.mounts.push(Mount::Writable { from: place, to: "/place".into() });
    view.mounts.push(Mount::Writable { from: out, to: "/place/a/out".into() });
    let report = fixture.run(&policy);
    assert!(matches!(report.outcome, Outcome::CouldNotStart { .. }), "{:?}", report.outcome);
    assert_eq!(fs_err::read_dir(&victim).unwrap().count(), 0);
}

#[test]
fn a_folder_in_memory_has_a_bound() {
    let fixture = Fixture::new();
    let report = fixture.run(&viewed(&fixture, "df -Pk /dev/shm | tail -1"));
    let output = fixture.output();
    assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{output}");
    let kilobytes = output.split_whitespace().nth(1).and_then(|size| size.parse::<u64>().ok());
    assert!(kilobytes.is_some_and(|size| size > 0 && size <= 1 << 20), "{output}");
}

/// Everything below a folder, by its path in it.
fn all_in(folder: &std::path::Path) -> Vec<String> {
    let output = std::process::Command::new("find")
        .args([".", "-mindepth", "1"])
        .current_dir(folder)
        .output()
        .expect("find");
    let mut all: Vec<String> =
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    all.sort();
    all
}

#[test]
fn nothing_is_made_on_the_disk_to_mount_on() {
    let fixture = Fixture::new();
    let report = fixture.run(&viewed(&fixture, "true"));
    assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{}", fixture.output());
    assert_eq!(all_in(&fixture.path("root/u")), [""; 0]);
}

#[test]
fn folders_of_the_root_take_what_is_written() {
    let fixture = Fixture::new();
    let script = "echo one > /tmp/a && mv /tmp/a /tmp/b && mkdir /new && echo two > /new/c \
                  && cat /tmp/b /new/c && stat -c %a /tmp /shared";
    let mut policy = viewed(&fixture, script);
    let view = policy.view.as_mut().expect("a view");
    view.mounts.push(Mount::Shared { to: "/shared".into() });
    let report = fixture.run(&policy);
    let output = fixture.output();
    assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{output}");
    assert_eq!(output, "one\ntwo\n755\n1777\n");
    assert_eq!(all_in(&fixture.path("root/u")), ["./new", "./new/c", "./tmp", "./tmp/b"]);
}
