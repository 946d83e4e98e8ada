//! Dying at every point, once each.

use windlass_testkit::in_parallel;

use super::scenario::Scenario;

const PARTS: usize = 2;

fn die_at_every_point_of(part: usize) {
    let whole = Scenario::new();
    let points = whole.points();
    let wanted = whole.look();
    assert!(points.len() > 100, "{} points", points.len());
    let points: Vec<&String> = points.iter().skip(part).step_by(PARTS).collect();
    in_parallel(4, points, |point| {
        let scenario = Scenario::new();
        let died = scenario.run(Some(point));
        assert_eq!(died.code, None, "{point}: nobody died there: {died}");
        assert_eq!(scenario.finish(), wanted, "died at {point}");
    });
}

#[test]
fn the_odd_ones() {
    die_at_every_point_of(0);
}

#[test]
fn the_even_ones() {
    die_at_every_point_of(1);
}
