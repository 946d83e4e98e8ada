//! How a program starts, and what it finds.

use std::path::Path;

use windlass_core::proof::Outcome;
use windlass_engine::launcher::{LaunchPolicy, launched};
use windlass_engine::process::activity::{activity, output_tail};
use windlass_engine::process::{self, LauncherCommand, SpawnError};

use crate::support::{self, Fixture};

#[test]
fn a_program_gets_exactly_the_environment_folder_and_input_of_its_policy() {
    let fixture = Fixture::new();
    fs_err::write(fixture.path("input"), "from a file\n").unwrap();
    let mut policy = fixture.sh("cat; pwd; echo oops >&2; env | sort; exit 7");
    policy.env.push(("COLOUR".to_owned(), "green".to_owned()));
    policy.stdin = Some(fixture.path("input"));
    policy.stderr = Some(fixture.path("stderr"));
    let report = fixture.run(&policy);
    assert_eq!(report.outcome, Outcome::Exited { code: 7 });
    assert_eq!(report.left_behind, 0);
    let output = fixture.output();
    let mut lines = output.lines();
    assert_eq!(lines.next(), Some("from a file"));
    assert_eq!(lines.next(), fixture.root().to_str());
    let names: Vec<&str> =
        lines.filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    // PWD and the like are the shell's own.
    assert!(names.contains(&"COLOUR") && names.contains(&"WINDLASS_LAUNCH"), "{names:?}");
    assert!(!names.contains(&"WINDLASS_TEST_LAUNCH") && !names.contains(&"HOME"), "{names:?}");
    assert_eq!(fs_err::read_to_string(fixture.path("stderr")).unwrap(), "oops\n");
    assert_eq!((report.stdout_bytes, report.stderr_bytes), (output.len() as u64, 5));
    assert!(report.max_rss_kb > 0 && report.lost.is_none());
}

#[test]
fn a_living_launcher_can_be_watched_from_outside_and_an_ended_one_is_gone() {
    let fixture = Fixture::new();
    let registry = fixture.path("registry");
    let mut policy = fixture.sh("echo working; touch ready; until [ -e go ]; do sleep 0.05; done");
    policy.registry = Some(registry.clone());
    policy.env.push(("WINDLASS_ATTEMPT".to_owned(), "plan#2".to_owned()));
    let unit = fixture.spawn(&policy);
    support::wait_for_file(&fixture.path("ready"));
    let living = launched(&registry, fixture.root());
    assert_eq!(living.len(), 1, "{living:?}");
    assert_eq!(living[0].attempt.as_deref(), Some("plan#2"));
    let is_captured = || output_tail(&living[0].output, 100) == "working\n";
    support::eventually("its output is there", is_captured);
    let seen = activity(&living[0]);
    assert!(
        seen.processes >= 1 && seen.output_bytes == 8 && seen.output_at_ms.is_some(),
        "{seen:?}"
    );
    // Another run's folder has none of it.
    assert!(launched(&registry, &fixture.path("elsewhere")).is_empty());
    fixture.write("go", "");
    unit.wait();
    assert!(launched(&registry, fixture.root()).is_empty());
}

#[test]
fn merged_output_keeps_the_order_in_which_it_was_written() {
    let fixture = Fixture::new();
    fixture.run(&fixture.sh("echo 1; echo 2 >&2; echo 3; echo 4 >&2"));
    assert_eq!(fixture.output(), "1\n2\n3\n4\n");
}

#[test]
fn a_signal_that_windlass_did_not_send_is_reported_as_such() {
    let fixture = Fixture::new();
    let report = fixture.run(&fixture.sh("kill -USR1 $$"));
    assert_eq!(report.outcome, Outcome::Signalled { signal: libc::SIGUSR1 });
}

#[test]
fn a_program_that_cannot_be_started_is_an_outcome_that_names_it() {
    let fixture = Fixture::new();
    fs_err::write(fixture.path("plain.txt"), "not a program").unwrap();
    let plain = fixture.path("plain.txt").display().to_string();
    let missing_folder =
        LaunchPolicy { cwd: fixture.path("no-such-folder"), ..fixture.sh("exit 0") };
    for (policy, named) in [
        (fixture.argv(&["no-such-program-at-all"]), "no-such-program-at-all"),
        (fixture.argv(&[&plain]), "plain.txt"),
        (missing_folder, "no-such-folder"),
        (fixture.argv(&[]), "no program"),
    ] {
        let report = fixture.run(&policy);
        assert!(
            matches!(&report.outcome, Outcome::CouldNotStart { message } if message.contains(named)),
            "{named}: {report:?}"
        );
    }
}

#[test]
fn a_relative_path_in_a_policy_is_refused_before_anything_starts() {
    let fixture = Fixture::new();
    let policy = LaunchPolicy { stdout: "out".into(), ..fixture.sh("exit 0") };
    let error = process::spawn(&support::launcher(), &policy).unwrap_err();
    assert!(matches!(error, SpawnError::RelativePath { path } if path == Path::new("out")));
}

#[test]
fn a_program_that_is_no_launcher_is_reported_and_not_waited_for_forever() {
    let fixture = Fixture::new();
    let command = LauncherCommand::new(Path::new("/bin/true"));
    // Whether the policy could still be written is a race with the program's end.
    match process::spawn(&command, &fixture.sh("exit 0")) {
        Ok(unit) => {
            let report = unit.wait();
            assert!(matches!(report.outcome, Outcome::CouldNotStart { .. }), "{report:?}");
        }
        Err(error) => assert!(matches!(error, SpawnError::Policy(_)), "{error}"),
    }
}

#[test]
fn a_program_inherits_no_descriptor_but_its_three_streams() {
    let fixture = Fixture::new();
    // A descriptor that the engine, or its parent, forgot to mark.
    let forgotten = fs_err::File::create(fixture.path("forgotten")).unwrap();
    rustix::io::fcntl_setfd(&forgotten, rustix::io::FdFlags::empty()).unwrap();
    fixture.run(&fixture.sh("ls /proc/$$/fd"));
    assert_eq!(fixture.output(), "0\n1\n2\n");
}

#[test]
fn a_program_starts_with_default_signals_and_without_core_dumps() {
    let fixture = Fixture::new();
    // An engine below a shell that ignores signals, as `nohup` and background jobs do.
    let real = support::launcher();
    let mut deaf = LauncherCommand { exe: "/bin/sh".into(), args: vec![], ..real.clone() };
    deaf.args.extend(["-c", "trap '' HUP INT USR1; exec \"$0\" \"$@\""].map(str::to_owned));
    deaf.args.push(real.exe.display().to_string());
    deaf.args.extend(real.args);
    let policy = fixture.argv(&["cat", "/proc/self/status"]);
    process::spawn(&deaf, &policy).unwrap().wait();
    let output = fixture.output();
    let mask = |name: &str| {
        let line = output.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        u64::from_str_radix(line.trim(), 16).unwrap()
    };
    // Signals 32 and 33 are the C library's own, which lets nobody change them.
    let standard = u64::from(u32::MAX >> 1);
    assert_eq!(mask("SigBlk:"), 0);
    assert_eq!(mask("SigIgn:") & standard, 0);
    fixture.run(&fixture.sh("ulimit -c"));
    assert_eq!(fixture.output(), "0\n");
}
