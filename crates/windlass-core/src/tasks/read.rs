//! The tasks of a text.

use std::collections::BTreeMap;

use super::graph::{Graph, Place, Waits};
use super::path::files;
use super::{ListedTask, Phase, TaskList};
use crate::id::ItemId;
use crate::item::{id_of, is_id};
use crate::markdown::Outline;
use crate::source::diagnostic::Findings;
use crate::source::suggest::{self, shown};
use crate::source::{At, Diagnostic};
use crate::story::StoryFile;

/// The longest id that an entry can carry: letters, at most one `-`, digits.
const MAX_CARRIED_BYTES: usize = 20;

impl TaskList {
    /// Reads the tasks of a Markdown text; `file_name` is what findings call it.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the file.
    pub fn parse(text: &str, file_name: &str) -> Result<Self, Vec<Diagnostic>> {
        let mut findings = Findings::new(file_name);
        let (tasks, places) = Reader::new(text).read(&mut findings);
        Self::join(tasks, &places, findings)
    }

    /// Makes tasks of the stories of a file: they wait for what they depend on and for nothing else.
    ///
    /// # Errors
    /// The stories wait for each other in a circle.
    pub fn of_stories(file: &StoryFile, file_name: &str) -> Result<Self, Vec<Diagnostic>> {
        let tasks: Vec<ListedTask> = file
            .stories
            .iter()
            .map(|entry| ListedTask {
                id: entry.id.clone(),
                title: entry.title.clone(),
                body: entry.body.clone(),
                phase: None,
                parallel: entry.story.depends_on.is_empty(),
                user_story: None,
                files: entry.story.files.clone(),
                depends_on: Some(entry.story.depends_on.clone()),
                done_when: entry.story.criteria.iter().map(|c| c.text.clone()).collect(),
                done: false,
                line: entry.line,
            })
            .collect();
        Self::join_located(tasks, Findings::new(file_name))
    }

    /// Joins tasks that another program names, in the shape that [`TaskList::view`] has.
    ///
    /// # Errors
    /// Two have one id, or they wait for what is not there or in a circle; the line is their number.
    pub fn of_tasks(tasks: Vec<ListedTask>, file_name: &str) -> Result<Self, Vec<Diagnostic>> {
        Self::join_located(tasks, Findings::new(file_name))
    }

    fn join_located(tasks: Vec<ListedTask>, findings: Findings) -> Result<Self, Vec<Diagnostic>> {
        let at = |task: &ListedTask| At { line: task.line, column: 1, offset: 0, len: 0 };
        let places: Vec<At> = tasks.iter().map(at).collect();
        Self::join(tasks, &places, findings)
    }

    /// Looks up what tasks depend on.
    fn join(
        tasks: Vec<ListedTask>,
        at: &[At],
        mut findings: Findings,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, task) in tasks.iter().enumerate() {
            if let Some(first) = known.insert(task.id.as_str(), index) {
                let message = format!("the id `{}` stands there a second time", task.id);
                let help = format!("the first one is in line {}", tasks[first].line);
                findings.error_with_help(at[index], message, help);
            }
        }
        let mut places = Vec::with_capacity(tasks.len());
        let (mut phase, mut before) = (0, tasks.first().and_then(|task| task.phase));
        for (index, task) in tasks.iter().enumerate() {
            if task.phase != before {
                (phase, before) = (phase + 1, task.phase);
            }
            let waits = match &task.depends_on {
                None => Waits::Above { parallel: task.parallel },
                Some(needs) => Waits::For(looked_up(needs, &known, at[index], &mut findings)),
            };
            places.push(Place { phase, waits });
        }
        if findings.has_errors() {
            return Err(findings.into_sorted());
        }
        match Graph::new(&places) {
            Ok(graph) => Ok(Self { tasks, graph }),
            Err(circle) => {
                let path: Vec<&str> = circle.iter().map(|at| tasks[*at].id.as_str()).collect();
                let first = circle.iter().min().copied().unwrap_or_default();
                let message = format!("tasks wait for each other: {}", path.join(" → "));
                let help = "each waits for the next: take one `depends` away, or move a task to another phase";
                findings.error_with_help(at[first], message, help);
                Err(findings.into_sorted())
            }
        }
    }
}

