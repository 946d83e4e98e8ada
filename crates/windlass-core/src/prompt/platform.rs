//! The platforms in a prompt: what to run, and where the rest stands.

use std::fmt::Write as _;

use super::text::one_line;
use super::{MAX_PLATFORM, PLATFORM_FILE, section};
use crate::platform::{CommandName, PinnedPlatform};

/// The longest line; commands that write reports are long.
const MAX_LINE: usize = 240;

/// Room for the line that names the file.
const MAX_END: usize = 160;

/// What an agent runs itself, the most important first; the rest stands in the file.
const TOLD: [CommandName; 4] =
    [CommandName::Test, CommandName::Build, CommandName::Lint, CommandName::Coverage];

pub(super) fn describe(text: &mut String, platforms: &[PinnedPlatform]) {
    if platforms.is_empty() {
        return;
    }
    let mut list = String::new();
    let mut whole = true;
    for line in lines(platforms) {
        whole = whole && list.len() + line.len() + MAX_END < MAX_PLATFORM;
        if whole {
            let _ = writeln!(list, "{line}");
        }
    }
    let more = "All commands, conventions and the structure are in";
    let first = if whole { "" } else { ": read it first" };
    let _ = writeln!(list, "{more} `{PLATFORM_FILE}`{first}.");
    section(text, "Platform", &list);
}

/// Commands of every platform before the conventions of any.
fn lines(platforms: &[PinnedPlatform]) -> Vec<String> {
    let mut lines = Vec::new();
    for platform in platforms {
        let folder = platform.folder().map(|folder| format!(", in `{}`", one_line(folder, 80)));
        let name = one_line(&platform.pack.display_name, 60);
        lines.push(format!("{name}{}:", folder.unwrap_or_default()));
        for command in TOLD {
            if let Some(way) = platform.pack.command(command) {
                lines.push(format!("- {command}: `{}`", one_line(&way.run, MAX_LINE)));
            }
        }
        let tests = platform.pack.test_files.join("`, `");
        lines.push(format!("- tests: `{}`", one_line(&tests, MAX_LINE)));
    }
    for platform in platforms {
        let conventions = &platform.pack.conventions;
        if !conventions.naming.is_empty() {
            let naming = conventions.naming.join("; ");
            lines.push(format!("- Naming: {}", one_line(&naming, MAX_LINE)));
        }
        lines.extend(
            conventions.patterns.iter().map(|one| format!("- {}", one_line(one, MAX_LINE))),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_platform_is_not_spoken_of() {
        let mut text = String::new();
        describe(&mut text, &[]);
        assert_eq!(text, "");
    }

    #[test]
    fn the_block_is_bounded_and_names_the_file_with_the_rest() {
        let mut platform = PinnedPlatform::stand_in();
        let mut text = String::new();
        describe(&mut text, &[platform.clone()]);
        assert!(text.contains("- test: `windlass platform get-command test`\n"), "{text}");
        assert!(text.contains(PLATFORM_FILE) && !text.contains("read it first"), "{text}");
        platform.root = "app".to_owned();
        platform.pack.conventions.patterns = vec!["Do it well. ".repeat(15); 10];
        let mut text = String::new();
        describe(&mut text, &[platform.clone(), platform]);
        assert!(text.len() <= MAX_PLATFORM + 40, "{}: {text}", text.len());
        assert!(text.contains("The platform, in `app`:\n"), "{text}");
        assert!(text.ends_with(&format!("`{PLATFORM_FILE}`: read it first.\n")), "{text}");
    }
}
