//! The same with what a proposal rests on: its connection, manifest and policy.

use domain::policy::Policy;
use domain::service::{ProposalSummary, StopReason};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::world::World;

async fn approved(options: PgPoolOptions, connect: PgConnectOptions) -> (World, ProposalSummary) {
    let world = World::new(options, connect).await;
    let proposal = world.approved("ada").await;
    world.assert_verifies().await;
    (world, proposal)
}

/// Apply refuses it and says so once, and nothing has reached the provider.
async fn assert_refused(world: &World, proposal: &ProposalSummary, because: &str) {
    for _ in 0..2 {
        let report = world.crm.apply().await;
        assert!(report.writes.is_empty(), "{report:?}");
        assert_eq!(report.stopped.reason, StopReason::IntegrityFault, "{report:?}");
        assert_eq!(report.stopped.proposal.as_ref(), Some(&proposal.id));
        assert!(report.stopped.message.contains(because), "{}", report.stopped.message);
    }
    assert_eq!(world.provider.received(), []);
    let history = world.history(proposal).await;
    assert_eq!(history, ["proposal.proposed", "proposal.approved", "proposal.integrity_fault"]);
}

async fn assert_verification_names(world: &World, record: &str) {
    let findings = world.findings().await;
    assert!(findings.iter().any(|finding| finding.contains(record)), "{record}: {findings:?}");
}

