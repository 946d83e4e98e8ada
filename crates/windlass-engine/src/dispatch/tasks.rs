//! Reading the task list of a step that repeats over items.

use std::path::Path;

use windlass_core::glob;
use windlass_core::id::StepId;
use windlass_core::item::Task;
use windlass_core::plan::{Foreach, template};
use windlass_core::run::{InputKind, RunState};
use windlass_core::story;
use windlass_core::tasks::{MAX_TASKS_BYTES, read_tasks};

use super::worker::Worker;
use crate::git::place_files::{self, PlaceFileError};

impl Worker {
    /// Reads the task list as it is in the place. Nobody works there now, and what was read is
    /// journalled as items, so that later changes to the file change nothing by themselves.
    pub(super) fn read_tasks(&self, state: &RunState, step: &StepId, epoch: u32) -> InputKind {
        let index = state.plan.find(step);
        let foreach = index.and_then(|index| state.plan.foreach(index));
        let written = foreach.and_then(Foreach::list).unwrap_or_default().to_owned();
        let stories = foreach.is_some_and(|foreach| foreach.stories.is_some());
        let filled = template::fill_context(&written, &state.context);
        let tasks = match &filled {
            Ok(file) => read(self.place.root(), file, stories),
            Err(missing) => Err(missing.to_string()),
        };
        InputKind::TasksRead { step: step.clone(), epoch, file: filled.unwrap_or(written), tasks }
    }
}

fn read(place: &Path, file: &str, stories: bool) -> Result<Vec<Task>, String> {
    glob::stays_inside(file).map_err(|bad| bad.to_string())?;
    let bytes = place_files::read_file_bounded(place, Path::new(file), MAX_TASKS_BYTES)
        .map_err(|error| words(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    if stories {
        let file = story::parse(&text).map_err(|mistakes| {
            mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        })?;
        return Ok(file.tasks());
    }
    read_tasks(&text).map_err(|error| error.to_string())
}

/// Says why a file cannot be read, without the path that the sentence around it names already.
fn words(error: &PlaceFileError) -> String {
    if error.is_missing() {
        return "there is no such file".to_owned();
    }
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}
