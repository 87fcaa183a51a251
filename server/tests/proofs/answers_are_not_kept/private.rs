//! A PostgreSQL as the product runs it by itself, whose log can be read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use server::private_postgres::PrivatePostgres;

/// A running PostgreSQL in a directory that is gone afterwards.
pub struct Private {
    postgres: Option<PrivatePostgres>,
    dir: Dir,
}

impl Private {
    /// Started and migrated.
    pub async fn start() -> Self {
        let dir = Dir(std::env::temp_dir().join(format!("countersign-proofs-{}", std::process::id())));
        let postgres = PrivatePostgres::start(&dir.0).await.unwrap();
        domain::db::migrate(&postgres.owner_url()).await.unwrap();
        Self { postgres: Some(postgres), dir }
    }

    pub fn owner_url(&self) -> String {
        self.postgres.as_ref().unwrap().owner_url()
    }

    pub fn server_url(&self) -> String {
        self.postgres.as_ref().unwrap().server_url()
    }

    /// Everything that PostgreSQL itself wrote.
    pub fn log(&self) -> Vec<u8> {
        let cluster = self.dir.0.join("postgres");
        let logs = fs::read_dir(cluster.join("log")).unwrap().map(|log| log.unwrap().path());
        logs.chain([cluster.join("start.log")]).flat_map(|log| fs::read(log).unwrap()).collect()
    }

    pub async fn stop(mut self) {
        self.postgres.take().unwrap().stop().await.unwrap();
    }
}

struct Dir(PathBuf);

impl Drop for Dir {
    fn drop(&mut self) {
        // A test that failed has not stopped it.
        if let Some(pid) = running(&self.0) {
            let _ended = Command::new("kill").args(["-QUIT", &pid]).status();
        }
        let _removed = fs::remove_dir_all(&self.0);
    }
}

fn running(dir: &Path) -> Option<String> {
    let note = fs::read_to_string(dir.join("postgres/postmaster.pid")).ok()?;
    note.lines().next().map(str::to_owned)
}
