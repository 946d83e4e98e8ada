//! Small workflows whose every turn a script can bring about.

use windlass_testkit::Random;

/// A workflow and what its script has to know.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    pub(super) yaml: String,
    pub(super) steps: Vec<Step>,
}

/// One step of it.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The id in the plan.
    pub(super) id: String,
    /// The last part of it.
    pub(super) name: String,
    /// Whether its agent gives a verdict instead of doing work.
    pub(super) judges: bool,
    /// Whether its `when` is an input.
    pub(super) when: bool,
}

impl Drawn {
    /// Returns the step with this id.
    pub(super) fn step(&self, id: &str) -> &Step {
        self.steps.iter().find(|step| step.id == id).expect("a step of the workflow")
    }
}

/// The step whose agent asks to skip others.
pub(super) const ASKS: &str = "s0";

/// Draws one.
pub(super) fn any(random: &mut Random) -> Drawn {
    let count = 2 + random.below(2);
    let nested = random.percent(30);
    let mut yaml = "workflow: drawn\ndefaults: {backoff: 1ms}\n".to_owned();
    if random.percent(50) {
        yaml.push_str("protect: [rules.txt]\n");
    }
    if random.percent(25) {
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
            let publishes = if number == 0 { ", publishes: {k: object}" } else { "" };
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
        steps.push(Step { id, name, judges, when });
    }
    if nested {
        lines.push_str("    ]}\n");
    }
    if !inputs.is_empty() {
        yaml.push_str(&format!("inputs: {{{}}}\n", inputs.join(", ")));
    }
    yaml.push_str("steps:\n");
    yaml.push_str(&lines);
    Drawn { yaml, steps }
}

/// The folder whose files lead to a step.
pub(super) fn folder(step: &str) -> String {
    format!("of-{}", step.replace('/', "-"))
}
