//! A configuration file, read and checked.

use super::commits::{self, CommitConfig};
use super::confinement::ConfinementConfig;
use super::notify::Notify;
use super::pass_env::PassEnv;
use super::quiet::QuietHours;
use super::{confinement, failures, quiet, services};
use crate::deps::Service;
use crate::failure_rules::FailureRule;
use crate::hook::ExactWords;
use crate::platform::{NONE, Wanted, is_pack_name};
use crate::source::Diagnostic;
use crate::source::diagnostic::{At, Findings};
use crate::source::fields::{self, Fields};
use crate::source::key::{Key, Mapping, Rule, Takes};
use crate::source::yaml::{self, Node, Value};
use crate::time::Span;

static KEYS: Mapping = Mapping {
    name: "configuration",
    of: "a configuration",
    doc: "What holds for every run, unless a flag says otherwise.",
    keys: &[
        Key::new("workflow", Takes::Text, "The workflow of `windlass run`."),
        Key::new(
            "platform",
            Takes::Text,
            "The platform, or the platform of each folder; `none` leaves a folder out.",
        ),
        Key::new("agent", Takes::Text, "The backend that plays every agent, or `auto`."),
        Key::new("agent_command", Takes::Text, "The command that plays every agent."),
        Key::new(
            "notify",
            Takes::Text,
            "What tells people: a command, `bell`, `desktop` or `off`.",
        ),
        Key::new(
            "pass_env",
            Takes::List { of: &Takes::Text, least: 0, most: None },
            "Variables that attempts get beside the usual ones: `NAME` or `PREFIX_*`.",
        ),
        Key::new(
            "questions_wait",
            Takes::Text,
            "How long questions wait for an answer before the recommendation is taken; `0` for not at all.",
        ),
        Key::new("quiet_hours", Takes::Text, "Hours in which no attempt is started."),
        Key::new("day_budget_usd", Takes::Amount, "The most that a day's attempts may cost."),
        Key::new("failures", Takes::Text, "How attempts that failed are told apart."),
        Key::new(
            "services",
            Takes::Text,
            "Services outside the repository, besides the known ones.",
        ),
        Key::new("commits", Takes::Text, "How the commits of a run are written."),
        Key::new("devflow", Takes::Text, "The folder of requirements, by default `devflow`."),
        Key::new(
            "sandbox",
            Takes::Text,
            "Whether attempts and checks are confined: `require`, `prefer` or `off`.",
        ),
        Key::new(
            "expose",
            Takes::List { of: &Takes::MachinePath, least: 0, most: None },
            "Paths that attempts and checks may read beside the usual ones.",
        ),
        Key::new("copy_limit", Takes::Text, "How large an ignored folder may be to be copied."),
        Key::new("disk_limit", Takes::Text, "How much all layers of a run may hold."),
        Key::new(
            "registries",
            Takes::List { of: &Takes::Host, least: 0, most: None },
            "Hosts of package registries.",
        ),
        Key::new(
            "publishes",
            Takes::List { of: &Takes::Text, least: 0, most: None },
            "Commands that agents do not run because they publish, besides the known ones.",
        ),
        Key::new(
            "may_publish",
            Takes::List { of: &Takes::Text, least: 0, most: None },
            "Commands that publish and that agents may run nevertheless.",
        ),
        Key::new(
            "approve_words",
            Takes::List { of: &Takes::Text, least: 0, most: None },
            "Whole messages that approve in a hosting session, besides `approve`.",
        ),
        Key::new(
            "reject_words",
            Takes::List { of: &Takes::Text, least: 0, most: None },
            "Whole messages that reject in a hosting session, besides `reject`.",
        ),
    ],
    not_yet: &[],
    rule: Rule::None,
};

