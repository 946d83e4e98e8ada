use super::*;
use crate::platform::MatchMode;

const SMALL: &str = r#"{
  "name": "x", "version": "1", "markers": ["x.toml"],
  "commands": {"test": "x test"}, "testFiles": ["tests/**"]
}"#;

fn listed(found: &[Diagnostic]) -> String {
    let lines = found.iter().map(|one| match &one.help {
        Some(help) => format!("{one}; {help}"),
        None => format!("{one}; NO HELP"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn refused(source: impl AsRef<[u8]>) -> String {
    let said = listed(&Pack::parse(source.as_ref(), "p.json").expect_err("it is refused"));
    assert!(!said.contains("NO HELP"), "{said}");
    said
}

/// The small pack with one more key.
fn with(key: &str) -> String {
    SMALL.replacen('{', &format!("{{\n  {key},"), 1)
}

#[test]
fn a_small_pack_has_defaults() {
    let pack = Pack::parse(SMALL.as_bytes(), "p.json").unwrap();
    assert_eq!((pack.family.as_str(), pack.display_name.as_str()), ("x", "x"));
    assert_eq!((pack.match_mode, pack.priority), (MatchMode::Any, 50));
    assert_eq!(pack.coverage.m.to_string(), "75");
    assert_eq!(pack.command(CommandName::Test).unwrap().run, "x test");
    assert_eq!(pack.command(CommandName::Coverage), None);
    let stored = serde_json::to_string(&pack).unwrap();
    assert_eq!(serde_json::from_str::<Pack>(&stored).unwrap(), pack);
}

#[test]
fn every_key_is_read() {
    let source = r#"{
	"$schema": "x", "name": "x-y", "displayName": "X\/Y \u00e9", "version": "1.2", "family": "f",
	"markers": ["a.toml", {"file": "b/*.json", "contains": "c", "lacks": "d", "key": "e.f"}],
	"matchMode": "all", "priority": 7,
	"commands": {
	  "build": "b", "lint": "l", "lintFix": "lf", "run": "r",
	  "test": [{"if": "t.cfg", "run": "t --xml", "report": "r/*.xml", "protect": ["t.cfg"], "timeout": "5m"}, "t"],
	  "coverage": "c", "prepare": {"run": "p", "lock": "a.lock"}
	},
	"conventions": {"naming": "n", "patterns": ["p1", "p2"], "commitFormat": "x: y"},
	"qualityGates": {"coverage": {"S": 1, "M": 2.5, "L": 3, "XL": 4}, "required": ["build", "test"]},
	"projectStructure": {"src": "Code."}, "skills": ["s"],
	"reports": {"coverage": "lcov.info"}, "testFiles": "**/*_t.x", "protect": "t.cfg"
}"#;
    let pack = Pack::parse(source.as_bytes(), "p.json")
        .unwrap_or_else(|found| panic!("{}", listed(&found)));
    assert_eq!((pack.display_name.as_str(), pack.family.as_str()), ("X/Y é", "f"));
    assert_eq!(pack.markers[1].key.as_deref(), Some("e.f"));
    let ways = &pack.commands[&CommandName::Test];
    assert_eq!((ways.len(), ways[0].report.as_deref()), (2, Some("r/*.xml")));
    assert_eq!((ways[0].timeout, ways[1].report.as_ref()), (Span::minutes(5), None));
    assert_eq!(pack.command(CommandName::Coverage).unwrap().report.as_deref(), Some("lcov.info"));
    assert_eq!(pack.command(CommandName::Prepare).unwrap().lock.as_deref(), Some("a.lock"));
    assert_eq!(pack.coverage.m.to_string(), "2.5");
    assert_eq!(pack.required, [CommandName::Build, CommandName::Test]);
    assert_eq!(pack.conventions.naming, ["n"]);
}

#[test]
fn all_mistakes_are_named_with_their_place_and_what_to_do() {
    let source = r#"{
  "nam": "x", "name": "X y", "version": 1,
  "markers": ["/etc/passwd", "../up", "**/deep.toml", {"contains": "x"}],
  "matchMode": "some", "priority": 5000,
  "commands": {"tset": "a", "test": ["a", "b"], "coverage": "c", "build": "a\nb", "lint": {"run": 7}},
  "qualityGates": {"coverage": {"S": 101, "M": "75"}, "required": ["tests", "run"]},
  "projectStructure": {"../x": "y"},
  "reports": {"test": "a["}, "testFiles": [], "protect": {"a": "b"}
}"#;
    insta::assert_snapshot!(refused(source));
}

#[test]
fn hostile_files_are_refused() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(5000), close.repeat(5000));
    let cases = [
        refused(""),
        refused("null"),
        refused("[]"),
        refused("name: x\n"),
        refused("{\"name\": \"x\", // c\n}"),
        refused(deep("[", "]")),
        refused(with(&format!("\"skills\": {}", deep("[", "]")))),
        refused(with("\"name\": \"y\"")),
        refused(with("\"displayName\": \"a\\u0000b\"")),
        refused(with("\"skills\": \"\\ud800\"")),
        refused(SMALL.replace("x test", "x \\u0000 test")),
        refused(SMALL.replace("x.toml", "c:/x")),
        refused(SMALL.replace("\"x\"", "\"none\"")),
        refused(b"{\"name\": \"\xff\"}"),
        refused(format!("{}{}", SMALL, " ".repeat(MAX_PACK_BYTES))),
        refused(with(&format!("\"protect\": [{}]", vec!["\"a\""; 61].join(",")))),
        refused(with(&format!("\"displayName\": \"{}\"", "a".repeat(401)))),
    ];
    insta::assert_snapshot!(cases.join("\n"));
}

