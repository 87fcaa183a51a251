//! An attempt that nobody came back from is found, never too early, and ends as
//! unknown; an answer that comes after that counts only where nobody judged.

use chrono::{DateTime, TimeDelta, Utc};
use domain::proposal::{Execution, Phase, Verdict};
use domain::service::{ApplyReport, ProposalSummary, Service, StopReason};
use server::sandbox::Fault;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::world::{Held, Never, World};

/// A lease and one call: until then somebody may still be sending.
const TOO_EARLY: TimeDelta = TimeDelta::seconds(75);
const MOMENT: TimeDelta = TimeDelta::microseconds(1);
const UNKNOWN: Phase = Phase::Approved(Execution::Unknown);

/// A world in which the process died between the claim and its outcome.
struct Crashed {
    world: World,
    proposal: ProposalSummary,
    /// The first instant at which the attempt may be given up.
    given_up_at: DateTime<Utc>,
}

impl Crashed {
    async fn new(options: PgPoolOptions, connect: PgConnectOptions) -> Self {
        let world = World::new(options, connect).await;
        let proposal = world.approved("ada").await;
        let claimed_at = world.now().await;
        world.stop_clock(claimed_at).await;
        let dying = world.crm.over(&world.service_with(Never).await);
        let applying = tokio::time::timeout(std::time::Duration::from_millis(500), dying.apply()).await;
        assert!(applying.is_err(), "nothing ever comes back");
        assert_eq!(world.crm.phase(&proposal).await, Phase::Approved(Execution::Executing));
        Self { world, proposal, given_up_at: claimed_at + TOO_EARLY }
    }

