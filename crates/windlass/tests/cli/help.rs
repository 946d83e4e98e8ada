//! What `--help` says.

use windlass_testkit::test_env;

#[test]
fn help_of_the_commands_that_look_back() {
    let env = test_env!();
    let commands: &[&[&str]] = &[
        &["replay"],
        &["diff"],
        &["trash"],
        &["trash", "list"],
        &["trash", "show"],
        &["trash", "restore"],
        &["report"],
        &["doctor"],
        &["man"],
    ];
    for command in commands {
        let mut arguments = command.to_vec();
        arguments.push("--help");
        let help = env.windlass(&arguments);
        help.assert_code(0);
        insta::assert_snapshot!(command.join("-"), help.stdout);
    }
}

#[test]
fn every_command_has_an_example() {
    let env = test_env!();
    let all = env.windlass(&["--help"]).stdout;
    let (_, commands) = all.split_once("Commands:\n").unwrap();
    let (commands, _) = commands.split_once("\n\n").unwrap();
    let names: Vec<&str> = commands
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let help = env.windlass(&[name, "--help"]).stdout;
        assert!(help.contains("Example"), "{name}: {help}");
    }
}

#[test]
fn every_command_has_a_page_in_the_manual() {
    let env = test_env!();
    let folder = env.root().join("man1");
    let written = env.json(&["man", "--json", "--dir", &folder.to_string_lossy()]);
    let pages = written["pages"].as_array().unwrap();
    assert!(pages.len() > 30, "{pages:?}");
    for page in pages {
        let text = fs_err::read_to_string(folder.join(page.as_str().unwrap())).unwrap();
        for section in [".TH windlass", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"] {
            assert!(text.contains(section), "{page}: {section}");
        }
    }
    for page in ["windlass.1", "windlass-trash-restore.1", "windlass-place-prune.1"] {
        assert!(pages.iter().any(|known| known == page), "{page}");
    }
    assert!(env.windlass(&["man", "trash", "show"]).stdout.contains("windlass\\-trash\\-show"));
    let unknown = env.windlass(&["man", "trsh"]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("did you mean `trash`?"), "{unknown}");
}
