//! Which story has to be done before which.

use std::collections::BTreeMap;

use crate::id::ItemId;

/// Returns the stories of a circle, the first one again at its end; `None` where there is none.
///
/// Dependencies on stories that do not exist lead nowhere.
pub fn circle<'s>(
    stories: impl Iterator<Item = (&'s ItemId, &'s [ItemId])>,
) -> Option<Vec<ItemId>> {
    let stories: BTreeMap<&ItemId, &[ItemId]> = stories.collect();
    let mut done: BTreeMap<&ItemId, bool> = BTreeMap::new();
    for start in stories.keys() {
        // The path from `start` to where we are, each with how many of its dependencies were tried.
        let mut path: Vec<(&ItemId, usize)> = vec![(*start, 0)];
        while let Some((at, tried)) = path.last_mut() {
            if done.get(*at) == Some(&true) {
                path.pop();
                continue;
            }
            let here = *at;
            let Some(next) = stories.get(here).and_then(|needs| needs.get(*tried)) else {
                done.insert(here, true);
                path.pop();
                continue;
            };
            *tried += 1;
            if let Some(from) = path.iter().position(|(story, _)| *story == next) {
                let mut circle: Vec<ItemId> =
                    path[from..].iter().map(|(story, _)| (*story).clone()).collect();
                circle.push(next.clone());
                return Some(circle);
            }
            if stories.contains_key(next) && done.get(next) != Some(&true) {
                path.push((next, 0));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(stories: &[(&str, &[&str])]) -> Option<String> {
        let stories: Vec<(ItemId, Vec<ItemId>)> = stories
            .iter()
            .map(|(id, needs)| {
                (ItemId::from(*id), needs.iter().map(|n| ItemId::from(*n)).collect())
            })
            .collect();
        let circle = circle(stories.iter().map(|(id, needs)| (id, needs.as_slice())))?;
        Some(circle.iter().map(ItemId::as_str).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_circle_is_named_from_where_it_is_entered() {
        assert_eq!(found(&[("S1", &["S2"]), ("S2", &["S1"])]).as_deref(), Some("S1 S2 S1"));
        assert_eq!(
            found(&[("S1", &["S2"]), ("S2", &["S3"]), ("S3", &["S2"])]).as_deref(),
            Some("S2 S3 S2")
        );
        assert_eq!(found(&[("S1", &["S1"])]).as_deref(), Some("S1 S1"));
    }

    #[test]
    fn stories_that_meet_again_are_no_circle() {
        let diamond: &[(&str, &[&str])] =
            &[("S1", &[]), ("S2", &["S1"]), ("S3", &["S1", "S9"]), ("S4", &["S2", "S3"])];
        assert_eq!(found(diamond), None);
    }
}
