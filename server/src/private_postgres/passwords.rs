//! The passwords of the two roles.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::PrivatePostgresError as Error;
use super::files;

/// Owns the database and its tables, and runs the migrations.
pub(super) const OWNER: &str = "countersign_owner";
/// What the server works as: it cannot change records.
pub(super) const SERVER: &str = "countersign_server";

#[derive(Serialize, Deserialize)]
pub(super) struct Passwords {
    pub(super) owner: String,
    pub(super) server: String,
}

impl Passwords {
    /// Reads them, or makes them up where there is no cluster yet.
    pub(super) fn load_or_make(data_dir: &Path) -> Result<Self, Error> {
        let path = path(data_dir);
        match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| Error::file("understand", &path)(error.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::make(data_dir),
            Err(error) => Err(Error::file("read", &path)(error)),
        }
    }

    fn make(data_dir: &Path) -> Result<Self, Error> {
        let path = path(data_dir);
        let dir = super::cluster::dir(data_dir);
        if dir.exists() {
            return Err(Error::PasswordsMissing { dir, file: path });
        }
        let made = Self { owner: random(&path)?, server: random(&path)? };
        let text = serde_json::to_string(&made).map_err(|error| Error::file("write", &path)(error.into()))?;
        files::write_private(&path, &text)?;
        Ok(made)
    }
}

impl fmt::Debug for Passwords {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Passwords")
    }
}

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("postgres-passwords.json")
}

/// 192 bits, four to a letter: letters need no quoting anywhere.
fn random(path: &Path) -> Result<String, Error> {
    let mut bytes = [0; 48];
    getrandom::fill(&mut bytes).map_err(|error| Error::file("find randomness for", path)(io::Error::other(error)))?;
    let letters = bytes.iter().map(|byte| char::from(b'a' + byte % 16));
    Ok(letters.collect())
}
