//! The same wish twice: keys, equal proposals, and how much may wait.

use domain::service::{NewProposal, Proposed};
use futures::future::join_all;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::world::{World, contact};

fn with_key(name: &str, key: &str) -> NewProposal {
    NewProposal { idempotency_key: Some(key.to_owned()), ..contact(name) }
}

async fn count(world: &World) -> String {
    world.ask("select count(*)::text from proposal").await
}

#[sqlx::test(migrations = "../migrations")]
async fn one_key_and_one_input_are_one_proposal_for_ever(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let first = world.crm.try_propose(with_key("ada", "k1")).await.unwrap();
    assert!(!first.existing);
    let again = world.crm.try_propose(with_key("ada", "k1")).await.unwrap();
    assert!(again.existing);
    assert_eq!(again.proposal.id, first.proposal.id);
    world.approve(&first.proposal).await;
    world.crm.apply().await;
    // Also after it ended: a key is no promise to do it again.
    let again = world.crm.try_propose(with_key("ada", "k1")).await.unwrap();
    assert_eq!((again.existing, &again.proposal.id), (true, &first.proposal.id));
    assert_eq!(count(&world).await, "1");
    assert_eq!(world.created(), ["ada"]);
}

#[sqlx::test(migrations = "../migrations")]
async fn one_key_and_another_input_are_a_conflict(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    world.crm.try_propose(with_key("ada", "k1")).await.unwrap();
    assert_eq!(world.crm.try_propose(with_key("grace", "k1")).await.unwrap_err().code(), "idempotency_conflict");
    assert_eq!(count(&world).await, "1");
}

#[sqlx::test(migrations = "../migrations")]
async fn agents_of_one_owner_share_keys_and_others_do_not(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let sibling = world.crm.of(&world.agent("sibling", "olaf", "crm").await);
    let stranger = world.crm.of(&world.agent("stranger", "rita", "crm").await);
    let first = world.crm.try_propose(with_key("ada", "k1")).await.unwrap();
    let shared = sibling.try_propose(with_key("ada", "k1")).await.unwrap();
    assert_eq!((shared.existing, &shared.proposal.id), (true, &first.proposal.id));
    let other = stranger.try_propose(with_key("ada", "k1")).await.unwrap();
    assert!(!other.existing);
    assert_ne!(other.proposal.id, first.proposal.id);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_key_counts_for_one_connection(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let other = world.desk("other", |_| {}).await;
    world.crm.try_propose(with_key("ada", "k1")).await.unwrap();
    assert!(!other.try_propose(with_key("grace", "k1")).await.unwrap().existing);
}

#[sqlx::test(migrations = "../migrations")]
async fn an_equal_proposal_that_is_open_is_returned(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let sibling = world.crm.of(&world.agent("sibling", "olaf", "crm").await);
    let stranger = world.crm.of(&world.agent("stranger", "rita", "crm").await);
    let first = world.crm.propose("ada").await;
    for desk in [&world.crm, &sibling] {
        let again = desk.try_propose(contact("ada")).await.unwrap();
        assert_eq!((again.existing, &again.proposal.id), (true, &first.id));
    }
    assert!(!stranger.try_propose(contact("ada")).await.unwrap().existing);
    // Approved and not applied it is still open; applied it is not.
    world.approve(&first).await;
    assert!(world.crm.try_propose(contact("ada")).await.unwrap().existing);
    world.crm.apply().await;
    let repeat = world.crm.try_propose(contact("ada")).await.unwrap();
    assert!(!repeat.existing);
    assert_ne!(repeat.proposal.id, first.id);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_wanted_repeat_takes_a_new_key(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let first = world.crm.propose("ada").await;
    let repeat = world.crm.try_propose(with_key("ada", "again")).await.unwrap();
    assert!(!repeat.existing);
    assert_ne!(repeat.proposal.id, first.id);
}

#[sqlx::test(migrations = "../migrations")]
async fn many_at_once_with_one_key_are_one(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    for (key, expected) in [(Some("k1"), "1"), (None, "2")] {
        let new = NewProposal { idempotency_key: key.map(str::to_owned), ..contact(key.unwrap_or("none")) };
        let proposed = join_all((0..10).map(|_| world.crm.try_propose(new.clone()))).await;
        let proposed: Vec<Proposed> = proposed.into_iter().map(Result::unwrap).collect();
        assert_eq!(proposed.iter().filter(|proposed| !proposed.existing).count(), 1);
        assert!(proposed.iter().all(|each| each.proposal.id == proposed[0].proposal.id));
        assert_eq!(count(&world).await, expected);
    }
}

/// Copies the one proposal there is, so often, with new ids, numbers and states.
async fn copy_proposal(world: &World, times: u32, decision: &str, agent: &str) {
    world
        .arrange(&format!(
            "create temp table copied as
             select proposal.*, 'prp_copy' || n as new_id, 1000 + n as new_sequence
             from proposal, generate_series(1, {times}) as n;
             insert into proposal
             select new_id, connection_id, new_sequence, lane, agent_id, token_id, on_behalf_of, action, manifest_digest,
                    policy_id, policy_digest, content_commitment, approve_within, apply_within, null, null, proposed_at
             from copied;
             insert into proposal_state (proposal_id, connection_id, lane, sequence, agent_id, decision, approve_by)
             select new_id, connection_id, lane, new_sequence, {agent}, '{decision}', now() + interval '1 day' from copied;
             drop table copied"
        ))
        .await;
}

#[sqlx::test(migrations = "../migrations")]
async fn one_agent_has_at_most_200_that_wait_for_people(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let other = world.crm.of(&world.agent("other", "olaf", "crm").await);
    let first = world.crm.propose("ada").await;
    copy_proposal(&world, 198, "pending", "agent_id").await;
    let last = world.crm.propose("the-last").await;
    assert_eq!(world.crm.try_propose(contact("one-more")).await.unwrap_err().code(), "queue_full");
    // What is there already is still found, and others still have room.
    assert!(world.crm.try_propose(contact("ada")).await.unwrap().existing);
    other.propose("of-others").await;
    world.withdraw(&world.crm, &last).await.unwrap();
    world.crm.propose("one-more").await;
    assert_eq!(world.crm.phase(&first).await, domain::proposal::Phase::Pending);
}

#[sqlx::test(migrations = "../migrations")]
async fn one_connection_has_at_most_1000_that_are_open(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let other = world.desk("other", |_| {}).await;
    world.crm.propose("ada").await;
    copy_proposal(&world, 998, "pending", "'agt_of_others'").await;
    world.crm.propose("the-last").await;
    assert_eq!(world.crm.try_propose(contact("one-more")).await.unwrap_err().code(), "queue_full");
    other.propose("elsewhere").await;
}
