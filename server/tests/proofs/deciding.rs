//! Several people at one proposal at the same moment: exactly one thing happens.

use domain::actor::Actor;
use domain::proposal::{Execution, Phase};
use domain::service::DecisionVerdict::{Approve, Reject};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::world::World;

/// How often two are let race.
const RACES: usize = 20;

#[sqlx::test(migrations = "../migrations")]
async fn an_approval_and_a_rejection_at_once_are_never_both(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    for race in 0..RACES {
        let proposal = world.crm.propose(&format!("contact{race}")).await;
        let approve = world.decide(&world.rita, &proposal, Approve);
        let reject = world.decide(&world.raul, &proposal, Reject);
        let (approved, rejected) = if race % 2 == 0 {
            tokio::join!(approve, reject)
        } else {
            let (rejected, approved) = tokio::join!(reject, approve);
            (approved, rejected)
        };
        let phase = world.crm.phase(&proposal).await;
        match (approved, rejected) {
            (Ok(said), Err(refused)) => {
                assert_eq!((said, phase), (Phase::Approved(Execution::Waiting), said));
                assert_eq!(refused.code(), "not_pending");
            }
            (Err(refused), Ok(said)) => {
                assert_eq!((said, phase), (Phase::Rejected, said));
                assert_eq!(refused.code(), "not_pending");
            }
            (approved, rejected) => panic!("{approved:?} and {rejected:?}"),
        }
        let decisions = format!("select count(*)::text from decision where proposal_id = '{}'", proposal.id);
        assert_eq!(world.ask(&decisions).await, "1");
    }
    world.assert_verifies().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn somebody_changes_their_vote_while_it_is_open(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    world.change_policy("crm", |policy| policy.requirements[0].count = 2).await;
    let proposal = world.crm.propose("ada").await;

    assert_eq!(world.approve(&proposal).await, Phase::Pending);
    // The same person twice is one vote.
    assert_eq!(world.approve(&proposal).await, Phase::Pending);
    assert_eq!(world.decide(&world.rita, &proposal, Reject).await.unwrap(), Phase::Rejected);
    assert_eq!(world.decide(&world.raul, &proposal, Approve).await.unwrap_err().code(), "not_pending");

    let kept =
        format!("select string_agg(verdict, ' ' order by number) from decision where proposal_id = '{}'", proposal.id);
    assert_eq!(world.ask(&kept).await, "approve approve reject");
    assert_eq!(
        world.history(&proposal).await,
        ["proposal.proposed", "proposal.voted", "proposal.voted", "proposal.rejected"]
    );
}

#[sqlx::test(migrations = "../migrations")]
async fn two_people_are_two_and_then_it_is_applied(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    world.change_policy("crm", |policy| policy.requirements[0].count = 2).await;
    let proposal = world.crm.propose("ada").await;
    assert_eq!(world.approve(&proposal).await, Phase::Pending);
    assert!(world.crm.apply().await.writes.is_empty());
    let phase = world.decide(&world.raul, &proposal, Approve).await.unwrap();
    assert_eq!(phase, Phase::Approved(Execution::Waiting));
    assert_eq!(world.crm.apply().await.writes.len(), 1);
    assert_eq!(world.created(), ["ada"]);
}

#[sqlx::test(migrations = "../migrations")]
async fn the_last_two_votes_at_once_approve_it_once(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    world.change_policy("crm", |policy| policy.requirements[0].count = 2).await;
    for race in 0..RACES {
        let proposal = world.crm.propose(&format!("contact{race}")).await;
        let (one, other) =
            tokio::join!(world.decide(&world.rita, &proposal, Approve), world.decide(&world.raul, &proposal, Approve),);
        let mut phases = [one.unwrap(), other.unwrap()];
        phases.sort_by_key(|phase| *phase != Phase::Pending);
        assert_eq!(phases, [Phase::Pending, Phase::Approved(Execution::Waiting)]);
        let approvals: Vec<String> = world.history(&proposal).await;
        assert_eq!(approvals, ["proposal.proposed", "proposal.voted", "proposal.approved"]);
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_withdrawal_against_an_approval_ends_one_way(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let mut ends = Vec::new();
    for race in 0..RACES {
        let proposal = world.crm.propose(&format!("contact{race}")).await;
        let (approved, withdrawn) =
            tokio::join!(world.decide(&world.rita, &proposal, Approve), world.withdraw(&world.crm, &proposal),);
        let phase = world.crm.phase(&proposal).await;
        let history = world.history(&proposal).await;
        match (approved, withdrawn) {
            // Whoever takes it back after the approval calls it off.
            (Ok(_), Ok(Phase::Cancelled)) => {
                assert_eq!(phase, Phase::Cancelled);
                assert_eq!(history, ["proposal.proposed", "proposal.approved", "proposal.cancelled"]);
            }
            (Err(refused), Ok(Phase::Withdrawn)) => {
                assert_eq!((refused.code(), phase), ("not_pending", Phase::Withdrawn));
                assert_eq!(history, ["proposal.proposed", "proposal.withdrawn"]);
            }
            (approved, withdrawn) => panic!("{approved:?} and {withdrawn:?}"),
        }
        ends.push(phase);
    }
    assert!(world.crm.apply().await.writes.is_empty(), "{ends:?}");
    assert_eq!(world.created(), [""; 0]);
    world.assert_verifies().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_claim_against_a_cancellation_is_never_both(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let mut sent = Vec::new();
    for race in 0..RACES {
        let name = format!("contact{race}");
        let proposal = world.approved(&name).await;
        let cancel = world.service.withdraw(Actor::Person(&world.olaf), &proposal.id, Some("Not any more"));
        let (report, cancelled) = tokio::join!(world.crm.apply(), cancel);
        match cancelled {
            Ok(phase) => {
                assert_eq!(phase, Phase::Cancelled);
                assert!(report.writes.is_empty(), "{report:?}");
            }
            Err(refused) => {
                assert_eq!(refused.code(), "not_withdrawable");
                assert_eq!(report.writes.len(), 1);
                sent.push(name);
            }
        }
        assert_eq!(world.created(), sent);
    }
    world.assert_verifies().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn two_verdicts_on_one_unknown_outcome_are_one(options: PgPoolOptions, connect: PgConnectOptions) {
    use domain::proposal::Verdict::{ConfirmedApplied, ConfirmedNotApplied};
    let world = World::new(options, connect).await;
    world.provider.enqueue_fault(server::sandbox::Fault::DropBefore);
    let proposal = world.approved("ada").await;
    world.crm.apply().await;
    let (one, other) = tokio::join!(
        world.service.judge_outcome(&world.rita, &proposal.id, ConfirmedApplied, "It is there"),
        world.service.judge_outcome(&world.raul, &proposal.id, ConfirmedNotApplied, "It is not there"),
    );
    let refused = [&one, &other].into_iter().find_map(|said| said.as_ref().err()).expect("one comes second");
    assert_eq!(refused.code(), "not_unknown");
    assert_ne!(one.is_ok(), other.is_ok());
    assert_eq!(world.ask("select count(*)::text from verdict").await, "1");
    world.assert_verifies().await;
}
