//! One proposal as a person sees it.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgConnection;

use super::Service;
use super::decisions::{CannotDecide, Case, open_text};
use super::locked::Locked;
use super::proposals::binding;
use crate::actor::SignedIn;
use crate::db;
use crate::db::records::{AttemptRow, DecisionRow, EndingRow, OutcomeRow, VerdictRow};
use crate::digest::Digest;
use crate::error::{Error, Result, not_found};
use crate::ids::{AgentId, AttemptId, ConnectionId, GroupId, PersonId, ProposalId};
use crate::integrity::{Evidence, SealedContent};
use crate::proposal::{Execution, OutcomeClass, Phase};

/// How long a value in the sentence that sums an action up may be.
const SUMMARY_VALUE: usize = 60;
/// How many names of people who can decide are shown.
const NAMES: i64 = 20;

/// A person by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonName {
    /// Their id.
    pub id: PersonId,
    /// Their name.
    pub name: String,
}

/// One proposal as a person sees it.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that this person may do now")]
pub struct ProposalView {
    /// Its id.
    pub id: ProposalId,
    /// The connection's id.
    pub connection_id: ConnectionId,
    /// The connection's name.
    pub connection: String,
    /// What the connector calls itself.
    pub connector_title: String,
    /// The connection's base URL.
    pub base_url: String,
    /// The action's name.
    pub action: String,
    /// The action's title.
    pub action_title: String,
    /// What it does, in one sentence of the manifest; with short values of the
    /// input in it, quoted, where the viewer may see them.
    pub action_summary: Option<String>,
    /// `low`, `medium` or `high`.
    pub risk: &'static str,
    /// The agent's id.
    pub agent_id: AgentId,
    /// The agent's name.
    pub agent: String,
    /// On whose behalf.
    pub on_behalf_of: PersonName,
    /// The agent's own reference.
    pub client_ref: Option<String>,
    /// Its place in the connection's sequence.
    pub sequence: i64,
    /// How many open proposals stand before it in its lane.
    pub ahead: i64,
    /// How many open proposals wait behind it in its lane.
    pub behind: i64,
    /// Where it stands.
    pub phase: Phase,
    /// The binding round.
    pub round: i32,
    /// What decisions are bound to.
    pub binding_digest: Digest,
    /// Content, salt and binding, so that the browser can recompute everything.
    /// Absent where the viewer may not see the input.
    pub evidence: Option<Evidence>,
    /// When it was proposed.
    pub proposed_at: DateTime<Utc>,
    /// Until when it must be decided.
    pub approve_by: DateTime<Utc>,
    /// When it was approved.
    pub approved_at: Option<DateTime<Utc>>,
    /// Until when it must be applied, once that is known.
    pub apply_by: Option<DateTime<Utc>>,
    /// Every decision so far, oldest first.
    pub votes: Vec<VoteView>,
    /// What is asked for, and how much of it is there.
    pub requirements: Vec<RequirementView>,
    /// Whether the agent's owner may not decide.
    pub four_eyes: bool,
    /// Whether this person may decide, and why not.
    pub can_decide: Result<(), CannotDecide>,
    /// Who can, by name, at most 20.
    pub who_can_decide: Vec<PersonName>,
    /// Earlier proposals with the same input of the same owner, at most 5.
    pub same_as: Vec<ProposalId>,
    /// Every try, oldest first.
    pub attempts: Vec<AttemptView>,
    /// Whether the last apply found that its records do not agree.
    pub integrity_fault: Option<String>,
    /// Who withdrew or cancelled it, and the reason they gave.
    pub ended: Option<EndingView>,
    /// Whether this person may take it back or call it off now.
    pub can_withdraw: bool,
    /// Whether this person may judge its unknown outcome now.
    pub can_judge: bool,
    /// Whether this person may acknowledge that it was not done.
    pub can_acknowledge: bool,
    /// When this was read.
    pub at: DateTime<Utc>,
}