    async fn assert_recovered(&self) {
        let world = &self.world;
        assert_eq!(world.crm.phase(&self.proposal).await, UNKNOWN);
        assert_eq!(world.ask("select string_agg(source || ' ' || class, ',') from outcome").await, "recovery unknown");
        assert_eq!(world.history(&self.proposal).await.last().unwrap(), "proposal.unknown");
        assert_eq!(world.created(), [""; 0]);
        world.assert_verifies().await;
        // What died still holds connections, and would keep the database from being dropped.
        world.pool.close().await;
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn the_next_apply_finds_it_and_never_earlier(options: PgPoolOptions, connect: PgConnectOptions) {
    let crashed = Crashed::new(options, connect).await;
    let world = &crashed.world;
    world.stop_clock(crashed.given_up_at - MOMENT).await;
    let report = world.crm.apply().await;
    assert_eq!((report.writes.len(), report.stopped.reason), (0, StopReason::Busy));
    assert_eq!(report.stopped.retry_after_ms, Some(1_000));

    world.stop_clock(crashed.given_up_at).await;
    let report = world.crm.apply().await;
    assert_eq!((report.writes.len(), report.stopped.reason), (0, StopReason::Unknown));
    crashed.assert_recovered().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn the_sweep_finds_it_and_never_earlier(options: PgPoolOptions, connect: PgConnectOptions) {
    let crashed = Crashed::new(options, connect).await;
    let world = &crashed.world;
    world.stop_clock(crashed.given_up_at - MOMENT).await;
    assert_eq!(world.service.sweep_proposals().await.unwrap(), 0);
    world.stop_clock(crashed.given_up_at).await;
    assert_eq!(world.service.sweep_proposals().await.unwrap(), 1);
    assert_eq!(world.service.sweep_proposals().await.unwrap(), 0);
    crashed.assert_recovered().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn many_find_it_at_once_and_it_ends_once(options: PgPoolOptions, connect: PgConnectOptions) {
    let crashed = Crashed::new(options, connect).await;
    let world = &crashed.world;
    world.stop_clock(crashed.given_up_at).await;
    let apply = || world.crm.apply();
    let sweep = || async { world.service.sweep_proposals().await.unwrap() };
    let (one, other, third, swept, again) = tokio::join!(apply(), apply(), apply(), sweep(), sweep());
    for report in [one, other, third] {
        assert_eq!((report.writes.len(), report.stopped.reason), (0, StopReason::Unknown));
    }
    assert!(swept + again <= 1);
    crashed.assert_recovered().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn an_apply_whose_caller_went_away_is_finished_and_recorded(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let proposal = world.approved("ada").await;
    world.approved("grace").await;
    world.provider.enqueue_fault(Fault::DelayAfterCommit(400));
    let waiting = std::time::Duration::from_millis(200);
    assert!(tokio::time::timeout(waiting, world.crm.apply()).await.is_err());
    while world.crm.phase(&proposal).await == Phase::Approved(Execution::Executing) {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(world.crm.phase(&proposal).await, Phase::Approved(Execution::Applied));
    // Nothing more was claimed for somebody who is gone.
    assert_eq!(world.created(), ["ada"]);
}

/// A world in which an answer came after its attempt was given up.
struct Late {
    world: World,
    held: Held,
    proposal: ProposalSummary,
    applying: tokio::task::JoinHandle<ApplyReport>,
}

impl Late {
    async fn new(options: PgPoolOptions, connect: PgConnectOptions, fault: Option<Fault>) -> Self {
        let world = World::new(options, connect).await;
        if let Some(fault) = fault {
            world.provider.enqueue_fault(fault);
        }
        let held = Held::new();
        let slow: Service = world.service_with(held.clone()).await;
        let proposal = world.approved("ada").await;
        let desk = world.crm.over(&slow);
        let applying = tokio::spawn(async move { desk.apply().await });
        held.answered().await;
        world.move_clock(TOO_EARLY).await;
        assert_eq!(world.crm.apply().await.stopped.reason, StopReason::Unknown);
        assert_eq!(world.crm.phase(&proposal).await, UNKNOWN);
        Self { world, held, proposal, applying }
    }

    /// Lets the answer come, and returns where the proposal then stands.
    async fn answer(self) -> (World, Phase) {
        self.held.let_go();
        self.applying.await.unwrap();
        let phase = self.world.crm.phase(&self.proposal).await;
        let history = self.world.history(&self.proposal).await;
        assert_eq!(history.last().unwrap(), "proposal.late_answer");
        let attempt = format!("(select id from attempt where proposal_id = '{}')", self.proposal.id);
        let outcomes = format!("select source from outcome where attempt_id = {attempt} order by ended_at");
        let outcomes = self.world.list(&outcomes).await;
        assert_eq!(outcomes, ["recovery", "late"]);
        self.world.assert_verifies().await;
        (self.world, phase)
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_late_answer_ends_unknown_by_itself(options: PgPoolOptions, connect: PgConnectOptions) {
    let late = Late::new(options, connect, None).await;
    let next = late.world.approved("grace").await;
    // The same call of apply goes on with what is next.
    late.held.let_go();
    let (world, phase) = late.answer().await;
    assert_eq!(phase, Phase::Approved(Execution::Applied));
    assert_eq!(world.crm.apply().await.stopped.reason, StopReason::Done);
    assert_eq!(world.crm.phase(&next).await, Phase::Approved(Execution::Applied));
    assert_eq!(world.created(), ["ada", "grace"]);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_late_refusal_ends_unknown_as_failed(options: PgPoolOptions, connect: PgConnectOptions) {
    let late = Late::new(options, connect, Some(Fault::ErrorBefore(422))).await;
    assert_eq!(late.answer().await.1, Phase::Approved(Execution::Failed));
}

#[sqlx::test(migrations = "../migrations")]
async fn a_late_answer_that_proves_nothing_leaves_it_unknown(options: PgPoolOptions, connect: PgConnectOptions) {
    let late = Late::new(options, connect, Some(Fault::ErrorAfterCommit(500))).await;
    assert_eq!(late.answer().await.1, UNKNOWN);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_late_answer_never_overrides_a_persons_verdict(options: PgPoolOptions, connect: PgConnectOptions) {
    let late = Late::new(options, connect, None).await;
    let verdict = Verdict::ConfirmedNotApplied;
    let judged = late.world.service.judge_outcome(&late.world.rita, &late.proposal.id, verdict, "I saw nothing").await;
    assert_eq!(judged.unwrap(), Phase::Approved(Execution::ConfirmedNotApplied));
    // The evidence is kept, and their word stands.
    let (_, phase) = late.answer().await;
    assert_eq!(phase, Phase::Approved(Execution::ConfirmedNotApplied));
}

#[sqlx::test(migrations = "../migrations")]
async fn a_late_answer_frees_no_lane_that_is_somebody_elses_now(options: PgPoolOptions, connect: PgConnectOptions) {
    let late = Late::new(options, connect, None).await;
    let world = &late.world;
    let verdict = Verdict::ConfirmedApplied;
    world.service.judge_outcome(&world.rita, &late.proposal.id, verdict, "It is there").await.unwrap();
    world.approved("grace").await;
    let held = Held::new();
    let other = world.crm.over(&world.service_with(held.clone()).await);
    let applying = tokio::spawn(async move { other.apply().await });
    held.answered().await;

    let (world, _) = late.answer().await;
    assert_eq!(world.crm.apply().await.stopped.reason, StopReason::Busy);
    held.let_go();
    assert_eq!(applying.await.unwrap().writes.len(), 1);
    assert_eq!(world.created(), ["ada", "grace"]);
}
