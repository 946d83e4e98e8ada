//! `windlass replay`: the state at any event, and why a step is where it is.

use std::fmt::Write as _;
use std::process::ExitCode;

use windlass_core::view::{Lines, Told, Why, describe, follow, printable, status_view, why};
use windlass_engine::journal::trail;
use windlass_engine::store::Seq;

use crate::cli::{Cli, ReplayArguments};
use crate::clock::Clock;
use crate::error::CommandError;
use crate::output::Output;
use crate::render::{self, Driving, Paint, Screen};
use crate::surroundings::{self, Surroundings};

/// The first record is the wish for a run; there is a state from the second on.
const FIRST: u64 = 2;

pub(crate) fn replay(
    cli: &Cli,
    arguments: &ReplayArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let run = surroundings.run()?;
    let Some(store) = surroundings.store()? else {
        return Err(crate::surroundings::no_run());
    };
    let last = run.head.seq.0;
    let to = arguments.to.unwrap_or(last);
    if !(FIRST..=last).contains(&to) {
        return Err(CommandError::usage(format!("run `{}` has no event {to}", run.id))
            .hint(format!("its events are {FIRST} to {last}; `windlass log` lists them")));
    }
    let trail = trail(&store, &run.id, Seq(to))?;
    let state = follow(&trail, |_, _, _| {}).map_err(CommandError::failure)?;
    let paint = Paint::new(output.has_colour());
    if let Some(name) = &arguments.why {
        let step = surroundings::step(&state, name)?;
        let Some(why) = why(&trail, &step).map_err(CommandError::failure)? else {
            return Err(CommandError::usage(format!("there is no step `{name}`")));
        };
        if output.is_json() {
            output.json(&why);
        } else {
            let text = explain(&why, if to < last { Tense::Past } else { Tense::Present }, paint);
            output.data(&text);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let Some(told) = trail.last() else {
        return Err(CommandError::usage(format!("run `{}` has no event {to}", run.id)));
    };
    let view = status_view(&state);
    if output.is_json() {
        output.json(&serde_json::json!({
            "seq": to, "of": last, "time": told.at.to_string(), "actor": told.actor,
            "event": told.event, "says": describe(&told.event), "state": view,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    output.data(&headline(told, to, last, paint));
    let verbosity = output.verbosity();
    let screen = Screen { driving: Driving::Then, now: told.at, paint, verbosity };
    output.data(&render::status(&view, screen));
    Ok(ExitCode::SUCCESS)
}

/// The event itself; where `to` is an input, the last event before it.
fn headline(told: &Told, to: u64, last: u64, paint: Paint) -> String {
    let mut text = paint.bold(&format!("event {to} of {last}"));
    let _ = write!(text, ", {}, by {}", Clock::here().to_the_second(told.at), told.actor);
    if told.seq != to {
        let _ = write!(text, "\n{to} is an input; the last event before it is {}", told.seq);
    }
    let _ = writeln!(text, "\n#{} {}", told.seq, line(&describe(&told.event)));
    text
}

/// Agents and tools are quoted in it.
fn line(text: &str) -> String {
    printable(text, Lines::One)
}

/// Whether the run has gone on since.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tense {
    Past,
    Present,
}

fn explain(why: &Why, tense: Tense, paint: Paint) -> String {
    let is = if tense == Tense::Past { "was then" } else { "is" };
    let title = format!("{} (`{}`) {is} {}", why.title, why.step, why.status.as_str());
    let mut text = format!("{}\n\n", paint.bold(&title));
    let number = |seq: u64| format!("#{seq}");
    let width = why.sentences.iter().map(|said| number(said.seq).len()).max().unwrap_or(0);
    let mut before = None;
    for said in &why.sentences {
        // Several sentences about one event share its number.
        let (seq, time) = match before == Some(said.seq) {
            true => (String::new(), String::new()),
            false => (number(said.seq), said.time.get(11..19).unwrap_or_default().to_owned()),
        };
        before = Some(said.seq);
        let _ = writeln!(
            text,
            "  {seq:>width$} {} {}",
            paint.dim(&format!("{time:8}")),
            line(&said.text)
        );
    }
    let heading = match tense {
        Tense::Past => "What was needed next:",
        Tense::Present => "What is needed next:",
    };
    let _ = write!(text, "\n{} {}", paint.bold(heading), line(&why.moves_on));
    if tense == Tense::Present {
        let commands = why.next.iter();
        let wide = commands.map(|next| next.command.chars().count()).max().unwrap_or(0);
        for next in &why.next {
            let _ = write!(text, "\n  {:wide$}   {}", next.command, paint.dim(&next.does));
        }
    }
    text
}
