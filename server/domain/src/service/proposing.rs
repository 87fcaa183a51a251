//! Propose: what is found out before the lock, and what is recorded under it.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use sqlx::PgConnection;
use url::Url;

use super::Service;
use super::connections::{policy_in_force, scope, scope_missing, target_digest};
use super::proposals::{NewProposal, Proposed, binding};
use crate::actor::{Agent, Scope};
use crate::audit::{Entry, EventActor};
use crate::canonical::{canonical_bytes, escape_pointer};
use crate::connector::call::build_call;
use crate::connector::schema::{Violation, prepare_input};
use crate::db;
use crate::db::connections::{ConnectionRow, LaneOrder};
use crate::db::proposals::ContentRow;
use crate::db::records::{PolicyRow, ProposalRow, Record as _, RoundRow};
use crate::db::states::State;
use crate::digest::Digest;
use crate::error::{Error, Kind, Refusal, Result, conflict, forbidden, invalid_at, not_found};
use crate::ids::{AgentId, ProposalId};
use crate::integrity::{Content, DecidedBy, DecisionVerdict, SealedContent};
use crate::policy::{Approval, Policy};
use crate::proposal::{Execution, Phase};
use crate::random;

/// How many proposals of one agent may wait for people at once.
const PENDING_OF_AGENT: i64 = 200;
/// How many proposals of one connection may be open at once.
const OPEN_OF_CONNECTION: i64 = 1_000;
/// How many characters a reason may have.
const REASON_MAX: usize = 2_000;

impl Service {
    /// Records a wanted write. Nothing is sent.
    ///
    /// # Errors
    /// `not_found` for the connection, `action_unknown`, `scope_missing`, `forbidden_by_policy`,
    /// `input_invalid` with a pointer, `secret_placeholder`, `reason_too_long`, `key_malformed`,
    /// `idempotency_conflict`, `queue_full`, `connection_disabled`, `call_invalid`.
    pub async fn propose(&self, by: &Agent, connection: &str, new: NewProposal) -> Result<Proposed> {
        let scope = scope(by, connection)?;
        if !scope.propose {
            return Err(scope_missing("propose", connection));
        }
        let draft = self.draft(by, scope, new).await?;
        let mut tx = self.pool.begin().await?;
        let row = db::connections::lock(&mut tx, &scope.connection).await?.ok_or_else(|| not_found("connection"))?;
        let now = db::now(&mut tx).await?;
        if let Some(existing) = existing(&mut tx, by, &row, &draft).await? {
            tx.rollback().await?;
            let proposal = self.proposal(by, &existing).await?;
            return Ok(Proposed { proposal, existing: true, filled: draft.filled });
        }
        check_room(&mut tx, &row, by).await?;
        let id = self.record(&mut tx, by, &row, &draft, now).await?;
        tx.commit().await?;
        Ok(Proposed { proposal: self.proposal(by, &id).await?, existing: false, filled: draft.filled })
    }

