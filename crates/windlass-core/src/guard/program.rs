//! What a call of a program leads to: to another program, to a rule, or to nothing that is guarded.

use super::print::printed;
use super::shell::{Input, Walk, speaks_of_guarded};
use super::word::{COMPUTED, ENVIRONMENT, PROCESS, TOLD, is_known};
use super::wrapper::{self, Wrapped};
use super::{Found, Seat, agents, files, forge, git, interpreter, own, publishes, wrapper_text};

const SHELLS: [&str; 10] =
    ["sh", "bash", "dash", "ksh", "zsh", "ash", "fish", "mksh", "rbash", "busybox-sh"];

/// Names that a glob in the place of a program is held against.
const GUARDED_PROGRAMS: [&str; 14] = [
    "git", "gh", "hub", "glab", "tea", "sh", "bash", "zsh", "dash", "env", "sudo", "windlass",
    "git-push", "xargs",
];

/// The name of a program, however it is written.
pub(super) fn name_of(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word).to_ascii_lowercase();
    name.strip_suffix(".exe").map_or_else(|| name.clone(), str::to_owned)
}

impl Walk<'_> {
    /// Looks at a call; gives what it prints.
    pub(super) fn call(&mut self, words: &[String], input: Input) -> String {
        let Some((first, arguments)) = words.split_first() else { return String::new() };
        let name = name_of(first);
        // A function or an alias of a guarded program's name may be passed by (`command git`, `bash -c`, a
        // script, where aliases do not count), so the program is looked at as well.
        let shell = &self.shell;
        let shadowed = shell.aliases.contains_key(first) || shell.functions.contains_key(first);
        let hides = shadowed && self.is_guarded_program(&name);
        if let Some(text) = self.shell.aliases.remove(first) {
            let rest = arguments.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
            let output = self.script(&format!("{text} {rest}"));
            self.shell.aliases.insert(first.clone(), text);
            if !hides {
                return output;
            }
        }
        if let Some(body) = self.shell.functions.get(first).cloned() {
            let before = self.shell.arguments.replace(arguments.to_vec());
            let output = self.function_body(&body, input.clone());
            self.shell.arguments = before;
            if !hides {
                return output;
            }
        }
        if !is_known(&name) {
            self.dynamic(words);
            return COMPUTED.to_string();
        }
        let name = match_glob(&name);
        if first.contains('/')
            && let Some(text) = self.kept(first)
        {
            return self.script_or_riddle(&text);
        }
        if let Some(output) = self.builtin(&name, arguments, &input) {
            return output;
        }
        if !self.enter() {
            self.unreadable(&words.join(" "));
            return COMPUTED.to_string();
        }
        let output = self.program_call(&name, arguments, input);
        self.leave();
        output
    }

    /// Whether a program is one that pushes or publishes, or starts whatever it is told.
    fn is_guarded_program(&self, name: &str) -> bool {
        GUARDED_PROGRAMS.contains(&name)
            || SHELLS.contains(&name)
            || self.grounds.publishing.knows(name)
    }

    fn program_call(&mut self, name: &str, arguments: &[String], input: Input) -> String {
        publishes::look(self, name, arguments);
        if let Some(words) = publishes::of_module(name, arguments) {
            publishes::look(self, &words[0], &words[1..]);
        }
        if let Some(wrapped) = wrapper::unwrap(name, arguments) {
            return self.wrapped(wrapped, input);
        }
        if SHELLS.contains(&name) {
            return self.start_shell(arguments, input);
        }
        match name {
            "git" => git::look(self, arguments),
            "windlass" => own::look(self, arguments),
            _ => {
                if let Some(command) = name.strip_prefix("git-") {
                    let words: Vec<String> = std::iter::once(command.to_owned())
                        .chain(arguments.iter().cloned())
                        .collect();
                    git::look(self, &words);
                } else if !forge::look(self, name, arguments) {
                    interpreter::look(self, name, arguments, &input);
                    agents::look(self, name, arguments);
                    own::processes(self, name, arguments);
                    options_that_run(self, name, arguments);
                    carried(self, name, arguments);
                }
            }
        }
        files::look(self, name, arguments, &input);
        if name == "tee"
            && let Some(text) = &input
        {
            for file in arguments.iter().filter(|word| !word.starts_with('-')) {
                self.keep(file, text);
            }
        }
        if name == "cat"
            && let [file] = arguments
            && let Some(text) = self.kept(file)
        {
            return text;
        }
        printed(name, arguments, &input)
    }

    fn wrapped(&mut self, wrapped: Wrapped, input: Input) -> String {
        for (name, value) in &wrapped.assignments {
            git::environment(self, name, value);
        }
        for name in &wrapped.unset {
            git::unset(self, name);
        }
        let nothing = wrapped.command.is_empty() && wrapped.scripts.is_empty();
        let mut output = if nothing { TOLD } else { COMPUTED }.to_string();
        for text in &wrapped.scripts {
            output = self.script_or_riddle(text);
        }
        if wrapped.reads_script
            && let Some(text) = &input
        {
            self.script_or_riddle(text);
        }
        let before = self.shell.clone();
        for (name, value) in wrapped.assignments {
            self.shell.assign(&name, vec![value]);
        }
        if let Some(folder) = &wrapped.folder {
            self.shell.go(folder);
        }
        if !wrapped.command.is_empty() {
            output = self.call(&wrapped.command, input);
            self.behind_options(&wrapped.command);
        }
        self.shell = before;
        output
    }

    /// Which options of a wrapper take values is known for the usual ones only. If what seemed to be the
    /// command is none that shows text, a guarded name behind it counts too.
    fn behind_options(&mut self, command: &[String]) {
        let shows = |name: &str| {
            files::shows_text(name)
                || matches!(name, "echo" | "printf" | "git" | "gh" | "find")
                || SHELLS.contains(&name)
        };
        if command.first().is_none_or(|first| shows(&name_of(first))) {
            return;
        }
        let guarded = |word: &String| {
            let name = name_of(word);
            matches!(name.as_str(), "git" | "gh" | "hub" | "glab")
                || SHELLS.contains(&name.as_str())
        };
        let Some(at) = command.iter().skip(1).position(guarded) else { return };
        let mut inner = Walk::new(std::path::Path::new("/"), self.grounds, self.real);
        inner.shell.folder = None;
        inner.call(&command[at + 1..], None);
        if let Found::Forbidden(why) = inner.into_found() {
            self.cannot_tell(&why);
        }
    }

    /// A command word that is not known.
    fn dynamic(&mut self, words: &[String]) {
        let first = &words[0];
        let text = words.join(" ");
        let why = if first.contains(COMPUTED) || first.contains(PROCESS) {
            true
        } else {
            speaks_of_guarded(&text) || self.grounds.seat == Seat::Orchestrator
        };
        if why {
            self.cannot_tell(
                "which program this command starts cannot be seen, and it could be a push. Write the \
                 program's name out",
            );
        }
    }

    /// Walks a text that something runs as commands. One that is nothing but a variable is a riddle.
    pub(super) fn script_or_riddle(&mut self, text: &str) -> String {
        if self.is_riddle(text) {
            return COMPUTED.to_string();
        }
        self.script_apart(text)
    }

    /// Notes a text that is nothing but something unknown.
    pub(super) fn is_riddle(&mut self, text: &str) -> bool {
        let text = text.trim();
        let riddle =
            !text.is_empty() && text.chars().all(|c| matches!(c, COMPUTED | ENVIRONMENT | ' '));
        if riddle {
            self.cannot_tell(
                "this runs a text as commands that cannot be seen here, and it could be a push. Write \
                 the commands out",
            );
        }
        riddle
    }

    /// A script in a file that nothing here has written: what it does cannot be seen. The orchestrator
    /// does not run what it could have written under another name; a `.sh` of its own was looked at when
    /// it was written.
    pub(super) fn script_file(&mut self, file: &str) -> String {
        let own = super::path::has_ending(file.as_ref(), self.grounds) && !file.ends_with(".sh");
        if self.grounds.seat == Seat::Orchestrator && own {
            self.cannot_tell(
                "this runs as a program what is no program by its name, and what it does cannot be seen. \
                 The agent of a step does such work",
            );
        }
        TOLD.to_string()
    }

    fn start_shell(&mut self, arguments: &[String], input: Input) -> String {
        let (mut takes_text, mut takes_input, mut at) = (false, false, 0);
        while let Some(word) = arguments.get(at) {
            if let Some(text) = word.strip_prefix(PROCESS) {
                self.script_or_riddle(text);
            }
            match word.as_str() {
                "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file" | "-C"
                | "--init-command" => {
                    at += 1;
                    if let Some(text) =
                        arguments.get(at).and_then(|word| word.strip_prefix(PROCESS))
                    {
                        self.script_or_riddle(text);
                    }
                }
                "--" => {
                    at += 1;
                    break;
                }
                "--command" => takes_text = true,
                long if long.starts_with("--") => {}
                short if short.len() > 1 && short.starts_with(['-', '+']) => {
                    // `-euo pipefail`
                    at += usize::from(short.ends_with(['o', 'O']));
                    takes_text |= short.contains('c');
                    takes_input |= short.contains('s');
                }
                _ => break,
            }
            at += 1;
        }
        let rest = arguments.get(at..).unwrap_or_default();
        let with_arguments = |walk: &mut Self, text: &str, arguments: &[String]| {
            walk.apart(|walk| {
                walk.shell.arguments = Some(arguments.to_vec());
                walk.script_or_riddle(text)
            })
        };
        match rest.split_first() {
            Some((text, rest)) if takes_text => {
                let before = self.shell.name.clone();
                if let Some(name) = rest.first() {
                    self.shell.name.clone_from(name);
                }
                let output = with_arguments(self, text, rest.get(1..).unwrap_or_default());
                self.shell.name = before;
                output
            }
            Some((file, rest)) if !takes_input => match file.strip_prefix(PROCESS) {
                Some(text) => with_arguments(self, text, rest),
                None if is_standard_input(file) => match input {
                    Some(text) => with_arguments(self, &text, rest),
                    None => String::new(),
                },
                // A script of its own: nothing here reads files.
                None => match self.kept(file) {
                    Some(text) => with_arguments(self, &text, rest),
                    None => self.script_file(file),
                },
            },
            Some(_) | None => match input {
                Some(text) => with_arguments(self, &text, rest),
                None => String::new(),
            },
        }
    }
}

