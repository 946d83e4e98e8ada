//! Where the view comes from: the journal, the driver's lock and the process table, read only.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use windlass_core::id::{AttemptId, RunId};
use windlass_core::run::{Event, RunState};
use windlass_core::time::Timestamp;
use windlass_core::view::{History, describe, plain_line, rollback_targets, status_view};
use windlass_engine::dispatch::{Site, now};
use windlass_engine::hosted;
use windlass_engine::journal::{Entry, entry};
use windlass_engine::store::lock::{self, Held};
use windlass_engine::store::{Seq, Store};

use super::live::{Live, LiveWatch};
use super::pager::Subject;
use super::screen::{Driven, Message, Seen};

/// How often the journal is looked at: the mark that tells of a change costs one small read.
const INTERVAL: Duration = Duration::from_millis(500);

/// How long a store is kept open. Where nothing can be written it may be a copy, and a database that
/// was put in its place goes unnoticed by whoever has the old one open.
const REOPENED: Duration = Duration::from_secs(5);

/// How often the process table is looked at while something runs.
const LIVE_INTERVAL: Duration = Duration::from_secs(1);

/// What is asked of the source.
#[derive(Clone, Debug)]
pub(super) enum Ask {
    /// Show a page, and again when it changes.
    Page(Subject),
    /// Nobody looks at a page any more.
    Nothing,
    /// Look at once: something was decided.
    Look,
}

/// One line of the log.
#[derive(Clone, Debug)]
pub(super) struct LogLine {
    pub(super) seq: u64,
    pub(super) at: Timestamp,
    pub(super) text: String,
}

/// Follows one run.
pub(super) struct Source {
    pub(super) site: Arc<Site>,
    pub(super) run: RunId,
    pub(super) state: Option<RunState>,
    pub(super) history: History,
    pub(super) log: Vec<LogLine>,
    /// The state from which each attempt's prompt was made.
    pub(super) prompts: BTreeMap<AttemptId, RunState>,
    pub(super) live: Vec<Live>,
    store: Option<(Store, Instant)>,
    mark: Option<i64>,
    next: Seq,
    changed_at: Timestamp,
    driven_at: Option<Timestamp>,
    watch: LiveWatch,
    looked_at: Option<Instant>,
    subject: Option<Subject>,
}

impl Source {
    pub(super) fn new(site: Arc<Site>, run: RunId) -> Self {
        Self {
            site,
            run,
            state: None,
            history: History::default(),
            log: Vec::new(),
            prompts: BTreeMap::new(),
            live: Vec::new(),
            store: None,
            mark: None,
            next: Seq(1),
            changed_at: now(),
            driven_at: None,
            watch: LiveWatch::default(),
            looked_at: None,
            subject: None,
        }
    }

