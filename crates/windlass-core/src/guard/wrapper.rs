//! Programs that run another one: which of their words are it.

use super::word::COMPUTED;
use super::wrapper_text;

/// What a wrapper runs.
#[derive(Debug, Default)]
pub(super) struct Wrapped {
    /// A program with its arguments.
    pub(super) command: Vec<String>,
    /// Texts that a shell runs.
    pub(super) scripts: Vec<String>,
    /// Whether standard input is read as commands.
    pub(super) reads_script: bool,
    pub(super) assignments: Vec<(String, String)>,
    pub(super) unset: Vec<String>,
    pub(super) folder: Option<String>,
}

/// A wrapper: options that take a value, and how many words stand before the command.
struct Kind {
    names: &'static [&'static str],
    valued: &'static [&'static str],
    words: usize,
}

const KINDS: &[Kind] = &[
    Kind {
        names: &[
            "builtin",
            "nohup",
            "setsid",
            "ssh-agent",
            "fakeroot",
            "unbuffer",
            "winpty",
            "catchsegv",
            "dbus-run-session",
            "toybox",
            "busybox",
            "time-machine",
            "firejail",
            "chronic",
            "command",
            "rlwrap",
            "gdbserver",
            "caffeinate",
            "viddy",
            "tsocks",
            "proxychains",
            "proxychains4",
            "torsocks",
            "then",
            "do",
            "else",
            "noglob",
            "nocorrect",
        ],
        valued: &[],
        words: 0,
    },
    Kind { names: &["exec"], valued: &["-a"], words: 0 },
    Kind {
        names: &["sudo", "doas"],
        valued: &[
            "-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group",
            "--chdir", "--host", "--prompt",
        ],
        words: 0,
    },
    Kind { names: &["nice"], valued: &["-n", "--adjustment"], words: 0 },
    Kind { names: &["ionice"], valued: &["-c", "-n", "-p", "--class", "--classdata"], words: 0 },
    Kind {
        names: &["stdbuf"],
        valued: &["-i", "-o", "-e", "--input", "--output", "--error"],
        words: 0,
    },
    Kind { names: &["time"], valued: &["-f", "-o", "--format", "--output"], words: 0 },
    Kind {
        names: &["timeout", "gtimeout"],
        valued: &["-k", "-s", "--kill-after", "--signal"],
        words: 1,
    },
    Kind {
        names: &["xargs", "gxargs"],
        valued: &[
            "-I",
            "-n",
            "-P",
            "-L",
            "-d",
            "-a",
            "-E",
            "-s",
            "-R",
            "--max-args",
            "--max-procs",
            "--delimiter",
            "--arg-file",
            "--replace",
            "--max-lines",
        ],
        words: 0,
    },
    Kind {
        names: &["strace", "ltrace"],
        valued: &["-e", "-o", "-p", "-s", "-u", "-E", "-a", "-P", "-I", "-O", "-S", "-X", "-b"],
        words: 0,
    },
    Kind {
        names: &["chroot", "faketime", "chpst", "setarch", "linux64"],
        valued: &["--userspec", "--groups"],
        words: 1,
    },
    Kind { names: &["taskset", "chrt"], valued: &["-p"], words: 1 },
    Kind {
        names: &["unshare", "nsenter"],
        valued: &[
            "-t",
            "-S",
            "-G",
            "-R",
            "-w",
            "--target",
            "--setuid",
            "--setgid",
            "--root",
            "--wd",
            "--propagation",
        ],
        words: 0,
    },
    Kind {
        names: &[
            "setpriv",
            "systemd-run",
            "systemd-inhibit",
            "prlimit",
            "choom",
            "cgexec",
            "valgrind",
            "numactl",
            "start-stop-daemon",
            "bwrap",
            "proot",
            "cpulimit",
        ],
        valued: &[
            "-p",
            "-u",
            "-E",
            "-n",
            "-g",
            "--unit",
            "--property",
            "--setenv",
            "--uid",
            "--gid",
            "--what",
            "--who",
            "--why",
            "--reuid",
            "--regid",
            "--bind",
            "--ro-bind",
            "--chdir",
            "--dev",
            "--proc",
            "--tmpfs",
            "-l",
            "-b",
            "-w",
            "-r",
        ],
        words: 0,
    },
    Kind {
        names: &["xvfb-run", "dumb-init", "tini", "catatonit", "gosu-exec"],
        valued: &["-s", "-n", "-e", "-p"],
        words: 0,
    },
    Kind { names: &["gosu", "su-exec"], valued: &[], words: 1 },
    Kind { names: &["perf"], valued: &["-e", "-o", "-p", "-F"], words: 1 },
];

