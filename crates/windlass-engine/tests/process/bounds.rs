//! What a program may use: output, files, CPU, time, silence, processes.

use windlass_core::proof::Outcome;
use windlass_core::time::Span;
use windlass_engine::launcher::{CgroupUse, DiskLimit, Limits};

use crate::support::{Fixture, alive};

#[test]
fn a_talker_is_never_blocked_and_only_its_head_and_tail_are_kept() {
    let fixture = Fixture::new();
    let mut policy =
        fixture.sh("echo first; head -c 300000000 /dev/zero | tr '\\0' x; echo; echo last");
    policy.max_output_bytes = 100_000;
    let unit = fixture.spawn(&policy);
    let launcher = unit.launcher_pid();
    let report = unit.wait();
    assert_eq!(report.outcome, Outcome::Exited { code: 0 });
    assert_eq!(report.stdout_bytes, 300_000_000 + 12);
    let output = fixture.output();
    assert!(output.len() < 100_100, "{} bytes were kept", output.len());
    assert!(output.starts_with("first\nxxx") && output.ends_with("xxx\nlast\n"));
    assert!(output.contains("\n[windlass: 299900012 bytes left out]\n"));
    assert!(!alive(launcher));
}

#[test]
fn a_process_past_its_file_or_cpu_limit_is_over_the_limit_and_not_merely_dead() {
    let fixture = Fixture::new();
    let mut policy = fixture.sh("exec head -c 1000000 /dev/zero > big");
    policy.limits = Limits { file_size_bytes: Some(1000), ..Limits::default() };
    let report = fixture.run(&policy);
    assert_eq!(report.outcome, Outcome::OverLimit { what: "a file of 1000 bytes".to_owned() });

    let mut policy = fixture.sh("while :; do :; done");
    policy.limits = Limits { cpu_seconds: Some(1), ..Limits::default() };
    let report = fixture.run(&policy);
    assert_eq!(report.outcome, Outcome::OverLimit { what: "1 CPU seconds".to_owned() });
    // The limit counts sampled ticks and the report what was really used, which is less when the
    // machine is shared.
    assert!(report.cpu_ms >= 300, "{report:?}");

    let mut policy = fixture.sh("ulimit -n");
    policy.limits = Limits { open_files: Some(77), ..Limits::default() };
    fixture.run(&policy);
    assert_eq!(fixture.output(), "77\n");
}

#[test]
fn a_program_past_its_timeout_may_tidy_up_and_has_still_timed_out() {
    let fixture = Fixture::new();
    let mut policy =
        fixture.sh("trap 'echo tidy; exit 0' TERM; echo ready; while :; do sleep 0.05; done");
    policy.timeout = Some(Span(1000));
    policy.grace = Span::minutes(10);
    let report = fixture.run(&policy);
    assert_eq!(report.outcome, Outcome::TimedOut);
    assert!(fixture.output().starts_with("ready\n"));
    assert!(fixture.output().ends_with("tidy\n"));
}

#[test]
fn a_program_that_ignores_term_is_killed_after_the_grace_period() {
    let fixture = Fixture::new();
    let mut policy = fixture.sh("trap '' TERM; sh -c 'sleep 1000' & sleep 1000");
    policy.timeout = Some(Span(300));
    policy.grace = Span(300);
    let report = fixture.run(&policy);
    assert_eq!(report.outcome, Outcome::TimedOut);
    assert!(report.wall_ms >= 600, "{report:?}");
}

#[test]
fn a_program_without_any_sign_of_life_is_idle() {
    let fixture = Fixture::new();
    // The last one wakes up again and again, as a program does that waits for a model: a little CPU, a few
    // bytes, and nothing that anybody could call work.
    let waits = "exec perl -e 'while (1) { select(undef, undef, undef, 0.05); $x++ for 1..2000; \
                 open(my $null, \">\", \"/dev/null\"); print $null \"ping\"; }'";
    for script in ["sleep 1000", "kill -STOP $$", waits] {
        let mut policy = fixture.sh(script);
        policy.idle_timeout = Some(Span(600));
        policy.grace = Span(500);
        let report = fixture.run(&policy);
        assert_eq!(report.outcome, Outcome::Idle, "{script}");
        assert!(report.wall_ms >= 600, "{script}: {report:?}");
    }
}