    /// Follows the run until nobody watches any more.
    pub(super) fn follow(mut self, asks: &Receiver<Ask>, messages: &Sender<Message>) {
        let mut shown: Option<Arc<Seen>> = None;
        loop {
            let seen = self.look().map(Arc::new);
            if seen.is_some() && seen != shown {
                shown.clone_from(&seen);
                let told = seen.map(|seen| messages.send(Message::Seen(seen)));
                let page = self.subject.clone().map(|subject| self.page(&subject));
                let page = page.map(|page| messages.send(Message::Page(page)));
                if matches!(told, Some(Err(_))) || matches!(page, Some(Err(_))) {
                    return;
                }
            }
            match asks.recv_timeout(INTERVAL) {
                Ok(Ask::Page(subject)) => {
                    let page = self.page(&subject);
                    if matches!(subject, Subject::Log | Subject::Output(..)) {
                        self.subject = Some(subject);
                    } else if !matches!(subject, Subject::Gate(_)) {
                        self.subject = None;
                    }
                    if messages.send(Message::Page(page)).is_err() {
                        return;
                    }
                }
                Ok(Ask::Nothing) => self.subject = None,
                Ok(Ask::Look) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Looks once; nothing before the journal could be read for the first time.
    fn look(&mut self) -> Option<Seen> {
        let trouble = self.read_journal().err();
        if trouble.is_some() {
            // Opened anew at the next look: whatever was wrong may be solved.
            (self.store, self.mark) = (None, None);
        }
        let driver = self.driver();
        self.look_at_processes();
        let state = self.state.as_ref()?;
        let view = status_view(state).for_a_screen();
        let targets = rollback_targets(state);
        Some(Seen { view, driver, live: self.live.clone(), targets, trouble })
    }

    /// Reads what is new in the journal.
    fn read_journal(&mut self) -> Result<(), String> {
        // A database that was removed can still be read by whoever has it open.
        if !self.site.home.state.is_dir() {
            return Err("the store of this repository is gone".to_owned());
        }
        let store = self.store.take().filter(|(_, opened)| opened.elapsed() < REOPENED);
        let (store, opened) = match store {
            Some(store) => store,
            None => {
                // Marks of two connections cannot be compared.
                self.mark = None;
                let opened = Store::open_read_only(&self.site.home.state);
                (opened.map_err(|error| with_causes(&error))?, Instant::now())
            }
        };
        if !store.path().exists() {
            return Err(format!("the store `{}` is gone", store.path().display()));
        }
        let mark = store.change_mark().map_err(|error| with_causes(&error))?;
        if self.mark != Some(mark) {
            self.read_records(&store)?;
            self.mark = Some(mark);
        }
        self.store = Some((store, opened));
        Ok(())
    }

    fn read_records(&mut self, store: &Store) -> Result<(), String> {
        let records = store.records(&self.run, self.next).map_err(|error| with_causes(&error))?;
        let mut started = Vec::new();
        for record in records {
            let record = record.map_err(|error| with_causes(&error))?;
            match entry(&record).map_err(|error| with_causes(&error))? {
                Entry::Input(_) => self.keep_prompts(&mut started),
                Entry::Event(event) => {
                    if let Event::AttemptStarted { attempt, .. } = &*event {
                        started.push(attempt.clone());
                    }
                    let applied = match &mut self.state {
                        Some(state) => state.apply(record.time, &event),
                        None => RunState::begin(record.time, &event).map(|s| self.state = Some(s)),
                    };
                    applied.map_err(|error| with_causes(&error))?;
                    self.history.add(record.time, &record.actor, &event);
                    let text = plain_line(&describe(&event).replace('\n', " "));
                    self.log.push(LogLine { seq: record.seq.0, at: record.time, text });
                }
            }
            self.next = record.seq.next();
            self.changed_at = record.time;
        }
        self.keep_prompts(&mut started);
        Ok(())
    }

    /// Keeps the state after a decision for the attempts that it started: their prompts follow from
    /// it. Copies share what did not change.
    fn keep_prompts(&mut self, started: &mut Vec<AttemptId>) {
        if let Some(state) = &self.state {
            self.prompts.extend(started.drain(..).map(|attempt| (attempt, state.clone())));
        }
    }

    fn driver(&mut self) -> Driven {
        let session = self.state.as_ref().and_then(hosted::driving);
        let by = match lock::held(&self.site.home.run(&self.run).driver_lock()) {
            Ok(Held::By(holder)) => Some(holder.map_or(0, |holder| holder.pid)),
            Ok(Held::Free) | Err(_) => session.map(|session| session.process.pid.unsigned_abs()),
        };
        match by {
            Some(pid) => {
                self.driven_at = Some(now());
                Driven::By { pid }
            }
            None => Driven::Nobody { since: self.driven_at.unwrap_or(self.changed_at) },
        }
    }

    fn look_at_processes(&mut self) {
        let running = self.state.as_ref().is_some_and(|state| !state.is_ended());
        if !running {
            self.live.clear();
        } else if self.looked_at.is_none_or(|at| at.elapsed() >= LIVE_INTERVAL) {
            self.looked_at = Some(Instant::now());
            let scratch = self.site.home.run(&self.run).scratch;
            self.live = self.watch.look(&self.site.home.registry(), &scratch, now());
        }
    }
}

/// Writes an error with all that caused it.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        let words = source.to_string();
        if !text.ends_with(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = source.source();
    }
    text
}
