//! The project's own test command, in place of the pack's.
//!
//! A `Makefile` or a `justfile` beside a manifest says how the project itself is tested. Where the pack's
//! command runs the same, it stays, because it can write a report; it never replaces one that runs more.
//! What continuous integration runs decides where both could be meant.

use std::fmt::Write as _;

use super::listing::{Listing, is_below, join, value_of};
use super::{CommandName, LeftOut, Pack, PinnedPlatform, TOP, Way, script};

/// Commands that are taken over where the pack has none.
const LENT: [CommandName; 3] = [CommandName::Build, CommandName::Test, CommandName::Lint];

/// Files in which continuous integration says what it runs.
const CI: [&str; 6] = [
    ".github/workflows/*.yml",
    ".github/workflows/*.yaml",
    ".gitlab-ci.yml",
    ".travis.yml",
    ".circleci/config.yml",
    ".woodpecker.yml",
];

/// More files of continuous integration than anybody reads.
const MAX_CI_FILES: usize = 20;

/// Arguments with which a test program runs no more and no less.
const HARMLESS: [&str; 7] = ["-v", "-vv", "-q", "--verbose", "--quiet", "--workspace", "--all"];

/// Words in a script that runs the scripts of all packages below it.
const EVERYWHERE: [&str; 9] =
    ["workspace", "--recursive", "-r", "turbo", "nx", "lerna", "foreach", "--filter", "moon"];

/// Returns the files that say what continuous integration runs.
pub(super) fn ci_files(listing: &Listing) -> Vec<String> {
    let tests = CI.map(|file| super::FileTest { file: file.to_owned(), ..Default::default() });
    let files = tests.iter().flat_map(|test| listing.candidates(TOP, test));
    files.take(MAX_CI_FILES).collect()
}

fn ci_text(listing: &Listing) -> String {
    let mut text = String::new();
    for file in ci_files(listing) {
        let _ = writeln!(text, "{}", listing.text(&file).unwrap_or_default());
    }
    text
}

/// Whether continuous integration speaks of the program that this way runs.
pub(super) fn is_run_by_ci(way: &Way, listing: &Listing) -> bool {
    let tool = tool(&way.run);
    let program = tool.split(' ').next().unwrap_or_default();
    !program.is_empty() && script::mentions(&ci_text(listing), program)
}

/// Lends the commands of a pack that runs what others build to the one that is at home in the folder.
pub(super) fn lend(to: &mut PinnedPlatform, wrapper: &Pack, listing: &Listing) {
    let lender = wrapper.pin(&to.root, listing);
    for name in LENT {
        let Some(own) = lender.pack.command(name) else { continue };
        let takes = match to.pack.command(name) {
            None => true,
            Some(way) => name == CommandName::Test && replaces(own, way, listing),
        };
        if takes {
            let mut own = own.clone();
            own.protect.extend(lender.pack.protect.iter().cloned());
            to.pack.commands.insert(name, vec![own]);
        }
    }
}

fn replaces(own: &Way, way: &Way, listing: &Listing) -> bool {
    if way.from.as_ref().is_some_and(|from| from.contains("scripts.")) {
        return false;
    }
    let ci = ci_text(listing);
    let tool = tool(&way.run);
    if script::mentions_at_the_top(&ci, &own.run) {
        return true;
    }
    if script::mentions(&ci, &tool) {
        return false;
    }
    let Some(text) = own.from.as_deref().and_then(|file| listing.text(file)) else { return false };
    let target = own.run.rsplit(' ').next().unwrap_or_default();
    let recipe = script::recipe(text, target);
    recipe.is_empty() || !recipe.iter().all(|line| is_plain_call(line, &tool))
}

/// Words in front of a program that only say how it is found.
const FINDERS: [&str; 10] =
    ["uv", "poetry", "pipenv", "run", "python", "python3", "-m", "bundle", "exec", "npx"];

/// Returns the program that a command comes down to, with `test` where that is its word for it.
pub(super) fn tool(run: &str) -> String {
    let last = run.rsplit("&&").next().unwrap_or(run);
    let words = shlex::split(last).unwrap_or_default();
    let mut words = words.iter().skip_while(|word| is_finder(word));
    let Some(program) = words.next() else { return String::new() };
    let program = program.rsplit('/').next().unwrap_or(program);
    match words.next().map(String::as_str) {
        Some("test") => format!("{program} test"),
        _ => program.to_owned(),
    }
}

fn is_finder(word: &str) -> bool {
    FINDERS.contains(&word) || word == "--no-install" || word.ends_with("/python")
}

/// Whether a line of a recipe only calls the tool, for all of the tests or for some by name.
fn is_plain_call(line: &str, tool: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().skip_while(|word| is_finder(word)).collect();
    let count = tool.split(' ').count();
    let Some((called, rest)) = words.split_at_checked(count) else { return false };
    let signs = ['|', '&', ';', '<', '>', '`'];
    called.join(" ") == tool
        && !line.contains(signs)
        && rest.iter().all(|word| !word.starts_with('-') || HARMLESS.contains(word))
}

/// Names the members of a workspace whose own tests the root's command does not seem to run.
pub(super) fn uncovered(root: &PinnedPlatform, packs: &[&Pack], listing: &Listing) -> Vec<LeftOut> {
    const SCRIPT: &str = "scripts.test";
    let Some(pack) = packs.iter().find(|pack| pack.name == root.pack.name) else {
        return Vec::new();
    };
    if pack.members.is_none() {
        return Vec::new();
    }
    let manifest = |folder: &str| join(folder, "package.json");
    let script = |folder: &str| {
        let path = manifest(folder);
        value_of(&path, listing.text(&path)?, SCRIPT)?.as_str().map(str::to_owned)
    };
    let test = root.pack.command(CommandName::Test);
    let scripts = listing
        .text(&manifest(&root.root))
        .and_then(|text| value_of("package.json", text, "scripts"))
        .map(|scripts| scripts.to_string())
        .unwrap_or_default();
    let said = format!("{} {scripts}", test.map_or("", |way| way.run.as_str()));
    if EVERYWHERE.iter().any(|word| script::mentions(&said, word)) || said.contains("workspace") {
        return Vec::new();
    }
    let members = listing.folders().into_iter().filter(|folder| is_below(folder, &root.root));
    members
        .filter(|folder| super::detect::can_be_root(folder) && !said.contains(folder.as_str()))
        .filter(|folder| script(folder).is_some_and(|text| !text.contains("no test specified")))
        .map(|folder| LeftOut {
            why: "it has a `test` script of its own, and the root's command does not run it"
                .to_owned(),
            folder,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_behind_a_command_is_found() {
        for (run, expected) in [
            ("go test ./...", "go test"),
            ("mkdir -p .reports && uv run pytest --junitxml=x", "pytest"),
            ("python3 -m pytest", "pytest"),
            (".venv/bin/python -m pytest", "pytest"),
            ("./mvnw -q verify", "mvnw"),
            ("cmake -S . && ctest --test-dir build", "ctest"),
        ] {
            assert_eq!(tool(run), expected, "{run}");
        }
    }

    #[test]
    fn a_recipe_that_does_more_is_no_plain_call() {
        assert!(is_plain_call("python -m pytest tests", "pytest"));
        assert!(is_plain_call("go test -v $(GO_TEST_FLAGS) ./...", "go test"));
        assert!(!is_plain_call("go test -tags integration ./...", "go test"));
        assert!(!is_plain_call("cargo test --all-features", "cargo test"));
        assert!(!is_plain_call("go vet ./... && go test ./...", "go test"));
        assert!(!is_plain_call("./scripts/test.sh", "go test"));
    }
}
