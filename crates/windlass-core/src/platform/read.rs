//! One pack, read.

use std::collections::BTreeMap;

use super::keys;
use super::kind;
use super::listing::is_pattern;
use super::{
    CommandName, Conventions, CoverageBySize, FileTest, MAX_PACK_BYTES, MatchMode, Pack,
    PackSource, Way, is_pack_name,
};
use crate::glob;
use crate::id::ContentHash;
use crate::measure::Percent;
use crate::protect::{Only, Protected, can_have_keys};
use crate::source::diagnostic::{Findings, Located};
use crate::source::fields::{self, Fields};
use crate::source::suggest::{self, shown};
use crate::source::yaml::{self, Node, Value};
use crate::source::{At, Diagnostic};
use crate::time::Span;

/// How long a command of a pack may take unless it says otherwise.
pub(super) const TIMEOUT: Span = Span::minutes(30);

/// What is asked of a story unless the pack says otherwise.
pub(super) const COVERAGE: CoverageBySize = CoverageBySize {
    s: Percent::whole(70),
    m: Percent::whole(75),
    l: Percent::whole(80),
    xl: Percent::whole(80),
};

/// The least of all priorities that packs have when they say nothing.
const PRIORITY: u32 = 50;

/// The highest priority.
const MAX_PRIORITY: u32 = 1000;

/// Which files of a rule count.
const ONLY: [(&str, Only); 4] = [
    ("existing", Only::Existing),
    ("new", Only::New),
    ("helpers", Only::Helpers),
    ("shadows", Only::Shadows),
];

/// The longest list of anything.
const MAX_LIST: usize = 60;

/// The longest text that is told to agents.
const MAX_TEXT: usize = 400;

/// The longest command.
const MAX_COMMAND: usize = 2000;

/// The longest path or glob.
const MAX_PATH: usize = 200;

/// What helps where nothing better is known.
const HELP: &str = "`windlass platform show rust` prints a platform as it should be";

impl Pack {
    /// Reads the bytes of a pack; `file_name` is what findings call it.
    ///
    /// All findings of one reading come back together, in the order of the file.
    pub fn parse(source: &[u8], file_name: &str) -> Result<Self, Vec<Diagnostic>> {
        Self::parse_with_warnings(source, file_name).map(|(pack, _)| pack)
    }

    /// Reads the bytes of a pack like [`Pack::parse`], and returns what is not used of it as well.
    pub fn parse_with_warnings(
        source: &[u8],
        file_name: &str,
    ) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        let mut findings = Findings::new(file_name);
        match read(source, file_name, &mut findings) {
            Some(pack) if !findings.has_errors() => Ok((pack, findings.into_sorted())),
            Some(_) | None => {
                findings.help_where_missing(HELP);
                Err(findings.into_sorted())
            }
        }
    }
}