    /// Everything about a wanted write that can be found out before the lock.
    async fn draft(&self, by: &Agent, scope: &Scope, new: NewProposal) -> Result<Draft> {
        check_words(&new)?;
        let mut conn = self.pool.acquire().await?;
        let connection = db::connections::find(&mut conn, scope.connection.as_str())
            .await?
            .ok_or_else(|| not_found("connection"))?;
        let manifest = self.manifest(&mut conn, &connection.manifest_digest).await?;
        let (policy, policy_row) = policy_in_force(&mut conn, &connection.id).await?;
        drop(conn);

        let action = manifest.actions.get(&new.action).ok_or_else(|| {
            let names: Vec<&str> = manifest.actions.keys().map(String::as_str).collect();
            invalid_at(
                "/action",
                "action_unknown",
                format!("{} has these actions: {}.", connection.name, names.join(", ")),
            )
        })?;
        let approval = policy.approval_of(&action.name, action.approval);
        if approval == Approval::Forbidden {
            return Err(forbidden(
                "forbidden_by_policy",
                format!(
                    "The policy of {} forbids {}. Nothing was recorded; ask an admin.",
                    connection.name, action.name
                ),
            ));
        }
        if let Some(pointer) = secret_placeholder(&new.input) {
            return Err(invalid_at(
                format!("/input{pointer}"),
                "secret_placeholder",
                "An input must not have a key $secret: that is how this server writes a hidden value.",
            ));
        }
        let prepared = prepare_input(&action.input, new.input).map_err(|violations| refused_input(&violations))?;
        let base_url = Url::parse(&connection.base_url).map_err(Error::internal)?;
        let call = build_call(&manifest, action, &base_url, &prepared.input)
            .map_err(|error| invalid_at(format!("/input{}", error.pointer), "call_invalid", error.message))?;
        let entities = action.entities(&prepared.input);
        let call = serde_json::to_value(&call).map_err(Error::internal)?;
        let content = Content::new(prepared.input, call, Vec::new(), entities, new.reason);
        let equal = self.vault.fingerprint(
            "equal",
            &[
                by.owner.as_str().as_bytes(),
                connection.id.as_str().as_bytes(),
                action.name.as_bytes(),
                &canonical_bytes(&content.input),
            ],
        );
        let lane = match connection.lane_order {
            LaneOrder::Connection => String::new(),
            LaneOrder::Agent => by.id.as_str().to_owned(),
            LaneOrder::Entity => self.entity_lane(&content, &by.id),
        };
        Ok(Draft {
            action: action.name.clone(),
            approval,
            target: target_digest(&connection, &manifest),
            manifest: connection.manifest_digest,
            policy,
            policy_row,
            content: SealedContent { salt: random::bytes(), content },
            lane,
            equal,
            filled: prepared.filled,
            idempotency_key: new.idempotency_key,
            client_ref: new.client_ref,
        })
    }

    /// A keyed name of the first entity that is written; without one, the agent's own lane.
    fn entity_lane(&self, content: &Content, agent: &AgentId) -> String {
        content.entities.first().map_or_else(
            || agent.as_str().to_owned(),
            |entity| crate::audit::hex(&self.vault.fingerprint("entity", &[entity.as_bytes()])),
        )
    }