/// Such files exist already, written for other programs: free commands, conventions in words, one coverage
/// for some sizes, skills to load.
#[test]
fn a_file_from_elsewhere_loads_with_warnings() {
    let source = r#"{
  "name": "shop", "displayName": "Shop", "markers": ["pom.xml"], "owner": "team",
  "commands": {"test": "mvn verify", "migrate": "flyway migrate", "e2e": ["a", "b"]},
  "conventions": {"naming": {"classes": "PascalCase"}, "architecture": "hexagonal", "errors": ["no null"]},
  "qualityGates": {"coverage": {"S": 60, "M": "70%", "L": 80}, "required": ["test", "format"]},
  "skills": {"load": ["spring", {"name": "jpa"}]}
}"#;
    let (pack, warnings) = Pack::parse_with_warnings(source.as_bytes(), "p.json")
        .unwrap_or_else(|found| panic!("{}", listed(&found)));
    assert_eq!(pack.more_commands["migrate"], "flyway migrate");
    assert_eq!(pack.more_commands["e2e"], "a && b");
    assert_eq!(pack.conventions.naming, ["classes: PascalCase"]);
    assert_eq!(pack.conventions.patterns, ["architecture: hexagonal", "errors: no null"]);
    assert_eq!(pack.skills, ["spring", "jpa"]);
    assert_eq!(
        (pack.coverage.m.to_string(), pack.coverage.xl.to_string()),
        ("70".into(), "80".into())
    );
    assert_eq!(pack.version, "0");
    assert!(!pack.test_files.is_empty());
    insta::assert_snapshot!(listed(&warnings));
}

#[test]
fn a_name_stands_for_a_file_test() {
    let source = with("\"named\": {\"old\": {\"any\": [\"a.cfg\", \"b.cfg\"]}}")
        .replace("\"x test\"", "{\"run\": \"x test\", \"if\": {\"is\": \"old\"}}");
    let pack = Pack::parse(source.as_bytes(), "p.json").unwrap();
    let way = pack.command(CommandName::Test).unwrap();
    assert_eq!(
        way.when[0].any.iter().map(|one| &*one.file).collect::<Vec<_>>(),
        ["a.cfg", "b.cfg"]
    );
    assert!(
        refused(source.replace("\"is\": \"old\"", "\"is\": \"new\""))
            .contains("nothing is named so")
    );
}