fn read(source: &[u8], file_name: &str, findings: &mut Findings) -> Option<Pack> {
    if source.len() > MAX_PACK_BYTES {
        let message = format!("the file has {} bytes, more than {MAX_PACK_BYTES}", source.len());
        findings.error_with_help(At::START, message, "is this the platform's file?");
        return None;
    }
    let hash = ContentHash::of(source);
    let mut root = tree(findings.utf8(source)?, findings)?;
    kind::with_named(&mut root, findings);
    let fields = Fields::read_kindly(&root, &keys::PACK, findings)?;
    let name = name(&fields, "name", findings);
    let display_name = fields.get("displayName").and_then(|node| text(node, findings));
    let version = match fields.get("version") {
        Some(node) => kind::texts(node, findings).into_iter().next(),
        None => {
            findings.warning(root.at, "a platform without `version`: 0 is taken", "add one");
            None
        }
    };
    let family = fields.get("family").and_then(|_| self::name(&fields, "family", findings));
    let markers = fields.required("markers", keys::PACK.of, findings);
    let markers = markers.map(|node| file_tests(node, findings)).unwrap_or_default();
    if let Some(node) = fields.get("markers").filter(|node| is_empty(node)) {
        let help = "name the file that such a project always has, such as `[\"Cargo.toml\"]`";
        findings.error_with_help(node.at, "there is no marker: nothing would ever match", help);
    }
    let modes = [("any", MatchMode::Any), ("all", MatchMode::All)];
    let match_mode = fields.get("matchMode").and_then(|node| fields::word(node, &modes, findings));
    let priority = fields.get("priority").and_then(|node| priority(node, findings));
    let members = fields.get("members").map(|node| file_tests(node, findings));
    let wraps = fields.get("wraps").and_then(|node| fields::boolean(node, findings));
    let reports = fields.get("reports").map(|node| Reports::read(node, findings));
    let commands = fields.required("commands", keys::PACK.of, findings);
    let more_commands = commands.map(|node| more_commands(node, findings)).unwrap_or_default();
    let commands = commands.map(|node| commands_of(node, reports.unwrap_or_default(), findings));
    let commands = commands.unwrap_or_default();
    let conventions = fields.get("conventions").map(|node| conventions(node, findings));
    let (coverage, required) = quality_gates(&fields, &commands, findings);
    let structure = fields.get("projectStructure").map(|node| structure(node, findings));
    let skills = fields.get("skills").map(|node| kind::texts(node, findings)).unwrap_or_default();
    let test_files = match fields.get("testFiles") {
        Some(node) => globs(node, findings),
        None => kind::usual_tests(&root, findings),
    };
    if let Some(node) = fields.get("testFiles").filter(|node| is_empty(node)) {
        let help = "name the files that hold tests, such as `[\"tests/**\"]`";
        findings.error_with_help(node.at, "there is no glob: no file would be a test", help);
    }
    let protect = fields.get("protect").map(|node| protected(node, findings)).unwrap_or_default();
    let name = name?;
    Some(Pack {
        display_name: display_name.unwrap_or_else(|| name.clone()),
        version: version.unwrap_or_else(|| "0".to_owned()),
        family: family.unwrap_or_else(|| name.clone()),
        name,
        markers,
        match_mode: match_mode.unwrap_or(MatchMode::Any),
        priority: priority.unwrap_or(PRIORITY),
        members,
        wraps: wraps.unwrap_or(false),
        commands,
        more_commands,
        conventions: conventions.unwrap_or_default(),
        coverage,
        required,
        project_structure: structure.unwrap_or_default(),
        skills,
        test_files,
        protect,
        source: PackSource::File(file_name.to_owned()),
        hash,
    })
}

/// Reads JSON as a tree that knows its places. Every JSON text is YAML, and the reader of that counts
/// lines; that it is JSON is looked at first, because other programs read the file as well.
fn tree(text: &str, findings: &mut Findings) -> Option<Node> {
    let json = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(json) {
        let line_start = json.split_inclusive('\n').take(error.line().saturating_sub(1));
        let offset = line_start.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
        let mut offset = offset.min(json.len());
        while !json.is_char_boundary(offset) {
            offset -= 1;
        }
        let said = error.to_string();
        let said = said.split(" at line ").next().unwrap_or_default();
        let at = At { len: 0, ..At::of_offset(json, offset) };
        findings.error_with_help(at, format!("this is not JSON: {said}"), "correct it there");
        return None;
    }
    // Tabs only stand between the parts of JSON, and YAML does not take them there.
    yaml::parse(&json.replace('\t', " "), findings)
}

fn name(fields: &Fields<'_>, key: &str, findings: &mut Findings) -> Option<String> {
    let node = fields.required(key, keys::PACK.of, findings)?;
    let name = fields::filled_text(node, findings)?;
    if !is_pack_name(&name.value) {
        findings.error_with_help(
            name.at,
            format!("{} cannot be the name of a platform", shown(&name.value)),
            "use at most 64 lower-case letters, digits, `-` and `_`, with a letter or a digit in \
             front; `none` and `detect` mean something else",
        );
        return None;
    }
    Some(name.value)
}

