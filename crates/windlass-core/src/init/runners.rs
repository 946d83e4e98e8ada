//! Programs that run what others build, by the names of their targets.

use super::detect::{Project, Purpose};
use super::folder::Folder;

/// Names of targets, the better one first, and what each shows.
const TARGETS: [(&str, Purpose); 4] = [
    ("test", Purpose::Test),
    ("check", Purpose::Test),
    ("lint", Purpose::Lint),
    ("build", Purpose::Build),
];

pub(super) fn make(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["GNUmakefile", "makefile", "Makefile"])?;
    runner(Project::new("Make", file).protect(file), "make", folder.text(file))
}

pub(super) fn just(folder: &Folder) -> Option<Project> {
    let file = folder.first(&["justfile", "Justfile", ".justfile"])?;
    runner(Project::new("just", file).protect(file), "just", folder.text(file))
}

fn runner(mut project: Project, program: &str, text: &str) -> Option<Project> {
    for (name, purpose) in TARGETS {
        let covered = project.checks.iter().any(|(other, _)| *other == purpose);
        if !covered && has_target(text, name) {
            project = project.check(purpose, format!("{program} {name}"));
        }
    }
    (!project.checks.is_empty()).then_some(project)
}

/// Whether a Makefile or a justfile has a target that needs no arguments.
fn has_target(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let Some((targets, rest)) = line.split_once(':') else { return false };
        // `name := value` is a variable, and a line that begins with a blank belongs to a recipe.
        let is_rule = !line.starts_with([' ', '\t', '#']) && !rest.starts_with('=');
        let quiet = targets.trim_start_matches('@');
        is_rule && quiet.split_whitespace().any(|target| target == name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_told_from_variables_and_recipes() {
        let text = "test := x\nbuild: deps\n\tlint: no\nlint check: a\n# test: no\n@quiet:\n";
        assert!(!has_target(text, "test"));
        assert!(has_target(text, "build") && has_target(text, "lint") && has_target(text, "check"));
        assert!(has_target(text, "quiet") && !has_target(text, "deps"));
    }
}
