//! Calls of git: pushes, settings that lead pushes elsewhere, commands that git runs.

use super::git_elsewhere::Site;
use super::path::Access;
use super::shell::Walk;
use super::word::{COMPUTED, is_known};
use super::{Seat, git_files};

pub(super) const NO_PUSH: &str = "an agent does not push, and holds no keys to: windlass publishes what \
    is proven. Leave your work in the files of the place and go on";

const NO_SETTING: &str = "an agent does not change where git pushes to or what git runs (remotes, \
    aliases, hooks, keys): windlass publishes what is proven. Leave git's settings as they are";

/// Options of git itself that take a value.
const VALUED: [&str; 8] = [
    "-C",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--super-prefix",
    "--attr-source",
    "--shallow-file",
];

/// Commands that send commits elsewhere.
const PUSHES: [&str; 10] = [
    "push",
    "send-pack",
    "http-push",
    "receive-pack",
    "send-email",
    "imap-send",
    "cvsexportcommit",
    "review",
    "ftp-push",
    "remote-ext",
];

pub(super) fn look(walk: &mut Walk<'_>, arguments: &[String]) {
    let mut aliases: Vec<(String, String)> = Vec::new();
    let mut site = Site::of(walk);
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let next = arguments.get(at + 1).map_or("", String::as_str);
        match word.as_str() {
            "-c" => {
                aliases.extend(set(walk, next));
                at += 1;
            }
            "--config-env" => {
                aliases.extend(set_from_environment(walk, next));
                at += 1;
            }
            valued if VALUED.contains(&valued) => {
                site.option(valued, next);
                at += 1;
            }
            option if option.starts_with("-c") && option.contains('=') => {
                aliases.extend(set(walk, &option[2..]));
            }
            option if option.starts_with("--config-env=") => {
                aliases.extend(set_from_environment(walk, &option[13..]));
            }
            option if option.starts_with("--exec-path=") => walk.cannot_tell(NO_SETTING),
            option if option.starts_with('-') => {
                if let Some((name, value)) = option.split_once('=') {
                    site.option(name, value);
                }
            }
            _ => break,
        }
        at += 1;
    }
    let Some(command) = arguments.get(at) else { return };
    let rest = &arguments[at + 1..];
    if !is_known(command) || command.contains(['*', '?', '[']) {
        walk.cannot_tell(
            "which command of git this is cannot be seen, and it could be a push. Write it out",
        );
        return;
    }
    if let Some((_, text)) = aliases.iter().find(|(name, _)| name == command) {
        alias(walk, text, rest);
        return;
    }
    subcommand(walk, command, rest);
    site.look(walk, command, rest);
    git_files::look(walk, command, rest);
}

fn subcommand(walk: &mut Walk<'_>, command: &str, rest: &[String]) {
    let operands: Vec<&str> =
        rest.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let first = operands.first().copied().unwrap_or_default();
    match command {
        _ if asks_for_help(rest) => {}
        _ if PUSHES.contains(&command) => walk.forbid(NO_PUSH),
        "remote-http" | "remote-https" | "remote-fd" | "remote-ftp" => walk.forbid(NO_PUSH),
        "subtree" | "lfs" | "cinnabar" | "annex" | "hg" if operands.contains(&"push") => {
            walk.forbid(NO_PUSH);
        }
        "annex" if matches!(first, "sync" | "assist" | "copy" | "move") => walk.forbid(NO_PUSH),
        "svn" if matches!(first, "dcommit" | "commit-diff" | "set-tree" | "branch" | "tag") => {
            walk.forbid(NO_PUSH);
        }
        "p4" if first == "submit" => walk.forbid(NO_PUSH),
        "flow" if operands.contains(&"publish") => walk.forbid(NO_PUSH),
        "town" if matches!(first, "sync" | "ship" | "propose" | "repo") => walk.forbid(NO_PUSH),
        "cl" if matches!(first, "upload" | "land") => walk.forbid(NO_PUSH),
        "pr" | "mr" | "spr" | "publish" | "submit" | "ship" | "gerrit-push" => {
            walk.cannot_tell(NO_PUSH);
        }
        "credential" | "credential-store" | "credential-cache" => walk.forbid(NO_SETTING),
        "config" => config(walk, rest),
        "remote" => {
            let writes =
                ["add", "set-url", "rename", "remove", "rm", "set-branches", "set-head"];
            if writes.contains(&first) {
                walk.forbid(NO_SETTING);
            }
        }
        "rebase" => shell_values(walk, rest, &["--exec", "-x"]),
        "difftool" => shell_values(walk, rest, &["--extcmd", "-x"]),
        "grep" => {
            let pagers = |word: &String| {
                let long = word.strip_prefix("--open-files-in-pager=");
                long.or_else(|| word.strip_prefix("-O")).map(str::to_owned)
            };
            for text in rest.iter().filter_map(pagers) {
                walk.script_or_riddle(&text);
            }
        }
        "fetch" | "clone" | "ls-remote" | "pull" | "archive" | "fetch-pack" | "submodule" => {
            shell_values(walk, rest, &["--upload-pack", "-u", "--exec"]);
            for (_, text) in rest.iter().filter_map(|word| word.split_once("ext::")) {
                // In such an address `% ` is a space within a word.
                let whole = text.replace("% ", "\0");
                let words: Vec<String> =
                    whole.split(' ').map(|word| word.replace('\0', " ")).collect();
                walk.call(&words, None);
            }
            if command == "clone" {
                clone(walk, rest);
            }
            if command == "submodule" && first == "foreach" {
                let text: Vec<&str> = operands.iter().skip(1).copied().collect();
                walk.script_or_riddle(&text.join(" "));
            }
        }
        "filter-branch" => {
            for text in rest.iter().filter(|word| !word.starts_with('-')) {
                walk.script_or_riddle(text);
            }
        }
        "bisect" if first == "run" => {
            let at = rest.iter().position(|word| word == "run").unwrap_or(0);
            walk.call(&rest[at + 1..], None);
        }
        "for-each-repo" => {
            let after = super::wrapper::operands(rest, &["--config"]);
            look(walk, after);
        }
        "update-ref" | "symbolic-ref" | "replace" if walk.grounds.seat != Seat::Attempt => {
            walk.forbid(
                "branches are moved by windlass, to what is proven. Leave your work in the files",
            );
        }
        "shell" => shell_values(walk, rest, &["-c"]),
        unknown if unknown.to_lowercase().contains("push") => walk.cannot_tell(
            "this command of git is not known, and its name suggests a push. windlass publishes what \
             is proven",
        ),
        _ => {}
    }
}