/// Reads a text of one line that is told to people and agents.
fn text(node: &Node, findings: &mut Findings) -> Option<String> {
    let text = fields::filled_text(node, findings)?;
    one_line(&text, MAX_TEXT, findings)
}

fn one_line(text: &Located<String>, most: usize, findings: &mut Findings) -> Option<String> {
    if text.value.len() > most {
        let message = format!("this text has {} bytes, more than {most}", text.value.len());
        findings.error_with_help(text.at, message, "say it in fewer words");
        return None;
    }
    if text.value.chars().any(char::is_control) {
        let help = "write it on one line, without control characters";
        findings.error_with_help(text.at, "expected one line of text", help);
        return None;
    }
    Some(text.value.trim().to_owned())
}

/// Returns the nodes of one value or of a list, as many as there may be.
fn several<'n>(node: &'n Node, findings: &mut Findings) -> &'n [Node] {
    let nodes = fields::one_or_more(node);
    if nodes.len() > MAX_LIST {
        let message = format!("this list has {} entries, more than {MAX_LIST}", nodes.len());
        findings.error_with_help(node.at, message, "keep the most important ones");
        return &[];
    }
    nodes
}

fn is_empty(node: &Node) -> bool {
    matches!(&node.value, Value::List(nodes) if nodes.is_empty())
}

fn texts(node: &Node, findings: &mut Findings) -> Vec<String> {
    several(node, findings).iter().filter_map(|node| text(node, findings)).collect()
}

fn globs(node: &Node, findings: &mut Findings) -> Vec<String> {
    several(node, findings).iter().filter_map(|node| path(node, findings)).collect()
}

/// Reads files that judge the work.
fn protected(node: &Node, findings: &mut Findings) -> Vec<Protected> {
    several(node, findings).iter().filter_map(|node| protected_one(node, findings)).collect()
}

fn protected_one(node: &Node, findings: &mut Findings) -> Option<Protected> {
    if !matches!(node.value, Value::Map(_)) {
        return path(node, findings).map(Protected::whole);
    }
    let fields = Fields::read(node, &keys::PROTECT, findings)?;
    let only = fields.get("only").and_then(|node| fields::word(node, &ONLY, findings));
    let later = fields.get("later").and_then(|node| fields::boolean(node, findings));
    let later = later.unwrap_or_default();
    let keys = fields.get("keys").map(|node| {
        let nodes = several(node, findings);
        nodes.iter().filter_map(|node| text(node, findings)).collect::<Vec<_>>()
    });
    let keys = keys.unwrap_or_default();
    let node = fields.required("file", keys::PROTECT.of, findings)?;
    let file = path(node, findings)?;
    if !keys.is_empty() {
        can_have_keys(&file, node.at, findings);
    }
    Some(Protected { keys, only, later, ..Protected::whole(file) })
}

/// Reads a path or a glob below the root.
fn path(node: &Node, findings: &mut Findings) -> Option<String> {
    let text = fields::filled_text(node, findings)?;
    let path = one_line(&text, MAX_PATH, findings)?;
    if let Err(bad) = glob::stays_inside(&path) {
        let message = format!("{}: {bad}", shown(&path));
        findings.error_with_help(text.at, message, "paths are relative to the platform's root");
        return None;
    }
    if let Err(bad) = glob::compile(&path) {
        let message = format!("{} is not a glob: {}", shown(&path), bad.kind());
        findings.error_with_help(text.at, message, "put `\\` before a sign that is meant as such");
        return None;
    }
    Some(path)
}

/// Reads a path that means itself.
fn plain_path(node: &Node, findings: &mut Findings) -> Option<String> {
    let found = path(node, findings)?;
    if is_pattern(&found) {
        let message = format!("expected one file, found the glob {}", shown(&found));
        findings.error_with_help(node.at, message, "write the file's name");
        return None;
    }
    Some(found)
}

