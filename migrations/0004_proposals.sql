-- Proposals, what people decided about them, and what was done.
-- The records come first; the projections, which can be recomputed from them
-- and are never believed where a record can be asked, come last.

create table proposal (
    id text primary key,
    connection_id text not null references connection,
    sequence bigint not null constraint proposal_sequence check (sequence > 0),
    -- The one sequence of its connection that it stands in: '' for the whole
    -- connection, an agent's id, or a keyed fingerprint of the entity.
    lane text not null,
    agent_id text not null references agent,
    token_id text not null references agent_token,
    on_behalf_of text not null references person,
    action text not null,
    manifest_digest bytea not null references manifest,
    policy_id text not null references policy_version,
    policy_digest bytea not null,
    content_commitment bytea not null
        constraint proposal_commitment check (octet_length(content_commitment) = 32),
    -- Seconds, as first set.
    approve_within bigint not null constraint proposal_approve_within check (approve_within > 0),
    apply_within bigint not null constraint proposal_apply_within check (apply_within > 0),
    idempotency_key text
        constraint proposal_idempotency_key check (idempotency_key ~ '^[A-Za-z0-9._:-]{1,64}$'),
    client_ref text
        constraint proposal_client_ref check (client_ref ~ '^[A-Za-z0-9._:-]{1,64}$'),
    proposed_at timestamptz not null,
    constraint proposal_order unique (connection_id, sequence)
);
-- A key names one proposal of an owner at a connection, for ever.
create unique index proposal_idempotency on proposal (on_behalf_of, connection_id, idempotency_key)
    where idempotency_key is not null;
create index proposal_agent on proposal (agent_id, proposed_at desc, id desc);
create index proposal_owner on proposal (on_behalf_of, proposed_at desc, id desc);
call make_append_only('proposal');

-- What a decision is bound to. A new round voids the decisions of the one before.
create table proposal_round (
    proposal_id text not null references proposal,
    round integer not null constraint proposal_round_number check (round > 0),
    cause text not null
        constraint proposal_round_cause check (cause in ('proposed', 'target_changed', 'agent_revoked')),
    target_digest bytea not null constraint proposal_round_target check (octet_length(target_digest) = 32),
    binding_digest bytea not null constraint proposal_round_binding check (octet_length(binding_digest) = 32),
    started_at timestamptz not null,
    primary key (proposal_id, round)
);
call make_append_only('proposal_round');

-- The input and everything else that can hold personal data, sealed under a key
-- of the proposal's own, which is sealed by a data key.
create table proposal_content (
    proposal_id text primary key references proposal,
    sealed_key bytea not null,
    sealed bytea not null,
    -- The plain digests alone, for lists that do not need the whole input.
    sealed_digests bytea not null
);
call make_append_only('proposal_content');

-- Comments, notes and reasons that people and agents add later; sealed alike.
create table proposal_text (
    -- The record that it belongs to.
    record_id text primary key,
    proposal_id text not null references proposal,
    sealed bytea not null
);
create index proposal_text_proposal on proposal_text (proposal_id);
call make_append_only('proposal_text');

create table decision (
    id text primary key,
    proposal_id text not null,
    round integer not null,
    -- The order of the decisions of one proposal.
    number integer not null constraint decision_number check (number > 0),
    binding_digest bytea not null constraint decision_binding check (octet_length(binding_digest) = 32),
    person_id text references person,
    rule text constraint decision_rule check (rule in ('automatic')),
    verdict text not null constraint decision_verdict check (verdict in ('approve', 'reject')),
    comment_commitment bytea,
    decided_at timestamptz not null,
    key_id text not null references working_key,
    signature bytea not null constraint decision_signature check (octet_length(signature) = 64),
    constraint decision_one_decider check (num_nonnulls(person_id, rule) = 1),
    constraint decision_rule_approves check (rule is null or verdict = 'approve'),
    constraint decision_order unique (proposal_id, number),
    foreign key (proposal_id, round) references proposal_round
);
call make_append_only('decision');

-- One try to execute, written before the call.
create table attempt (
    id text primary key,
    proposal_id text not null references proposal,
    number integer not null constraint attempt_number check (number > 0),
    connection_id text not null references connection,
    lane text not null,
    fence bigint not null constraint attempt_fence check (fence > 0),
    binding_digest bytea not null constraint attempt_binding check (octet_length(binding_digest) = 32),
    -- Sent with every try of the proposal, where the provider takes one.
    idempotency_key text not null,
    agent_id text references agent,
    person_id text references person,
    -- Keyed digest of the entity's watched properties before the call.
    before_digest bytea,
    started_at timestamptz not null,
    lease_until timestamptz not null,
    constraint attempt_one_applier check (num_nonnulls(agent_id, person_id) = 1),
    constraint attempt_order unique (proposal_id, number),
    -- Two appliers cannot hold one fence.
    constraint attempt_one_per_fence unique (connection_id, lane, fence)
);
call make_append_only('attempt');

