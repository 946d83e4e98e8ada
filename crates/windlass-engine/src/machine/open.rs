//! Opening `machine.db`, once per use; and what becomes of a damaged one.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, ffi};

use super::schema::{self, Found};
use crate::store::lock::{ExclusiveLock, WaitError};

const DATABASE: &str = "machine.db";
const LOCK: &str = "machine.lock";

/// How long one use waits for another process's. Each takes milliseconds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Why `machine.db` cannot be used. No run stops for it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum MachineError {
    #[error("`{}` has format {found}, and this windlass knows formats up to {known}", path.display())]
    NewerFormat { path: PathBuf, found: i64, known: i64 },
    #[error("`{}` is damaged", path.display())]
    Damaged {
        path: PathBuf,
        #[source]
        source: Option<rusqlite::Error>,
    },
    #[error("`{}` cannot be used", path.display())]
    Sqlite {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error("`{}` cannot be set up", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("another process is still setting up the shared database")]
    Setup(#[from] WaitError),
}

/// What all runs on this machine share.
#[derive(Clone, Debug)]
pub struct Machine {
    folder: PathBuf,
    tell: fn(&str),
}

impl Machine {
    /// Names `machine.db` in `folder`, which is `$WINDLASS_HOME`; `tell` is told what people should
    /// know of it. Nothing is opened yet.
    pub fn new(folder: &Path, tell: fn(&str)) -> Self {
        Self { folder: folder.to_owned(), tell }
    }

    /// Returns the files that no attempt may write.
    pub(crate) fn files(&self) -> [PathBuf; 4] {
        let beside = |suffix: &str| self.folder.join(format!("{DATABASE}{suffix}"));
        [beside(""), beside("-wal"), beside("-shm"), self.folder.join(LOCK)]
    }

    /// Tells people of trouble that nothing else comes of.
    pub(crate) fn warn(&self, doing: &str, error: &dyn std::error::Error) {
        let mut text = format!("warning: {doing}: {error}");
        let mut cause = error.source();
        while let Some(source) = cause {
            text.push_str(": ");
            text.push_str(&source.to_string());
            cause = source.source();
        }
        (self.tell)(&text);
    }

    /// Reads.
    pub(super) fn read<T>(
        &self,
        read: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, MachineError> {
        self.with(&|conn| read(conn))
    }

    /// Changes something in one transaction, which holds the write lock from its start.
    pub(super) fn write<T>(
        &self,
        change: impl Fn(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, MachineError> {
        self.with(&|conn| {
            let tx = Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
            let done = change(&tx)?;
            tx.commit()?;
            Ok(done)
        })
    }

    fn with<T>(
        &self,
        work: &dyn Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, MachineError> {
        match self.once(work) {
            Err(MachineError::Damaged { .. }) => {}
            Err(MachineError::Sqlite { source, .. }) if was_moved(&source) => {}
            done => return done,
        }
        // Asked again behind the lock: somebody else may have put a new one there already.
        let lock = self.lock()?;
        match self.once_locked(work, &lock) {
            Err(error @ MachineError::Damaged { .. }) => self.move_aside(&error)?,
            done => return done,
        }
        self.once_locked(work, &lock)
    }

    fn once<T>(
        &self,
        work: &dyn Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, MachineError> {
        if let Some(conn) = self.open()? {
            return work(&conn).map_err(|error| self.sorted(error));
        }
        let lock = self.lock()?;
        self.once_locked(work, &lock)
    }

    fn once_locked<T>(
        &self,
        work: &dyn Fn(&Connection) -> rusqlite::Result<T>,
        _lock: &ExclusiveLock,
    ) -> Result<T, MachineError> {
        let conn = match self.open()? {
            Some(conn) => conn,
            None => self.set_up().map_err(|error| self.sorted(error))?,
        };
        work(&conn).map_err(|error| self.sorted(error))
    }

    /// Opens the file; none when it has to be set up first, behind the lock.
    fn open(&self) -> Result<Option<Connection>, MachineError> {
        let path = self.path();
        if !path.exists() {
            return Ok(None);
        }
        let open = || {
            let conn = Connection::open(&path)?;
            configure(&conn)?;
            let found = schema::found(&conn)?;
            Ok((conn, found))
        };
        let (conn, found) = open().map_err(|error| self.sorted(error))?;
        match found {
            Found::Ours => Ok(Some(conn)),
            Found::Blank => Ok(None),
            Found::Newer(found) => {
                Err(MachineError::NewerFormat { path, found, known: schema::FORMAT })
            }
            Found::Foreign => Err(MachineError::Damaged { path, source: None }),
        }
    }

    fn set_up(&self) -> rusqlite::Result<Connection> {
        let conn = Connection::open(self.path())?;
        configure(&conn)?;
        conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        let tx = Transaction::new_unchecked(&conn, TransactionBehavior::Immediate)?;
        schema::create(&tx)?;
        tx.commit()?;
        Ok(conn)
    }

    fn lock(&self) -> Result<ExclusiveLock, MachineError> {
        let folder = |source| MachineError::Io { path: self.path(), source };
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(&self.folder).map_err(folder)?;
        Ok(ExclusiveLock::wait(&self.folder.join(LOCK), Instant::now() + BUSY_TIMEOUT)?)
    }

    /// Moves a damaged file out of the way, with its log, and says so.
    fn move_aside(&self, error: &MachineError) -> Result<(), MachineError> {
        let stamp = jiff::Timestamp::now().as_millisecond();
        for file in self.files().into_iter().take(3) {
            let mut aside = file.clone().into_os_string();
            aside.push(format!(".damaged-{stamp}"));
            match fs_err::rename(&file, &aside) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(MachineError::Io { path: file, source });
                }
                Ok(()) | Err(_) => {}
            }
        }
        let name = self.path().display().to_string();
        self.warn(&format!("moved aside to `{name}.damaged-{stamp}` and begun anew"), error);
        Ok(())
    }

    fn path(&self) -> PathBuf {
        self.folder.join(DATABASE)
    }

    fn sorted(&self, source: rusqlite::Error) -> MachineError {
        let path = self.path();
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                MachineError::Damaged { path, source: Some(source) }
            }
            _ => MachineError::Sqlite { path, source },
        }
    }
}

/// Whether another process moved the damaged file aside while this one had it open. The change was not
/// made, so it can be made again on the new file.
fn was_moved(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    code.is_some_and(|code| {
        [ffi::SQLITE_IOERR_DELETE_NOENT, ffi::SQLITE_READONLY_DBMOVED].contains(&code)
    })
}

/// Sets what holds for the connection. What is lost when the machine dies is read again from the
/// journals, so nothing waits for the disk: neither a commit, nor the end of a connection.
fn configure(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "cell_size_check", true)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(())
}
