//! Files and directories with the modes they must have.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::error::PrivatePostgresError as Error;
use super::runner::is_root;

/// The data directory, made if it is missing, as an absolute path. Only our own
/// user may look into it. When that is root, PostgreSQL's user must at least be
/// able to pass through.
pub(super) fn make_data_dir(dir: &Path) -> Result<PathBuf, Error> {
    let mode = if is_root()? { 0o711 } else { 0o700 };
    if !dir.is_dir() {
        fs::DirBuilder::new().recursive(true).mode(mode).create(dir).map_err(Error::file("make the directory", dir))?;
    }
    set_mode(dir, mode)?;
    dir.canonicalize().map_err(Error::file("find", dir))
}

pub(super) fn set_mode(path: &Path, mode: u32) -> Result<(), Error> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(Error::file("set the mode of", path))
}

/// Writes a file that only its owner reads, so that after a crash there is the
/// whole file or none.
pub(super) fn write_private(path: &Path, content: &str) -> Result<(), Error> {
    let unfinished = path.with_extension("unfinished");
    let write = || {
        let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
        file.write_all(content.as_bytes())?;
        file.sync_all()?;
        fs::rename(&unfinished, path)?;
        path.parent().map_or(Ok(()), |dir| fs::File::open(dir)?.sync_all())
    };
    write().map_err(Error::file("write", path))
}

pub(super) fn append(path: &Path, content: &str) -> Result<(), Error> {
    fs::OpenOptions::new()
        .append(true)
        .open(path)
        .and_then(|mut file| file.write_all(content.as_bytes()))
        .map_err(Error::file("write", path))
}

pub(super) fn remove_dir_if_there(dir: &Path) -> Result<(), Error> {
    unless_missing(fs::remove_dir_all(dir)).map_err(Error::file("remove", dir))
}

pub(super) fn remove_file_if_there(path: &Path) -> Result<(), Error> {
    unless_missing(fs::remove_file(path)).map_err(Error::file("remove", path))
}

fn unless_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
