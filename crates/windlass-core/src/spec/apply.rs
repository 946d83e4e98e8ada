//! A delta, applied to a spec.

use super::delta::{Delta, DeltaBlock, DeltaKind, errors};
use super::document::{Slot, Spec};
use super::merge::{Clash, merge, missing_scenarios};
use super::{Dialect, folded, normal, with_line_ends};
use crate::source::Diagnostic;
use crate::source::diagnostic::Findings;
use crate::source::suggest::{nearest, shown};

/// What a delta was written against.
#[derive(Clone, Copy, Debug)]
pub enum Base<'b> {
    /// This spec.
    Known(&'b Spec<'b>),
    /// Nobody knows: what changed meanwhile cannot be seen, and nothing is merged.
    Unchecked,
}

/// What applying a delta came to.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// How many blocks were changed, by kind: added, modified, removed, renamed.
    pub counts: [usize; 4],
    /// Requirements that somebody else had changed too, and whose scenarios were merged.
    pub merged: Vec<String>,
    /// What the author should know.
    pub warnings: Vec<Diagnostic>,
}

/// A block that two sides changed differently.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Conflict {
    /// The requirement.
    pub requirement: String,
    /// The scenario; none where it is the text in front, the order, or the whole block.
    pub scenario: Option<String>,
    /// As it was when the delta was written.
    pub base: Option<String>,
    /// As it is now.
    pub ours: Option<String>,
    /// As the delta has it.
    pub theirs: Option<String>,
    /// The line of the delta.
    pub line: u32,
}

/// Why a delta was not applied. The spec is then of no use any more.
#[derive(Clone, Debug)]
pub enum Refused {
    /// It says what cannot be done.
    Mistakes(Vec<Diagnostic>),
    /// Somebody else changed the same.
    Conflicts(Vec<Conflict>),
}

impl Spec<'_> {
    /// Applies a delta: RENAMED, REMOVED, MODIFIED, ADDED.
    ///
    /// # Errors
    /// It cannot be applied as a whole.
    pub fn apply(
        &mut self,
        delta: &Delta,
        base: Base<'_>,
        dialect: Dialect,
    ) -> Result<Applied, Refused> {
        let findings = Findings::new(&delta.file);
        let mut work = Work {
            spec: self,
            delta,
            base,
            dialect,
            findings,
            conflicts: Vec::new(),
            applied: Applied::default(),
        };
        if delta.blocks.is_empty() {
            work.findings.error_with_help(
                crate::source::At::START,
                "the delta changes nothing",
                "write requirements below `## ADDED Requirements` and the like",
            );
        }
        for block in delta.of(DeltaKind::Renamed) {
            work.rename(block);
        }
        for block in delta.of(DeltaKind::Removed) {
            work.remove(block);
        }
        for block in delta.of(DeltaKind::Modified) {
            work.modify(block);
        }
        for block in delta.of(DeltaKind::Added) {
            work.add(block);
        }
        let Work { findings, conflicts, mut applied, .. } = work;
        if findings.has_errors() {
            return Err(Refused::Mistakes(errors(findings)));
        }
        if !conflicts.is_empty() {
            return Err(Refused::Conflicts(conflicts));
        }
        applied.warnings.extend(findings.into_sorted());
        Ok(applied)
    }
}

struct Work<'w, 's, 'b> {
    spec: &'w mut Spec<'s>,
    delta: &'w Delta,
    base: Base<'b>,
    dialect: Dialect,
    findings: Findings,
    conflicts: Vec<Conflict>,
    applied: Applied,
}

