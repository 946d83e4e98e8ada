//! Files that are programs: what of them decides how the work is judged, told apart line by line.
//!
//! Such a file can do anything, so the rule is the other way round: a line that is known to be harmless (a
//! plain dependency with a version, a list of sources) does not count, and every other line does.

use serde_json::{Map, Value};

/// Which kind of program a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Gradle,
    Gemfile,
    Mix,
    Cmake,
    GoMod,
    GoTest,
    Properties,
    Requirements,
}

impl Kind {
    /// Returns the kind of files of this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        match name {
            "Gemfile" | "gems.rb" => Some(Self::Gemfile),
            "mix.exs" => Some(Self::Mix),
            "go.mod" => Some(Self::GoMod),
            "CMakeLists.txt" => Some(Self::Cmake),
            _ if name.ends_with(".cmake") => Some(Self::Cmake),
            _ if name.ends_with(".gradle") || name.ends_with(".gradle.kts") => Some(Self::Gradle),
            _ if name.ends_with("_test.go") => Some(Self::GoTest),
            _ if name.ends_with(".properties") => Some(Self::Properties),
            _ if name.ends_with(".txt") && names_requirements(name) => Some(Self::Requirements),
            _ => None,
        }
    }

    /// Reads a text as a mapping; none where it is not clear where a line ends.
    pub(super) fn read(self, text: &str) -> Option<Value> {
        if text.contains(['\0', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']) {
            return None;
        }
        let mut map = Map::new();
        let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
        match self {
            Self::Gemfile => {
                let counts = |line: &&str| !line.starts_with('#') && !self.is_dependency(line);
                let (lifted, kept): (Vec<&str>, Vec<&str>) =
                    lines().filter(counts).partition(|line| may_be_lifted(line));
                map.insert("settings".to_owned(), kept.into());
                map.insert("+settings".to_owned(), lifted.into());
            }
            Self::Gradle | Self::Mix | Self::Requirements => {
                let comment = if self == Self::Gradle { "//" } else { "#" };
                let counts = |line: &&str| !line.starts_with(comment) && !self.is_dependency(line);
                map.insert("settings".to_owned(), lines().filter(counts).collect());
            }
            Self::Cmake => drop(map.insert("tests".to_owned(), cmake(text)?)),
            Self::GoMod => {
                let mut block = None;
                for line in lines().filter(|line| !line.starts_with("//")) {
                    let words = line.split_once("//").map_or(line, |(words, _)| words).trim();
                    let (word, rest) = words.split_once([' ', '(']).unwrap_or((words, ""));
                    match (block, word) {
                        (Some(_), ")") => block = None,
                        (Some(name), _) => push(&mut map, name, words),
                        (None, name) if words.ends_with('(') => block = Some(name),
                        (None, name) => push(&mut map, name, rest),
                    }
                }
            }
            Self::GoTest => {
                for name in ["TestMain", "init"] {
                    let start = format!("func {name}(");
                    let mut inside = false;
                    for line in text.lines() {
                        // Written as gofmt does, or all of the rest counts.
                        inside |= line.trim_start().starts_with(&start);
                        if inside {
                            push(&mut map, name, line);
                        }
                        inside &= line != "}";
                    }
                }
                // In any other form.
                let squeezed: String = text.split_whitespace().collect();
                for (name, sign) in [("TestMain", "funcTestMain("), ("init", "funcinit(")] {
                    if squeezed.contains(sign) && !map.contains_key(name) {
                        return None;
                    }
                }
            }
            Self::Properties => {
                for line in lines().filter(|line| !line.starts_with(['#', '!'])) {
                    // A line that goes on can hide a name.
                    let (name, value) =
                        line.split_once(['=', ':']).filter(|_| !line.contains('\\'))?;
                    if map.insert(name.trim().to_owned(), value.trim().into()).is_some() {
                        return None;
                    }
                }
            }
        }
        Some(Value::Object(map))
    }

    /// Whether a line names something of the outside with its version, and does nothing else.
    fn is_dependency(self, line: &str) -> bool {
        let line = line.trim_end_matches(',');
        let (word, rest) = line.split_once([' ', '(', ',']).unwrap_or((line, ""));
        match self {
            Self::Gradle => {
                let known = [
                    "mplementation",
                    "api",
                    "ompileOnly",
                    "untimeOnly",
                    "nnotationProcessor",
                    "kapt",
                ];
                known.iter().any(|end| word.ends_with(end)) && only_quoted(rest)
                    || matches!(word, "version" | "group" | "description") && only_quoted(rest)
            }
            // `path: "rig"` or `git:` is something else; `require: false` is common.
            Self::Gemfile => {
                let rest = rest.replace(", require: false", "");
                let rest = rest.split_once(" #").map_or(rest.as_str(), |(code, _)| code);
                word == "gem" && only_quoted(rest)
            }
            Self::Mix => {
                line.starts_with("{:") && {
                    let rest = line.trim_start_matches("{:").trim_end_matches('}');
                    let rest = rest.split_once(", ").map_or("", |(_, version)| version);
                    let rest = rest.replace(", only: :dev", "").replace(", runtime: false", "");
                    only_quoted(&rest)
                } || line.starts_with("version: \"") && only_quoted(rest)
                    || line.starts_with("@version \"") && only_quoted(rest)
            }
            Self::Requirements => {
                let plain = |c: char| c.is_alphanumeric() || " ._-[],=<>!~*;'\"()#".contains(c);
                line.starts_with(char::is_alphanumeric) && line.chars().all(plain)
            }
            Self::Cmake | Self::GoMod | Self::GoTest | Self::Properties => false,
        }
    }
}

