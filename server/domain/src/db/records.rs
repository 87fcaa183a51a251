//! The append-only rows. Each can say its digest over all its columns, which
//! goes into the event of its transaction and is recomputed from the stored row
//! by verification.

mod decisions;
mod execution;
mod proposals;
mod rules;

use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};
use sqlx::PgConnection;

pub use decisions::{DecisionRow, EndingRow, VerdictRow};
pub use execution::{AttemptRow, OutcomeRow};
pub use proposals::{ProposalRow, RoundRow};
pub use rules::{ManifestRow, PolicyRow};

use crate::audit::RecordDigest;
use crate::digest::Digest;
use crate::error::Result;
use crate::integrity::row_digest;

/// An append-only row.
pub trait Record: Serialize {
    /// Its table.
    const TABLE: &'static str;

    /// Its key, as events name it.
    fn key(&self) -> String;

    /// The digest of all its columns: bytes as hex, times as microseconds.
    fn record_digest(&self) -> RecordDigest {
        let columns = serde_json::to_value(self).expect("a row has only string keys");
        RecordDigest { table: Self::TABLE, key: self.key(), digest: row_digest(Self::TABLE, &columns) }
    }
}

/// The tables of records, and how many rows each has.
///
/// # Errors
/// If the database cannot be reached.
pub async fn counts(conn: &mut PgConnection) -> Result<Vec<(String, i64)>> {
    Ok(sqlx::query!(
        r#"select 'proposal' as "table!", count(*) as "rows!" from proposal
           union all select 'proposal_round', count(*) from proposal_round
           union all select 'decision', count(*) from decision
           union all select 'attempt', count(*) from attempt
           union all select 'outcome', count(*) from outcome
           union all select 'verdict', count(*) from verdict
           union all select 'ending', count(*) from ending
           union all select 'manifest', count(*) from manifest
           union all select 'policy_version', count(*) from policy_version"#
    )
    .fetch_all(conn)
    .await?
    .into_iter()
    .map(|row| (row.table, row.rows))
    .collect())
}

/// The digest of the row that is stored under this key now, if there is one.
///
/// # Errors
/// If the database cannot be reached.
pub async fn stored_digest(conn: &mut PgConnection, table: &str, key: &str) -> Result<Option<Digest>> {
    fn digest<R: Record>(row: &R) -> Digest {
        row.record_digest().digest
    }
    Ok(match table {
        ProposalRow::TABLE => ProposalRow::find(conn, key).await?.as_ref().map(digest),
        RoundRow::TABLE => RoundRow::find(conn, key).await?.as_ref().map(digest),
        DecisionRow::TABLE => DecisionRow::find(conn, key).await?.as_ref().map(digest),
        AttemptRow::TABLE => AttemptRow::find(conn, key).await?.as_ref().map(digest),
        OutcomeRow::TABLE => OutcomeRow::find(conn, key).await?.as_ref().map(digest),
        VerdictRow::TABLE => VerdictRow::find(conn, key).await?.as_ref().map(digest),
        EndingRow::TABLE => EndingRow::find(conn, key).await?.as_ref().map(digest),
        ManifestRow::TABLE => ManifestRow::find(conn, key).await?.as_ref().map(digest),
        PolicyRow::TABLE => PolicyRow::find(conn, key).await?.as_ref().map(digest),
        _ => None,
    })
}

fn hex<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&crate::audit::hex(bytes))
}

#[expect(clippy::ref_option, reason = "serde hands the field over by reference")]
fn hex_or_null<S: Serializer>(bytes: &Option<Vec<u8>>, to: S) -> Result<S::Ok, S::Error> {
    bytes.as_deref().map(crate::audit::hex).serialize(to)
}

fn micros<S: Serializer>(at: &DateTime<Utc>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_i64(at.timestamp_micros())
}
