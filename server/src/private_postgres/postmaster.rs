//! Whether a PostgreSQL runs on a cluster, seen from outside.
//!
//! Its main process notes itself in `postmaster.pid`. The note alone proves
//! nothing: after a crash it stays behind, and the number in it can by then be
//! another program's, which PostgreSQL takes for a running server and refuses to
//! start. What proves it is that its socket is open, or a process whose current
//! directory is the cluster, as it is of each of PostgreSQL's.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::error::PrivatePostgresError as Error;
use super::{files, socket};

/// Recovery after a crash reads all that was written since the last checkpoint.
const PATIENCE: Duration = Duration::from_mins(2);
const PAUSE: Duration = Duration::from_millis(50);

/// If one runs or is ending: waits until it is ready, and returns the directory
/// of its socket, or until it has ended.
pub(super) fn ready_or_gone(cluster: &Path) -> Result<Option<PathBuf>, Error> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let note = Note::read(cluster);
        let open = note.as_ref().and_then(Note::open_socket_dir);
        match (note, open) {
            (Some(Note { ready: true, .. }), Some(dir)) => return Ok(Some(dir)),
            // Without the main process the others end by themselves.
            (note, None) if !has_processes(cluster) => {
                if let Some(note) = note {
                    note.remove_if_misleading(cluster)?;
                }
                return Ok(None);
            }
            _ => sleep(PAUSE),
        }
    }
    Err(Error::TimedOut { dir: cluster.to_owned(), seconds: PATIENCE.as_secs() })
}

/// What `postmaster.pid` says: one fact a line, more lines as it starts up.
pub(super) struct Note {
    pub(super) pid: String,
    socket_dir: Option<PathBuf>,
    ready: bool,
}

impl Note {
    pub(super) fn read(cluster: &Path) -> Option<Self> {
        let text = fs::read_to_string(note_path(cluster)).ok()?;
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        Some(Self {
            pid: (*lines.first()?).to_owned(),
            socket_dir: lines.get(4).filter(|dir| !dir.is_empty()).map(PathBuf::from),
            ready: lines.get(7) == Some(&"ready"),
        })
    }

    /// Removes it, and its like beside the socket, if the number in it is in use.
    fn remove_if_misleading(&self, cluster: &Path) -> Result<(), Error> {
        if !Path::new("/proc").join(&self.pid).exists() {
            return Ok(());
        }
        if let Some(dir) = &self.socket_dir {
            files::remove_file_if_there(&socket::lock_path(dir))?;
        }
        files::remove_file_if_there(&note_path(cluster))
    }

    /// The directory of its socket, if something listens there.
    fn open_socket_dir(&self) -> Option<PathBuf> {
        self.socket_dir.clone().filter(|dir| socket::is_open(dir))
    }
}

fn note_path(cluster: &Path) -> PathBuf {
    cluster.join("postmaster.pid")
}

/// Whether the current directory of any process is the cluster.
fn has_processes(cluster: &Path) -> bool {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .any(|process| fs::read_link(process.path().join("cwd")).is_ok_and(|dir| dir == cluster))
}
