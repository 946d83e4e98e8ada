//! A scripted `gh`: answers from files, writes down every call, and refuses what it does not know.
//!
//! `WINDLASS_FAKE_GH` names its folder: `issues.json` and `prs.json` are what the forge has,
//! `failures.json` says which calls fail and how, `calls.jsonl` lists the arguments of every call.
//! A call or flag that is not written here ends with code 64: windlass may use no more of `gh` than
//! this, and every form here is one of the real program's.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::{Value, json};

/// What the forge calls the repository.
const PAGE: &str = "https://forge.example/ada/project";

/// The code for a call that this program does not know.
const UNKNOWN: u8 = 64;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = std::env::var_os("WINDLASS_FAKE_GH").map(PathBuf::from) else {
        return refuse(UNKNOWN, "WINDLASS_FAKE_GH is not set");
    };
    match answer(&Forge { folder }, &arguments) {
        Ok(code) => code,
        Err(error) => refuse(70, &format!("the scripted gh failed: {error}")),
    }
}

fn refuse(code: u8, said: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{said}");
    ExitCode::from(code)
}

fn print(text: &str) -> io::Result<ExitCode> {
    writeln!(io::stdout(), "{text}")?;
    Ok(ExitCode::SUCCESS)
}

struct Forge {
    folder: PathBuf,
}

impl Forge {
    fn read(&self, name: &str) -> io::Result<Value> {
        Ok(serde_json::from_slice(&fs_err::read(self.folder.join(name))?)?)
    }

    fn write(&self, name: &str, value: &Value) -> io::Result<()> {
        let new = self.folder.join(format!("{name}.new"));
        fs_err::write(&new, serde_json::to_vec_pretty(value)?)?;
        fs_err::rename(new, self.folder.join(name))
    }

    fn list(&self, name: &str) -> io::Result<Vec<Value>> {
        Ok(self.read(name)?.as_array().cloned().unwrap_or_default())
    }

    /// Writes a call down with the variables that keep `gh` quiet.
    fn note(&self, arguments: &[String]) -> io::Result<()> {
        let path = self.folder.join("calls.jsonl");
        let mut file = fs_err::OpenOptions::new().create(true).append(true).open(path)?;
        let quiet = ["GH_PROMPT_DISABLED", "GIT_TERMINAL_PROMPT", "NO_COLOR"];
        let quiet = quiet.iter().all(|name| std::env::var_os(name).is_some());
        let folder = std::env::current_dir()?;
        let line = json!({ "arguments": arguments, "folder": folder, "quiet": quiet });
        file.write_all(format!("{line}\n").as_bytes())
    }
}

/// A call taken apart. Every flag has the form `--name=value`, or is one of those without a value.
struct Parsed<'a> {
    words: Vec<&'a str>,
    flags: BTreeMap<&'a str, &'a str>,
}

impl<'a> Parsed<'a> {
    fn of(arguments: &'a [String]) -> Option<Self> {
        let (mut words, mut flags) = (Vec::new(), BTreeMap::new());
        for argument in arguments {
            match argument.strip_prefix("--") {
                Some(flag) => {
                    let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
                    if flags.insert(name, value).is_some() {
                        return None;
                    }
                }
                None if argument.starts_with('-') => return None,
                None => words.push(argument.as_str()),
            }
        }
        Some(Self { words, flags })
    }

    /// Whether the call has exactly these flags, and perhaps those.
    fn has(&self, needed: &[&str], allowed: &[&str]) -> bool {
        needed.iter().all(|name| self.flags.contains_key(name))
            && self.flags.keys().all(|name| needed.contains(name) || allowed.contains(name))
    }
}