fn file_tests(node: &Node, findings: &mut Findings) -> Vec<FileTest> {
    several(node, findings).iter().filter_map(|node| file_test(node, findings)).collect()
}

fn file_test(node: &Node, findings: &mut Findings) -> Option<FileTest> {
    let mut test = FileTest::default();
    let file = if let Value::Map(_) = node.value {
        let fields = Fields::read(node, &keys::FILE_TEST, findings)?;
        if let Some(any) = fields.get("any") {
            test.any = file_tests(any, findings);
            return (!test.any.is_empty()).then_some(test);
        }
        let mut get = |key: &str| {
            let text = fields::filled_text(fields.get(key)?, findings)?;
            one_line(&text, MAX_TEXT, findings)
        };
        (test.contains, test.lacks, test.key) = (get("contains"), get("lacks"), get("key"));
        (test.calls, test.depends, test.target) = (get("calls"), get("depends"), get("target"));
        if test.calls.is_some() && test.key.is_none() {
            let help = "name the key whose value is the command, such as `scripts.test`";
            findings.error_with_help(node.at, "`calls` says nothing without `key`", help);
        }
        fields.required("file", keys::FILE_TEST.of, findings)?
    } else {
        node
    };
    test.file = path(file, findings)?;
    if test.file.rsplit_once('/').is_some_and(|(folders, _)| is_pattern(folders))
        || test.file.contains("**")
    {
        findings.error_with_help(
            file.at,
            format!("{} looks into folders that it does not name", shown(&test.file)),
            "only the last part may have `*`: a file is looked for in the root, or in a folder of it",
        );
        return None;
    }
    Some(test)
}

fn priority(node: &Node, findings: &mut Findings) -> Option<u32> {
    let priority = fields::small_count(node, 0, findings)?;
    if priority > MAX_PRIORITY {
        let message = format!("expected a priority from 0 to {MAX_PRIORITY}");
        findings.error_with_help(node.at, message, "shipped platforms have 20 to 60");
        return None;
    }
    Some(priority)
}

/// Where reports land unless a command says otherwise.
#[derive(Default)]
struct Reports {
    test: Option<String>,
    coverage: Option<String>,
}

impl Reports {
    fn read(node: &Node, findings: &mut Findings) -> Self {
        let Some(fields) = Fields::read(node, &keys::REPORTS, findings) else {
            return Self::default();
        };
        let mut get = |key: &str| path(fields.get(key)?, findings);
        Self { test: get("test"), coverage: get("coverage") }
    }

    fn of(&self, name: CommandName) -> Option<&String> {
        match name {
            CommandName::Test => self.test.as_ref(),
            CommandName::Coverage => self.coverage.as_ref(),
            CommandName::Build
            | CommandName::Lint
            | CommandName::LintFix
            | CommandName::Run
            | CommandName::Prepare => None,
        }
    }
}

fn commands_of(
    node: &Node,
    reports: Reports,
    findings: &mut Findings,
) -> BTreeMap<CommandName, Vec<Way>> {
    let mut commands = BTreeMap::new();
    let Some(fields) = fields::entries(node, "`commands`", findings) else { return commands };
    let fields: BTreeMap<&str, &Node> = fields.iter().map(|(key, _, node)| (*key, *node)).collect();
    for name in CommandName::ALL {
        let Some(node) = fields.get(name.as_str()).copied() else { continue };
        let mut ways = Vec::new();
        for node in several(node, findings) {
            let Some(mut way) = way(node, findings) else { continue };
            way.report = way.report.or_else(|| reports.of(name).cloned());
            if name == CommandName::Coverage && way.report.is_none() {
                let help = "say with `report`, or with `reports.coverage`, where it writes them";
                let message = "without a report no coverage is known";
                findings.error_with_help(node.at, message, help);
            }
            ways.push(way);
        }
        if let Some(last) =
            ways.split_last().and_then(|(_, before)| before.iter().position(Way::always_fits))
        {
            let message =
                format!("way {} of `{name}` always fits, so those below it never count", last + 1);
            findings.error_with_help(node.at, message, "give it an `if`, or put it last");
        }
        if !ways.is_empty() {
            commands.insert(name, ways);
        }
    }
    commands
}

