//! Small workflows whose every turn a script can bring about.

use windlass_testkit::Random;

use super::repeated::{self, Around};

/// A workflow and what its script has to know.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    pub(super) yaml: String,
    pub(super) steps: Vec<Step>,
    /// Where its items come from, if it has any.
    pub(super) items: Option<Items>,
}

/// Where items come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Items {
    Agent,
    Tasks,
}

/// One step of it, as the plan has it.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// The id in the plan.
    pub(super) id: String,
    /// What its files are called by.
    pub(super) name: String,
    /// The key for its verdict, if its agent gives one instead of doing work.
    pub(super) judges: Option<String>,
    /// The input that is its `when`.
    pub(super) when: Option<String>,
    /// Whether it works beside the other spokes of a team.
    pub(super) spoke: bool,
}

/// What a workflow has besides steps one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Plain,
    Team,
    Foreach,
}

impl Drawn {
    /// Returns the step with this id.
    pub(super) fn step(&self, id: &str) -> &Step {
        self.steps.iter().find(|step| step.id == id).expect("a step of the workflow")
    }
}

/// The step whose agent asks to skip others.
pub(super) const ASKS: &str = "s0";

/// Draws one; cases take turns at what they have.
pub(super) fn any(random: &mut Random, case: u64) -> Drawn {
    let shapes = [Shape::Plain, Shape::Team, Shape::Foreach];
    let shape = shapes[usize::try_from(case % 3).expect("a small number")];
    let count = if shape == Shape::Plain { 2 + random.below(2) } else { 1 };
    let nested = shape == Shape::Plain && random.percent(30);
    let items = match (shape, case % 2) {
        (Shape::Foreach, 0) => Some(Items::Agent),
        (Shape::Foreach, _) => Some(Items::Tasks),
        (Shape::Plain | Shape::Team, _) => None,
    };
    let mut yaml = "workflow: drawn\ndefaults: {backoff: 1ms}\n".to_owned();
    if random.percent(50) {
        yaml.push_str("protect: [rules.txt]\n");
    }
    // Which of two spokes takes the last attempt is a matter of time.
    if shape == Shape::Plain && random.percent(25) {
        yaml.push_str("limits: {attempts: 4}\n");
    }
    let mut steps: Vec<Step> = Vec::new();
    let mut inputs = Vec::new();
    let mut lines = String::new();
    for number in 0..count {
        let name = format!("s{number}");
        // The last steps may stand in a group.
        let inside = nested && number > 0;
        let id = if inside { format!("g/{name}") } else { name.clone() };
        let judges = number > 0 && random.percent(50);
        let mut keys = format!("id: {name}, agent: a{number}, retries: {}", 1 + random.below(3));
        if random.percent(45) {
            keys.push_str(", gate: approval");
        }
        let exhausted: &&str = random.pick(&["", ", exhausted: block", ", exhausted: waive"]);
        keys.push_str(exhausted);
        let when = number > 0 && random.percent(25);
        if when {
            keys.push_str(&format!(", when: .inputs.w{number}"));
            inputs.push(format!("w{number}: {{type: boolean, default: true}}"));
        } else if number > 0 && random.percent(40) {
            keys.push_str(", skip: allowed");
        }
        if judges {
            let targets: Vec<&str> =
                steps.iter().map(|step| step.id.as_str()).chain([id.as_str()]).collect();
            let (first, last) = (random.pick(&targets), targets[targets.len() - 1]);
            keys.push_str(&format!(
                ", publishes: {{r{number}: object}}, done: {{verdict: .context.r{number}.status, accept: [OK]}}, \
                 on: {{NO: {{max: {}, rollback: {{files: '.context.r{number}.files[]', by_path: {{'{}/**': {first}}}, otherwise: {last}}}}}}}",
                1 + random.below(2),
                folder(first),
            ));
        } else {
            let publishes = match (number, items) {
                (0, Some(Items::Agent)) => ", publishes: {k: object, items: array}",
                (0, Some(Items::Tasks) | None) => ", publishes: {k: object}",
                _ => "",
            };
            keys.push_str(&format!("{publishes}, done: {{run: sh judge.sh {name}}}"));
        }
        if inside && number == 1 {
            let gate = if random.percent(50) { ", gate: approval" } else { "" };
            lines.push_str(&format!("  - {{id: g{gate}, steps: [\n"));
        }
        lines.push_str(&if inside {
            format!("      {{{keys}}},\n")
        } else {
            format!("  - {{{keys}}}\n")
        });
        let judges = judges.then(|| format!("r{number}"));
        let when = when.then(|| format!("w{number}"));
        steps.push(Step { id, name, judges, when, spoke: false });
    }
    if nested {
        lines.push_str("    ]}\n");
    }
    let more = match shape {
        Shape::Plain => None,
        Shape::Team => Some(repeated::team(random, Around::Top, &mut inputs)),
        Shape::Foreach => Some(repeated::foreach(random, items == Some(Items::Tasks), &mut inputs)),
    };
    if let Some((more, inside)) = more {
        lines.push_str(&format!("  - {more}\n"));
        steps.extend(inside);
    }
    if !inputs.is_empty() {
        yaml.push_str(&format!("inputs: {{{}}}\n", inputs.join(", ")));
    }
    yaml.push_str("steps:\n");
    yaml.push_str(&lines);
    Drawn { yaml, steps, items }
}

/// The folder whose files lead to a step.
pub(super) fn folder(step: &str) -> String {
    format!("of-{}", step.replace('/', "-"))
}
