//! Commands of the shell itself: what they change in it, and what they run.

use super::print::{echoed, printed_by_format};
use super::program::{is_standard_input, quoted};
use super::shell::{Input, Walk};
use super::word::{COMPUTED, PROCESS, TOLD};
use super::{git, own};

impl Walk<'_> {
    /// Gives what a builtin prints; none when the name is none.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        arguments: &[String],
        input: &Input,
    ) -> Option<String> {
        let operands: Vec<&String> =
            arguments.iter().filter(|word| !word.starts_with(['-', '+'])).collect();
        match name {
            "cd" | "pushd" => {
                match operands.first() {
                    Some(target) => self.shell.go(target),
                    None if arguments.iter().any(|word| word == "-") => self.shell.folder = None,
                    None => self.shell.go(""),
                }
                Some(String::new())
            }
            "popd" => {
                self.shell.folder = None;
                Some(String::new())
            }
            "pwd" => Some(self.shell.folder_text() + "\n"),
            "eval" => {
                let text = arguments.strip_prefix(&["--".to_owned()]).unwrap_or(arguments);
                Some(self.eval(&text.join(" ")))
            }
            "source" | "." => Some(self.source(&operands, input)),
            "trap" => {
                if let Some(text) = operands.first().filter(|_| operands.len() > 1) {
                    self.script_or_riddle(&text.to_string());
                }
                Some(String::new())
            }
            "alias" => {
                self.alias(arguments);
                Some(String::new())
            }
            "set" => {
                self.set(arguments);
                Some(String::new())
            }
            "shift" => {
                if let Some(arguments) = &mut self.shell.arguments
                    && !arguments.is_empty()
                {
                    arguments.remove(0);
                }
                Some(String::new())
            }
            "unset" => {
                for name in operands {
                    git::unset(self, name);
                    self.shell.unset(name);
                }
                Some(String::new())
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(name, arguments);
                Some(String::new())
            }
            "mapfile" | "readarray" => {
                let text = input.clone().unwrap_or_else(|| COMPUTED.to_string());
                let name = operands.last().map_or("MAPFILE", |name| name.as_str());
                self.shell.assign(name, text.lines().map(str::to_owned).collect());
                Some(String::new())
            }
            "read" => {
                self.read_input(&operands, input);
                Some(String::new())
            }
            "echo" => Some(echoed(arguments)),
            "printf" => Some(self.printf(arguments)),
            "hash" if arguments.iter().any(|word| word == "-p") => {
                let name = operands.get(1).map(|name| name.to_string());
                if let (Some(name), Some(program)) = (name, operands.first()) {
                    self.shell.aliases.insert(name, quoted(program));
                }
                Some(String::new())
            }
            "command" | "type" | "hash"
                if name != "command"
                    || arguments
                        .first()
                        .is_some_and(|word| matches!(word.as_str(), "-v" | "-V")) =>
            {
                Some(operands.iter().map(|word| format!("{word}\n")).collect())
            }
            "kill" if arguments.iter().any(|word| word == "PPID") => {
                own::leaves_the_host_alone(self);
                Some(String::new())
            }
            "test" | "[" | ":" | "true" | "false" | "return" | "exit" | "break" | "continue"
            | "wait" | "jobs" | "kill" | "umask" | "ulimit" | "shopt" | "let" | "getopts"
            | "times" => Some(String::new()),
            _ => None,
        }
    }

    fn eval(&mut self, text: &str) -> String {
        // `eval "$(ssh-agent)"`: what a plain tool prints is like a script that a tool brings.
        if !text.is_empty() && text.trim().chars().all(|c| c == TOLD) {
            return TOLD.to_string();
        }
        if self.is_riddle(text) { COMPUTED.to_string() } else { self.script(text) }
    }

    fn source(&mut self, operands: &[&String], input: &Input) -> String {
        let Some(file) = operands.first() else { return String::new() };
        if let Some(text) = file.strip_prefix(PROCESS) {
            let text = text.to_owned();
            return self.eval(&text);
        }
        if is_standard_input(file)
            && let Some(text) = input.clone()
        {
            return self.eval(&text);
        }
        match self.kept(file) {
            Some(text) => self.eval(&text),
            None => self.script_file(file),
        }
    }

    fn alias(&mut self, arguments: &[String]) {
        for (name, text) in arguments.iter().filter_map(|word| word.split_once('=')) {
            self.defined(|walk| {
                walk.script(text);
            });
            self.shell.aliases.insert(name.to_owned(), text.to_owned());
        }
    }

    fn set(&mut self, arguments: &[String]) {
        let options = arguments.iter().take_while(|word| word.starts_with(['-', '+']));
        let mut count = 0;
        let mut resets = false;
        for option in options {
            count += 1;
            if option == "--" {
                resets = true;
                break;
            }
            count += usize::from(option.ends_with('o'));
        }
        let rest = arguments.get(count..).unwrap_or_default();
        if resets || !rest.is_empty() {
            self.shell.arguments = Some(rest.to_vec());
        }
    }

    /// `export NAME`, `declare +x NAME`: assignments were taken already.
    fn declare(&mut self, command: &str, arguments: &[String]) {
        let hides = arguments.iter().any(|word| matches!(word.as_str(), "-n" | "+x"));
        // Values with these are not what is written there: another's name, or in other letters.
        let other = |word: &String| {
            word.starts_with('-') && word.contains(['n', 'l', 'u', 'c']) && !word.starts_with("--")
        };
        let changes = command != "export" && arguments.iter().any(other);
        for word in arguments.iter().filter(|word| !word.starts_with(['-', '+'])) {
            match word.split_once('=') {
                Some((name, value)) => {
                    let name = name.trim_end_matches('+');
                    git::environment(self, name, value);
                    if changes {
                        self.shell.assign(name, vec![COMPUTED.to_string()]);
                    }
                    if self.shell.read(name).is_none() {
                        self.shell.assign(name, vec![value.to_owned()]);
                    }
                }
                None if hides => git::unset(self, word),
                None => {}
            }
        }
    }

    fn read_input(&mut self, names: &[&String], input: &Input) {
        let text = input.clone().unwrap_or_else(|| COMPUTED.to_string());
        let line = text.lines().next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let count = names.len();
        for (at, name) in names.iter().enumerate() {
            let value = if at + 1 == count {
                words.clone().collect::<Vec<_>>().join(" ")
            } else {
                words.next().unwrap_or_default().to_owned()
            };
            self.shell.assign(name, vec![value]);
        }
        if names.is_empty() {
            self.shell.assign("REPLY", vec![line.to_owned()]);
        }
    }

    fn printf(&mut self, arguments: &[String]) -> String {
        if let [option, name, rest @ ..] = arguments
            && option == "-v"
        {
            let value = printed_by_format(rest);
            self.shell.assign(name, vec![value]);
            return String::new();
        }
        printed_by_format(arguments)
    }

    /// Puts words together again as the text that a shell would read.
    pub(super) fn as_text(words: &[String]) -> String {
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}
