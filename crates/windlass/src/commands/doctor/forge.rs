//! Where a run would publish, and with what.

use windlass_engine::forge::{ForgeError, Gh, GhState, Remote};
use windlass_engine::git::UserRepository;

use super::Finding;

pub(super) fn look(user: &UserRepository) -> Vec<Finding> {
    let remote = Remote::of(user, None);
    let gh = Gh::of(user, remote.as_ref().ok()).state();
    vec![publishing(&remote), signed_in(gh)]
}

fn publishing(remote: &Result<Remote, ForgeError>) -> Finding {
    match remote {
        Ok(remote) => {
            Finding::ok("publishing", format!("to `{}` at {}", remote.name(), remote.url()))
        }
        Err(error) => Finding::warning(
            "publishing",
            format!("{error}: a run that ends in a pull request stops there for a person"),
            error.hint(),
        ),
    }
}

fn signed_in(state: Result<GhState, ForgeError>) -> Finding {
    let by_hand = "windlass pushes, and you open the pull request on a page that it names";
    match state {
        Ok(GhState::Ready { version }) => Finding::ok("gh", format!("{version}, signed in")),
        Ok(GhState::NotSignedIn { hint }) => {
            Finding::warning("gh", format!("not signed in: {by_hand}"), hint)
        }
        Ok(GhState::Absent) => Finding::warning(
            "gh",
            format!("not in PATH: {by_hand}"),
            "install the GitHub CLI, then `gh auth login`",
        ),
        Err(error) => Finding::warning("gh", format!("it cannot be used: {error}"), error.hint()),
    }
}
