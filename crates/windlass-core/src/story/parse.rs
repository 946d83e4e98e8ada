//! A file of stories, read and checked; everything that is wrong with it is said at once.

use std::collections::{BTreeMap, BTreeSet};

use super::grammar::{CRITERION, MAX_CRITERIA, MAX_FILES, MAX_OPEN_QUESTIONS, MAX_STORIES, STORY};
use super::grammar::{SIZES, STORY_FILE};
use super::order::circle;
use super::{AcceptanceCriterion, Size, Story, StoryMistake, testable};
use crate::glob;
use crate::id::ItemId;
use crate::item::{MAX_BODY_BYTES, Task, name};
use crate::paper;
use crate::source::At;
use crate::source::diagnostic::{Findings, Located};
use crate::source::fields::{self, Fields};
use crate::source::suggest::{self, shown};
use crate::source::yaml::{Node, Value};

/// The longest text of a criterion or of an open question.
const MAX_TEXT_BYTES: usize = 500;

/// The longest path.
const MAX_PATH_BYTES: usize = 1000;

/// Folders that belong to git and to windlass, not to the work.
const NOT_OURS: [&str; 2] = [".git", ".windlass"];

/// A file of stories that can be worked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryFile {
    /// The stories, in the order of the file.
    pub stories: Vec<StoryEntry>,
    /// What nobody has answered yet.
    pub open_questions: Vec<String>,
    /// The line of the open questions.
    pub(super) open_questions_line: u32,
}

/// One story of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryEntry {
    /// Its line.
    pub line: u32,
    /// Its name.
    pub id: ItemId,
    /// What it is, in one line.
    pub title: String,
    /// What is asked for, in Markdown.
    pub body: String,
    /// The rest.
    pub story: Story,
    /// Whether the file says what it depends on, if only that it is nothing.
    pub dependencies_stated: bool,
}

impl StoryFile {
    /// Returns the stories as items, in the order of the file.
    pub fn tasks(&self) -> Vec<Task> {
        let task = |entry: &StoryEntry| Task {
            id: entry.id.clone(),
            title: entry.title.clone(),
            body: entry.body.clone(),
            story: Some(entry.story.clone()),
            ticked: false,
        };
        self.stories.iter().map(task).collect()
    }
}

/// Reads a file of stories, in YAML or JSON.
///
/// # Errors
/// Everything that is wrong with it, in the order of the file.
pub fn parse(text: &str) -> Result<StoryFile, Vec<StoryMistake>> {
    paper::read(text, &STORY_FILE, read_file)
}

fn read_file(root: &Fields<'_>, findings: &mut Findings) -> Option<StoryFile> {
    let open = root.get("open_questions");
    let open_questions = open.map(|node| read_open_questions(node, findings)).unwrap_or_default();
    let node = root.required("stories", STORY_FILE.of, findings)?;
    let nodes = fields::list(node, "stories", findings)?;
    if nodes.is_empty() || nodes.len() > MAX_STORIES {
        let message = format!("a file has 1 to {MAX_STORIES} stories, this one {}", nodes.len());
        findings.error_with_help(node.at, message, "split the goal into fewer, larger stories");
        return None;
    }
    let read: Vec<_> = nodes.iter().map(|node| read_story(node, findings)).collect();
    check_names(&read, findings);
    let stories = read.into_iter().map(|read| read.entry).collect::<Option<Vec<_>>>()?;
    let open_questions_line = open.map_or(1, |node| node.at.line);
    Some(StoryFile { stories, open_questions, open_questions_line })
}

/// Reads the one story of a file, whatever it depends on: others know which stories there are.
pub(super) fn read_alone(root: &Fields<'_>, findings: &mut Findings) -> Option<StoryEntry> {
    let node = root.required("stories", STORY_FILE.of, findings)?;
    let nodes = fields::list(node, "stories", findings)?;
    read_story(nodes.first()?, findings).entry
}

