//! How people are told.

/// How people are told that a run needs them or has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Notify {
    /// The terminal's bell.
    #[default]
    Bell,
    /// A notice on the desktop, by `notify-send`.
    Desktop,
    /// Not at all.
    Off,
    /// By a shell command, which finds what happened in its environment.
    Command(String),
}

impl Notify {
    /// Reads what was written: `off`, `bell`, `desktop`, or a command.
    pub fn of(written: &str) -> Self {
        match written.trim() {
            "off" => Self::Off,
            "bell" => Self::Bell,
            "desktop" => Self::Desktop,
            _ => Self::Command(written.to_owned()),
        }
    }
}
