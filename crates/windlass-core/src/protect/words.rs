//! A shell command as the programs that it calls, as far as its words say so.
//!
//! This is no shell: what is computed is not known here, and nothing depends on finding everything. A text
//! that cannot be read has no words.

/// One call of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    /// The folder that the text changed to before, relative to where it began; empty for none.
    pub(super) folder: String,
    /// The program and its arguments.
    pub(super) words: Vec<String>,
}

/// The longest text that is looked at.
const MAX_BYTES: usize = 64 << 10;

/// More calls than a check is made of.
const MAX_CALLS: usize = 500;

/// Programs that start what follows them, and how many words of their own follow first.
const STARTERS: [(&str, usize); 13] = [
    ("env", 0),
    ("time", 0),
    ("nice", 0),
    ("nohup", 0),
    ("exec", 0),
    ("command", 0),
    ("sudo", 0),
    ("stdbuf", 0),
    ("xvfb-run", 0),
    ("timeout", 1),
    ("then", 0),
    ("do", 0),
    ("if", 0),
];

/// Splits a text into calls.
pub(super) fn calls(text: &str) -> Vec<Call> {
    if text.len() > MAX_BYTES {
        return Vec::new();
    }
    let mut calls = Vec::new();
    let mut folder = String::new();
    for words in lists(text) {
        let words = without_starters(words);
        match words.first().map(String::as_str) {
            None | Some("") => {}
            Some("cd") => {
                let to = words.get(1).map_or("", String::as_str);
                folder = join(&folder, to);
            }
            Some(_) => calls.push(Call { folder: folder.clone(), words }),
        }
        if calls.len() == MAX_CALLS {
            break;
        }
    }
    calls
}

/// The words between operators, without redirections.
fn lists(text: &str) -> Vec<Vec<String>> {
    let (mut all, mut words) = (Vec::new(), Vec::new());
    let mut word: Option<String> = None;
    let mut skips = false;
    let mut signs = text.chars().peekable();
    let end_word = |word: &mut Option<String>, words: &mut Vec<String>, skips: &mut bool| {
        if let Some(done) = word.take()
            && !std::mem::take(skips)
        {
            words.push(done);
        }
    };
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => word.get_or_insert_default().extend(signs.next().filter(|next| *next != '\n')),
            '\'' | '"' => {
                let into = word.get_or_insert_default();
                while let Some(next) = signs.next() {
                    match next {
                        next if next == sign => break,
                        '\\' if sign == '"' => into.extend(signs.next()),
                        next => into.push(next),
                    }
                }
            }
            '#' if word.is_none() => while signs.next_if(|next| *next != '\n').is_some() {},
            ';' | '&' | '|' | '\n' | '(' | ')' | '{' | '}' | '`'
                if !(matches!(sign, '{' | '}') && word.is_some()) =>
            {
                end_word(&mut word, &mut words, &mut skips);
                skips = false;
                all.push(std::mem::take(&mut words));
            }
            '<' | '>' => {
                // A number before it is a file that is open already.
                if word.as_ref().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit())) {
                    word = None;
                }
                end_word(&mut word, &mut words, &mut skips);
                while signs.next_if(|next| ['<', '>', '&', '|'].contains(next)).is_some() {}
                skips = true;
            }
            sign if sign.is_whitespace() => end_word(&mut word, &mut words, &mut skips),
            sign => word.get_or_insert_default().push(sign),
        }
    }
    end_word(&mut word, &mut words, &mut skips);
    all.push(words);
    all.retain(|words| !words.is_empty());
    all
}

fn without_starters(words: Vec<String>) -> Vec<String> {
    let mut rest = words.as_slice();
    while let [first, others @ ..] = rest {
        let is_assignment = first.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        });
        if is_assignment || first == "!" {
            rest = others;
            continue;
        }
        let Some((_, own)) = STARTERS.iter().find(|(name, _)| name == first) else { break };
        let options = others.iter().take_while(|word| word.starts_with('-')).count();
        rest = others.get(options + own..).unwrap_or_default();
    }
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
        let calls = calls(text).into_iter();
        calls.map(|call| format!("{}:{}", call.folder, call.words.join(" "))).collect()
    }

    #[test]
    fn a_text_is_the_programs_that_it_calls() {
        for (text, calls) in [
            ("make test", &[":make test"][..]),
            ("cd web && npm test", &["web:npm test"]),
            ("A=1 B='x y' env -i sh -c 'make -k'", &[":sh -c make -k"]),
            ("timeout 5 ./t.sh > out.txt 2>&1 | tee log", &[":./t.sh", ":tee log"]),
            ("! grep -q \"a b\" c # d", &[":grep -q a b c"]),
            ("(cd a; cd ../b; x)", &["b:x"]),
            ("if test -f a; then sh b.sh; fi", &[":test -f a", ":sh b.sh", ":fi"]),
            ("'", &[]),
        ] {
            assert_eq!(words(text), calls, "{text}");
        }
    }
}
