//! What boxes and rooms show of the home, and what they were asked to show and do not.

use std::path::{Path, PathBuf};

use windlass_engine::exposed::{Exposed, How};

use super::Finding;

/// How many folders stand in one line.
const NAMED: usize = 6;

pub(super) fn look(exposed: &Exposed) -> Vec<Finding> {
    let home = exposed.home();
    let below = |path: &Path| match path.strip_prefix(home) {
        Ok(inside) => Some(format!("~/{}", inside.display())),
        Err(_) => None,
    };
    let all = exposed.listed().iter();
    let shown: Vec<String> = all.filter_map(|shown| below(&shown.path)).collect();
    let says = match shown.len() {
        0 => "nothing: no folder of a tool was found there (`expose` in your configuration adds)"
            .to_owned(),
        count => format!(
            "{} in boxes and rooms, where writes are thrown away: {}; nothing else of it",
            if count == 1 { "1 folder".to_owned() } else { format!("{count} folders") },
            few(&shown)
        ),
    };
    let mut found = vec![Finding::ok("home", says).with(listed(exposed))];
    if !exposed.refused().is_empty() {
        let refused: Vec<String> =
            exposed.refused().iter().map(|path| path.display().to_string()).collect();
        let says = format!("not shown, because they hold what must stay hidden: {}", few(&refused));
        found.push(Finding::ok("not shown", says).with(refused.into()));
    }
    found
}

fn few(names: &[String]) -> String {
    match names.len().checked_sub(NAMED) {
        Some(more @ 1..) => {
            format!("{} and {more} more (`--json` has all)", names[..NAMED].join(", "))
        }
        _ => names.join(", "),
    }
}

/// Everything that is shown, of the system too, and how.
fn listed(exposed: &Exposed) -> serde_json::Value {
    let of = |how: How| -> Vec<&PathBuf> {
        exposed.listed().iter().filter(|shown| shown.how == how).map(|shown| &shown.path).collect()
    };
    serde_json::json!({
        "system": of(How::System),
        "programs": of(How::Programs),
        "caches": of(How::Cache),
    })
}
