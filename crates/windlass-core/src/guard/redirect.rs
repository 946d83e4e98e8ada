//! Redirections: what they read and write, and what a later command finds in the files.

use brush_parser::ast::{IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, RedirectList};

use super::parse;
use super::path::Access;
use super::shell::{Input, Walk};
use super::word::TOLD;

impl Walk<'_> {
    /// Looks at redirections; gives what they put into standard input.
    pub(super) fn redirects(&mut self, redirects: Option<&RedirectList>) -> Input {
        redirects?.0.iter().fold(None, |input, redirect| self.redirect(redirect).or(input))
    }

    pub(super) fn redirect(&mut self, redirect: &IoRedirect) -> Input {
        let is_input = |number: &Option<i32>| number.is_none_or(|number| number == 0);
        match redirect {
            IoRedirect::HereDocument(number, document) => {
                let text = if document.requires_expansion {
                    self.here_document(&document.doc.value)
                } else {
                    document.doc.value.clone()
                };
                is_input(number).then_some(text)
            }
            IoRedirect::HereString(number, word) => {
                let text = self.value(&word.value) + "\n";
                is_input(number).then_some(text)
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
                        Some(self.subshell(subshell))
                    }
                    (IoFileRedirectTarget::Duplicate(word), Kind::DuplicateInput) => {
                        let _ = self.value(&word.value);
                        None
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
                        is_input(number).then_some(text)
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
                IoRedirect::File(None | Some(1), kind, IoFileRedirectTarget::Filename(word))
                    if !matches!(kind, IoFileRedirectKind::Read) =>
                {
                    word
                }
                IoRedirect::OutputAndError(word, _) => word,
                IoRedirect::File(..)
                | IoRedirect::HereDocument(..)
                | IoRedirect::HereString(..) => continue,
            };
            let file = self.value(&word.value);
            self.keep(&file, output);
        }
    }

    pub(super) fn keep(&mut self, file: &str, text: &str) {
        let name = file.trim_start_matches("./").to_owned();
        let kept = self.written.entry(name).or_default();
        if kept.len() < parse::MAX_BYTES {
            kept.push_str(text);
        }
    }

    /// What a file holds, if an earlier command of the same text wrote it.
    pub(super) fn kept(&self, file: &str) -> Option<String> {
        self.written.get(file.trim_start_matches("./")).cloned()
    }
}
