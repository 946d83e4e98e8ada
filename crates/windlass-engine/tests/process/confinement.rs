//! What is refused, tried by programs that try it.

use windlass_core::proof::Outcome;
use windlass_core::time::Span;
use windlass_engine::launcher::confine::{ConfinementLevel, level};
use windlass_engine::launcher::{Confinement, ConfinementMode, HereNetwork, LaunchPolicy};

use crate::support::{Fixture, RUNAWAYS, alive, pids_in};

/// Returns the Landlock ABI, or none where there is nothing to be tested.
fn abi() -> Option<i32> {
    match level() {
        ConfinementLevel::Landlock { abi } if abi >= 3 => Some(abi),
        ConfinementLevel::Landlock { .. } | ConfinementLevel::None { .. } => None,
    }
}

/// Makes the folders of a run and a policy that confines a script to its place.
fn confined(fixture: &Fixture, script: &str) -> LaunchPolicy {
    fixture.write("place/src/main", "");
    fixture.write("tmp/file", "");
    fixture.write("state/journal", "proof\n");
    let mut policy = fixture.sh(script);
    policy.cwd = fixture.path("place");
    policy.confinement = Confinement {
        mode: ConfinementMode::Require,
        write: vec![fixture.path("place"), fixture.path("tmp")],
        never: vec![fixture.path("state")],
        within: Vec::new(),
        read: None,
        ..Confinement::default()
    };
    policy
}