pub(super) fn is_standard_input(file: &str) -> bool {
    matches!(file, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

fn match_glob(name: &str) -> String {
    if !name.contains(['*', '?', '[']) {
        return name.to_owned();
    }
    let glob = crate::glob::compile(name).map(|glob| glob.compile_matcher());
    let hit = glob.ok().and_then(|glob| GUARDED_PROGRAMS.iter().find(|name| glob.is_match(name)));
    hit.map_or_else(|| name.to_owned(), |name| (*name).to_owned())
}

/// Quotes a word so that it is one word again when it is read the next time.
pub(super) fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| COMPUTED.to_string(), |word| word.into_owned())
}

/// Options of other programs whose value is a command.
fn options_that_run(walk: &mut Walk<'_>, name: &str, arguments: &[String]) {
    let options: &[&str] = match name {
        "sort" => &["--compress-program"],
        "split" => &["--filter"],
        "rg" => &["--pre"],
        "ag" | "man" => &["--pager", "-P"],
        "zip" => &["-TT", "--unzip-command"],
        "cargo" if arguments.first().is_some_and(|word| word == "watch") => &["-s", "--shell"],
        _ => &[],
    };
    if let Some(text) = wrapper_text::value_of(arguments, options) {
        walk.script_or_riddle(&text);
    }
    if matches!(name, "scp" | "sftp") {
        for text in arguments.iter().filter_map(|word| wrapper_text::proxy(word)) {
            walk.script_or_riddle(&text);
        }
    }
}

