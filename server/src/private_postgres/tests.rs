//! Each test starts a real PostgreSQL in a directory of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sqlx::{Connection as _, Executor as _, PgConnection};

use super::{PrivatePostgres, PrivatePostgresError, cluster, postmaster, runner};

/// A data directory that is removed in the end, however the test ends.
struct DataDir(PathBuf);

impl DataDir {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("countersign-{}-{name}", std::process::id()));
        Self(dir)
    }

    async fn start(&self) -> PrivatePostgres {
        PrivatePostgres::start(&self.0).await.unwrap()
    }

    fn cluster(&self) -> PathBuf {
        cluster::dir(&self.0.canonicalize().unwrap())
    }

    fn pid(&self) -> String {
        postmaster::Note::read(&self.cluster()).unwrap().pid
    }

    fn runs(&self) -> bool {
        postmaster::Note::read(&self.cluster()).is_some()
    }
}

impl Drop for DataDir {
    fn drop(&mut self) {
        if let Some(note) = postmaster::Note::read(&cluster::dir(&self.0)) {
            kill("-KILL", &note.pid);
        }
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn kill(signal: &str, pid: &str) {
    assert!(Command::new("kill").args([signal, pid]).status().unwrap().success());
}

async fn owner(postgres: &PrivatePostgres) -> PgConnection {
    PgConnection::connect(&postgres.owner_url()).await.unwrap()
}

async fn make_note(postgres: &PrivatePostgres) {
    let mut owner = owner(postgres).await;
    owner.execute("create table note (words text)").await.unwrap();
    owner.execute("insert into note values ('kept')").await.unwrap();
}

async fn count_notes(postgres: &PrivatePostgres) -> u64 {
    owner(postgres).await.execute("select * from note").await.unwrap().rows_affected()
}

#[tokio::test]
async fn a_killed_postgres_loses_nothing() {
    let data = DataDir::new("killed");
    let postgres = data.start().await;
    make_note(&postgres).await;
    kill("-KILL", &data.pid());
    drop(postgres);

    let postgres = data.start().await;
    assert_eq!(count_notes(&postgres).await, 1);
    postgres.stop().await.unwrap();
    assert!(!data.runs());
}

#[tokio::test]
async fn what_a_killed_server_left_running_is_adopted() {
    let data = DataDir::new("adopted");
    let postgres = data.start().await;
    let pid = data.pid();
    drop(postgres);

    let postgres = data.start().await;
    assert_eq!(data.pid(), pid);
    postgres.stop().await.unwrap();
    assert!(!data.runs());
}

#[tokio::test]
async fn the_last_to_stop_it_stops_it() {
    let data = DataDir::new("shared");
    let (server, command) = tokio::join!(data.start(), data.start());
    server.stop().await.unwrap();
    make_note(&command).await;
    command.stop().await.unwrap();
    assert!(!data.runs());
}

#[tokio::test]
async fn a_number_that_now_is_another_programs_does_not_stop_it() {
    let data = DataDir::new("number");
    let postgres = data.start().await;
    let socket_dir = postgres.socket_dir.clone();
    postgres.stop().await.unwrap();
    // A program of the same user as PostgreSQL, which it would take for itself.
    let user = runner::Runner::for_this_process().unwrap();
    let mut other = user.command(Path::new("sleep")).arg("60").spawn().unwrap();
    let note = format!("{}\n{}\n1\n5432\n{}\n", other.id(), data.cluster().display(), socket_dir.display());
    fs::write(data.cluster().join("postmaster.pid"), &note).unwrap();
    fs::write(super::socket::lock_path(&socket_dir), &note).unwrap();

    data.start().await.stop().await.unwrap();
    other.kill().unwrap();
    other.wait().unwrap();
}

#[tokio::test]
async fn a_path_too_long_for_a_socket_is_no_hindrance() {
    let data = DataDir::new(&"long".repeat(25));
    let postgres = data.start().await;
    make_note(&postgres).await;
    let socket_dir = postgres.socket_dir.clone();
    postgres.stop().await.unwrap();
    fs::remove_dir(socket_dir).unwrap();
}

#[tokio::test]
async fn only_the_two_roles_connect_and_only_the_owner_makes_tables() {
    let data = DataDir::new("roles");
    let postgres = data.start().await;
    make_note(&postgres).await;

    let mut server = PgConnection::connect(&postgres.server_url()).await.unwrap();
    server.execute("create table mine ()").await.unwrap_err();
    server.execute("select * from note").await.unwrap_err();
    let superuser = postgres.owner_url().replace("countersign_owner", "postgres");
    PgConnection::connect(&superuser).await.unwrap_err();
    let wrong_password = postgres.owner_url().replace(&postgres.passwords.owner, "guess");
    PgConnection::connect(&wrong_password).await.unwrap_err();
    postgres.stop().await.unwrap();
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the table is this test's own")]
async fn the_log_holds_no_values() {
    let data = DataDir::new("log");
    let postgres = data.start().await;
    let mut owner = owner(&postgres).await;
    owner.execute("create table note (words text primary key, number int)").await.unwrap();
    let insert = "insert into note values ($1, 1)";
    sqlx::query(insert).bind("a secret").execute(&mut owner).await.unwrap();
    sqlx::query(insert).bind("a secret").execute(&mut owner).await.unwrap_err();
    owner.execute("insert into note values ('x', 'a secret')").await.unwrap_err();
    owner.execute("do $$ begin raise warning 'a secret'; end $$").await.unwrap();
    drop(owner);
    postgres.stop().await.unwrap();

    let log_dir = data.cluster().join("log");
    let logs = fs::read_dir(log_dir).unwrap().map(|log| log.unwrap().path());
    let mut text: Vec<String> = logs.map(|log| fs::read_to_string(log).unwrap()).collect();
    text.push(fs::read_to_string(data.cluster().join("start.log")).unwrap());
    let text = text.concat();
    assert!(text.contains("database system is ready"), "{text}");
    assert!(!text.contains("secret"), "{text}");
}

#[tokio::test]
async fn a_cluster_of_another_version_is_left_alone() {
    let data = DataDir::new("version");
    let cluster = data.0.join("postgres");
    fs::create_dir_all(&cluster).unwrap();
    fs::write(cluster.join("PG_VERSION"), "9\n").unwrap();
    fs::write(data.0.join("postgres-passwords.json"), r#"{"owner":"a","server":"b"}"#).unwrap();
    let error = PrivatePostgres::start(&data.0).await.unwrap_err();
    assert!(matches!(error, PrivatePostgresError::OtherVersion { wanted: 9, .. }), "{error}");
}

#[tokio::test]
async fn a_cluster_without_its_passwords_is_left_alone() {
    let data = DataDir::new("passwords");
    fs::create_dir_all(data.0.join("postgres")).unwrap();
    let error = PrivatePostgres::start(&data.0).await.unwrap_err();
    assert!(matches!(error, PrivatePostgresError::PasswordsMissing { .. }), "{error}");
}

#[tokio::test]
async fn for_root_a_directory_that_others_may_not_enter_is_named() {
    if !runner::is_root().unwrap() {
        return;
    }
    let home = DataDir::new("home");
    fs::create_dir(&home.0).unwrap();
    super::files::set_mode(&home.0, 0o700).unwrap();
    let error = PrivatePostgres::start(&home.0.join("data")).await.unwrap_err();
    assert!(matches!(&error, PrivatePostgresError::NotReachable { dir, .. } if *dir == home.0), "{error}");
}
