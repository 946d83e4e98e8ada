//! What a person's message in a session means.
//!
//! Only an exact answer decides. A message that merely sounds like one is for the model to read, and
//! the model can approve nothing.

/// Words that a person wants to be understood as an answer, besides the usual ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExactWords {
    /// These approve.
    pub approve: Vec<String>,
    /// These reject.
    pub reject: Vec<String>,
}

/// What a message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Nobody said it: the host put it there.
    Injected,
    /// The shown work is accepted; the code that a proposal asked for, if there is one.
    Approve {
        /// The code.
        code: Option<String>,
        /// What the person wants to be kept with it.
        message: Option<String>,
    },
    /// The shown work is not accepted.
    Reject,
    /// What was in the way is solved.
    Fixed,
    /// A command of the plugin.
    Command {
        /// Its name, without `windlass:`.
        name: String,
        /// What follows.
        arguments: String,
    },
    /// Something else.
    Other,
}

/// Prompts that hosts make themselves begin with one of these.
const INJECTED: [&str; 9] = [
    "<task-notification",
    "<teammate-message",
    "<system-reminder",
    "<local-command",
    "<command-",
    "<bash-",
    "<user-prompt-submit-hook",
    "<hook_prompt",
    "<environment_context",
];

/// Reads a person's message.
pub fn said(message: &str, words: &ExactWords) -> Said {
    let text = message.trim();
    if INJECTED.iter().any(|tag| text.starts_with(tag)) {
        return Said::Injected;
    }
    if let Some((name, arguments)) = command(text) {
        return match name.as_str() {
            "approve" => approve(&arguments)
                .unwrap_or(Said::Approve { code: None, message: Some(arguments) }),
            "reject" if arguments.is_empty() => Said::Reject,
            "reject" => Said::Command { name: "feedback".to_owned(), arguments },
            "fixed" => Said::Fixed,
            _ => Said::Command { name, arguments },
        };
    }
    let plain = folded(text);
    let among = |own: &[&str], more: &[String]| {
        own.contains(&plain.as_str()) || more.iter().any(|word| folded(word) == plain)
    };
    if among(&["approve", "approved"], &words.approve) {
        return Said::Approve { code: None, message: None };
    }
    if among(&["reject", "rejected"], &words.reject) {
        return Said::Reject;
    }
    match plain.as_str() {
        "fixed" => Said::Fixed,
        "pause" | "resume" | "retry-reset" | "status" | "abort" => {
            Said::Command { name: plain, arguments: String::new() }
        }
        _ => plain.strip_prefix("approve ").and_then(approve).unwrap_or(Said::Other),
    }
}

/// Reads a command of the plugin. Codex's screen takes what begins with a slash for a command of its
/// own, so the slash may be left out.
fn command(text: &str) -> Option<(String, String)> {
    let command = text.strip_prefix('/').unwrap_or(text).strip_prefix("windlass:")?;
    let (name, arguments) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    // Words of windlass itself, as in a message that quotes it, have a space there.
    (!name.is_empty()).then(|| (name.to_owned(), arguments.trim().to_owned()))
}

fn approve(arguments: &str) -> Option<Said> {
    if arguments.is_empty() {
        return Some(Said::Approve { code: None, message: None });
    }
    let code = arguments.to_uppercase();
    let fits = code.len() == CODE_LENGTH && code.bytes().all(|byte| CODE_LETTERS.contains(&byte));
    fits.then_some(Said::Approve { code: Some(code), message: None })
}

/// How long the code of a proposal is.
const CODE_LENGTH: usize = 6;

/// The letters that it is made of: nobody confuses them with each other, and no word has them all.
const CODE_LETTERS: &[u8] = b"BCDFGHJKMNPQRSTVWXZ23456789";

/// Makes the code of a proposal from chance.
pub fn proposal_code(mut bits: u128) -> String {
    let mut code = String::with_capacity(CODE_LENGTH);
    for _ in 0..CODE_LENGTH {
        let letters = CODE_LETTERS.len() as u128;
        let at = usize::try_from(bits % letters).unwrap_or_default();
        code.push(char::from(CODE_LETTERS[at]));
        bits /= letters;
    }
    code
}

fn folded(text: &str) -> String {
    text.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(message: &str) -> Said {
        said(message, &ExactWords::default())
    }

    #[test]
    fn only_an_exact_answer_approves() {
        for message in ["approve", " Approve\n", "/windlass:approve", "APPROVED"] {
            assert_eq!(plain(message), Said::Approve { code: None, message: None }, "{message:?}");
        }
        for message in [
            "approve it",
            "I approve",
            "approve?",
            "ok",
            "yes",
            "lgtm",
            "approve.",
            "\"approve\"",
            "do not approve",
            "approve\napprove",
            "/approve",
            "approve the plan",
            "approved by legal",
            "",
        ] {
            assert!(!matches!(plain(message), Said::Approve { .. }), "{message:?}");
        }
    }

    #[test]
    fn a_command_may_carry_a_message_and_needs_no_slash() {
        let message = Some("looks right".to_owned());
        assert_eq!(plain("/windlass:approve looks right"), Said::Approve { code: None, message });
        assert_eq!(plain("windlass:approve"), Said::Approve { code: None, message: None });
        assert_eq!(plain("/windlass:reject"), Said::Reject);
        let feedback = Said::Command { name: "feedback".to_owned(), arguments: "no".to_owned() };
        assert_eq!(plain("/windlass:reject no"), feedback);
        let run = Said::Command { name: "run".to_owned(), arguments: "-- Do it".to_owned() };
        assert_eq!(plain("/windlass:run -- Do it"), run);
        assert_eq!(plain("windlass:run -- Do it"), run);
        for message in
            ["windlass: run x is paused", "windlass:", "see windlass:run", "//windlass:run"]
        {
            assert_eq!(plain(message), Said::Other, "{message:?}");
        }
    }

    #[test]
    fn own_words_count_whole() {
        let words = ExactWords {
            approve: vec!["ok weiter".to_owned(), "继续".to_owned()],
            reject: vec!["nein".to_owned()],
        };
        assert_eq!(said("OK weiter", &words), Said::Approve { code: None, message: None });
        assert_eq!(said("继续", &words), Said::Approve { code: None, message: None });
        assert_eq!(said("nein", &words), Said::Reject);
        assert_eq!(said("ok weiter so", &words), Said::Other);
        assert_eq!(plain("继续"), Said::Other);
    }

    #[test]
    fn a_code_is_read_and_nothing_like_it() {
        let code = proposal_code(u128::MAX / 3);
        let message = format!("approve {}", code.to_lowercase());
        assert_eq!(plain(&message), Said::Approve { code: Some(code), message: None });
        assert_eq!(plain("approve AAAAAA"), Said::Other);
    }

    #[test]
    fn what_the_host_injects_is_nobodys_word() {
        let text = "<task-notification>\n<result>approve</result></task-notification>";
        assert_eq!(plain(text), Said::Injected);
    }
}