/// A program that is not known may run the words after it (`poetry run git push`).
fn carried(walk: &mut Walk<'_>, name: &str, arguments: &[String]) {
    if !RUNNERS.contains(&name) && !arguments.iter().any(|word| word == "--") {
        return;
    }
    let publishing = &walk.grounds.publishing;
    let starts = |word: &String| {
        let name = name_of(word);
        matches!(name.as_str(), "git" | "gh" | "hub" | "glab") || publishing.knows(&name)
    };
    for (at, _) in arguments.iter().enumerate().filter(|(_, word)| starts(word)) {
        let mut inner = Walk::new(std::path::Path::new("/"), walk.grounds, walk.real);
        inner.shell.folder = None;
        inner.call(&arguments[at..], None);
        if let Found::Forbidden(why) | Found::CannotTell(why) = inner.into_found() {
            walk.cannot_tell(&format!("`{name}` seems to run a command that is refused: {why}"));
        }
    }
}

/// Programs that run what follows, somewhere among words of their own.
const RUNNERS: [&str; 52] = [
    "poetry",
    "uv",
    "uvx",
    "pipenv",
    "pdm",
    "hatch",
    "rye",
    "npx",
    "pnpx",
    "bunx",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "mise",
    "asdf",
    "direnv",
    "nix",
    "nix-shell",
    "devbox",
    "doppler",
    "op",
    "dotenv",
    "dotenvx",
    "docker",
    "podman",
    "kubectl",
    "lxc",
    "vagrant",
    "tmux",
    "screen",
    "xterm",
    "konsole",
    "gnome-terminal",
    "bundle",
    "rbenv",
    "pyenv",
    "nodenv",
    "conda",
    "mamba",
    "micromamba",
    "pixi",
    "cross-env",
    "heroku",
    "foreman",
    "cargo",
    "dtach",
    "abduco",
    "daemonize",
    "trickle",
    "sshpass",
    "ip",
];