/// What one configuration file sets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The workflow of `windlass run`: a name, or a path relative to the repository.
    pub workflow: Option<String>,
    /// The platform, or that of each folder.
    pub platform: Option<Wanted>,
    /// The backend that plays every agent.
    pub agent: Option<String>,
    /// The command that plays every agent.
    pub agent_command: Option<String>,
    /// How people are told that a run needs them or has ended.
    pub notify: Option<Notify>,
    /// Variables that attempts get beside those that all attempts get.
    pub pass_env: Vec<PassEnv>,
    /// How long questions wait for an answer before the recommendation is taken.
    pub questions_wait: Option<Span>,
    /// Hours in which no attempt is started.
    pub quiet_hours: Vec<QuietHours>,
    /// The most that a day's attempts may cost, in US dollars.
    pub day_budget_usd: Option<f64>,
    /// How attempts that failed are told apart; the first that fits counts.
    pub failures: Vec<FailureRule>,
    /// Services outside the repository that stories may need, besides those that windlass knows.
    pub services: Vec<Service>,
    /// Whole messages that are understood as an answer in a hosting session.
    pub answers: ExactWords,
    /// What holds for rooms and boxes.
    pub confinement: ConfinementConfig,
    /// How commits are written.
    pub commits: CommitConfig,
    /// The folder of requirements, relative to the repository.
    pub devflow: Option<String>,
}

impl Config {
    /// Reads the bytes of a configuration file; `file_name` is what findings call it.
    ///
    /// A file of comments only is an empty configuration: that is how `windlass init` leaves what
    /// nobody has chosen yet.
    /// `knows_zone` says whether the machine knows a time zone by this name.
    pub fn parse(
        source: &[u8],
        file_name: &str,
        knows_zone: &dyn Fn(&str) -> bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut findings = Findings::new(file_name);
        let config = match std::str::from_utf8(source) {
            Ok(text) => read(text, knows_zone, &mut findings),
            Err(error) => {
                let valid = String::from_utf8_lossy(&source[..error.valid_up_to()]);
                let at = At { len: 1, ..At::of_offset(&valid, valid.len()) };
                let message = format!("byte {} is not UTF-8", error.valid_up_to());
                findings.error_with_help(at, message, "save the file as UTF-8");
                None
            }
        };
        match config {
            Some(config) if !findings.has_errors() => Ok(config),
            Some(_) | None => Err(findings.into_sorted()),
        }
    }
}

fn read(text: &str, knows_zone: &dyn Fn(&str) -> bool, findings: &mut Findings) -> Option<Config> {
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Some(Config::default());
    }
    let root = yaml::parse(text, findings)?;
    if let Value::Null = root.value {
        return Some(Config::default());
    }
    let fields = Fields::read(&root, &KEYS, findings)?;
    Some(Config {
        workflow: line(&fields, "workflow", findings),
        platform: fields.get("platform").and_then(|node| platform(node, findings)),
        agent: line(&fields, "agent", findings),
        agent_command: fields.get("agent_command").and_then(|node| command(node, findings)),
        notify: fields.get("notify").and_then(|node| notify(node, findings)),
        pass_env: fields.get("pass_env").map(|node| pass_env(node, findings)).unwrap_or_default(),
        questions_wait: fields.get("questions_wait").and_then(|node| wait(node, findings)),
        quiet_hours: fields
            .get("quiet_hours")
            .map(|node| quiet::read(node, knows_zone, findings))
            .unwrap_or_default(),
        day_budget_usd: fields
            .get("day_budget_usd")
            .and_then(|node| fields::positive_number(node, findings)),
        failures: fields
            .get("failures")
            .map(|node| failures::read(node, findings))
            .unwrap_or_default(),
        services: fields
            .get("services")
            .map(|node| services::read(node, findings))
            .unwrap_or_default(),
        answers: ExactWords {
            approve: words(&fields, "approve_words", findings),
            reject: words(&fields, "reject_words", findings),
        },
        confinement: confinement::read(&fields, findings),
        commits: fields
            .get("commits")
            .and_then(|node| commits::read(node, findings))
            .unwrap_or_default(),
        devflow: folder(&fields, findings),
    })
}