/// `--help` opens the manual where it comes first, and `-h` where it stands alone. Elsewhere they may be
/// the value of another option: `git push --repo -h origin main` pushes.
fn asks_for_help(rest: &[String]) -> bool {
    rest.first().is_some_and(|word| word == "--help") || matches!(rest, [only] if only == "-h")
}

/// Options whose value is run by a shell.
fn shell_values(walk: &mut Walk<'_>, words: &[String], names: &[&str]) {
    for (at, word) in words.iter().enumerate() {
        if names.contains(&word.as_str()) {
            if let Some(text) = words.get(at + 1) {
                walk.script_or_riddle(text);
            }
        } else if let Some((name, text)) = word.split_once('=')
            && names.contains(&name)
        {
            walk.script_or_riddle(text);
        } else if let Some(text) = word.strip_prefix("-x").filter(|text| !text.is_empty())
            && names.contains(&"-x")
        {
            walk.script_or_riddle(text);
        }
    }
}

/// A clone of something else is nobody's business, but its settings may be.
fn clone(walk: &mut Walk<'_>, words: &[String]) {
    for (at, word) in words.iter().enumerate() {
        if matches!(word.as_str(), "-c" | "--config") {
            set(walk, words.get(at + 1).map_or("", String::as_str));
        } else if let Some(setting) = word.strip_prefix("--config=") {
            set(walk, setting);
        }
    }
}

/// Looks at `key=value`; gives the alias that it defines.
fn set(walk: &mut Walk<'_>, setting: &str) -> Option<(String, String)> {
    let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
    if let Some(name) = key.to_lowercase().strip_prefix("alias.") {
        return Some((name.to_owned(), value.to_owned()));
    }
    setting_of(walk, key, value);
    None
}

/// Looks at `key=NAME`, where a variable of that name has the value.
fn set_from_environment(walk: &mut Walk<'_>, setting: &str) -> Option<(String, String)> {
    let (key, name) = setting.rsplit_once('=')?;
    let value = walk.shell.read(name).map_or(COMPUTED.to_string(), |values| values.join(" "));
    set(walk, &format!("{key}={value}"))
}

/// What an alias stands for.
fn alias(walk: &mut Walk<'_>, text: &str, rest: &[String]) {
    match text.trim().strip_prefix('!') {
        Some(text) => {
            let after = Walk::as_text(rest);
            walk.script_or_riddle(&format!("{text} {after}"));
        }
        None => {
            let words = shlex::split(text).unwrap_or_else(|| vec![text.to_owned()]);
            let all: Vec<String> = words.into_iter().chain(rest.iter().cloned()).collect();
            walk.call(&std::iter::once("git".to_owned()).chain(all).collect::<Vec<_>>(), None);
        }
    }
}