    /// Writes the proposal, its first round, its content and its state.
    async fn record(
        &self,
        tx: &mut PgConnection,
        by: &Agent,
        connection: &ConnectionRow,
        draft: &Draft,
        now: DateTime<Utc>,
    ) -> Result<ProposalId> {
        let id = ProposalId::from_random(random::bytes());
        let seconds = |seconds: u64| i64::try_from(seconds).map_err(Error::internal);
        let row = ProposalRow {
            id: id.as_str().to_owned(),
            connection_id: connection.id.as_str().to_owned(),
            sequence: db::connections::next_sequence(tx, &connection.id).await?,
            lane: draft.lane.clone(),
            agent_id: by.id.as_str().to_owned(),
            token_id: by.token.as_str().to_owned(),
            on_behalf_of: by.owner.as_str().to_owned(),
            action: draft.action.clone(),
            manifest_digest: draft.manifest.as_bytes().to_vec(),
            policy_id: draft.policy_row.id.clone(),
            policy_digest: draft.policy_row.policy_digest.clone(),
            content_commitment: draft.content.commitment().as_bytes().to_vec(),
            approve_within: seconds(draft.policy.approve_within)?,
            apply_within: seconds(draft.policy.apply_within)?,
            idempotency_key: draft.idempotency_key.clone(),
            client_ref: draft.client_ref.clone(),
            proposed_at: now,
        };
        row.insert(tx).await?;
        let binding = binding(&row, 1, &draft.target)?;
        let round = RoundRow {
            proposal_id: row.id.clone(),
            round: 1,
            cause: "proposed".to_owned(),
            target_digest: draft.target.as_bytes().to_vec(),
            binding_digest: binding.digest().as_bytes().to_vec(),
            started_at: now,
        };
        round.insert(tx).await?;
        self.seal_content(tx, &id, draft).await?;

        let mut records = vec![row.record_digest(), round.record_digest()];
        let automatic = draft.approval == Approval::Automatic;
        if automatic {
            let decision = self.signed_decision(
                &row,
                &round,
                1,
                &DecidedBy::Rule("automatic".to_owned()),
                DecisionVerdict::Approve,
                None,
                now,
            )?;
            decision.insert(tx).await?;
            records.push(decision.record_digest());
        }
        let phase = if automatic { Phase::Approved(Execution::Waiting) } else { Phase::Pending };
        let state = State {
            proposal: id.clone(),
            connection: connection.id.clone(),
            lane: row.lane.clone(),
            sequence: row.sequence,
            agent: row.agent_id.clone(),
            round: 1,
            phase,
            approve_by: now + TimeDelta::seconds(row.approve_within),
            approved_at: automatic.then_some(now),
            first_at: None,
            closed_at: None,
            integrity_fault: None,
        };
        db::states::insert(tx, &state).await?;
        db::states::note_first(tx, &connection.id, &row.lane, now).await?;

        let facts = json!({
            "sequence": row.sequence, "agent": row.agent_id, "on_behalf_of": row.on_behalf_of,
            "action": row.action, "binding": binding.digest(), "decision": phase.decision(),
        });
        let actor = EventActor::Agent(by.id.clone());
        let entry = Entry::of_proposal(&connection.id, &id, "proposal.proposed", actor, facts, records);
        db::audit::append(tx, now, &entry).await?;
        Ok(id)
    }

    async fn seal_content(&self, tx: &mut PgConnection, id: &ProposalId, draft: &Draft) -> Result<()> {
        let (key, sealed_key) = self.vault.new_content_key(id);
        let content = &draft.content.content;
        let digests = [content.input_digest.as_bytes().as_slice(), content.call_digest.as_bytes()].concat();
        let row = ContentRow {
            sealed_key,
            sealed: key.seal("content", &draft.content.to_bytes()),
            sealed_digests: key.seal("digests", &digests),
        };
        db::proposals::insert_content(tx, id, &row).await?;
        db::proposals::insert_fingerprint(tx, id, "equal", &draft.equal).await?;
        let by_digest = self.vault.fingerprint("input_digest", &[content.input_digest.as_bytes()]);
        db::proposals::insert_fingerprint(tx, id, "input_digest", &by_digest).await?;
        for entity in &content.entities {
            let value = self.vault.fingerprint("entity", &[entity.as_bytes()]);
            db::proposals::insert_fingerprint(tx, id, "entity", &value).await?;
        }
        Ok(())
    }
}

/// A proposal before it has an id and a place.
struct Draft {
    action: String,
    approval: Approval,
    target: Digest,
    manifest: Digest,
    policy: Policy,
    policy_row: PolicyRow,
    content: SealedContent,
    lane: String,
    equal: [u8; 32],
    filled: Vec<String>,
    idempotency_key: Option<String>,
    client_ref: Option<String>,
}

/// A proposal that this one would repeat: by its key if it has one, else an open equal one.
async fn existing(
    tx: &mut PgConnection,
    by: &Agent,
    connection: &ConnectionRow,
    draft: &Draft,
) -> Result<Option<ProposalId>> {
    let id = if let Some(key) = &draft.idempotency_key {
        let Some(row) = ProposalRow::find_by_key(tx, by.owner.as_str(), connection.id.as_str(), key).await? else {
            return Ok(None);
        };
        // After an erasure there is nothing left to compare with: the key alone decides.
        if db::proposals::has_fingerprint(tx, &row.id, "equal", &draft.equal).await? == Some(false) {
            return Err(conflict(
                "idempotency_conflict",
                format!("This idempotency key names {} with another input. Take a new key for another write.", row.id),
            ));
        }
        Some(row.id)
    } else {
        db::proposals::find_open_equal(tx, &draft.equal).await?
    };
    id.map(|id| id.parse().map_err(Error::internal)).transpose()
}

