//! What windlass does and how long it takes, in a file, where `WINDLASS_LOG` asks for it.
//!
//! A line is written when a span ends: decisions, effects, attempts and checks at `info`, calls of git at
//! `debug`. Without the variable nothing is set up, and a span costs one load of an atomic number.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// The variable that asks for it: `info`, `debug`, or `off`.
pub const VARIABLE: &str = "WINDLASS_LOG";

/// What of the program is told; libraries have spans of their own.
const OURS: &str = "windlass";

/// How large the file may be when a process begins to write; then it is put aside, and the one that was
/// aside before goes.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// How much of a field is written.
const MAX_FIELD_BYTES: usize = 400;

/// Returns the file in the folder of windlass's state.
pub fn file(state: &Path) -> PathBuf {
    state.join("log/windlass.log")
}

/// Says how much is to be written; none for nothing.
pub fn wanted() -> Option<Level> {
    level_of(&std::env::var(VARIABLE).ok()?)
}

fn level_of(value: &str) -> Option<Level> {
    match value {
        "" | "0" | "off" => None,
        "info" => Some(Level::INFO),
        _ => Some(Level::DEBUG),
    }
}

/// Begins to write into the file below `state`.
///
/// # Errors
/// The file cannot be written.
pub fn begin(state: &Path, level: Level) -> io::Result<()> {
    let writer = Writer::open(&file(state), level)?;
    // A second call in one process changes nothing.
    let _ = tracing::subscriber::set_global_default(writer);
    Ok(())
}

/// Returns the last `bytes` of what was written, from the beginning of a line; empty if there is nothing.
pub fn last(state: &Path, bytes: u64) -> String {
    let read = || -> io::Result<String> {
        let mut file = File::open(file(state))?;
        let size = file.metadata()?.len();
        file.seek(SeekFrom::Start(size.saturating_sub(bytes)))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let is_cut = size > bytes;
        Ok(match text.split_once('\n').filter(|_| is_cut) {
            Some((_, whole)) => whole.to_owned(),
            None => text,
        })
    };
    read().unwrap_or_default()
}

/// A span that has begun.
struct Begun {
    name: &'static str,
    level: Level,
    fields: String,
    within: Option<u64>,
    began: Instant,
    holders: usize,
}

/// Writes spans to a file as they end.
struct Writer {
    file: File,
    level: Level,
    next: AtomicU64,
    begun: Mutex<BTreeMap<u64, Begun>>,
}

thread_local! {
    /// The spans that this thread is in, the innermost last.
    static WITHIN: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

impl Writer {
    fn open(path: &Path, level: Level) -> io::Result<Self> {
        fs_err::create_dir_all(path.parent().unwrap_or(path))?;
        if path.metadata().is_ok_and(|metadata| metadata.len() > MAX_FILE_BYTES) {
            fs_err::rename(path, path.with_extension("log.1"))?;
        }
        let mut options = File::options();
        let file = options.create(true).append(true).mode(0o600).open(path)?;
        Ok(Self { file, level, next: AtomicU64::new(1), begun: Mutex::default() })
    }

    fn begun(&self) -> MutexGuard<'_, BTreeMap<u64, Begun>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes one line at once, so that processes beside each other do not mix theirs. A disk that is
    /// full stops no run.
    fn write(&self, level: Level, around: &str, what: &str) {
        let (now, process) = (jiff::Timestamp::now(), std::process::id());
        let line = format!("{now:.3} {process} {level} {around}{what}\n");
        let _ = (&self.file).write_all(line.as_bytes());
    }
}

/// The names of the spans around one, from the outside.
fn around(begun: &BTreeMap<u64, Begun>, mut within: Option<u64>) -> String {
    let mut names = Vec::new();
    while let Some(span) = within.and_then(|id| begun.get(&id)) {
        names.push(span.name);
        within = span.within;
    }
    names.iter().rev().fold(String::new(), |text, name| text + name + ": ")
}

fn innermost() -> Option<u64> {
    WITHIN.with_borrow(|within| within.last().copied())
}

impl Subscriber for Writer {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with(OURS) && *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::from_level(self.level))
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let metadata = attributes.metadata();
        let span = Begun {
            name: metadata.name(),
            level: *metadata.level(),
            fields: fields.0,
            within: innermost(),
            began: Instant::now(),
            holders: 1,
        };
        self.begun().insert(id, span);
        Id::from_u64(id)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        if let Some(span) = self.begun().get_mut(&id.into_u64()) {
            span.fields.push_str(&fields.0);
        }
    }

    fn record_follows_from(&self, _id: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let around = around(&self.begun(), innermost());
        self.write(*event.metadata().level(), &around, fields.0.trim_start());
    }

    fn enter(&self, id: &Id) {
        WITHIN.with_borrow_mut(|within| within.push(id.into_u64()));
    }

    fn exit(&self, id: &Id) {
        WITHIN.with_borrow_mut(|within| {
            if let Some(at) = within.iter().rposition(|span| *span == id.into_u64()) {
                within.remove(at);
            }
        });
    }

    fn clone_span(&self, id: &Id) -> Id {
        if let Some(span) = self.begun().get_mut(&id.into_u64()) {
            span.holders += 1;
        }
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        let mut begun = self.begun();
        let Some(span) = begun.get_mut(&id.into_u64()) else { return false };
        span.holders -= 1;
        if span.holders > 0 {
            return false;
        }
        let Some(span) = begun.remove(&id.into_u64()) else { return false };
        let around = around(&begun, span.within);
        drop(begun);
        let took = span.began.elapsed().as_secs_f64() * 1000.0;
        self.write(span.level, &around, &format!("{}{} ({took:.1} ms)", span.name, span.fields));
        true
    }
}

