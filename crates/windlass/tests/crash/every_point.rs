//! Dying at every point, once each. Cut into parts so that they run beside each other.

use super::scenario::Scenario;

const PARTS: usize = 6;

fn die_at_every_point_of(part: usize) {
    let whole = Scenario::new();
    let points = whole.points();
    let wanted = whole.look();
    assert!(points.len() > 100, "{} points", points.len());
    for point in points.iter().skip(part).step_by(PARTS) {
        let scenario = Scenario::new();
        let died = scenario.run(Some(point));
        assert_eq!(died.code, None, "{point}: nobody died there: {died}");
        assert_eq!(scenario.finish(), wanted, "died at {point}");
    }
}

#[test]
fn part_1_of_6() {
    die_at_every_point_of(0);
}

#[test]
fn part_2_of_6() {
    die_at_every_point_of(1);
}

#[test]
fn part_3_of_6() {
    die_at_every_point_of(2);
}

#[test]
fn part_4_of_6() {
    die_at_every_point_of(3);
}

#[test]
fn part_5_of_6() {
    die_at_every_point_of(4);
}

#[test]
fn part_6_of_6() {
    die_at_every_point_of(5);
}
