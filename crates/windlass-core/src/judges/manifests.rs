//! Files that say what a command means: scripts of manifests, tasks, environments.

use serde_json::Value;

use super::paths::Values;
use super::programs::RUNNERS;
use super::words::join;
use super::{Place, Search};
use crate::protect::Protected;
use crate::protect::package::ELSEWHERE;

/// How many packages of a repository are looked at when a command is for several.
const MAX_PACKAGES: usize = 50;

impl Search<'_> {
    /// A program that follows a file of a fixed name.
    pub(super) fn runner(&mut self, name: &str, words: &[String], at: &Place, values: &Values) {
        let names =
            RUNNERS.iter().find(|(runner, _)| *runner == name).map_or(&[][..], |(_, all)| all);
        if name.ends_with("make") {
            return self.make(words, at, names);
        }
        let options =
            ["-f", "-c", "-r", "--file", "--justfile", "--taskfile", "--rakefile", "--conf"];
        let given = words.windows(2).find(|pair| options.contains(&pair[0].as_str()));
        let given = given.map(|pair| pair[1].clone());
        let folder =
            words.windows(2).find(|pair| ["-C", "-d", "--dir"].contains(&pair[0].as_str()));
        let folder = folder.map_or_else(|| at.folder.clone(), |pair| join(&at.folder, &pair[1]));
        let here = Place { folder: folder.clone(), ..at.next() };
        let why = format!("`{}` runs {name}, which follows it", self.step);
        let mut files = Vec::new();
        match given {
            Some(file) => {
                files = self.files.meant(&file, &here, values).files;
                files.iter().for_each(|path| self.file_rule(path, "follows"));
            }
            None => {
                for file in names {
                    // Also those that are not there: the first of them is taken.
                    let path = join(&folder, file);
                    let rule = Protected::whole(globset::escape(&path));
                    self.add(Protected { why: Some(why.clone()), ..rule });
                    files.extend(self.files.real(&path));
                }
            }
        }
        if name == "rake" {
            let tasks = Protected::whole(globset::escape(&join(&folder, "rakelib")) + "/**");
            self.add(Protected { why: Some(why.clone()), ..tasks });
        }
        if name == "tox" {
            // It may stand among the settings of other tools, too.
            for (file, keys) in
                [("pyproject.toml", &["tool.tox"][..]), ("setup.cfg", &["tox*", "testenv*"])]
            {
                let keys = keys.iter().map(|key| (*key).to_owned()).collect();
                let rule = Protected::whole(globset::escape(&join(&folder, file)));
                self.add(Protected { why: Some(why.clone()), keys, ..rule });
            }
        }
        for path in files {
            let Some(text) = self.text_of(&path) else { continue };
            let place = Place { script: Some(path.clone()), ..here.clone() };
            self.named_in(&text, &place);
            let lines = match name {
                "just" => just(&text),
                "task" | "tox" => tasks(&text),
                _ => continue,
            };
            self.follow(lines, place);
        }
    }

    /// What `scripts` of a manifest says a command means.
    pub(super) fn package_manager(
        &mut self,
        name: &str,
        words: &[String],
        at: &Place,
        values: &Values,
    ) {
        let folders = ["--prefix", "--cwd", "-C", "--dir"];
        let packages =
            ["-w", "--workspace", "--filter", "-F", "-r", "--recursive", "--workspaces", "-ws"];
        let (mut at, mut plain, mut several) = (at.clone(), Vec::new(), false);
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let (option, value) = word.split_once('=').unwrap_or((word, ""));
            let takes = ["-w", "--workspace", "--filter", "-F"].contains(&option)
                || folders.contains(&option);
            let value = match (takes, value) {
                (true, "") => rest.next().map_or("", String::as_str),
                (_, value) => value,
            };
            if folders.contains(&option) {
                at.folder = join(&at.folder, value);
            }
            several |= packages.contains(&option);
            match word.as_str() {
                "--" => break,
                word if word.starts_with('-') => {}
                word => plain.push(word.to_owned()),
            }
        }
        let mut plain = plain.into_iter();
        let mut first = plain.next();
        if name == "yarn" && matches!(first.as_deref(), Some("workspace" | "workspaces")) {
            several = true;
            let skips = usize::from(first.as_deref() == Some("workspace"));
            first = plain
                .by_ref()
                .filter(|word| !["foreach", "run"].contains(&word.as_str()))
                .nth(skips);
        }
        let script = match first.as_deref() {
            Some("run" | "run-script") => plain.next(),
            Some("t" | "tst" | "it" | "cit" | "install-test") if name != "yarn" => {
                Some("test".to_owned())
            }
            Some("exec" | "dlx" | "x") => {
                let words: Vec<String> = plain.collect();
                return self.follow(words.join(" "), at.next());
            }
            Some("test") if name == "bun" => {
                let rest: Vec<String> = plain.collect();
                if self.names_nothing(&rest, &at, values) {
                    self.looked_for(&at);
                }
                return;
            }
            _ => first,
        };
        let Some(script) = script else { return };
        if several {
            let all = self.files.paths.iter().filter(|path| path.ends_with("/package.json"));
            let folders =
                all.filter_map(|path| path.rsplit_once('/')).map(|(folder, _)| folder.to_owned());
            for folder in folders.take(MAX_PACKAGES).collect::<Vec<_>>() {
                self.package_script(&script, &Place { folder, ..at.clone() });
            }
        }
        self.package_script(&script, &at);
    }

    pub(super) fn package_script(&mut self, script: &str, at: &Place) {
        let path = join(&at.folder, "package.json");
        let Some(json) = self.json(&path) else { return };
        let Some(scripts) = json.get("scripts").and_then(Value::as_object) else { return };
        // `test:*` and `{test,lint}` are several.
        let fits = |name: &str| {
            let Some((head, tail)) = script.split_once('*') else { return name == script };
            name.starts_with(head) && name.ends_with(tail.trim_start_matches('*'))
        };
        let names: Vec<&String> = scripts.keys().filter(|name| fits(name)).collect();
        if names.is_empty() {
            return;
        }
        let why = format!("`{}` runs the script `{script}`", self.step);
        let keys = ["scripts", ELSEWHERE].map(str::to_owned).to_vec();
        let rule = Protected::keys(globset::escape(&path), keys);
        self.add(Protected { why: Some(why), ..rule });
        for name in names {
            for name in [format!("pre{name}"), name.clone(), format!("post{name}")] {
                if let Some(text) = scripts.get(&name).and_then(Value::as_str) {
                    self.own_tools(&json, text, at);
                    self.follow(text.to_owned(), at.next());
                }
            }
        }
    }

    /// `npm-run-all`, `concurrently` and their like: names of scripts, and whole commands.
    pub(super) fn several_scripts(&mut self, words: &[String], at: &Place) {
        for word in words.iter().filter(|word| !word.starts_with('-')) {
            let name = word.strip_prefix("npm:").unwrap_or(word);
            match name.contains(' ') {
                true => {
                    let first = name.split(' ').next().unwrap_or_default();
                    self.package_script(first, at);
                    self.follow(name.to_owned(), at.next());
                }
                false => self.package_script(name, at),
            }
        }
    }

    pub(super) fn composer(&mut self, words: &[String], at: &Place) {
        let folder = words.iter().find_map(|word| word.strip_prefix("--working-dir="));
        let short =
            words.windows(2).find(|pair| ["-d", "--working-dir"].contains(&pair[0].as_str()));
        let folder = folder.or(short.map(|pair| pair[1].as_str()));
        let at = &Place { folder: join(&at.folder, folder.unwrap_or_default()), ..at.clone() };
        let path = join(&at.folder, "composer.json");
        let mut plain =
            words.iter().filter(|word| !word.starts_with('-') && Some(word.as_str()) != folder);
        let script = match plain.next().map(String::as_str) {
            Some("run" | "run-script" | "exec") => plain.next().map(String::as_str),
            other => other,
        };
        let (Some(script), Some(json)) = (script, self.json(&path)) else { return };
        let Some(found) = json.get("scripts").and_then(|scripts| scripts.get(script)) else {
            return;
        };
        let why = format!("`{}` runs the script `{script}`", self.step);
        let keys = Protected::keys(globset::escape(&path), vec!["scripts".to_owned()]);
        self.add(Protected { why: Some(why), ..keys });
        let texts: Vec<&str> = match found {
            Value::String(text) => vec![text.as_str()],
            Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
        };
        for text in texts {
            let text = match text.strip_prefix('@') {
                Some(rest) if rest.starts_with("php ") || rest.starts_with("composer ") => {
                    rest.to_owned()
                }
                Some(rest) if rest.starts_with("putenv ") => continue,
                Some(other) => format!("composer {other}"),
                None => text.to_owned(),
            };
            self.follow(text, at.next());
        }
    }

    pub(super) fn deno_task(&mut self, words: &[String], at: &Place) {
        let Some(task) = words.iter().find(|word| !word.starts_with('-')) else { return };
        for file in ["deno.json", "deno.jsonc"] {
            let path = join(&at.folder, file);
            if self.files.real(&path).is_none() {
                continue;
            }
            self.file_rule(&path, "follows");
            let text = self.json(&path).and_then(|json| {
                let task = json.get("tasks")?.get(task)?.clone();
                task.as_str().or_else(|| task.get("command")?.as_str()).map(str::to_owned)
            });
            if let Some(text) = text {
                self.follow(text, at.next());
            }
        }
    }

    fn json(&mut self, path: &str) -> Option<Value> {
        let text = self.text_of(path)?;
        let json = serde_json::from_str(&text).ok();
        if json.is_none() {
            self.unfollowed(&format!("`{path}` is not JSON"));
        }
        json
    }
}

/// The lines of recipes, whatever they are called: what a recipe needs stands in the same file.
fn just(text: &str) -> String {
    let lines = text.lines().filter(|line| line.starts_with([' ', '\t']));
    let lines = lines.map(|line| line.trim().trim_start_matches(['@', '-']).to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// The lines of lists and values, as commands.
fn tasks(text: &str) -> String {
    let lines = text.lines().map(str::trim).map(|line| {
        let line = line.trim_start_matches("- ");
        let keys = ["cmd:", "commands =", "commands_pre =", "commands=", "cmds:", "sh:"];
        let line = keys.iter().find_map(|key| line.strip_prefix(key)).unwrap_or(line);
        line.trim().trim_matches(['"', '\'']).to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}