/// One decision.
#[derive(Debug, Clone)]
pub struct VoteView {
    /// Who decided; `None` if a rule did.
    pub person: Option<PersonName>,
    /// Whether they approved.
    pub approves: bool,
    /// When.
    pub at: DateTime<Utc>,
    /// What they wrote.
    pub comment: Option<String>,
    /// The round that it was for.
    pub round: i32,
    /// Whether a newer one of the same person took its place.
    pub replaced: bool,
}

/// One requirement of the policy.
#[derive(Debug, Clone)]
pub struct RequirementView {
    /// The group's name.
    pub group: String,
    /// How many are asked for.
    pub needed: u32,
    /// How many approved.
    pub have: u32,
}

/// One try to execute.
#[derive(Debug, Clone)]
pub struct AttemptView {
    /// Its id.
    pub id: AttemptId,
    /// 1 for the first.
    pub number: i32,
    /// The agent or person that applied, by name.
    pub by: String,
    /// When it was claimed.
    pub started_at: DateTime<Utc>,
    /// How it ended, once it has.
    pub outcome: Option<OutcomeClass>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// The provider's status.
    pub http_status: Option<i32>,
    /// How long the call took.
    pub duration_ms: Option<i64>,
    /// The provider's own id of the call.
    pub provider_request_id: Option<String>,
    /// What a person said of it: who, whether it was done, the note.
    pub verdict: Option<(PersonName, bool, String)>,
}

/// How it was ended without a decision or an outcome.
#[derive(Debug, Clone)]
pub struct EndingView {
    /// The agent's or the person's name; `the clock` where time ended it.
    pub by: String,
    /// When.
    pub at: DateTime<Utc>,
    /// What they wrote.
    pub reason: Option<String>,
}

