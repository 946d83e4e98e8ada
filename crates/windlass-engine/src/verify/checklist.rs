//! Boxes that an agent ticked.

use std::path::Path;

use windlass_core::glob;
use windlass_core::measure::{Percent, read_checklist};
use windlass_core::plan::template;

use super::seen::Seen;
use super::verifier::Looking;
use crate::git::place_files;

/// The largest list that is read: tens of thousands of items.
const MAX_CHECKLIST_BYTES: u64 = 1 << 20;

impl Looking<'_> {
    /// Counts the boxes of a file of the place.
    pub(super) fn checklist(&self, file: &str, min: Percent) -> Seen {
        let filled = match template::fill_context(file, self.request.context) {
            Ok(filled) => filled,
            Err(missing) => return Seen::unanswered(format!("checklist `{file}`: {missing}")),
        };
        let no = |why: &str| Seen::no(format!("checklist `{filled}`: {why}"));
        if let Err(bad) = glob::stays_inside(&filled) {
            return no(&bad.to_string());
        }
        let root = self.place.root();
        let bytes =
            match place_files::read_file_bounded(root, Path::new(&filled), MAX_CHECKLIST_BYTES) {
                Ok(bytes) => bytes,
                Err(error) if error.is_missing() => return no("no such file"),
                Err(error) => {
                    return Seen::unanswered(format!("checklist `{filled}`: {error}"));
                }
            };
        let Ok(text) = String::from_utf8(bytes) else { return no("is not UTF-8 text") };
        let list = read_checklist(&text);
        if list.boxes == 0 {
            return no("has no box, such as `- [ ] write the tests`");
        }
        let summary = format!("checklist `{filled}`: {list} (min {min})");
        let open: Vec<String> = list.open.iter().map(|item| format!("open: {item}")).collect();
        Seen::of(list.reaches(min), summary).explained(open.join("\n"))
    }
}
