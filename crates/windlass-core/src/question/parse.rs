//! A file of questions, read and checked; everything that is wrong with it is said at once.

use std::collections::BTreeSet;

use super::grammar::{
    ANALYSIS, DEVELOPMENT, LEAST_OPTIONS, MAX_QUESTIONS, MOST_OPTIONS, OPTION, PLANNING, QUESTION,
    QUESTION_FILE,
};
use super::{Choice, JUDGMENT, JUDGMENT_TEXT, Phase, Question, QuestionMistake};
use crate::paper;
use crate::source::diagnostic::{Findings, Located};
use crate::source::fields::{self, Fields};
use crate::source::suggest::{self, shown};
use crate::source::yaml::{Node, Value};

/// The longest question.
const MAX_QUESTION_BYTES: usize = 500;

/// The longest text of an option: a line that somebody chooses.
const MAX_OPTION_BYTES: usize = 200;

/// What options are called that have no name of their own.
const LETTERS: [&str; MOST_OPTIONS] = ["a", "b", "c", "d"];

/// Reads a file of questions, in YAML or JSON. The last option of each is [`JUDGMENT`].
///
/// # Errors
/// Everything that is wrong with it, in the order of the file.
pub fn parse(text: &str, phase: Phase) -> Result<Vec<Question>, Vec<QuestionMistake>> {
    paper::read(text, &QUESTION_FILE, |root, findings| read_file(root, phase, findings))
}

/// Returns what questions of a phase are about.
pub fn valid_categories(phase: Phase) -> &'static [&'static str] {
    match phase {
        Phase::Analysis => &ANALYSIS,
        Phase::Planning => &PLANNING,
        Phase::Development => &DEVELOPMENT,
    }
}

fn read_file(root: &Fields<'_>, phase: Phase, findings: &mut Findings) -> Option<Vec<Question>> {
    let node = root.required("questions", QUESTION_FILE.of, findings)?;
    let nodes = fields::list(node, "questions", findings)?;
    if nodes.len() > MAX_QUESTIONS {
        let message =
            format!("a file has at most {MAX_QUESTIONS} questions, this one {}", nodes.len());
        findings.error_with_help(
            node.at,
            message,
            "ask what changes the work most, decide the rest",
        );
        return None;
    }
    let mut taken = BTreeSet::new();
    let read: Vec<_> =
        nodes.iter().map(|node| read_question(node, phase, &mut taken, findings)).collect();
    read.into_iter().collect()
}

fn read_question(
    node: &Node,
    phase: Phase,
    taken: &mut BTreeSet<String>,
    findings: &mut Findings,
) -> Option<Question> {
    let fields = Fields::read(node, &QUESTION, findings)?;
    let mut given = |key: &str| fields.required(key, "a question", findings);
    let (id, category, question) = (given("id"), given("category"), given("question"));
    let (options, recommended) = (given("options"), given("recommended"));
    let id = id.and_then(|node| read_id(node, taken, findings));
    let category = category.and_then(|node| read_category(node, phase, findings));
    let question = question.and_then(|node| read_line(node, MAX_QUESTION_BYTES, findings));
    let options = options.and_then(|node| read_options(node, findings));
    let recommended = recommended.and_then(|node| fields::filled_text(node, findings));
    let rationale = match fields.get("rationale") {
        Some(node) => Some(read_line(node, MAX_QUESTION_BYTES, findings)?),
        None => None,
    };
    let (options, recommended) = (options?, recommended?);
    let recommended = read_recommended(&recommended, &options, findings);
    let mut question = Question {
        id: id?,
        phase,
        category: category?,
        question: question?,
        options,
        recommended: recommended?,
        rationale,
    };
    let judgment = Choice { id: JUDGMENT.to_owned(), text: JUDGMENT_TEXT.to_owned() };
    question.options.push(judgment);
    Some(question)
}

fn read_id(node: &Node, taken: &mut BTreeSet<String>, findings: &mut Findings) -> Option<String> {
    let id = fields::filled_text(node, findings)?.value;
    let digits = id.strip_prefix('Q').unwrap_or_default();
    let fits = (1..=4).contains(&digits.len())
        && digits.bytes().all(|digit| digit.is_ascii_digit())
        && !digits.starts_with('0');
    if !fits {
        let message = format!("{} is not an id of a question", shown(&id));
        findings.error_with_help(node.at, message, "write `Q` and a number from 1, such as `Q1`");
        return None;
    }
    if !taken.insert(id.clone()) {
        let message = format!("the question {} is there twice", shown(&id));
        findings.error_with_help(node.at, message, "number it anew");
        return None;
    }
    Some(id)
}

