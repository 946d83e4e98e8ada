//! The command that plays agents, looked at before anything is spent.

use std::path::Path;

use windlass_engine::verify::{first_program, is_found};

use crate::error::CommandError;

/// Programs whose first argument is a script.
const INTERPRETERS: [&str; 9] =
    ["sh", "bash", "dash", "zsh", "python", "python3", "node", "ruby", "perl"];

/// Writes the user's home for each `~` that a shell would take for it: at the beginning of a word, and
/// not within quotes.
pub(crate) fn with_home(command: &str, home: &str) -> String {
    if home.is_empty() {
        return command.to_owned();
    }
    let (mut out, mut quote, mut begins) = (String::new(), None, true);
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '\\') => {
                out.push(c);
                out.extend(chars.next());
                begins = false;
                continue;
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            (None, '~')
                if begins
                    && chars.peek().is_none_or(|next| *next == '/' || next.is_whitespace()) =>
            {
                out.push_str(&shlex::try_quote(home).unwrap_or_else(|_| home.into()));
                begins = false;
                continue;
            }
            _ => {}
        }
        out.push(c);
        begins = quote.is_none() && (c.is_whitespace() || c == '=');
    }
    out
}

/// Refuses a command whose program or script is not there: every attempt would end with it.
pub(crate) fn refuse_missing(command: &str, path: &str) -> Result<(), CommandError> {
    let Some(program) = first_program(command) else { return Ok(()) };
    let missing = |what: &str| {
        Err(CommandError::usage(format!(
            "the agent command `{command}` needs `{what}`, which is not there"
        ))
        .hint("nothing was started; give the whole path of the program"))
    };
    if !is_found(&program, path) {
        return missing(&program);
    }
    let name = Path::new(&program).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let words = shlex::split(command).unwrap_or_default();
    let after = words.iter().skip_while(|word| **word != program).nth(1);
    match after {
        Some(script)
            if INTERPRETERS.contains(&name.as_str())
                && Path::new(script).is_absolute()
                && !script.contains(['$', '*', '?'])
                && !Path::new(script).exists() =>
        {
            missing(script)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tilde_is_the_users_home_where_a_shell_would_take_it_for_that() {
        let with = |command| with_home(command, "/home/ada l");
        assert_eq!(with("sh ~/agent.sh"), "sh '/home/ada l'/agent.sh");
        assert_eq!(
            with("A=~/x ~/run --at ~"),
            "A='/home/ada l'/x '/home/ada l'/run --at '/home/ada l'"
        );
        for same in ["sh '~/agent.sh'", "echo \"~/x\"", "a~/b", "sh ~bob/x", r"sh \~/x"] {
            assert_eq!(with(same), same);
        }
        assert_eq!(with_home("sh ~/x", ""), "sh ~/x");
    }

    #[test]
    fn what_is_not_there_is_named_before_anything_starts() {
        let path = "/usr/bin:/bin";
        let named =
            |command| refuse_missing(command, path).err().map(|error| error.error.to_string());
        assert!(named("no-such-agent --yes").unwrap().contains("needs `no-such-agent`"));
        assert!(named("sh /no/such/agent.sh").unwrap().contains("needs `/no/such/agent.sh`"));
        assert!(named("A=1 /no/such/agent").unwrap().contains("needs `/no/such/agent`"));
        for fine in ["sh -c 'true'", "cat", "cd x && no-such", "sh relative.sh", "sh \"$X/a\"", ""]
        {
            assert_eq!(named(fine), None, "{fine}");
        }
    }
}
