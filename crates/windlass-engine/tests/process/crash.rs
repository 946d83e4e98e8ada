//! What happens when the engine or a launcher is killed.

use std::process::Stdio;

use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, kill_process};
use windlass_core::proof::Outcome;
use windlass_engine::launcher::CgroupUse;
use windlass_engine::process::become_subreaper;
use windlass_engine::process_table::ancestry;

use crate::support::{self, Fixture, RUNAWAYS, alive, eventually, pids_in, wait_for_file};

#[test]
fn a_killed_engine_takes_everything_with_it() {
    let fixture = Fixture::new();
    let mut policy =
        fixture.sh(&format!("{RUNAWAYS}\ntrap '' TERM; echo $$ >> pids; touch ready; sleep 1000"));
    policy.hold_lock = Some(fixture.path("lock"));
    policy.registry = Some(fixture.path("registry"));
    fs_err::write(fixture.path("policy"), serde_json::to_vec(&policy).unwrap()).unwrap();
    let mut engine =
        support::engine(&fixture.path("policy")).stdout(Stdio::null()).spawn().unwrap();
    wait_for_file(&fixture.path("ready"));
    let pids = pids_in(&fixture.path("pids"));
    assert!(pids.len() == 10 && pids.iter().all(|pid| alive(*pid)), "{pids:?}");

    engine.kill().unwrap();
    engine.wait().unwrap();
    // Whoever gets the exclusive lock knows that no launcher is left, and so nothing below one.
    let lock = fs_err::File::open(fixture.path("lock")).unwrap();
    eventually("the launcher let go of its lock", || {
        flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
    });
    let left: Vec<&u32> = pids.iter().filter(|pid| alive(**pid)).collect();
    assert!(left.is_empty(), "{left:?} survived");
    assert_eq!(fs_err::read_dir(fixture.path("registry")).unwrap().count(), 0);
}

#[test]
fn what_a_killed_launcher_left_is_found_and_ended() {
    become_subreaper().unwrap();
    // The last one has neither marker nor session: it is told by whom it was handed to.
    let marked = "setsid sh -c 'trap \"\" TERM; echo $$ >> pids; while :; do sleep 1; done' &
                  env -i sh -c 'echo $$ >> pids; exec sleep 1000' &
                  env -i setsid sh -c 'echo $$ >> pids; exec sleep 1000' &
                  echo $$ >> pids
                  sleep 1000";
    for cgroups in [CgroupUse::Auto, CgroupUse::Never] {
        let fixture = Fixture::new();
        let mut policy = fixture.sh(marked);
        policy.cgroups = cgroups;
        let mut unit = fixture.spawn(&policy);
        let folders = unit.started().unwrap().cgroups.clone();
        eventually("four processes run", || pids_in(&fixture.path("pids")).len() == 4);
        let launcher = i32::try_from(unit.launcher_pid()).unwrap();
        kill_process(Pid::from_raw(launcher).unwrap(), Signal::KILL).unwrap();
        let report = unit.wait();
        assert_eq!(report.outcome, Outcome::Signalled { signal: libc::SIGKILL });
        assert!(report.lost.is_some() && report.left_behind >= 3, "{report:?}");
        let pids = pids_in(&fixture.path("pids"));
        assert!(pids.iter().all(|pid| !alive(*pid)), "{pids:?} {report:?}");
        assert!(folders.iter().all(|folder| !folder.exists()), "{folders:?} were left");
    }
}

#[test]
fn the_direct_child_of_a_killed_launcher_dies_without_any_help() {
    let fixture = Fixture::new();
    let policy = fixture.sh("echo $$ >> pids; exec sleep 1000");
    let unit = fixture.spawn(&policy);
    eventually("the program runs", || pids_in(&fixture.path("pids")).len() == 1);
    let launcher = i32::try_from(unit.launcher_pid()).unwrap();
    kill_process(Pid::from_raw(launcher).unwrap(), Signal::KILL).unwrap();
    // The unit is not asked: nobody sweeps.
    let [pid] = pids_in(&fixture.path("pids"))[..] else { panic!("one pid") };
    eventually("the program is gone", || !alive(pid));
}

#[test]
fn a_launcher_is_registered_and_its_lock_held_for_exactly_as_long_as_it_lives() {
    let fixture = Fixture::new();
    let mut policy = fixture.sh("touch ready; until [ -e go ]; do sleep 0.05; done");
    policy.hold_lock = Some(fixture.path("lock"));
    policy.registry = Some(fixture.path("registry"));
    let unit = fixture.spawn(&policy);
    wait_for_file(&fixture.path("ready"));
    let launcher = i32::try_from(unit.launcher_pid()).unwrap();
    let entry = fixture.path("registry").join(launcher.to_string());
    assert_eq!(
        fs_err::read_to_string(&entry).unwrap().trim(),
        ancestry::start_time(launcher).unwrap().to_string()
    );
    let lock = fs_err::File::open(fixture.path("lock")).unwrap();
    flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap_err();
    flock(&lock, FlockOperation::NonBlockingLockShared).unwrap();
    flock(&lock, FlockOperation::Unlock).unwrap();

    fs_err::write(fixture.path("go"), "").unwrap();
    assert_eq!(unit.wait().outcome, Outcome::Exited { code: 0 });
    assert!(!entry.exists());
    flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
    // And while a driver waits for the launchers of a dead one, no new one starts.
    let report = fixture.run(&policy);
    assert!(matches!(report.outcome, Outcome::CouldNotStart { .. }), "{report:?}");
}

#[test]
fn whatever_runs_below_a_launcher_is_known_by_its_ancestry() {
    let fixture = Fixture::new();
    let registry = fixture.path("registry");
    let nowhere = fixture.path("no-registry");
    let mut policy = fixture.sh(&format!("{RUNAWAYS}\ntouch ready; sleep 1000"));
    policy.registry = Some(registry.clone());
    let mut unit = fixture.spawn(&policy);
    wait_for_file(&fixture.path("ready"));
    let program = unit.started().unwrap().clone();
    let launcher = i32::try_from(unit.launcher_pid()).unwrap();
    let launcher_start = ancestry::start_time(launcher).unwrap();
    for pid in pids_in(&fixture.path("pids")) {
        let pid = i32::try_from(pid).unwrap();
        assert!(ancestry::is_below_launcher(pid, &registry).unwrap());
        // The launcher's arguments tell even where the registry was emptied.
        assert!(ancestry::is_below_launcher(pid, &nowhere).unwrap());
        assert!(ancestry::descends_from(pid, launcher, launcher_start).unwrap());
    }
    assert_eq!(ancestry::start_time(program.pid).unwrap(), program.start_time);
    let me = i32::try_from(std::process::id()).unwrap();
    assert!(!ancestry::is_below_launcher(me, &registry).unwrap());
}
