//! A reader that goes away, and colours.

use std::io::Read as _;
use std::process::Stdio;

use crate::support::eventful;

/// Every command that prints, and a run that makes it print something.
const PRINTING: &[&[&str]] = &[
    &["status"],
    &["status", "--all"],
    &["log"],
    &["log", "--inputs", "--json"],
    &["log", "--attempt", "build#1"],
    &["report"],
    &["report", "--html"],
    &["report", "--json"],
    &["proofs", "--all", "--output"],
    &["audit"],
    &["replay"],
    &["replay", "--why", "build"],
    &["diff"],
    &["diff", "--stat"],
    &["trash", "list"],
    &["trash", "show", "build#1", "--patch"],
    &["doctor"],
    &["place"],
    &["completions", "bash"],
    &["man"],
    &["--help"],
    &["run", "--help"],
];

#[test]
fn a_reader_that_goes_away_ends_every_command_quietly() {
    let env = eventful();
    for arguments in PRINTING {
        let mut command = env.windlass_command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The reader is gone before the first byte: the earliest and the hardest moment.
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let code = child.wait().unwrap().code();
        assert!(!said.contains("panicked") && !said.contains("error:"), "{arguments:?}: {said}");
        // Doctor may have something to complain about; a signal or a panic is another matter.
        assert!(matches!(code, Some(0 | 1)), "{arguments:?}: {code:?}");
    }
}

#[test]
fn head_of_a_real_pipe_gets_its_line() {
    let env = eventful();
    let script = format!("'{}' log | head -n 1; '{0}' log --json | head -n 1", env.exe().display());
    let mut command = env.command("sh");
    command.args(["-c", &script]);
    let finished = env.finish(command);
    finished.assert_code(0);
    assert_eq!(finished.stdout.lines().count(), 2, "{finished}");
    assert!(finished.stderr.is_empty(), "{finished}");
}

#[test]
fn colours_are_only_the_sixteen_of_the_terminals_own_theme() {
    let env = eventful();
    for arguments in [&["status"][..], &["diff"], &["trash", "list"], &["replay", "--why", "build"]]
    {
        assert!(!env.windlass(arguments).stdout.contains('\x1b'));
        let forced = env.windlass_with(&[("CLICOLOR_FORCE", "1")], arguments).stdout;
        assert!(forced.contains('\x1b'), "{arguments:?}");
        let plain = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
        assert!(!env.windlass_with(&plain, arguments).stdout.contains('\x1b'));
        let mut always = vec!["--color", "always"];
        always.extend(arguments.iter());
        let coloured = env.windlass_with(&plain, &always).stdout;
        for code in coloured.split("\x1b[").skip(1) {
            let (code, _) = code.split_once('m').expect("only colours");
            assert!(matches!(code, "0" | "1" | "2" | "31" | "32" | "36"), "{code}");
        }
    }
    env.windlass(&["--color", "sometimes", "status"]).assert_code(2);
    let help = env.windlass(&["--help", "--color=never"]).stdout;
    assert!(!help.contains('\x1b'));
    assert!(env.windlass(&["--help", "--color", "always"]).stdout.contains('\x1b'));
}