fn looked_up(
    needs: &[ItemId],
    known: &BTreeMap<&str, usize>,
    at: At,
    findings: &mut Findings,
) -> Vec<usize> {
    let mut found = Vec::with_capacity(needs.len());
    for need in needs {
        match known.get(need.as_str()) {
            Some(index) => found.push(*index),
            None => {
                let help = suggest::help(need.as_str(), known.keys().copied());
                let message = format!("there is no task {} to wait for", shown(need.as_str()));
                findings.error_with_help(at, message, help.unwrap_or_default());
            }
        }
    }
    found
}

struct Reader<'t> {
    text: &'t str,
    outline: Outline,
    /// How many times each id that was made from words stands there.
    made: BTreeMap<String, u32>,
}

/// An entry whose lines are still being gathered.
struct Entry<'t> {
    at: At,
    phase: Option<Phase>,
    done: bool,
    words: &'t str,
    body: Vec<&'t str>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, outline: Outline::of(text), made: BTreeMap::new() }
    }

    fn read(mut self, findings: &mut Findings) -> (Vec<ListedTask>, Vec<At>) {
        let entries = self.entries(findings);
        let mut tasks = Vec::with_capacity(entries.len());
        let mut places = Vec::with_capacity(entries.len());
        for entry in entries {
            places.push(entry.at);
            tasks.push(self.task(&entry, findings));
        }
        (tasks, places)
    }

    fn entries(&self, findings: &mut Findings) -> Vec<Entry<'t>> {
        let mut entries: Vec<Entry<'t>> = Vec::new();
        let mut phases = Phases::of(&self.outline, findings);
        let (mut offset, mut open) = (0, false);
        let skipped = self.text.len() - self.text.trim_start_matches('\u{feff}').len();
        for (number, line) in (1..).zip(self.text.split_inclusive('\n')) {
            let start = offset;
            offset += line.len();
            let line = line.trim_end_matches(['\n', '\r']);
            let line = if number == 1 { &line[skipped.min(line.len())..] } else { line };
            let at_margin = !line.starts_with([' ', '\t']);
            let phase = phases.at(start);
            if at_margin && !self.outline.is_opaque(start + if number == 1 { skipped } else { 0 }) {
                if let Some((done, words)) = boxed(line) {
                    let at = At { line: number, column: 1, offset: start, len: line.len() };
                    entries.push(Entry { at, phase, done, words, body: Vec::new() });
                    open = true;
                    continue;
                }
                // A heading, a paragraph or another list ends the entry; an empty line does not.
                open &= line.trim().is_empty();
            }
            if let (true, Some(entry)) = (open, entries.last_mut()) {
                entry.body.push(line);
            }
        }
        entries
    }

    fn task(&mut self, entry: &Entry<'t>, findings: &mut Findings) -> ListedTask {
        let (carried, rest) = carried_id(entry.words);
        let mut marks = Marks { text: rest, ..Marks::default() };
        if carried.is_some() {
            marks.read(entry.at, findings);
        }
        let title = marks.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let id = match carried {
            Some(id) => ItemId::new(id),
            None => self.made_id(&title),
        };
        let files = files(&title);
        for file in files.iter().filter(|file| file.split('/').any(|part| part == "..")) {
            let message = format!("{} leads out of the repository", shown(file));
            findings.error_with_help(
                entry.at,
                message,
                "name files from the top of the repository",
            );
        }
        ListedTask {
            id,
            body: dedented(&entry.body),
            phase: entry.phase,
            parallel: marks.parallel,
            user_story: marks.user_story,
            files,
            depends_on: marks.depends_on,
            done_when: done_when(&entry.body),
            done: entry.done,
            line: entry.at.line,
            title,
        }
    }

    /// Makes an id from words: equal words in the same order give equal ids, whatever else the list holds.
    fn made_id(&mut self, title: &str) -> ItemId {
        let id = id_of(title);
        let times = self.made.entry(id.as_str().to_owned()).or_default();
        *times += 1;
        match *times {
            1 => id,
            times => ItemId::new(format!("{id}-{times}")),
        }
    }
}

