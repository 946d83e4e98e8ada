//! A short look around in what the run left: real commands, and what they really print.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use super::scratch::{REPORT, Scratch};
use super::stage::Stage;
use crate::error::CommandError;
use crate::lines::cut;
use crate::output::Output;
use crate::render::Paint;

/// How long one look takes where somebody looks.
const LOOK: Duration = Duration::from_millis(3200);

/// One command, and how much of its output is shown: so many lines from its beginning and its end.
struct Look {
    says: &'static str,
    arguments: Vec<String>,
    beginning: usize,
    end: usize,
}

/// What was looked at.
pub(super) struct Looked {
    command: String,
    code: Option<i32>,
}

impl Looked {
    pub(super) fn is_fine(&self) -> bool {
        self.code == Some(0)
    }

    pub(super) fn json(&self) -> serde_json::Value {
        json!({"command": self.command, "code": self.code})
    }
}

/// Looks at everything, or until the viewer leaves. `stopped` is the event that stopped the run at
/// the rigged test.
pub(super) fn tour(
    scratch: &Scratch,
    stopped: Option<u64>,
    stage: &Stage,
    output: &mut Output,
) -> Result<Vec<Looked>, CommandError> {
    let mut all = Vec::new();
    let paint = Paint::new(output.has_colour());
    if !output.is_json() {
        output.data(&format!("\n{}", paint.bold("A look around in what it left")));
    }
    for look in looks(stopped) {
        if stage.is_left() {
            break;
        }
        let (looked, lines) = perform(scratch, &look, output.has_colour())?;
        if !output.is_json() {
            let says = look.says;
            output.data(&format!("\n{}", paint.bold(&format!("→ {says}"))));
            output.data(&format!("  {} {}", paint.dim("$"), paint.busy(&looked.command)));
            for line in shortened(&lines, &look) {
                let line = format!("    {line}");
                output.data(&if stage.is_terminal() { cut(&line, stage.width()) } else { line });
            }
        }
        all.push(looked);
        stage.rest(LOOK);
    }
    Ok(all)
}

fn looks(stopped: Option<u64>) -> Vec<Look> {
    let look = |says, arguments: &str, beginning, end| Look {
        says,
        arguments: arguments.split(' ').map(str::to_owned).collect(),
        beginning,
        end,
    };
    let mut looks = vec![
        look(
            "Every check is kept with its verdict and the code it saw.",
            "proofs implement --all",
            8,
            0,
        ),
        look("So is what the cheat left.", "diff implement#2", 0, 9),
    ];
    if let Some(stopped) = stopped {
        let arguments = format!("replay --why implement --to {stopped}");
        looks.push(look(
            "The journal can be read as of any event, and says why a step stood where it did.",
            &arguments,
            1,
            9,
        ));
    }
    looks.extend([
        look("No work is lost: whatever was sent back can be restored.", "trash list", 20, 0),
        look("The journal is chained, and each decision in it is made again.", "audit", 4, 0),
        look("All of it as one page.", &format!("report --html --output {REPORT}"), 4, 0),
    ]);
    looks
}

fn perform(
    scratch: &Scratch,
    look: &Look,
    colour: bool,
) -> Result<(Looked, Vec<String>), CommandError> {
    let said = Command::new(scratch.command())
        .args(&look.arguments)
        .current_dir(scratch.root())
        .env_remove("NO_COLOR")
        .env("CLICOLOR_FORCE", if colour { "1" } else { "0" })
        .stdin(Stdio::null())
        .output()
        .map_err(|error| CommandError::failure(format!("`windlass` cannot be started: {error}")))?;
    let command = format!("./windlass {}", look.arguments.join(" "));
    let mut lines = Vec::new();
    for bytes in [&said.stdout, &said.stderr] {
        lines.extend(String::from_utf8_lossy(bytes).lines().map(str::to_owned));
    }
    Ok((Looked { command, code: said.status.code() }, lines))
}

fn shortened(lines: &[String], look: &Look) -> Vec<String> {
    let left = lines.len().saturating_sub(look.beginning + look.end);
    if left == 0 {
        return lines.to_vec();
    }
    let mut shown = lines[..look.beginning].to_vec();
    shown.push(format!("… {left} more {}", if left == 1 { "line" } else { "lines" }));
    shown.extend_from_slice(&lines[look.beginning + left..]);
    shown
}

/// Opens the report in a browser, where there is one to be seen.
pub(super) fn open(scratch: &Scratch, stage: &Stage) -> Result<(), String> {
    if !stage.is_terminal() {
        return Err("nothing is opened without a terminal".to_owned());
    }
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    if opener == "xdg-open" && !set("DISPLAY") && !set("WAYLAND_DISPLAY") {
        return Err("there is no display to open it on".to_owned());
    }
    let opened = Command::new(opener)
        .arg(scratch.report())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match opened {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{opener}` ended with {status}")),
        Err(error) => Err(format!("`{opener}` cannot be started: {error}")),
    }
}
