//! Keys that answer a gate before anybody has seen it.

use super::{Cheat, Judge};

pub(crate) const CHEATS: &[Cheat] = &[Cheat::new(
    "typed_ahead",
    "have what was typed before the gate was shown approve it",
    r#"
steps:
  - {id: work, agent: coder, task: Write it., done: {file: src.txt}, gate: approval}
"#,
    Judge::Completed,
)
.typed("a\na\na\n")
.agent("echo x > src.txt")];
