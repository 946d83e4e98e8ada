//! What was found to judge the work; [`judges`](crate::judges) finds it.

use std::collections::BTreeSet;

use super::Protected;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The rules, each with its reason.
    pub rules: Vec<Protected>,
    /// Files whose text would tell more.
    pub wants: BTreeSet<String>,
    /// The steps for whose commands something was found, also what was known before.
    pub judged: BTreeSet<String>,
    /// What could not be followed, in words, with the step; the last one counts those that are left out.
    pub unfollowed: Vec<String>,
}
