//! One call of a program: what its words run.

use std::collections::BTreeSet;

use super::paths::Values;
use super::programs::{
    COMMON, INTERPRETERS, LOOKERS, PACKAGE_MANAGERS, PRELOADS, READERS, RUNNERS, SETTINGS, SHELLS,
    TEST_RUNNERS, WRAPPERS,
};
use super::scripts::How;
use super::words::{self, Call, join};
use super::{Place, Search};
use crate::platform::{CommandName, Pack};
use crate::protect::Protected;
use crate::protect::names::{is_judge, is_test_file, is_test_folder};

impl Search<'_> {
    /// Looks at a text of the shell.
    pub(super) fn text(&mut self, text: &str, at: &Place) {
        let files = self.files;
        let goes = |folder: &str, to: &str| {
            let here = Place { folder: folder.to_owned(), ..at.clone() };
            let meant = files.meant(to, &here, &Values::new());
            let first = meant.folders.into_iter().next();
            first.unwrap_or_else(|| {
                if to.contains('$') { folder.to_owned() } else { join(folder, to) }
            })
        };
        let script = words::read(text, &at.folder, &goes);
        if script.cut {
            self.unfollowed("a text is too long to be read to its end");
        }
        for call in &script.calls {
            let here = Place { folder: call.folder.clone(), ..at.clone() };
            self.call(call, &here, &script.values);
        }
        if at.is_doubtful() {
            return;
        }
        for set in &script.assigned {
            self.assigned(set, at, &script.values);
        }
        for word in &script.lists {
            for path in self.lists(word, at, &script.values) {
                self.listed(&path, at);
            }
        }
    }

    fn call(&mut self, call: &Call, at: &Place, values: &Values) {
        let [program, arguments @ ..] = call.words.as_slice() else { return };
        // A variable as a command is what it is set to.
        if let Some(name) = program.strip_prefix('$')
            && let Some(texts) = values.get(name.trim_matches(['{', '}']))
        {
            for text in texts.iter().filter(|text| !text.starts_with('$')) {
                self.follow(format!("{text} {}", quoted(arguments)), at.next());
            }
            return;
        }
        let name = program.rsplit('/').next().unwrap_or(program);
        if at.is_doubtful() && !is_testing(call) {
            // A program of the product may call anything; only what leads on is looked at.
            if SHELLS.contains(&name) || program.contains('/') || [".", "source"].contains(&name) {
                self.shell_or_script(name, call, at, values);
            }
            return;
        }
        self.judge_input(call, at, values);
        if let Some(words) = self.with_lists(call, at, values) {
            return self.again(&words, call, at, values);
        }
        if self.shell_or_script(name, call, at, values) {
            return;
        }
        match name {
            "mapfile" | "readarray" => {
                let input = call.input.as_deref().unwrap_or_default();
                for path in self.lists(input, at, values) {
                    self.listed(&path, at);
                }
                return;
            }
            "eval" | "trap" => return self.follow(arguments.join(" "), at.next()),
            "busybox" => return self.again(arguments, call, at, values),
            "xargs" | "parallel" => return self.xargs(arguments, call, at, values),
            "find" => return self.find_exec(arguments, at, values),
            "coverage" if arguments.first().is_some_and(|word| word == "run") => {
                let words: Vec<String> =
                    [vec!["python".to_owned()], arguments[1..].to_vec()].concat();
                self.platforms(call, &at.folder);
                return self.again(&words, call, at, values);
            }
            _ => {}
        }
        self.platforms(call, &at.folder);
        if let Some((_, own)) = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name) {
            let mut rest =
                arguments.iter().skip_while(|word| word.starts_with('-') || word.contains('='));
            let first = rest.clone().next();
            if own.is_empty() || first.is_some_and(|first| own.contains(&first.as_str())) {
                let skipped = usize::from(!own.is_empty());
                let rest: Vec<String> = rest.by_ref().skip(skipped).cloned().collect();
                let at_program = rest.iter().position(|word| !word.starts_with('-'));
                return self.again(&rest[at_program.unwrap_or(0)..], call, at, values);
            }
        }
        if INTERPRETERS.contains(&name) || name.starts_with("python3.") {
            self.interpreter(name, arguments, at, values);
        }
        if RUNNERS.iter().any(|(runner, _)| *runner == name) {
            return self.runner(name, arguments, at, values);
        }
        if PACKAGE_MANAGERS.contains(&name) {
            self.package_manager(name, arguments, at, values);
            // Their words are scripts, whatever folders are called like them.
            if name != "bun" {
                return;
            }
        }
        if ["npm-run-all", "run-s", "run-p", "npm-run-all2", "concurrently", "wireit"]
            .contains(&name)
        {
            return self.several_scripts(arguments, at);
        }
        if name == "composer" {
            return self.composer(arguments, at);
        }
        self.arguments(name, call, at, values);
    }

    /// The same call without the words that only lead to it.
    fn again(&mut self, words: &[String], call: &Call, at: &Place, values: &Values) {
        if at.level < super::MAX_LEVEL && !words.is_empty() {
            let call = Call { words: words.to_vec(), ..call.clone() };
            self.call(&call, &at.next().same_level(), values);
        }
    }

    /// What a shell is given, or a program of the repository. Returns whether that is all.
    fn shell_or_script(&mut self, name: &str, call: &Call, at: &Place, values: &Values) -> bool {
        let (program, arguments) = (&call.words[0], &call.words[1..]);
        if matches!(name, "." | "source") {
            if let Some(script) = arguments.first() {
                self.script(script, How::Sourced, at, values);
            }
            return true;
        }
        if !SHELLS.contains(&name) {
            if program.contains('/') {
                self.script(program, How::Started, at, values);
            }
            return false;
        }
        let mut words = arguments.iter().peekable();
        let (mut is_text, mut from_input) = (false, false);
        while let Some(option) = words.next_if(|word| word.starts_with(['-', '+'])) {
            let short = !option.starts_with("--");
            is_text |= short && option.starts_with('-') && option.contains('c');
            from_input |= short && option.contains('s');
            match option.as_str() {
                "-o" | "+o" | "-O" => drop(words.next()),
                "--rcfile" | "--init-file" => {
                    if let Some(file) = words.next() {
                        self.script(file, How::Sourced, at, values);
                    }
                }
                option if short && option.ends_with('o') => drop(words.next()),
                _ => {}
            }
        }
        match words.next() {
            Some(text) if is_text => self.follow(text.clone(), at.next().same_level()),
            Some(script) if !from_input => self.script(script, How::Started, at, values),
            _ => {
                let given = call.input.iter().chain(call.piped.iter().skip(1));
                for word in given.cloned().collect::<Vec<_>>() {
                    self.script(&word, How::Started, at, values);
                }
            }
        }
        true
    }

    /// A program that is called for each of the words of another one.
    fn xargs(&mut self, arguments: &[String], call: &Call, at: &Place, values: &Values) {
        const VALUED: [&str; 9] = ["-n", "-I", "-P", "-L", "-d", "-a", "-s", "-j", "-E"];
        let mut words = arguments.iter();
        let (mut program, mut lists) = (Vec::new(), Vec::new());
        while let Some(word) = words.next() {
            match word.as_str() {
                "-a" | "--arg-file" => lists.extend(words.next().cloned()),
                option if VALUED.contains(&option) => drop(words.next()),
                option if option.starts_with("--arg-file=") => {
                    lists.extend(option.split_once('=').map(|(_, file)| file.to_owned()));
                }
                option if option.starts_with('-') => {}
                // `parallel program :::: FILE`
                "::::" => lists.extend(words.by_ref().cloned()),
                _ => {
                    program.push(word.clone());
                    program.extend(words.by_ref().take_while(|word| *word != "::::").cloned());
                    lists.extend(words.by_ref().cloned());
                }
            }
        }
        let piped: Vec<String> = call.piped.iter().skip(1).cloned().collect();
        let mut given = match call.piped.first().map(String::as_str) {
            Some("find") => found_by(&piped),
            Some(reader) if READERS.contains(&reader) => {
                lists.extend(piped);
                Vec::new()
            }
            Some(_) | None => piped,
        };
        lists.extend(call.input.clone());
        for path in lists.iter().flat_map(|word| self.lists(word, at, values)).collect::<Vec<_>>() {
            given.extend(self.listed(&path, at));
        }
        self.with_each(&program, &given, at, values);
    }

    fn find_exec(&mut self, arguments: &[String], at: &Place, values: &Values) {
        let starts = |word: &&String| ["-exec", "-execdir", "-ok"].contains(&word.as_str());
        let Some(first) = arguments.iter().position(|word| starts(&word)) else { return };
        let program: Vec<String> = arguments[first + 1..]
            .iter()
            .take_while(|word| !matches!(word.as_str(), ";" | "+"))
            .cloned()
            .collect();
        self.with_each(&program, &found_by(&arguments[..first]), at, values);
    }

    fn with_each(&mut self, program: &[String], given: &[String], at: &Place, values: &Values) {
        let is_mark = |word: &String| word == "{}" || word == "%";
        let fixed: Vec<String> = program.iter().filter(|word| !is_mark(word)).cloned().collect();
        let Some(name) = fixed.first() else { return };
        let name = name.rsplit('/').next().unwrap_or(name);
        if name == "{}" || LOOKERS.contains(&name) {
            return;
        }
        for word in given.iter().filter(|word| !word.starts_with('-')).map(Some).chain([None]) {
            // Without any, for what the program itself is.
            if word.is_none() && !given.is_empty() && SHELLS.contains(&name) && fixed.len() < 2 {
                continue;
            }
            // `sh -c '… "$1"' _ {}` runs its text for each.
            let words: Vec<String> = fixed.iter().chain(word).cloned().collect();
            let call = Call { folder: at.folder.clone(), words, ..Call::default() };
            self.call(&call, at, values);
            if let Some(word) = word
                && SHELLS.contains(&name)
                && fixed.len() > 1
            {
                self.script(word, How::Started, at, values);
            }
        }
    }

    /// What a command is made with decides what it does.
    fn platforms(&mut self, call: &Call, folder: &str) {
        let called = programs(call);
        let packs = self.packs;
        for pack in packs {
            let Some(program) = called.iter().find(|program| uses(pack, program)) else { continue };
            let why = format!("`{}` runs {program} ({})", self.step, pack.display_name);
            for rule in pack.protected() {
                let rule = if folder.is_empty() { rule.clone() } else { rule.below(folder) };
                self.add(Protected { why: Some(why.clone()), ..rule });
            }
        }
    }

    /// A program that runs a script in a language.
    fn interpreter(&mut self, name: &str, arguments: &[String], at: &Place, values: &Values) {
        let python = name.starts_with("py");
        for (number, word) in arguments.iter().enumerate() {
            let (option, value) = word.split_once('=').unwrap_or((word, ""));
            let next = arguments.get(number + 1).map_or("", String::as_str);
            let value = if value.is_empty() { next } else { value };
            if PRELOADS.contains(&option) {
                for path in self.files.meant(value, at, values).files {
                    self.preloaded(&path, at);
                }
            }
        }
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "-m" if python => {
                    let Some(module) = words.next() else { return };
                    return self.python_module(module, words.as_slice(), at, values);
                }
                "-e" | "-c" | "--eval" | "-p" | "--print" => {
                    let text = words.next().cloned().unwrap_or_default();
                    return self.named_in(&text, at);
                }
                "--test" => {
                    if self.names_nothing(words.as_slice(), at, values) {
                        self.looked_for(at);
                    }
                    return;
                }
                "--run" if name == "node" => {
                    if let Some(script) = words.next() {
                        self.package_script(script, at);
                    }
                    return;
                }
                option if PRELOADS.contains(&option) || ["-W", "-X", "-I"].contains(&option) => {
                    let _ = words.next();
                }
                option if option.starts_with('-') => {}
                // Subcommands of those that have some.
                "test" if ["deno", "bun"].contains(&name) => {
                    if self.names_nothing(words.as_slice(), at, values) {
                        self.looked_for(at);
                    }
                    return;
                }
                "task" if name == "deno" => return self.deno_task(words.as_slice(), at),
                "run" | "test" => {}
                script => {
                    self.script(script, How::Started, at, values);
                    let django = script.rsplit('/').next() == Some("manage.py");
                    if django && words.next().is_some_and(|word| word == "test") {
                        for path in self.files.meant(script, at, values).files {
                            self.file_rule(&path, "runs");
                        }
                        self.looked_for(at);
                    }
                    if python {
                        for path in self.files.meant(script, at, values).files {
                            let folder = path.rsplit_once('/').map_or("", |(above, _)| above);
                            if is_judge(&path) || django {
                                self.hidden_modules(folder);
                            }
                        }
                    }
                    return;
                }
            }
        }
    }

    fn python_module(&mut self, module: &str, words: &[String], at: &Place, values: &Values) {
        let files = self.module(module, at);
        if TEST_RUNNERS.contains(&module) || files.iter().any(|path| is_judge(path)) {
            self.hidden_modules(&at.folder);
        }
        if TEST_RUNNERS.contains(&module) {
            for word in words {
                for path in self.module(word, at) {
                    self.file_rule(&path, "runs");
                }
            }
            for folder in words.iter().flat_map(|word| self.files.meant(word, at, values).folders) {
                self.hidden_modules(&folder);
            }
            if module == "unittest" && self.names_nothing(words, at, values) {
                self.test_folders(at);
            }
        }
        for path in files {
            self.script_file(&path, How::Started, at);
        }
    }

    /// Tests and settings among the arguments of a program.
    fn arguments(&mut self, name: &str, call: &Call, at: &Place, values: &Values) {
        let looks = |program: &str| LOOKERS.contains(&program);
        let called = programs(call);
        if let Some(looker) =
            [name].into_iter().chain(called.iter().map(String::as_str)).find(|p| looks(p))
        {
            return self.looker(looker, call, at, values);
        }
        let runs_tests =
            |program: &str| TEST_RUNNERS.contains(&program) || program.starts_with("test");
        let runs_tests = runs_tests(name) || called.iter().any(|program| runs_tests(program));
        let words = &call.words[1..];
        for (number, word) in words.iter().enumerate() {
            let (option, value) = word.split_once('=').unwrap_or((word, ""));
            let before = number.checked_sub(1).and_then(|number| words.get(number));
            let is_setting = before.is_some_and(|before| SETTINGS.contains(&before.as_str()))
                || SETTINGS.contains(&option);
            let value = if option.starts_with('-') { value } else { word };
            // `tests/test_a.py::test_b` is one of a file.
            let value = value.split("::").next().unwrap_or(value);
            let meant = self.files.meant(value, at, values);
            if !is_setting {
                self.suite_word(&meant, at, runs_tests);
            }
            if meant.patterns.is_empty() {
                // Tests are the work where a platform proves them, whether its script names a folder of
                // them or each.
                let is_work =
                    |path: &str| at.level > 0 && !at.suite && runs_tests && is_test_file(path);
                for path in &meant.files {
                    if is_setting {
                        self.setting(path);
                    } else if (is_test_file(path) || runs_tests) && !is_work(path) {
                        self.file_rule(path, "reads");
                    }
                }
            }
            let tests = meant.folders.iter().filter(|folder| is_test_folder(folder));
            if called.contains("pytest") {
                for folder in tests.cloned().collect::<Vec<_>>() {
                    self.hidden_modules(&folder);
                }
            }
        }
        if called.contains("pytest") || called.contains("py.test") {
            self.hidden_modules(&at.folder);
        }
    }
}

