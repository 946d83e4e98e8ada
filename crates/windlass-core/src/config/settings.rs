//! Several configurations as one, with the origin of each value.

use super::commits::CommitConfig;
use super::confinement::Confinement;
use super::file::Config;
use super::notify::Notify;
use super::pass_env::PassEnv;
use super::quiet::QuietHours;
use crate::deps::Service;
use crate::failure_rules::FailureRule;
use crate::hook::ExactWords;
use crate::platform::Wanted;
use crate::time::Span;

/// Where a value comes from. A later one here gives way to an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The command line.
    Flag,
    /// The repository's configuration, in this file.
    Repository(String),
    /// The user's own configuration, in this file.
    User(String),
}

impl Origin {
    /// Returns the file that holds the value; none for the command line.
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Flag => None,
            Self::Repository(file) | Self::User(file) => Some(file),
        }
    }

    /// Returns whether whoever wrote the repository chose the value, not whoever runs the command.
    pub fn is_repository(&self) -> bool {
        matches!(self, Self::Repository(_))
    }
}

/// A value that somebody has set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub origin: Origin,
}

impl<T> Setting<T> {
    /// Returns the flag's value if there is one, else what was set.
    pub fn or_flag(flag: Option<T>, set: Option<Self>) -> Option<Self> {
        flag.map(|value| Self { value, origin: Origin::Flag }).or(set)
    }
}

/// What is set, the repository's word before the user's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The workflow of `windlass run`.
    pub workflow: Option<Setting<String>>,
    /// The platform, or that of each folder.
    pub platform: Option<Setting<Wanted>>,
    /// The backend that plays every agent.
    pub agent: Option<Setting<String>>,
    /// The command that plays every agent.
    pub agent_command: Option<Setting<String>>,
    /// How people are told.
    pub notify: Option<Setting<Notify>>,
    /// How long questions wait for an answer.
    pub questions_wait: Option<Setting<Span>>,
    /// Variables that attempts get beside the usual ones, by the user's own word.
    pub pass_env: Vec<PassEnv>,
    /// The repository's file that asks for variables. It is ignored: whoever wrote the
    /// repository does not choose what leaves the user's environment.
    pub pass_env_unheeded: Option<String>,
    /// Hours in which no attempt is started: those of all files, because nobody shortens another's.
    pub quiet_hours: Vec<Setting<QuietHours>>,
    /// What a day's attempts may cost: every one of them holds.
    pub day_budgets: Vec<Setting<f64>>,
    /// How attempts that failed are told apart, in the order in which they are asked.
    pub failures: Vec<FailureRule>,
    /// Services outside the repository, those of all files.
    pub services: Vec<Service>,
    /// Whole messages that are an answer in a hosting session, by the user's own word: an agent can
    /// write the repository's configuration, and would approve itself by a word that people often use.
    pub answers: ExactWords,
    /// What holds for rooms and boxes.
    pub confinement: Confinement,
    /// How commits are written.
    pub commits: CommitConfig,
    /// The folder of requirements.
    pub devflow: Option<Setting<String>>,
}

impl Settings {
    /// Puts configurations together; for each key the first that sets it counts.
    pub fn of(configs: impl IntoIterator<Item = (Origin, Config)>) -> Self {
        let mut settings = Self::default();
        let mut configs: Vec<_> = configs.into_iter().collect();
        configs.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (origin, config) in configs {
            let Config { workflow, platform, agent, agent_command, notify, pass_env, .. } = config;
            set(&mut settings.workflow, workflow, &origin);
            set(&mut settings.platform, platform, &origin);
            set(&mut settings.agent, agent, &origin);
            set(&mut settings.agent_command, agent_command, &origin);
            set(&mut settings.notify, notify, &origin);
            set(&mut settings.questions_wait, config.questions_wait, &origin);
            set(&mut settings.devflow, config.devflow, &origin);
            let of = |value| Setting { value, origin: origin.clone() };
            settings.quiet_hours.extend(config.quiet_hours.into_iter().map(of));
            let of = |value| Setting { value, origin: origin.clone() };
            settings.day_budgets.extend(config.day_budget_usd.map(of));
            settings.failures.extend(config.failures);
            settings.services.extend(config.services);
            settings.confinement.add(config.confinement, &origin);
            settings.commits.or(config.commits);
            if !origin.is_repository() {
                settings.answers.approve.extend(config.answers.approve);
                settings.answers.reject.extend(config.answers.reject);
            }
            match origin {
                Origin::Repository(file) if !pass_env.is_empty() => {
                    settings.pass_env_unheeded = Some(file);
                }
                Origin::Repository(_) => {}
                Origin::Flag | Origin::User(_) => settings.pass_env.extend(pass_env),
            }
        }
        settings
    }
}

fn set<T>(setting: &mut Option<Setting<T>>, value: Option<T>, origin: &Origin) {
    if setting.is_none() {
        *setting = value.map(|value| Setting { value, origin: origin.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_user_says_what_leaves_their_environment() {
        let config = |name: &str| Config {
            pass_env: vec![PassEnv::Name(name.to_owned())],
            ..Config::default()
        };
        let settings = Settings::of([
            (Origin::User("u.yaml".to_owned()), config("MINE")),
            (Origin::Repository("r.yaml".to_owned()), config("THEIRS")),
        ]);
        assert_eq!(settings.pass_env, [PassEnv::Name("MINE".to_owned())]);
        assert_eq!(settings.pass_env_unheeded.as_deref(), Some("r.yaml"));
    }

    #[test]
    fn the_flag_comes_before_the_repository_and_that_before_the_user() {
        let config = |workflow: &str| Config {
            workflow: Some(workflow.to_owned()),
            notify: Some(Notify::Off),
            ..Config::default()
        };
        let user = (Origin::User("u.yaml".to_owned()), config("mine"));
        let repository =
            (Origin::Repository("r.yaml".to_owned()), Config { notify: None, ..config("ours") });
        let settings = Settings::of([user, repository]);
        let workflow = settings.workflow.clone().unwrap();
        assert_eq!(workflow.value, "ours");
        assert_eq!(workflow.origin.file(), Some("r.yaml"));
        assert!(workflow.origin.is_repository());
        assert_eq!(settings.notify.unwrap().origin, Origin::User("u.yaml".to_owned()));
        assert_eq!(settings.agent_command, None);
        let flag = Setting::or_flag(Some("theirs".to_owned()), settings.workflow).unwrap();
        assert_eq!((flag.value.as_str(), flag.origin), ("theirs", Origin::Flag));
    }
}