fn read_open_questions(node: &Node, findings: &mut Findings) -> Vec<String> {
    let Some(nodes) = fields::list(node, "open questions", findings) else { return Vec::new() };
    if nodes.len() > MAX_OPEN_QUESTIONS {
        findings.error(node.at, format!("more than {MAX_OPEN_QUESTIONS} open questions"));
        return Vec::new();
    }
    nodes.iter().filter_map(|node| Some(read_line(node, findings)?.value)).collect()
}

/// What was read of one story; names are looked up also where the rest is wrong.
struct Read {
    id: Option<Located<ItemId>>,
    needs: Vec<Located<ItemId>>,
    entry: Option<StoryEntry>,
}

fn read_story(node: &Node, findings: &mut Findings) -> Read {
    let Some(fields) = Fields::read(node, &STORY, findings) else {
        return Read { id: None, needs: Vec::new(), entry: None };
    };
    let mut given = |key: &str| fields.required(key, "a story", findings);
    let (id, title, size) = (given("id"), given("title"), given("size"));
    let criteria = given("criteria");
    let id = id.and_then(|node| read_id(node, findings));
    let title = title.and_then(|node| read_title(node, findings));
    let size = size.and_then(|node| fields::word(node, &sizes(), findings));
    let criteria = criteria.and_then(|node| read_criteria(node, findings));
    let security = fields.get("security").map(|node| fields::boolean(node, findings));
    let depends_on = fields.get("depends_on");
    let needs = depends_on.map(|node| read_needs(node, findings)).unwrap_or_default();
    let files = fields.get("files").map(|node| read_files(node, findings));
    let design = fields.get("design").map(|node| read_body(node, "design", findings));
    let body = fields.get("description").map(|node| read_body(node, "description", findings));
    let entry = (|| {
        Some(StoryEntry {
            line: node.at.line,
            id: id.as_ref()?.value.clone(),
            title: title?,
            body: body.unwrap_or(Some(String::new()))?,
            story: Story {
                size: size?,
                criteria: criteria?,
                security: security.unwrap_or(Some(false))?,
                depends_on: needs.iter().map(|need| need.value.clone()).collect(),
                files: files.unwrap_or_default(),
                design: design.map_or(Some(None), |design| design.map(Some))?,
            },
            dependencies_stated: depends_on.is_some(),
        })
    })();
    Read { id, needs, entry }
}

fn sizes() -> [(&'static str, Size); 4] {
    let mut sizes = [("", Size::S); 4];
    for ((word, size), entry) in SIZES.into_iter().zip(Size::ALL).zip(&mut sizes) {
        *entry = (word, size);
    }
    sizes
}

fn read_id(node: &Node, findings: &mut Findings) -> Option<Located<ItemId>> {
    let text = fields::filled_text(node, findings)?;
    if is_story_id(&text.value) {
        return Some(Located { value: ItemId::new(text.value), at: node.at });
    }
    let message = format!("{} is not an id of a story", shown(&text.value));
    findings.error_with_help(node.at, message, "write `S` and a number from 1, such as `S1`");
    None
}

/// Whether `text` is `S` and a number from 1.
pub fn is_story_id(text: &str) -> bool {
    let Some(digits) = text.strip_prefix('S') else { return false };
    (1..=6).contains(&digits.len())
        && digits.bytes().all(|digit| digit.is_ascii_digit())
        && !digits.starts_with('0')
}

fn read_title(node: &Node, findings: &mut Findings) -> Option<String> {
    let title = fields::filled_text(node, findings)?.value.trim().to_owned();
    if let Err(bad) = name::check_title(&title) {
        findings.error_with_help(node.at, bad.to_string(), "put the rest under `description`");
        return None;
    }
    Some(title)
}

fn read_body(node: &Node, key: &str, findings: &mut Findings) -> Option<String> {
    let text = fields::text(node, findings)?.value.trim().to_owned();
    if name::check_body(&text).is_err() {
        let most = MAX_BODY_BYTES >> 10;
        let message = format!("`{key}` is text of at most {most} KiB");
        findings.error_with_help(node.at, message, "write a document and name its path here");
        return None;
    }
    Some(text)
}

/// Reads words that become one line.
fn read_line(node: &Node, findings: &mut Findings) -> Option<Located<String>> {
    let text = fields::filled_text(node, findings)?.value;
    if text.len() > MAX_TEXT_BYTES {
        let message = format!("this has {} bytes, more than {MAX_TEXT_BYTES}", text.len());
        findings.error_with_help(node.at, message, "say one thing, in one sentence");
        return None;
    }
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|letter| !letter.is_control()).collect();
    Some(Located { value: line, at: node.at })
}

