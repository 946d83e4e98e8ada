//! Opening a store: what is checked before anything is believed.

use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::anchor::{self, Anchor};
use super::error::Fault;
use super::identity::{self, Identity};
use super::lock::{ExclusiveLock, WaitError};
use super::runs::RunRow;
use super::schema::{self, Said};

pub(super) const DATABASE: &str = "journal.db";
const SETUP_LOCK: &str = "journal.lock";

/// How long one write waits for another process's. Writes take milliseconds; only a stopped
/// process or a stalled disk comes near this.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How many runs have their last record checked at open. A check costs some microseconds; this
/// many covers what is being worked on, and taking over any run checks that one again.
const HEADS_CHECKED_AT_OPEN: u32 = 32;

/// The write-ahead log is cut back to this after a checkpoint, so that one huge plan does not
/// keep its room for ever.
const LOG_KEPT_BYTES: u32 = 8 * 1024 * 1024;

/// How long a log may be that is left for the next one to open the store.
const LOG_LEFT_BYTES: u64 = 256 * 1024;

/// Why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is none yet; only [`Store::open_read_only`] says so.
    #[error("there is no journal database `{}`", path.display())]
    NoStore {
        /// Where it would be.
        path: PathBuf,
    },
    /// The folder cannot be created.
    #[error("the folder `{}` cannot be created", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// A newer windlass wrote it, and its fields may mean what this one cannot know.
    #[error(
        "the journal database `{}` has format {found}, written by {writer}; \
         this windlass knows formats up to {known}",
        path.display()
    )]
    NewerFormat {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The program that wrote it.
        writer: String,
        /// The newest format that this build knows.
        known: u32,
    },
    /// It is a database, but not a journal.
    #[error("the database `{}` belongs to another program", path.display())]
    Foreign {
        /// The database.
        path: PathBuf,
        /// The application that its header names.
        application_id: i64,
    },
    /// Another process is setting the store up and does not finish.
    #[error("the store cannot be set up")]
    Setup(#[from] WaitError),
    /// The database has a fault.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl OpenError {
    /// Says what a person can do about it, for the `hint:` line.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoStore { .. } => "start a run first",
            Self::Folder { .. } => "point WINDLASS_HOME at a folder that can be written",
            Self::NewerFormat { .. } => "use the newer windlass; this one would damage the journal",
            Self::Foreign { .. } => "move the file away, or point WINDLASS_HOME elsewhere",
            Self::Setup(_) => "end the other windlass process that is starting in this folder",
            Self::Fault(fault) => fault.hint(),
        }
    }
}

/// Sorts an error of SQLite by the database it is about.
pub(super) trait At<T> {
    fn at(self, path: &Path) -> Result<T, Fault>;
}

impl<T> At<T> for rusqlite::Result<T> {
    fn at(self, path: &Path) -> Result<T, Fault> {
        self.map_err(|error| Fault::from_sqlite(path, error))
    }
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    pub(super) conn: Connection,
    pub(super) path: PathBuf,
    /// Nothing when opened to read only.
    pub(super) identity: Option<Identity>,
    pub(super) anchor: Option<Anchor>,
    pub(super) id: String,
    /// Holds the copy that is read when the original cannot be read in place.
    pub(super) _copy: Option<tempfile::TempDir>,
}

/// A write under way: everything in it happens, or nothing.
pub(super) struct Writing<'a> {
    pub(super) tx: &'a Transaction<'a>,
    pub(super) path: &'a Path,
    pub(super) anchor: Option<&'a Anchor>,
}

impl Store {
    /// Opens the store in `dir`, and creates folder and database when there are none.
    ///
    /// The folder is made for its owner alone; what is in it needs no modes of its own.
    pub fn open(dir: &Path) -> Result<Self, OpenError> {
        let folder = |source| OpenError::Folder { path: dir.to_owned(), source };
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(folder)?;
        let path = dir.join(DATABASE);
        let anchored = anchor::store_named_in(dir).map_err(Fault::Io)?;
        let length = identity::length(&path)?;
        match length {
            None if anchored.is_some() => return Err(Fault::Missing { path }.into()),
            Some(0) if anchored.is_some() => {
                return Err(Fault::Truncated { path, length: 0 }.into());
            }
            _ => {}
        }
        // Two first openers would fall over each other while the journal mode changes, and
        // SQLite does not always wait there.
        let mut setup = (length.unwrap_or(0) == 0).then(|| lock_setup(dir)).transpose()?;
        let before = Identity::of(&path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut conn = Connection::open_with_flags(&path, flags).at(&path)?;
        refuse_read_only(&conn).at(&path)?;
        configure(&conn).at(&path)?;
        let said = match current(&conn, &path)? {
            Some(said) => said,
            None => {
                if setup.is_none() {
                    setup = Some(lock_setup(dir)?);
                }
                set_up(&mut conn, &path)?
            }
        };
        drop(setup);
        let mut identity = match before {
            Some(identity) => identity,
            None => Identity::of(&path)?.ok_or_else(|| Fault::Missing { path: path.clone() })?,
        };
        identity.note_log()?;
        identity.check()?;
        if anchored.is_some_and(|store| store != said.store) {
            return Err(Fault::Replaced { path }.into());
        }
        let anchor = Anchor::open(dir, &said.store).map_err(Fault::Io)?;
        let store = Self {
            conn,
            path,
            identity: Some(identity),
            anchor: Some(anchor),
            id: said.store,
            _copy: None,
        };
        store.check_anchor()?;
        store.check_newest_heads()?;
        Ok(store)
    }

    /// Leaves the log as it is when the store is closed, while it is short.
    ///
    /// For calls that open the store, append once and end: SQLite would bring the log into the file and
    /// remove it each time, which waits for the disk four times besides the append itself. What was
    /// appended is durable all the same. Whoever opens the store next reads the log, so a long one is
    /// brought into the file as usual.
    pub fn leave_log(&self) -> Result<(), Fault> {
        let length = identity::length(&identity::log_of(&self.path))?.unwrap_or(0);
        let leave = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        self.conn.set_db_config(leave, length < LOG_LEFT_BYTES).at(&self.path)?;
        Ok(())
    }

    /// Returns the name that the store was given when it was created.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the path of the database, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a number that changes whenever another connection has changed the store.
    ///
    /// It costs microseconds and reads no table: `log -f` asks it before it asks for records.
    pub fn change_mark(&self) -> Result<i64, Fault> {
        self.conn.pragma_query_value(None, "data_version", |row| row.get(0)).at(&self.path)
    }

    /// Begins to read several things as they are at one moment.
    pub(super) fn snapshot(&self) -> Result<Transaction<'_>, Fault> {
        Transaction::new_unchecked(&self.conn, TransactionBehavior::Deferred).at(&self.path)
    }

