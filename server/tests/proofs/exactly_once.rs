//! Forty agents, reviewers in browsers, and several appliers on two servers at
//! once: each write arrives exactly once, in order.

use domain::actor::Operator;
use domain::service::{NewPerson, Roles};
use futures::future::join_all;
use serde_json::{Value, json};
use server::sandbox::Fault;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::world::{Browser, McpClient, Server, World};

const AGENTS: usize = 40;
const OWNERS: usize = 8;
const APPLIERS: usize = 6;
const PASSWORD: &str = "correct horse battery";

/// One database, two servers over it.
struct Stage {
    world: World,
    servers: [Server; 2],
}

#[sqlx::test(migrations = "../migrations")]
async fn every_write_arrives_once_and_in_order(_: PgPoolOptions, connect: PgConnectOptions) {
    let stage = Stage::new(connect).await;
    let proposed = stage.propose_all_at_once().await;
    stage.approve_all_at_once(&proposed).await;
    let rounds = stage.apply_until_done().await;
    stage.assert_each_arrived_once_in_order().await;
    assert!(rounds.iter().sum::<usize>() > APPLIERS, "the appliers never met: {rounds:?}");
}

#[sqlx::test(migrations = "../migrations")]
async fn every_write_arrives_once_also_when_some_calls_are_slow(_: PgPoolOptions, connect: PgConnectOptions) {
    let stage = Stage::new(connect).await;
    let proposed = stage.propose_all_at_once().await;
    stage.approve_all_at_once(&proposed).await;
    for ms in [300, 0, 0, 0, 500, 0, 0, 200] {
        stage.world.provider.enqueue_fault(Fault::Delay(ms));
        stage.world.provider.enqueue_fault(Fault::DelayAfterCommit(ms / 2));
    }
    stage.apply_until_done().await;
    stage.assert_each_arrived_once_in_order().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn appliers_do_not_wait_for_approvals_that_come_meanwhile(_: PgPoolOptions, connect: PgConnectOptions) {
    let stage = Stage::new(connect).await;
    let proposed = stage.propose_all_at_once().await;
    tokio::join!(stage.approve_all_at_once(&proposed), stage.apply_until_done());
    stage.assert_each_arrived_once_in_order().await;
}

impl Stage {
    async fn new(connect: PgConnectOptions) -> Self {
        let servers = [Server::start(&connect), Server::start(&connect)];
        Self { world: World::with(connect, |_| {}).await, servers }
    }

    fn server(&self, number: usize) -> &Server {
        &self.servers[number % self.servers.len()]
    }

    /// Each of forty agents proposes one contact; nobody waits for another.
    async fn propose_all_at_once(&self) -> Vec<Value> {
        let mut owners = Vec::new();
        for number in 0..OWNERS {
            owners.push(self.world.add_owner(number).await);
        }
        let mut agents = Vec::new();
        for number in 0..AGENTS {
            let owner = &owners[number % OWNERS];
            let token = self.world.agent_token(&format!("agent{number}"), owner, "crm").await;
            agents.push(McpClient::new(self.server(number), &token));
        }
        let proposals = agents.iter().enumerate().map(|(number, agent)| {
            let name = format!("contact{number}");
            let input = json!({ "name": name, "email": format!("{name}@example.com") });
            agent.call("crm_propose", json!({ "action": "create_contact", "input": input }))
        });
        let proposed = join_all(proposals).await;
        for proposal in &proposed {
            assert_eq!(proposal["state"], "pending", "{proposal}");
        }
        let mut sequence: Vec<u64> = proposed.iter().map(|reply| reply["sequence"].as_u64().unwrap()).collect();
        sequence.sort_unstable();
        assert_eq!(sequence, (1..=AGENTS as u64).collect::<Vec<_>>());
        proposed
    }

    /// Two reviewers share the work, each in a browser at another server.
    async fn approve_all_at_once(&self, proposed: &[Value]) {
        let mut browsers = Vec::new();
        for (number, server) in self.servers.iter().enumerate() {
            let login = format!("reviewer{number}");
            self.add_reviewer(&login).await;
            browsers.push(Browser::signed_in(server, &login, PASSWORD).await);
        }
        let approvals = proposed.iter().enumerate().map(|(number, proposal)| {
            let path = format!("/proposals/{}/decision", proposal["proposal_id"].as_str().unwrap());
            let digest = proposal["binding_digest"].as_str().unwrap();
            let browser = &browsers[number % browsers.len()];
            async move { browser.post(&path, &[("verdict", "approve"), ("binding_digest", digest)]).await }
        });
        assert_eq!(join_all(approvals).await, [303; AGENTS]);
    }

    /// Several agents apply through both servers, again and again, until each is
    /// told that nothing is left. Returns how often each one asked.
    async fn apply_until_done(&self) -> Vec<usize> {
        let mut appliers = Vec::new();
        for number in 0..APPLIERS {
            let token = self.world.agent_token(&format!("applier{number}"), "olaf", "crm").await;
            appliers.push(McpClient::new(self.server(number), &token));
        }
        join_all(appliers.iter().map(apply_until_done)).await
    }

    async fn assert_each_arrived_once_in_order(&self) {
        let world = &self.world;
        let order =
            world.list("select agent.name from proposal join agent on agent.id = agent_id order by sequence").await;
        let expected: Vec<String> = order.iter().map(|agent| agent.replace("agent", "contact")).collect();
        assert_eq!(expected.len(), AGENTS);
        assert_eq!(world.created(), expected);
        assert_eq!(world.provider.contact_count(), AGENTS);
        let outcomes = "select count(*) || ' ' || string_agg(distinct source || ' ' || class, ',') from outcome";
        assert_eq!(world.ask(outcomes).await, format!("{AGENTS} reply applied"));
        let states = "select string_agg(distinct decision || ' ' || execution, ',') from proposal_state";
        assert_eq!(world.ask(states).await, "approved applied");
        world.assert_verifies().await;
    }

    async fn add_reviewer(&self, login: &str) {
        let roles = Roles { reviewer: true, ..Roles::default() };
        let new = NewPerson { login: login.to_owned(), name: login.to_owned(), password: PASSWORD.to_owned() };
        self.world.service.add_person(&Operator, new, roles).await.unwrap();
    }
}

async fn apply_until_done(applier: &McpClient) -> usize {
    for round in 1..2_000 {
        let reply = applier.call("crm_apply", json!({})).await;
        match reply["state"].as_str().unwrap() {
            "done" => return round,
            "busy" | "budget" | "waits_for_person" => tokio::time::sleep(std::time::Duration::from_millis(25)).await,
            other => panic!("{other}: {reply}"),
        }
    }
    panic!("it never ended");
}
