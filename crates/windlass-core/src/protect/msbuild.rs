//! What of a project of .NET (`*.csproj`) decides how the work is judged.
//!
//! References, frameworks and versions are ordinary work. What starts programs, brings in other files, leaves
//! files out or is about tests stays.

use serde_json::Value;

/// Elements that run something or bring in what does.
const RUN: [&str; 5] = ["Target", "UsingTask", "Import", "Sdk", "Choose"];

/// Parts of the names of properties that skip, choose or redirect.
const TELLING: [&str; 16] = [
    "test",
    "runsettings",
    "skip",
    "exclude",
    "import",
    "target",
    "beforebuild",
    "afterbuild",
    "prebuild",
    "postbuild",
    "enabledefault",
    "nowarn",
    "treatwarnings",
    "outputpath",
    "assemblyname",
    "basepath",
];

/// Leaves out of a document what does not decide.
pub(super) fn decides(mut document: Value) -> Value {
    let projects = document.get_mut("Project").and_then(Value::as_array_mut);
    for project in projects.into_iter().flatten() {
        let Some(parts) = project.as_object_mut() else { continue };
        for (name, list) in parts.iter_mut() {
            let Some(list) = list.as_array_mut() else { continue };
            match name.as_str() {
                "PropertyGroup" => list.iter_mut().for_each(|group| keep(group, is_telling)),
                "ItemGroup" => list.iter_mut().for_each(items),
                _ => {}
            }
            list.retain(|part| part.as_object().is_none_or(|part| !part.is_empty()));
        }
        parts.retain(|name, value| {
            let runs = RUN.contains(&name.as_str()) || name.starts_with('@');
            let group = ["PropertyGroup", "ItemGroup"].contains(&name.as_str());
            runs || (group && value.as_array().is_some_and(|list| !list.is_empty()))
        });
    }
    document
}

fn is_telling(name: &str) -> bool {
    let name = name.to_lowercase();
    // `TargetFramework` is ordinary, whatever else a target is.
    !name.starts_with("targetframework") && TELLING.iter().any(|part| name.contains(part))
}

fn keep(group: &mut Value, wanted: fn(&str) -> bool) {
    if let Some(fields) = group.as_object_mut() {
        fields.retain(|name, _| wanted(name));
    }
}

/// Of what a project is made of, only what is taken away from it or compiled from elsewhere.
fn items(group: &mut Value) {
    let Some(fields) = group.as_object_mut() else { return };
    for list in fields.values_mut() {
        let Some(list) = list.as_array_mut() else { continue };
        list.retain(|item| {
            let outside = item.get("@Include").and_then(Value::as_str);
            item.get("@Remove").is_some() || outside.is_some_and(|path| path.starts_with(".."))
        });
    }
    // References to other projects lie outside, and are ordinary.
    fields.retain(|name, list| {
        name != "ProjectReference" && list.as_array().is_some_and(|list| !list.is_empty())
    });
}
