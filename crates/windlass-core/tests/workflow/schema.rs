//! The schema says what the parser does.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_core::plan::PlanRequest;
use windlass_core::workflow::{Workflow, reference, schema, schema_modeline, schema_text};

use super::properties::{GOOD, generated, mutated};

/// A workflow that uses every part of the grammar, as JSON: YAML reads that too.
const RICH: &str = r#"{
        "workflow": "w",
        "title": "T",
        "inputs": {
            "n": {"type": "integer", "default": 7, "ask": "How many?"},
            "e": {"type": "enum", "values": ["a", "b"], "default": "a"}
        },
        "defaults": {
            "retries": 3, "timeout": "30m", "idle_timeout": "10m",
            "network": "provider", "backoff": {"initial": "5s", "max": "5m"}
        },
        "limits": {"cost_usd": 25, "wall": "8h", "attempts": 60},
        "prepare": [{"in": "web", "run": "npm ci", "lock": "web/lock", "timeout": "30m",
            "inputs": ["web/lock", "web/*.json"], "room": {"expose": "~/.cache/b"}}],
        "baseline": "no_new_failures",
        "cold": false,
        "carry": [".env"],
        "protect": "tests/**",
        "mcp": {"docs": {
            "command": "npx", "args": ["-y", "x"], "env": {"A": "b"}, "optional": true
        }},
        "steps": [
            {
                "id": "plan", "title": "Plan", "agent": "planner", "backend": "b", "model": "m",
                "task": "Plan {goal}", "needs": [], "when": ".inputs.n > 3",
                "reads": ["a.md", {"file": "b.md", "as": "B", "optional": false}],
                "publishes": {"plan.file": "{specs}/plan.md", "ok": "boolean"},
                "may_write": ["src/**"], "retries": 2, "timeout": "1h30m", "idle_timeout": "90s",
                "backoff": "5s", "network": "provider", "hosts": ["a.example.org", "*.example.org:8443"],
                "gate": "approval", "skip": "allowed", "exhausted": "pause",
                "commit": "wip", "satisfied": "ok", "trust": "agent",
                "done": {"all": [
                    {"file": "{specs}/plan.md", "stale": "ok", "min_bytes": 1, "contains": "x"},
                    {"any": [{"diff": "any"}, {"not": {"run": "false"}}]},
                    [{"diff": {"only": ["a/**"], "never": "b/**", "max_lines": 5}}],
                    {"state": ".context.ok"},
                    {"run": "make", "timeout": "10m", "cache": true, "env": ["CI"], "in": "app",
                        "network": "host", "room": {"expose": ["/opt/x", "~/y"]}},
                    {"run": "make", "env": {"REVIEW": ".context.r", "ITEM": ".item.id"}, "network": "none"}
                ]}
            },
            {
                "id": "build", "title": "Build", "needs": "plan", "when": "true",
                "gate": "approval", "done": {"run": "make"}, "trust": "agent",
                "steps": [{"id": "one", "agent": "dev", "done": {"diff": "any"}}]
            },
            {
                "id": "red", "agent": "tester",
                "done": {"red": "make", "tests": ["t/**"], "report": "r.xml", "in": "app", "env": "CI"}
            },
            {
                "id": "green", "agent": "dev", "fix": "make fix",
                "keeps": {"diff": {"empty": "ok"}},
                "done": {"green": "make", "tests": "t/**", "cache": false, "timeout": "1m"}
            },
            {
                "id": "proof", "builtin": "verify", "done": {"run": "make"}, "exhausted": "waive",
                "failed": {"rollback": "green", "max": 2}
            },
            {
                "id": "review", "agent": "judge",
                "done": {"verdict": ".v", "accept": ["OK"]},
                "on": {
                    "NO": {"max": 3, "rollback": {
                        "files": ".f[]", "by_path": {"*.a": "plan"}, "otherwise": "build/one"
                    }},
                    "NEVER": {"rollback": "plan", "max": 1}
                }
            }
        ]
    }"#;

