//! Reading a project's own scripts: which program a command line ends in, and the rules of build files.

/// Words before a program that change only how it is started.
const STARTERS: [&str; 12] = [
    "npx",
    "cross-env",
    "env",
    "nyc",
    "c8",
    "dotenv",
    "@php",
    "php",
    "uv",
    "poetry",
    "bundle",
    "exec",
];

/// Returns whether a script ends in a call of `program` to which arguments can be added at its end.
///
/// Package managers append what they are given to the text of the script, so the last command gets it.
/// Whatever would send the arguments elsewhere (a pipe, a redirection, `|| true`, `--`) is no such call.
pub(super) fn ends_in_call(script: &str, program: &str) -> bool {
    let Some(last) = last_command(script) else { return false };
    let Some(words) = shlex::split(last) else { return false };
    let mut words = words.iter().map(String::as_str);
    let mut started = false;
    let called = words.by_ref().find(|word| {
        let is_starter = STARTERS.contains(word);
        started |= is_starter;
        let is_flag = started && word.starts_with('-');
        !(is_starter || is_flag || is_assignment(word))
    });
    called.is_some_and(|word| name_of(word) == program) && !words.any(|word| word == "--")
}

/// Returns the last of the commands that `&&` or `;` join; none where signs of the shell do more.
fn last_command(script: &str) -> Option<&str> {
    let mut start = 0;
    let mut quote = None;
    let bytes = script.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(b'\''), _) => {}
            (_, b'`' | b'\\') => return None,
            (_, b'$') if bytes.get(at + 1) == Some(&b'(') => return None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'|' | b'<' | b'>' | b'#' | b'\n' | b'(' | b'{') => return None,
            (None, b'&') => {
                let doubled = bytes.get(at + 1) == Some(&b'&') || (at > 0 && bytes[at - 1] == b'&');
                if !doubled {
                    return None;
                }
                start = at + 1;
            }
            (None, b';') => start = at + 1,
            (None, _) => {}
        }
    }
    let last = script.get(start..)?.trim();
    (quote.is_none() && !last.is_empty()).then_some(last)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// A program's name without its folder and the ending that some systems need.
fn name_of(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.strip_suffix(".js").or_else(|| name.strip_suffix(".cmd")).unwrap_or(name)
}

/// Returns whether a Makefile or a justfile has a target that needs no arguments.
pub(super) fn has_target(text: &str, name: &str) -> bool {
    text.lines().any(|line| names_target(line, name))
}

/// Returns the commands below a target, without what only prints.
pub(super) fn recipe<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let after = text.lines().skip_while(|line| !names_target(line, name)).skip(1);
    after
        .take_while(|line| line.starts_with([' ', '\t']) || line.is_empty())
        .map(|line| line.trim().trim_start_matches(['@', '-', '+']).trim())
        .filter(|line| !line.is_empty() && !line.starts_with(['#', '$']))
        .filter(|line| !line.starts_with("echo "))
        .collect()
}

fn names_target(line: &str, name: &str) -> bool {
    let Some((targets, rest)) = line.split_once(':') else { return false };
    // `name := value` is a variable, and a line that begins with a blank belongs to a recipe.
    let is_rule = !line.starts_with([' ', '\t', '#']) && !rest.starts_with('=');
    let quiet = targets.trim_start_matches('@');
    is_rule && quiet.split_whitespace().any(|target| target == name)
}

/// Returns whether a text has these words one after the other, as words.
pub(super) fn mentions(text: &str, words: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    text.match_indices(words).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Returns whether a script of continuous integration has these words where the checkout stands. Behind a `cd`
/// the same words may mean other files: `make test` in a folder that CMake filled is not the Makefile beside
/// the sources.
pub(super) fn mentions_at_the_top(text: &str, words: &str) -> bool {
    let mut away = false;
    for line in text.lines() {
        let bare = line.trim_start();
        // A new entry of a list, or a new key of a mapping, is another script.
        if bare.is_empty() || bare.starts_with("- ") || is_key(bare) {
            away = false;
        }
        let before = line.find(words).map_or(line, |at| &line[..at]);
        away |= before.split(['&', ';', '|']).any(|part| goes_elsewhere(part.trim()));
        if !away && mentions(line, words) {
            return true;
        }
        away |= line.split(['&', ';', '|']).any(|part| goes_elsewhere(part.trim()));
    }
    false
}

fn is_key(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default();
    line.contains(':') && name.chars().all(|sign| sign.is_alphanumeric() || "-_".contains(sign))
}

fn goes_elsewhere(command: &str) -> bool {
    let command = command.rsplit(": ").next().unwrap_or(command).trim_start_matches("- ");
    let target = command.strip_prefix("cd ").or_else(|| command.strip_prefix("pushd "));
    target.is_some_and(|target| !target.starts_with(['$', '.']) && !target.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_in_another_folder_is_not_the_script_at_the_top() {
        let built = "    - name: test\n      run: |\n        mkdir build\n        cd build\n        cmake ..\n        make test\n";
        assert!(!mentions_at_the_top(built, "make test"));
        assert!(!mentions_at_the_top("      run: cd build && make test", "make test"));
        assert!(mentions_at_the_top("      run: make test", "make test"));
        assert!(mentions_at_the_top("      run: |\n        make\n        make test", "make test"));
        let two = "      - run: cd docs && make html\n      - run: make test\n";
        assert!(mentions_at_the_top(two, "make test"));
    }

    #[test]
    fn a_call_at_the_end_takes_arguments() {
        for script in [
            "mocha",
            "mocha --require test/support/env --reporter spec --check-leaks test/ test/acceptance/",
            "npm run lint && mocha test",
            "NODE_ENV=test nyc --reporter=text mocha 'test/**/*.js'",
            "cross-env A=b node_modules/.bin/mocha",
            "tsc; mocha",
        ] {
            assert!(ends_in_call(script, "mocha"), "{script}");
        }
        assert!(ends_in_call("@php vendor/bin/phpunit", "phpunit"));
        assert!(ends_in_call("vitest --coverage", "vitest"));
    }

    #[test]
    fn what_would_lose_the_arguments_is_no_such_call() {
        for script in [
            "mocha || true",
            "mocha | tee out",
            "mocha > out",
            "mocha && npm run size",
            "mocha &",
            "mocha -- --inspect",
            "npm run mocha",
            "pnpm run test:types && pnpm run test:vitest run && pnpm run -r test",
            "sh -c 'mocha'",
            "nyc --reporter text mocha",
            "mocha $(cat files)",
            "mocha # all",
            "mocha 'open",
            "",
        ] {
            assert!(!ends_in_call(script, "mocha"), "{script}");
        }
    }

    #[test]
    fn targets_are_told_from_variables_and_recipes() {
        let text = "test := x\nbuild: deps\n\tlint: no\nlint check: a\n# test: no\n@quiet:\n";
        assert!(!has_target(text, "test"));
        assert!(has_target(text, "build") && has_target(text, "lint") && has_target(text, "check"));
        assert!(has_target(text, "quiet") && !has_target(text, "deps"));
        let text = "test: deps\n\t$(info hello)\n\t@echo hi\n\t@go test ./...\n\nlint:\n\tx\n";
        assert_eq!(recipe(text, "test"), ["go test ./..."]);
    }

    #[test]
    fn words_are_found_as_words() {
        assert!(mentions("- run: make test\n", "make test"));
        assert!(!mentions("make test-all", "make test") && !mentions("cmake test", "make test"));
        assert!(mentions("PATH=x make test && y", "make test"));
    }
}
