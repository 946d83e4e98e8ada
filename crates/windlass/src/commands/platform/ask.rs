//! Asking a person which platform it is.

use std::io::BufRead as _;

use windlass_core::platform::{Undecided, Wanted};

use crate::error::CommandError;
use crate::output::{note, prompt};
use crate::platforms::{self, Look};

/// How often one question is asked.
const TRIES: usize = 3;

/// Asks what the files leave open, and adds the answer to what is wanted.
pub(super) fn settle(
    why: &Undecided,
    look: &Look,
    wanted: &mut Wanted,
) -> Result<(), CommandError> {
    match why {
        Undecided::Tie { folder, packs } => {
            let packs: Vec<&str> = packs.iter().map(String::as_str).collect();
            let name = ask(why, &packs)?;
            wanted.folders.insert(folder.clone(), name);
        }
        Undecided::NoMatch => wanted.prefer = Some(ask(why, &look.platforms.names())?),
        Undecided::Unknown { .. } | Undecided::TooMany { .. } => {
            return Err(platforms::undecided(why));
        }
    }
    Ok(())
}

fn ask(why: &Undecided, names: &[&str]) -> Result<String, CommandError> {
    note(&format!("{why}. Which platform is it?"));
    for (number, name) in names.iter().enumerate() {
        note(&format!("  {}  {name}", number + 1));
    }
    for _ in 0..TRIES {
        prompt("A number or a name: ");
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line).map_err(CommandError::failure)? == 0 {
            break;
        }
        let answer = line.trim();
        let numbered = answer.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let picked = numbered.and_then(|number| names.get(number));
        match picked.or_else(|| names.iter().find(|name| **name == answer)) {
            Some(name) => return Ok((*name).to_owned()),
            None => note("that is none of them"),
        }
    }
    note("");
    let error = platforms::undecided(why);
    Err(error.hint("no answer was given, so nothing was started"))
}
