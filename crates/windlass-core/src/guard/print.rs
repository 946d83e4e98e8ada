//! What programs print, as far as their arguments and input tell: a shell may read it next.

use super::program::{is_standard_input, name_of, quoted};
use super::shell::Input;
use super::value::unescaped;
use super::word::{COMPUTED, PROCESS, TOLD};

/// Programs that turn a text into another one. What they print is not followed.
const CHANGERS: [&str; 24] = [
    "base64", "base32", "basenc", "xxd", "rev", "tr", "openssl", "gunzip", "zcat", "gzip", "bzip2",
    "xz", "unxz", "uudecode", "gpg", "iconv", "od", "hexdump", "awk", "gawk", "mawk", "perl", "dc",
    "m4",
];

/// What a program prints, as far as that is told by its arguments.
pub(super) fn printed(name: &str, arguments: &[String], input: &Input) -> String {
    let operands = || arguments.iter().filter(|word| !word.starts_with('-'));
    match name {
        "cat" | "tee" | "sponge" => match (operands().next(), input) {
            (None, Some(text)) => text.clone(),
            (Some(file), Some(text)) if name == "tee" || is_standard_input(file) => text.clone(),
            (Some(file), _) => {
                file.strip_prefix(PROCESS).map_or_else(|| TOLD.to_string(), str::to_owned)
            }
            (None, None) => String::new(),
        },
        "which" | "whence" => operands().map(|word| format!("{word}\n")).collect(),
        "basename" => operands().next().map(|word| name_of(word)).unwrap_or_default(),
        "yes" => operands().cloned().collect::<Vec<_>>().join(" ") + "\n",
        "true" | "false" | "mkdir" | "touch" | "rm" | "cp" | "mv" | "sleep" => String::new(),
        _ if CHANGERS.contains(&name) => COMPUTED.to_string(),
        _ => match input {
            // What stands in the pipe before it may come out changed.
            Some(text) if text.chars().any(|c| c != TOLD) && !text.is_empty() => {
                COMPUTED.to_string()
            }
            Some(_) | None => TOLD.to_string(),
        },
    }
}

/// `echo` and `printf` print what they are told.
pub(super) fn echoed(arguments: &[String]) -> String {
    let is_option = |word: &&String| {
        word.len() > 1 && word.starts_with('-') && word[1..].chars().all(|c| "neE".contains(c))
    };
    let options = arguments.iter().take_while(is_option).count();
    let text = arguments[options..].join(" ");
    let escapes = arguments[..options].iter().any(|word| word.contains('e'));
    (if escapes { unescaped(&text) } else { text }) + "\n"
}

pub(super) fn printed_by_format(arguments: &[String]) -> String {
    let arguments = match arguments {
        [dashes, rest @ ..] if dashes == "--" => rest,
        all => all,
    };
    let Some((format, values)) = arguments.split_first() else { return String::new() };
    let mut values = values.iter();
    let mut output = String::new();
    for _ in 0..64 {
        let before = values.len();
        output += &one_round(format, &mut values);
        if values.len() == 0 || values.len() == before {
            break;
        }
    }
    output
}

fn one_round(format: &str, values: &mut std::slice::Iter<'_, String>) -> String {
    let format = unescaped(format);
    let mut output = String::new();
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            output.push(c);
            continue;
        }
        match rest.find(|c| !"-+ #0123456789.".contains(*c)) {
            Some('%') => output.push('%'),
            Some('b') => output += &unescaped(values.next().map_or("", |value| value)),
            Some('q') => output += &quoted(values.next().map_or("", |value| value)),
            Some('s' | 'd' | 'i') => output += values.next().map_or("", |value| value),
            Some('c') => output.extend(values.next().and_then(|value| value.chars().next())),
            Some(_) => output.push(COMPUTED),
            None => output.push('%'),
        }
    }
    output
}