fn rich() -> Value {
    serde_json::from_str(RICH).expect("JSON")
}

/// Making one takes longer than using it a hundred times.
static VALIDATOR: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::draft202012::new(&schema()).expect("the schema is one"));

fn as_json(source: &str) -> Option<Value> {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(source, options).ok()
}

fn assert_fits(validator: &jsonschema::Validator, source: &str, name: &str) {
    let value = as_json(source).expect("YAML");
    let errors: Vec<_> = validator
        .iter_errors(&value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}");
}

/// What the parser accepts fits, and what fits has no key that the parser does not know.
fn agree(validator: &jsonschema::Validator, source: &str, value: &Value) -> Result<(), String> {
    let fits = validator.is_valid(value);
    match Workflow::parse(source, "w.yaml") {
        Ok(_) if !fits => {
            let errors: Vec<_> = validator.iter_errors(value).map(|e| e.to_string()).collect();
            Err(format!("accepted, and does not fit: {errors:#?}\n{source}"))
        }
        Err(found) if fits => {
            let unknown = found.iter().find(|finding| {
                finding.message.contains("unknown") && finding.message.contains("key")
                    || finding.message.contains("not supported")
                    || finding.message.contains("has no meaning on")
            });
            unknown.map_or(Ok(()), |finding| Err(format!("fits, and {finding}\n{source}")))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Every place in a document.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                pointers(value, &format!("{at}/{}", escaped(key)), all);
            }
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                pointers(value, &format!("{at}/{index}"), all);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn the_schema_is_a_schema_and_its_text_is_stable() {
    assert!(jsonschema::meta::is_valid(&schema()));
    assert_eq!(schema_text(), schema_text());
    assert!(schema_text().ends_with("}\n"));
    assert_eq!(serde_json::from_str::<Value>(&schema_text()).unwrap(), schema());
    assert_eq!(schema_modeline("../w.json"), "# yaml-language-server: $schema=../w.json");
}

#[test]
fn the_workflows_of_the_repository_fit() {
    assert_fits(&VALIDATOR, GOOD, "the good example");
    assert_fits(&VALIDATOR, &rich().to_string(), "the rich example");
    assert_fits(&VALIDATOR, include_str!("../../../windlass/demo/workflow.yaml"), "the demo");
    let mut count = 0;
    let pages = [
        ("README.md", include_str!("../../../../README.md")),
        ("docs/workflow.md", include_str!("../../../../docs/workflow.md")),
    ];
    for (page, text) in pages {
        for part in text.split("```yaml\n").skip(1) {
            let (example, _) = part.split_once("```").unwrap();
            if example.starts_with("workflow:") {
                assert_fits(&VALIDATOR, example, page);
                count += 1;
            }
        }
    }
    assert!(count > 0, "no example was found");
}

#[test]
fn a_key_or_a_type_that_does_not_belong_is_refused_by_both() {
    let rich = rich();
    super::parsed(&rich.to_string());
    let mut places = Vec::new();
    pointers(&rich, "", &mut places);
    let mut refused = 0;
    for place in &places {
        let others = [json!(null), json!(3), json!("x"), json!([])];
        for other in others {
            let mut changed = rich.clone();
            *changed.pointer_mut(place).unwrap() = other;
            agree(&VALIDATOR, &changed.to_string(), &changed).unwrap();
            refused += usize::from(!VALIDATOR.is_valid(&changed));
        }
        for key in ["zzz", "builtin", "steps", "agent"] {
            let mut changed = rich.clone();
            let Value::Object(entries) = changed.pointer_mut(place).unwrap() else { break };
            if entries.contains_key(key) {
                continue;
            }
            entries.insert(key.to_owned(), json!("x"));
            agree(&VALIDATOR, &changed.to_string(), &changed).unwrap();
            refused += usize::from(!VALIDATOR.is_valid(&changed));
        }
    }
    assert!(refused > 300, "only {refused} changes were refused");
}

#[test]
fn every_key_can_be_left_out_unless_both_ask_for_it() {
    let rich = rich();
    let mut places = Vec::new();
    pointers(&rich, "", &mut places);
    for place in places {
        let Some((parent, key)) = place.rsplit_once('/') else { continue };
        let mut changed = rich.clone();
        if let Value::Object(entries) = changed.pointer_mut(parent).unwrap() {
            entries.remove(&key.replace("~1", "/"));
            agree(&VALIDATOR, &changed.to_string(), &changed).unwrap();
        }
    }
}

#[test]
fn names_that_nobody_gives_to_a_check_do_not_fit() {
    let fits = |name: &str| {
        let done = json!({"run": "make", "env": {name: ".a"}});
        let step = json!({"id": "a", "agent": "x", "done": done});
        let source = json!({"workflow": "w", "steps": [step]});
        let accepted = Workflow::parse(&source.to_string(), "w.yaml").is_ok();
        assert_eq!(VALIDATOR.is_valid(&source), accepted, "{name}");
        accepted
    };
    for name in ["REVIEW", "_a", "PATHS", "MY_PATH", "HOMES", "GIT", "WINDLASS", "LDX"] {
        assert!(fits(name), "{name}");
    }
    for name in
        ["PATH", "HOME", "TMPDIR", "SHELL", "GIT_DIR", "WINDLASS_X", "LD_PRELOAD", "a-b", ""]
    {
        assert!(!fits(name), "{name}");
    }
}

#[test]
fn defaults_of_the_schema_are_those_of_the_parser() {
    let plan = |value: &Value| {
        let plan = super::parsed(&value.to_string()).plan(PlanRequest::default()).unwrap();
        let mut plan = serde_json::to_value(plan).unwrap();
        plan["source"] = Value::Null;
        plan
    };
    let base = json!({
        "workflow": "w", "defaults": {"backoff": {}}, "limits": {}, "prepare": [{"run": "true"}],
        "mcp": {"docs": {"command": "npx"}},
        "steps": [{"id": "a", "agent": "x", "reads": [{"file": "a"}], "done": {"run": "true"}}],
    });
    let schema = schema();
    let mut count = 0;
    for (definition, place) in [
        ("", ""),
        ("defaults", "/defaults"),
        ("backoff", "/defaults/backoff"),
        ("limits", "/limits"),
        ("prepare", "/prepare/0"),
        ("server", "/mcp/docs"),
        ("step", "/steps/0"),
        ("read", "/steps/0/reads/0"),
        ("run_check", "/steps/0/done"),
    ] {
        let table = if definition.is_empty() { &schema } else { &schema["$defs"][definition] };
        let keys = table["properties"].as_object().unwrap();
        for (key, property) in keys {
            let Some(default) = property.get("default") else { continue };
            let mut explicit = base.clone();
            explicit.pointer_mut(place).unwrap()[key.as_str()] = default.clone();
            assert_eq!(plan(&explicit), plan(&base), "{definition}.{key}: {default}");
            count += 1;
        }
    }
    assert!(count > 10, "only {count} defaults were found");
}

#[test]
fn the_reference_names_every_key_of_the_schema() {
    let (schema, page) = (schema(), reference());
    let definitions = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    for key in definitions.filter_map(|one| one["properties"].as_object()).flat_map(|o| o.keys()) {
        assert!(page.contains(&format!("| `{key}` |")), "{key}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn whatever_is_accepted_fits(source in mutated()) {
        if let Some(value) = as_json(&source) {
            agree(&VALIDATOR, &source, &value).map_err(TestCaseError::fail)?;
        }
    }

    #[test]
    fn generated_workflows_fit(source in generated()) {
        let value = as_json(&source).expect("YAML");
        prop_assert!(Workflow::parse(&source, "w.yaml").is_ok());
        agree(&VALIDATOR, &source, &value).map_err(TestCaseError::fail)?;
    }
}