#[sqlx::test(migrations = "../migrations")]
async fn the_base_url_is_swapped(options: PgPoolOptions, connect: PgConnectOptions) {
    let (world, proposal) = approved(options, connect).await;
    world.tamper("connection", "update connection set base_url = replace(base_url, '127.0.0.1', '127.0.0.2')").await;
    assert_refused(&world, &proposal, "not the one that was shown").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn the_base_url_is_no_url_any_more(options: PgPoolOptions, connect: PgConnectOptions) {
    let (world, proposal) = approved(options, connect).await;
    world.tamper("connection", "update connection set base_url = 'nowhere'").await;
    assert_refused(&world, &proposal, "base URL").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn the_credential_of_another_connection_is_put_in_place(options: PgPoolOptions, connect: PgConnectOptions) {
    let (world, proposal) = approved(options, connect).await;
    world.desk("other", |new| new.credential = Some("token of somebody else".to_owned())).await;
    let swap = "update connection as mine set credential = other.credential from connection as other
                where mine.name = 'crm' and other.name = 'other'";
    world.tamper("connection", swap).await;
    assert_refused(&world, &proposal, "credential").await;
}

/// The old one was sealed for this very place and opens there.
#[sqlx::test(migrations = "../migrations")]
async fn an_older_credential_of_the_connection_is_put_back(options: PgPoolOptions, connect: PgConnectOptions) {
    let (world, proposal) = approved(options, connect).await;
    let id = world.ask("select id from connection").await;
    let older = world.vault().await.seal(&format!("connection/{id}/credential"), b"an older token");
    let older = domain::audit::hex(&older);
    world.tamper("connection", &format!("update connection set credential = '\\x{older}'")).await;
    assert_refused(&world, &proposal, "credential").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn the_credential_is_removed(options: PgPoolOptions, connect: PgConnectOptions) {
    let (world, proposal) = approved(options, connect).await;
    world.tamper("connection", "update connection set credential = null").await;
    assert_refused(&world, &proposal, "credential").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn the_account_is_swapped(options: PgPoolOptions, connect: PgConnectOptions) {
    let (world, proposal) = approved(options, connect).await;
    let id = world.ask("select id from connection").await;
    world.tamper("connection", &format!("update connection set account = sha256('{id}')")).await;
    assert_refused(&world, &proposal, "target").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn the_manifest_is_changed(options: PgPoolOptions, connect: PgConnectOptions) {
    let (world, proposal) = approved(options, connect).await;
    let change = "update manifest set body =
        convert_to(replace(convert_from(body, 'UTF8'), '/contacts', '/contracts'), 'UTF8')";
    world.tamper("manifest", change).await;
    assert_refused(&world, &proposal, "the manifest under which it was proposed").await;
    let digest = world.ask("select encode(digest, 'hex') from manifest").await;
    assert_verification_names(&world, &format!("the record manifest {digest} was changed")).await;
}

#[sqlx::test(migrations = "../migrations")]
async fn the_manifest_is_removed(options: PgPoolOptions, connect: PgConnectOptions) {
    let (world, proposal) = approved(options, connect).await;
    let digest = world.ask("select encode(digest, 'hex') from manifest").await;
    world.tamper("manifest", "delete from manifest").await;
    assert_refused(&world, &proposal, "the manifest under which it was proposed").await;
    assert_verification_names(&world, &format!("the record manifest {digest} is missing")).await;
}

/// A policy that asks for less than the one that is stored.
async fn weakened(world: &World) -> Policy {
    let body = world.ask("select convert_from(body, 'UTF8') from policy_version").await;
    let mut policy: Policy = serde_json::from_str(&body).unwrap();
    policy.apply_within *= 2;
    policy.four_eyes = false;
    policy
}

#[sqlx::test(migrations = "../migrations")]
async fn the_policy_is_weakened_in_place(options: PgPoolOptions, connect: PgConnectOptions) {
    let (world, proposal) = approved(options, connect).await;
    let body = domain::audit::hex(&weakened(&world).await.canonical());
    world.tamper("policy_version", &format!("update policy_version set body = '\\x{body}'")).await;
    let id = world.ask("select id from policy_version").await;
    assert_refused(&world, &proposal, &id).await;
    assert_verification_names(&world, &format!("the record policy_version {id} was changed")).await;
}

#[sqlx::test(migrations = "../migrations")]
async fn the_policy_is_weakened_in_place_with_its_digest(options: PgPoolOptions, connect: PgConnectOptions) {
    let (world, proposal) = approved(options, connect).await;
    let policy = weakened(&world).await;
    let (body, digest) = (domain::audit::hex(&policy.canonical()), policy.digest());
    let change = format!("update policy_version set body = '\\x{body}', policy_digest = '\\x{digest}'");
    world.tamper("policy_version", &change).await;
    assert_refused(&world, &proposal, "its policy is not the one under which it was proposed").await;
    let id = world.ask("select id from policy_version").await;
    assert_verification_names(&world, &format!("the record policy_version {id} was changed")).await;
}

#[sqlx::test(migrations = "../migrations")]
async fn its_round_is_bound_to_something_else(options: PgPoolOptions, connect: PgConnectOptions) {
    let (world, proposal) = approved(options, connect).await;
    world.tamper("proposal_round", "update proposal_round set target_digest = sha256('elsewhere')").await;
    assert_refused(&world, &proposal, "target").await;
    assert_verification_names(&world, &format!("the record proposal_round {}/1 was changed", proposal.id)).await;
}

#[sqlx::test(migrations = "../migrations")]
async fn its_round_is_removed(options: PgPoolOptions, connect: PgConnectOptions) {
    let (world, proposal) = approved(options, connect).await;
    world.tamper("proposal_round", "delete from proposal_round").await;
    let report = world.crm.apply().await;
    assert_eq!((report.writes.len(), report.stopped.reason), (0, StopReason::IntegrityFault));
    assert_eq!(world.provider.received(), []);
    assert_verification_names(&world, &format!("the record proposal_round {}/1 is missing", proposal.id)).await;
}

/// An expired proposal ends, and an outcome is recorded, whatever became of the policy.
#[sqlx::test(migrations = "../migrations")]
async fn a_broken_policy_keeps_nothing_from_being_recorded(options: PgPoolOptions, connect: PgConnectOptions) {
    let (world, _) = approved(options, connect).await;
    let pending = world.crm.propose("grace").await;
    world.tamper("policy_version", "update policy_version set body = 'x'").await;
    let decided = world.decide(&world.rita, &pending, domain::service::DecisionVerdict::Approve).await;
    assert_eq!(decided.unwrap_err().code(), "internal");
    world.move_clock(chrono::TimeDelta::hours(73)).await;
    assert_eq!(world.service.sweep_proposals().await.unwrap(), 1);
    assert_eq!(world.history(&pending).await, ["proposal.proposed", "proposal.expired"]);
}
