//! Who PostgreSQL's programs run as, and how they are called.

use std::env;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::error::PrivatePostgresError as Error;

/// PostgreSQL refuses to run as root. When this process is root, its programs
/// run as the user that the distribution's package made for them, else as
/// nobody; otherwise as the user that this process has.
#[derive(Debug)]
pub(super) struct Runner {
    other_user: Option<User>,
}

#[derive(Debug)]
struct User {
    name: &'static str,
    uid: u32,
    gid: u32,
}

impl Runner {
    pub(super) fn for_this_process() -> Result<Self, Error> {
        let other_user = if is_root()? {
            let user = ["postgres", "nobody"].into_iter().find_map(User::named);
            Some(user.ok_or(Error::NoUser)?)
        } else {
            None
        };
        Ok(Self { other_user })
    }

    /// Checks that the user can reach a directory through all that it lies in.
    pub(super) fn check_can_enter(&self, dir: &Path) -> Result<(), Error> {
        let Some(user) = &self.other_user else {
            return Ok(());
        };
        let mut way: Vec<&Path> = dir.ancestors().collect();
        way.reverse();
        for dir in way {
            let mut test = self.command(Path::new("test"));
            let may = test.arg("-x").arg(dir).status().is_ok_and(|status| status.success());
            if !may {
                return Err(Error::NotReachable { user: user.name.to_owned(), dir: dir.to_owned() });
            }
        }
        Ok(())
    }

    /// Makes the user the owner of a file or directory.
    pub(super) fn give(&self, path: &Path) -> Result<(), Error> {
        let Some(user) = &self.other_user else {
            return Ok(());
        };
        chown(path, Some(user.uid), Some(user.gid)).map_err(Error::file("change the owner of", path))
    }

    /// Whether the user owns a file or directory.
    pub(super) fn owns(&self, path: &Path) -> Result<bool, Error> {
        let uid = match &self.other_user {
            Some(user) => user.uid,
            None => own_uid()?,
        };
        let owner = path.symlink_metadata().map_err(Error::file("look at", path))?.uid();
        Ok(owner == uid)
    }

    /// Runs a program to its end, with something to read.
    pub(super) fn run(&self, name: &'static str, program: &Path, arguments: &[&str], input: &str) -> Result<(), Error> {
        let mut command = self.command(program);
        command.args(arguments);
        let output = output_of(command, input).map_err(Error::file("run", program))?;
        if output.status.success() {
            return Ok(());
        }
        let text = [output.stdout, output.stderr].concat();
        let output = String::from_utf8_lossy(&text).trim().to_owned();
        Err(Error::Program { program: name, output })
    }

    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        // The user may not be able to enter the directory this process is in.
        command.current_dir("/");
        // PGPORT, PGDATA, PGOPTIONS and the like are about other servers.
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("PG") {
                command.env_remove(name);
            }
        }
        if let Some(user) = &self.other_user {
            command.uid(user.uid).gid(user.gid);
        }
        command
    }
}

fn output_of(mut command: Command, input: &str) -> io::Result<Output> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ended before it read all of this says why itself.
        let _ = stdin.write_all(input.as_bytes());
    }
    child.wait_with_output()
}

impl User {
    fn named(name: &'static str) -> Option<Self> {
        Some(Self { name, uid: id(&["-u", name])?, gid: id(&["-g", name])? })
    }
}

/// What the program id answers.
fn id(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(arguments).stderr(Stdio::null()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn own_uid() -> Result<u32, Error> {
    id(&["-u"]).ok_or_else(|| Error::Program { program: "id", output: String::new() })
}

pub(super) fn is_root() -> Result<bool, Error> {
    Ok(own_uid()? == 0)
}
