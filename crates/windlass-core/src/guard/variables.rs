//! What a shell remembers while its commands are walked: variables, functions, aliases, the folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use brush_parser::ast::FunctionBody;

use super::word::{COMPUTED, ENVIRONMENT, is_known};

/// More possible values than this count as unknown.
const MAX_POSSIBLE: usize = 8;

/// A longer value counts as unknown: each `a=$a$a` doubles one, and a command has thousands of them.
const MAX_VALUE_BYTES: usize = 64 << 10;

/// A variable: each value that it may have, as the elements of an array (one for a plain variable).
type Possible = Vec<Vec<String>>;

#[derive(Clone, Debug)]
pub(super) struct Shell {
    variables: BTreeMap<String, Possible>,
    pub(super) functions: BTreeMap<String, Rc<FunctionBody>>,
    pub(super) aliases: BTreeMap<String, String>,
    /// What `$0` gives.
    pub(super) name: String,
    /// The arguments; none when they are not known.
    pub(super) arguments: Option<Vec<String>>,
    /// None when a `cd` leads nobody knows where.
    pub(super) folder: Option<PathBuf>,
    /// How many conditions and loops are around: there, an assignment only adds a possible value.
    pub(super) branches: usize,
    /// What a group of commands is given as standard input.
    pub(super) input: Option<String>,
    /// Files that descriptors above the usual three write to.
    pub(super) outputs: BTreeMap<i32, String>,
}

impl Shell {
    pub(super) fn new(folder: &Path) -> Self {
        let mut shell = Self {
            variables: BTreeMap::new(),
            functions: BTreeMap::new(),
            aliases: BTreeMap::new(),
            name: "bash".to_owned(),
            arguments: Some(Vec::new()),
            folder: Some(folder.to_owned()),
            branches: 0,
            input: None,
            outputs: BTreeMap::new(),
        };
        shell.assign("HOME", vec!["~".to_owned()]);
        shell.assign("IFS", vec![" ".to_owned()]);
        shell.assign("PPID", vec!["PPID".to_owned()]);
        for (name, folder) in super::path::OWN_FOLDERS {
            shell.assign(name, vec![folder.to_owned()]);
        }
        shell
    }

    pub(super) fn folder_text(&self) -> String {
        match &self.folder {
            Some(folder) => folder.display().to_string(),
            None => COMPUTED.to_string(),
        }
    }

    pub(super) fn assign(&mut self, name: &str, mut values: Vec<String>) {
        if values.iter().map(String::len).sum::<usize>() > MAX_VALUE_BYTES {
            values = vec![COMPUTED.to_string()];
        }
        let possible = self.variables.entry(name.to_owned()).or_default();
        if self.branches == 0 {
            possible.clear();
        }
        if !possible.contains(&values) {
            possible.push(values);
        }
        if possible.len() > MAX_POSSIBLE {
            *possible = vec![vec![COMPUTED.to_string()]];
        }
    }

    pub(super) fn append(&mut self, name: &str, values: Vec<String>, is_array: bool) {
        let mut all = self.read_all(name).unwrap_or_else(|| vec![ENVIRONMENT.to_string()]);
        if is_array {
            all.extend(values);
        } else {
            let more = values.join(" ");
            match all.first_mut() {
                Some(first) => first.push_str(&more),
                None => all.push(more),
            }
        }
        self.assign(name, all);
    }

    pub(super) fn set_element(&mut self, name: &str, index: &str, value: String) {
        let mut all = self.read_all(name).unwrap_or_default();
        match index.parse::<usize>() {
            Ok(index) if index < 64 => {
                all.resize(all.len().max(index + 1), String::new());
                all[index] = value;
            }
            Ok(_) | Err(_) => all = vec![COMPUTED.to_string()],
        }
        self.assign(name, all);
    }

    pub(super) fn unset(&mut self, name: &str) {
        self.variables.insert(name.to_owned(), vec![Vec::new()]);
        self.functions.remove(name);
        self.aliases.remove(name);
    }

    /// What `$name` gives; none for a variable that the command does not set.
    pub(super) fn read(&self, name: &str) -> Option<Vec<String>> {
        if name == "PWD" {
            return Some(vec![self.folder_text()]);
        }
        Some(self.read_all(name)?.into_iter().take(1).collect())
    }

    pub(super) fn read_all(&self, name: &str) -> Option<Vec<String>> {
        match self.variables.get(name)?.as_slice() {
            [one] => Some(one.clone()),
            _ => Some(vec![COMPUTED.to_string()]),
        }
    }

    /// Every shell that differs only in which of its values the named variables have.
    pub(super) fn choices(&self, text: &str) -> Vec<Self> {
        let mut all = vec![self.clone()];
        for (name, possible) in &self.variables {
            if possible.len() < 2 || !mentions(text, name) || all.len() * possible.len() > 64 {
                continue;
            }
            let with = |shell: &Self, value: &Vec<String>| {
                let mut shell = shell.clone();
                shell.variables.insert(name.clone(), vec![value.clone()]);
                shell
            };
            all = all.iter().flat_map(|shell| possible.iter().map(|v| with(shell, v))).collect();
        }
        all
    }

    pub(super) fn has_choices(&self) -> bool {
        self.variables.values().any(|possible| possible.len() > 1)
    }

    pub(super) fn go(&mut self, target: &str) {
        self.folder = match &self.folder {
            _ if !is_known(target) || target == "-" => None,
            _ if target.is_empty() || target.starts_with('~') => Some(PathBuf::from("/~")),
            Some(folder) => Some(super::path::plain(&folder.join(target))),
            None if target.starts_with('/') => Some(PathBuf::from(target)),
            None => None,
        };
    }
}

fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end_matches(['{', '!', '#']);
        let after = text[at + name.len()..].chars().next();
        before.ends_with('$') && !after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}