/// Reads the folder of requirements: plain names, so that it leads nowhere else.
fn folder(fields: &Fields<'_>, findings: &mut Findings) -> Option<String> {
    let node = fields.get("devflow")?;
    let text = fields::filled_text(node, findings)?;
    let plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
    };
    if text.value.trim_end_matches('/').split('/').all(plain) {
        return Some(text.value.trim_end_matches('/').to_owned());
    }
    findings.error_with_help(
        text.at,
        "`devflow` is a folder of the repository",
        "write its path as seen from the top of the repository, such as `docs/devflow`",
    );
    None
}

/// Reads `platform`: a name, or a mapping from folders to names.
fn platform(node: &Node, findings: &mut Findings) -> Option<Wanted> {
    if let Value::Text(_) = node.value {
        let prefer = Some(platform_name(node, findings)?);
        return Some(Wanted { prefer, ..Wanted::default() });
    }
    let mut wanted = Wanted::default();
    for (folder, at, node) in fields::entries(node, "platforms of folders", findings)? {
        let Some(name) = platform_name(node, findings) else { continue };
        match Wanted::folder(folder) {
            Ok(folder) => drop(wanted.folders.insert(folder, name)),
            Err(bad) => findings.error_with_help(
                at,
                format!("`{folder}`: {bad}"),
                "write the folder as seen from the repository, `.` for the repository itself",
            ),
        }
    }
    Some(wanted)
}

fn platform_name(node: &Node, findings: &mut Findings) -> Option<String> {
    let name = fields::filled_text(node, findings)?;
    if name.value != NONE && !is_pack_name(&name.value) {
        findings.error_with_help(
            name.at,
            "this cannot be the name of a platform",
            "`windlass platform list` shows those that there are",
        );
        return None;
    }
    Some(name.value)
}

/// Reads whole messages.
fn words(fields: &Fields<'_>, key: &str, findings: &mut Findings) -> Vec<String> {
    let Some(node) = fields.get(key) else { return Vec::new() };
    let mut words = Vec::new();
    for one in fields::one_or_more(node) {
        words.extend(fields::filled_text(one, findings).map(|text| text.value));
    }
    words
}

/// Reads a name: one line without control characters.
fn line(fields: &Fields<'_>, key: &str, findings: &mut Findings) -> Option<String> {
    let text = fields::filled_text(fields.get(key)?, findings)?;
    if text.value.chars().any(char::is_control) {
        findings.error_with_help(text.at, format!("`{key}` is one line"), "write it on one line");
        return None;
    }
    Some(text.value)
}

/// Reads a shell command, which may have several lines.
fn command(node: &Node, findings: &mut Findings) -> Option<String> {
    let text = fields::filled_text(node, findings)?;
    if text.value.contains('\0') {
        findings.error_with_help(text.at, "a command cannot hold a NUL byte", "take it out");
        return None;
    }
    Some(text.value)
}

fn notify(node: &Node, findings: &mut Findings) -> Option<Notify> {
    // What some YAML readers make of `off`, and what everybody means by it.
    if let Value::Boolean(false) = node.value {
        return Some(Notify::Off);
    }
    Some(Notify::of(&command(node, findings)?))
}

/// Reads how long something waits; a bare `0` is not at all.
fn wait(node: &Node, findings: &mut Findings) -> Option<Span> {
    if let Value::Number(number) = &node.value
        && number == "0"
    {
        return Some(Span(0));
    }
    let text = fields::filled_text(node, findings)?;
    let wait = if text.value == "0" { Some(Span(0)) } else { Span::parse(&text.value) };
    if wait.is_none() {
        let help = "write a time such as `90s`, `5m` or `2h`, or `0`";
        findings.error_with_help(text.at, format!("`{}` is not a time", text.value), help);
    }
    wait
}