impl Place {
    /// For a text that is part of the command that it stands in.
    fn same_level(self) -> Self {
        Self { level: self.level.saturating_sub(1), ..self }
    }
}

/// Patterns of what `find` finds by its words.
fn found_by(words: &[String]) -> Vec<String> {
    let folders: Vec<&String> =
        words.iter().take_while(|word| !word.starts_with(['-', '(', '!'])).collect();
    let named = words.windows(2).filter(|pair| ["-name", "-iname"].contains(&pair[0].as_str()));
    let names: Vec<&str> = named.map(|pair| pair[1].as_str()).collect();
    let names = if names.is_empty() { vec!["*"] } else { names };
    let both = folders.iter().flat_map(|folder| names.iter().map(move |name| (folder, name)));
    both.map(|(folder, name)| format!("{}/**/{name}", folder.trim_end_matches('/'))).collect()
}

fn quoted(words: &[String]) -> String {
    let quote = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// Whether a call is about tests by its first words.
fn is_testing(call: &Call) -> bool {
    call.words.iter().take(4).any(|word| {
        let runs = TEST_RUNNERS.contains(&word.rsplit('/').next().unwrap_or(word));
        runs || (!word.starts_with('/') && is_judge(&format!("{word}.")))
    }) && !call.words.first().is_some_and(|first| LOOKERS.contains(&first.as_str()))
}

/// The programs that a call starts, by name.
pub(super) fn programs(call: &Call) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let plain = |word: &String| {
        let name = word.rsplit('/').next().unwrap_or(word);
        if name.starts_with("python") { "python".to_owned() } else { name.to_owned() }
    };
    names.extend(call.words.first().map(plain));
    let module = call.words.iter().position(|word| word == "-m");
    names.extend(module.and_then(|at| call.words.get(at + 1)).map(plain));
    // `npx`, `uv run` and their like start the next word.
    let first = call.words.first().map(String::as_str);
    if matches!(
        first,
        Some("npx" | "bunx" | "uv" | "poetry" | "bundle" | "pipenv" | "hatch" | "yarn" | "pnpm")
    ) {
        let words = call.words.iter().skip(1).filter(|word| !word.starts_with('-'));
        let mut words = words.filter(|word| !["run", "exec"].contains(&word.as_str()));
        names.extend(words.next().map(plain));
    }
    names.retain(|name| !COMMON.contains(&name.as_str()));
    names
}

/// Whether the commands of a pack that judge start this program.
fn uses(pack: &Pack, program: &str) -> bool {
    let judging = [CommandName::Build, CommandName::Test, CommandName::Lint, CommandName::Coverage];
    let ways = judging.iter().filter_map(|name| pack.commands.get(name)).flatten();
    let calls = ways.flat_map(|way| words::read(&way.run, "", &join).calls);
    calls.into_iter().any(|call| programs(&call).contains(program))
}