/// Fields as text: ` name=value`, on one line.
#[derive(Default)]
struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut text = format!("{value:?}").replace(['\n', '\r'], " ");
        if text.len() > MAX_FIELD_BYTES {
            text.truncate(text.floor_char_boundary(MAX_FIELD_BYTES));
            text.push('…');
        }
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.0, " {text}"),
            name => write!(self.0, " {name}={text}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(level: Level, act: impl FnOnce()) -> String {
        let dir = tempfile::tempdir().unwrap();
        let writer = Writer::open(&file(dir.path()), level).unwrap();
        tracing::subscriber::with_default(writer, act);
        last(dir.path(), u64::MAX)
    }

    fn act() {
        let _effect = tracing::info_span!("effect", what = "verify").entered();
        let git =
            tracing::debug_span!("git", command = %"git status\n-z", code = tracing::field::Empty);
        git.in_scope(|| tracing::debug!("begins"));
        git.record("code", 0);
    }

    #[test]
    fn spans_are_written_when_they_end_with_what_is_around_them() {
        let text = written(Level::DEBUG, act);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[0].ends_with("DEBUG effect: git: begins"), "{text}");
        assert!(lines[1].contains("DEBUG effect: git command=git status -z code=0 ("), "{text}");
        assert!(lines[2].contains(r#"INFO effect what="verify" ("#), "{text}");
    }

    #[test]
    fn calls_of_git_are_written_only_where_they_are_asked_for() {
        let text = written(Level::INFO, act);
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("effect"), "{text}");
    }

    #[test]
    fn the_end_begins_with_a_whole_line_and_a_large_file_is_put_aside() {
        let dir = tempfile::tempdir().unwrap();
        let path = file(dir.path());
        Writer::open(&path, Level::INFO).unwrap();
        fs_err::write(&path, "first line\nsecond\n").unwrap();
        assert_eq!(last(dir.path(), 10), "second\n");
        assert_eq!(last(dir.path(), 100), "first line\nsecond\n");
        File::options().write(true).open(&path).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
        Writer::open(&path, Level::INFO).unwrap();
        assert_eq!(path.metadata().unwrap().len(), 0);
        assert!(path.with_extension("log.1").is_file());
    }

    #[test]
    fn nothing_is_asked_for_by_an_empty_word_or_off() {
        assert_eq!([level_of(""), level_of("off"), level_of("0")], [None; 3]);
        assert_eq!(level_of("info"), Some(Level::INFO));
        assert_eq!(level_of("debug"), Some(Level::DEBUG));
    }
}
