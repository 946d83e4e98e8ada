//! The network of a step's attempts, as written.

use super::order::Order;
use crate::plan::StepNetwork;
use crate::reach::HostRule;
use crate::source::diagnostic::{Findings, Located};
use crate::source::fields;
use crate::source::suggest::shown;
use crate::source::yaml::Node;

/// Reads one host or a list of them.
pub(crate) fn read_hosts(node: &Node, findings: &mut Findings) -> Vec<Located<HostRule>> {
    let mut hosts = Vec::new();
    for node in fields::one_or_more(node) {
        let Some(text) = fields::filled_text(node, findings) else { continue };
        match HostRule::parse(&text.value) {
            Ok(value) => hosts.push(Located { value, at: text.at }),
            Err(bad) => findings.error_with_help(
                text.at,
                format!("{}: {bad}", shown(&text.value)),
                bad.help(),
            ),
        }
    }
    hosts
}

/// Reports hosts that would let nobody through: only a network by list asks for them.
pub(super) fn check(order: &Order, otherwise: StepNetwork, findings: &mut Findings) {
    let mut told = Vec::new();
    for step in order.steps.iter().map(|step| &step.step) {
        let Some(first) = step.hosts.first() else { continue };
        // The steps of a team all have the list of the step that they come from; once is enough.
        if told.contains(&first.at) {
            continue;
        }
        told.push(first.at);
        let help = match step.network.unwrap_or(otherwise) {
            StepNetwork::Provider => continue,
            StepNetwork::On => {
                "add `network: provider` to the step: with `on` every host is reached already"
            }
            StepNetwork::Off => "write `network: provider`: with `off` no host is reached",
        };
        findings.error_with_help(first.at, "`hosts` needs `network: provider`", help);
    }
}