#[test]
fn silence_alone_kills_nobody() {
    let fixture = Fixture::new();
    // The first only computes, the second works through children that live shorter than a tick.
    for script in
        ["while [ $SECONDS -lt 3 ]; do :; done", "while [ $SECONDS -lt 3 ]; do sleep 0.2; done"]
    {
        let mut policy = fixture.argv(&["bash", "-c", script]);
        policy.idle_timeout = Some(Span(800));
        let report = fixture.run(&policy);
        assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{script}");
        assert!(report.wall_ms > 1600, "{script} ended too soon to show anything: {report:?}");
        assert_eq!(report.stdout_bytes, 0, "{script}");
    }
}

/// A bomb that, left alone, makes 2,047 processes and ends within seconds. Each generation waits
/// for `pause`.
fn bomb(pause: &str) -> String {
    format!(
        "bomb() {{ echo >> born; {pause}; \
         if [ $1 -gt 0 ]; then bomb $(($1-1)) & bomb $(($1-1)) & fi; exec sleep 8; }}; bomb 10"
    )
}

#[test]
fn a_fork_bomb_is_held_and_cleared_away() {
    // Where the kernel holds no number (root without a cgroup) the watch alone must, and a bomb that
    // doubles faster than the watch looks is only cleared away: hence the pause.
    for (cgroups, pause) in [(CgroupUse::Auto, ":"), (CgroupUse::Never, "sleep 0.2")] {
        let fixture = Fixture::new();
        let pause = if can_make_cgroups(&fixture) { pause } else { "sleep 0.2" };
        let mut policy = fixture.sh(&bomb(pause));
        policy.cgroups = cgroups;
        policy.limits.processes = 40;
        let mut unit = fixture.spawn(&policy);
        let folders = unit.started().unwrap().cgroups.clone();
        let report = unit.wait();
        assert_eq!(report.outcome, Outcome::OverLimit { what: "40 processes".to_owned() });
        let born = fs_err::read_to_string(fixture.path("born")).unwrap().lines().count();
        assert!(born < 2047, "the bomb went off: {born} ({})", report.process_limit);
        assert!(folders.iter().all(|folder| !folder.exists()), "{folders:?} were left");
    }
}

fn can_make_cgroups(fixture: &Fixture) -> bool {
    fixture.run(&fixture.sh("exit 0")).process_limit.contains("cgroup")
}

#[test]
fn as_many_processes_as_are_allowed_are_no_bomb() {
    let fixture = Fixture::new();
    let mut policy = fixture.sh("for i in 1 2 3 4 5 6; do sleep 1.2 & done; wait");
    policy.limits.processes = 7;
    assert_eq!(fixture.run(&policy).outcome, Outcome::Exited { code: 0 });
}

#[test]
fn a_program_that_fills_the_disk_is_ended_before_it_is_full() {
    let fixture = Fixture::new();
    let mut policy = fixture.sh("sleep 600");
    policy.limits = Limits { free_disk_bytes: Some(u64::MAX), ..Limits::default() };
    let report = fixture.run(&policy);
    let Outcome::OverLimit { what } = &report.outcome else { panic!("{report:?}") };
    assert!(what.contains("the disk has to keep"), "{what}");
}

#[test]
fn what_fills_the_disk_is_ended_however_small_its_files_are() {
    let fixture = Fixture::new();
    let folder = fixture.path("filled");
    fs_err::create_dir_all(&folder).unwrap();
    let script = "cd filled; n=0; while :; do n=$((n+1)); mkdir -p d$n; \
                  head -c 1000000 /dev/zero > d$n/f; sleep 0.01; done";
    let mut policy = fixture.sh(script);
    policy.disk = Some(DiskLimit { folders: vec![folder.clone()], bytes: 20 << 20 });
    policy.timeout = Some(Span::seconds(60));
    let report = fixture.run(&policy);
    let what = "20 MiB on the disk (`disk_limit`)".to_owned();
    assert_eq!(report.outcome, Outcome::OverLimit { what });
    // What was there is counted, too, and what is within the limit ends as it likes.
    policy.argv = fixture.sh("sleep 3").argv;
    policy.disk = Some(DiskLimit { folders: vec![folder], bytes: 100 << 30 });
    assert_eq!(fixture.run(&policy).outcome, Outcome::Exited { code: 0 });
}