fn read_category(node: &Node, phase: Phase, findings: &mut Findings) -> Option<String> {
    let category = fields::filled_text(node, findings)?.value;
    let known = valid_categories(phase);
    if known.contains(&category.as_str()) {
        return Some(category);
    }
    let message = format!("{} is not a category of {phase} questions", shown(&category));
    let help = suggest::help(&category, known.iter().copied()).unwrap_or_default();
    findings.error_with_help(node.at, message, help);
    None
}

fn read_line(node: &Node, most: usize, findings: &mut Findings) -> Option<String> {
    let text = fields::filled_text(node, findings)?.value;
    if text.len() > most {
        let message = format!("this has {} bytes, more than {most}", text.len());
        findings.error_with_help(node.at, message, "people read it in one go: say less");
        return None;
    }
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(line.chars().filter(|letter| !letter.is_control()).collect())
}

fn read_options(node: &Node, findings: &mut Findings) -> Option<Vec<Choice>> {
    let nodes = fields::list(node, "options", findings)?;
    if !(LEAST_OPTIONS..=MOST_OPTIONS).contains(&nodes.len()) {
        let message = format!(
            "a question has {LEAST_OPTIONS} to {MOST_OPTIONS} options, this one {}",
            nodes.len()
        );
        let help = format!("windlass itself adds \"{JUDGMENT_TEXT}\"; it does not count");
        findings.error_with_help(node.at, message, help);
        return None;
    }
    let read: Vec<_> = nodes.iter().map(|node| read_option(node, findings)).collect();
    let mut taken = BTreeSet::new();
    let mut options = Some(Vec::new());
    for ((read, node), letter) in read.into_iter().zip(nodes).zip(LETTERS) {
        let Some((id, text)) = read else {
            options = None;
            continue;
        };
        let id = id.unwrap_or_else(|| letter.to_owned());
        if !taken.insert(id.to_ascii_lowercase()) {
            let message = format!("the option {} is there twice", shown(&id));
            findings.error_with_help(node.at, message, "give each an id of its own, or none");
        }
        if let Some(options) = &mut options {
            options.push(Choice { id, text });
        }
    }
    options
}

fn read_option(node: &Node, findings: &mut Findings) -> Option<(Option<String>, String)> {
    let (id, text) = if let Value::Map(_) = node.value {
        let fields = Fields::read(node, &OPTION, findings)?;
        let text = fields.required("text", OPTION.of, findings);
        let text = text.and_then(|node| read_line(node, MAX_OPTION_BYTES, findings));
        let id = fields.get("id").map(|node| read_option_id(node, findings));
        (id.map_or(Some(None), |id| id.map(Some))?, text?)
    } else {
        (None, read_line(node, MAX_OPTION_BYTES, findings)?)
    };
    let bare = text.trim_end_matches(['.', '!']).to_lowercase().replace("judgement", "judgment");
    if bare == JUDGMENT_TEXT {
        let message = format!("windlass itself adds \"{JUDGMENT_TEXT}\" to every question");
        findings.error_with_help(node.at, message, "leave the option out");
        return None;
    }
    Some((id, text))
}

fn read_option_id(node: &Node, findings: &mut Findings) -> Option<String> {
    let id = fields::filled_text(node, findings)?.value;
    let fits = id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        && id.len() <= 20
        && !id.eq_ignore_ascii_case(JUDGMENT);
    if fits {
        return Some(id);
    }
    let message = format!("{} is not an id of an option", shown(&id));
    findings.error_with_help(node.at, message, "write a letter such as `a`, or leave it out");
    None
}

fn read_recommended(
    written: &Located<String>,
    options: &[Choice],
    findings: &mut Findings,
) -> Option<String> {
    let found = options.iter().find(|option| option.id.eq_ignore_ascii_case(&written.value));
    if found.is_none() {
        let message = format!("{} is none of the options", shown(&written.value));
        let help = suggest::help(&written.value, options.iter().map(|option| option.id.as_str()));
        findings.error_with_help(written.at, message, help.unwrap_or_default());
    }
    found.map(|option| option.id.clone())
}
