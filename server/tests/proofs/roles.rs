//! What the server's role may do in the database, and nothing else.

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Executor as _};

use crate::world::World;

/// Every column that the server may UPDATE. Whoever grants another writes it
/// down here, with a reason why it is no record.
const UPDATABLE: [&str; 24] = [
    "agent.revoked_at",
    "agent_token.revoked_at",
    "chain.head",
    "chain.length",
    "connection.enabled",
    "connection.last_sequence",
    "lane.fence",
    "lane.holder",
    "lane.lease_until",
    "person.disabled_at",
    "person.is_admin",
    "person.is_auditor",
    "person.name",
    "person.password_hash",
    "proposal_state.approved_at",
    "proposal_state.closed_at",
    "proposal_state.decision",
    "proposal_state.execution",
    "proposal_state.first_at",
    "proposal_state.integrity_fault",
    "proposal_state.round",
    "setup_link.used_at",
    "working_key.retired_at",
    "working_key.sealed",
];

#[sqlx::test(migrations = "../migrations")]
async fn the_server_updates_these_columns_and_no_others(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let granted = "select table_name || '.' || column_name from information_schema.column_privileges
                   where grantee = 'countersign_server' and privilege_type = 'UPDATE'
                     and table_name <> 'session'
                   order by 1";
    assert_eq!(world.list(granted).await, UPDATABLE);
    // A whole table only where nothing in it is a record: sessions.
    let whole = "select table_name::text from information_schema.table_privileges
                 where grantee = 'countersign_server' and privilege_type = 'UPDATE'";
    assert_eq!(world.list(whole).await, ["session"]);
    // Beside SELECT and INSERT, tables may only lose rows that are no records.
    let others = "select table_name || ' ' || privilege_type from information_schema.table_privileges
                  where grantee = 'countersign_server' and privilege_type not in ('SELECT', 'INSERT', 'UPDATE')
                  order by 1";
    assert_eq!(
        world.list(others).await,
        ["connection_reviewers DELETE", "fingerprint DELETE", "group_member DELETE", "session DELETE"]
    );
}

#[sqlx::test(migrations = "../migrations")]
async fn the_server_moves_no_proposal_and_no_deadline(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    world.crm.propose("ada").await;
    let columns = "select attname::text from pg_attribute where attrelid = 'proposal_state'::regclass and attnum > 0";
    let mut refused = Vec::new();
    for column in world.list(columns).await {
        let update = format!("update proposal_state set {column} = {column}");
        if let Err(error) = world.pool.execute(AssertSqlSafe(update)).await {
            assert_eq!(error.into_database_error().unwrap().code().unwrap(), "42501");
            refused.push(column);
        }
    }
    assert_eq!(refused, ["proposal_id", "connection_id", "lane", "sequence", "agent_id", "approve_by"]);
}

#[sqlx::test(migrations = "../migrations")]
async fn the_server_changes_no_rule_of_the_database(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let mut server = world.pool.acquire().await.unwrap();
    for statement in [
        "alter table proposal disable trigger all",
        "alter table proposal disable trigger append_only_rows",
        "alter table event drop constraint event_no_fork",
        "drop trigger append_only_rows on decision",
        "drop table verdict",
        "truncate lane",
        "delete from lane",
        "delete from proposal_state",
        "update connection set base_url = 'http://elsewhere'",
        "update connection set credential = null",
        "update policy_version set body = ''",
        "create table mine (a int)",
        "create schema mine",
        "create function mine() returns int language sql as 'select 1'",
        "create or replace function app_now() returns timestamptz language sql as 'select now()'",
        "create or replace function refuse_change() returns trigger language plpgsql as 'begin return new; end'",
        "call make_append_only('lane')",
        "create role mine superuser",
        "alter role countersign_server superuser",
        "set session_replication_role = replica",
        "copy proposal to program 'cat'",
    ] {
        let tried = server.execute(AssertSqlSafe(statement)).await;
        let error = tried.expect_err(statement).into_database_error().unwrap();
        assert_eq!(error.code().unwrap(), "42501", "{statement}: {error}");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn the_servers_role_is_nobody_special(options: PgPoolOptions, connect: PgConnectOptions) {
    let world = World::new(options, connect).await;
    let special = "select concat_ws(' ', rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls)
                   from pg_roles where rolname = 'countersign_server'";
    assert_eq!(world.ask(special).await, "f f f f f");
    let member_of = "select count(*)::text from pg_auth_members where member = 'countersign_server'::regrole";
    assert_eq!(world.ask(member_of).await, "0");
    let owned = "select count(*)::text from pg_class where relowner = 'countersign_server'::regrole";
    assert_eq!(world.ask(owned).await, "0");
}
