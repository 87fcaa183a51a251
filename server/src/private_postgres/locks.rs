//! Which processes use the private PostgreSQL. The locks are the kernel's: they
//! end with the process, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::error::PrivatePostgresError as Error;

/// Held while one process starts or stops it.
#[derive(Debug)]
pub(super) struct Turn {
    _turn: File,
    data_dir: PathBuf,
}

/// Held, shared with others, while a process uses it.
#[derive(Debug)]
pub(super) struct InUse {
    users: File,
    data_dir: PathBuf,
}

/// Waits until no other process starts or stops it.
pub(super) fn one_at_a_time(data_dir: &Path) -> Result<Turn, Error> {
    let path = data_dir.join("postgres-turn.lock");
    let turn = open(&path)?;
    turn.lock().map_err(Error::file("lock", &path))?;
    Ok(Turn { _turn: turn, data_dir: data_dir.to_owned() })
}

impl Turn {
    /// It runs: from here on this process uses it.
    pub(super) fn done(self) -> Result<InUse, Error> {
        let path = users_path(&self.data_dir);
        let users = open(&path)?;
        users.lock_shared().map_err(Error::file("lock", &path))?;
        Ok(InUse { users, data_dir: self.data_dir })
    }
}

impl InUse {
    /// This process no longer uses it. If no other does, the turn to stop it.
    pub(super) fn end(self) -> Result<Option<Turn>, Error> {
        let turn = one_at_a_time(&self.data_dir)?;
        let path = users_path(&self.data_dir);
        self.users.unlock().map_err(Error::file("unlock", &path))?;
        match self.users.try_lock() {
            Ok(()) => Ok(Some(turn)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(Error::file("lock", &path)(error)),
        }
    }
}

fn users_path(data_dir: &Path) -> PathBuf {
    data_dir.join("postgres-users.lock")
}

fn open(path: &Path) -> Result<File, Error> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(Error::file("open", path))
}