/// Reads commands of other names: no check is made of them, and agents are told.
fn more_commands(node: &Node, findings: &mut Findings) -> BTreeMap<String, String> {
    let mut more = BTreeMap::new();
    let Value::Map(pairs) = &node.value else { return more };
    for (key, node) in pairs {
        let Some(name) = kind::text_of(key) else { continue };
        if CommandName::parse(name).is_some() {
            continue;
        }
        let help = suggest::help(name, CommandName::ALL.into_iter().map(CommandName::as_str));
        let help = help.unwrap_or_else(|| "agents are told it; no check is made of it".to_owned());
        let message = format!("{} is not a command that windlass runs", shown(name));
        findings.warning(key.at, message, help);
        let text = kind::texts(node, findings).join(" && ");
        if !text.is_empty() && one_word(name) {
            more.insert(name.to_owned(), text);
        }
    }
    more
}

fn one_word(name: &str) -> bool {
    name.len() <= MAX_PATH && !name.chars().any(|c| c.is_control() || c.is_whitespace())
}

impl Way {
    fn always_fits(&self) -> bool {
        self.when.is_empty() && self.needs.is_empty() && self.unless.is_empty()
    }
}

fn way(node: &Node, findings: &mut Findings) -> Option<Way> {
    let plain = |run: String| Way {
        run,
        when: Vec::new(),
        needs: Vec::new(),
        unless: Vec::new(),
        from: None,
        report: None,
        lock: None,
        protect: Vec::new(),
        timeout: TIMEOUT,
    };
    if !matches!(node.value, Value::Map(_)) {
        return command(node, findings).map(plain);
    }
    let fields = Fields::read(node, &keys::WAY, findings)?;
    let run = fields.required("run", keys::WAY.of, findings);
    let run = run.and_then(|node| command(node, findings));
    let when = fields.get("if").map(|node| file_tests(node, findings));
    let mut programs =
        |key: &str| fields.get(key).map(|node| texts(node, findings)).unwrap_or_default();
    let (needs, unless) = (programs("needs"), programs("unless"));
    let report = fields.get("report").and_then(|node| path(node, findings));
    let lock = fields.get("lock").and_then(|node| plain_path(node, findings));
    let protect = fields.get("protect").map(|node| protected(node, findings));
    let timeout = fields.get("timeout").and_then(|node| fields::span(node, findings));
    Some(Way {
        when: when.unwrap_or_default(),
        needs,
        unless,
        report,
        lock,
        protect: protect.unwrap_or_default(),
        timeout: timeout.unwrap_or(TIMEOUT),
        ..plain(run?)
    })
}

fn command(node: &Node, findings: &mut Findings) -> Option<String> {
    let text = fields::filled_text(node, findings)?;
    one_line(&text, MAX_COMMAND, findings)
}

/// Reads conventions; forms other than those of windlass become texts that agents are told.
fn conventions(node: &Node, findings: &mut Findings) -> Conventions {
    let mut conventions = Conventions::default();
    let Value::Map(pairs) = &node.value else {
        conventions.patterns = kind::texts(node, findings);
        return conventions;
    };
    for (key, node) in pairs {
        match kind::text_of(key) {
            Some("naming") => conventions.naming = kind::texts(node, findings),
            Some("patterns") => conventions.patterns.extend(kind::texts(node, findings)),
            Some("commitFormat") => conventions.commit_format = text(node, findings),
            Some(other) => {
                let texts = kind::texts(node, findings);
                let told = texts.into_iter().map(|text| format!("{other}: {text}"));
                conventions.patterns.extend(told.filter(|text| text.len() <= MAX_TEXT));
            }
            None => {}
        }
    }
    conventions
}

