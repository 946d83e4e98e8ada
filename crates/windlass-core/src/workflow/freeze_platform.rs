//! What a platform adds to a plan: the checks that a `platform` check stands for, commands that make a
//! tree ready, and files that judge the work.

use super::check::PlatformCheck;
use super::freeze::Builder;
use crate::plan::{Check, CheckId, CheckKind, Criterion, PlanError, Prepare, Suite};
use crate::platform::{CommandName, PinnedPlatform, Way};
use crate::story::Size;

/// In place of a glob of a route: the platform's test files.
const TESTS: &str = "@tests";

impl PlatformCheck {
    /// Returns the command that proves it.
    fn command(self) -> CommandName {
        match self {
            Self::Build => CommandName::Build,
            Self::Test | Self::Red | Self::Green => CommandName::Test,
            Self::Lint => CommandName::Lint,
            Self::Coverage => CommandName::Coverage,
        }
    }
}

impl Builder<'_> {
    /// Makes one ordinary check for each root; `None` when no platform has the command.
    pub(super) fn platform(
        &mut self,
        what: PlatformCheck,
        numbers: &mut std::ops::RangeFrom<u32>,
        left_out: &mut Vec<String>,
    ) -> Option<Criterion> {
        let mut parts = Vec::new();
        for platform in self.platforms {
            match platform.pack.command(what.command()) {
                Some(way) => {
                    let id = CheckId(numbers.next().unwrap_or(u32::MAX));
                    let kind = check(what, platform, way, self.values.in_item);
                    parts.push(Criterion::Check(Check { id, kind }));
                }
                None => self.leave_out(what.command(), platform, left_out),
            }
        }
        if self.platforms.is_empty() {
            self.no_platform();
        }
        match parts.len() {
            0 => None,
            1 => parts.pop(),
            2.. => Some(Criterion::All(parts)),
        }
    }

    /// Returns the command that fixes what the platform's linter finds, in every root
    /// that has one.
    pub(super) fn lint_fix(&self) -> Option<String> {
        let commands: Vec<String> = self
            .platforms
            .iter()
            .filter_map(|platform| {
                let way = platform.pack.command(CommandName::LintFix)?;
                Some(match platform.folder() {
                    Some(folder) => format!(
                        "(cd {} && {})",
                        shlex::try_quote(folder).unwrap_or_default(),
                        way.run
                    ),
                    None => format!("({})", way.run),
                })
            })
            .collect();
        (!commands.is_empty()).then(|| commands.join(" && "))
    }

    /// Returns the globs that a glob of a route stands for: `@tests` for the platform's test files.
    pub(super) fn route_globs(&self, glob: String) -> Vec<String> {
        if glob != TESTS {
            return vec![glob];
        }
        self.platforms.iter().flat_map(PinnedPlatform::test_files).collect()
    }

    fn leave_out(
        &mut self,
        command: CommandName,
        platform: &PinnedPlatform,
        left_out: &mut Vec<String>,
    ) {
        if !platform.pack.required.contains(&command) {
            left_out.push(format!("{} has no `{command}` command", platform.called()));
            return;
        }
        let error = PlanError::MissingRequired { platform: platform.called(), command };
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// Notes once that the workflow speaks of a platform and there is none.
    fn no_platform(&mut self) {
        let asked = self.workflow.platform.as_ref();
        if let Some(asked) = asked
            && !self.errors.iter().any(|error| matches!(error, PlanError::NoPlatform { .. }))
        {
            let file = self.workflow.file_name().to_owned();
            self.errors.push(PlanError::NoPlatform { file, at: asked.at });
        }
    }
}

