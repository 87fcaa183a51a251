//! Who approves what: by itself, never, with four eyes, and the stricter of two policies.

use domain::policy::Approval;
use domain::proposal::{Execution, Phase};
use domain::service::DecisionVerdict::{Approve, Reject};
use domain::service::{NewConnection, StopReason};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::world::{World, contact, reviewers};

/// The manifest lets the policy approve by itself, and so does the policy.
fn automatic(new: &mut NewConnection) {
    new.manifest.0 = new.manifest.0.replace("approval = \"person\"", "approval = \"automatic\"");
    new.approval = Approval::Automatic;
}

#[sqlx::test(migrations = "../migrations")]
async fn an_automatic_action_is_approved_as_it_is_proposed(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::with(connect, automatic).await;
    let proposal = world.crm.propose("ada").await;
    assert_eq!(proposal.phase, Phase::Approved(Execution::Waiting));
    let decision = "select concat_ws(' ', rule, verdict, person_id, length(signature)) from decision";
    assert_eq!(world.ask(decision).await, "automatic approve 64");
    // Nothing is sent until somebody applies.
    assert_eq!(world.provider.received(), []);
    assert_eq!(world.crm.apply().await.writes.len(), 1);
    assert_eq!(world.created(), ["ada"]);
    world.assert_verifies().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_manifest_that_asks_for_a_person_is_stricter_than_the_policy(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::with(connect, |crm| crm.approval = Approval::Automatic).await;
    assert_eq!(world.crm.propose("ada").await.phase, Phase::Pending);
    assert_eq!(world.ask("select count(*)::text from decision").await, "0");
}

#[sqlx::test(migrations = "../migrations")]
async fn what_was_approved_by_itself_is_not_sent_once_people_are_asked(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::with(connect, automatic).await;
    world.crm.propose("ada").await;
    world.change_policy("crm", |policy| policy.approval = Approval::Person).await;
    assert!(world.crm.apply().await.writes.is_empty());
    assert_eq!(world.provider.received(), []);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_forbidden_action_is_refused_at_once_and_not_recorded(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::with(connect, |crm| {
        crm.action_approval.insert("create_contact".to_owned(), Approval::Forbidden);
    })
    .await;
    assert_eq!(world.crm.try_propose(contact("ada")).await.unwrap_err().code(), "forbidden_by_policy");
    assert_eq!(world.ask("select count(*)::text from proposal").await, "0");
    world.assert_verifies().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn under_four_eyes_the_owner_neither_approves_nor_rejects(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::with(connect, |crm| crm.four_eyes = true).await;
    let proposal = world.crm.propose("ada").await;
    for verdict in [Approve, Reject] {
        assert_eq!(world.decide(&world.olaf, &proposal, verdict).await.unwrap_err().code(), "four_eyes");
    }
    assert_eq!(world.crm.phase(&proposal).await, Phase::Pending);
    assert_eq!(world.approve(&proposal).await, Phase::Approved(Execution::Waiting));
}

#[sqlx::test(migrations = "../migrations")]
async fn without_four_eyes_the_owner_approves_their_own(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let proposal = world.crm.propose("ada").await;
    assert_eq!(world.decide(&world.olaf, &proposal, Approve).await.unwrap(), Phase::Approved(Execution::Waiting));
    assert_eq!(world.crm.apply().await.writes.len(), 1);
}

#[sqlx::test(migrations = "../migrations")]
async fn four_eyes_that_come_later_void_the_owners_approval(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let proposal = world.crm.propose("ada").await;
    world.decide(&world.olaf, &proposal, Approve).await.unwrap();
    world.change_policy("crm", |policy| policy.four_eyes = true).await;
    assert!(world.crm.apply().await.writes.is_empty());
    assert_eq!(world.provider.received(), []);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_weaker_policy_approves_nothing_that_is_pending(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    world.change_policy("crm", |policy| policy.requirements[0].count = 2).await;
    let proposal = world.crm.propose("ada").await;
    assert_eq!(world.approve(&proposal).await, Phase::Pending);
    world.change_policy("crm", |policy| policy.requirements[0].count = 1).await;
    // The one under which it was proposed still holds.
    assert_eq!(world.approve(&proposal).await, Phase::Pending);
    assert!(world.crm.apply().await.writes.is_empty());
    assert_eq!(world.decide(&world.raul, &proposal, Approve).await.unwrap(), Phase::Approved(Execution::Waiting));
}

#[sqlx::test(migrations = "../migrations")]
async fn who_left_the_group_has_not_approved(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    world.approved("ada").await;
    let (group, rita) = (reviewers(&world).await, world.rita.id());
    world.arrange(&format!("delete from group_member where group_id = '{group}' and person_id = '{rita}'")).await;
    assert!(world.crm.apply().await.writes.is_empty());
    assert_eq!(world.provider.received(), []);
}

#[sqlx::test(migrations = "../migrations")]
async fn who_was_disabled_has_not_approved(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    world.approved("ada").await;
    world.arrange(&format!("update person set disabled_at = now() where id = '{}'", world.rita.id())).await;
    assert!(world.crm.apply().await.writes.is_empty());
    assert_eq!(world.provider.received(), []);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_disabled_connection_takes_and_sends_nothing(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    world.approved("ada").await;
    world.arrange("update connection set enabled = false").await;
    assert_eq!(world.crm.apply().await.stopped.reason, StopReason::Disabled);
    assert_eq!(world.crm.try_propose(contact("grace")).await.unwrap_err().code(), "connection_disabled");
    assert_eq!(world.provider.received(), []);
}
