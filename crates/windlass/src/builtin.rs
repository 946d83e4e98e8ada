//! The workflows that come with windlass.

/// A workflow that comes with windlass.
#[derive(Debug)]
pub(crate) struct BuiltIn {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
}

/// All of them, the one that most people want first.
pub(crate) const ALL: [BuiltIn; 3] = [
    BuiltIn { name: "change", source: include_str!("../workflows/change.yaml") },
    BuiltIn { name: "fix", source: include_str!("../workflows/fix.yaml") },
    BuiltIn { name: "docs", source: include_str!("../workflows/docs.yaml") },
];

/// Returns the built-in workflow of this name.
pub(crate) fn find(name: &str) -> Option<&'static BuiltIn> {
    ALL.iter().find(|builtin| builtin.name == name)
}
