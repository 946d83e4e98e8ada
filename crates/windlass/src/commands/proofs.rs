//! `windlass proofs`: every check, its verdict, what it rests on, and its evidence.

use std::process::ExitCode;

use windlass_core::plan::{Holds, Strength};
use windlass_core::proof::Proof;
use windlass_core::view::{ColdEntry, ProofEntry};
use windlass_engine::store::blobs::Blobs;

use crate::cli::{Cli, ProofsArguments};
use crate::commands::report::history;
use crate::error::CommandError;
use crate::output::Output;
use crate::render::Paint;
use crate::surroundings::{self, Surroundings};

/// How much evidence is printed per check.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;

pub(crate) fn proofs(
    cli: &Cli,
    arguments: &ProofsArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let (run, loaded, store) = surroundings.loaded()?;
    let wanted = match &arguments.step {
        Some(step) => Some(surroundings::step(&loaded.state, step)?),
        None => None,
    };
    let history = history(&store, &run.id)?;
    let blobs = surroundings.site.blobs();
    let paint = Paint::new(output.has_colour());
    let mut rows = Vec::new();
    for plan in &loaded.state.plan.steps {
        if wanted.as_ref().is_some_and(|wanted| *wanted != plan.id) {
            continue;
        }
        let Some(step) = history.steps.get(&plan.id) else { continue };
        let entries: Vec<&ProofEntry> = newest(&step.proofs, arguments.all);
        if entries.is_empty() {
            continue;
        }
        if output.is_json() {
            rows.extend(entries.iter().map(|entry| json_row(plan.id.as_str(), entry)));
            continue;
        }
        output.data(&paint.bold(&format!("{} ({})", plan.title, plan.id)));
        for entry in entries {
            output.data(&line(entry, paint));
            print_evidence(&entry.proof, arguments.output, &blobs, output)?;
        }
    }
    if wanted.is_none() {
        let last = if arguments.all { 0 } else { history.cold.len().saturating_sub(1) };
        for entry in &history.cold[last..] {
            if output.is_json() {
                rows.extend(entry.proofs.iter().map(|proof| cold_row(entry, proof)));
                if entry.proofs.is_empty() {
                    rows.push(unanswered_row(entry));
                }
                continue;
            }
            output.data(&paint.bold("On a fresh clone"));
            if let Some(why) = &entry.why {
                for text in why.lines() {
                    let text = output.foreign(text).into_owned();
                    output.data(&format!("  {text}"));
                }
            }
            for proof in &entry.proofs {
                output.data(&proof_line(proof, entry.code.as_str(), paint));
                print_evidence(proof, arguments.output, &blobs, output)?;
            }
        }
    }
    if output.is_json() {
        output.json(&rows);
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints what a check printed, where that is asked for.
fn print_evidence(
    proof: &Proof,
    asked: bool,
    blobs: &Blobs,
    output: &mut Output,
) -> Result<(), CommandError> {
    let Some(evidence) = proof.evidence.as_ref().filter(|_| asked) else { return Ok(()) };
    let bytes = blobs.get(&evidence.hash, MAX_OUTPUT_BYTES).map_err(CommandError::failure)?;
    for text in String::from_utf8_lossy(&bytes).lines() {
        let text = output.foreign(text).into_owned();
        output.data(&format!("      | {text}"));
    }
    Ok(())
}

/// What the step rests on; where it is not proven, its last verification.
pub(crate) fn newest(proofs: &[ProofEntry], all: bool) -> Vec<&ProofEntry> {
    if all {
        return proofs.iter().collect();
    }
    let decisive: Vec<&ProofEntry> = proofs.iter().filter(|entry| entry.decisive).collect();
    if !decisive.is_empty() {
        return decisive;
    }
    let last = proofs.last().map(|entry| entry.at);
    proofs.iter().filter(|entry| Some(entry.at) == last).collect()
}

/// Writes one proof in one line.
pub(crate) fn line(entry: &ProofEntry, paint: Paint) -> String {
    proof_line(&entry.proof, entry.snapshot.code.as_str(), paint)
}

fn proof_line(proof: &Proof, code: &str, paint: Paint) -> String {
    let verdict = match proof.holds {
        Holds::Yes => paint.good("passed"),
        Holds::No => paint.bad("failed"),
        Holds::Unknown => paint.dim("could not run"),
    };
    let strength = match proof.strength {
        Strength::Observed => "observed",
        Strength::Claimed => "claimed",
    };
    let cached = if proof.cached { ", cached" } else { "" };
    let code = code.get(..12).unwrap_or(code);
    format!("  {verdict}  {} ({strength}{cached}, on {code}, {})", proof.summary, proof.took)
}

fn cold_row(entry: &ColdEntry, proof: &Proof) -> serde_json::Value {
    serde_json::json!({
        "step": null,
        "cold": true,
        "at": entry.at.to_string(),
        "check": proof.check,
        "holds": proof.holds,
        "strength": proof.strength,
        "summary": proof.summary,
        "excerpt": proof.excerpt,
        "evidence": proof.evidence,
        "cached": proof.cached,
        "decisive": true,
        "code": entry.code,
        "papers": null,
        "took_ms": proof.took,
    })
}

/// A proof that could not be made has nothing but its reason.
fn unanswered_row(entry: &ColdEntry) -> serde_json::Value {
    serde_json::json!({
        "step": null,
        "cold": true,
        "at": entry.at.to_string(),
        "holds": entry.holds,
        "summary": entry.why,
        "code": entry.code,
    })
}

fn json_row(step: &str, entry: &ProofEntry) -> serde_json::Value {
    serde_json::json!({
        "step": step,
        "at": entry.at.to_string(),
        "check": entry.proof.check,
        "holds": entry.proof.holds,
        "strength": entry.proof.strength,
        "summary": entry.proof.summary,
        "excerpt": entry.proof.excerpt,
        "evidence": entry.proof.evidence,
        "cached": entry.proof.cached,
        "decisive": entry.decisive,
        "code": entry.snapshot.code,
        "papers": entry.snapshot.papers,
        "took_ms": entry.proof.took,
    })
}
