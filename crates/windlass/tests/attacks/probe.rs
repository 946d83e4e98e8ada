//! What one attack is: a name, what it tries in a sentence, how, and how its success is seen.

/// Which part of the table an attack belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    Reading,
    Writing,
    Others,
    Kernel,
    Deciding,
    Staying,
    Network,
    NetworkOff,
    Proofs,
    Judges,
}

impl Group {
    pub(crate) const ALL: [Self; 10] = [
        Self::Reading,
        Self::Writing,
        Self::Others,
        Self::Kernel,
        Self::Deciding,
        Self::Staying,
        Self::Network,
        Self::NetworkOff,
        Self::Proofs,
        Self::Judges,
    ];

    /// The heading in the document.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Reading => "Reading keys and files",
            Self::Writing => "Writing outside the place",
            Self::Others => "Other processes, sockets and terminals",
            Self::Kernel => "The kernel, devices and mounts",
            Self::Deciding => "Deciding for the person",
            Self::Staying => "Leaving something for later",
            Self::Network => "The network",
            Self::NetworkOff => "The network, in a step with `network: off`",
            Self::Proofs => "False proofs: runs that want to complete without the work",
            Self::Judges => "Gates and judges: what decides is changed, or what was proven undone",
        }
    }

    /// What the script that runs probes calls it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Writing => "writing",
            Self::Others => "others",
            Self::Kernel => "kernel",
            Self::Deciding => "deciding",
            Self::Staying => "staying",
            Self::Network => "network",
            Self::NetworkOff => "network_off",
            Self::Proofs => "proofs",
            Self::Judges => "judges",
        }
    }
}

/// How the success of a probe is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It says that it got through.
    Told,
    /// It tells the secret, which it can only know by getting through.
    Secret,
    /// Its mark is in this file of the world, looked at from outside.
    Wrote(&'static str),
    /// The neighbour heard it.
    Heard,
    /// A gate that only a person may answer is answered.
    Approved,
    /// The next attempt, of another role, finds it by this code.
    Found(&'static str),
}

/// One thing that an agent, or code that a check runs, tries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    pub(crate) tries: &'static str,
    pub(crate) code: &'static str,
    pub(crate) seen: Seen,
    /// Why it is open in a box, where it is.
    pub(crate) open: &'static str,
    /// Why it is refused even where nothing is confined, where it is.
    pub(crate) always_refused: &'static str,
    /// Whether it is tried after all others, in the next attempt.
    pub(crate) late: bool,
}

impl Probe {
    pub(crate) const fn new(
        group: Group,
        name: &'static str,
        tries: &'static str,
        seen: Seen,
        code: &'static str,
    ) -> Self {
        Self { name, group, tries, code, seen, open: "", always_refused: "", late: false }
    }

    /// The same, with the reason why a box leaves it open.
    pub(crate) const fn open(mut self, why: &'static str) -> Self {
        self.open = why;
        self
    }

    /// The same, with the reason why it fails without any confinement, too.
    pub(crate) const fn always_refused(mut self, why: &'static str) -> Self {
        self.always_refused = why;
        self
    }

    /// The same, tried after all others.
    pub(crate) const fn late(mut self) -> Self {
        self.late = true;
        self
    }
}
