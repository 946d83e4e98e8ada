//! What a configuration says about rooms and boxes.
//!
//! Whatever widens what agents and checks reach counts only by the user's own word: a repository's
//! configuration can be written by those who are judged.

use std::fmt;

use super::settings::{Origin, Setting};
use crate::bytes::ByteSize;
use crate::guard::{PublishRule, PublishRules};
use crate::reach::HostRule;
use crate::source::diagnostic::Findings;
use crate::source::fields::{self, Fields};
use crate::source::yaml::{Node, Value};
use crate::workflow::{network, room};

/// Whether attempts and checks are put into boxes and rooms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// Nothing starts where the machine has less than all of it.
    Require,
    /// As much as the machine has; proofs say how much that was.
    #[default]
    Prefer,
    /// Nothing is confined.
    Off,
}

impl Sandbox {
    /// The words for it.
    pub const WORDS: [(&str, Self); 3] =
        [("require", Self::Require), ("prefer", Self::Prefer), ("off", Self::Off)];
}

impl fmt::Display for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Require => "require",
            Self::Prefer => "prefer",
            Self::Off => "off",
        })
    }
}

/// What one file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfinementConfig {
    /// Whether attempts and checks are confined.
    pub sandbox: Option<Sandbox>,
    /// Paths that they may read beside the usual ones: absolute, or below `~/`.
    pub expose: Vec<String>,
    /// How large an ignored folder may be to be copied.
    pub copy_limit: Option<ByteSize>,
    /// How much all layers of a run may hold.
    pub disk_limit: Option<ByteSize>,
    /// Hosts of package registries.
    pub registries: Vec<HostRule>,
    /// Commands that publish, besides the known ones, and those that agents may run nevertheless.
    pub publishing: PublishRules,
}

/// Reads the keys about rooms and boxes.
pub(super) fn read(fields: &Fields<'_>, findings: &mut Findings) -> ConfinementConfig {
    ConfinementConfig {
        sandbox: fields.get("sandbox").and_then(|node| sandbox(node, findings)),
        expose: fields.get("expose").map(|node| room::exposed(node, findings)).unwrap_or_default(),
        copy_limit: fields.get("copy_limit").and_then(|node| size(node, findings)),
        disk_limit: fields.get("disk_limit").and_then(|node| size(node, findings)),
        registries: fields
            .get("registries")
            .map(|node| registries(node, findings))
            .unwrap_or_default(),
        publishing: PublishRules {
            publishes: publish_rules(fields, "publishes", findings),
            may_publish: publish_rules(fields, "may_publish", findings),
        },
    }
}

fn publish_rules(fields: &Fields<'_>, key: &str, findings: &mut Findings) -> Vec<PublishRule> {
    let mut rules = Vec::new();
    for one in fields.get(key).into_iter().flat_map(fields::one_or_more) {
        let Some(text) = fields::filled_text(one, findings) else { continue };
        match PublishRule::parse(&text.value) {
            Ok(rule) => rules.push(rule),
            Err(bad) => findings.error_with_help(
                text.at,
                format!("`{}`: {bad}", text.value),
                "write a program and its words, such as `our-tool ship unless --dry-run`",
            ),
        }
    }
    rules
}

fn sandbox(node: &Node, findings: &mut Findings) -> Option<Sandbox> {
    // What some YAML readers make of `off`, and what everybody means by it.
    if let Value::Boolean(false) = node.value {
        return Some(Sandbox::Off);
    }
    fields::word(node, &Sandbox::WORDS, findings)
}

fn size(node: &Node, findings: &mut Findings) -> Option<ByteSize> {
    let read = match &node.value {
        Value::Text(text) => ByteSize::parse(text),
        Value::Null | Value::Boolean(_) | Value::Number(_) | Value::List(_) | Value::Map(_) => None,
    };
    if read.is_none() {
        findings.error_with_help(
            node.at,
            format!("expected a size, found {}", node.value.kind()),
            "write it with its unit: `500 MiB`, `2 GiB`",
        );
    }
    read
}

fn registries(node: &Node, findings: &mut Findings) -> Vec<HostRule> {
    network::read_hosts(node, findings).into_iter().map(|host| host.value).collect()
}

/// What all files together say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Whether attempts and checks are confined.
    pub sandbox: Option<Setting<Sandbox>>,
    /// Paths that they may read beside the usual ones, by the user's own word.
    pub expose: Vec<String>,
    /// How large an ignored folder may be to be copied.
    pub copy_limit: Option<Setting<ByteSize>>,
    /// How much all layers of a run may hold: the least that is set, because nobody raises another's.
    pub disk_limit: Option<Setting<ByteSize>>,
    /// Hosts of package registries, by the user's own word.
    pub registries: Vec<HostRule>,
    /// Commands that publish, those of all files, and what agents may do of it by the user's own word.
    pub publishing: PublishRules,
    /// What a repository asks for and only the user can grant.
    pub unheeded: Vec<Unheeded>,
}