fn quality_gates(
    fields: &Fields<'_>,
    commands: &BTreeMap<CommandName, Vec<Way>>,
    findings: &mut Findings,
) -> (CoverageBySize, Vec<CommandName>) {
    let mut coverage = COVERAGE;
    let gates = fields.get("qualityGates");
    let Some(gates) =
        gates.and_then(|node| Fields::read_kindly(node, &keys::QUALITY_GATES, findings))
    else {
        return (coverage, Vec::new());
    };
    if let Some(node) = gates.get("coverage") {
        coverage = coverage_by_size(node, findings);
    }
    let mut required = Vec::new();
    for node in gates.get("required").map(|node| several(node, findings)).unwrap_or_default() {
        let Some(name) = fields::filled_text(node, findings) else { continue };
        match CommandName::parse(&name.value) {
            Some(name) if commands.contains_key(&name) => required.push(name),
            Some(name) => findings.error_with_help(
                node.at,
                format!("`{name}` is required, and there is no such command"),
                format!("add `{name}` to `commands`, or take it out here"),
            ),
            None => {
                let known = CommandName::ALL.into_iter().map(CommandName::as_str);
                let help = suggest::help(&name.value, known).unwrap_or_else(|| HELP.to_owned());
                let message = format!("{} is not a command of a platform", shown(&name.value));
                findings.warning(node.at, message, help);
            }
        }
    }
    (coverage, required)
}

/// Reads one percentage for all sizes, or one for each; a size that is left out has that of the next
/// smaller one.
fn coverage_by_size(node: &Node, findings: &mut Findings) -> CoverageBySize {
    if !matches!(node.value, Value::Map(_)) {
        let all = percent(node, findings).unwrap_or(COVERAGE.m);
        return CoverageBySize { s: all, m: all, l: all, xl: all };
    }
    let mut coverage = COVERAGE;
    let Some(sizes) = Fields::read_kindly(node, &keys::COVERAGE, findings) else { return coverage };
    let places = [
        ("S", &mut coverage.s),
        ("M", &mut coverage.m),
        ("L", &mut coverage.l),
        ("XL", &mut coverage.xl),
    ];
    let mut last = None;
    for (size, place) in places {
        match sizes.get(size) {
            Some(node) => last = percent(node, findings).or(last),
            None => {
                let help = "name a percentage for S, M, L and XL";
                let message =
                    format!("no coverage for stories of size {size}: that of a smaller one counts");
                findings.warning(node.at, message, help);
            }
        }
        *place = last.unwrap_or(*place);
    }
    coverage
}

fn percent(node: &Node, findings: &mut Findings) -> Option<Percent> {
    if let Value::Number(text) | Value::Text(text) = &node.value
        && let Ok(percent) = text.trim_end_matches(['%', ' ']).parse()
    {
        return Some(percent);
    }
    fields::not_a_number(node, "a percentage from 0 to 100", findings)
}

fn structure(node: &Node, findings: &mut Findings) -> BTreeMap<String, String> {
    let mut structure = BTreeMap::new();
    let entries = fields::entries(node, "`projectStructure`", findings).unwrap_or_default();
    if entries.len() > MAX_LIST {
        let message = format!("there are {} folders, more than {MAX_LIST}", entries.len());
        findings.error_with_help(node.at, message, "keep the most important ones");
        return structure;
    }
    for (folder, at, node) in entries {
        let folder = Located { value: folder.to_owned(), at };
        if let Err(bad) = glob::stays_inside(&folder.value) {
            let message = format!("{}: {bad}", shown(&folder.value));
            let help = "paths are relative to the platform's root";
            findings.error_with_help(at, message, help);
            continue;
        }
        if let (Some(folder), Some(what)) =
            (one_line(&folder, MAX_PATH, findings), text(node, findings))
        {
            structure.insert(folder, what);
        }
    }
    structure
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