fn answer(forge: &Forge, arguments: &[String]) -> io::Result<ExitCode> {
    forge.note(arguments)?;
    let unknown = || refuse(UNKNOWN, &format!("the scripted gh does not know: {arguments:?}"));
    let Some(parsed) = Parsed::of(arguments) else { return Ok(unknown()) };
    let name = match parsed.words.as_slice() {
        [] if parsed.has(&["version"], &[]) => "version",
        ["auth", "token"] if parsed.has(&[], &["hostname"]) => "auth token",
        ["issue", "view", _] if parsed.has(&["json"], &["repo"]) => "issue view",
        ["pr", "list"] if parsed.has(&["head", "state", "limit", "json"], &["repo"]) => "pr list",
        ["pr", "create"]
            if parsed.has(&["title", "body-file", "base", "head"], &["repo", "draft"]) =>
        {
            "pr create"
        }
        ["pr", "edit", _] if parsed.has(&["title", "body-file"], &["repo"]) => "pr edit",
        _ => return Ok(unknown()),
    };
    let failures = forge.read("failures.json")?;
    let failure = failures.get(name).or_else(|| failures.get("*")).and_then(Value::as_str);
    if let Some(code) = failure.map(|failure| fail(name, failure)).transpose()?.flatten() {
        return Ok(code);
    }
    match name {
        "version" => print("gh version 2.63.2 (2024-12-05)\nhttps://forge.example/releases"),
        "auth token" => print("gho_this_must_never_be_read"),
        "issue view" => view_issue(forge, &parsed),
        "pr list" => list(forge, &parsed),
        "pr create" => create(forge, &parsed, failure),
        _ => edit(forge, &parsed),
    }
}

/// Fails as told; none when the failure comes later, or is none of this call's.
fn fail(name: &str, failure: &str) -> io::Result<Option<ExitCode>> {
    let code = match failure {
        "not-signed-in" if name == "version" => return Ok(None),
        "not-signed-in" if name == "auth token" => refuse(1, "no oauth token found for forge"),
        "not-signed-in" => refuse(4, "To get started with GitHub CLI, please run:  gh auth login"),
        "token-refused" if name == "version" || name == "auth token" => return Ok(None),
        "token-refused" => refuse(1, "HTTP 401: Bad credentials (https://api.forge.example)"),
        "no-network" if name == "version" || name == "auth token" => return Ok(None),
        "no-network" => {
            refuse(1, "error connecting to api.forge.example\ncheck your internet connection")
        }
        "garbage" => print("<!DOCTYPE html><p>502 Bad Gateway</p>")?,
        "refuse" => refuse(1, "GraphQL: Something went wrong (createPullRequest)"),
        "hang" => loop {
            std::thread::park();
        },
        "flood" => flood()?,
        "fail-after" => return Ok(None),
        other => refuse(UNKNOWN, &format!("the scripted gh does not know the failure {other}")),
    };
    Ok(Some(code))
}

/// A hundred megabytes in one line of JSON.
fn flood() -> io::Result<ExitCode> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(b"{\"title\":\"")?;
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..100 {
        // A reader that has had enough closes its end.
        if stdout.write_all(&piece).is_err() {
            return Ok(ExitCode::FAILURE);
        }
    }
    stdout.write_all(b"\"}\n")?;
    Ok(ExitCode::SUCCESS)
}

/// Keeps the fields that were asked for; an unknown one is refused as the real program does.
fn picked(value: &Value, fields: &str) -> Result<Value, String> {
    let mut kept = serde_json::Map::new();
    for field in fields.split(',') {
        let found = value.get(field).ok_or(format!("Unknown JSON field: \"{field}\""))?;
        kept.insert(field.to_owned(), found.clone());
    }
    Ok(Value::Object(kept))
}

fn view_issue(forge: &Forge, call: &Parsed<'_>) -> io::Result<ExitCode> {
    let number = call.words[2];
    let issues = forge.list("issues.json")?;
    let Some(issue) = issues.iter().find(|issue| issue["number"].as_u64() == number.parse().ok())
    else {
        return Ok(refuse(
            1,
            &format!(
                "GraphQL: Could not resolve to an issue or pull request with the number of \
                 {number}. (repository.issue)"
            ),
        ));
    };
    match picked(issue, call.flags["json"]) {
        Ok(issue) => print(&issue.to_string()),
        Err(error) => Ok(refuse(1, &error)),
    }
}

