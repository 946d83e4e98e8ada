//! A platform in words, for agents.

use std::fmt::Write as _;

use super::{CommandName, PinnedPlatform};

/// Returns everything that an agent should know of the platforms, as Markdown.
pub fn describe(platforms: &[PinnedPlatform]) -> String {
    let mut text = "# Platform\n".to_owned();
    for platform in platforms {
        one(&mut text, platform);
    }
    text
}

fn one(text: &mut String, platform: &PinnedPlatform) {
    let pack = &platform.pack;
    let place = match platform.folder() {
        Some(folder) => format!(" in `{folder}`: run its commands there, paths are relative to it"),
        None => String::new(),
    };
    let _ = writeln!(text, "\n## {}{place}\n", pack.display_name);
    for name in CommandName::ALL {
        if let Some(way) = pack.command(name) {
            let _ = writeln!(text, "- {name}: `{}`", way.run);
        }
    }
    for (name, run) in &pack.more_commands {
        let _ = writeln!(text, "- {name}: `{run}`");
    }
    list(text, "Tests are in", &quoted(&pack.test_files));
    if pack.command(CommandName::Coverage).is_some() {
        let coverage = pack.coverage;
        let _ = writeln!(
            text,
            "- Line coverage of at least {} % (story of size S), {} % (M), {} % (L), {} % (XL)",
            coverage.s, coverage.m, coverage.l, coverage.xl
        );
    }
    list(text, "Has to hold", &pack.required.iter().map(ToString::to_string).collect::<Vec<_>>());
    list(text, "Naming", &pack.conventions.naming);
    for pattern in &pack.conventions.patterns {
        let _ = writeln!(text, "- {pattern}");
    }
    if let Some(format) = &pack.conventions.commit_format {
        let _ = writeln!(text, "- Commits: {format}");
    }
    for (folder, what) in &pack.project_structure {
        let _ = writeln!(text, "- `{folder}`: {what}");
    }
    list(text, "Know your way around in", &pack.skills);
}

fn list(text: &mut String, title: &str, entries: &[String]) {
    if !entries.is_empty() {
        let _ = writeln!(text, "- {title}: {}", entries.join(", "));
    }
}

fn quoted(globs: &[String]) -> Vec<String> {
    globs.iter().map(|glob| format!("`{glob}`")).collect()
}
