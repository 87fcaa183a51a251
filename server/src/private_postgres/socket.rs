//! The directory of the socket.

use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use super::error::PrivatePostgresError as Error;
use super::runner::Runner;

/// The socket's name for PostgreSQL's usual port, which `cluster` sets.
const SOCKET: &str = ".s.PGSQL.5432";
/// How long the kernel lets the path of a socket be.
const LONGEST_PATH: usize = 107;

/// A directory that only PostgreSQL's user enters: in the data directory, or
/// elsewhere if the path would be too long for a socket.
pub(super) fn make_dir(data_dir: &Path, runner: &Runner) -> Result<PathBuf, Error> {
    let mut dir = data_dir.join("socket");
    if dir.join(SOCKET).as_os_str().len() > LONGEST_PATH {
        let mut hasher = DefaultHasher::new();
        data_dir.hash(&mut hasher);
        dir = Path::new("/tmp").join(format!("countersign-{:016x}", hasher.finish()));
    }
    match fs::DirBuilder::new().mode(0o700).create(&dir) {
        Ok(()) => runner.give(&dir)?,
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(Error::file("make the directory", &dir)(error)),
    }
    // Anybody can make a directory in /tmp and wait for passwords in it.
    let found = dir.symlink_metadata().map_err(Error::file("look at", &dir))?;
    let mode = found.permissions().mode() & 0o777;
    if !found.is_dir() || mode != 0o700 || !runner.owns(&dir)? {
        return Err(Error::SocketDirNotOurs { dir });
    }
    Ok(dir)
}

/// Where a server notes that the socket is its own.
pub(super) fn lock_path(dir: &Path) -> PathBuf {
    dir.join(format!("{SOCKET}.lock"))
}

/// Whether a server listens there.
pub(super) fn is_open(dir: &Path) -> bool {
    UnixStream::connect(dir.join(SOCKET)).is_ok()
}

/// A path as it may stand in a URL's query.
pub(super) fn percent_encoded(path: &Path) -> String {
    let mut encoded = String::new();
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