fn read_criteria(node: &Node, findings: &mut Findings) -> Option<Vec<AcceptanceCriterion>> {
    let nodes = fields::list(node, "criteria", findings)?;
    if nodes.is_empty() || nodes.len() > MAX_CRITERIA {
        let message = format!("a story has 1 to {MAX_CRITERIA} criteria, this one {}", nodes.len());
        let help = match nodes.is_empty() {
            true => "say what has to be true when it is done, such as \"GET /health answers 200\"",
            false => "make several stories of it",
        };
        findings.error_with_help(node.at, message, help);
        return None;
    }
    let read: Vec<_> = nodes.iter().map(|node| read_criterion(node, findings)).collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for (id, _) in read.iter().flatten() {
        let Some(id) = id else { continue };
        // A report may write it otherwise; it must still be clear which one is meant.
        if !taken.insert(id.value.to_ascii_uppercase()) {
            let message = format!("the criterion {} is there twice", shown(&id.value));
            findings.error_with_help(id.at, message, "give each an id of its own, or none");
        }
    }
    let mut number = 0;
    let mut next = || loop {
        number += 1;
        let id = format!("AC{number}");
        if !taken.contains(&id) {
            return id;
        }
    };
    let named = read.into_iter().map(|read| {
        let (id, text) = read?;
        Some(AcceptanceCriterion { id: id.map_or_else(&mut next, |id| id.value), text })
    });
    // All of them are numbered before one that is wrong ends it.
    named.collect::<Vec<_>>().into_iter().collect()
}

fn read_criterion(
    node: &Node,
    findings: &mut Findings,
) -> Option<(Option<Located<String>>, String)> {
    let Value::Map(entries) = &node.value else {
        return Some((None, testable_text(node, findings)?));
    };
    let is_known = |key: &Node| matches!(&key.value, Value::Text(key) if CRITERION.has(key));
    if entries.len() == 1 && !is_known(&entries[0].0) {
        findings.error_with_help(
            node.at,
            "the text of this criterion holds `: `, which YAML takes for a key",
            "put the whole text in quotes",
        );
        return None;
    }
    let fields = Fields::read(node, &CRITERION, findings)?;
    let id = fields.get("id").map(|node| read_criterion_id(node, findings));
    let text = fields.required("text", CRITERION.of, findings);
    let text = text.and_then(|node| testable_text(node, findings));
    Some((id.map_or(Some(None), |id| id.map(Some))?, text?))
}

fn testable_text(node: &Node, findings: &mut Findings) -> Option<String> {
    let text = read_line(node, findings)?;
    if let Some((message, help)) = testable::problem(&text.value) {
        findings.error_with_help(text.at, format!("{message}: {}", shown(&text.value)), help);
        return None;
    }
    Some(text.value)
}

fn read_criterion_id(node: &Node, findings: &mut Findings) -> Option<Located<String>> {
    let text = fields::filled_text(node, findings)?;
    let fits = text.value.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        && text.value.len() <= 20;
    if !fits {
        let message = format!("{} is not an id of a criterion", shown(&text.value));
        findings.error_with_help(node.at, message, "write `AC1`, or leave it out");
        return None;
    }
    Some(text)
}