/// Whether a file holds what pip is to install.
pub(crate) fn names_requirements(name: &str) -> bool {
    ["requirements", "constraints"].iter().any(|part| name.contains(part))
}

/// Whether a line of a `Gemfile` may go: a condition, or where else than from the registry a gem comes from.
/// What is at hand instead of a gem has to stay.
fn may_be_lifted(line: &str) -> bool {
    let code = line.split_once(" #").map_or(line, |(code, _)| code);
    let word = code.split([' ', '(']).next().unwrap_or(code);
    let source = ["github:", "git:", "platforms:", "platform:", " if ", " unless "];
    let is_gem = word == "gem" && source.iter().any(|part| code.contains(part));
    (is_gem || ["if", "unless", "elsif", "else", "end"].contains(&word)) && !code.contains("path")
}

/// Whether a text is nothing but quoted words: a call or a word without quotes can be anything.
fn only_quoted(text: &str) -> bool {
    let between = |c: char| " (),=".contains(c);
    let harmless = |c: char| c.is_alphanumeric() || " .:_-/~><=^*,@+!".contains(c);
    let mut rest = text.trim_start_matches(between);
    let any = !rest.is_empty();
    while let Some(sign) = rest.chars().next() {
        if !['"', '\''].contains(&sign) {
            return false;
        }
        let Some((inside, after)) = rest[1..].split_once(sign) else { return false };
        if !inside.chars().all(harmless) {
            return false;
        }
        rest = after.trim_start_matches(between);
    }
    any
}

fn push(map: &mut Map<String, Value>, name: &str, line: &str) {
    let list = map.entry(name).or_insert_with(|| Value::Array(Vec::new()));
    if let Some(list) = list.as_array_mut() {
        list.push(line.into());
    }
}

/// The commands that are about tests, each with the conditions that it stands under, and those that can end
/// or change the rest.
fn cmake(text: &str) -> Option<Value> {
    if text.contains("#[") || text.contains("[[") {
        return None;
    }
    let plain: Vec<&str> = text
        .lines()
        .map(|line| line.split_once('#').map_or(line, |(code, _)| code).trim())
        .collect();
    let plain = plain.join(" ");
    let mut rest = plain.trim();
    let (mut counts, mut above) = (Vec::new(), Vec::<String>::new());
    while let Some((name, after)) = rest.split_once('(') {
        let (mut level, mut end, mut in_text, mut escaped) = (1, None, false, false);
        for (at, sign) in after.char_indices() {
            if std::mem::take(&mut escaped) {
                continue;
            }
            escaped = sign == '\\';
            in_text ^= sign == '"';
            level += i32::from(sign == '(' && !in_text) - i32::from(sign == ')' && !in_text);
            if level == 0 {
                end = Some(at);
                break;
            }
        }
        let (words, after) = after.split_at(end?);
        rest = after.get(1..).unwrap_or_default().trim();
        let name = name.trim().to_lowercase();
        // Who else sees what a target is linked with decides nothing about it.
        let links = name == "target_link_libraries";
        let decides = |word: &&str| !links || !["PUBLIC", "PRIVATE", "INTERFACE"].contains(word);
        let words: Vec<&str> = words.split_whitespace().filter(decides).collect();
        let words = words.join(" ");
        let said = format!("{name}({words})");
        match name.as_str() {
            "endif" | "endforeach" | "endwhile" | "endfunction" | "endmacro" | "endblock" => {
                above.pop();
                continue;
            }
            "elseif" | "else" => {
                if let Some(last) = above.last_mut() {
                    last.push_str(&said);
                }
                continue;
            }
            _ => {}
        }
        let about = words.to_lowercase();
        let by_name = name.contains("test")
            || ["return", "cmake_language", "variable_watch", "include_guard"]
                .contains(&name.as_str());
        let variable = name == "set" && (about.starts_with("cmake_") || about.starts_with("ctest"));
        let speaks =
            about.contains("test") && !["message", "project", "option"].contains(&name.as_str());
        if by_name || variable || speaks {
            counts.push(Value::String(format!("{} {said}", above.join(" "))));
        }
        if ["if", "foreach", "while", "function", "macro", "block"].contains(&name.as_str()) {
            above.push(said);
        }
    }
    rest.is_empty().then_some(Value::Array(counts))
}
