//! Time in a test's own database.

use chrono::{DateTime, TimeDelta, Utc};

use super::World;

impl World {
    /// What the database's clock says.
    pub async fn now(&self) -> DateTime<Utc> {
        domain::db::now(&mut self.owner.acquire().await.unwrap()).await.unwrap()
    }

    /// Stops the clock at this instant.
    pub async fn stop_clock(&self, at: DateTime<Utc>) {
        self.read_clock(&format!("timestamptz ''{}''", at.to_rfc3339())).await;
    }

    /// Lets the clock run ahead by so much.
    pub async fn move_clock(&self, by: TimeDelta) {
        self.read_clock(&format!("clock_timestamp() + interval ''{} microseconds''", by.num_microseconds().unwrap()))
            .await;
    }

    async fn read_clock(&self, reading: &str) {
        self.arrange(&format!(
            "create or replace function app_now() returns timestamptz
             language sql volatile parallel unsafe as 'select {reading}'"
        ))
        .await;
    }
}