fn pass_env(node: &Node, findings: &mut Findings) -> Vec<PassEnv> {
    let mut passed = Vec::new();
    for one in fields::one_or_more(node) {
        let Some(text) = fields::filled_text(one, findings) else { continue };
        match PassEnv::parse(&text.value) {
            Ok(name) => passed.push(name),
            Err(error) => findings.error_with_help(text.at, error.to_string(), error.help()),
        }
    }
    passed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(source: &[u8]) -> Result<Config, Vec<Diagnostic>> {
        Config::parse(source, "c.yaml", &|zone| zone == "Europe/Berlin")
    }

    fn refused(source: &str) -> String {
        let found = parse(source.as_bytes()).expect_err("it is refused");
        let lines: Vec<String> = found
            .iter()
            .map(|one| match &one.help {
                Some(help) => format!("{one} ({help})"),
                None => one.to_string(),
            })
            .collect();
        lines.join("\n")
    }

    #[test]
    fn a_file_of_comments_sets_nothing() {
        for source in ["", "# only\n\n  # comments\n", "---\n"] {
            assert_eq!(parse(source.as_bytes()).unwrap(), Config::default());
        }
    }

    #[test]
    fn every_key_is_read() {
        let source =
            "workflow: change\nagent: claude\nagent_command: my-agent --yes\nnotify: off\n";
        let config = parse(source.as_bytes()).unwrap();
        assert_eq!(config.workflow.as_deref(), Some("change"));
        assert_eq!(config.agent.as_deref(), Some("claude"));
        assert_eq!(config.agent_command.as_deref(), Some("my-agent --yes"));
        assert_eq!(config.notify, Some(Notify::Off));
    }

    #[test]
    fn all_mistakes_are_named_with_their_place_and_the_nearest_word() {
        let source = "workfow: change\nagent_command: 7\nnotify: [a]\n";
        insta::assert_snapshot!(refused(source), @r"
        c.yaml:1:1: unknown key of a configuration: `workfow` (did you mean `workflow`?)
        c.yaml:2:16: expected text, found the number `7` (put it in quotes if text is meant)
        c.yaml:3:9: expected text, found a list
        ");
    }

    #[test]
    fn variables_to_pass_are_a_list_or_one_name_and_never_a_key_of_a_forge() {
        let config = Config::parse(b"pass_env: [MODEL_URL, COMPANY_*]\n", "c", &|_| true).unwrap();
        let name = PassEnv::Name("MODEL_URL".to_owned());
        assert_eq!(config.pass_env, [name, PassEnv::Beginning("COMPANY_".to_owned())]);
        assert_eq!(Config::parse(b"pass_env: A\n", "c", &|_| true).unwrap().pass_env.len(), 1);
        insta::assert_snapshot!(refused("pass_env: [GH_TOKEN, A B]\n"), @r"
        c.yaml:1:12: `GH_TOKEN` is never passed to an attempt (attempts hold no key of a forge, and have a home and a git of their own: windlass itself speaks to the forge)
        c.yaml:1:22: `A B` is not the name of a variable (write `NAME`, or `PREFIX_*` for all that begin like this)
        ");
    }

    #[test]
    fn questions_wait_for_a_time_or_not_at_all() {
        let wait = |text: &str| {
            parse(format!("questions_wait: {text}\n").as_bytes())
                .map(|config| config.questions_wait)
        };
        assert_eq!(wait("90s").unwrap(), Some(Span::seconds(90)));
        assert_eq!(wait("0").unwrap(), Some(Span(0)));
        assert_eq!(wait("\"0\"").unwrap(), Some(Span(0)));
        insta::assert_snapshot!(refused("questions_wait: soon\n"), @"c.yaml:1:17: `soon` is not a time (write a time such as `90s`, `5m` or `2h`, or `0`)");
    }

    #[test]
    fn what_is_no_configuration_is_said() {
        insta::assert_snapshot!(refused("- a\n"), @"c.yaml:1:1: expected a configuration as a mapping, found a list");
        insta::assert_snapshot!(refused("workflow: a\nworkflow: b\n"), @"c.yaml:2:1: the key `workflow` is given twice (keep one of the two)");
        assert!(parse(b"workflow: \xff").is_err());
        assert!(parse(b"workflow: \"a\\nb\"").is_err());
    }

    #[test]
    fn hours_budget_and_rules_are_read() {
        let source = r#"
quiet_hours: ["22:00-07:00", {hours: "12:00-13:00", days: [mon, fri], zone: Europe/Berlin}]
day_budget_usd: 12.5
failures:
  - {match: 'quota', backend: command, category: limit, reset: 'at (\S+)', message: Wait.}
  - {exit: 75, category: infra}
"#;
        let config = parse(source.as_bytes()).unwrap();
        assert_eq!(config.quiet_hours.len(), 2);
        assert_eq!(config.quiet_hours[1].zone.as_deref(), Some("Europe/Berlin"));
        assert_eq!(config.day_budget_usd, Some(12.5));
        assert_eq!(config.failures[0].reset.as_deref(), Some(r"at (\S+)"));
        assert_eq!((config.failures[1].exit, &config.failures[1].pattern), (Some(75), &None));
        let one = parse(b"quiet_hours: 22:00-07:00\n").unwrap();
        assert_eq!(one.quiet_hours, [QuietHours::parse("22:00-07:00").unwrap()]);
    }

    #[test]
    fn services_are_read_and_their_mistakes_are_named_with_their_place() {
        let source = r"
services:
  - {type: payment, keywords: [acme, acme pay], mock_strategy: the fake, secrets: ACME_KEY}
  - {type: crm, keywords: hub, mock_strategy: recorded answers}
";
        let config = parse(source.as_bytes()).unwrap();
        assert_eq!(config.services[0].keywords, ["acme", "acme pay"]);
        assert_eq!(config.services[0].secrets, ["ACME_KEY"]);
        assert_eq!((config.services[1].secrets.len(), config.services.len()), (0, 2));
        let source = r#"
services:
  - {type: payment, keyword: acme, mock_strategy: x}
  - {type: "a\nb", keywords: ["--"], mock_strategy: x}
  - {type: a, keywords: [], mock_strategy: 7}
"#;
        insta::assert_snapshot!(refused(source), @r"
        c.yaml:3:5: a service needs `keywords`
        c.yaml:3:21: unknown key of a service: `keyword` (did you mean `keywords`?)
        c.yaml:4:5: `--` has no letter: no text holds it as a word
        c.yaml:4:12: this is one line of at most 200 bytes
        c.yaml:5:5: a service needs at least one keyword
        c.yaml:5:44: expected text, found the number `7` (put it in quotes if text is meant)
        ");
    }

    #[test]
    fn mistakes_in_hours_budget_and_rules_are_named_with_their_place() {
        let source = r"
quiet_hours: [22:00, {hours: 22:00-07:00, days: [monday], zone: Atlantis}, {days: mon}]
day_budget_usd: 0
failures:
  - {match: '(', category: code}
  - {category: code}
  - {exit: 300, category: limits}
  - {match: x, category: code, reset: y}
  - {match: x}
";
        insta::assert_snapshot!(refused(source), @r"
        c.yaml:2:15: expected two times of day with a `-` between them (for example `22:00-07:00`)
        c.yaml:2:50: expected `mon`, `tue`, `wed`, `thu`, `fri`, `sat` or `sun`, found `monday`
        c.yaml:2:65: there is no time zone `Atlantis` on this machine (name one like `Europe/Berlin`, or leave it out for the machine's own)
        c.yaml:2:76: this stretch of quiet hours needs `hours`
        c.yaml:3:17: expected a number above 0, found the number `0`
        c.yaml:5:13: this is not a regular expression: unclosed group (put it in single quotes, and `\` before signs that are meant as such)
        c.yaml:6:5: a failure rule needs `match` or `exit`: this one is about every failure
        c.yaml:7:12: expected an exit code from 0 to 255, found the number `300`
        c.yaml:7:27: expected `code`, `test`, `compile`, `type`, `lint`, `security`, `flaky`, `infra`, `network`, `disk`, `environment`, `timeout`, `limit`, `lost` or `external`, found `limits` (did you mean `limit`?)
        c.yaml:8:39: `reset` says when a limit ends, and this rule says `code` (write `category: limit`, or take it out)
        c.yaml:9:5: a failure rule needs `category`
        ");
    }
}
