//! Where PostgreSQL's programs are.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::PrivatePostgresError as Error;

/// The oldest major version that the migrations are tested on.
pub(super) const OLDEST: u32 = 15;

/// One installed version of PostgreSQL.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) bin: PathBuf,
    pub(super) major: u32,
}

impl Programs {
    /// The newest that is new enough, or for a cluster that exists the one that
    /// wrote it: no other version reads its files.
    pub(super) fn find(cluster: &Path) -> Result<Self, Error> {
        let mut installed: Vec<Self> = directories().into_iter().filter_map(Self::at).collect();
        installed.sort_by_key(|programs| programs.major);
        let found = if installed.is_empty() {
            return Err(Error::NotInstalled);
        } else if let Some(wanted) = version_of(cluster) {
            let found = join(installed.iter().map(|programs| programs.major));
            installed.into_iter().find(|programs| programs.major == wanted).ok_or(Error::OtherVersion {
                dir: cluster.to_owned(),
                wanted,
                found,
            })?
        } else {
            installed.pop().filter(|programs| programs.major >= OLDEST).ok_or(Error::NotInstalled)?
        };
        Ok(found)
    }

    fn at(bin: PathBuf) -> Option<Self> {
        if !["initdb", "pg_ctl"].iter().all(|program| bin.join(program).is_file()) {
            return None;
        }
        // "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
        let answer = answer_of(Command::new(bin.join("postgres")).arg("--version"))?;
        let version = answer.split(' ').nth(2)?;
        let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
        Some(Self { bin, major: digits.parse().ok()? })
    }
}

/// The directories that may hold the programs.
fn directories() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut directories: Vec<PathBuf> = env::split_paths(&path).collect();
    if let Some(answer) = answer_of(Command::new("pg_config").arg("--bindir")) {
        directories.push(answer.into());
    }
    // Debian keeps each version's programs in a directory that is on no PATH.
    if let Ok(versions) = Path::new("/usr/lib/postgresql").read_dir() {
        directories.extend(versions.flatten().map(|version| version.path().join("bin")));
    }
    directories
}

fn answer_of(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// The major version that a cluster says it is of.
fn version_of(cluster: &Path) -> Option<u32> {
    std::fs::read_to_string(cluster.join("PG_VERSION")).ok()?.trim().parse().ok()
}

fn join(versions: impl Iterator<Item = u32>) -> String {
    versions.map(|version| version.to_string()).collect::<Vec<_>>().join(", ")
}
