//! Questions of agents, asked by the session's own tool for questions.
//!
//! A person's answer counts where the question is word for word one that windlass asks, and where nothing
//! was offered besides its choices. Then a label is a choice, and anything else was typed by the person.

use serde_json::{Value, json};

use crate::question::{JUDGMENT, JUDGMENT_TEXT, Question};
use crate::run::{Control, RunState};

/// The tool of Claude Code that asks its person.
pub const ASK_TOOL: &str = "AskUserQuestion";

/// How many questions one call takes.
const MOST_QUESTIONS: usize = 4;

/// How many options one question takes; the tool itself adds one for own words.
const MOST_OPTIONS: usize = 4;

/// How long the tool's header of a question is at most.
const MAX_HEADER: usize = 12;

/// What a person answered to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The question.
    pub question: String,
    /// The choice, where a label was taken.
    pub choice: Option<String>,
    /// Own words, where none was.
    pub text: Option<String>,
}

/// Returns the instruction to ask what is open; none when nothing is.
pub fn ask_instruction(state: &RunState) -> Option<String> {
    if state.control != Control::Active {
        return None;
    }
    let open: Vec<Value> =
        state.open_questions().take(MOST_QUESTIONS).map(|open| as_input(&open.question)).collect();
    if open.is_empty() {
        return None;
    }
    let input = json!({ "questions": open });
    Some(format!(
        "windlass, run {}: agents ask the person something before they go on.\nCall {ASK_TOOL} once, now, \
         with exactly this:\n\n{input:#}\n\nChange no word, and answer nothing yourself: windlass takes the \
         person's answers from the tool. Then stop.\n",
        state.facts.run
    ))
}

fn as_input(question: &Question) -> Value {
    let offered = offered(question);
    let leaves_out = offered.len() < question.options.len();
    let last = offered.len().saturating_sub(1);
    let describe = |(at, (id, text)): (usize, (&str, &str))| {
        let recommended = id == question.recommended;
        let mut description = if recommended { "recommended" } else { "another way" }.to_owned();
        if let Some(why) = question.rationale.as_ref().filter(|_| recommended) {
            description.push_str(&format!(". Why it is asked: {why}"));
        }
        if leaves_out && at == last {
            // The tool has no room for it.
            description.push_str(&format!(". Or type: {JUDGMENT_TEXT}"));
        }
        json!({ "label": text, "description": description })
    };
    let options: Vec<Value> = offered.into_iter().enumerate().map(describe).collect();
    let header: String = question.category.chars().take(MAX_HEADER).collect();
    json!({
        "question": question.question,
        "header": header,
        "multiSelect": false,
        "options": options,
    })
}

/// The choices that the tool has room for. Where it has too little, the one that windlass adds is left to
/// the person's own words.
fn offered(question: &Question) -> Vec<(&str, &str)> {
    let all = question.options.iter();
    let fits = question.options.len() <= MOST_OPTIONS;
    let kept = all.filter(|choice| fits || choice.id != JUDGMENT).take(MOST_OPTIONS);
    kept.map(|choice| (choice.id.as_str(), choice.text.as_str())).collect()
}

/// Returns the answers that a call of the tool brought, as far as they are a person's answers to open
/// questions.
pub fn heard(state: &RunState, input: &Value, response: &Value) -> Vec<Heard> {
    let Some(answers) = response.get("answers").and_then(Value::as_object) else {
        return Vec::new();
    };
    let asked = input.get("questions").and_then(Value::as_array);
    let asked: Vec<&Value> = asked.into_iter().flatten().collect();
    let of_question = |question: &Question| {
        let said = answers.get(&question.question)?.as_str()?.trim();
        let asked = asked.iter().find(|asked| asked["question"] == question.question.as_str())?;
        let labels = asked["options"].as_array()?.iter().map(|option| option["label"].as_str());
        let ours = |label: Option<&str>| {
            label.is_some_and(|label| question.options.iter().any(|choice| choice.text == label))
        };
        if said.is_empty() || !labels.into_iter().all(ours) {
            return None;
        }
        let chosen = question.options.iter().find(|choice| choice.text == said);
        Some(Heard {
            question: question.id.clone(),
            choice: chosen.map(|choice| choice.id.clone()),
            text: chosen.is_none().then(|| said.to_owned()),
        })
    };
    state.open_questions().filter_map(|open| of_question(&open.question)).collect()
}