/// The phases of a text, asked for in the order of the text.
struct Phases {
    /// Where each begins; none where a heading ends the phases.
    starts: Vec<(usize, Option<Phase>)>,
    passed: usize,
}

impl Phases {
    fn of(outline: &Outline, findings: &mut Findings) -> Self {
        let mut starts = Vec::new();
        let mut seen: BTreeMap<Phase, u32> = BTreeMap::new();
        for heading in &outline.headings {
            let at = At {
                line: heading.line,
                column: 1,
                offset: heading.range.start,
                len: heading.range.len(),
            };
            match (heading.level, phase(&heading.title)) {
                (2, Some(phase)) => {
                    if let Some(line) = seen.insert(phase, heading.line) {
                        let message = format!("phase {phase} begins a second time");
                        findings.error_with_help(at, message, format!("it begins in line {line}"));
                    }
                    starts.push((heading.range.start, Some(phase)));
                }
                (level, Some(phase)) => {
                    let message = format!("the heading of phase {phase} has level {level}");
                    findings.error_with_help(at, message, format!("write `## Phase {phase}: …`"));
                }
                // What stands below another heading of that level is part of no phase.
                (1 | 2, None) => starts.push((heading.range.start, None)),
                (_, None) => {}
            }
        }
        Self { starts, passed: 0 }
    }

    fn at(&mut self, offset: usize) -> Option<Phase> {
        while self.starts.get(self.passed).is_some_and(|(start, _)| *start <= offset) {
            self.passed += 1;
        }
        self.passed.checked_sub(1).and_then(|at| self.starts[at].1)
    }
}

/// Reads `Phase 2: …` or `Phase 2.1 - …`.
fn phase(title: &str) -> Option<Phase> {
    let rest =
        title.get(..5).filter(|word| word.eq_ignore_ascii_case("phase")).map(|_| &title[5..])?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let (number, after) = rest.split_at(end);
    let number = number.trim_end_matches('.');
    let parted = after.is_empty() || after.starts_with([':', ' ', '\t', '-', '–', '—', ')']);
    if !parted {
        return None;
    }
    match number.split_once('.') {
        None => Some(Phase { major: number.parse().ok()?, minor: None }),
        Some((major, minor)) => {
            Some(Phase { major: major.parse().ok()?, minor: Some(minor.parse().ok()?) })
        }
    }
}

/// What stands between an id and the text of a task, and behind the text.
#[derive(Default)]
struct Marks<'t> {
    text: &'t str,
    parallel: bool,
    user_story: Option<String>,
    depends_on: Option<Vec<ItemId>>,
}

impl Marks<'_> {
    fn read(&mut self, at: At, findings: &mut Findings) {
        while let Some((mark, rest)) =
            self.text.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        {
            if mark == "P" || mark == "p" {
                self.parallel = true;
            } else if is_user_story(mark) {
                self.user_story = Some(mark.to_owned());
            } else {
                break;
            }
            self.text = rest.trim_start();
        }
        let lower = self.text.to_ascii_lowercase();
        let Some(start) = lower.find("(depends:") else { return };
        let Some(length) = self.text[start..].find(')') else {
            return findings.error_with_help(
                at,
                "`(depends: …` has no end",
                "write it in one line with the task: `(depends: T001, T002)`",
            );
        };
        let listed = &self.text[start + "(depends:".len()..start + length];
        let names = listed.split([',', ' ', '\t']).filter(|name| !name.is_empty());
        let mut needs = Vec::new();
        for name in names {
            match is_id(name) {
                true => needs.push(ItemId::new(name)),
                false => findings.error_with_help(
                    at,
                    format!("{} is no id of a task", shown(name)),
                    "write `(depends: T001, T002)`",
                ),
            }
        }
        if listed.trim().is_empty() {
            findings.error_with_help(
                at,
                "`(depends:)` names no task",
                "name the tasks, or take it away: then the task waits for the phase before it",
            );
        }
        needs.dedup();
        self.depends_on = Some(needs);
        // Whoever writes more behind it gets a title without a hole.
        self.text = match self.text[start + length + 1..].trim() {
            "" => self.text[..start].trim_end(),
            _ => self.text,
        };
    }
}

