//! The database in somebody's hands.

use domain::policy::Policy;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Executor as _, Row as _};

use super::{World, connection_id};

impl World {
    /// Does as only the owner can.
    pub async fn arrange(&self, sql: &str) {
        self.owner.execute(AssertSqlSafe(sql.to_owned())).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// Does as only the owner can, with all triggers of this table off: those
    /// that keep records as they are, and those that keep references whole.
    pub async fn tamper(&self, table: &str, sql: &str) {
        self.arrange(&format!(
            "begin; alter table {table} disable trigger all; {sql}; alter table {table} enable trigger all; commit"
        ))
        .await;
    }

    /// One value as text.
    pub async fn ask(&self, sql: &str) -> String {
        let row: PgRow = self.owner.fetch_one(AssertSqlSafe(sql.to_owned())).await.unwrap();
        row.try_get(0).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// A column of texts.
    pub async fn list(&self, sql: &str) -> Vec<String> {
        let rows = self.owner.fetch_all(AssertSqlSafe(sql.to_owned())).await.unwrap();
        rows.iter().map(|row| row.try_get(0).unwrap()).collect()
    }

    /// Puts a newer version of a connection's policy in force.
    pub async fn change_policy(&self, connection: &str, change: impl FnOnce(&mut Policy)) {
        let id = connection_id(self, connection).await;
        let newest = format!("from policy_version where connection_id = '{id}' order by version desc limit 1");
        let body = self.ask(&format!("select convert_from(body, 'UTF8') {newest}")).await;
        let mut policy: Policy = serde_json::from_str(&body).unwrap();
        change(&mut policy);
        let body = domain::audit::hex(&policy.canonical());
        let digest = policy.digest();
        self.arrange(&format!(
            "insert into policy_version (id, connection_id, version, body, policy_digest, created_at)
             select 'pol_' || version + 1, '{id}', version + 1, '\\x{body}', '\\x{digest}', app_now() {newest}"
        ))
        .await;
    }
}