/// A key of a repository's configuration that does not count there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unheeded {
    /// The key, with its value where another one would count.
    pub key: &'static str,
    /// The file that has it.
    pub file: String,
}

impl Confinement {
    /// How large an ignored folder may be to be copied, unless somebody says otherwise.
    pub const COPY_LIMIT: ByteSize = ByteSize::gib(2);

    /// How much all layers of a run may hold, unless somebody says otherwise.
    pub const DISK_LIMIT: ByteSize = ByteSize::gib(20);

    /// Adds what one more file says; those whose word comes first are added first.
    pub(super) fn add(&mut self, config: ConfinementConfig, origin: &Origin) {
        let of = |value| Setting { value, origin: origin.clone() };
        if self.copy_limit.is_none() {
            self.copy_limit = config.copy_limit.map(of);
        }
        self.publishing.publishes.extend(config.publishing.publishes.iter().cloned());
        let less = |new: &ByteSize| self.disk_limit.as_ref().is_none_or(|old| *new < old.value);
        if let Some(limit) = config.disk_limit.filter(less) {
            self.disk_limit = Some(of(limit));
        }
        match origin {
            Origin::Repository(file) => self.add_of_repository(config, file, origin),
            Origin::Flag | Origin::User(_) => {
                self.expose.extend(config.expose);
                self.registries.extend(config.registries);
                self.publishing.may_publish.extend(config.publishing.may_publish);
                let is_repositorys = |set: &Setting<Sandbox>| set.origin.is_repository();
                if self.sandbox.as_ref().is_none_or(is_repositorys)
                    && let Some(value) = config.sandbox
                {
                    self.sandbox = Some(Setting { value, origin: origin.clone() });
                }
            }
        }
    }

