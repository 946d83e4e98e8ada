//! What `--help` says.

use windlass_testkit::test_env;

#[test]
fn help_of_every_command() {
    let env = test_env!();
    let pages = env.json(&["man", "--json", "--dir", &env.root().join("man1").to_string_lossy()]);
    let pages = pages["pages"].as_array().unwrap();
    assert!(pages.len() > 30, "{pages:?}");
    for page in pages {
        let name = page.as_str().unwrap().trim_end_matches(".1");
        let name = name.strip_prefix("windlass").unwrap().trim_start_matches('-');
        // A command of two words has a page of its own: `trash-list`, and `retry-reset` is one word.
        let words: Vec<&str> = match name {
            "" => Vec::new(),
            "retry-reset" => vec![name],
            "platform-get-command" => vec!["platform", "get-command"],
            _ => name.split('-').collect(),
        };
        let arguments: Vec<&str> = words.iter().copied().chain(["--help"]).collect();
        let help = env.windlass(&arguments);
        help.assert_code(0);
        let name = if name.is_empty() { "windlass" } else { name };
        insta::assert_snapshot!(name, help.stdout);
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
