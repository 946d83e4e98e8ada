//! Workflow files as people write them: what is refused and how, and what plans come of them.

mod checks;
mod expressions;
mod foreach;
mod grammar;
mod import;
mod import_properties;
mod init;
mod init_stacks;
mod large_example;
mod order;
mod papers;
mod planning;
mod platforms;
mod properties;
mod roles;
mod rooms;
mod schema;
mod simulate;
mod tdd;
mod team;
mod templates;
mod worst_case;
mod yaml;

use windlass_core::workflow::{Diagnostic, Workflow};

/// Parses a workflow that has to be good.
fn parsed(source: &str) -> Workflow {
    Workflow::parse(source, "w.yaml").unwrap_or_else(|found| panic!("{}", listed(&found)))
}

/// Returns the findings of a workflow that has to be refused.
fn refused(source: &str) -> String {
    listed(&Workflow::parse(source, "w.yaml").expect_err("the workflow is refused"))
}

/// Returns the findings for a workflow of one step, with these keys besides `id` (line 4).
fn refused_step(keys: &str) -> String {
    refused(&one_step(keys))
}

/// Returns a workflow of one step with these keys, one per line; `;` separates lines.
fn one_step(keys: &str) -> String {
    let mut source = "workflow: w\nsteps:\n  - id: a\n".to_owned();
    for line in keys.split(';') {
        source.push_str(&format!("    {}\n", line.trim_start_matches(' ')));
    }
    source
}

fn listed(found: &[Diagnostic]) -> String {
    let mut text = String::new();
    for finding in found {
        text.push_str(&format!("{finding}\n"));
        if let Some(help) = &finding.help {
            text.push_str(&format!("  help: {help}\n"));
        }
    }
    text
}
