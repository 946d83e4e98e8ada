//! Teams and repeated steps of drawn workflows.

use windlass_testkit::Random;

use super::drawn::Step;

/// The step that repeats.
pub(super) const FOREACH: &str = "f";

/// The file that its items may come from.
pub(super) const TASKS: &str = "tasks.md";

/// The items that a simulation knows, and what it says about each.
pub(super) const ITEMS: [(&str, &str); 2] = [("S1", "item 1"), ("S2", "item 2")];

/// Where steps stand: at the top, or in what is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    Top,
    Item,
}

impl Around {
    /// What stands before the id of a step.
    fn prefixes(self) -> Vec<String> {
        match self {
            Self::Top => vec![String::new()],
            Self::Item => ITEMS.iter().map(|(id, _)| format!("{FOREACH}/{id}/")).collect(),
        }
    }

    /// The name of a step's files in a shell command.
    fn in_shell(self, name: &str) -> String {
        match self {
            Self::Top => name.to_owned(),
            Self::Item => format!("{FOREACH}-$ITEM-{name}"),
        }
    }

    /// The name of a step's files in a path.
    fn in_path(self, name: &str) -> String {
        match self {
            Self::Top => name.to_owned(),
            Self::Item => format!("{FOREACH}-{{item.id}}-{name}"),
        }
    }

    /// A condition that an input decides, for the first item alone.
    fn when(self, input: &str) -> String {
        match self {
            Self::Top => format!(".inputs.{input}"),
            Self::Item => format!(".inputs.{input} or .item.id != \"{}\"", ITEMS[0].0),
        }
    }

    /// The steps that a step in the file becomes.
    fn steps(self, name: &str, step: &Step) -> Vec<Step> {
        let mut steps = Vec::new();
        for (position, prefix) in self.prefixes().into_iter().enumerate() {
            let id = format!("{prefix}{name}");
            // Only the first item is ever without one.
            let when = step.when.clone().filter(|_| position == 0);
            steps.push(Step { name: id.replace('/', "-"), id, when, ..step.clone() });
        }
        steps
    }
}

/// Draws the end of a step: its tries, its gate, what comes after the last try.
fn policies(random: &mut Random) -> String {
    let exhausted: &&str = random.pick(&["", ", exhausted: block", ", exhausted: waive"]);
    let gate = if random.percent(40) { ", gate: approval" } else { "" };
    format!("retries: {}{exhausted}{gate}", 1 + random.below(2))
}

fn judged(around: Around, name: &str) -> String {
    let env = match around {
        Around::Top => "",
        Around::Item => ", env: {ITEM: .item.id}",
    };
    format!("done: {{run: 'sh judge.sh \"{}\"'{env}}}", around.in_shell(name))
}

/// Draws a team; its second spoke may be left out.
pub(super) fn team(
    random: &mut Random,
    around: Around,
    inputs: &mut Vec<String>,
) -> (String, Vec<Step>) {
    let mut steps = Vec::new();
    let mut spokes = Vec::new();
    for name in ["a", "b"] {
        let mut step = Step { spoke: true, ..Step::default() };
        let mut keys = format!("id: {name}, agent: {name}, retries: {}", 1 + random.below(2));
        if name == "b" && random.percent(50) {
            keys.push_str(&format!(", when: '{}'", around.when("wb")));
            inputs.push("wb: {type: boolean, default: true}".to_owned());
            step.when = Some("wb".to_owned());
        }
        let file = around.in_path(&format!("t-{name}"));
        spokes.push(format!("{{{keys}, writes: 'out-{file}.txt'}}"));
        steps.extend(around.steps(&format!("t/{name}"), &step));
    }
    steps.extend(around.steps("t/hub", &Step::default()));
    let (policies, judged) = (policies(random), judged(around, "t-hub"));
    let team = format!("team: {{spokes: [{}], hub: {{agent: h}}}}", spokes.join(", "));
    (format!("{{id: t, {policies}, {judged}, {team}}}"), steps)
}

/// Draws a step that repeats: work, then a team or a judge.
pub(super) fn foreach(
    random: &mut Random,
    tasks: bool,
    inputs: &mut Vec<String>,
) -> (String, Vec<Step>) {
    let around = Around::Item;
    let mut steps = around.steps("w", &Step::default());
    let mut inside =
        vec![format!("{{id: w, agent: w, {}, {}}}", policies(random), judged(around, "w"))];
    if random.percent(50) {
        let (yaml, more) = team(random, around, inputs);
        inside.push(yaml);
        steps.extend(more);
    } else {
        let key = "rj";
        let glob = format!("of-{}/**", around.in_path("w"));
        inside.push(format!(
            "{{id: j, agent: j, skip: allowed, {}, publishes: {{{key}: object}}, done: {{verdict: \
             .context.{key}.status, accept: [OK]}}, on: {{NO: {{max: 1, rollback: {{files: \
             '.context.{key}.files[]', by_path: {{'{glob}': w}}, otherwise: j}}}}}}}}",
            policies(random)
        ));
        let judge = Step { judges: Some(key.to_owned()), ..Step::default() };
        steps.extend(around.steps("j", &judge));
    }
    let tasks = if tasks { format!(", tasks: {TASKS}") } else { String::new() };
    let gate = if random.percent(30) { ", gate: approval" } else { "" };
    let inside = inside.join(",\n      ");
    let yaml = format!(
        "{{id: {FOREACH}, foreach: items, max: 2{tasks}{gate}, steps: [\n      {inside}]}}"
    );
    (yaml, steps)
}
