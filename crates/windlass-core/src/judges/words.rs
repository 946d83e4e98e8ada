//! A shell command as the programs that it calls, as far as its words say so.
//!
//! This is no shell: what is computed is not known here. A text that cannot be read to its end says so, so
//! that whoever asked can tell a person.

use std::collections::BTreeMap;

/// One call of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    /// The folder that it is called in, as `goes` of [`read`] named it.
    pub(super) folder: String,
    /// The program and its arguments.
    pub(super) words: Vec<String>,
    /// The file that it reads as its input.
    pub(super) input: Option<String>,
    /// The words of the call whose output it reads.
    pub(super) piped: Vec<String>,
}

/// A variable that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assigned {
    pub(super) name: String,
    pub(super) value: String,
    /// Whether a program sees it for sure.
    pub(super) exported: bool,
}

/// What a text calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    pub(super) calls: Vec<Call>,
    /// What variables are set to, in whatever order: assignments and the words of loops.
    pub(super) values: BTreeMap<String, Vec<String>>,
    /// What is set for programs: all that is exported or stands before a call, and variables by the way.
    pub(super) assigned: Vec<Assigned>,
    /// Where loops take their words from: files, and what is computed as it is written.
    pub(super) lists: Vec<String>,
    /// Whether there is more than was read.
    pub(super) cut: bool,
}

/// The longest text that is looked at.
const MAX_BYTES: usize = 64 << 10;

/// More calls than a check is made of.
const MAX_CALLS: usize = 2_000;

/// How deep substitutions are nested.
const MAX_NESTED: usize = 8;

