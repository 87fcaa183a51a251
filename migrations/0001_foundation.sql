-- What everything else stands on: the two roles, the one clock, the rule that
-- records are only ever added, the working keys, and the audit history.
--
-- The owner role runs these migrations. The server runs as countersign_server,
-- which can insert and read records, and change only projections.

do $$
begin
    if not exists (select from pg_roles where rolname = 'countersign_server') then
        create role countersign_server login;
    end if;
exception
    -- Another database of this cluster is being migrated at this moment.
    when duplicate_object or unique_violation then null;
end
$$;

grant usage on schema public to countersign_server;

-- The clock by which every deadline, lease and claim is judged. It is read by a
-- statement of its own after the row lock is held: now() would be the time at
-- which the transaction began. Tests replace it in their own database.
create function app_now() returns timestamptz
language sql volatile parallel unsafe
as 'select clock_timestamp()';

-- Records are never changed and never removed, not even by their owner.
create function refuse_change() returns trigger
language plpgsql
as $$
begin
    raise exception 'records in % are append-only: % is refused', tg_table_name, lower(tg_op)
        using errcode = 'integrity_constraint_violation',
              constraint = 'append_only';
end
$$;

-- Makes one table append-only: the grants for the server, one trigger for rows,
-- and one for TRUNCATE, which fires no row trigger.
create procedure make_append_only(name regclass)
language plpgsql
as $$
begin
    execute format('grant select, insert on %s to countersign_server', name);
    execute format('create trigger append_only_rows before update or delete on %s for each row execute function refuse_change()', name);
    execute format('create trigger append_only_table before truncate on %s for each statement execute function refuse_change()', name);
    execute format('alter table %s enable always trigger append_only_rows', name);
    execute format('alter table %s enable always trigger append_only_table', name);
end
$$;

-- Random keys, sealed by the master key, which lies outside the database.
-- Rotating the master key re-seals them, so the sealed column may change.
create table working_key (
    id text primary key,
    purpose text not null
        constraint working_key_purpose check (purpose in ('data', 'fingerprint', 'signing')),
    sealed bytea not null,
    -- Of a signing key: what verifies its signatures.
    public bytea
        constraint working_key_public check ((purpose = 'signing') = (public is not null)),
    created_at timestamptz not null,
    retired_at timestamptz
);
-- One key of each purpose is in use; retired ones stay readable.
create unique index working_key_in_use on working_key (purpose) where retired_at is null;
grant select, insert, update (sealed, retired_at) on working_key to countersign_server;

-- The head of each hash chain: one for every connection, one for administration.
create table chain (
    id text primary key,
    length bigint not null constraint chain_length check (length >= 0),
    head bytea not null constraint chain_head check (octet_length(head) = 32)
);
grant select, insert, update (length, head) on chain to countersign_server;

-- The audit history. `body` is the canonical JSON that is hashed; the columns
-- beside it repeat some of its facts so that they can be searched, and
-- verification compares them.
create table event (
    chain text not null references chain,
    sequence bigint not null constraint event_sequence check (sequence > 0),
    at timestamptz not null,
    kind text not null,
    connection_id text,
    proposal_id text,
    body bytea not null,
    prev bytea not null constraint event_prev check (octet_length(prev) = 32),
    hash bytea not null constraint event_hash check (octet_length(hash) = 32),
    primary key (chain, sequence),
    -- A fork would give one event two successors.
    constraint event_no_fork unique (chain, prev)
);
create index event_by_time on event (at desc, chain desc, sequence desc);
create index event_by_connection on event (connection_id, at desc, chain desc, sequence desc);
create index event_by_proposal on event (proposal_id, sequence) where proposal_id is not null;
call make_append_only('event');
