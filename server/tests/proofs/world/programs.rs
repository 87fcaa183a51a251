//! PostgreSQL's own programs.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A dump of the whole database, by the program of the server's own version.
pub fn pg_dump(url: &str, server_version: &str) -> Vec<u8> {
    let major = server_version.split('.').next().unwrap();
    let dump = Command::new(program("pg_dump", major)).args(["--dbname", url]).current_dir("/").output().unwrap();
    assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
    dump.stdout
}

/// On the PATH, or where Debian keeps each version's programs.
fn program(name: &str, major: &str) -> PathBuf {
    let debian = PathBuf::from(format!("/usr/lib/postgresql/{major}/bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([debian])
        .map(|dir| dir.join(name))
        .find(|program| is_of(program, major))
        .unwrap_or_else(|| panic!("there is no {name} of PostgreSQL {major}"))
}

fn is_of(program: &Path, major: &str) -> bool {
    let Ok(answer) = Command::new(program).arg("--version").output() else { return false };
    // "pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
    let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
    answer.split(' ').nth(2).is_some_and(|version| version.split('.').next() == Some(major))
}
