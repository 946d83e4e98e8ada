//! What a run kept, by name.

use windlass_core::view::{Fate, KeptFiles};

use super::why::long_story;

#[test]
fn every_attempt_and_everything_sent_back_has_a_name_and_a_fate() {
    let files = KeptFiles::of(&long_story().trail).unwrap();
    let list: Vec<_> = files
        .list
        .iter()
        .map(|kept| (kept.name.split('@').next().unwrap(), kept.fate, kept.snapshot.code.as_str()))
        .collect();
    assert_eq!(
        list,
        [
            ("implement#1", Fate::NotProven, "c1"),
            ("implement#2", Fate::Superseded, "c2"),
            ("feedback", Fate::SentBack, "c2"),
            ("implement#3", Fate::Superseded, "c3"),
            ("docs#1", Fate::NotProven, "c3"),
            ("docs#2", Fate::NotProven, "c3"),
            ("docs#3", Fate::NotProven, "c3"),
            ("rollback", Fate::RolledBack, "c3"),
            ("implement#4", Fate::Proven, "c4"),
        ]
    );
}

#[test]
fn an_attempt_is_compared_with_what_it_began_from_and_a_step_with_its_life() {
    let story = long_story();
    let files = KeptFiles::of(&story.trail).unwrap();
    let second = files.find("implement#2")[0];
    assert_eq!(second.from.code.as_str(), "c1");
    assert_eq!(second.rests_on.code.as_str(), "c0");
    // The rollback began a new life from the code as it was.
    let work = &files.work[&"implement".into()];
    assert_eq!((work.from.code.as_str(), work.to.code.as_str(), work.proven), ("c3", "c4", true));
    let whole = files.whole.unwrap();
    assert_eq!((whole.from.code.as_str(), whole.to.code.as_str()), ("c0", "c4"));
    // Before it, the rework after feedback belonged to the same life.
    let before = story.trail.iter().position(|told| told.event.kind() == "rolled_back").unwrap();
    let files = KeptFiles::of(&story.trail[..before]).unwrap();
    let work = &files.work[&"implement".into()];
    assert_eq!((work.from.code.as_str(), work.to.code.as_str()), ("c0", "c3"));
}

#[test]
fn files_are_found_by_name_or_object_and_papers_set_aside_are_named() {
    let files = KeptFiles::of(&long_story().trail).unwrap();
    assert!(files.find("implement#9").is_empty());
    // Too short to mean one object.
    assert!(files.find("c4").is_empty());
    let back = files.list.iter().find(|kept| kept.fate == Fate::SentBack).unwrap();
    assert_eq!(back.set_aside, [".windlass/run/specs/implementation.md"]);
}