    fn check_newest_heads(&self) -> Result<(), Fault> {
        // An append between a row and its last record would look like damage.
        let tx = self.snapshot()?;
        for row in RunRow::newest(&tx, HEADS_CHECKED_AT_OPEN).at(&self.path)? {
            row.sealed(&self.path)?.check_head(&tx, &self.path)?;
        }
        Ok(())
    }

    /// Runs `change` in one transaction that holds the write lock from its start.
    pub(super) fn write<T, E: From<Fault>>(
        &mut self,
        change: impl FnOnce(&Writing<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let check = || self.identity.as_ref().map_or(Ok(()), Identity::check);
        check()?;
        let tx =
            Transaction::new_unchecked(&self.conn, TransactionBehavior::Immediate).at(&self.path)?;
        let done = change(&Writing { tx: &tx, path: &self.path, anchor: self.anchor.as_ref() })?;
        // Once more, as late as possible: a commit to a file that no path leads to is lost.
        check()?;
        tx.commit().at(&self.path)?;
        Ok(done)
    }
}

fn lock_setup(dir: &Path) -> Result<ExclusiveLock, WaitError> {
    ExclusiveLock::wait(&dir.join(SETUP_LOCK), Instant::now() + BUSY_TIMEOUT)
}

/// Fails where SQLite could open the file only to read it, which it does without saying so.
fn refuse_read_only(conn: &Connection) -> rusqlite::Result<()> {
    if conn.is_readonly("main")? {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_READONLY);
        return Err(rusqlite::Error::SqliteFailure(code, None));
    }
    Ok(())
}

/// Sets what holds for the connection and not for the file.
fn configure(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    // Without it, macOS answers a sync before the drive has the data.
    conn.pragma_update(None, "fullfsync", true)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "cell_size_check", true)?;
    conn.pragma_update(None, "journal_size_limit", LOG_KEPT_BYTES)
}

/// Returns what the database says of itself, or nothing when it has to be set up first.
fn current(conn: &Connection, path: &Path) -> Result<Option<Said>, OpenError> {
    Ok(known(conn, path)?.filter(|said| said.format == schema::FORMAT))
}

/// Returns what the database says of itself, for a reader, who cannot bring it up to date.
pub(super) fn readable(conn: &Connection, path: &Path) -> Result<Option<Said>, OpenError> {
    Ok(known(conn, path)?.filter(|said| said.format >= schema::OLDEST_READABLE))
}

fn known(conn: &Connection, path: &Path) -> Result<Option<Said>, OpenError> {
    if schema::is_blank(conn).at(path)? {
        return Ok(None);
    }
    let said = schema::said(conn).at(path)?;
    let application_id = schema::application_id(conn).at(path)?;
    match said {
        Some(said) if application_id == schema::APPLICATION_ID => {
            if said.format > schema::FORMAT {
                return Err(OpenError::NewerFormat {
                    path: path.to_owned(),
                    found: said.format,
                    writer: said.writer,
                    known: schema::FORMAT,
                });
            }
            Ok(Some(said))
        }
        _ => Err(OpenError::Foreign { path: path.to_owned(), application_id }),
    }
}

/// Creates the tables, or brings an older format up to date.
fn set_up(conn: &mut Connection, path: &Path) -> Result<Said, OpenError> {
    conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).at(path)?;
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate).at(path)?;
    // Asked again, now that nobody else can answer it: the lock may have been waited for.
    if schema::is_blank(&tx).at(path)? {
        schema::create(&tx, &uuid::Uuid::now_v7().simple().to_string()).at(path)?;
    } else if let Some(said) = schema::said(&tx).at(path)?
        && said.format < schema::FORMAT
    {
        schema::migrate(&tx, said.format).at(path)?;
    }
    tx.commit().at(path)?;
    // From here on the file itself, not only its log, says what it is.
    conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).at(path)?;
    sync_folder_of(path).map_err(Fault::Io)?;
    current(conn, path)?.ok_or_else(|| Fault::Missing { path: path.to_owned() }.into())
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs_err::File::open(folder)?.sync_all()
}
