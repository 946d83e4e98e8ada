//! `windlass cost`: what attempts used, added up.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use windlass_core::id::RunId;
use windlass_core::time::Timestamp;
use windlass_core::view::{CostBy, CostGroup, CostSum, CostView, Lines, cost_view, printable};
use windlass_engine::journal::load;
use windlass_engine::machine::{Machine, SpendFilter};
use windlass_engine::store::{OpenError, Store, StoredRun};

use crate::cli::{Cli, CostArguments, CostKey};
use crate::error::CommandError;
use crate::output::{Output, note};
use crate::render::Paint;
use crate::surroundings::{Surroundings, home};

pub(crate) fn cost(
    cli: &Cli,
    arguments: &CostArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let since = arguments.since.as_deref().map(start_of_day).transpose()?;
    let (machine, filter) = if arguments.all {
        let home = home()?;
        let machine = Machine::new(&home.state, note);
        read_all(&machine, &home.protected())?;
        (machine, SpendFilter { since, ..SpendFilter::default() })
    } else {
        let surroundings = Surroundings::find(cli)?;
        let run = cli.run.as_ref().map(|_| surroundings.run()).transpose()?.map(|run| run.id);
        let (machine, site) = (surroundings.site.machine.clone(), &surroundings.site);
        if let Some(store) = surroundings.store()? {
            read_on(&machine, &store, &site.user.key)?;
        }
        (machine, SpendFilter { repository: Some(site.user.key.clone()), run, since })
    };
    let spend = machine.spend(&filter).map_err(CommandError::failure)?;
    let by = match arguments.by {
        Some(key) => vec![key.into()],
        None => vec![CostBy::Step, CostBy::Agent, CostBy::Model, CostBy::Day],
    };
    let view = cost_view(&spend, &by);
    if output.is_json() {
        output.json(&view);
    } else if view.total.attempts == 0 {
        output.data(&nothing(arguments, filter.run.as_ref()));
    } else {
        output.data(&text(&view, Paint::new(output.has_colour())));
    }
    Ok(ExitCode::SUCCESS)
}

/// The moment at which a day began, by the clock of the machine.
fn start_of_day(date: &str) -> Result<Timestamp, CommandError> {
    let wrong = || {
        CommandError::usage(format!("`--since {date}` is not a date"))
            .hint("write it as year, month and day: `--since 2026-03-10`")
    };
    let day: jiff::civil::Date = date.parse().map_err(|_| wrong())?;
    let start = day.to_zoned(jiff::tz::TimeZone::system()).map_err(|_| wrong())?;
    Ok(Timestamp(start.timestamp().as_millisecond()))
}

/// Reads on in the journals of all repositories. One that cannot be read keeps no sum from the rest.
fn read_all(machine: &Machine, repositories: &Path) -> Result<(), CommandError> {
    let entries = match fs_err::read_dir(repositories) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(CommandError::failure)?,
    };
    for entry in entries {
        let folder = entry.map_err(CommandError::failure)?.path();
        let Some(key) = folder.file_name().and_then(|name| name.to_str()) else { continue };
        match Store::open_read_only(&folder) {
            Ok(store) => read_on(machine, &store, key)?,
            Err(OpenError::NoStore { .. }) => {}
            Err(error) => left_out(&folder.display().to_string(), &error),
        }
    }
    Ok(())
}

/// Reads on in the journals of one repository, where there is more than was read already.
fn read_on(machine: &Machine, store: &Store, repository: &str) -> Result<(), CommandError> {
    for StoredRun { id, head, .. } in store.runs().map_err(CommandError::failure)? {
        let mark = machine.mark(repository, &id).map_err(CommandError::failure)?;
        if head.seq <= mark {
            continue;
        }
        match load(store, &id) {
            Ok(loaded) => match machine.catch_up(store, repository, &loaded.state) {
                Ok(()) => {}
                Err(error) => left_out(&format!("run `{id}`"), &error),
            },
            Err(error) => left_out(&format!("run `{id}`"), &error),
        }
    }
    Ok(())
}

fn left_out(what: &str, error: &dyn std::error::Error) {
    note(&format!("warning: {what} is left out of the sums: {error}"));
}

fn nothing(arguments: &CostArguments, run: Option<&RunId>) -> String {
    let place = match (run, arguments.all) {
        (Some(run), _) => format!("of run `{run}`"),
        (None, true) => "on this machine".to_owned(),
        (None, false) => "in this repository".to_owned(),
    };
    match &arguments.since {
        Some(date) => format!("no attempt {place} has ended since {date}"),
        None => format!("no attempt {place} has ended yet; `windlass run` starts one"),
    }
}

fn text(view: &CostView, paint: Paint) -> String {
    let attempts = match view.total.attempts {
        1 => "1 attempt".to_owned(),
        attempts => format!("{attempts} attempts"),
    };
    let mut text = format!("{}, {attempts}", paint.bold(&view.total.cost_words()));
    if let Some(tokens) = tokens(&view.total) {
        let _ = write!(text, ", {tokens}");
    }
    text.push('\n');
    for group in &view.groups {
        let _ =
            write!(text, "\n{}\n{}", paint.bold(&format!("by {}", group.by.as_str())), rows(group));
    }
    text.trim_end().to_owned()
}

fn rows(group: &CostGroup) -> String {
    let shown: Vec<(String, &CostSum)> =
        group.rows.iter().map(|row| (printable(&row.key, Lines::One), &row.sum)).collect();
    let width = shown.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (key, sum) in shown {
        let attempts = sum.attempts;
        let _ = write!(text, "  {key:width$}  {attempts:>4} ×  {}", sum.cost_words());
        if let Some(tokens) = tokens(sum) {
            let _ = write!(text, ", {tokens}");
        }
        text.push('\n');
    }
    text
}

/// Tokens and turns in words, where somebody said how many.
fn tokens(sum: &CostSum) -> Option<String> {
    let turns = sum.turns.map(|turns| format!("{turns} turns"));
    if sum.input_tokens.is_none() && sum.output_tokens.is_none() {
        return turns;
    }
    let known = |count: Option<u64>| count.map_or_else(|| "?".to_owned(), |n| n.to_string());
    let (input, output) = (known(sum.input_tokens), known(sum.output_tokens));
    let unknown = match sum.unknown_tokens {
        0 => String::new(),
        unknown => format!(" + {unknown} × unknown"),
    };
    let tokens = format!("{input} tokens read, {output} written{unknown}");
    Some(turns.map_or(tokens.clone(), |turns| format!("{tokens}, {turns}")))
}

impl From<CostKey> for CostBy {
    fn from(key: CostKey) -> Self {
        match key {
            CostKey::Step => Self::Step,
            CostKey::Agent => Self::Agent,
            CostKey::Model => Self::Model,
            CostKey::Day => Self::Day,
            CostKey::Run => Self::Run,
        }
    }
}
