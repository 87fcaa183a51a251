//! Verification of the whole history against the records.

use std::collections::BTreeSet;

use serde_json::Value;
use sqlx::PgConnection;

use super::Service;
use super::decisions::statement;
use crate::actor::Operator;
use crate::audit::{ADMINISTRATION, GENESIS, chain_hash};
use crate::canonical::{Limits, canonical_bytes, parse_strict};
use crate::db;
use crate::db::events::EventRow;
use crate::db::records::{self, DecisionRow, ProposalRow};
use crate::error::Result;

/// How many events are read at once.
const BATCH: i64 = 500;

/// What verification found.
#[derive(Debug, Clone, Default)]
pub struct AuditReport {
    /// How many chains were walked.
    pub chains: u64,
    /// How many events were recomputed.
    pub events: u64,
    /// How many rows were recomputed.
    pub records: u64,
    /// How many decision signatures were checked.
    pub signatures: u64,
    /// Everything that does not hold; empty if all is well.
    pub findings: Vec<AuditFinding>,
}

/// One thing that does not hold.
#[derive(Debug, Clone)]
pub struct AuditFinding {
    /// The chain, if it lies in one.
    pub chain: Option<String>,
    /// The event's sequence number.
    pub sequence: Option<i64>,
    /// What is wrong.
    pub message: String,
}

impl Service {
    /// Walks every chain, recomputes every hash, row digest and signature.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn verify_audit(&self, _by: &Operator) -> Result<AuditReport> {
        let mut tx = self.pool.begin().await?;
        // One picture of the whole database: what is written meanwhile is not seen in part.
        sqlx::query!("set transaction isolation level repeatable read, read only").execute(&mut *tx).await?;
        let mut walk = Walk::default();
        for (chain, length, head) in db::events::chains(&mut tx).await? {
            self.walk_chain(&mut tx, &mut walk, &chain, length, &head).await?;
        }
        for (table, rows) in records::counts(&mut tx).await? {
            let named = walk.named.iter().filter(|(of, _)| *of == table).count();
            if i64::try_from(named).ok() != Some(rows) {
                walk.find(None, None, format!("{table} has {rows} rows, and the history names {named}"));
            }
        }
        Ok(walk.report)
    }

    async fn walk_chain(
        &self,
        tx: &mut PgConnection,
        walk: &mut Walk,
        chain: &str,
        length: i64,
        head: &[u8],
    ) -> Result<()> {
        walk.report.chains += 1;
        let (mut sequence, mut prev) = (0, GENESIS);
        loop {
            let events = db::events::of_chain(tx, chain, sequence, BATCH).await?;
            if events.is_empty() {
                break;
            }
            for event in events {
                if event.sequence != sequence + 1 {
                    walk.find(Some(chain), Some(event.sequence), "the events before it are missing");
                }
                if event.prev != prev {
                    walk.find(Some(chain), Some(event.sequence), "it does not follow the event before it");
                }
                if chain_hash(&prev, &event.body).as_bytes().as_slice() != event.hash {
                    walk.find(Some(chain), Some(event.sequence), "its hash is not that of its content");
                }
                self.check_event(tx, walk, &event).await?;
                sequence = event.sequence;
                if let Ok(hash) = event.hash.as_slice().try_into() {
                    prev = hash;
                }
                walk.report.events += 1;
            }
        }
        if (sequence, prev.as_slice()) != (length, head) {
            walk.find(Some(chain), None, format!("it ends at event {sequence}, and its head says {length}"));
        }
        Ok(())
    }

    /// The columns beside an event's body, and every record that it names.
    async fn check_event(&self, tx: &mut PgConnection, walk: &mut Walk, event: &EventRow) -> Result<()> {
        let at = |walk: &mut Walk, message: String| {
            walk.find(Some(&event.chain), Some(event.sequence), message);
        };
        let body = match parse_strict(&event.body, Limits::STORED) {
            Ok(body) if canonical_bytes(&body) == event.body => body,
            _ => {
                at(walk, "its content is not canonical JSON".to_owned());
                return Ok(());
            }
        };
        let connection = if event.chain == ADMINISTRATION { None } else { Some(event.chain.as_str()) };
        let repeated = body["chain"] == event.chain.as_str()
            && body["sequence"] == event.sequence
            && body["at"] == event.at.timestamp_micros()
            && body["kind"] == event.kind.as_str()
            && body["proposal"].as_str() == event.proposal_id.as_deref()
            && connection == event.connection_id.as_deref();
        if !repeated {
            at(walk, "its columns do not say what its content says".to_owned());
        }
        for record in body["records"].as_array().unwrap_or(&Vec::new()) {
            let (Some(table), Some(key)) = (record["table"].as_str(), record["key"].as_str()) else {
                continue;
            };
            walk.report.records += 1;
            match records::stored_digest(tx, table, key).await? {
                None => at(walk, format!("the record {table} {key} is missing")),
                Some(digest) if record["digest"] != Value::String(digest.to_string()) => {
                    at(walk, format!("the record {table} {key} was changed"));
                }
                Some(_) => {}
            }
            if !walk.named.insert((table.to_owned(), key.to_owned())) {
                at(walk, format!("the record {table} {key} is named twice"));
            }
            if table == "proposal"
                && let Some(proposal) = ProposalRow::find(tx, key).await?
                && let Err(fault) = self.sealed_content(tx, &proposal).await?
            {
                at(walk, format!("the content of {key} does not hold: {fault}"));
            }
            if table == "decision" {
                walk.report.signatures += 1;
                let signed = DecisionRow::find(tx, key).await?.is_none_or(|row| {
                    statement(&row)
                        .is_some_and(|said| self.vault.verifies(&row.key_id, &said.signed_bytes(), &row.signature))
                });
                if !signed {
                    at(walk, format!("the decision {key} is not signed by this server"));
                }
            }
        }
        Ok(())
    }
}

/// What a walk over the history has found so far.
#[derive(Default)]
struct Walk {
    report: AuditReport,
    named: BTreeSet<(String, String)>,
}

impl Walk {
    fn find(&mut self, chain: Option<&str>, sequence: Option<i64>, message: impl Into<String>) {
        self.report.findings.push(AuditFinding { chain: chain.map(str::to_owned), sequence, message: message.into() });
    }
}