impl Service {
    /// One proposal: for the connection's reviewers, the agent's owner, auditors
    /// and admins; its input only for the first three.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn proposal_view(&self, by: &SignedIn, id: &ProposalId) -> Result<ProposalView> {
        let mut tx = self.pool.begin().await?;
        let state = db::states::find(&mut tx, id).await?.ok_or_else(|| not_found("proposal"))?;
        let found = Locked::of(&mut tx, state).await?;
        let case = Case::of(&mut tx, found, &[by.id().as_str().to_owned()]).await?;
        if !case.is_visible_to(by.person()) {
            return Err(not_found("proposal"));
        }
        let at = db::now(&mut tx).await?;
        let connection = db::connections::find(&mut tx, case.locked.state.connection.as_str())
            .await?
            .ok_or_else(|| not_found("connection"))?;
        let wrong = |what: &str| Error::internal(format!("{id}: {what} has another length"));
        let manifest_digest =
            db::connections::digest(&case.row.manifest_digest).ok_or_else(|| wrong("the manifest digest"))?;
        let manifest = self.manifest(&mut tx, &manifest_digest).await?;
        let action = manifest.actions.get(&case.row.action);
        let (ahead, behind) = db::states::neighbours(&mut tx, &case.locked.state).await?;
        let phase = case.locked.state.phase;
        let is_reviewer = case.is_reviewer(by.id());
        let is_owner = case.owner == *by.id();
        let texts =
            if case.is_input_visible_to(by.person()) { self.texts(&mut tx, id).await? } else { BTreeMap::new() };
        let evidence = self.evidence(&mut tx, &case, by).await?;
        let decisions = DecisionRow::of_proposal(&mut tx, id.as_str()).await?;
        let names = Names::load(&mut tx, &case, &decisions).await?;
        let view = ProposalView {
            id: id.clone(),
            connection_id: case.locked.state.connection.clone(),
            connection: connection.name,
            connector_title: manifest.title.clone(),
            base_url: connection.base_url,
            action: case.row.action.clone(),
            action_title: action.map_or_else(|| case.row.action.clone(), |action| action.title.clone()),
            action_summary: action
                .and_then(|action| action.summary.as_deref())
                .map(|text| filled(text, evidence.as_ref())),
            risk: action.map_or("high", |action| action.risk.as_str()),
            agent_id: case.row.agent_id.parse().map_err(Error::internal)?,
            agent: names.agent(&case.row.agent_id),
            on_behalf_of: names.person(&case.row.on_behalf_of)?,
            client_ref: case.row.client_ref.clone(),
            sequence: case.row.sequence,
            ahead: if case.locked.state.closed_at.is_none() { ahead } else { 0 },
            behind: if case.locked.state.closed_at.is_none() { behind } else { 0 },
            phase,
            round: case.round.round,
            binding_digest: db::connections::digest(&case.round.binding_digest)
                .ok_or_else(|| wrong("the binding digest"))?,
            evidence,
            proposed_at: case.row.proposed_at,
            approve_by: case.locked.state.approve_by,
            approved_at: case.locked.state.approved_at,
            apply_by: case.locked.state.apply_by(case.row.apply_within),
            requirements: requirements(&mut tx, &case, &decisions).await?,
            votes: votes(&decisions, &case, &names, &texts)?,
            four_eyes: case.four_eyes(),
            can_decide: case.can_decide(by, at),
            who_can_decide: who_can_decide(&mut tx, &case).await?,
            same_as: db::proposals::same_as(&mut tx, id.as_str(), 5)
                .await?
                .iter()
                .map(|id| id.parse().map_err(Error::internal))
                .collect::<Result<_>>()?,
            attempts: attempts(&mut tx, id, &names, &texts).await?,
            integrity_fault: case.locked.state.integrity_fault.clone(),
            ended: ended(&mut tx, id, &names, &texts).await?,
            can_withdraw: match phase {
                Phase::Pending => is_owner,
                Phase::Approved(Execution::Waiting) => is_owner || is_reviewer,
                _ => false,
            },
            can_judge: phase == Phase::Approved(Execution::Unknown) && is_reviewer,
            can_acknowledge: phase.ended_undone()
                && case.locked.state.closed_at.is_none()
                && (is_reviewer || is_owner || by.person().is_admin),
            at,
        };
        Ok(view)
    }

    /// Content, salt and binding, for whoever may see the input.
    async fn evidence(&self, tx: &mut PgConnection, case: &Case, by: &SignedIn) -> Result<Option<Evidence>> {
        if !case.is_input_visible_to(by.person()) {
            return Ok(None);
        }
        let Some(row) = db::proposals::find_content(tx, &case.row.id).await? else {
            return Ok(None);
        };
        let opened = self
            .vault
            .open_content_key(&case.locked.state.proposal, &row.sealed_key)
            .and_then(|key| key.open("content", &row.sealed));
        // Changed in the database: the page says that nothing can be shown.
        let Ok(bytes) = opened else { return Ok(None) };
        let Ok(sealed) = SealedContent::from_bytes(&bytes) else {
            return Ok(None);
        };
        let target = db::connections::digest(&case.round.target_digest)
            .ok_or_else(|| Error::internal("a target digest has another length"))?;
        let round = u32::try_from(case.round.round).map_err(Error::internal)?;
        Ok(Some(Evidence {
            salt_hex: sealed.salt_hex(),
            content_json: String::from_utf8(sealed.content.canonical()).map_err(Error::internal)?,
            binding: binding(&case.row, round, &target)?,
        }))
    }

    /// Every comment, note and reason, by the record that it belongs to.
    async fn texts(&self, tx: &mut PgConnection, id: &ProposalId) -> Result<BTreeMap<String, String>> {
        let sealed = db::proposals::texts(tx, id.as_str()).await?;
        if sealed.is_empty() {
            return Ok(BTreeMap::new());
        }
        let Some(sealed_key) = db::proposals::find_content_key(tx, id.as_str()).await? else {
            return Ok(BTreeMap::new());
        };
        let Ok(key) = self.vault.open_content_key(id, &sealed_key) else {
            return Ok(BTreeMap::new());
        };
        let opened = |(record, text): (String, Vec<u8>)| {
            let text = open_text(&key, &record, &text).ok()?;
            Some((record, text))
        };
        Ok(sealed.into_iter().filter_map(opened).collect())
    }
}