    /// A repository may ask for more confinement, and never for less.
    fn add_of_repository(&mut self, config: ConfinementConfig, file: &str, origin: &Origin) {
        let mut unheeded = |key| self.unheeded.push(Unheeded { key, file: file.to_owned() });
        if !config.expose.is_empty() {
            unheeded("expose");
        }
        if !config.registries.is_empty() {
            unheeded("registries");
        }
        if !config.publishing.may_publish.is_empty() {
            unheeded("may_publish");
        }
        match config.sandbox {
            Some(Sandbox::Off) => unheeded("sandbox: off"),
            Some(value @ (Sandbox::Require | Sandbox::Prefer)) if self.sandbox.is_none() => {
                self.sandbox = Some(Setting { value, origin: origin.clone() });
            }
            Some(Sandbox::Require | Sandbox::Prefer) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Settings};

    fn parse(source: &str) -> Result<ConfinementConfig, String> {
        Config::parse(source.as_bytes(), "c.yaml", &|_| true).map(|c| c.confinement).map_err(
            |found| {
                let line = |one: &crate::source::Diagnostic| {
                    let help = one.help.as_deref().unwrap_or_default();
                    format!("{one} ({help})\n")
                };
                found.iter().map(line).collect()
            },
        )
    }

    fn together(repository: &str, user: &str) -> Confinement {
        let config = |source: &str| Config::parse(source.as_bytes(), "c", &|_| true).unwrap();
        Settings::of([
            (Origin::User("u.yaml".to_owned()), config(user)),
            (Origin::Repository("r.yaml".to_owned()), config(repository)),
        ])
        .confinement
    }

    fn sandbox_of(repository: &str, user: &str) -> Option<Sandbox> {
        together(repository, user).sandbox.map(|set| set.value)
    }

    #[test]
    fn every_key_is_read() {
        let source = "sandbox: require\nexpose: [/opt/sdk, ~/.cache/tool]\ncopy_limit: 3 GiB\n\
                      disk_limit: 50GB\nregistries: [packages.example.org, '*.example.org:8443']\n";
        let read = parse(source).unwrap();
        assert_eq!(read.sandbox, Some(Sandbox::Require));
        assert_eq!(read.expose, ["/opt/sdk", "~/.cache/tool"]);
        assert_eq!(read.copy_limit, Some(ByteSize::gib(3)));
        assert_eq!(read.disk_limit, Some(ByteSize(50_000_000_000)));
        let hosts: Vec<String> = read.registries.iter().map(HostRule::to_string).collect();
        assert_eq!(hosts, ["packages.example.org", "*.example.org:8443"]);
        assert_eq!(parse("sandbox: off\n").unwrap().sandbox, Some(Sandbox::Off));
        assert_eq!(parse("sandbox: false\n").unwrap().sandbox, Some(Sandbox::Off));
        assert_eq!(parse("workflow: w\n").unwrap(), ConfinementConfig::default());
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let source = "sandbox: always\nexpose: [data, ~/]\ncopy_limit: 2\ndisk_limit: much\n\
                      registries: ['https://packages.example.org/', '*']\n";
        insta::assert_snapshot!(parse(source).unwrap_err(), @r#"
        c.yaml:1:10: expected `require`, `prefer` or `off`, found `always` ()
        c.yaml:2:10: `data` cannot be exposed: it is neither absolute nor below `~/` (write it from the root, or from your home: `/opt/data`, `~/.cache/tool`)
        c.yaml:2:16: `~/` cannot be exposed: that is everything (name the folder that is needed, such as `~/.cache/tool`)
        c.yaml:3:13: expected a size, found the number `2` (write it with its unit: `500 MiB`, `2 GiB`)
        c.yaml:4:13: expected a size, found the text `much` (write it with its unit: `500 MiB`, `2 GiB`)
        c.yaml:5:14: `https://packages.example.org/`: this is more than a host (write the host alone: `packages.example.org`)
        c.yaml:5:47: `*`: `*` stands only in front of a domain (name the domain, such as `*.example.org`)
        "#);
    }

    #[test]
    fn a_repository_confines_more_and_never_less() {
        assert_eq!(sandbox_of("sandbox: require\n", ""), Some(Sandbox::Require));
        assert_eq!(sandbox_of("sandbox: prefer\n", "sandbox: require\n"), Some(Sandbox::Require));
        assert_eq!(sandbox_of("sandbox: off\n", "sandbox: require\n"), Some(Sandbox::Require));
        assert_eq!(sandbox_of("sandbox: off\n", ""), None);
        assert_eq!(sandbox_of("sandbox: require\n", "sandbox: off\n"), Some(Sandbox::Off));
        assert_eq!(sandbox_of("", ""), None);
        let asked = "sandbox: off\nexpose: /opt\nregistries: packages.example.org\n";
        let confinement = together(asked, "expose: ~/sdk\n");
        let keys: Vec<_> = confinement.unheeded.iter().map(|one| one.key).collect();
        assert_eq!(keys, ["expose", "registries", "sandbox: off"]);
        assert!(confinement.unheeded.iter().all(|one| one.file == "r.yaml"));
        assert_eq!(confinement.expose, ["~/sdk"]);
        assert!(confinement.registries.is_empty());
    }

    #[test]
    fn a_repository_adds_commands_that_publish_and_allows_none() {
        let repository = "publishes: [our-tool ship]\nmay_publish: kubectl apply\n";
        let user = "publishes: make ... release\nmay_publish: [terraform apply]\n";
        let confinement = together(repository, user);
        let texts = |rules: &[PublishRule]| {
            rules.iter().map(PublishRule::as_str).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(texts(&confinement.publishing.publishes), ["our-tool ship", "make ... release"]);
        assert_eq!(texts(&confinement.publishing.may_publish), ["terraform apply"]);
        let keys: Vec<_> = confinement.unheeded.iter().map(|one| one.key).collect();
        assert_eq!(keys, ["may_publish"]);
        insta::assert_snapshot!(parse("publishes: ['* push', /bin/x y]\n").unwrap_err(), @r"
        c.yaml:1:13: `* push`: it would be about every program (write a program and its words, such as `our-tool ship unless --dry-run`)
        c.yaml:1:23: `/bin/x y`: it begins with the name of a program, without its folder (write a program and its words, such as `our-tool ship unless --dry-run`)
        ");
    }

    #[test]
    fn nobody_raises_anothers_disk_limit() {
        let least = |repository: &str, user: &str| {
            together(repository, user).disk_limit.map(|set| set.value)
        };
        let (small, large) = ("disk_limit: 5 GiB\n", "disk_limit: 90 GiB\n");
        assert_eq!(least(large, small), Some(ByteSize::gib(5)));
        assert_eq!(least(small, large), Some(ByteSize::gib(5)));
        assert_eq!(least(large, ""), Some(ByteSize::gib(90)));
        let copied = together("copy_limit: 4 GiB\n", "copy_limit: 1 GiB\n").copy_limit.unwrap();
        assert_eq!((copied.value, copied.origin.is_repository()), (ByteSize::gib(4), true));
    }
}