fn read_needs(node: &Node, findings: &mut Findings) -> Vec<Located<ItemId>> {
    let Some(nodes) = fields::list(node, "ids of stories", findings) else { return Vec::new() };
    let mut needs: Vec<Located<ItemId>> = Vec::new();
    for node in nodes {
        let Some(need) = read_id(node, findings) else { continue };
        if !needs.iter().any(|known| known.value == need.value) {
            needs.push(need);
        }
    }
    needs
}

fn read_files(node: &Node, findings: &mut Findings) -> Vec<String> {
    let Some(nodes) = fields::list(node, "paths", findings) else { return Vec::new() };
    if nodes.len() > MAX_FILES {
        let message = format!("a story has at most {MAX_FILES} files, this one {}", nodes.len());
        findings.error_with_help(node.at, message, "name folders, or make several stories of it");
        return Vec::new();
    }
    nodes.iter().filter_map(|node| read_path(node, findings)).collect()
}

fn read_path(node: &Node, findings: &mut Findings) -> Option<String> {
    let path = fields::filled_text(node, findings)?.value.trim().to_owned();
    let mut refuse = |why: String, help: &str| {
        findings.error_with_help(node.at, format!("{}: {why}", shown(&path)), help);
        None
    };
    if path.len() > MAX_PATH_BYTES {
        return refuse(format!("a path has at most {MAX_PATH_BYTES} bytes"), "name a folder");
    }
    if let Err(bad) = glob::stays_inside(&path) {
        return refuse(bad.to_string(), "write it like `src/app.rs`");
    }
    let parts = path.split(['/', '\\']).map(str::to_ascii_lowercase);
    for part in parts {
        if NOT_OURS.contains(&part.as_str()) {
            let why = format!("`{part}` is not part of the work");
            return refuse(why, "leave it out: no story changes it");
        }
    }
    Some(path)
}

/// Checks ids and dependencies, which need all stories to be seen.
fn check_names(read: &[Read], findings: &mut Findings) {
    let mut lines: BTreeMap<&ItemId, At> = BTreeMap::new();
    for id in read.iter().filter_map(|read| read.id.as_ref()) {
        if let Some(first) = lines.get(&id.value) {
            let message = format!("the story {} is there twice", shown(id.value.as_str()));
            let help = format!("it is on line {} already: number it anew", first.line);
            findings.error_with_help(id.at, message, help);
        } else {
            lines.insert(&id.value, id.at);
        }
    }
    for Read { id, needs, .. } in read {
        for need in needs {
            if id.as_ref().is_some_and(|id| id.value == need.value) {
                let message = format!("{} depends on itself", need.value);
                findings.error_with_help(need.at, message, "remove it from its `depends_on`");
            } else if !lines.contains_key(&need.value) {
                let message = format!("there is no story {}", shown(need.value.as_str()));
                let known = lines.keys().map(|id| id.as_str());
                let help = suggest::help(need.value.as_str(), known).unwrap_or_default();
                findings.error_with_help(need.at, message, help);
            }
        }
    }
    let needs: Vec<(&Located<ItemId>, Vec<ItemId>)> = read
        .iter()
        .filter_map(|read| Some((read.id.as_ref()?, &read.needs)))
        .map(|(id, needs)| {
            let others = needs.iter().filter(|need| need.value != id.value);
            (id, others.map(|need| need.value.clone()).collect())
        })
        .collect();
    if let Some(circle) = circle(needs.iter().map(|(id, needs)| (&id.value, needs.as_slice()))) {
        let at = needs.iter().find(|(id, _)| Some(&id.value) == circle.first());
        let at = at.map_or(At::START, |(id, _)| id.at);
        let circle: Vec<&str> = circle.iter().map(ItemId::as_str).collect();
        let message = format!("stories wait for each other: {}", circle.join(" needs "));
        findings.error_with_help(at, message, "take one of these dependencies out");
    }
}