pub(super) fn unwrap(name: &str, arguments: &[String]) -> Option<Wrapped> {
    match name {
        "env" => return Some(env(arguments)),
        "find" | "gfind" | "fd" | "fdfind" => return find(arguments),
        "parallel" | "watch" | "ssh" | "hyperfine" | "nix-shell" | "script" | "flock" | "su"
        | "runuser" | "sg" | "tmux" | "screen" | "expect" | "socat" | "xterm" | "tar" | "npx"
        | "npm" | "pnpm" | "yarn" | "concurrently" | "nodemon" | "osascript" | "entr"
        | "watchexec" | "capsh" => {
            return wrapper_text::look(name, arguments);
        }
        "at" | "batch" | "crontab" => {
            return Some(Wrapped { reads_script: true, ..Wrapped::default() });
        }
        _ => {}
    }
    let kind = KINDS.iter().find(|kind| kind.names.contains(&name))?;
    let mut wrapped = Wrapped::default();
    let rest = operands(arguments, kind.valued);
    let rest = rest.get(kind.words..).unwrap_or_default();
    let assigned = rest.iter().take_while(|word| assignment(word).is_some()).count();
    if matches!(name, "sudo" | "doas") {
        wrapped.assignments = rest[..assigned].iter().filter_map(|word| assignment(word)).collect();
        wrapped.command = rest[assigned..].to_vec();
        let shell = |word: &String| matches!(word.as_str(), "-s" | "-i" | "--shell" | "--login");
        wrapped.reads_script = wrapped.command.is_empty() && arguments.iter().any(shell);
    } else {
        wrapped.command = rest.to_vec();
    }
    if name == "xargs" || name == "gxargs" {
        with_what_arrives(&mut wrapped.command, arguments);
    }
    Some(wrapped)
}

/// `xargs` puts words into the command that nobody sees here.
fn with_what_arrives(command: &mut Vec<String>, arguments: &[String]) {
    let replaces = arguments.iter().position(|word| word.starts_with("-I") || word == "--replace");
    let mark = replaces.and_then(|at| match arguments[at].strip_prefix("-I") {
        Some(mark) if !mark.is_empty() => Some(mark.to_owned()),
        _ => arguments.get(at + 1).cloned(),
    });
    match mark {
        Some(mark) if !mark.is_empty() => {
            for word in command.iter_mut() {
                *word = word.replace(&mark, &COMPUTED.to_string());
            }
        }
        Some(_) | None if !command.is_empty() => command.push(COMPUTED.to_string()),
        Some(_) | None => {}
    }
}

/// The words after the options.
pub(super) fn operands<'a>(arguments: &'a [String], valued: &[&str]) -> &'a [String] {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        if word == "--" {
            return &arguments[at + 1..];
        }
        if !word.starts_with('-') || word.len() < 2 {
            break;
        }
        at += if valued.contains(&word.as_str()) { 2 } else { 1 };
    }
    arguments.get(at..).unwrap_or_default()
}

pub(super) fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let plain = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain.then(|| (name.to_owned(), value.to_owned()))
}

fn env(arguments: &[String]) -> Wrapped {
    let mut wrapped = Wrapped::default();
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let next = arguments.get(at + 1).cloned().unwrap_or_default();
        match word.as_str() {
            "-u" | "--unset" => {
                wrapped.unset.push(next);
                at += 1;
            }
            "-C" | "--chdir" => {
                wrapped.folder = Some(next);
                at += 1;
            }
            "-S" | "--split-string" => {
                wrapped.scripts.push(next);
                at += 1;
            }
            long if long.starts_with("--unset=") => wrapped.unset.push(long[8..].to_owned()),
            long if long.starts_with("--chdir=") => wrapped.folder = Some(long[8..].to_owned()),
            long if long.starts_with("--split-string=") => {
                wrapped.scripts.push(long[15..].to_owned())
            }
            short if short.starts_with("-u") => wrapped.unset.push(short[2..].to_owned()),
            short if !short.starts_with("--") && short.starts_with('-') && short.contains('S') => {
                let inside = short.split_once('S').map(|(_, text)| text).unwrap_or_default();
                if inside.is_empty() {
                    wrapped.scripts.push(next);
                    at += 1;
                } else {
                    wrapped.scripts.push(inside.to_owned());
                }
            }
            "--" => {}
            option if option.starts_with('-') => {}
            word => match assignment(word) {
                Some(assignment) => wrapped.assignments.push(assignment),
                None => break,
            },
        }
        at += 1;
    }
    wrapped.command = arguments.get(at..).unwrap_or_default().to_vec();
    wrapped
}

/// What `find` and `fd` run; none when they only look.
fn find(arguments: &[String]) -> Option<Wrapped> {
    let acts = |word: &&String| {
        matches!(
            word.as_str(),
            "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch"
        )
    };
    let mut wrapped = Wrapped::default();
    let folder =
        arguments.first().filter(|word| !word.starts_with('-')).map_or(".", String::as_str);
    let mut rest = arguments;
    while let Some(at) = rest.iter().position(|word| acts(&word)) {
        rest = &rest[at + 1..];
        let end = rest.iter().position(|word| matches!(word.as_str(), ";" | "+"));
        // What it finds is not known; below which folder it lies is.
        let found = format!("{folder}/{COMPUTED}");
        let command = rest[..end.unwrap_or(rest.len())].iter();
        let command: Vec<String> = command.map(|word| word.replace("{}", &found)).collect();
        if wrapped.command.is_empty() {
            wrapped.command = command;
        } else {
            let text = command.iter().map(|word| super::program::quoted(word));
            wrapped.scripts.push(text.collect::<Vec<_>>().join(" "));
        }
        rest = &rest[end.unwrap_or(rest.len())..];
    }
    (!wrapped.command.is_empty()).then_some(wrapped)
}

/// All words that are no options, wherever they stand.
pub(super) fn operands_all<'a>(arguments: &'a [String], valued: &[&str]) -> Vec<&'a str> {
    let mut all = Vec::new();
    let (mut at, mut only) = (0, false);
    while let Some(word) = arguments.get(at) {
        if only || !word.starts_with('-') || word.len() < 2 {
            all.push(word.as_str());
        } else if word == "--" {
            only = true;
        } else if valued.contains(&word.as_str()) {
            at += 1;
        }
        at += 1;
    }
    all
}
