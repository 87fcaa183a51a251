//! Somebody with the whole database in their hands rewrites the history:
//! verification names the first event that is bad.

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::world::World;

/// A history of nine events on one connection: three proposals, approved and applied.
async fn nine_events(options: PgPoolOptions, connect: PgConnectOptions) -> World {
    let world = World::new(options, connect).await;
    for name in ["ada", "grace"] {
        world.approved(name).await;
    }
    world.crm.apply().await;
    world.crm.propose("katherine").await;
    assert_eq!(world.ask("select length::text from chain where id like 'con_%'").await, "9");
    world.assert_verifies().await;
    world
}

/// The first finding that has a place, and its place.
async fn first_finding(world: &World) -> String {
    let findings = world.findings().await;
    findings.into_iter().next().expect("something is found")
}

/// `$c` stands for the connection's events.
async fn tamper(world: &World, sql: &str) {
    world.tamper("event", &sql.replace("$c", "chain like 'con_%'")).await;
}

#[sqlx::test(migrations = "../migrations")]
async fn the_body_of_an_event_is_changed(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = nine_events(options, connect).await;
    let change =
        "update event set body = convert_to(replace(convert_from(body, 'UTF8'), '\"approve\"', '\"refuse\"'), 'UTF8')
                  where $c and sequence = 2";
    tamper(&world, change).await;
    assert_eq!(first_finding(&world).await, "event 2: its hash is not that of its content");
}

#[sqlx::test(migrations = "../migrations")]
async fn the_columns_beside_a_body_are_changed(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = nine_events(options, connect).await;
    tamper(&world, "update event set kind = 'proposal.rejected' where $c and sequence = 3").await;
    assert_eq!(first_finding(&world).await, "event 3: its columns do not say what its content says");
}

#[sqlx::test(migrations = "../migrations")]
async fn an_event_is_changed_together_with_its_hash(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = nine_events(options, connect).await;
    let change = "update event set body = changed.body, hash = sha256(event.prev || sha256(changed.body))
                  from (select sequence, convert_to(replace(convert_from(body, 'UTF8'), '\"approve\"', '\"refuse\"'), 'UTF8') as body
                        from event where $c and sequence = 2) as changed
                  where $c and event.sequence = changed.sequence";
    tamper(&world, change).await;
    assert_eq!(first_finding(&world).await, "event 3: it does not follow the event before it");
}

#[sqlx::test(migrations = "../migrations")]
async fn an_event_in_the_middle_is_deleted(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = nine_events(options, connect).await;
    tamper(&world, "delete from event where $c and sequence = 5").await;
    assert_eq!(first_finding(&world).await, "event 6: the events before it are missing");
}

#[sqlx::test(migrations = "../migrations")]
async fn the_first_event_is_deleted(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = nine_events(options, connect).await;
    tamper(&world, "delete from event where $c and sequence = 1").await;
    assert_eq!(first_finding(&world).await, "event 2: the events before it are missing");
}

#[sqlx::test(migrations = "../migrations")]
async fn two_events_are_swapped(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = nine_events(options, connect).await;
    let swap = "update event set sequence = 1004 - sequence where $c and sequence in (4, 5);
                update event set sequence = sequence - 995 where $c and sequence > 900";
    tamper(&world, swap).await;
    assert_eq!(first_finding(&world).await, "event 4: it does not follow the event before it");
}

#[sqlx::test(migrations = "../migrations")]
async fn an_event_is_added(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = nine_events(options, connect).await;
    let add = "insert into event select chain, 10, at, kind, connection_id, proposal_id, body, hash, sha256(hash || sha256(body))
               from event where $c and sequence = 9";
    tamper(&world, add).await;
    assert_eq!(first_finding(&world).await, "event 10: its columns do not say what its content says");
    let findings = world.findings().await;
    assert!(findings.contains(&"it ends at event 10, and its head says 9".to_owned()), "{findings:?}");
}

/// What cuts the last event off, and moves the head of the chain before it.
const CUT: &str = "delete from event where $c and sequence = 9";
const MOVE_HEAD: &str =
    "update chain set length = 8, head = (select prev from event where event.chain = chain.id and sequence = 9)
                         where id like 'con_%'";

