//! An outcome that nobody knows: it stops its lane, and only a look ends it.

use domain::proposal::{Execution, OutcomeClass, Phase, Verdict};
use domain::service::{DecisionVerdict, StopReason};
use server::sandbox::Fault;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::world::World;

#[sqlx::test(migrations = "../migrations")]
async fn a_dropped_connection_stops_the_lane_until_a_reviewer_says(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let first = world.approved("ada").await;
    let second = world.approved("grace").await;
    world.provider.enqueue_fault(Fault::DropAfterCommit);

    let report = world.crm.apply().await;
    assert_eq!(report.writes.len(), 1);
    assert_eq!(report.writes[0].outcome, OutcomeClass::Unknown);
    assert_eq!((report.stopped.reason, report.stopped.proposal), (StopReason::Unknown, Some(first.id.clone())));
    assert_eq!(world.crm.phase(&first).await, Phase::Approved(Execution::Unknown));

    // However often anybody applies, nothing is sent: neither it nor what is behind it.
    for _ in 0..3 {
        let report = world.crm.apply().await;
        assert_eq!((report.writes.len(), report.stopped.reason), (0, StopReason::Unknown));
    }
    assert_eq!(world.created(), ["ada"]);
    assert_eq!(world.crm.phase(&second).await, Phase::Approved(Execution::Waiting));

    let judge =
        |note: &'static str| world.service.judge_outcome(&world.raul, &first.id, Verdict::ConfirmedApplied, note);
    assert_eq!(judge("  ").await.unwrap_err().code(), "note_missing");
    assert_eq!(judge("It is in the list").await.unwrap(), Phase::Approved(Execution::ConfirmedApplied));
    assert_eq!(judge("Once more").await.unwrap_err().code(), "not_unknown");
    let report = world.crm.apply().await;
    assert_eq!((report.writes.len(), report.stopped.reason), (1, StopReason::Done));
    assert_eq!(world.created(), ["ada", "grace"]);
    world.assert_verifies().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn whatever_is_not_certain_is_unknown(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    for (number, fault) in [
        Fault::DropBefore,
        Fault::DropAfterCommit,
        Fault::ErrorBefore(500),
        Fault::ErrorAfterCommit(503),
        Fault::ErrorBefore(408),
        Fault::ErrorAfterCommit(302),
    ]
    .into_iter()
    .enumerate()
    {
        world.provider.enqueue_fault(fault.clone());
        let proposal = world.approved(&format!("contact{number}")).await;
        world.crm.apply().await;
        assert_eq!(world.crm.phase(&proposal).await, Phase::Approved(Execution::Unknown), "{fault:?}");
        let verdict = Verdict::ConfirmedApplied;
        world.service.judge_outcome(&world.rita, &proposal.id, verdict, "I looked").await.unwrap();
    }
    world.assert_verifies().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn found_not_done_it_waits_for_an_acknowledgement(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let first = world.approved("ada").await;
    world.approved("grace").await;
    world.provider.enqueue_fault(Fault::DropBefore);
    world.crm.apply().await;
    let verdict = Verdict::ConfirmedNotApplied;
    world.service.judge_outcome(&world.rita, &first.id, verdict, "It is not there").await.unwrap();
    assert_eq!(world.crm.apply().await.stopped.reason, StopReason::Unacknowledged);
    world.service.acknowledge(&world.olaf, &first.id).await.unwrap();
    assert_eq!(world.crm.apply().await.stopped.reason, StopReason::Done);
    // It was received once, and never again.
    assert_eq!(world.created(), ["ada", "grace"]);
    world.assert_verifies().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn only_a_reviewer_says_what_became_of_it(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let proposal = world.approved("ada").await;
    let judge = |by| world.service.judge_outcome(by, &proposal.id, Verdict::ConfirmedApplied, "I looked");
    assert_eq!(judge(&world.rita).await.unwrap_err().code(), "not_unknown");
    world.provider.enqueue_fault(Fault::DropBefore);
    world.crm.apply().await;
    assert_eq!(judge(&world.aude).await.unwrap_err().code(), "not_a_reviewer");
    let decided = world.decide(&world.rita, &proposal, DecisionVerdict::Reject).await;
    assert_eq!(decided.unwrap_err().code(), "not_pending");
    assert_eq!(world.withdraw(&world.crm, &proposal).await.unwrap_err().code(), "not_withdrawable");
    assert_eq!(world.crm.phase(&proposal).await, Phase::Approved(Execution::Unknown));
}

#[sqlx::test(migrations = "../migrations")]
async fn what_was_certainly_not_done_is_tried_again_with_the_same_key(
    options: PgPoolOptions,
    connect: PgConnectOptions,
) {
    let world = World::new(options, connect).await;
    let proposal = world.approved("ada").await;
    world.provider.enqueue_fault(Fault::RetryAfter(7));
    world.provider.enqueue_fault(Fault::ErrorBefore(401));

    let stopped = world.crm.apply().await.stopped;
    assert_eq!((stopped.reason, stopped.retry_after_ms), (StopReason::ProviderUnavailable, Some(7_000)));
    assert_eq!(world.crm.apply().await.stopped.reason, StopReason::CredentialRefused);
    assert_eq!(world.crm.phase(&proposal).await, Phase::Approved(Execution::Waiting));
    assert_eq!(world.crm.apply().await.writes[0].outcome, OutcomeClass::Applied);

    let keys: Vec<_> = world.provider.received_writes().into_iter().map(|write| write.idempotency_key).collect();
    assert_eq!(keys.len(), 3);
    assert!(keys.iter().all(|key| key.is_some() && *key == keys[0]), "{keys:?}");
    assert_eq!(world.provider.contact_count(), 1);
    world.assert_verifies().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_refusal_for_good_fails_and_stops_the_lane(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let first = world.approved("ada").await;
    world.approved("grace").await;
    world.provider.enqueue_fault(Fault::ErrorBefore(422));
    let report = world.crm.apply().await;
    assert_eq!(report.writes[0].outcome, OutcomeClass::Failed);
    assert_eq!((report.stopped.reason, report.stopped.proposal), (StopReason::Unacknowledged, Some(first.id.clone())));
    assert!(report.writes[0].provider_message.as_deref().unwrap().contains("ordered"));
    world.service.acknowledge(&world.rita, &first.id).await.unwrap();
    let again = world.service.acknowledge(&world.rita, &first.id).await;
    assert_eq!(again.unwrap_err().code(), "nothing_to_acknowledge");
    world.crm.apply().await;
    assert_eq!(world.created(), ["ada", "grace"]);
    world.assert_verifies().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn an_outcome_is_recorded_although_the_database_fails_for_a_moment(_: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::with(connect, |_| {}).await;
    world
        .arrange(
            "create sequence tries; grant usage on tries to countersign_server;
             create function fail_twice() returns trigger language plpgsql as $$
             begin if nextval('tries') < 3 then raise 'not now'; end if; return new; end $$;
             create trigger fail_twice before insert on outcome for each row execute function fail_twice()",
        )
        .await;
    let proposal = world.approved("ada").await;
    let report = world.crm.apply().await;
    assert_eq!(report.writes[0].outcome, OutcomeClass::Applied);
    assert_eq!(world.crm.phase(&proposal).await, Phase::Approved(Execution::Applied));
    assert_eq!(world.ask("select count(*)::text from outcome").await, "1");
    assert_eq!(world.created(), ["ada"]);
    world.assert_verifies().await;
}