#[test]
fn an_agent_writes_in_its_place_and_nowhere_else() {
    let Some(abi) = abi() else { return };
    let fixture = Fixture::new();
    let script = "
        try() { if \"$@\" 2>/dev/null; then echo \"yes: $*\"; else echo \"no: $*\"; fi; }
        write() { echo x > \"$1\"; }
        try write new
        try mkdir made
        try mv new made/moved
        try write ../tmp/scratch
        try write /dev/null
        try cat ../state/journal
        try write ../state/journal
        try truncate -s 0 ../state/journal
        try rm -f ../state/journal
        try mv ../state/journal stolen
        try ln ../state/journal linked
        try write ../state/new
        try mkdir ../state/new
        try write ../new
        ln -s ../state link
        try write link/journal";
    let report = fixture.run(&confined(&fixture, script));
    assert_eq!(report.outcome, Outcome::Exited { code: 0 });
    let output = fixture.output();
    let (yes, no): (Vec<&str>, Vec<&str>) =
        output.lines().filter(|line| *line != "proof").partition(|line| line.starts_with("yes"));
    assert_eq!(
        yes,
        [
            "yes: write new",
            "yes: mkdir made",
            "yes: mv new made/moved",
            "yes: write ../tmp/scratch",
            "yes: write /dev/null",
            "yes: cat ../state/journal",
        ],
        "{output}"
    );
    assert_eq!(no.len(), 9, "{output}");
    assert_eq!(fs_err::read_to_string(fixture.path("state/journal")).unwrap(), "proof\n");
    assert!(report.confined);
    assert!(
        report.confinement.starts_with(&format!("landlock abi {abi}: writes only to 2 paths")),
        "{}",
        report.confinement
    );
}

/// CHOWN, DAC_OVERRIDE, FOWNER, SETGID and SETUID: suites drop to other users. Nothing that reaches devices,
/// raw packets or the memory of other programs.
const KEPT_BY_ROOT: &str = "00000000000000cb";

#[test]
fn root_keeps_no_capability_that_leads_out() {
    if abi().is_none() {
        return;
    }
    let fixture = Fixture::new();
    let script = "grep -E '^Cap(Prm|Eff|Inh|Amb)' /proc/self/status | cut -f2 | sort -u";
    let report = fixture.run(&confined(&fixture, script));
    assert_eq!(report.outcome, Outcome::Exited { code: 0 });
    let output = fixture.output();
    let sets: Vec<&str> = output.lines().collect();
    let none = "0000000000000000";
    match rustix::process::geteuid().is_root() {
        true => assert_eq!(sets, [none, KEPT_BY_ROOT]),
        false => assert_eq!(sets, [none]),
    }
}

#[test]
fn the_priority_of_other_programs_stays_as_it_is() {
    if abi().is_none() {
        return;
    }
    let fixture = Fixture::new();
    let script = "
        renice -n 5 -p $PPID > /dev/null 2>&1 || echo not of the launcher
        renice -n 5 -u \"$(id -u)\" > /dev/null 2>&1 || echo not of the user
        nice -n 5 sh -c 'echo its own'";
    fixture.run(&confined(&fixture, script));
    assert_eq!(fixture.output(), "not of the launcher\nnot of the user\nits own\n");
}

#[test]
fn without_a_network_there_is_none_of_any_kind() {
    if abi().is_none() {
        return;
    }
    let fixture = Fixture::new();
    let script = "bash -c ': > /dev/tcp/127.0.0.1/9' 2>&1 | grep -om1 'not permitted'
        bash -c ': > /dev/udp/127.0.0.1/9' 2>&1 | grep -om1 'not permitted'";
    let mut policy = confined(&fixture, script);
    policy.confinement.network = HereNetwork::None;
    let report = fixture.run(&policy);
    assert_eq!(fixture.output(), "not permitted\nnot permitted\n");
    assert!(report.confinement.contains("no network, not even loopback"), "{report:?}");
}

#[test]
fn without_confinement_the_same_write_succeeds_and_the_report_says_so() {
    let fixture = Fixture::new();
    let mut policy = confined(&fixture, "echo x > ../state/journal");
    policy.confinement.mode = ConfinementMode::Off;
    let report = fixture.run(&policy);
    assert_eq!(report.outcome, Outcome::Exited { code: 0 });
    assert!(!report.confined);
    assert_eq!(report.confinement, "none: switched off");
    assert_eq!(fs_err::read_to_string(fixture.path("state/journal")).unwrap(), "x\n");
}

#[test]
fn a_forbidden_folder_inside_a_writable_one_stays_unwritable() {
    if abi().is_none() {
        return;
    }
    let fixture = Fixture::new();
    let script = "
        echo x > src/new && echo sources
        echo x > .git/objects/new && echo objects
        echo x > .git/hooks/pre-commit || echo no hooks
        mv .git/hooks .git/objects/h || echo no move
        mkdir .git/other || echo no new names";
    let mut policy = confined(&fixture, script);
    fs_err::create_dir_all(fixture.path("place/.git/hooks")).unwrap();
    fs_err::create_dir_all(fixture.path("place/.git/objects")).unwrap();
    policy.confinement.never.push(fixture.path("place/.git/hooks"));
    policy.stderr = Some(fixture.path("stderr"));
    let report = fixture.run(&policy);
    assert_eq!(fixture.output(), "sources\nobjects\nno hooks\nno move\nno new names\n");
    assert!(report.confinement.contains("no new names directly in"), "{}", report.confinement);
}

#[test]
fn an_agent_can_end_its_own_children_but_not_its_launcher_or_the_engine() {
    if abi().is_none_or(|abi| abi < 6) {
        return;
    }
    let fixture = Fixture::new();
    let script = format!(
        "sleep 1000 & kill -TERM $! && echo own
         kill -TERM $PPID || echo not the launcher
         kill -CONT {} || echo not the engine
         test \"$(sed -n 's/^NoNewPrivs:[[:space:]]*//p' /proc/self/status)\" = 1 && echo settled",
        std::process::id()
    );
    let mut policy = confined(&fixture, &script);
    policy.stderr = Some(fixture.path("stderr"));
    let report = fixture.run(&policy);
    assert_eq!(report.outcome, Outcome::Exited { code: 0 });
    assert_eq!(fixture.output(), "own\nnot the launcher\nnot the engine\nsettled\n");
}

#[test]
fn confined_runaways_are_swept_like_all_others() {
    if abi().is_none() {
        return;
    }
    let fixture = Fixture::new();
    let mut policy = confined(&fixture, &format!("{RUNAWAYS}\nexit 0"));
    policy.timeout = Some(Span::seconds(60));
    let report = fixture.run(&policy);
    assert_eq!(report.outcome, Outcome::Exited { code: 0 });
    let pids = pids_in(&fixture.path("place/pids"));
    assert!(pids.len() == 9 && pids.iter().all(|pid| !alive(*pid)), "{pids:?}");
}
