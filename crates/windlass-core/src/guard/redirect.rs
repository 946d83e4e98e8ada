//! Redirections: what they read and write, and what a later command finds in the files.

use brush_parser::ast::{IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, RedirectList};

use super::parse;
use super::path::Access;
use super::shell::{Input, Walk};
use super::word::{COMPUTED, TOLD};

impl Walk<'_> {
    /// Looks at redirections; gives what they put into standard input.
    pub(super) fn redirects(&mut self, redirects: Option<&RedirectList>) -> Input {
        redirects?.0.iter().fold(None, |input, redirect| self.redirect(redirect).or(input))
    }

    /// Takes what a descriptor is given: standard input, or one that a later command reads (`<&3`).
    fn given(&mut self, number: Option<i32>, text: String) -> Input {
        match number {
            None | Some(0) => Some(text),
            Some(number) => {
                self.keep(&descriptor(number), &text);
                None
            }
        }
    }

    pub(super) fn redirect(&mut self, redirect: &IoRedirect) -> Input {
        match redirect {
            IoRedirect::HereDocument(number, document) => {
                let text = if document.requires_expansion {
                    self.here_document(&document.doc.value)
                } else {
                    document.doc.value.clone()
                };
                self.given(*number, text)
            }
            IoRedirect::HereString(number, word) => {
                let text = self.value(&word.value) + "\n";
                self.given(*number, text)
            }
            IoRedirect::OutputAndError(word, _) => {
                self.write_word(&word.value);
                None
            }
            IoRedirect::File(number, kind, target) => {
                use IoFileRedirectKind as Kind;
                match (target, kind) {
                    (IoFileRedirectTarget::Fd(_), _) => None,
                    (IoFileRedirectTarget::ProcessSubstitution(_, subshell), _) => {
                        let text = self.subshell(subshell);
                        self.given(*number, text)
                    }
                    (IoFileRedirectTarget::Duplicate(word), Kind::DuplicateInput) => {
                        let from = self.value(&word.value);
                        match from.trim_end_matches('-') {
                            "" | "0" => None,
                            from => {
                                let kept = self.kept(&format!("{DESCRIPTORS}{from}"));
                                self.given(*number, kept.unwrap_or_else(|| COMPUTED.to_string()))
                            }
                        }
                    }
                    (
                        IoFileRedirectTarget::Duplicate(word)
                        | IoFileRedirectTarget::Filename(word),
                        Kind::Write
                        | Kind::Append
                        | Kind::ReadAndWrite
                        | Kind::Clobber
                        | Kind::DuplicateOutput,
                    ) => {
                        self.write_word(&word.value);
                        if let Some(number @ 3..) = *number {
                            let file = self.value(&word.value);
                            self.shell.outputs.insert(number, file);
                        }
                        None
                    }
                    (
                        IoFileRedirectTarget::Filename(word)
                        | IoFileRedirectTarget::Duplicate(word),
                        Kind::Read | Kind::DuplicateInput,
                    ) => {
                        let mut text = TOLD.to_string();
                        for file in self.fields(&word.value) {
                            self.file(&file, Access::Read);
                            text = self.kept(&file).unwrap_or(text);
                        }
                        self.given(*number, text)
                    }
                }
            }
        }
    }

    fn write_word(&mut self, raw: &str) {
        for file in self.fields(raw) {
            // `>&2` and `>&-` name no files.
            if file != "-" && !file.trim_end_matches('-').chars().all(|c| c.is_ascii_digit()) {
                self.file(&file, Access::Write);
            }
        }
    }

    /// Keeps what a file holds after it was written by this command: the next one may run it.
    pub(super) fn remember(&mut self, redirects: &[&IoRedirect], output: &str) {
        for redirect in redirects {
            let word = match redirect {
                IoRedirect::File(
                    None | Some(1),
                    kind,
                    IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word),
                ) if !matches!(
                    kind,
                    IoFileRedirectKind::Read | IoFileRedirectKind::DuplicateInput
                ) =>
                {
                    word
                }
                IoRedirect::OutputAndError(word, _) => word,
                IoRedirect::File(..)
                | IoRedirect::HereDocument(..)
                | IoRedirect::HereString(..) => continue,
            };
            let file = self.value(&word.value);
            let number = file.parse().ok().and_then(|number: i32| self.shell.outputs.get(&number));
            let file = number.cloned().unwrap_or(file);
            self.keep(&file, output);
        }
    }

    pub(super) fn keep(&mut self, file: &str, text: &str) {
        let kept = self.written.entry(kept_name(file)).or_default();
        if kept.len() < parse::MAX_BYTES {
            kept.push_str(text);
        }
    }

    /// What a file holds, if an earlier command of the same text wrote it.
    pub(super) fn kept(&self, file: &str) -> Option<String> {
        self.written.get(&kept_name(file)).cloned()
    }
}

/// Where a program finds its descriptors as files.
const DESCRIPTORS: &str = "/dev/fd/";

fn descriptor(number: i32) -> String {
    format!("{DESCRIPTORS}{number}")
}

/// One name for what has several.
fn kept_name(file: &str) -> String {
    match file.strip_prefix("/proc/self/fd/") {
        Some(number) => format!("{DESCRIPTORS}{number}"),
        None => file.trim_start_matches("./").to_owned(),
    }
}
