//! Publishing: the run's branch and its pull request, as the user.

use windlass_core::id::{ObjectId, StepId};
use windlass_core::plan::{PullRequest, StepKind};
use windlass_core::run::{InputKind, Publication, PushSettings, RunState};
use windlass_core::view::{self, Changes, History, KeptFiles, ReportFacts, Work};

use super::worker::{Worker, WorkerError};
use crate::forge::{self, ForgeError, PublishRequest, Remote};
use crate::journal::{Entry, LoadError, entry, load, trail};
use crate::store::{ReadError, Seq, Store};

/// What the text of a pull request could not be made from.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    #[error("the journal cannot be read")]
    Load(#[from] LoadError),
    #[error("the journal cannot be read")]
    Read(#[from] ReadError),
    #[error("the journal cannot be read")]
    Fault(#[from] crate::store::Fault),
    #[error("the journal cannot be read")]
    Record(#[from] crate::journal::RecordError),
    #[error("the store cannot be opened")]
    Open(#[from] crate::store::OpenError),
}

impl Worker {
    /// Pushes the branch and opens the pull request, or finds that both are there. Whatever a person
    /// has to solve is reported; it is tried again when the run is resumed.
    pub(super) fn publish(
        &self,
        state: &RunState,
        step: &StepId,
        epoch: u32,
        commit: &ObjectId,
        expected: Option<&ObjectId>,
    ) -> Result<InputKind, WorkerError> {
        let refused = |message, settings| InputKind::PublishRefused {
            step: step.clone(),
            epoch,
            message,
            settings,
        };
        let Some(request) = asked_for(state, step) else {
            return Ok(refused(format!("`{step}` publishes nothing"), None));
        };
        let body = self.body(state, step)?;
        let published = self.squashed(state, commit)?;
        // Where a publication that failed after its push may have left the branch.
        let own = state.intended.iter().map(|commit| self.squashed(state, commit));
        let own: Vec<ObjectId> = own.collect::<Result<_, _>>()?;
        let publishing = |remote: &Remote| {
            forge::publish(
                remote,
                &PublishRequest {
                    branch: state.facts.branch.clone(),
                    commit: published.clone(),
                    expected_remote: seen_there(remote, state, expected, &own)?,
                    base: request.base.clone().unwrap_or_else(|| state.facts.base_name.clone()),
                    // The number of the run's own issue stays: the description closes it anyway.
                    title: view::pull_request_title(
                        &request.title,
                        state.plan.issue.as_ref().map(|issue| issue.number),
                    ),
                    body,
                    body_file: self.run.state.join("pull-request.md"),
                    draft: request.draft || state.draft,
                },
            )
        };
        // The settings first: even to ask a remote something follows them.
        let outcome = match self.changed_settings(state, step) {
            Ok(None) => Remote::of(&self.site.user, None)
                .and_then(|remote| Ok(publication(&remote, publishing(&remote)?))),
            Ok(Some((error, settings))) => {
                return Ok(refused(refusal(&error, step), Some(settings)));
            }
            Err(error) => Err(error),
        };
        Ok(match outcome {
            Ok(publication) => InputKind::Published { step: step.clone(), epoch, publication },
            Err(error) => refused(refusal(&error, step), None),
        })
    }

    /// Compares the settings that decide about a push with those that the run started with, and
    /// those that a person accepted besides.
    fn changed_settings(
        &self,
        state: &RunState,
        step: &StepId,
    ) -> Result<Option<(ForgeError, PushSettings)>, ForgeError> {
        let Some(pinned) = &state.facts.push_settings else { return Ok(None) };
        let now = forge::push_settings(&self.site.user, &state.facts.run)?;
        let step = state.plan.find(step).map(|index| state.step(index));
        let accepted = step.and_then(|step| step.accepted_settings.as_ref());
        if now == *pinned || accepted == Some(&now) {
            return Ok(None);
        }
        let target = match Remote::of(&self.site.user, None) {
            Ok(remote) => format!("`{}`", remote.url()),
            Err(error) => format!("nowhere: {error}"),
        };
        let changed = now.differences_from(pinned);
        Ok(Some((ForgeError::Settings { changed, target }, now)))
    }

    /// The text of the pull request, from the journal as it is now.
    fn body(&self, state: &RunState, step: &StepId) -> Result<String, BodyError> {
        let (store, run) = (Store::open_read_only(&self.site.home.state)?, &state.facts.run);
        let mut history = History::default();
        for record in store.records(run, Seq(1))? {
            let record = record?;
            if let Entry::Event(event) = entry(&record)? {
                history.add(record.time, &record.actor, &event);
            }
        }
        let head = load(&store, run)?.head;
        let mut facts = ReportFacts {
            head: head.hash.to_string(),
            version: state.facts.version.clone(),
            ..ReportFacts::default()
        };
        // Without the kept files the text says less, and is true all the same.
        if let Ok(kept) = KeptFiles::of(&trail(&store, run, head.seq)?) {
            // Papers stay behind: what is published is the code.
            let changed = |work: &Work| {
                let changes = self.engine.changes(&work.from, &work.to).ok()?;
                Some(Changes { papers: Vec::new(), ..changes })
            };
            facts.changes = kept.whole.as_ref().and_then(changed);
            facts.tests = kept.whole.as_ref().and_then(|whole| {
                self.engine.tests_changed(&whole.from.code, &whole.to.code).ok().flatten()
            });
            let steps = kept.work.iter();
            facts.step_changes =
                steps.filter_map(|(step, work)| Some((step.clone(), changed(work)?))).collect();
        }
        let mut view = view::report_view(state, &history, &facts);
        // It is not among the work that it is about, and what it waits for is only this text.
        view.steps.retain(|shown| shown.id != *step);
        let left_out = view::left_out_text(state).unwrap_or_default();
        Ok(format!("{left_out}{}", view::pull_request_body(&view)))
    }
}

/// Where the branch is expected at the remote: wherever windlass itself last got it, also by a
/// publication that failed after its push.
fn seen_there(
    remote: &Remote,
    state: &RunState,
    expected: Option<&ObjectId>,
    own: &[ObjectId],
) -> Result<Option<ObjectId>, ForgeError> {
    let found = remote.remote_branch(&state.facts.branch)?;
    let own = found.filter(|commit| own.contains(commit));
    Ok(own.or_else(|| expected.cloned()))
}

fn asked_for<'s>(state: &'s RunState, step: &StepId) -> Option<&'s PullRequest> {
    match &state.plan.step(state.plan.find(step)?).kind {
        StepKind::PullRequest(request) => Some(request),
        StepKind::Agent { .. } | StepKind::Group | StepKind::Foreach(_) => None,
    }
}

fn publication(remote: &Remote, published: forge::Published) -> Publication {
    let request = published.pull_request;
    Publication {
        remote: remote.name().to_owned(),
        pushed: published.pushed,
        number: request.as_ref().map(|request| request.number),
        url: request.map(|request| request.url),
        compare_url: published.compare_url,
        body_file: published.body_file.map(|file| file.to_string_lossy().into_owned()),
        notes: published.notes,
    }
}

fn refusal(error: &ForgeError, step: &StepId) -> String {
    let hint = error.hint();
    format!(
        "{}. What to do: {hint}; then `windlass resume`, or `windlass skip {step} --reason WHY` to do \
         without it",
        super::attempt::with_causes(error)
    )
}
