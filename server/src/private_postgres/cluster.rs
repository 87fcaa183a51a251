//! The files of the private PostgreSQL: made once, started and stopped often.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::error::PrivatePostgresError as Error;
use super::files;
use super::passwords::{OWNER, Passwords, SERVER};
use super::postmaster;
use super::programs::Programs;
use super::runner::Runner;
use super::socket;

/// The one database.
pub(super) const DATABASE: &str = "countersign";
/// PostgreSQL's own settings file ends by including this one.
const SETTINGS_FILE: &str = "countersign.conf";
/// What the server says before its log is open.
const START_LOG: &str = "start.log";

/// A cluster and what it takes to run it.
#[derive(Debug)]
pub(super) struct Cluster {
    dir: PathBuf,
    programs: Programs,
    runner: Runner,
}

/// Where the cluster of a data directory is.
pub(super) fn dir(data_dir: &Path) -> PathBuf {
    data_dir.join("postgres")
}

impl Cluster {
    /// Uses the cluster in the data directory, or makes it.
    pub(super) fn find_or_make(data_dir: &Path, runner: Runner, passwords: &Passwords) -> Result<Self, Error> {
        let dir = dir(data_dir);
        let programs = Programs::find(&dir)?;
        if dir.exists() {
            return Ok(Self { dir, programs, runner });
        }
        // Made under another name, so that what a crash leaves half made is
        // never taken for a cluster.
        let unfinished = data_dir.join("postgres.unfinished");
        files::remove_dir_if_there(&unfinished)?;
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&unfinished)
            .map_err(Error::file("make the directory", &unfinished))?;
        runner.give(&unfinished)?;
        let made = Self { dir: unfinished, programs, runner };
        made.fill(passwords)?;
        fs::rename(&made.dir, &dir).map_err(Error::file("rename", &made.dir))?;
        Ok(Self { dir, ..made })
    }

    /// All but the settings, which are written anew at each start.
    fn fill(&self, passwords: &Passwords) -> Result<(), Error> {
        self.run(
            "initdb",
            &[
                "--username=postgres",
                "--auth=reject",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--data-checksums",
                "--pgdata",
                &self.dir.to_string_lossy(),
            ],
            "",
        )?;
        let include = format!("include = '{SETTINGS_FILE}'\n");
        files::append(&self.dir.join("postgresql.conf"), &include)?;
        // Nobody but the two roles can connect, not even a superuser.
        let access = format!("local {DATABASE} {OWNER},{SERVER} scram-sha-256\n");
        self.write("pg_hba.conf", &access)?;
        self.make_roles(passwords)
    }

    /// Makes the roles and the database with no server running, in PostgreSQL's
    /// single-user mode: so no superuser ever needs a password.
    fn make_roles(&self, passwords: &Passwords) -> Result<(), Error> {
        let Passwords { owner, server } = passwords;
        self.write(SETTINGS_FILE, LOG_SETTINGS)?;
        let statements = format!(
            "create role {OWNER} login password '{owner}'\n\
             create role {SERVER} login password '{server}'\n\
             create database {DATABASE} owner {OWNER}\n\
             revoke connect, temporary on database {DATABASE} from public\n\
             grant connect on database {DATABASE} to {SERVER}\n"
        );
        let dir = self.dir.to_string_lossy();
        let arguments = ["--single", "-c", "exit_on_error=true", "-D", &dir, "postgres"];
        self.run("postgres", &arguments, &statements)
    }

    /// The directory of its socket, if it runs already.
    pub(super) fn adopt(&self) -> Result<Option<PathBuf>, Error> {
        postmaster::ready_or_gone(&self.dir)
    }

    /// Starts it and returns the directory of its socket.
    pub(super) fn start(&self, data_dir: &Path) -> Result<PathBuf, Error> {
        let socket_dir = socket::make_dir(data_dir, &self.runner)?;
        let quoted = socket_dir.to_string_lossy().replace('\'', "''");
        let settings = format!("{SETTINGS}unix_socket_directories = '{quoted}'\n{LOG_SETTINGS}");
        self.write(SETTINGS_FILE, &settings)?;
        let log = self.write(START_LOG, "")?;
        let arguments = [
            "start",
            "--wait",
            "--timeout=120",
            "--silent",
            "--pgdata",
            &self.dir.to_string_lossy(),
            "--log",
            &log.to_string_lossy(),
        ];
        self.run("pg_ctl", &arguments, "").map_err(|error| match error {
            // pg_ctl itself only says that it did not work.
            Error::Program { program, output } => {
                let why = self.last_words();
                Error::Program { program, output: format!("{output}\n{why}") }
            }
            other => other,
        })?;
        Ok(socket_dir)
    }

    /// The ends of its two logs.
    fn last_words(&self) -> String {
        let changed = |path: &PathBuf| path.metadata().and_then(|file| file.modified()).ok();
        let logs = fs::read_dir(self.dir.join("log")).into_iter().flatten();
        let newest = logs.flatten().map(|log| log.path()).max_by_key(changed);
        let ends = [Some(self.dir.join(START_LOG)), newest].map(|log| {
            let text = log.and_then(|log| fs::read_to_string(log).ok()).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            lines[lines.len().saturating_sub(8)..].join("\n")
        });
        ends.join("\n")
    }

    /// Ends it: connections are cut, what was committed is on disk.
    pub(super) fn stop(&self) -> Result<(), Error> {
        let dir = self.dir.to_string_lossy();
        let arguments = ["stop", "--mode=fast", "--wait", "--timeout=60", "--silent", "--pgdata", &dir];
        match self.run("pg_ctl", &arguments, "") {
            // It may have ended by itself.
            Err(_) if postmaster::Note::read(&self.dir).is_none() => Ok(()),
            result => result,
        }
    }

    fn run(&self, program: &'static str, arguments: &[&str], input: &str) -> Result<(), Error> {
        self.runner.run(program, &self.programs.bin.join(program), arguments, input)
    }

    /// Writes a file that PostgreSQL's user reads and nobody else.
    fn write(&self, name: &str, content: &str) -> Result<PathBuf, Error> {
        let path = self.dir.join(name);
        files::write_private(&path, content)?;
        self.runner.give(&path)?;
        Ok(path)
    }
}

/// What PostgreSQL does by default is to lose nothing, and stays as it is.
const SETTINGS: &str = "\
listen_addresses = ''
port = 5432
unix_socket_permissions = 0700
password_encryption = 'scram-sha-256'
cluster_name = 'countersign'
timezone = 'UTC'
";

/// The log says when the server started, stopped and recovered, never what was
/// asked of it: statements, their parameters and the errors they end in can hold
/// what people and agents wrote. Seven files, one a weekday.
const LOG_SETTINGS: &str = "\
logging_collector = on
log_directory = 'log'
log_filename = 'postgresql-%a.log'
log_rotation_age = '1d'
log_rotation_size = 0
log_truncate_on_rotation = on
log_file_mode = 0600
log_timezone = 'UTC'
log_min_messages = 'log'
log_min_error_statement = 'panic'
log_error_verbosity = 'terse'
log_statement = 'none'
log_min_duration_statement = -1
log_parameter_max_length = 0
log_parameter_max_length_on_error = 0
log_checkpoints = off
";
