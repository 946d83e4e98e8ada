//! What of a `pom.xml` decides how the work is judged.
//!
//! A build of Maven is mostly about other things: how it is formatted, documented and published. What can
//! skip, choose, redirect or start something stays: executions, plugins that run programs, and settings with
//! telling names. Versions are left out before.

use serde_json::{Map, Value};

/// Where profiles stand that nothing activates by itself: somebody's command may name one that is there, and
/// nobody's a new one.
const INACTIVE: &str = "-profiles";

/// Plugins that run programs or scripts: all that is said to them counts.
const RUN_ANYTHING: [&str; 7] =
    ["antrun", "exec", "groovy", "gmaven", "script", "frontend", "jruby"];

/// Plugins that run the tests: all that is said to them counts, too.
const TEST: [&str; 2] = ["surefire", "failsafe"];

/// Plugins that neither compile nor test.
const PUBLISH: [&str; 7] = [
    "-deploy-",
    "-gpg-",
    "-javadoc-",
    "-site-",
    "-release-",
    "nexus-staging",
    "central-publishing",
];

/// Parts of the names of settings that skip, choose or redirect.
const TELLING: [&str; 19] = [
    "skip",
    "exclude",
    "include",
    "fail",
    "argline",
    "groups",
    "suite",
    "director",
    "sourceroot",
    "classpath",
    "systemprop",
    "environment",
    "rerun",
    "scan",
    "provider",
    "artifactname",
    "phase",
    "jvm",
    "workingdir",
];

/// Arguments of a compiler that lead it elsewhere.
const REDIRECTING: [&str; 9] =
    ["-d", "-s", "-cp", "-classpath", "-sourcepath", "-processor", "--", "@", "-J"];

/// Leaves out of a document what does not decide; none where a part that stands once is there twice.
pub(super) fn decides(mut document: Value) -> Option<Value> {
    let mut inactive = Map::new();
    for project in elements(&mut document, "project") {
        if elements(project, "build").len() > 1 || elements(project, "profiles").len() > 1 {
            return None;
        }
        elements(project, "build").into_iter().for_each(build);
        for profiles in elements(project, "profiles") {
            let Some(list) = profiles.get_mut("profile").and_then(Value::as_array_mut) else {
                continue;
            };
            for mut profile in std::mem::take(list) {
                elements(&mut profile, "build").into_iter().for_each(build);
                let decides = |name: &String| !["id", "activation"].contains(&name.as_str());
                let Some(fields) = profile.as_object_mut() else { continue };
                fields.retain(|_, value| !is_empty(value));
                if !fields.keys().any(decides) {
                    continue;
                }
                if fields.contains_key("activation") {
                    list.push(profile);
                } else {
                    let id = fields.get("id").map(Value::to_string).unwrap_or_default();
                    inactive.insert(id, profile);
                }
            }
        }
        if let Some(fields) = project.as_object_mut() {
            fields.insert(INACTIVE.to_owned(), Value::Object(std::mem::take(&mut inactive)));
            fields.retain(|name, value| name == INACTIVE || !is_empty(value));
        }
    }
    Some(document)
}

/// The elements of a name that stand in another one.
fn elements<'a>(tree: &'a mut Value, name: &str) -> Vec<&'a mut Value> {
    let list = tree.get_mut(name).and_then(Value::as_array_mut);
    list.into_iter().flatten().collect()
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(entries) => entries.values().all(is_empty),
        Value::Array(list) => list.iter().all(is_empty),
        Value::Null => true,
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn build(build: &mut Value) {
    for management in elements(build, "pluginManagement") {
        elements(management, "plugins").into_iter().for_each(plugins);
    }
    elements(build, "plugins").into_iter().for_each(plugins);
}

fn plugins(plugins: &mut Value) {
    let Some(list) = plugins.get_mut("plugin").and_then(Value::as_array_mut) else { return };
    list.retain_mut(plugin);
}

/// Leaves out what a plugin is told that does not decide; returns whether something is left that does.
fn plugin(plugin: &mut Value) -> bool {
    let artifact = plugin.get("artifactId").map(Value::to_string).unwrap_or_default();
    let is_one = |names: &[&str]| names.iter().any(|name| artifact.contains(name));
    if is_one(&PUBLISH) {
        return false;
    }
    if is_one(&RUN_ANYTHING) || is_one(&TEST) {
        return true;
    }
    for executions in elements(plugin, "executions") {
        for execution in elements(executions, "execution") {
            elements(execution, "configuration").into_iter().for_each(telling);
        }
    }
    elements(plugin, "configuration").into_iter().for_each(telling);
    // Without any of these it does what it does anyway, or nothing.
    ["executions", "configuration", "dependencies", "extensions"]
        .iter()
        .any(|name| plugin.get(*name).is_some_and(|value| !is_empty(value)))
}

/// Keeps the settings whose names tell that they decide.
fn telling(configuration: &mut Value) {
    match configuration {
        Value::Object(entries) => {
            for (name, value) in entries.iter_mut() {
                let name = name.to_lowercase();
                let tells = name == "test" || TELLING.iter().any(|part| name.contains(part));
                if !tells {
                    telling(value);
                }
            }
            entries.retain(|_, value| !is_empty(value));
        }
        Value::Array(list) => {
            list.iter_mut().for_each(telling);
            list.retain(|value| !is_empty(value));
        }
        Value::String(text) => {
            let redirects = REDIRECTING.iter().any(|option| match *option {
                "--" => text.starts_with("--") && text.contains("path"),
                "-d" | "-s" | "-cp" => text.trim() == *option,
                option => text.starts_with(option),
            });
            if !redirects {
                *configuration = Value::Null;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => *configuration = Value::Null,
    }
}