fn list(forge: &Forge, call: &Parsed<'_>) -> io::Result<ExitCode> {
    if call.flags["state"] != "all" {
        return Ok(refuse(UNKNOWN, "the scripted gh lists pull requests of all states only"));
    }
    let requests = forge.list("prs.json")?;
    let of_head = requests.iter().filter(|pr| pr["headRefName"] == call.flags["head"]);
    let picked: Result<Vec<_>, _> = of_head.map(|pr| picked(pr, call.flags["json"])).collect();
    match picked {
        Ok(picked) => print(&Value::Array(picked).to_string()),
        Err(error) => Ok(refuse(1, &error)),
    }
}

fn create(forge: &Forge, call: &Parsed<'_>, failure: Option<&str>) -> io::Result<ExitCode> {
    let (base, head) = (call.flags["base"], call.flags["head"]);
    let mut requests = forge.list("prs.json")?;
    let same = |pr: &&Value| {
        pr["headRefName"] == head
            && pr["baseRefName"] == base
            && pr["state"] == "OPEN"
            && pr["isCrossRepository"] == false
    };
    if let Some(found) = requests.iter().find(same) {
        let url = found["url"].as_str().unwrap_or_default();
        let said = format!(
            "a pull request for branch \"{head}\" into branch \"{base}\" already exists:\n{url}"
        );
        return Ok(refuse(1, &said));
    }
    let Some(commit) = pushed(head)? else {
        return Ok(refuse(1, "pull request create failed: GraphQL: Head sha can't be blank"));
    };
    let title = call.flags["title"];
    if title.is_empty() || title.contains('\n') {
        return Ok(refuse(1, "pull request create failed: GraphQL: Title can't be blank"));
    }
    let body = fs_err::read_to_string(Path::new(call.flags["body-file"]))?;
    if body.chars().count() > 65_536 {
        return Ok(refuse(1, "GraphQL: Body is too long (maximum is 65536 characters)"));
    }
    let issues = forge.list("issues.json")?;
    let numbers = issues.iter().chain(&requests).filter_map(|entry| entry["number"].as_u64());
    let number = numbers.max().unwrap_or(0) + 1;
    let url = format!("{PAGE}/pull/{number}");
    requests.push(json!({
        "number": number, "url": url, "state": "OPEN", "title": title, "body": body,
        "baseRefName": base, "headRefName": head, "headRefOid": commit,
        "isCrossRepository": false, "isDraft": call.flags.contains_key("draft"),
    }));
    forge.write("prs.json", &Value::Array(requests))?;
    if failure == Some("fail-after") {
        return Ok(refuse(1, "error connecting to api.forge.example"));
    }
    print(&url)
}

/// Where the branch is at the remote of the checkout that this was called in.
fn pushed(head: &str) -> io::Result<Option<String>> {
    let reference = format!("refs/heads/{head}");
    let output = Command::new("git").args(["ls-remote", "--", "origin", &reference]).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.split_once('\t').map(|(commit, _)| commit.to_owned()))
}

fn edit(forge: &Forge, call: &Parsed<'_>) -> io::Result<ExitCode> {
    let number = call.words[2];
    let mut requests = forge.list("prs.json")?;
    let Some(found) = requests.iter_mut().find(|pr| pr["number"].as_u64() == number.parse().ok())
    else {
        return Ok(refuse(1, "GraphQL: Could not resolve to a PullRequest"));
    };
    found["title"] = call.flags["title"].into();
    found["body"] = fs_err::read_to_string(Path::new(call.flags["body-file"]))?.into();
    let url = found["url"].as_str().unwrap_or_default().to_owned();
    forge.write("prs.json", &Value::Array(requests))?;
    print(&url)
}