impl Work<'_, '_, '_> {
    fn rename(&mut self, block: &DeltaBlock) {
        let new = block.new_name.as_deref().unwrap_or_default();
        let target = self.spec.find(new).map(|(slot, called)| (slot, called.to_owned()));
        let Some(slot) = self.exactly(&block.name) else {
            match (&target, self.dialect, self.spec.find(&block.name)) {
                // OpenSpec takes it for a rename that was made before.
                (Some((_, called)), Dialect::OpenSpec, near)
                    if called == new && near.is_none_or(|(_, near)| near == new) =>
                {
                    self.note(block, format!("{} has its new name already", shown(new)));
                }
                _ => self.not_there(block, &block.name),
            }
            return;
        };
        if let Some((other, called)) = target.filter(|(other, _)| *other != slot) {
            let _ = other;
            return self.taken(block, new, &called);
        }
        let line_end = self.spec.line_end;
        let segment = self.spec.segment_mut(slot);
        let rest = segment.core.find('\n').map(|at| segment.core[at + 1..].to_owned());
        segment.core = match rest {
            Some(rest) => format!("### Requirement: {new}{line_end}{rest}").into(),
            None => format!("### Requirement: {new}").into(),
        };
        segment.name = Some(new.to_owned());
        self.spec.names.remove(&folded(&block.name));
        self.spec.names.insert(folded(new), slot);
        self.applied.counts[3] += 1;
    }

    fn remove(&mut self, block: &DeltaBlock) {
        let Some(slot) = self.exactly(&block.name) else {
            if self.dialect == Dialect::OpenSpec && self.spec.find(&block.name).is_none() {
                return self.note(
                    block,
                    format!("{} is not there, as if it was removed before", shown(&block.name)),
                );
            }
            return self.not_there(block, &block.name);
        };
        if let Base::Known(base) = self.base {
            let ours = self.spec.segment(slot).core.to_string();
            let was = base.block(&block.name);
            if was.map(normal).as_deref() != Some(normal(&ours).as_str()) {
                return self.clash(block, None, was, Some(&ours), None);
            }
        }
        self.spec.segment_mut(slot).removed = true;
        self.spec.names.remove(&folded(&block.name));
        self.applied.counts[2] += 1;
    }

    fn modify(&mut self, block: &DeltaBlock) {
        let old = self.delta.old_name(&block.name);
        let was = match self.base {
            Base::Known(base) => Some((base.block(old), base.find(old).is_some())),
            Base::Unchecked => None,
        };
        let Some(slot) = self.exactly(&block.name) else {
            return match was {
                // It was there when the delta was written: somebody else took it away.
                Some((Some(was), _)) if self.spec.find(&block.name).is_none() => {
                    let was = was.to_owned();
                    self.clash(block, None, Some(&was), None, Some(&block.text));
                }
                _ => self.not_there(block, &block.name),
            };
        };
        let ours = self.spec.segment(slot).core.to_string();
        let line_end = self.spec.line_end;
        let theirs = with_line_ends(&block.text, line_end);
        let text = match was {
            None => match self.unchecked(block, &ours) {
                true => theirs,
                false => return,
            },
            Some((None, _)) => {
                return self.clash(block, None, None, Some(&ours), Some(&block.text));
            }
            Some((Some(was), _)) => {
                let was = renamed_heading(was, &ours);
                if normal(&was) == normal(&ours) || normal(&ours) == normal(&theirs) {
                    theirs
                } else {
                    match merge(&was, &ours, &theirs, line_end) {
                        Ok(merged) => {
                            self.applied.merged.push(block.name.clone());
                            merged
                        }
                        Err(clashes) => return self.clashes(block, clashes),
                    }
                }
            }
        };
        if normal(&text) != normal(&ours) {
            self.applied.counts[1] += 1;
            self.spec.segment_mut(slot).core = text.into();
        }
    }

    /// Whether a text may replace one without anybody knowing what it was written against.
    fn unchecked(&mut self, block: &DeltaBlock, ours: &str) -> bool {
        let missing = missing_scenarios(ours, &block.text);
        if missing.is_empty() {
            return true;
        }
        let names: Vec<String> = missing.iter().map(|name| shown(name).to_string()).collect();
        let message = format!("{} would lose scenarios: {}", shown(&block.name), names.join(", "));
        let help = "MODIFIED has the whole new text: write them into it, or REMOVE and ADD the requirement";
        self.findings.error_with_help(block.at(), message, help);
        false
    }

    fn add(&mut self, block: &DeltaBlock) {
        if let Some((slot, called)) = self.spec.find(&block.name) {
            let (called, ours) = (called.to_owned(), self.spec.segment(slot).core.to_string());
            if called == block.name && normal(&ours) == normal(&block.text) {
                return self.note(
                    block,
                    format!("{} is there already, word for word", shown(&block.name)),
                );
            }
            return match self.base {
                Base::Known(base) if base.find(&block.name).is_none() => {
                    self.clash(block, None, None, Some(&ours), Some(&block.text));
                }
                Base::Known(_) | Base::Unchecked => self.taken(block, &block.name, &called),
            };
        }
        let text = with_line_ends(&block.text, self.spec.line_end);
        self.spec.add(&block.name, text);
        self.applied.counts[0] += 1;
    }

    /// Returns the block that is called so, letter by letter.
    fn exactly(&self, name: &str) -> Option<Slot> {
        self.spec.find(name).filter(|(_, called)| *called == name).map(|(slot, _)| slot)
    }

    fn not_there(&mut self, block: &DeltaBlock, name: &str) {
        let near = match self.spec.find(name) {
            Some((_, called)) => Some(called.to_owned()),
            None => nearest(name, self.spec.names.keys().map(String::as_str))
                .and_then(|folded| self.spec.find(folded).map(|(_, called)| called.to_owned())),
        };
        let message = format!("{}: there is no requirement {}", block.kind.word(), shown(name));
        let help = match near {
            Some(near) => {
                format!("did you mean {}? names are compared letter by letter", shown(&near))
            }
            None => "look at the spec: somebody may have renamed or removed it".to_owned(),
        };
        self.findings.error_with_help(block.at(), message, help);
    }

    fn taken(&mut self, block: &DeltaBlock, name: &str, called: &str) {
        let message =
            format!("{}: there is a requirement {} already", block.kind.word(), shown(called));
        let help = match name == called {
            true => "use MODIFIED to change it, or choose another name",
            false => {
                "the two differ in case or white space only: choose another name, or use MODIFIED"
            }
        };
        self.findings.error_with_help(block.at(), message, help);
    }

    fn note(&mut self, block: &DeltaBlock, message: String) {
        self.findings.warning(block.at(), message, "nothing is done about it");
    }

    fn clash(
        &mut self,
        block: &DeltaBlock,
        scenario: Option<String>,
        base: Option<&str>,
        ours: Option<&str>,
        theirs: Option<&str>,
    ) {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let clash = Clash { scenario, base: owned(base), ours: owned(ours), theirs: owned(theirs) };
        self.clashes(block, vec![clash]);
    }

    fn clashes(&mut self, block: &DeltaBlock, clashes: Vec<Clash>) {
        let conflict = |clash: Clash| Conflict {
            requirement: block.name.clone(),
            scenario: clash.scenario,
            base: clash.base,
            ours: clash.ours,
            theirs: clash.theirs,
            line: block.line,
        };
        self.conflicts.extend(clashes.into_iter().map(conflict));
    }
}

/// Returns a block under the heading of another: that it has a new name is no change of its text.
fn renamed_heading(block: &str, other: &str) -> String {
    let rest = block.find('\n').map_or("", |at| &block[at..]);
    let heading = other.lines().next().unwrap_or_default();
    format!("{heading}{rest}")
}
