-- Who acts: people, who sign in and decide, and agents, who never decide.

create table person (
    id text primary key,
    -- What they type to sign in; compared without regard to case.
    login text not null constraint person_login check (login ~ '^[^\s]{1,254}$'),
    name text not null constraint person_name check (char_length(name) between 1 and 100),
    password_hash text not null,
    is_admin boolean not null default false,
    is_auditor boolean not null default false,
    created_at timestamptz not null,
    disabled_at timestamptz
);
create unique index person_login_key on person (lower(login));
grant select, insert, update (name, password_hash, is_admin, is_auditor, disabled_at)
    on person to countersign_server;

create table reviewer_group (
    id text primary key,
    name text not null constraint reviewer_group_name unique
        check (char_length(name) between 1 and 100),
    created_at timestamptz not null
);
grant select, insert on reviewer_group to countersign_server;

create table group_member (
    group_id text not null references reviewer_group,
    person_id text not null references person,
    added_at timestamptz not null,
    primary key (group_id, person_id)
);
create index group_member_person on group_member (person_id);
grant select, insert, delete on group_member to countersign_server;

-- Browser sessions. The id is the digest of what the cookie holds, so that a
-- reader of this table cannot sign in.
create table session (
    id bytea primary key constraint session_id check (octet_length(id) = 32),
    person_id text references person,
    data bytea not null,
    created_at timestamptz not null,
    expires_at timestamptz not null
);
create index session_person on session (person_id);
create index session_expiry on session (expires_at);
grant select, insert, update, delete on session to countersign_server;

-- The link that makes the first person; only its digest is kept.
create table setup_link (
    token_hash bytea primary key constraint setup_link_hash check (octet_length(token_hash) = 32),
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
);
grant select, insert, update (used_at) on setup_link to countersign_server;

create table agent (
    id text primary key,
    name text not null constraint agent_name unique
        check (name ~ '^[a-z][a-z0-9_-]{0,62}$'),
    -- On whose behalf it acts. It never changes.
    owner_id text not null references person,
    created_at timestamptz not null,
    revoked_at timestamptz
);
create index agent_owner on agent (owner_id);
grant select, insert, update (revoked_at) on agent to countersign_server;

-- A bearer token has 256 random bits, so that a plain SHA-256 of it suffices.
create table agent_token (
    id text primary key,
    agent_id text not null references agent,
    token_hash bytea not null constraint agent_token_hash unique check (octet_length(token_hash) = 32),
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz
);
create index agent_token_agent on agent_token (agent_id);
grant select, insert, update (revoked_at) on agent_token to countersign_server;
