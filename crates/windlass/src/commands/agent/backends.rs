//! The backends: what is there of each, whether it can be used, and what it can do.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use windlass_core::view::{Lines, printable};
use windlass_engine::agent::{Account, Capabilities, KNOWN, Survey, open};

const KIND: &str = "backend";

/// A backend as people see it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BackendView {
    /// Tells it apart from a role in a list of both.
    pub(crate) kind: &'static str,
    pub(crate) name: &'static str,
    pub(crate) usable: bool,
    #[serde(flatten)]
    pub(crate) survey: Survey,
    pub(crate) capabilities: Capabilities,
}

/// Looks at every backend that needs nothing but its program.
pub(crate) fn look(env: &[(String, String)]) -> Vec<BackendView> {
    KNOWN.iter().filter_map(|name| look_at(name, env)).collect()
}

/// Looks at one of them.
pub(crate) fn look_at(name: &'static str, env: &[(String, String)]) -> Option<BackendView> {
    // Which windlass it is that starts the program does not matter to a look.
    let backend = open(name, None, Path::new("windlass"))?;
    let survey = backend.survey(env);
    let usable = unusable(&survey).is_none();
    Some(BackendView { kind: KIND, name, usable, survey, capabilities: backend.capabilities() })
}

/// Says why a backend cannot be used, and what to do.
pub(crate) fn unusable(survey: &Survey) -> Option<String> {
    let not_signed_in = match &survey.account {
        Account::NotSignedIn { hint } => Some(format!("it is not signed in: {hint}")),
        Account::SignedIn { .. } | Account::Unknown => None,
    };
    survey.trouble.clone().or(not_signed_in)
}

impl BackendView {
    /// The whole in one line, for those who only ask whether it works.
    pub(crate) fn line(&self) -> String {
        let version = self.survey.version.as_deref().unwrap_or("version unknown");
        let at = self.survey.program.as_deref().map(shown).unwrap_or_default();
        match unusable(&self.survey) {
            Some(why) => printable(&why, Lines::One),
            None => format!("{version} at {at}, {}; {}", self.account(), self.abilities()),
        }
    }

    fn account(&self) -> String {
        match &self.survey.account {
            Account::SignedIn { by } => format!("signed in by {}", printable(by, Lines::One)),
            Account::NotSignedIn { .. } => "not signed in".to_owned(),
            Account::Unknown => "whether it is signed in is not known".to_owned(),
        }
    }

    fn abilities(&self) -> String {
        let can: Vec<&str> = abilities(self.capabilities)
            .into_iter()
            .filter(|(_, can)| *can)
            .map(|(w, _)| w)
            .collect();
        if can.is_empty() { "it reports nothing".to_owned() } else { can.join(", ") }
    }
}

fn abilities(can: Capabilities) -> [(&'static str, bool); 8] {
    let Capabilities { cost, tokens, budget, resume, guards, sandbox, roles, mcp } = can;
    [
        ("cost", cost),
        ("tokens", tokens),
        ("budget", budget),
        ("resume", resume),
        ("guards", guards),
        ("sandbox", sandbox),
        ("roles", roles),
        ("mcp", mcp),
    ]
}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy(), Lines::One)
}

/// Draws the table, with a line below for each that cannot be used.
pub(crate) fn table(backends: &[BackendView]) -> String {
    let mut text = String::new();
    let _ = write!(text, "{:<10} {:<10} {:<12}", "backend", "version", "signed in");
    for (word, _) in abilities(Capabilities::default()) {
        let _ = write!(text, " {word:<8}");
    }
    for backend in backends {
        let account = match &backend.survey.account {
            Account::SignedIn { .. } => "yes",
            Account::NotSignedIn { .. } => "no",
            Account::Unknown => "unknown",
        };
        let version = match (&backend.survey.program, backend.survey.version.as_deref()) {
            (None, _) => "not found",
            (Some(_), None) => "unknown",
            (Some(_), Some(version)) => version,
        };
        let _ = write!(text, "\n{:<10} {version:<10} {account:<12}", backend.name);
        for (_, can) in abilities(backend.capabilities) {
            let _ = write!(text, " {:<8}", if can { "yes" } else { "-" });
        }
    }
    let troubles: Vec<String> = troubles(backends);
    if !troubles.is_empty() {
        let _ = write!(text, "\n\n{}", troubles.join("\n"));
    }
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// Says why backends cannot be used, one line each; those that are merely not there share one.
pub(crate) fn troubles(backends: &[BackendView]) -> Vec<String> {
    let is_away = |backend: &&BackendView| {
        backend.survey.program.is_none() && !["claude", "codex"].contains(&backend.name)
    };
    let away: Vec<&str> = backends.iter().filter(is_away).map(|backend| backend.name).collect();
    let mut lines: Vec<String> = backends
        .iter()
        .filter(|backend| !is_away(backend))
        .filter_map(|backend| {
            let why = unusable(&backend.survey)?;
            Some(format!("{}: {}", backend.name, printable(&why, Lines::One)))
        })
        .collect();
    if !away.is_empty() {
        lines.push(format!("{}: not on PATH", away.join(", ")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(name: &'static str, survey: Survey, capabilities: Capabilities) -> BackendView {
        BackendView { kind: KIND, name, usable: unusable(&survey).is_none(), survey, capabilities }
    }

    #[test]
    fn a_table_says_what_is_there_what_it_can_do_and_what_to_do() {
        let claude = Survey {
            program: Some("/usr/bin/claude".into()),
            version: Some("2.1.325".to_owned()),
            account: Account::SignedIn { by: "ANTHROPIC_API_KEY".to_owned() },
            trouble: None,
        };
        let codex = Survey {
            program: None,
            version: None,
            account: Account::NotSignedIn { hint: "sign in".to_owned() },
            trouble: Some("`codex` is not on PATH: install it".to_owned()),
        };
        let all = Capabilities { cost: true, guards: true, ..Capabilities::default() };
        let views = [view("claude", claude, all), view("codex", codex, Capabilities::default())];
        insta::assert_snapshot!(table(&views), @r"
        backend    version    signed in    cost     tokens   budget   resume   guards   sandbox  roles    mcp
        claude     2.1.325    yes          yes      -        -        -        yes      -        -        -
        codex      not found  no           -        -        -        -        -        -        -        -

        codex: `codex` is not on PATH: install it
        ");
        assert_eq!(
            views[0].line(),
            "2.1.325 at /usr/bin/claude, signed in by ANTHROPIC_API_KEY; cost, guards"
        );
    }
}