/// The manifest's sentence with the input's values in place of `{property}`. A
/// value that is long or no scalar stays out: it is in the table.
fn filled(text: &str, evidence: Option<&Evidence>) -> String {
    let content: Option<Value> = evidence.and_then(|evidence| serde_json::from_str(&evidence.content_json).ok());
    match content.map(|mut content| content["input"].take()) {
        Some(Value::Object(input)) => with_values(text, &input),
        _ => text.to_owned(),
    }
}

fn with_values(text: &str, input: &serde_json::Map<String, Value>) -> String {
    let mut sentence = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else { break };
        // Quoted as JSON, so that a value cannot pass for a part of the sentence.
        let value = input.get(name).filter(|value| !value.is_object() && !value.is_array()).map(Value::to_string);
        sentence.push_str(before);
        match value.filter(|value| value.chars().count() <= SUMMARY_VALUE) {
            Some(value) => sentence.push_str(&value),
            None => sentence.extend(["{", name, "}"]),
        }
        rest = after;
    }
    sentence + rest
}

/// The names that a page needs.
struct Names {
    people: BTreeMap<String, String>,
    agents: BTreeMap<String, String>,
}

impl Names {
    async fn load(tx: &mut PgConnection, case: &Case, decisions: &[DecisionRow]) -> Result<Self> {
        let id = case.row.id.as_str();
        let mut people: Vec<String> = decisions.iter().filter_map(|decision| decision.person_id.clone()).collect();
        let mut agents = vec![case.row.agent_id.clone()];
        people.push(case.row.on_behalf_of.clone());
        for attempt in AttemptRow::of_proposal(tx, id).await? {
            people.extend(attempt.person_id);
            agents.extend(attempt.agent_id);
        }
        for ending in EndingRow::of_proposal(tx, id).await? {
            people.extend(ending.person_id);
            agents.extend(ending.agent_id);
        }
        people.extend(VerdictRow::of_proposal(tx, id).await?.into_iter().map(|verdict| verdict.person_id));
        Ok(Self { people: db::people::names(tx, &people).await?, agents: db::agents::names(tx, &agents).await? })
    }

    fn person(&self, id: &str) -> Result<PersonName> {
        Ok(PersonName {
            id: id.parse().map_err(Error::internal)?,
            name: self.people.get(id).cloned().unwrap_or_default(),
        })
    }

    fn agent(&self, id: &str) -> String {
        self.agents.get(id).cloned().unwrap_or_default()
    }

    /// Whoever of the two it was; the clock if neither.
    fn actor(&self, agent: Option<&str>, person: Option<&str>) -> String {
        match (agent, person) {
            (Some(agent), _) => self.agent(agent),
            (None, Some(person)) => self.people.get(person).cloned().unwrap_or_default(),
            (None, None) => "the clock".to_owned(),
        }
    }
}

fn votes(
    decisions: &[DecisionRow],
    case: &Case,
    names: &Names,
    texts: &BTreeMap<String, String>,
) -> Result<Vec<VoteView>> {
    decisions
        .iter()
        .map(|decision| {
            let newer = decisions.iter().any(|other| {
                other.number > decision.number && other.person_id.is_some() && other.person_id == decision.person_id
            });
            Ok(VoteView {
                person: decision.person_id.as_deref().map(|id| names.person(id)).transpose()?,
                approves: decision.verdict == "approve",
                at: decision.decided_at,
                comment: texts.get(&decision.id).cloned(),
                round: decision.round,
                replaced: newer || decision.round != case.round.round,
            })
        })
        .collect()
}

/// The requirements in force, and how many people of each group approved.
async fn requirements(tx: &mut PgConnection, case: &Case, decisions: &[DecisionRow]) -> Result<Vec<RequirementView>> {
    let in_force = &case.policies[1];
    let votes = super::decisions::newest_votes(decisions, &case.round)?;
    let people: Vec<String> = votes.iter().map(|vote| vote.person.as_str().to_owned()).collect();
    let groups = db::people::groups_of(tx, &people).await?;
    let ids: Vec<String> = in_force.requirements.iter().map(|each| each.group.as_str().to_owned()).collect();
    let names = db::people::group_names(tx, &ids).await?;
    Ok(in_force
        .requirements
        .iter()
        .map(|requirement| RequirementView {
            group: names.get(&requirement.group).cloned().unwrap_or_default(),
            needed: requirement.count,
            have: votes
                .iter()
                .filter(|vote| vote.approves && !(in_force.four_eyes && vote.person == case.owner))
                .filter(|vote| groups.get(&vote.person).is_some_and(|groups| groups.contains(&requirement.group)))
                .fold(0, |have, _| have + 1),
        })
        .collect())
}

