//! Platforms and what was found, in words and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};
use windlass_core::platform::{
    Choice, CommandName, Detection, MatchMode, Pack, PinnedPlatform, Root,
};
use windlass_core::view::{Lines, printable};

use crate::platforms::{Found, Look, Platforms};

/// Says which platform is at home where, why, and what was looked at.
pub(super) fn text(look: &Look, detection: &Detection, pinned: &[PinnedPlatform]) -> String {
    let mut text = String::new();
    for root in &detection.roots {
        let platform = pinned.iter().find(|one| one.root == root.folder);
        one_root(&mut text, root, platform, look);
        text.push('\n');
    }
    if detection.roots.is_empty() {
        text.push_str("No platform matches: git tracks none of the marker files below.\n\n");
    }
    if !detection.left_out.is_empty() {
        text.push_str("Left out:\n");
        for one in &detection.left_out {
            let why = printable(&one.why, Lines::One);
            let _ = writeln!(text, "  {}: {why}", printable(&one.folder, Lines::One));
        }
        text.push('\n');
    }
    text.push_str("Looked at (the highest priority wins):\n");
    text.push_str(&table(&look.platforms));
    text
}

fn one_root(text: &mut String, root: &Root, pinned: Option<&PinnedPlatform>, look: &Look) {
    let (chosen, why) = match &root.choice {
        Choice::Pack { pack, why } => (pack.clone(), why.clone()),
        Choice::Tie(packs) => {
            let why = format!("{} have the same priority", packs.join(" and "));
            ("not clear".to_owned(), why)
        }
    };
    let from = look.platforms.get(&chosen).map(|found| format!(" ({})", origin(found)));
    let _ = writeln!(text, "{}: {chosen}{}", root.folder, from.unwrap_or_default());
    let _ = writeln!(text, "  why: {why}");
    for one in &root.matches {
        let note = match one.covered {
            true => "; a root above covers it",
            false => "",
        };
        let files = printable(&one.files.join(", "), Lines::One);
        let _ =
            writeln!(text, "  matches: {}, priority {} ({files}){note}", one.pack, one.priority);
    }
    let Some(platform) = pinned else { return };
    for name in CommandName::ALL {
        let label = format!("{name}:");
        let _ = match platform.pack.command(name) {
            Some(way) => {
                let from = way.from.as_ref().map(|from| printable(from, Lines::One));
                let from = from.map(|from| format!(" ({from})")).unwrap_or_default();
                writeln!(text, "  {label:9} {}{from}", printable(&way.run, Lines::One))
            }
            None => match look.missing(platform, name) {
                Some(why) => writeln!(text, "  {label:9} - ({})", printable(&why, Lines::One)),
                None => writeln!(text, "  {label:9} -"),
            },
        };
    }
}

/// Writes platforms as a table.
pub(super) fn table(platforms: &Platforms) -> String {
    let clean = |text: &str| printable(text, Lines::One);
    let names = platforms.all().iter().map(|found| found.name.chars().count());
    let width = names.max().unwrap_or(0).max("platform".len());
    let mut text = format!("{:width$}  priority  from        markers\n", "platform");
    for found in platforms.all() {
        let (priority, known_by) = match &found.read {
            Ok(pack) => (pack.priority.to_string(), markers(pack)),
            Err(unusable) => ("-".to_owned(), format!("cannot be used: {}", unusable.first())),
        };
        let (name, known_by) = (clean(&found.name), clean(&known_by));
        let _ = write!(text, "{name:width$}  {priority:8}  {:10}  {known_by}", found.from);
        if let Some(by) = found.hidden_by {
            let _ = write!(text, " (hidden: the one from {by} is used)");
        }
        text.push('\n');
    }
    text
}

fn markers(pack: &Pack) -> String {
    let words = pack.markers.iter().map(|marker| match (&marker.contains, &marker.key) {
        (Some(text), _) => format!("{} with `{text}`", marker.file),
        (None, Some(key)) => format!("{} with the key `{key}`", marker.file),
        (None, None) => marker.file.clone(),
    });
    let joined = match pack.match_mode {
        MatchMode::Any => ", ",
        MatchMode::All => " and ",
    };
    words.collect::<Vec<_>>().join(joined)
}

fn origin(found: &Found) -> &str {
    found.file.as_deref().unwrap_or(found.from)
}

pub(super) fn json(look: &Look, detection: &Detection, pinned: &[PinnedPlatform]) -> Value {
    let roots = detection.roots.iter().map(|root| {
        let (platform, why, tie) = match &root.choice {
            Choice::Pack { pack, why } => (Some(pack), Some(why), None),
            Choice::Tie(packs) => (None, None, Some(packs)),
        };
        let commands = pinned.iter().find(|one| one.root == root.folder).map(|one| {
            let all =
                one.pack.commands.keys().filter_map(|name| {
                    Some((name.to_string(), json!(one.pack.command(*name)?.run)))
                });
            Value::Object(all.collect())
        });
        let matches = root.matches.iter().map(|one| {
            json!({"platform": one.pack, "priority": one.priority, "files": one.files,
                   "covered": one.covered})
        });
        let missing = pinned.iter().find(|one| one.root == root.folder).map(|one| {
            let all = CommandName::ALL.into_iter();
            let all = all.filter_map(|name| Some((name.to_string(), json!(look.missing(one, name)?))));
            Value::Object(all.collect())
        });
        json!({"root": root.folder, "platform": platform, "why": why, "tie": tie, "missing": missing,
               "matches": matches.collect::<Vec<_>>(), "commands": commands})
    });
    let left_out: Vec<Value> = detection
        .left_out
        .iter()
        .map(|one| json!({"folder": one.folder, "why": one.why}))
        .collect();
    let platforms = look.platforms.all().iter().map(found_json);
    json!({"roots": roots.collect::<Vec<_>>(), "left_out": left_out,
           "platforms": platforms.collect::<Vec<_>>()})
}

pub(super) fn found_json(found: &Found) -> Value {
    let mut value = json!({
        "name": found.name,
        "from": found.from,
        "file": found.file,
        "hidden_by": found.hidden_by,
        "ok": found.read.is_ok(),
    });
    match &found.read {
        Ok(pack) => {
            value["display_name"] = json!(pack.display_name);
            value["version"] = json!(pack.version);
            value["family"] = json!(pack.family);
            value["priority"] = json!(pack.priority);
            value["match_mode"] = json!(pack.match_mode);
            value["markers"] = json!(pack.markers);
            value["hash"] = json!(pack.hash);
        }
        Err(unusable) => value["error"] = unusable.first().into(),
    }
    value
}
