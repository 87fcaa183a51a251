//! Why the private PostgreSQL cannot be had.

use std::path::{Path, PathBuf};

/// Each text says what to do next.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the texts say what the variants and their fields are")]
pub enum PrivatePostgresError {
    #[error(
        "no PostgreSQL server is installed (looked on PATH, asked pg_config, and in \
         /usr/lib/postgresql); install version {} or newer (on Debian: apt install postgresql), \
         or name a database in COUNTERSIGN_DATABASE_URL",
        super::programs::OLDEST
    )]
    NotInstalled,

    #[error(
        "the data in {dir} was written by PostgreSQL {wanted}, and only {found} is installed; \
         install PostgreSQL {wanted}, or convert the data with pg_upgrade"
    )]
    OtherVersion { dir: PathBuf, wanted: u32, found: String },

    #[error(
        "PostgreSQL does not run as root, and there is neither a user postgres nor nobody to run \
         it as; make one, or start Countersign as another user"
    )]
    NoUser,

    #[error(
        "PostgreSQL does not run as root, and the user {user} may not enter {dir}; allow it with \
         chmod o+x, or name a data directory elsewhere in COUNTERSIGN_DATA_DIR"
    )]
    NotReachable { user: String, dir: PathBuf },

    #[error(
        "{dir} holds a database but {file}, which has its passwords, is missing; put that file \
         back from a backup"
    )]
    PasswordsMissing { dir: PathBuf, file: PathBuf },

    #[error("{dir} is not a directory of our own with mode 0700; remove it and start again")]
    SocketDirNotOurs { dir: PathBuf },

    #[error("PostgreSQL's {program} failed: {output}")]
    Program { program: &'static str, output: String },

    #[error(
        "PostgreSQL in {dir} neither became ready nor ended within {seconds} s; look in its log \
         in the directory log there"
    )]
    TimedOut { dir: PathBuf, seconds: u64 },

    #[error("could not {doing} {path}; see that its file system has room and may be written")]
    File { doing: &'static str, path: PathBuf, source: std::io::Error },

    #[error("the process is shutting down")]
    ShuttingDown,
}

impl PrivatePostgresError {
    /// For `map_err` on what the file system answers.
    pub(super) fn file(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { doing, path, source }
    }
}
