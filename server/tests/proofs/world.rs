//! One database, one provider on a port of its own, and whoever acts.
//!
//! The server works as its own database role; the owner's connection is for what
//! only time, or somebody with the database in their hands, would bring.

mod clock;
mod desk;
mod executors;
mod marker;
mod programs;
mod servers;
mod sql;
mod tasks;

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::DateTime;
use domain::actor::{Actor, Agent, Operator, SignedIn};
use domain::connector::executor::{Executor, HttpExecutor};
use domain::digest::Digest;
use domain::error::Result;
use domain::ids::{ConnectionId, GroupId, PersonId};
use domain::policy::Approval;
use domain::proposal::{OnFailure, Phase};
use domain::service::{
    Ballot, DecisionVerdict, GrantedScope, HistoryFilter, NewAgent, NewConnection, ProposalSummary, Service,
    StoredSession,
};
use domain::vault::{MasterKey, Vault};
use server::sandbox::SandboxState;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Executor as _, PgPool};
use tokio::net::TcpListener;

pub use desk::{Desk, contact, names};
pub use executors::{Held, Never};
pub use marker::Marker;
pub use programs::pg_dump;
pub use servers::{Browser, McpClient, Server};
pub use tasks::Task;

/// The provider's token.
pub const CREDENTIAL: &str = "token-of-the-sandbox";
/// The master key of every test's database.
const MASTER_KEY: [u8; 32] = [7; 32];

/// One database and one provider. Rita and Raul review; Olaf owns the agent and
/// reviews too; Aude is an auditor. `crm` is the desk of Olaf's agent.
pub struct World {
    /// As the owner of the tables.
    pub owner: PgPool,
    /// As the server.
    pub pool: PgPool,
    pub service: Service,
    pub provider: SandboxState,
    pub rita: SignedIn,
    pub raul: SignedIn,
    pub olaf: SignedIn,
    pub aude: SignedIn,
    pub crm: Desk,
    provider_url: String,
    _provider: Task,
}

impl World {
    /// With a connection on which one reviewer decides.
    pub async fn new(_: PgPoolOptions, connect: PgConnectOptions) -> Self {
        Self::with(connect, |_| {}).await
    }

    /// With a connection that is changed before it is made.
    pub async fn with(connect: PgConnectOptions, change: impl FnOnce(&mut NewConnection)) -> Self {
        let owner = PgPoolOptions::new().max_connections(2).connect_with(connect.clone()).await.unwrap();
        Self::over(owner, server_pool(connect, 12).await, change).await
    }

    /// Over a database that is migrated and empty.
    pub async fn over(owner: PgPool, pool: PgPool, change: impl FnOnce(&mut NewConnection)) -> Self {
        let provider = SandboxState::new(CREDENTIAL);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let provider_url = format!("http://{}", listener.local_addr().unwrap());
        let task = Task::spawn(server::sandbox::serve(listener, provider.clone()));
        let service = service_over(&pool, Arc::new(HttpExecutor::new())).await;

        let mut new = connection("crm", &provider_url);
        change(&mut new);
        service.add_connection(&Operator, new).await.unwrap();
        for (number, login) in ["rita", "raul", "olaf", "aude"].into_iter().enumerate() {
            add_person(&owner, number, login, login != "aude").await;
        }
        let [rita, raul, olaf, aude] = [0, 1, 2, 3].map(person_id);
        Self {
            rita: sign_in(&service, rita).await,
            raul: sign_in(&service, raul).await,
            olaf: sign_in(&service, olaf).await,
            aude: sign_in(&service, aude).await,
            crm: Desk::new(&service, "crm", add_agent(&service, "scribe", "olaf", "crm").await.1),
            owner,
            pool,
            service,
            provider,
            provider_url,
            _provider: task,
        }
    }

    /// Another connection to the same provider, with an agent of Olaf's.
    pub async fn desk(&self, name: &str, change: impl FnOnce(&mut NewConnection)) -> Desk {
        let mut new = connection(name, &self.provider_url);
        change(&mut new);
        self.service.add_connection(&Operator, new).await.unwrap();
        let agent = self.agent(&format!("scribe_of_{name}"), "olaf", name).await;
        Desk::new(&self.service, name, agent)
    }

    /// Another agent with every scope at one connection.
    pub async fn agent(&self, name: &str, owner: &str, connection: &str) -> Agent {
        add_agent(&self.service, name, owner, connection).await.1
    }

    /// The same with the secret of its token.
    pub async fn agent_token(&self, name: &str, owner: &str, connection: &str) -> String {
        add_agent(&self.service, name, owner, connection).await.0
    }

    /// Another service over the same database, with another way out.
    pub async fn service_with(&self, executor: impl Executor) -> Service {
        service_over(&self.pool, Arc::new(executor)).await
    }

    /// Somebody who owns agents and reviews nothing.
    pub async fn add_owner(&self, number: usize) -> String {
        let login = format!("owner{number}");
        add_person(&self.owner, 10 + number, &login, false).await;
        login
    }

    /// The keys that the server has.
    pub async fn vault(&self) -> Vault {
        open_vault(&self.pool).await
    }

    pub async fn decide(&self, by: &SignedIn, of: &ProposalSummary, verdict: DecisionVerdict) -> Result<Phase> {
        let ballot = Ballot { verdict, binding_digest: of.binding_digest, comment: None };
        self.service.decide(by, &of.id, ballot).await
    }