fn is_user_story(mark: &str) -> bool {
    let digits = mark.strip_prefix("US").map(|rest| rest.strip_prefix('-').unwrap_or(rest));
    digits.is_some_and(|digits| {
        (1..=6).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
    })
}

/// Returns whether the box of an entry is ticked, and what stands after it.
fn boxed(line: &str) -> Option<(bool, &str)> {
    let rest = line.strip_prefix(['-', '*', '+'])?.strip_prefix([' ', '\t'])?.trim_start();
    let inside = rest.strip_prefix('[')?;
    let mut letters = inside.chars();
    let done = match letters.next()? {
        ' ' => false,
        'x' | 'X' => true,
        _ => return None,
    };
    let words = letters.as_str().strip_prefix(']')?;
    // `[x](link)` is a link.
    (words.is_empty() || words.starts_with(char::is_whitespace)).then(|| (done, words.trim()))
}

/// Returns the id that an entry carries in front, such as `T12` or `US-3`, and what follows it.
fn carried_id(words: &str) -> (Option<&str>, &str) {
    let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let bare = first
        .trim_end_matches([':', '.'])
        .trim_matches(['(', ')', '[', ']', '*', '`'])
        .trim_end_matches([':', '.']);
    let letters = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
    let digits = bare[letters..].strip_prefix('-').unwrap_or(&bare[letters..]);
    let is_id = (1..=10).contains(&letters)
        && bare.starts_with(|c: char| c.is_ascii_uppercase())
        && !digits.is_empty()
        && digits.chars().all(|c| c.is_ascii_digit())
        && bare.len() <= MAX_CARRIED_BYTES
        && !rest.trim().is_empty();
    if is_id { (Some(bare), rest.trim_start()) } else { (None, words) }
}

/// Returns lines without the indentation that all of them have.
fn dedented(lines: &[&str]) -> String {
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    let indent = filled.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or("")).collect();
    lines.join("\n").trim_matches('\n').trim_end().to_owned()
}

/// Returns the entries of the `DoD:` list below a task.
fn done_when(lines: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside: Option<usize> = None;
    for line in lines {
        let indent = line.len() - line.trim_start().len();
        let bare = line.trim().trim_start_matches(['-', '*', '+', ' ', '\t']);
        let plain =
            bare.trim_start_matches("[ ]").trim_start_matches("[x]").trim_matches('*').trim();
        let head = plain.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("dod"));
        if let (true, Some((_, rest))) = (head, plain.split_once(':')) {
            inside = Some(indent);
            let rest = rest.trim_matches(['*', ' ']);
            if !rest.is_empty() {
                found.push(rest.to_owned());
            }
        } else if let Some(list) = inside {
            let is_entry = line.trim().starts_with(['-', '*', '+']);
            match (plain.is_empty(), is_entry && indent >= list) {
                (true, _) => {}
                (false, true) => found.push(plain.to_owned()),
                // A wrapped line belongs to its entry; anything else ends the list.
                (false, false) if indent > list => {
                    if let Some(last) = found.last_mut() {
                        last.push(' ');
                        last.push_str(plain);
                    }
                }
                (false, false) => inside = None,
            }
        }
    }
    found
}