/// Looks at a setting that is written, in a file or for one call.
fn setting_of(walk: &mut Walk<'_>, key: &str, value: &str) {
    let key = key.to_lowercase();
    if !is_known(&key) {
        walk.cannot_tell("which setting of git this changes cannot be seen. Write its name out");
        return;
    }
    let (section, last) =
        (key.split('.').next().unwrap_or_default(), key.rsplit('.').next().unwrap_or_default());
    let redirects = match section {
        "remote" => matches!(
            last,
            "url"
                | "pushurl"
                | "push"
                | "pushdefault"
                | "receivepack"
                | "uploadpack"
                | "mirror"
                | "vcs"
        ),
        "branch" => last == "pushremote",
        "url" => matches!(last, "insteadof" | "pushinsteadof"),
        "credential" | "include" | "includeif" | "hook" => true,
        "core" => matches!(
            last,
            "hookspath"
                | "sshcommand"
                | "gitproxy"
                | "askpass"
                | "fsmonitor"
                | "worktree"
                | "attributesfile"
                | "alternaterefscommand"
        ),
        "init" => last == "templatedir",
        "submodule" => last == "update" && value.trim_start().starts_with('!'),
        "http" | "https" => matches!(last, "extraheader" | "proxy" | "cookiefile"),
        "help" => last == "autocorrect",
        "protocol" => last == "allow",
        _ => false,
    };
    if redirects {
        walk.forbid(NO_SETTING);
    } else if section == "alias" {
        walk.defined_alias(value);
    } else if matches!(
        last,
        "editor"
            | "pager"
            | "external"
            | "program"
            | "command"
            | "cmd"
            | "textconv"
            | "process"
            | "clean"
            | "smudge"
            | "driver"
            | "difffilter"
            | "defaultkeycommand"
    ) || section == "pager"
    {
        walk.script_or_riddle(value);
    }
}

impl Walk<'_> {
    fn defined_alias(&mut self, text: &str) {
        if is_known(text) {
            alias(self, text, &[]);
        } else {
            self.cannot_tell(NO_SETTING);
        }
    }
}

fn config(walk: &mut Walk<'_>, rest: &[String]) {
    let words = super::wrapper::operands_all(
        rest,
        &["-f", "--file", "--blob", "--type", "--default", "--comment", "--value"],
    );
    let option = |names: &[&str]| rest.iter().any(|word| names.contains(&word.as_str()));
    for (at, word) in rest.iter().enumerate() {
        let file = match word.as_str() {
            "-f" | "--file" => rest.get(at + 1).cloned(),
            other => other.strip_prefix("--file=").map(str::to_owned),
        };
        if let Some(file) = file
            && !option(&["--get", "--list", "-l", "--get-all", "--get-regexp"])
            && words.len() > 1
        {
            walk.file(&file, Access::Write);
        }
    }
    if option(&["-e", "--edit"]) || words.first() == Some(&"edit") {
        walk.forbid(NO_SETTING);
        return;
    }
    let reads = option(&[
        "--get",
        "--get-all",
        "--get-regexp",
        "--get-urlmatch",
        "--list",
        "-l",
        "--get-color",
        "--get-colorbool",
        "--name-only",
    ]);
    let (key, value) = match words.as_slice() {
        ["get" | "list", ..] => return,
        ["set" | "unset", key, rest @ ..] => (*key, rest.first().copied().unwrap_or_default()),
        ["rename-section" | "remove-section", key, rest @ ..] => {
            let other = rest.first().copied().unwrap_or_default();
            (*key, other)
        }
        [key] if !option(&["--unset", "--unset-all", "--remove-section"]) => {
            let _ = key;
            return;
        }
        [key, rest @ ..] => (*key, rest.first().copied().unwrap_or_default()),
        [] => return,
    };
    if reads {
        return;
    }
    if option(&["--rename-section", "--remove-section"])
        || matches!(words.first(), Some(&("rename-section" | "remove-section")))
    {
        for section in [key, value] {
            let section = section.split('.').next().unwrap_or_default().to_lowercase();
            if matches!(
                section.as_str(),
                "remote" | "url" | "credential" | "include" | "alias" | "core"
            ) {
                walk.forbid(NO_SETTING);
            }
        }
        return;
    }
    setting_of(walk, key, value);
}

/// Looks at a variable that is set.
pub(super) fn environment(walk: &mut Walk<'_>, name: &str, value: &str) {
    let harmless = match name {
        "GIT_CONFIG_NOSYSTEM" => true,
        "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" => value == "/dev/null",
        _ => false,
    };
    let leads_elsewhere = name.starts_with("GIT_CONFIG")
        || name.starts_with("GIT_SSH")
        || name.starts_with("GIT_PUSH")
        || matches!(
            name,
            "GIT_ASKPASS"
                | "SSH_ASKPASS"
                | "GIT_PROXY_COMMAND"
                | "GIT_EXEC_PATH"
                | "GIT_TEMPLATE_DIR"
        );
    if leads_elsewhere && !harmless {
        walk.forbid(NO_SETTING);
    }
    let runs = matches!(
        name,
        "GIT_EDITOR"
            | "GIT_SEQUENCE_EDITOR"
            | "EDITOR"
            | "VISUAL"
            | "GIT_PAGER"
            | "PAGER"
            | "MANPAGER"
            | "GIT_EXTERNAL_DIFF"
            | "PROMPT_COMMAND"
            | "PS4"
            | "LESSOPEN"
    );
    if runs && is_known(value) {
        walk.script_apart(value);
    }
}

/// Looks at a variable that is taken away.
pub(super) fn unset(walk: &mut Walk<'_>, name: &str) {
    if name.starts_with("GIT_CONFIG") || name.starts_with("WINDLASS_") {
        walk.forbid(NO_SETTING);
    }
}
