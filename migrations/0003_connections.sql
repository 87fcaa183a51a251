-- Where writes go, and under which rules.

-- A connector's manifest, stored under the digest of its canonical JSON.
create table manifest (
    digest bytea primary key constraint manifest_digest check (octet_length(digest) = 32),
    name text not null,
    title text not null,
    body bytea not null,
    loaded_at timestamptz not null
);
call make_append_only('manifest');

create table connection (
    id text primary key,
    name text not null constraint connection_name unique
        check (name ~ '^[a-z][a-z0-9_]{0,40}$')
        constraint connection_name_reserved
        check (name not in ('syncs', 'proposals', 'context', 'agents')),
    base_url text not null,
    -- Sealed by a data key; null when the connector needs none.
    credential bytea,
    -- HMAC of the credential: a part of the target, and not the credential.
    account bytea not null constraint connection_account check (octet_length(account) = 32),
    manifest_digest bytea not null references manifest,
    -- Private or loopback addresses are called only where this names the host.
    allowed_host text,
    lane_order text not null
        constraint connection_lane_order check (lane_order in ('connection', 'agent', 'entity')),
    on_failure text not null
        constraint connection_on_failure check (on_failure in ('stop', 'continue')),
    enabled boolean not null default true,
    last_sequence bigint not null default 0,
    created_at timestamptz not null
);
-- UPDATE of base_url, credential and so on comes with the operation that
-- changes a target and starts new rounds.
grant select, insert, update (last_sequence, enabled) on connection to countersign_server;

-- The rules of a connection. The newest version is the one in force; a
-- proposal is also held to the one under which it was made.
create table policy_version (
    id text primary key,
    connection_id text not null references connection,
    version integer not null constraint policy_version_number check (version > 0),
    body bytea not null,
    policy_digest bytea not null constraint policy_version_digest check (octet_length(policy_digest) = 32),
    created_at timestamptz not null,
    constraint policy_version_key unique (connection_id, version)
);
call make_append_only('policy_version');

-- What one token may do at one connection.
create table token_scope (
    token_id text not null references agent_token,
    connection_id text not null references connection,
    can_read boolean not null,
    can_propose boolean not null,
    can_apply boolean not null,
    primary key (token_id, connection_id),
    constraint token_scope_any check (can_read or can_propose or can_apply)
);
create index token_scope_connection on token_scope (connection_id);
grant select, insert on token_scope to countersign_server;

-- Projection of the policy in force: the groups that review a connection, and
-- so see it.
create table connection_reviewers (
    connection_id text not null references connection,
    group_id text not null references reviewer_group,
    primary key (connection_id, group_id)
);
create index connection_reviewers_group on connection_reviewers (group_id);
grant select, insert, delete on connection_reviewers to countersign_server;
