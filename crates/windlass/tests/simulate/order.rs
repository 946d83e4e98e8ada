//! What happens side by side has no order of its own.

use std::collections::BTreeSet;

use windlass_core::simulate::{Move, Path};

use super::drawn::Drawn;

/// Returns the team of the spoke that a move is about.
fn team<'m>(drawn: &Drawn, happened: &'m Move) -> Option<&'m str> {
    let id = happened.step()?.as_str();
    let is_spoke = drawn.steps.iter().any(|step| step.spoke && step.id == id);
    is_spoke.then(|| id.rsplit_once('/').map(|(team, _)| team)).flatten()
}

/// Cuts moves into pieces: each is what the spokes of one team do, with the pause that comes of it,
/// or a single move.
fn pieces<'m>(drawn: &Drawn, moves: &'m [Move]) -> Vec<Vec<&'m Move>> {
    let mut pieces: Vec<Vec<&Move>> = Vec::new();
    let mut at_work = None;
    for happened in moves {
        let team = match happened {
            Move::Paused { .. } => at_work,
            other => team(drawn, other),
        };
        match pieces.last_mut() {
            Some(piece) if team.is_some() && team == at_work => piece.push(happened),
            _ => pieces.push(vec![happened]),
        }
        at_work = team;
    }
    pieces
}

/// Puts what spokes of a team do side by side in the order of the steps; each keeps its own order.
pub(super) fn canonical(drawn: &Drawn, moves: &[Move]) -> Vec<Move> {
    let mut ordered = Vec::new();
    for mut piece in pieces(drawn, moves) {
        // A pause has no step and comes last.
        piece.sort_by_key(|happened| (happened.step().is_none(), happened.step().cloned()));
        ordered.extend(piece.into_iter().cloned());
    }
    ordered
}

/// Returns whether two spokes fail and one of them stops the run: what the other still does depends
/// on which one is quicker.
pub(super) fn is_left_to_time(drawn: &Drawn, path: &Path) -> bool {
    pieces(drawn, &path.moves).iter().any(|piece| {
        let stops = piece.len() > 1 && piece.iter().any(|m| matches!(m, Move::Paused { .. }));
        let failing: BTreeSet<_> = piece
            .iter()
            .filter(|happened| matches!(happened, Move::Failed { .. }))
            .filter_map(|happened| happened.step())
            .collect();
        stops && failing.len() > 1
    })
}
