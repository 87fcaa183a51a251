//! Records are only ever added: not the server's role, not the owner, not with
//! triggers for replication off.

use std::collections::BTreeSet;

use domain::proposal::Verdict;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Executor as _, PgPool};

use crate::world::World;

/// Every table of records. A new one belongs here.
const RECORDS: [&str; 12] = [
    "attempt",
    "decision",
    "ending",
    "event",
    "manifest",
    "outcome",
    "policy_version",
    "proposal",
    "proposal_content",
    "proposal_round",
    "proposal_text",
    "verdict",
];

/// Every other table: projections, keys, people, sessions. A new table that is
/// neither here nor above fails the test, so that nobody forgets to decide.
const CHANGEABLE: [&str; 16] = [
    "_sqlx_migrations",
    "agent",
    "agent_token",
    "chain",
    "connection",
    "connection_reviewers",
    "fingerprint",
    "group_member",
    "lane",
    "person",
    "proposal_state",
    "reviewer_group",
    "session",
    "setup_link",
    "token_scope",
    "working_key",
];

/// The tables with both triggers, each enabled whatever the session says.
const GUARDED: &str = "select relname::text from pg_class
    where (select count(*) from pg_trigger
           join pg_proc on pg_proc.oid = tgfoid
           where tgrelid = pg_class.oid and proname = 'refuse_change' and tgenabled = 'A') = 2
    order by 1";

#[sqlx::test(migrations = "../migrations")]
async fn every_table_is_a_table_of_records_or_may_change(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    assert_eq!(world.list(GUARDED).await, RECORDS);
    let all = "select relname::text from pg_class
               where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 1";
    let all: BTreeSet<String> = world.list(all).await.into_iter().collect();
    let known: BTreeSet<String> = RECORDS.iter().chain(&CHANGEABLE).map(|&table| table.to_owned()).collect();
    assert_eq!(all, known);
    let changed = "select distinct table_name::text from information_schema.column_privileges
                   where grantee = 'countersign_server' and privilege_type = 'UPDATE' order by 1";
    let changed = world.list(changed).await;
    assert!(changed.iter().all(|table| CHANGEABLE.contains(&table.as_str())), "{changed:?}");
}

#[sqlx::test(migrations = "../migrations")]
async fn the_server_may_not_change_a_record(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = with_every_record(options, connect).await;
    for table in RECORDS {
        for statement in changes(&world, table).await {
            assert_eq!(refusal(&world.pool, &statement).await, ("42501".to_owned(), String::new()), "{statement}");
        }
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn the_owner_may_not_change_a_record_either(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = with_every_record(options, connect).await;
    for role in ["origin", "replica"] {
        world
            .arrange(&format!("alter database {} set session_replication_role = {role}", database(&world).await))
            .await;
        let owner = PgPool::connect_with((*world.owner.connect_options()).clone()).await.unwrap();
        for table in RECORDS {
            for statement in changes(&world, table).await {
                let refused = refusal(&owner, &statement).await;
                assert_eq!(refused, ("23000".to_owned(), "append_only".to_owned()), "{statement} as {role}");
            }
        }
        owner.close().await;
    }
    world.assert_verifies().await;
}

/// Every way to change or remove a row. `cascade`, for else it is a reference that refuses.
async fn changes(world: &World, table: &str) -> Vec<String> {
    assert_ne!(world.ask(&format!("select count(*)::text from {table}")).await, "0", "{table} is empty");
    let columns = format!(
        "select attname::text from pg_attribute where attrelid = '{table}'::regclass and attnum > 0 and not attisdropped"
    );
    let updates =
        world.list(&columns).await.into_iter().map(|column| format!("update {table} set {column} = {column}"));
    updates.chain([format!("delete from {table}"), format!("truncate {table} cascade")]).collect()
}

/// The code and the constraint with which a statement is refused.
async fn refusal(pool: &PgPool, statement: &str) -> (String, String) {
    let error = pool.execute(AssertSqlSafe(statement.to_owned())).await.expect_err(statement);
    let error = error.into_database_error().unwrap();
    (error.code().unwrap().into_owned(), error.constraint().unwrap_or_default().to_owned())
}

async fn database(world: &World) -> String {
    world.ask("select quote_ident(current_database())").await
}

async fn with_every_record(options: PgPoolOptions, connect: PgConnectOptions) -> World {
    let world = World::new(options, connect).await;
    let proposal = world.approved("ada").await;
    world.provider.enqueue_fault(server::sandbox::Fault::DropBefore);
    world.crm.apply().await;
    let verdict = Verdict::ConfirmedNotApplied;
    world.service.judge_outcome(&world.rita, &proposal.id, verdict, "I looked").await.unwrap();
    world.service.acknowledge(&world.rita, &proposal.id).await.unwrap();
    world
}
