//! Any text is read as a spec, a delta and a task list without harm; a spec is printed as it was.

#![no_main]

use libfuzzer_sys::fuzz_target;
use windlass_core::spec::{Base, Delta, Dialect, Spec};
use windlass_core::tasks::TaskList;

fuzz_target!(|text: &str| {
    if let Ok(list) = TaskList::parse(text, "TASKS.md") {
        let grouped: usize = list.groups().iter().map(Vec::len).sum();
        assert_eq!(grouped, list.tasks.len(), "each task is in one group");
        let _ = (list.next(), list.conflicts());
    }
    // The first half is a spec, the second a delta of it.
    let (half, rest) = text.split_at(text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at));
    let front = "---\ndelta_id: a\nreq_id: REQ-1\ntitle: a\ncreated_at: a\n---\n";
    for dialect in [Dialect::Windlass, Dialect::OpenSpec] {
        let delta = Delta::parse(&format!("{front}{rest}"), "delta.md", dialect);
        let Ok(mut spec) = Spec::parse(half, "spec.md", dialect) else { continue };
        assert_eq!(spec.print(), half, "what was not touched is as it was");
        let base = spec.clone();
        if let Ok(delta) = delta
            && spec.apply(&delta, Base::Known(&base), dialect).is_ok()
        {
            let _ = spec.print();
        }
    }
});
