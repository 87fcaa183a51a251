//! Deadlines fall at their exact instant by the database's clock, whoever asks.

use chrono::TimeDelta;
use domain::proposal::{Execution, OnFailure, Phase};
use domain::service::DecisionVerdict::Approve;
use domain::service::StopReason;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::world::World;

const MOMENT: TimeDelta = TimeDelta::microseconds(1);
const HOUR: TimeDelta = TimeDelta::hours(1);

async fn within_hours(connect: PgConnectOptions, approve: u64, apply: u64) -> World {
    World::with(connect, |crm| {
        crm.approve_within = Some(approve * 3600);
        crm.apply_within = Some(apply * 3600);
        crm.on_failure = OnFailure::Continue;
    })
    .await
}

#[sqlx::test(migrations = "../migrations")]
async fn the_last_moment_to_decide_is_the_one_before_the_deadline(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = within_hours(connect, 1, 1).await;
    let [in_time, late] = [world.crm.propose("ada").await, world.crm.propose("grace").await];
    assert_eq!(in_time.approve_by, in_time.proposed_at + HOUR);

    world.stop_clock(in_time.approve_by - MOMENT).await;
    assert_eq!(world.decide(&world.rita, &in_time, Approve).await.unwrap(), Phase::Approved(Execution::Waiting));
    world.stop_clock(late.approve_by).await;
    assert_eq!(world.decide(&world.rita, &late, Approve).await.unwrap_err().code(), "expired");
    // Nobody swept yet; the refusal does not wait for that.
    assert_eq!(world.crm.phase(&late).await, Phase::Pending);
    assert_eq!(world.service.sweep_proposals().await.unwrap(), 1);
    assert_eq!(world.crm.phase(&late).await, Phase::Expired);
    assert_eq!(world.decide(&world.rita, &late, Approve).await.unwrap_err().code(), "not_pending");
    assert_eq!(world.history(&late).await, ["proposal.proposed", "proposal.expired"]);
    world.assert_verifies().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn the_sweep_ends_nothing_early(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = within_hours(connect, 1, 1).await;
    let proposal = world.crm.propose("ada").await;
    world.stop_clock(proposal.approve_by - MOMENT).await;
    assert_eq!(world.service.sweep_proposals().await.unwrap(), 0);
    world.stop_clock(proposal.approve_by).await;
    assert_eq!(world.service.sweep_proposals().await.unwrap(), 1);
    assert_eq!(world.service.sweep_proposals().await.unwrap(), 0);
}

#[sqlx::test(migrations = "../migrations")]
async fn apply_passes_over_what_expired_and_sends_what_is_behind_it(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = within_hours(connect, 1, 1).await;
    let expired = world.crm.propose("ada").await;
    let next = world.approved("grace").await;
    assert_eq!(world.crm.apply().await.stopped.reason, StopReason::WaitsForPerson);
    world.stop_clock(expired.approve_by).await;
    assert_eq!(world.crm.apply().await.stopped.reason, StopReason::Done);
    assert_eq!(world.crm.phase(&expired).await, Phase::Expired);
    assert_eq!(world.crm.phase(&next).await, Phase::Approved(Execution::Applied));
    assert_eq!(world.created(), ["grace"]);
}

#[sqlx::test(migrations = "../migrations")]
async fn what_lapsed_is_not_sent(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = within_hours(connect, 9, 1).await;
    let proposal = world.approved("ada").await;
    let apply_by = world.service.proposal(&world.crm.agent, &proposal.id).await.unwrap().apply_by.unwrap();
    world.stop_clock(apply_by).await;
    let report = world.crm.apply().await;
    assert_eq!((report.writes.len(), report.stopped.reason), (0, StopReason::Done));
    assert_eq!(world.crm.phase(&proposal).await, Phase::Approved(Execution::Lapsed));
    assert_eq!(world.provider.received(), []);
    assert_eq!(world.ask("select count(*)::text from attempt").await, "0");
    world.assert_verifies().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_moment_before_it_lapses_it_is_sent(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = within_hours(connect, 9, 1).await;
    let proposal = world.approved("ada").await;
    let apply_by = world.service.proposal(&world.crm.agent, &proposal.id).await.unwrap().apply_by.unwrap();
    world.stop_clock(apply_by - MOMENT).await;
    assert_eq!(world.crm.apply().await.writes.len(), 1);
    assert_eq!(world.created(), ["ada"]);
}

#[sqlx::test(migrations = "../migrations")]
async fn the_time_to_apply_begins_with_the_later_of_approval_and_turn(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = within_hours(connect, 9, 1).await;
    let first = world.crm.propose("ada").await;
    let second = world.approved("grace").await;
    // Approved two hours ago, it did not lapse, for it was never its turn.
    world.move_clock(HOUR * 2).await;
    world.approve(&first).await;
    assert_eq!(world.crm.apply().await.writes.len(), 2);
    assert_eq!(world.crm.phase(&second).await, Phase::Approved(Execution::Applied));
    assert_eq!(world.created(), ["ada", "grace"]);
}

/// Somebody who moves the approval in the projection gains no time: it is taken
/// from the signed decisions.
#[sqlx::test(migrations = "../migrations")]
async fn a_later_approval_in_the_projection_prolongs_nothing(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = within_hours(connect, 9, 1).await;
    let proposal = world.approved("ada").await;
    world.move_clock(HOUR * 2).await;
    world.arrange("update proposal_state set approved_at = app_now()").await;
    assert!(world.crm.apply().await.writes.is_empty());
    assert_eq!(world.crm.phase(&proposal).await, Phase::Approved(Execution::Lapsed));
    assert_eq!(world.provider.received(), []);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_decision_after_the_deadline_counts_for_nothing_at_apply(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = within_hours(connect, 1, 9).await;
    let proposal = world.crm.propose("ada").await;
    // Somebody moved the deadline in the projection, and it was approved too late.
    world.arrange("update proposal_state set approve_by = approve_by + interval '1 day'").await;
    world.stop_clock(proposal.approve_by).await;
    world.approve(&proposal).await;
    let report = world.crm.apply().await;
    assert_eq!((report.writes.len(), report.stopped.reason), (0, StopReason::IntegrityFault));
    assert!(report.stopped.message.contains("came after the time to decide"), "{}", report.stopped.message);
    assert_eq!(world.provider.received(), []);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_deadline_that_falls_while_somebody_waits_for_the_lock_has_fallen(
    _: PgPoolOptions,
    connect: PgConnectOptions,
) {
    let world = within_hours(connect, 1, 1).await;
    let proposal = world.crm.propose("ada").await;
    world.stop_clock(proposal.approve_by - MOMENT).await;
    let mut holder = world.owner.begin().await.unwrap();
    sqlx::Executor::execute(&mut *holder, "select from proposal_state for update").await.unwrap();
    // The decision begins in time, and comes to its turn too late.
    let deciding = world.decide(&world.rita, &proposal, Approve);
    let passing = async {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        world.stop_clock(proposal.approve_by).await;
        holder.commit().await.unwrap();
    };
    let (decided, ()) = tokio::join!(deciding, passing);
    assert_eq!(decided.unwrap_err().code(), "expired");
    assert_eq!(world.ask("select count(*)::text from decision").await, "0");
}