async fn check_room(tx: &mut PgConnection, connection: &ConnectionRow, by: &Agent) -> Result<()> {
    if !connection.enabled {
        return Err(conflict("connection_disabled", format!("{} is disabled. Ask an admin.", connection.name)));
    }
    let (of_connection, of_agent) = db::states::count_open(tx, &connection.id, by.id.as_str()).await?;
    let full = |who: &str, most: i64| {
        Error::from(Refusal::new(
            Kind::Limited,
            "queue_full",
            format!("{who} has {most} proposals that wait. Apply or withdraw some, or wait until people have decided."),
        ))
    };
    if of_agent >= PENDING_OF_AGENT {
        return Err(full("This agent", PENDING_OF_AGENT));
    }
    if of_connection >= OPEN_OF_CONNECTION {
        return Err(full(&connection.name, OPEN_OF_CONNECTION));
    }
    Ok(())
}

fn check_words(new: &NewProposal) -> Result<()> {
    if new.reason.as_deref().is_some_and(|reason| reason.chars().count() > REASON_MAX) {
        return Err(invalid_at("/reason", "reason_too_long", "A reason has at most 2,000 characters."));
    }
    for (pointer, word) in [("/idempotency_key", &new.idempotency_key), ("/client_ref", &new.client_ref)] {
        if word.as_deref().is_some_and(|word| !is_key(word)) {
            return Err(invalid_at(pointer, "key_malformed", "This is 1 to 64 of the characters A-Z a-z 0-9 . _ : -"));
        }
    }
    Ok(())
}

fn is_key(word: &str) -> bool {
    (1..=64).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte))
}

/// Where an object has the key `$secret`.
fn secret_placeholder(value: &Value) -> Option<String> {
    match value {
        Value::Object(members) => members.iter().find_map(|(key, member)| {
            if key == "$secret" {
                return Some("/$secret".to_owned());
            }
            secret_placeholder(member).map(|rest| format!("/{}{rest}", escape_pointer(key)))
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| secret_placeholder(item).map(|rest| format!("/{index}{rest}"))),
        _ => None,
    }
}

/// The first violation with its place, and the next few in words.
pub(super) fn refused_input(violations: &[Violation]) -> Error {
    let said: Vec<String> = violations
        .iter()
        .take(5)
        .map(|violation| {
            let place = if violation.pointer.is_empty() { "/" } else { &violation.pointer };
            format!("{place}: {}", violation.message)
        })
        .collect();
    let more = violations.len().saturating_sub(said.len());
    let rest = if more > 0 { format!(" And {more} more.") } else { String::new() };
    let pointer = violations.first().map_or("", |violation| violation.pointer.as_str());
    invalid_at(
        format!("/input{pointer}"),
        "input_invalid",
        format!("The input does not fit the action: {}.{rest}", said.join("; ")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_of_a_few_characters() {
        for good in ["a", "A-1._:x", &"k".repeat(64)] {
            assert!(is_key(good), "{good}");
        }
        for bad in ["", "a b", "ä", "a/b", "a\n", &"k".repeat(65)] {
            assert!(!is_key(bad), "{bad}");
        }
    }

    #[test]
    fn a_secret_placeholder_is_found_wherever_it_is() {
        for (value, place) in [
            (json!({"$secret": 1}), Some("/$secret")),
            (json!({"a/b": [0, {"$secret": {}}]}), Some("/a~1b/1/$secret")),
            (json!({"secret": "$secret"}), None),
        ] {
            assert_eq!(secret_placeholder(&value).as_deref(), place);
        }
    }
}