fn check(what: PlatformCheck, platform: &PinnedPlatform, way: &Way, in_item: bool) -> CheckKind {
    let (command, folder) = (way.run.clone(), platform.folder().map(str::to_owned));
    let (timeout, cache, env) = (way.timeout, true, Vec::new());
    // A platform's command asks for nothing: what it says about a tree holds for every item.
    let room = Box::default();
    let report = way.report.as_ref().map(|glob| platform.path(glob));
    match (what, report) {
        (PlatformCheck::Red, report) => {
            let tests = platform.test_files();
            CheckKind::Red(Suite { command, folder, timeout, cache, env, room, tests, report })
        }
        (PlatformCheck::Green, report) => {
            let tests = platform.test_files();
            CheckKind::Green(Suite { command, folder, timeout, cache, env, room, tests, report })
        }
        (PlatformCheck::Test, Some(glob)) => {
            let (min, failures) = (1, 0);
            CheckKind::Junit { glob, command, folder, timeout, cache, env, room, min, failures }
        }
        (PlatformCheck::Coverage, Some(glob)) => {
            let coverage = platform.pack.coverage;
            // The size of an item is known when it comes up.
            let by_size = in_item.then_some(coverage);
            let min = coverage.of(Size::M);
            let without = platform.test_files();
            CheckKind::Coverage {
                glob,
                command,
                folder,
                timeout,
                cache,
                env,
                room,
                min,
                by_size,
                without,
            }
        }
        (
            PlatformCheck::Build
            | PlatformCheck::Lint
            | PlatformCheck::Test
            | PlatformCheck::Coverage,
            _,
        ) => CheckKind::Run { command, folder, timeout, cache, env, room },
    }
}

/// Returns the commands that make a clean tree ready.
pub(super) fn prepare(platforms: &[PinnedPlatform]) -> Vec<Prepare> {
    let ways = platforms.iter().filter_map(|platform| {
        let way = platform.pack.command(CommandName::Prepare)?;
        Some(Prepare {
            folder: platform.folder().map(str::to_owned),
            run: way.run.clone(),
            lock: way.lock.as_ref().map(|lock| platform.path(lock)),
            timeout: way.timeout,
            inputs: Vec::new(),
            expose: Vec::new(),
        })
    });
    ways.collect()
}

#[cfg(test)]
mod tests {
    use crate::id::StepIndex;
    use crate::item::{Item, ItemSource};
    use crate::plan::{CheckKind, PlanRequest};
    use crate::platform::PinnedPlatform;
    use crate::story::{Size, Story};
    use crate::workflow::Workflow;

    const REPEATED: &str = "workflow: w\nplatform: detect\nsteps:\n  - id: s\n    foreach: items\n    \
        steps: [{id: a, agent: dev, done: {platform: coverage}}]\n";

    fn asked_of(size: Option<Size>) -> String {
        let mut platform = PinnedPlatform::stand_in();
        platform.pack.coverage.s = "1".parse().unwrap();
        platform.pack.coverage.xl = "4.5".parse().unwrap();
        let request = PlanRequest { platforms: vec![platform], ..PlanRequest::default() };
        let mut plan = Workflow::parse(REPEATED, "w.yaml").unwrap().plan(request).unwrap();
        let story = size.map(|size| Story {
            size,
            criteria: Vec::new(),
            security: false,
            depends_on: Vec::new(),
            files: Vec::new(),
            design: None,
        });
        let source = ItemSource::Person { name: "ann".to_owned() };
        let (title, body) = ("T".to_owned(), String::new());
        let item =
            Item { id: "S1".into(), step: "s".into(), title, body, story, source, skipped: None };
        plan.expand(StepIndex(0), &item, StepIndex(1));
        let done = plan.steps[1].done.as_ref().unwrap();
        let checks = done.checks();
        let CheckKind::Coverage { min, by_size: None, .. } = &checks[0].kind else {
            panic!("{checks:?}")
        };
        min.to_string()
    }

    #[test]
    fn the_size_of_a_story_decides_how_much_coverage_is_asked_for() {
        assert_eq!(asked_of(Some(Size::S)), "1");
        assert_eq!(asked_of(Some(Size::XL)), "4.5");
        assert_eq!((asked_of(Some(Size::M)), asked_of(None)), ("75".to_owned(), "75".to_owned()));
    }
}