async fn who_can_decide(tx: &mut PgConnection, case: &Case) -> Result<Vec<PersonName>> {
    let groups: Vec<String> = case
        .policies
        .iter()
        .flat_map(|policy| &policy.requirements)
        .map(|requirement| GroupId::as_str(&requirement.group).to_owned())
        .collect();
    let mut people: Vec<PersonName> =
        db::people::members(tx, &groups, NAMES).await?.into_iter().map(|(id, name)| PersonName { id, name }).collect();
    if case.four_eyes() {
        people.retain(|person| person.id != case.owner);
    }
    Ok(people)
}

async fn attempts(
    tx: &mut PgConnection,
    id: &ProposalId,
    names: &Names,
    texts: &BTreeMap<String, String>,
) -> Result<Vec<AttemptView>> {
    let outcomes = OutcomeRow::of_proposal(tx, id.as_str()).await?;
    let verdicts = VerdictRow::of_proposal(tx, id.as_str()).await?;
    AttemptRow::of_proposal(tx, id.as_str())
        .await?
        .into_iter()
        .map(|attempt| {
            // A late answer says more than the recovery before it.
            let outcome = outcomes.iter().rfind(|outcome| outcome.attempt_id == attempt.id);
            let verdict = verdicts.iter().find(|verdict| verdict.attempt_id == attempt.id);
            Ok(AttemptView {
                id: attempt.id.parse().map_err(Error::internal)?,
                number: attempt.number,
                by: names.actor(attempt.agent_id.as_deref(), attempt.person_id.as_deref()),
                started_at: attempt.started_at,
                outcome: outcome.and_then(|outcome| OutcomeClass::from_word(&outcome.class)),
                ended_at: outcome.map(|outcome| outcome.ended_at),
                http_status: outcome.and_then(|outcome| outcome.http_status),
                duration_ms: outcome.and_then(|outcome| outcome.duration_ms),
                provider_request_id: outcome.and_then(|outcome| outcome.provider_request_id.clone()),
                verdict: verdict
                    .map(|verdict| {
                        let note = texts.get(&verdict.id).cloned().unwrap_or_default();
                        Ok::<_, Error>((
                            names.person(&verdict.person_id)?,
                            verdict.verdict == "confirmed_applied",
                            note,
                        ))
                    })
                    .transpose()?,
            })
        })
        .collect()
}

async fn ended(
    tx: &mut PgConnection,
    id: &ProposalId,
    names: &Names,
    texts: &BTreeMap<String, String>,
) -> Result<Option<EndingView>> {
    Ok(EndingRow::of_proposal(tx, id.as_str()).await?.into_iter().find(|ending| ending.cause != "acknowledged").map(
        |ending| EndingView {
            by: names.actor(ending.agent_id.as_deref(), ending.person_id.as_deref()),
            at: ending.ended_at,
            reason: texts.get(&ending.id).cloned(),
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_filled_with_short_scalars_only() {
        let input = serde_json::json!({
            "id": "{n}", "n": 1, "long": "x".repeat(100), "list": [1], "text": "a\" b",
        });
        let fill = |text: &str| with_values(text, input.as_object().unwrap());
        for (text, expected) in [
            ("Set {id} to {n}", "Set \"{n}\" to 1"),
            ("{long} {list} {none}", "{long} {list} {none}"),
            ("{text}", "\"a\\\" b\""),
            ("{n} {open", "1 {open"),
            ("plain", "plain"),
        ] {
            assert_eq!(fill(text), expected);
        }
    }
}
