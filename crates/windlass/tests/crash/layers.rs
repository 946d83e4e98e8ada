//! Rooms of a driver that was killed: they go when somebody drives the run again.

use super::scenario::Scenario;

/// Folders of rooms and of unfinished or thrown away layers.
fn left(scenario: &Scenario) -> Vec<String> {
    let mut found = Vec::new();
    let mut queue = vec![scenario.env.home()];
    while let Some(folder) = queue.pop() {
        // A folder of the code that was judged may be closed, or gone meanwhile.
        let Ok(entries) = fs_err::read_dir(folder) else { continue };
        for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|t| t.is_dir())) {
            let name = entry.file_name().to_string_lossy().into_owned();
            if ["room-", "gone-", "making-"].iter().any(|prefix| name.starts_with(prefix)) {
                found.push(name);
            } else {
                queue.push(entry.path());
            }
        }
    }
    found
}

#[test]
fn nothing_of_a_killed_driver_or_of_one_that_ended_stays() {
    for point in ["room-made:1", "room-made:2", "cold-room:1"] {
        let scenario = Scenario::new();
        let died = scenario.run(Some(point));
        assert_eq!(died.code, None, "{point}: nobody died there: {died}");
        assert_ne!(left(&scenario), Vec::<String>::new(), "{point}: the test finds nothing");
        scenario.finish();
        assert_eq!(left(&scenario), Vec::<String>::new(), "died at {point}");
    }
}