    /// Rita approves.
    pub async fn approve(&self, of: &ProposalSummary) -> Phase {
        self.decide(&self.rita, of, DecisionVerdict::Approve).await.unwrap()
    }

    /// Proposed to `crm`, and approved by Rita.
    pub async fn approved(&self, name: &str) -> ProposalSummary {
        let proposal = self.crm.propose(name).await;
        self.approve(&proposal).await;
        proposal
    }

    /// Taken back by its agent.
    pub async fn withdraw(&self, desk: &Desk, of: &ProposalSummary) -> Result<Phase> {
        self.service.withdraw(Actor::Agent(&desk.agent), &of.id, Some("Not wanted any more")).await
    }

    /// The names of the contacts that the provider was asked to create, in order.
    pub fn created(&self) -> Vec<String> {
        names(&self.provider)
    }

    /// What the history says of a proposal, oldest first.
    pub async fn history(&self, of: &ProposalSummary) -> Vec<String> {
        let filter = HistoryFilter { proposal: Some(of.id.clone()), ..HistoryFilter::default() };
        let page = self.service.history(&self.aude, &filter).await.unwrap();
        page.entries.into_iter().rev().map(|entry| entry.kind).collect()
    }

    /// What verification finds, each with its place where it has one.
    pub async fn findings(&self) -> Vec<String> {
        let report = self.service.verify_audit(&Operator).await.unwrap();
        report
            .findings
            .into_iter()
            .map(|finding| match finding.sequence {
                Some(sequence) => format!("event {sequence}: {}", finding.message),
                None => finding.message,
            })
            .collect()
    }

    /// Nothing is wrong with the history.
    pub async fn assert_verifies(&self) {
        assert_eq!(self.findings().await, [""; 0]);
    }
}

/// A pool of the server's role.
pub async fn server_pool(connect: PgConnectOptions, connections: u32) -> PgPool {
    PgPoolOptions::new()
        .max_connections(connections)
        .after_connect(|conn, _| {
            Box::pin(async move {
                conn.execute("set role countersign_server").await?;
                Ok(())
            })
        })
        .connect_with(connect)
        .await
        .unwrap()
}

/// The operations over a pool.
pub async fn service_over(pool: &PgPool, executor: Arc<dyn Executor>) -> Service {
    Service::new(pool.clone(), Arc::new(open_vault(pool).await), executor)
}

async fn open_vault(pool: &PgPool) -> Vault {
    Vault::open(pool, &MasterKey::from_bytes(MASTER_KEY)).await.unwrap()
}

fn connection(name: &str, provider_url: &str) -> NewConnection {
    let (file, text) = domain::connector::shipped::manifest("sandbox").unwrap();
    NewConnection {
        name: name.to_owned(),
        manifest: (text.to_owned(), file.to_owned()),
        base_url: provider_url.to_owned(),
        credential: Some(CREDENTIAL.to_owned()),
        allowed_host: Some("127.0.0.1".to_owned()),
        lane_order: "connection".to_owned(),
        on_failure: OnFailure::Stop,
        approval: Approval::Person,
        action_approval: BTreeMap::new(),
        four_eyes: false,
        approve_within: None,
        apply_within: None,
    }
}

async fn add_agent(service: &Service, name: &str, owner: &str, connection: &str) -> (String, Agent) {
    let scope = GrantedScope { connection: connection.to_owned(), read: true, propose: true, apply: true };
    let new = NewAgent { name: name.to_owned(), owner_login: owner.to_owned(), scopes: vec![scope], expires_at: None };
    let token = service.add_agent(&Operator, new).await.unwrap();
    let agent = service.agent_by_token(&token.secret).await.unwrap().unwrap();
    (token.secret, agent)
}

fn person_id(number: usize) -> PersonId {
    PersonId::from_random([u8::try_from(number).unwrap() + 1; 16])
}

/// Somebody who never signs in with a password: hashing one takes longer than
/// most tests.
async fn add_person(owner: &PgPool, number: usize, login: &str, reviews: bool) {
    let id = person_id(number);
    let is_auditor = login == "aude";
    let membership = if reviews {
        format!(
            "insert into group_member (group_id, person_id, added_at)
             select id, '{id}', now() from reviewer_group where name = 'Reviewers';"
        )
    } else {
        String::new()
    };
    let sql = format!(
        "insert into person (id, login, name, password_hash, is_auditor, created_at)
         values ('{id}', '{login}', '{login}', '!', {is_auditor}, now()); {membership}"
    );
    owner.execute(sqlx::AssertSqlSafe(sql)).await.unwrap();
}

async fn sign_in(service: &Service, person: PersonId) -> SignedIn {
    let id = *Digest::of(person.as_str().as_bytes()).as_bytes();
    let session = StoredSession {
        id,
        person: Some(person),
        data: b"{}".to_vec(),
        expires_at: DateTime::from_timestamp(4_000_000_000, 0).unwrap(),
    };
    assert!(service.create_session(&session).await.unwrap());
    service.signed_in(&id).await.unwrap().unwrap()
}

/// The id of a connection.
pub async fn connection_id(world: &World, name: &str) -> ConnectionId {
    world.ask(&format!("select id from connection where name = '{name}'")).await.parse().unwrap()
}

/// The group that reviews.
pub async fn reviewers(world: &World) -> GroupId {
    world.ask("select id from reviewer_group where name = 'Reviewers'").await.parse().unwrap()
}
