//! Wrappers that take a text for a shell, or words that they join to one.

use super::program::name_of;
use super::word::COMPUTED;
use super::wrapper::{Wrapped, operands};

/// What such a program runs; none when it runs nothing here.
pub(super) fn look(name: &str, arguments: &[String]) -> Option<Wrapped> {
    let mut wrapped = Wrapped::default();
    match name {
        "parallel" => parallel(&mut wrapped, arguments),
        "watch" => wrapped.scripts.push(operands(arguments, &["-n", "--interval", "-q"]).join(" ")),
        "entr" => match operands(arguments, &[]) {
            [text] => wrapped.scripts.push(text.clone()),
            words => wrapped.command = words.to_vec(),
        },
        "watchexec" => {
            let words = operands(arguments, &["-w", "-e", "-i", "-d"]);
            wrapped.scripts.push(words.join(" "));
        }
        "capsh" => wrapped.scripts.extend(value_of(arguments, &["-c"])),
        "ssh" => {
            wrapped.scripts.extend(arguments.iter().filter_map(|word| proxy(word)));
            let valued = [
                "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o",
                "-p", "-Q", "-R", "-S", "-W", "-w",
            ];
            wrapped
                .scripts
                .push(operands(arguments, &valued).get(1..).unwrap_or_default().join(" "));
        }
        "hyperfine" | "concurrently" => {
            wrapped.scripts.extend(arguments.iter().filter(|word| !word.starts_with('-')).cloned());
        }
        "nix-shell" => wrapped.scripts.extend(value_of(arguments, &["--run", "--command"])),
        "script" => script(&mut wrapped, arguments),
        "flock" => flock(&mut wrapped, arguments),
        "su" | "runuser" | "sg" => {
            wrapped.scripts.extend(value_of(arguments, &["-c", "--command", "--session-command"]));
            if name == "runuser" {
                wrapped.command =
                    operands(arguments, &["-u", "-g", "-G", "-c", "-s", "--user"]).to_vec();
            }
            if name == "sg" {
                wrapped.scripts.extend(arguments.get(1).cloned());
            }
            wrapped.reads_script = wrapped.scripts.is_empty() && wrapped.command.is_empty();
        }
        "expect" => wrapped
            .scripts
            .extend(value_of(arguments, &["-c"]).map(|text| text.replace("spawn ", "; "))),
        "socat" => {
            let inside = |word: &String| {
                let (kind, text) = word.split_once(':')?;
                let runs = matches!(kind.to_ascii_uppercase().as_str(), "EXEC" | "SYSTEM");
                runs.then(|| text.trim_matches(['\'', '"']).to_owned())
            };
            wrapped.scripts.extend(arguments.iter().filter_map(inside));
        }
        "tar" => {
            let action = |word: &String| Some(word.split_once("exec=")?.1.to_owned());
            wrapped.scripts.extend(arguments.iter().filter_map(action));
            wrapped
                .scripts
                .extend(value_of(arguments, &["--to-command", "--use-compress-program", "-I"]));
            if wrapped.scripts.is_empty() {
                return None;
            }
        }
        "npx" | "npm" | "pnpm" | "yarn" | "nodemon" => {
            wrapped.scripts.extend(value_of(arguments, &["-c", "--call", "--exec", "-x"]));
            if wrapped.scripts.is_empty() {
                return None;
            }
        }
        "osascript" => {
            let inside = |word: &String| {
                Some(word.split_once("do shell script \"")?.1.split('"').next()?.to_owned())
            };
            wrapped.scripts.extend(arguments.iter().filter_map(inside));
        }
        // A terminal in a terminal: the text may stand anywhere, and each word of it may be the command.
        _ => {
            wrapped.scripts.extend(arguments.iter().filter(|word| word.contains(' ')).cloned());
            let starts =
                |word: &String| matches!(name_of(word).as_str(), "git" | "gh" | "sh" | "bash");
            if let Some(at) = arguments.iter().position(starts) {
                wrapped.command = arguments[at..].to_vec();
            }
        }
    }
    Some(wrapped)
}

/// `-o ProxyCommand=…` of `ssh`, `scp` and `sftp`.
pub(super) fn proxy(word: &str) -> Option<String> {
    let (name, text) = word.split_once('=')?;
    name.to_lowercase().ends_with("command").then(|| text.to_owned())
}

/// The value of an option, beside it or after `=`.
pub(super) fn value_of(arguments: &[String], names: &[&str]) -> Option<String> {
    arguments.iter().enumerate().find_map(|(at, word)| {
        if names.contains(&word.as_str()) {
            return arguments.get(at + 1).cloned();
        }
        let (option, value) = word.split_once('=')?;
        names.contains(&option).then(|| value.to_owned())
    })
}

fn parallel(wrapped: &mut Wrapped, arguments: &[String]) {
    let rest = operands(
        arguments,
        &[
            "-j",
            "--jobs",
            "-S",
            "--joblog",
            "--delay",
            "-n",
            "-N",
            "-I",
            "--timeout",
            "--results",
            "--colsep",
            "-a",
        ],
    );
    let end = rest.iter().position(|word| word.starts_with(":::")).unwrap_or(rest.len());
    let values = rest.get(end + 1..).unwrap_or_default();
    if end == 0 {
        wrapped.scripts.extend(values.iter().cloned());
        wrapped.reads_script = true;
    }
    let text = rest[..end].join(" ");
    for value in values.iter().take(16) {
        let with =
            if text.contains("{}") { text.replace("{}", value) } else { format!("{text} {value}") };
        wrapped.scripts.push(with);
    }
    if values.is_empty() && end > 0 {
        wrapped.scripts.push(text.replace("{}", &COMPUTED.to_string()));
    }
}

fn script(wrapped: &mut Wrapped, arguments: &[String]) {
    let text = value_of(arguments, &["-c", "--command"]).or_else(|| {
        let short = |word: &&String| {
            word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
        };
        let at = arguments.iter().position(|word| short(&word))?;
        arguments.get(at + 1).cloned()
    });
    wrapped.scripts.extend(text);
    wrapped.command =
        operands(arguments, &["-c", "--command", "-t", "-T", "-I", "-O", "-B", "-E", "-o"])
            .get(1..)
            .unwrap_or_default()
            .to_vec();
}

fn flock(wrapped: &mut Wrapped, arguments: &[String]) {
    let rest = operands(arguments, &["-w", "-E", "--timeout", "--wait", "--conflict-exit-code"]);
    let rest = rest.get(1..).unwrap_or_default();
    match rest {
        [option, text, ..] if matches!(option.as_str(), "-c" | "--command") => {
            wrapped.scripts.push(text.clone());
        }
        _ => wrapped.command = rest.to_vec(),
    }
}