#[sqlx::test(migrations = "../migrations")]
async fn the_tail_is_cut(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = nine_events(options, connect).await;
    tamper(&world, CUT).await;
    assert_eq!(first_finding(&world).await, "it ends at event 8, and its head says 9");
}

#[sqlx::test(migrations = "../migrations")]
async fn the_tail_is_cut_and_its_records_are_left(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = nine_events(options, connect).await;
    world.arrange(MOVE_HEAD).await;
    tamper(&world, CUT).await;
    assert_eq!(
        world.findings().await,
        ["proposal has 3 rows, and the history names 2", "proposal_round has 3 rows, and the history names 2",]
    );
}

/// This is the limit of what a database can prove by itself: who cuts the tail,
/// moves the head and removes the records of what they cut leaves a shorter
/// history that holds. Only a signed checkpoint that lies elsewhere, and says how
/// long the chain was, can show it.
#[sqlx::test(migrations = "../migrations")]
async fn a_tail_cut_with_all_its_records_is_not_seen_without_a_checkpoint(
    options: PgPoolOptions,
    connect: PgConnectOptions,
) {
    let world = nine_events(options, connect).await;
    world.arrange(MOVE_HEAD).await;
    tamper(&world, CUT).await;
    let third = "(select id from proposal where sequence = 3)";
    for table in ["proposal_round", "proposal_content", "proposal_state", "fingerprint"] {
        world.tamper(table, &format!("delete from {table} where proposal_id = {third}")).await;
    }
    world.tamper("proposal", "delete from proposal where sequence = 3").await;
    assert_eq!(world.findings().await, [""; 0]);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_record_is_deleted_and_its_event_is_left(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = nine_events(options, connect).await;
    let outcome = world.ask("select id from outcome order by ended_at limit 1").await;
    world.tamper("outcome", &format!("delete from outcome where id = '{outcome}'")).await;
    let finding = first_finding(&world).await;
    assert!(finding.contains(&format!("the record outcome {outcome} is missing")), "{finding}");
}

#[sqlx::test(migrations = "../migrations")]
async fn every_kind_of_record_is_named_when_it_is_changed(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    every_record(&world).await;
    world.assert_verifies().await;
    for (table, change) in [
        ("proposal", "client_ref = 'x'"),
        ("proposal_round", "started_at = started_at + interval '1 microsecond'"),
        ("decision", "comment_commitment = sha256('x')"),
        ("attempt", "idempotency_key = 'x'"),
        ("outcome", "class = 'applied', http_status = 200"),
        ("verdict", "verdict = 'confirmed_applied'"),
        ("ending", "reason_commitment = sha256('x')"),
        ("manifest", "title = 'x'"),
        ("policy_version", "created_at = created_at + interval '1 microsecond'"),
    ] {
        let row = format!("ctid = (select ctid from {table} order by ctid limit 1)");
        let before = world.ask(&format!("select one::text from {table} as one where {row}")).await;
        world.tamper(table, &format!("update {table} set {change} where {row}")).await;
        let findings = world.findings().await;
        let named = format!("the record {table} ");
        assert!(
            findings.iter().any(|finding| finding.contains(&named) && finding.contains("was changed")),
            "{findings:?}"
        );
        // The row again as it was, so that the next finding is about the next table.
        let again = format!(
            "delete from {table} where ctid = (select max(ctid) from {table});
                             insert into {table} select ('{}'::{table}).*",
            before.replace('\'', "''")
        );
        world.tamper(table, &again).await;
        world.assert_verifies().await;
    }
}

/// One record at least of every kind.
async fn every_record(world: &World) {
    use domain::proposal::Verdict::ConfirmedNotApplied;
    let proposal = world.approved("ada").await;
    world.provider.enqueue_fault(server::sandbox::Fault::DropBefore);
    world.crm.apply().await;
    world.service.judge_outcome(&world.rita, &proposal.id, ConfirmedNotApplied, "I looked").await.unwrap();
    world.service.acknowledge(&world.rita, &proposal.id).await.unwrap();
    let taken_back = world.crm.propose("grace").await;
    world.withdraw(&world.crm, &taken_back).await.unwrap();
}
