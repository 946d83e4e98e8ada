//! Opening a store to read it, also where nothing can be written.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::anchor::{self, Anchor};
use super::error::Fault;
use super::identity;
use super::open::{At as _, BUSY_TIMEOUT, DATABASE, OpenError, Store, readable};
use super::schema::Said;

impl Store {
    /// Opens the store in `dir` to read it, also where nothing can be written.
    ///
    /// Records can be read while a driver appends. A database in write-ahead mode needs a
    /// shared-memory file even to be read, and where that cannot be made there are two cases.
    /// Without a write-ahead log the file is complete and is read as `immutable`; should someone
    /// with more rights begin to write meanwhile, this handle may see a malformed page, so open a
    /// new one for each answer there. With a log, `immutable` would silently leave out what the
    /// log holds, so both are copied to the temporary folder and read from there.
    ///
    /// Unlike [`Self::open`] this refuses no damaged, replaced or rolled-back store, since an
    /// audit has to look into exactly those: see [`Self::check_anchor`] and
    /// [`Self::verify_chain`].
    pub fn open_read_only(dir: &Path) -> Result<Self, OpenError> {
        let path = dir.join(DATABASE);
        if identity::length(&path)?.is_none() {
            return Err(match anchor::store_named_in(dir) {
                Ok(Some(_)) => Fault::Missing { path }.into(),
                _ => OpenError::NoStore { path },
            });
        }
        let (conn, said, copy) = match connect_read_only(&path, "mode=ro") {
            Ok((conn, said)) => (conn, said, None),
            Err(OpenError::Fault(Fault::ReadOnly { .. } | Fault::Sqlite { .. })) => {
                read_where_nothing_can_be_written(&path)?
            }
            Err(error) => return Err(error),
        };
        let anchor = Anchor::open_read_only(dir).map_err(Fault::Io)?;
        Ok(Self { conn, path, identity: None, anchor, id: said.store, _copy: copy })
    }
}

fn connect_read_only(path: &Path, mode: &str) -> Result<(Connection, Said), OpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let conn = Connection::open_with_flags(uri(path, mode), flags).at(path)?;
    conn.busy_timeout(BUSY_TIMEOUT).at(path)?;
    let said = readable(&conn, path)?;
    // A blank database is one whose creation was cut short.
    let said = said.ok_or_else(|| OpenError::NoStore { path: path.to_owned() })?;
    Ok((conn, said))
}

/// Reads a store whose folder cannot be written; see [`Store::open_read_only`].
fn read_where_nothing_can_be_written(
    path: &Path,
) -> Result<(Connection, Said, Option<tempfile::TempDir>), OpenError> {
    let log = identity::log_of(path);
    if identity::length(&log)?.unwrap_or(0) == 0 {
        let (conn, said) = connect_read_only(path, "immutable=1")?;
        return Ok((conn, said, None));
    }
    let copy = tempfile::tempdir().map_err(Fault::Io)?;
    let copied = copy.path().join(DATABASE);
    fs_err::copy(path, &copied).map_err(Fault::Io)?;
    fs_err::copy(&log, identity::log_of(&copied)).map_err(Fault::Io)?;
    let conn = Connection::open(&copied).at(path)?;
    conn.pragma_update(None, "query_only", true).at(path)?;
    let said =
        readable(&conn, path)?.ok_or_else(|| OpenError::NoStore { path: path.to_owned() })?;
    Ok((conn, said, Some(copy)))
}

/// Writes `path` as the URI that SQLite expects.
fn uri(path: &Path, query: &str) -> String {
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt as _;
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a `String` cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri.push('?');
    uri.push_str(query);
    uri
}