-- How one try ended. `reply`: by the provider's answer. `recovery`: nobody came
-- back. `late`: an answer that came after the recovery, kept as evidence.
create table outcome (
    id text primary key,
    attempt_id text not null references attempt,
    source text not null constraint outcome_source check (source in ('reply', 'recovery', 'late')),
    class text not null
        constraint outcome_class check (class in ('not_sent', 'refused', 'failed', 'applied', 'unknown')),
    http_status integer constraint outcome_status check (http_status between 100 and 999),
    duration_ms bigint,
    -- From an allow-listed header; anything else of the answer is not kept.
    provider_request_id text
        constraint outcome_provider_request_id check (provider_request_id ~ '^[A-Za-z0-9._:-]{1,64}$'),
    after_digest bytea,
    ended_at timestamptz not null,
    constraint outcome_recovery_is_unknown check (source <> 'recovery' or class = 'unknown')
);
-- An attempt is ended once; only a late answer comes on top.
create unique index outcome_once on outcome (attempt_id) where source in ('reply', 'recovery');
create unique index outcome_late_once on outcome (attempt_id) where source = 'late';
call make_append_only('outcome');

-- A person's word on an outcome that is unknown.
create table verdict (
    id text primary key,
    attempt_id text not null constraint verdict_once unique references attempt,
    proposal_id text not null references proposal,
    person_id text not null references person,
    verdict text not null
        constraint verdict_verdict check (verdict in ('confirmed_applied', 'confirmed_not_applied')),
    note_commitment bytea not null constraint verdict_note check (octet_length(note_commitment) = 32),
    given_at timestamptz not null
);
call make_append_only('verdict');

-- What ends a proposal without a decision or an outcome, or lets its lane go on.
create table ending (
    id text primary key,
    proposal_id text not null references proposal,
    cause text not null
        constraint ending_cause check (cause in ('withdrawn', 'expired', 'lapsed', 'cancelled', 'superseded', 'acknowledged')),
    agent_id text references agent,
    person_id text references person,
    reason_commitment bytea,
    ended_at timestamptz not null,
    constraint ending_actor check (num_nonnulls(agent_id, person_id) <= 1),
    -- The clock ends a proposal by itself; everything else is somebody's act.
    constraint ending_by_clock check ((cause in ('expired', 'lapsed')) = (num_nonnulls(agent_id, person_id) = 0))
);
create unique index ending_once on ending (proposal_id) where cause <> 'acknowledged';
create unique index ending_acknowledged_once on ending (proposal_id) where cause = 'acknowledged';
call make_append_only('ending');

-- Projections -----------------------------------------------------------------

create table proposal_state (
    proposal_id text primary key references proposal,
    connection_id text not null references connection,
    lane text not null,
    sequence bigint not null,
    agent_id text not null,
    round integer not null default 1,
    decision text not null
        constraint proposal_state_decision check (decision in ('pending', 'approved', 'rejected', 'withdrawn', 'expired', 'superseded', 'cancelled')),
    execution text
        constraint proposal_state_execution check (execution in ('waiting', 'executing', 'applied', 'failed', 'unknown', 'lapsed', 'drifted', 'blocked', 'confirmed_applied', 'confirmed_not_applied')),
    approve_by timestamptz not null,
    approved_at timestamptz,
    -- When it became the first of its lane.
    first_at timestamptz,
    -- Set when nothing about it can change any more, so that its lane moves on.
    closed_at timestamptz,
    -- Why the last apply refused it, if its records did not agree.
    integrity_fault text,
    constraint proposal_state_axes check (decision = 'approved' or execution is null),
    constraint proposal_state_approved check ((decision = 'approved') = (execution is not null)),
    constraint proposal_state_approved_at check (decision <> 'approved' or approved_at is not null)
);
create index proposal_state_lane on proposal_state (connection_id, lane, sequence) where closed_at is null;
create index proposal_state_open on proposal_state (connection_id, sequence) where closed_at is null;
create index proposal_state_closed on proposal_state (connection_id, closed_at desc) where closed_at is not null;
create index proposal_state_pending on proposal_state (approve_by) where decision = 'pending';
create index proposal_state_agent on proposal_state (agent_id) where decision = 'pending';
grant select, insert, update (round, decision, execution, approved_at, first_at, closed_at, integrity_fault)
    on proposal_state to countersign_server;

-- Who may write in a lane at this moment. The fence only grows.
create table lane (
    connection_id text not null references connection,
    lane text not null,
    fence bigint not null default 0,
    holder text references attempt,
    lease_until timestamptz,
    primary key (connection_id, lane),
    constraint lane_lease check ((holder is null) = (lease_until is null))
);
grant select, insert, update (fence, holder, lease_until) on lane to countersign_server;

create function keep_fence_growing() returns trigger
language plpgsql
as $$
begin
    if new.fence < old.fence then
        raise exception 'a fence never goes back' using errcode = 'integrity_constraint_violation', constraint = 'lane_fence_grows';
    end if;
    return new;
end
$$;
create trigger lane_fence_grows before update on lane
    for each row execute function keep_fence_growing();

-- Keyed fingerprints, so that equal sealed values can be found.
create table fingerprint (
    proposal_id text not null references proposal,
    kind text not null constraint fingerprint_kind check (kind in ('equal', 'input_digest', 'entity')),
    value bytea not null constraint fingerprint_value check (octet_length(value) = 32),
    primary key (proposal_id, kind, value)
);
create index fingerprint_value_index on fingerprint (kind, value);
grant select, insert, delete on fingerprint to countersign_server;
