//! The table in `docs/security.md`.

use std::path::PathBuf;

use crate::table::{self, Cells, Row};
use crate::world::Who;

const BEGIN: &str = "<!-- attacks: made by `cargo nextest run -p windlass --test attacks` -->\n";
const END: &str = "<!-- end of attacks -->\n";

fn page() -> PathBuf {
    windlass_testkit::root().join("docs/security.md")
}

/// Compares the document with what the attacks did, or writes it anew where that is asked for.
pub(crate) fn compare(rows: &[Row], computed: &Cells) {
    let text = fs_err::read_to_string(page()).expect("docs/security.md");
    let (before, rest) = text.split_once(BEGIN).expect("the begin of the table");
    let (written, after) = rest.split_once(END).expect("the end of the table");
    let known = table::parse(written);
    let mut cells = computed.clone();
    if !Who::possible().contains(&Who::Root) {
        crate::tell("the columns of root are those of the document: this is an ordinary user");
    }
    let is_row = |name: &str| rows.iter().any(|row| row.name == name);
    for (key, cell) in known.iter().filter(|(key, _)| is_row(&key.0)) {
        // What could not be played here is as it was.
        cells.entry(key.clone()).or_insert(*cell);
    }
    if std::env::var_os("WINDLASS_UPDATE_DOCS").is_some() {
        let text = format!("{before}{BEGIN}\n{}\n{END}{after}", table::render(rows, &cells));
        fs_err::write(page(), text).expect("docs/security.md");
        return;
    }
    for (key, cell) in &mut cells {
        match known.get(key) {
            // Another kernel, other settings: refused is refused.
            Some(known) if key.1.depends_on_machine() && *cell < *known => {
                crate::tell(&format!(
                    "{key:?} is {cell:?} on this machine, {known:?} in the document"
                ));
                *cell = *known;
            }
            Some(_) | None => {}
        }
    }
    let rendered = table::render(rows, &cells);
    if rendered.trim() != written.trim() {
        let lines = rendered.lines().filter(|line| !written.contains(line));
        let differs: Vec<&str> = lines.collect();
        panic!(
            "docs/security.md is not what the attacks did; look at each line, then write it anew with \
             WINDLASS_UPDATE_DOCS=1:\n{}",
            differs.join("\n")
        );
    }
}
