//! Order: one sequence for a connection, for each agent, or for each entity.

use domain::proposal::OnFailure;
use domain::service::{NewProposal, ProposalSummary, StopReason};
use serde_json::json;
use server::sandbox::Fault;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::world::{Desk, World, contact};

#[sqlx::test(migrations = "../migrations")]
async fn one_lane_waits_for_whatever_is_first(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let other = world.crm.of(&world.agent("other", "olaf", "crm").await);
    let first = world.crm.propose("ada").await;
    let second = other.propose("grace").await;
    world.approve(&second).await;
    let report = other.apply().await;
    assert_eq!((report.writes.len(), report.stopped.reason), (0, StopReason::WaitsForPerson));
    assert_eq!(report.stopped.proposal, Some(first.id.clone()));
    world.approve(&first).await;
    other.apply().await;
    assert_eq!(world.created(), ["ada", "grace"]);
}

#[sqlx::test(migrations = "../migrations")]
async fn lanes_by_agent_wait_only_for_themselves(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::with(connect, |crm| crm.lane_order = "agent".to_owned()).await;
    let other = world.crm.of(&world.agent("other", "olaf", "crm").await);
    let waits = world.crm.propose("ada").await;
    world.approve(&world.crm.propose("emmy").await).await;
    world.approve(&other.propose("grace").await).await;
    // Whoever applies, every lane moves.
    let report = world.crm.apply().await;
    assert_eq!((report.writes.len(), report.stopped.reason), (1, StopReason::WaitsForPerson));
    assert_eq!(report.stopped.proposal, Some(waits.id.clone()));
    assert_eq!(world.created(), ["grace"]);
    world.approve(&waits).await;
    world.crm.apply().await;
    assert_eq!(world.created(), ["grace", "ada", "emmy"]);
}

#[sqlx::test(migrations = "../migrations")]
async fn lanes_by_entity_wait_only_for_the_same_entity(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::with(connect, |crm| crm.lane_order = "entity".to_owned()).await;
    let ada = world.provider.add_contact("Ada", "ada@example.com", "lead");
    let grace = world.provider.add_contact("Grace", "grace@example.com", "lead");
    world.provider.enqueue_fault(Fault::DropBefore);
    // The first write of Ada is lost; the second stands behind it, Grace's does not.
    for (id, status) in [(&ada, "customer"), (&ada, "former"), (&grace, "customer")] {
        world.approve(&change(&world.crm, id, status).await).await;
    }
    let report = world.crm.apply().await;
    assert_eq!(report.writes.len(), 2);
    assert_eq!(report.stopped.reason, StopReason::Unknown);
    let status = |id: &str| world.provider.contact(id).unwrap()["status"].clone();
    assert_eq!((status(&ada), status(&grace)), (json!("lead"), json!("customer")));
    assert_eq!(world.crm.apply().await.writes.len(), 0);
    let lanes = "select count(distinct lane)::text from proposal where lane ~ '^[0-9a-f]{64}$'";
    assert_eq!(world.ask(lanes).await, "2");
}

#[sqlx::test(migrations = "../migrations")]
async fn a_lane_goes_on_after_a_failure_where_that_is_wanted(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::with(connect, |crm| crm.on_failure = OnFailure::Continue).await;
    world.approved("ada").await;
    world.approved("grace").await;
    world.provider.enqueue_fault(Fault::ErrorBefore(422));
    let report = world.crm.apply().await;
    assert_eq!((report.writes.len(), report.stopped.reason), (2, StopReason::Done));
}

#[sqlx::test(migrations = "../migrations")]
async fn through_stops_after_the_one_that_was_named(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    world.approved("ada").await;
    let second = world.approved("grace").await;
    world.approved("katherine").await;
    let report = world.crm.try_apply(Some(&second.id)).await.unwrap();
    assert_eq!((report.writes.len(), report.stopped.reason), (2, StopReason::ReachedThrough));
    let report = world.crm.try_apply(Some(&second.id)).await.unwrap();
    assert_eq!(report.writes.len(), 0);
    assert_eq!(report.already[0], (second.id, "applied".to_owned()));
    assert_eq!(world.created(), ["ada", "grace"]);
}

#[sqlx::test(migrations = "../migrations")]
async fn one_call_of_apply_does_at_most_its_budget(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    for number in 0..27 {
        world.approved(&format!("contact{number}")).await;
    }
    let report = world.crm.apply().await;
    assert_eq!((report.writes.len(), report.stopped.reason), (25, StopReason::Budget));
    let report = world.crm.apply().await;
    assert_eq!((report.writes.len(), report.stopped.reason), (2, StopReason::Done));
    assert_eq!(world.created(), (0..27).map(|number| format!("contact{number}")).collect::<Vec<_>>());
}

#[sqlx::test(migrations = "../migrations")]
async fn numbers_have_no_gap_although_some_are_refused(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let proposals = (0..6).map(|number| {
        let mut new = contact(&format!("contact{number}"));
        if number % 2 == 1 {
            new.input["email"] = json!(5);
        }
        world.crm.try_propose(new)
    });
    let proposed = futures::future::join_all(proposals).await;
    let mut numbers: Vec<i64> = proposed
        .iter()
        .filter_map(|proposed| proposed.as_ref().ok())
        .map(|proposed| proposed.proposal.sequence)
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3]);
}

async fn change(desk: &Desk, id: &str, status: &str) -> ProposalSummary {
    let input = json!({ "id": id, "changes": { "status": status } });
    let new = NewProposal { action: "update_contact".to_owned(), input, ..contact("") };
    desk.try_propose(new).await.unwrap().proposal
}
