//! Tasks that another program names, in the shape that `windlass tasks parse --json` has.

use serde_json::Value;

use super::{ListedTask, Phase};
use crate::id::ItemId;
use crate::item::is_id;

/// Why a text names no tasks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListedError {
    /// It is no JSON.
    #[error("line {line}: this is not JSON")]
    Json {
        /// The line.
        line: usize,
    },
    /// It has no list of tasks.
    #[error("there is no list `tasks`")]
    NoTasks,
    /// One of them is not as it should be.
    #[error("task {number}: {what}")]
    Task {
        /// Its number, from 1.
        number: usize,
        /// What is wrong with it.
        what: String,
    },
}

/// Reads `{"tasks": [{"id", "filePath", …}]}`. Everything but `id` may be missing; what a task does not name
/// it does not have, and without `dependsOn` it waits for nothing.
///
/// # Errors
/// It has another shape.
pub fn listed_json(text: &str) -> Result<Vec<ListedTask>, ListedError> {
    let text = text.trim_start_matches('\u{feff}');
    let document: Value = serde_json::from_str(text)
        .map_err(|error| ListedError::Json { line: error.line().max(1) })?;
    let tasks = document.get("tasks").and_then(Value::as_array).ok_or(ListedError::NoTasks)?;
    (1..)
        .zip(tasks)
        .map(|(number, task)| read(task, number).map_err(|what| ListedError::Task { number, what }))
        .collect()
}

fn read(task: &Value, number: usize) -> Result<ListedTask, String> {
    let text = |key: &str| match task.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{key}` is no text")),
    };
    let flag = |key: &str| match task.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(_) => Err(format!("`{key}` is neither true nor false")),
    };
    let texts = |key: &str| match task.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) => list
            .iter()
            .map(|entry| {
                entry.as_str().map(str::to_owned).ok_or(format!("`{key}` is no list of texts"))
            })
            .collect(),
        Some(_) => Err(format!("`{key}` is no list of texts")),
    };
    if !task.is_object() {
        return Err("it is no object".to_owned());
    }
    let id = text("id")?.ok_or("it has no `id`")?;
    if !is_id(&id) {
        return Err("its `id` is no id of a task".to_owned());
    }
    let mut files: Vec<String> = text("filePath")?.into_iter().collect();
    files.extend(
        texts("files")?.into_iter().filter(|file| Some(file) != files.first()).collect::<Vec<_>>(),
    );
    let needs = texts("dependsOn")?;
    if let Some(bad) = needs.iter().find(|need| !is_id(need)) {
        return Err(format!(
            "`dependsOn` has {}, which is no id of a task",
            crate::source::suggest::shown(bad)
        ));
    }
    Ok(ListedTask {
        id: ItemId::new(id),
        title: text("title")?.unwrap_or_default(),
        body: String::new(),
        phase: task
            .get("phase")
            .and_then(Value::as_u64)
            .and_then(|n| u32::try_from(n).ok())
            .map(|major| Phase { major, minor: None }),
        parallel: flag("parallel")?,
        user_story: text("userStory")?,
        files,
        // A caller who asks about tasks means to run them together, as far as they do not wait for each other.
        depends_on: Some(needs.into_iter().map(ItemId::new).collect()),
        done_when: Vec::new(),
        done: flag("done")?,
        line: u32::try_from(number).unwrap_or(u32::MAX),
    })
}
