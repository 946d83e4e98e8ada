//! The configuration file that `windlass init` writes.

use std::fmt::Write as _;

/// Returns a configuration with `workflow` as the default, and comments about the rest.
pub fn config(workflow: &str) -> String {
    let mut text = String::new();
    let _ = write!(
        text,
        "# Windlass, for everybody who works on this repository. A flag on the command line comes
# before this file, this file before the one in your home (~/.config/windlass/config.yaml).

# The workflow of `windlass run GOAL`. All of them: `windlass workflow list`.
workflow: {workflow}

# Who plays the agents: `claude`, `codex`, `gemini`, `opencode`, `qwen`, or `auto`, the first that can be
# used (the default). See `windlass agent list`.
# agent: claude

# Or a command of your own that plays the agents; it finds its prompt on standard input. Whoever runs windlass
# here runs this command, so agree on it.
# agent_command: my-agent

# How you are told that a run needs you or has ended: a shell command that finds what happened in
# $WINDLASS_EVENT, $WINDLASS_RUN, $WINDLASS_STEP and $WINDLASS_MESSAGE; or `bell` (the default); or `off`.
# notify: 'notify-send windlass \"$WINDLASS_MESSAGE\"'

# Hours in which no attempt is started, and what a day's attempts in this repository may cost.
# quiet_hours: '22:00-07:00'
# day_budget_usd: 20

# Start nothing on a machine that cannot confine agents and checks completely. Only your own file says less.
# sandbox: require

# What kind of failure it is when an agent ends like this; more in docs/configuration.md.
# failures: [{{match: 'gateway timeout', category: infra}}]
"
    );
    text
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn what_is_written_can_be_read_with_its_comments_and_without() {
        let text = super::config("change");
        assert_eq!(
            Config::parse(text.as_bytes(), "c", &|_| true).unwrap().workflow.as_deref(),
            Some("change")
        );
        let mut active = text.clone();
        let keys =
            ["agent_command", "notify", "quiet_hours", "day_budget_usd", "sandbox", "failures"];
        for key in keys {
            active = active.replace(&format!("# {key}"), key);
        }
        let config = Config::parse(active.as_bytes(), "c", &|_| true).unwrap();
        assert!(config.agent_command.is_some() && config.notify.is_some());
        assert!(!config.quiet_hours.is_empty() && config.day_budget_usd.is_some());
        assert!(!config.failures.is_empty() && config.confinement.sandbox.is_some());
    }
}
