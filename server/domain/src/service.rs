//! Every operation of Countersign, one method each, by noun.
//!
//! A page, an MCP tool, a worker and the command line differ only in how they
//! read input and show output. Each method takes who acts and checks it itself:
//! a transport can forget a check, the method cannot.
//!
//! A change of state is always: transaction, lock the row, read the clock, pure
//! transition, guarded UPDATE, event on the chain, commit, then NOTIFY. Nothing
//! else writes a state.

mod agents;
mod applying;
mod audit;
mod connections;
mod decisions;
mod history;
mod locked;
mod people;
mod proposals;
mod proposing;
mod queue;
mod reads;
mod sessions;
mod unsound;
mod view;

use std::sync::Arc;

use sqlx::PgPool;
use tokio::sync::RwLock;

use crate::connector::executor::Executor;
use crate::vault::Vault;

pub use agents::{AgentSummary, GrantedScope, NewAgent, NewToken};
pub use applying::{AppliedWrite, ApplyReport, Budget, Stop, StopReason};
pub use audit::{AuditFinding, AuditReport};
pub use connections::{ActionInfo, ConnectionInfo, NewConnection, ReadInfo};
pub use decisions::{Ballot, CannotDecide, DecisionVerdict};
pub use history::{HistoryEntry, HistoryFilter, HistoryPage};
pub use people::{NewPerson, Roles, SetupLink};
pub use proposals::{NewProposal, PageKey, ProposalFilter, ProposalPage, ProposalSummary, Proposed};
pub use queue::{Queue, QueueCounts, QueueRow};
pub use reads::ReadReply;
pub use sessions::StoredSession;
pub use view::{AttemptView, EndingView, PersonName, ProposalView, RequirementView, VoteView};

/// The operations, over one database and one way out.
#[derive(Clone)]
pub struct Service {
    pool: PgPool,
    vault: Arc<Vault>,
    executor: Arc<dyn Executor>,
    manifests: Arc<connections::ManifestCache>,
    /// Held for reading by every call to a provider that is under way.
    calls: Arc<RwLock<()>>,
}

impl Service {
    /// Over a pool of the server's role, the opened keys and the way out to providers.
    #[must_use]
    pub fn new(pool: PgPool, vault: Arc<Vault>, executor: Arc<dyn Executor>) -> Self {
        Self { pool, vault, executor, manifests: Arc::default(), calls: Arc::default() }
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// If it does not.
    pub async fn ready(&self) -> crate::error::Result<()> {
        sqlx::query_scalar!("select 1 as \"one!\"").fetch_one(&self.pool).await?;
        Ok(())
    }

    /// Waits until every write that is under way is recorded, also those whose
    /// caller went away: to be awaited before the process ends.
    pub async fn calls_recorded(&self) {
        let _none = self.calls.write().await;
    }
}
