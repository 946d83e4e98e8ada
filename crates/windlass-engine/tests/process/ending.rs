//! How a program is ended, and that nothing it left behind survives.

use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, getpgid, kill_process};
use windlass_core::proof::Outcome;
use windlass_core::time::Span;
use windlass_engine::launcher::CgroupUse;

use crate::support::{Fixture, RUNAWAYS, alive, eventually, pids_in, wait_for_file};

#[test]
fn a_stop_asks_first_and_a_second_one_kills() {
    let fixture = Fixture::new();
    let mut policy =
        fixture.sh("trap 'echo asked >> asked' TERM; touch ready; while :; do sleep 0.05; done");
    policy.grace = Span::hours(1);
    let unit = fixture.spawn(&policy);
    let handle = unit.stop_handle();
    wait_for_file(&fixture.path("ready"));
    handle.clone().stop();
    wait_for_file(&fixture.path("asked"));
    handle.stop();
    let report = unit.wait();
    assert_eq!(report.outcome, Outcome::Cancelled);
    assert_eq!(fs_err::read_to_string(fixture.path("asked")).unwrap(), "asked\n");
    // After the end a handle has nothing to do, and says nothing.
    handle.kill();
}

#[test]
fn a_kill_does_not_wait_for_the_grace_period() {
    let fixture = Fixture::new();
    let mut policy = fixture.sh("trap '' TERM; touch ready; while :; do sleep 0.05; done");
    policy.grace = Span::hours(1);
    let unit = fixture.spawn(&policy);
    wait_for_file(&fixture.path("ready"));
    unit.stop_handle().kill();
    assert_eq!(unit.wait().outcome, Outcome::Cancelled);
}

#[test]
fn a_term_to_the_launcher_stops_and_a_terminals_interrupt_means_nothing() {
    let fixture = Fixture::new();
    let policy =
        fixture.sh("trap 'touch asked; exit 0' TERM; touch ready; while :; do sleep 0.05; done");
    let mut unit = fixture.spawn(&policy);
    wait_for_file(&fixture.path("ready"));
    let program = Pid::from_raw(unit.started().unwrap().pid).unwrap();
    let launcher = Pid::from_raw(i32::try_from(unit.launcher_pid()).unwrap()).unwrap();
    // Neither is in the group that a terminal would signal.
    let ours = getpgid(None).unwrap();
    assert!(getpgid(Some(launcher)).unwrap() == launcher && launcher != ours);
    assert_eq!(getpgid(Some(program)).unwrap(), program);
    kill_process(launcher, Signal::INT).unwrap();
    kill_process(launcher, Signal::HUP).unwrap();
    kill_process(launcher, Signal::TERM).unwrap();
    let report = unit.wait();
    assert_eq!(report.outcome, Outcome::Cancelled);
    assert!(report.lost.is_none() && fixture.path("asked").exists());
}

#[test]
fn nothing_that_a_program_left_behind_survives_it() {
    for cgroups in [CgroupUse::Auto, CgroupUse::Never] {
        let fixture = Fixture::new();
        let mut policy = fixture.sh(&format!("{RUNAWAYS}\nexit 0"));
        policy.cgroups = cgroups;
        policy.timeout = Some(Span::seconds(60));
        let report = fixture.run(&policy);
        assert_eq!(report.outcome, Outcome::Exited { code: 0 });
        let pids = pids_in(&fixture.path("pids"));
        assert_eq!(pids.len(), 9, "{pids:?}");
        assert!(report.left_behind >= 9, "{report:?}");
        // No deadline: it has to be true at the moment of the report.
        let left: Vec<&u32> = pids.iter().filter(|pid| alive(**pid)).collect();
        assert!(left.is_empty(), "{left:?} survived");
    }
}

#[test]
fn dropping_a_unit_ends_everything() {
    let fixture = Fixture::new();
    let policy = fixture.sh(&format!("{RUNAWAYS}\necho $$ >> pids; sleep 1000"));
    let unit = fixture.spawn(&policy);
    eventually("ten processes run", || pids_in(&fixture.path("pids")).len() == 10);
    // A handle that is still held must not keep the socket open.
    let handle = unit.stop_handle();
    drop(unit);
    assert!(pids_in(&fixture.path("pids")).iter().all(|pid| !alive(*pid)));
    drop(handle);
}

#[test]
fn a_process_that_hops_from_pid_to_pid_is_caught() {
    // Each hop starts the next in a session of its own and ends at once, so that whoever was seen a
    // moment ago is gone. All of them hold one lock, which is free only when the last is dead.
    let script = r#"
        exec 9> held
        flock 9
        echo '[ $1 -gt 0 ] || exit; echo >> hops; setsid sh hop $(($1-1)) &' > hop
        for i in 1 2 3 4; do sh hop 2000 & done
        until [ "$(wc -l < hops)" -ge 40 ]; do :; done"#;
    let fixture = Fixture::new();
    let mut policy = fixture.sh(script);
    policy.cgroups = CgroupUse::Never;
    policy.timeout = Some(Span::seconds(60));
    fixture.write("hops", "");
    let report = fixture.run(&policy);
    assert_eq!(report.outcome, Outcome::Exited { code: 0 });
    let held = fs_err::File::open(fixture.path("held")).unwrap();
    flock(&held, FlockOperation::NonBlockingLockExclusive).unwrap();
    let hops = fs_err::read_to_string(fixture.path("hops")).unwrap().lines().count();
    assert!(hops < 8000, "they hopped to their end");
}