/// A program that starts what follows it: how many words of its own follow first, and which of its options
/// take a word.
type Starter = (&'static str, usize, &'static [&'static str]);

const STARTERS: [Starter; 33] = [
    ("env", 0, &["-u", "--unset", "-C", "--chdir"]),
    ("time", 0, &["-o", "-f"]),
    ("nice", 0, &["-n"]),
    ("ionice", 0, &["-c", "-n"]),
    ("nohup", 0, &[]),
    ("setsid", 0, &[]),
    ("exec", 0, &["-a"]),
    ("builtin", 0, &[]),
    ("command", 0, &[]),
    ("sudo", 0, &["-u", "-g"]),
    ("doas", 0, &["-u"]),
    ("stdbuf", 0, &["-i", "-o", "-e"]),
    ("unbuffer", 0, &[]),
    ("xvfb-run", 0, &["-s", "-n", "-e"]),
    ("dbus-run-session", 0, &[]),
    ("flock", 1, &["-w"]),
    ("retry", 0, &["-n", "-t"]),
    ("timeout", 1, &["-k", "-s", "--kill-after", "--signal"]),
    ("gtimeout", 1, &["-k", "-s", "--kill-after", "--signal"]),
    ("then", 0, &[]),
    ("do", 0, &[]),
    ("if", 0, &[]),
    ("elif", 0, &[]),
    ("else", 0, &[]),
    ("while", 0, &[]),
    ("until", 0, &[]),
    ("export", 0, &[]),
    ("local", 0, &[]),
    ("readonly", 0, &[]),
    ("declare", 0, &[]),
    ("typeset", 0, &[]),
    ("&&", 0, &[]),
    ("--", 0, &[]),
];

enum Token {
    Word(String),
    Input(String),
    /// The end of a call, by its sign: `|` only for a pipe.
    End(char),
}

/// Splits a text into calls. `goes` says which folder `cd` leads to from another one.
pub(super) fn read(text: &str, start: &str, goes: &dyn Fn(&str, &str) -> String) -> Script {
    let mut script = Script::default();
    let mut texts = vec![(text.to_owned(), 0)];
    while let Some((text, depth)) = texts.pop() {
        if text.len() > MAX_BYTES || depth > MAX_NESTED {
            script.cut = true;
            continue;
        }
        let mut lexer = Lexer::default();
        lexer.run(&text);
        texts.extend(lexer.nested.into_iter().map(|text| (text, depth + 1)));
        parse(lexer.tokens, start, goes, &mut script);
    }
    script
}

fn parse(tokens: Vec<Token>, start: &str, goes: &dyn Fn(&str, &str) -> String, into: &mut Script) {
    let (mut folder, mut outer) = (start.to_owned(), Vec::new());
    let (mut words, mut input, mut piped) = (Vec::new(), None, Vec::new());
    for token in tokens {
        let sign = match token {
            Token::Word(word) => {
                words.push(word);
                continue;
            }
            Token::Input(file) => {
                input = Some(file);
                continue;
            }
            Token::End(sign) => sign,
        };
        if let [word, _, list, all @ ..] = words.as_slice()
            && matches!(word.as_str(), "for" | "select")
            && list == "in"
        {
            into.lists.extend(all.iter().filter(|word| word.starts_with("$(")).cloned());
        }
        let mut words = called(std::mem::take(&mut words), into);
        let said = words.clone();
        match words.first().map(String::as_str) {
            // `while read …; do …; done < FILE`
            Some("done") => into.lists.extend(input.take()),
            None | Some("" | "fi" | "esac") => {}
            Some("cd" | "pushd") => {
                let to = words.iter().skip(1).find(|word| !word.starts_with('-'));
                folder = to.map_or_else(|| start.to_owned(), |to| goes(&folder, to));
            }
            Some("popd") => folder = start.to_owned(),
            Some(_) if into.calls.len() == MAX_CALLS => into.cut = true,
            Some(_) => {
                // `env -C DIR` is gone by now; a brace of its own begins a group.
                words.retain(|word| word != "{" && word != "}");
                let (input, piped) = (input.take(), std::mem::take(&mut piped));
                into.calls.push(Call { folder: folder.clone(), words, input, piped });
            }
        }
        (input, piped) = (None, if sign == '|' { said } else { Vec::new() });
        match sign {
            '(' => outer.push(folder.clone()),
            ')' => folder = outer.pop().unwrap_or(folder),
            _ => {}
        }
    }
}

#[derive(Default)]
struct Lexer {
    tokens: Vec<Token>,
    /// The texts of substitutions.
    nested: Vec<String>,
    word: Option<String>,
    /// What the next word is: the file of a redirection, and whether it is read.
    redirected: Option<bool>,
}

type Signs<'a> = std::iter::Peekable<std::str::Chars<'a>>;

impl Lexer {
    fn run(&mut self, text: &str) {
        let mut signs = text.chars().peekable();
        while let Some(sign) = signs.next() {
            match sign {
                '\\' => {
                    let next = signs.next().filter(|next| *next != '\n');
                    if next.is_some() || self.word.is_some() {
                        self.word.get_or_insert_default().extend(next);
                    }
                }
                '\'' => {
                    let quoted: String = signs.by_ref().take_while(|next| *next != '\'').collect();
                    self.word.get_or_insert_default().push_str(&quoted);
                }
                '"' => self.quoted(&mut signs),
                '$' | '`' => self.computed(sign, &mut signs),
                '#' if self.word.is_none() => {
                    while signs.next_if(|next| *next != '\n').is_some() {}
                }
                '{' | '}' if self.word.is_some() => self.word.get_or_insert_default().push(sign),
                '{' if signs.peek().is_some_and(|next| !next.is_whitespace()) => {
                    self.word.get_or_insert_default().push(sign);
                }
                ';' | '&' | '|' | '\n' | '(' | ')' | '{' | '}' => {
                    self.end_word();
                    let doubled = signs.next_if(|next| *next == sign && "&|;".contains(sign));
                    if sign == '|' {
                        let _ = signs.next_if_eq(&'&');
                    }
                    let end = if doubled.is_some() { ';' } else { sign };
                    self.redirected = None;
                    self.tokens.push(Token::End(end));
                }
                '<' | '>' => {
                    // A number before it is a file that is open already.
                    if self.word.as_ref().is_some_and(|w| w.chars().all(|c| c.is_ascii_digit())) {
                        self.word = None;
                    }
                    self.end_word();
                    let mut reads = sign == '<';
                    while let Some(more) = signs.next_if(|next| "<>&|-".contains(*next)) {
                        reads &= more == '-';
                    }
                    self.redirected = Some(reads);
                }
                sign if sign.is_whitespace() => self.end_word(),
                sign => self.word.get_or_insert_default().push(sign),
            }
        }
        self.end_word();
        self.tokens.push(Token::End('\n'));
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.redirected.take() {
            None => self.tokens.push(Token::Word(word)),
            Some(true) => self.tokens.push(Token::Input(word)),
            Some(false) => {}
        }
    }

    fn quoted(&mut self, signs: &mut Signs<'_>) {
        self.word.get_or_insert_default();
        while let Some(next) = signs.next() {
            match next {
                '"' => return,
                '\\' => self.word.get_or_insert_default().extend(signs.next()),
                '$' | '`' => self.computed(next, signs),
                next => self.word.get_or_insert_default().push(next),
            }
        }
    }

    /// What the shell computes stays in its word as it is written, and what it calls is looked at besides.
    fn computed(&mut self, sign: char, signs: &mut Signs<'_>) {
        let word = self.word.get_or_insert_default();
        if sign == '`' {
            let inner: String = signs.by_ref().take_while(|next| *next != '`').collect();
            word.push_str(&format!("$({inner})"));
            self.nested.push(inner);
            return;
        }
        word.push('$');
        let (open, close) = match signs.peek() {
            Some('(') => ('(', ')'),
            Some('{') => ('{', '}'),
            _ => return,
        };
        let _ = signs.next();
        let (mut inner, mut depth) = (String::new(), 1);
        for next in signs.by_ref() {
            depth += usize::from(next == open);
            depth -= usize::from(next == close);
            if depth == 0 {
                break;
            }
            inner.push(next);
        }
        word.extend([open]);
        word.push_str(&inner);
        word.push(close);
        if open == '(' && !inner.starts_with('(') {
            self.nested.push(inner);
        }
    }
}

/// Takes off what only starts or sets something, and notes what is set.
fn called(words: Vec<String>, into: &mut Script) -> Vec<String> {
    if let [word, name, list, all @ ..] = words.as_slice()
        && matches!(word.as_str(), "for" | "select")
        && list == "in"
    {
        into.values.entry(name.clone()).or_default().extend(all.iter().cloned());
        return Vec::new();
    }
    let (mut rest, mut set_here, mut exports) = (words.as_slice(), Vec::new(), false);
    while let [first, others @ ..] = rest {
        let set = first.split_once('=').filter(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        });
        if let Some((name, value)) = set {
            into.values.entry(name.to_owned()).or_default().push(value.to_owned());
            set_here.push((name.to_owned(), value.to_owned()));
            rest = others;
            continue;
        }
        if first == "!" {
            rest = others;
            continue;
        }
        if first == "command" && others.first().is_some_and(|word| word.starts_with("-")) {
            return Vec::new();
        }
        let Some((_, own, valued)) = STARTERS.iter().find(|(name, ..)| name == first) else {
            break;
        };
        exports |= first == "export";
        rest = others;
        while let [option, after @ ..] = rest
            && option.starts_with('-')
        {
            let skips = usize::from(valued.contains(&option.as_str()));
            rest = after.get(skips..).unwrap_or_default();
        }
        rest = rest.get(*own..).unwrap_or_default();
    }
    let exported = exports || !rest.is_empty();
    let all = set_here.into_iter().map(|(name, value)| Assigned { name, value, exported });
    into.assigned.extend(all);
    rest.to_vec()
}

/// Joins a path to a folder; `..` that leads out is nowhere.
pub(super) fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let calls = read(text, "", &join).calls.into_iter();
        calls.map(|call| format!("{}:{}", call.folder, call.words.join(" "))).collect()
    }

    #[test]
    fn a_text_is_the_programs_that_it_calls() {
        for (text, calls) in [
            ("make test", &[":make test"][..]),
            ("cd web && npm test", &["web:npm test"]),
            ("A=1 B='x y' env -i sh -c 'make -k'", &[":sh -c make -k"]),
            ("timeout 5 ./t.sh > out.txt 2>&1 | tee log", &[":./t.sh", ":tee log"]),
            ("timeout -k 5 60 bash t.sh", &[":bash t.sh"]),
            ("! grep -q \"a b\" c # d", &[":grep -q a b c"]),
            ("(cd a; cd ../b; x); y", &["b:x", ":y"]),
            (
                "if test -f a; then sh b.sh; else sh c.sh; fi",
                &[":test -f a", ":sh b.sh", ":sh c.sh"],
            ),
            ("while ! sh t.sh; do exit 1; done", &[":sh t.sh", ":exit 1"]),
            ("find t -exec sh {} \\;", &[":find t -exec sh {} ;"]),
            (". \"$(dirname \"$0\")/lib.sh\"", &[":. $(dirname \"$0\")/lib.sh", ":dirname $0"]),
            ("x `y z`", &[":x $(y z)", ":y z"]),
            ("'", &[]),
        ] {
            assert_eq!(words(text), calls, "{text}");
        }
    }

    #[test]
    fn what_is_set_and_what_is_read_is_known() {
        let script =
            read("D=$PWD/t; for f in a b; do sh \"$f\"; done; sh < t.sh; cat c | sh", "", &join);
        assert_eq!(script.values["D"], ["$PWD/t"]);
        assert_eq!(script.values["f"], ["a", "b"]);
        let inputs: Vec<_> = script.calls.iter().filter_map(|call| call.input.as_deref()).collect();
        assert_eq!(inputs, ["t.sh"]);
        assert_eq!(script.calls.last().unwrap().piped, ["cat", "c"]);
        assert!(read(&"x ".repeat(MAX_BYTES), "", &join).cut, "and is said to be cut");
        assert!(read(&"x\n".repeat(MAX_CALLS + 1), "", &join).cut);
    }
}
