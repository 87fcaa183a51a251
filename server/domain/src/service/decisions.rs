//! Decide: the one operation that approves or rejects.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::PgConnection;

use super::Service;
use super::connections::{changed_policy, parsed_policy, policy_in_force};
use super::locked::Locked;
use super::unsound::Unsound;
use crate::actor::{Actor, Agent, Person, SignedIn};
use crate::audit::EventActor;
use crate::canonical::canonical_bytes;
use crate::db;
use crate::db::records::{
    AttemptRow, DecisionRow, EndingRow, PolicyRow, ProposalRow, Record as _, RoundRow, VerdictRow,
};
use crate::digest::Digest;
use crate::error::{Error, Result, conflict, forbidden, invalid_at, not_found};
use crate::ids::{DecisionId, EndingId, GroupId, PersonId, ProposalId, VerdictId};
pub use crate::integrity::DecisionVerdict;
use crate::integrity::{DecidedBy, DecisionStatement, content_commitment};
use crate::policy::{Policy, Tally, Vote};
use crate::proposal::{Execution, Phase, Step, Verdict};
use crate::random;
use crate::vault::ContentKey;

/// How many characters a comment, a note or a reason may have.
const TEXT_MAX: usize = 2_000;

/// A decision as the form sends it.
#[derive(Debug, Clone)]
pub struct Ballot {
    /// What they say.
    pub verdict: DecisionVerdict,
    /// The binding digest that the page showed.
    pub binding_digest: Digest,
    /// For the agent and the history; at most 2,000 characters.
    pub comment: Option<String>,
}

/// Why somebody who may see a proposal may not decide it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CannotDecide {
    /// It is not pending any more.
    NotPending,
    /// Its approve-by time passed.
    Expired,
    /// In none of the groups that review here.
    NotAReviewer,
    /// The agent acts on their behalf, and four eyes are asked for.
    FourEyes,
}

impl CannotDecide {
    /// The stable machine word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NotPending => "not_pending",
            Self::Expired => "expired",
            Self::NotAReviewer => "not_a_reviewer",
            Self::FourEyes => "four_eyes",
        }
    }

    /// One sentence for the page.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NotPending => "This proposal is no longer pending.",
            Self::Expired => "The time to decide this proposal has passed.",
            Self::NotAReviewer => "You are in none of the groups that review this connection.",
            Self::FourEyes => "This agent acts on your behalf, and the connection asks for a second pair of eyes.",
        }
    }

    /// The state moved on, or the person may not.
    fn refusal(self) -> Error {
        match self {
            Self::NotPending | Self::Expired => conflict(self.word(), self.sentence()),
            Self::NotAReviewer | Self::FourEyes => forbidden(self.word(), self.sentence()),
        }
    }
}

impl Service {
    /// Records one person's decision, and what it amounts to.
    ///
    /// # Errors
    /// `not_found`; the words of [`CannotDecide`]; `binding_changed` if the page
    /// showed another round; `text_too_long`.
    pub async fn decide(&self, by: &SignedIn, proposal: &ProposalId, ballot: Ballot) -> Result<Phase> {
        let comment = checked_text(ballot.comment.as_deref(), "/comment")?;
        let mut tx = self.pool.begin().await?;
        let case = self.open_case(&mut tx, by, proposal).await?;
        let now = db::now(&mut tx).await?;
        case.can_decide(by, now).map_err(CannotDecide::refusal)?;
        if case.round.binding_digest != ballot.binding_digest.as_bytes() {
            return Err(conflict(
                "binding_changed",
                "This proposal was changed since you opened the page. Look at it again before you decide.",
            ));
        }
        let mut decisions = DecisionRow::of_proposal(&mut tx, proposal.as_str()).await?;
        let number = decisions.last().map_or(1, |last| last.number + 1);
        let by_person = DecidedBy::Person(by.id().as_str().to_owned());
        let commitment = comment.as_deref().map(Committed::new);
        let decision = self.signed_decision(
            &case.row,
            &case.round,
            number,
            &by_person,
            ballot.verdict,
            commitment.as_ref().map(|text| text.commitment),
            now,
        )?;
        decision.insert(&mut tx).await?;
        if let Some(text) = &commitment {
            self.seal_text(&mut tx, proposal, &decision.id, text).await?;
        }
        let record = decision.record_digest();
        decisions.push(decision);

        let tally = case.tally(&mut tx, &decisions).await?;
        let (step, kind) = match tally {
            Tally::Open => (None, "proposal.voted"),
            Tally::Approved => (Some(Step::Approve), "proposal.approved"),
            Tally::Rejected => (Some(Step::Reject), "proposal.rejected"),
        };
        let actor = EventActor::Person(by.id().clone());
        let facts = json!({ "verdict": ballot.verdict, "round": case.round.round });
        let phase = case.locked.take(&mut tx, step, kind, actor, facts, vec![record], now).await?;
        tx.commit().await?;
        Ok(phase)
    }

    /// A reviewer's word, with a note, on an outcome that is unknown.
    ///
    /// # Errors
    /// `not_found`, `not_a_reviewer`, `not_unknown`, `note_missing`, `text_too_long`.
    pub async fn judge_outcome(
        &self,
        by: &SignedIn,
        proposal: &ProposalId,
        verdict: Verdict,
        note: &str,
    ) -> Result<Phase> {
        let note = checked_text(Some(note), "/note")?.ok_or_else(|| {
            invalid_at("/note", "note_missing", "Say how you found out: the note goes into the history.")
        })?;
        let mut tx = self.pool.begin().await?;
        let case = self.open_case(&mut tx, by, proposal).await?;
        if !case.is_reviewer(by.id()) {
            return Err(not_a_reviewer());
        }
        let unknown = || conflict("not_unknown", "The outcome of this proposal is not unknown (any more).");
        if case.locked.state.phase != Phase::Approved(Execution::Unknown) {
            return Err(unknown());
        }
        let now = db::now(&mut tx).await?;
        let attempt = AttemptRow::of_proposal(&mut tx, proposal.as_str()).await?.pop().ok_or_else(unknown)?;
        let text = Committed::new(&note);
        let row = VerdictRow {
            id: VerdictId::from_random(random::bytes()).into(),
            attempt_id: attempt.id,
            proposal_id: proposal.as_str().to_owned(),
            person_id: by.id().as_str().to_owned(),
            verdict: verdict.word().to_owned(),
            note_commitment: text.commitment.as_bytes().to_vec(),
            given_at: now,
        };
        row.insert(&mut tx).await?;
        self.seal_text(&mut tx, proposal, &row.id, &text).await?;
        let actor = EventActor::Person(by.id().clone());
        let facts = json!({ "verdict": verdict });
        let step = Some(Step::Judge(verdict));
        let phase =
            case.locked.take(&mut tx, step, "proposal.judged", actor, facts, vec![row.record_digest()], now).await?;
        tx.commit().await?;
        Ok(phase)
    }

    /// Lets a lane go on after a write that was not done: by an eligible reviewer,
    /// the agent's owner or an admin.
    ///
    /// # Errors
    /// `not_found`, `not_a_reviewer`, `nothing_to_acknowledge`.
    pub async fn acknowledge(&self, by: &SignedIn, proposal: &ProposalId) -> Result<()> {
        let mut tx = self.pool.begin().await?;
        let case = self.open_case(&mut tx, by, proposal).await?;
        if !(case.is_reviewer(by.id()) || case.owner == *by.id() || by.person().is_admin) {
            return Err(not_a_reviewer());
        }
        if !case.locked.state.phase.ended_undone() || case.locked.state.closed_at.is_some() {
            return Err(conflict("nothing_to_acknowledge", "Nothing waits for an acknowledgement here (any more)."));
        }
        let now = db::now(&mut tx).await?;
        let row = ending(proposal, "acknowledged", Some(Actor::Person(by)), None, now);
        row.insert(&mut tx).await?;
        let actor = EventActor::Person(by.id().clone());
        case.locked
            .acknowledged()
            .take(&mut tx, None, "proposal.acknowledged", actor, json!({}), vec![row.record_digest()], now)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Takes a pending proposal back, or calls off an approved one before its
    /// call: the agent (any of the same owner's) and the owner; an approved one,
    /// with a reason, also an eligible reviewer.
    ///
    /// # Errors
    /// `not_found`, `not_a_reviewer`, `scope_missing`, `not_withdrawable`, `reason_missing`, `text_too_long`.
    pub async fn withdraw(&self, by: Actor<'_>, proposal: &ProposalId, reason: Option<&str>) -> Result<Phase> {
        let reason = checked_text(reason, "/reason")?;
        let mut tx = self.pool.begin().await?;
        let case = match by {
            Actor::Person(person) => self.open_case(&mut tx, person, proposal).await?,
            Actor::Agent(agent) => self.open_case_of_agent(&mut tx, agent, proposal).await?,
        };
        let (step, cause, kind) = match case.locked.state.phase {
            Phase::Pending => (Step::Withdraw, "withdrawn", "proposal.withdrawn"),
            Phase::Approved(Execution::Waiting) => (Step::Cancel, "cancelled", "proposal.cancelled"),
            _ => {
                return Err(conflict(
                    "not_withdrawable",
                    "Only a proposal that is pending, or approved and not begun, can be taken back.",
                ));
            }
        };
        if let Actor::Person(person) = by {
            let may = case.owner == *person.id() || (step == Step::Cancel && case.is_reviewer(person.id()));
            if !may {
                return Err(not_a_reviewer());
            }
        }
        if step == Step::Cancel && reason.is_none() {
            return Err(invalid_at(
                "/reason",
                "reason_missing",
                "Say why: it was approved already, and others will ask.",
            ));
        }
        let now = db::now(&mut tx).await?;
        let text = reason.as_deref().map(Committed::new);
        let row = ending(proposal, cause, Some(by), text.as_ref().map(|text| &text.commitment), now);
        row.insert(&mut tx).await?;
        if let Some(text) = &text {
            self.seal_text(&mut tx, proposal, &row.id, text).await?;
        }
        let actor = match by {
            Actor::Agent(agent) => EventActor::Agent(agent.id.clone()),
            Actor::Person(person) => EventActor::Person(person.id().clone()),
        };
        let phase =
            case.locked.take(&mut tx, Some(step), kind, actor, json!({}), vec![row.record_digest()], now).await?;
        tx.commit().await?;
        Ok(phase)
    }

    /// A decision on this round, signed.
    #[expect(clippy::too_many_arguments, reason = "each is one column of the record")]
    pub(super) fn signed_decision(
        &self,
        proposal: &ProposalRow,
        round: &RoundRow,
        number: i32,
        decided_by: &DecidedBy,
        verdict: DecisionVerdict,
        comment_commitment: Option<Digest>,
        now: DateTime<Utc>,
    ) -> Result<DecisionRow> {
        let (person_id, rule) = match decided_by {
            DecidedBy::Person(id) => (Some(id.clone()), None),
            DecidedBy::Rule(name) => (None, Some(name.clone())),
        };
        let mut row = DecisionRow {
            id: DecisionId::from_random(random::bytes()).into(),
            proposal_id: proposal.id.clone(),
            round: round.round,
            number,
            binding_digest: round.binding_digest.clone(),
            person_id,
            rule,
            verdict: verdict.as_str().to_owned(),
            comment_commitment: comment_commitment.map(|digest| digest.as_bytes().to_vec()),
            decided_at: now,
            key_id: String::new(),
            signature: Vec::new(),
        };
        let statement = statement(&row).ok_or_else(|| Error::internal("a decision that cannot be stated"))?;
        let (key, signature) = self.vault.sign(&statement.signed_bytes());
        row.key_id = key.into();
        row.signature = signature.to_vec();
        Ok(row)
    }

    /// Locks a proposal for somebody in a browser, if they may see it.
    async fn open_case(&self, tx: &mut PgConnection, by: &SignedIn, id: &ProposalId) -> Result<Case> {
        let case = Case::open(tx, id, &[by.id().as_str().to_owned()]).await?;
        if !case.is_visible_to(by.person()) {
            return Err(not_found("proposal"));
        }
        Ok(case)
    }

    /// Locks a proposal for an agent of the same owner that may propose there.
    async fn open_case_of_agent(&self, tx: &mut PgConnection, by: &Agent, id: &ProposalId) -> Result<Case> {
        let case = Case::open(tx, id, &[]).await?;
        if case.owner != by.owner {
            return Err(not_found("proposal"));
        }
        if !by.scopes.iter().any(|scope| scope.propose && scope.connection == case.locked.state.connection) {
            return Err(super::connections::scope_missing("withdraw proposals", "this connection"));
        }
        Ok(case)
    }

    async fn seal_text(&self, tx: &mut PgConnection, id: &ProposalId, record: &str, text: &Committed) -> Result<()> {
        let sealed_key =
            db::proposals::find_content_key(tx, id.as_str()).await?.ok_or_else(|| not_found("proposal"))?;
        let key = self.vault.open_content_key(id, &sealed_key)?;
        let plain = [text.salt.as_slice(), text.text.as_bytes()].concat();
        db::proposals::insert_text(tx, record, id, &key.seal(record, &plain)).await
    }
}

/// A locked proposal with everything that a change of its state is judged by.
pub(super) struct Case {
    pub(super) row: ProposalRow,
    pub(super) round: RoundRow,
    pub(super) locked: Locked,
    pub(super) owner: PersonId,
    /// The policies at propose and in force.
    pub(super) policies: [Policy; 2],
    groups: BTreeMap<PersonId, BTreeSet<GroupId>>,
}

impl Case {
    /// Locks the proposal. `people` are those whose groups are asked for.
    pub(super) async fn open(tx: &mut PgConnection, id: &ProposalId, people: &[String]) -> Result<Self> {
        let locked = Locked::open(tx, id).await?;
        Self::of(tx, locked, people).await
    }

    /// The same for a proposal that is locked already, or only looked at.
    ///
    /// [`Unsound`] if its records, or the rules in force, cannot be what they were.
    pub(super) async fn of(tx: &mut PgConnection, locked: Locked, people: &[String]) -> Result<Self> {
        let id = locked.state.proposal.as_str();
        let row =
            ProposalRow::find(tx, id).await?.ok_or_else(|| Unsound::error(format!("the record of {id} is missing")))?;
        let round = RoundRow::newest(tx, id)
            .await?
            .ok_or_else(|| Unsound::error(format!("the record of the round of {id} is missing")))?;
        let at_propose = PolicyRow::find(tx, &row.policy_id).await?;
        let at_propose = at_propose.as_ref().and_then(parsed_policy).ok_or_else(|| changed_policy(&row.policy_id))?;
        let (in_force, _) = policy_in_force(tx, &locked.state.connection).await?;
        Ok(Self {
            owner: row.on_behalf_of.parse().map_err(Error::internal)?,
            groups: db::people::groups_of(tx, people).await?,
            policies: [at_propose, in_force],
            row,
            round,
            locked,
        })
    }

    /// Whether this person is in a group that reviews here.
    pub(super) fn is_reviewer(&self, person: &PersonId) -> bool {
        self.groups.get(person).is_some_and(|groups| {
            self.policies
                .iter()
                .flat_map(|policy| &policy.requirements)
                .any(|requirement| groups.contains(&requirement.group))
        })
    }

    /// Whether this person may know of the proposal.
    pub(super) fn is_visible_to(&self, person: &Person) -> bool {
        person.is_admin || self.is_input_visible_to(person)
    }

    /// Whether this person may see what would be written.
    pub(super) fn is_input_visible_to(&self, person: &Person) -> bool {
        person.is_auditor || self.owner == person.id || self.is_reviewer(&person.id)
    }

    /// Whether this person may decide at this moment.
    pub(super) fn can_decide(&self, by: &SignedIn, now: DateTime<Utc>) -> Result<(), CannotDecide> {
        let person = by.id();
        if self.locked.state.phase != Phase::Pending {
            return Err(CannotDecide::NotPending);
        }
        if self.locked.state.approve_by <= now {
            return Err(CannotDecide::Expired);
        }
        if !self.is_reviewer(person) {
            return Err(CannotDecide::NotAReviewer);
        }
        if *person == self.owner && self.four_eyes() {
            return Err(CannotDecide::FourEyes);
        }
        Ok(())
    }

    /// Whether either policy keeps the owner from deciding.
    pub(super) fn four_eyes(&self) -> bool {
        self.policies.iter().any(|policy| policy.four_eyes)
    }

    /// What the decisions of the newest round amount to, under both policies.
    pub(super) async fn tally(&self, tx: &mut PgConnection, decisions: &[DecisionRow]) -> Result<Tally> {
        let votes = newest_votes(decisions, &self.round)?;
        let people: Vec<String> = votes.iter().map(|vote| vote.person.as_str().to_owned()).collect();
        let groups = db::people::groups_of(tx, &people).await?;
        let [at_propose, in_force] = self.policies.each_ref().map(|policy| policy.tally(&votes, &groups, &self.owner));
        Ok(match (at_propose, in_force) {
            (Tally::Rejected, _) | (_, Tally::Rejected) => Tally::Rejected,
            (Tally::Approved, Tally::Approved) => Tally::Approved,
            _ => Tally::Open,
        })
    }
}

/// A text with the salted commitment that its record holds.
struct Committed {
    text: String,
    salt: [u8; 32],
    commitment: Digest,
}

impl Committed {
    fn new(text: &str) -> Self {
        let salt = random::bytes();
        Self { text: text.to_owned(), salt, commitment: content_commitment(&salt, &canonical_bytes(&json!(text))) }
    }
}

/// A sealed comment, note or reason, opened.
pub(super) fn open_text(key: &ContentKey, record: &str, sealed: &[u8]) -> Result<String> {
    let plain = key.open(record, sealed)?;
    let text = plain.get(32..).unwrap_or_default();
    String::from_utf8(text.to_vec()).map_err(Error::internal)
}

/// What the signature of a decision covers; `None` if the row says something impossible.
pub(super) fn statement(row: &DecisionRow) -> Option<DecisionStatement> {
    Some(DecisionStatement {
        decision: row.id.clone(),
        proposal: row.proposal_id.clone(),
        round: u32::try_from(row.round).ok()?,
        binding_digest: db::connections::digest(&row.binding_digest)?,
        decided_by: match (&row.person_id, &row.rule) {
            (Some(person), None) => DecidedBy::Person(person.clone()),
            (None, Some(rule)) => DecidedBy::Rule(rule.clone()),
            _ => return None,
        },
        verdict: match row.verdict.as_str() {
            "approve" => DecisionVerdict::Approve,
            "reject" => DecisionVerdict::Reject,
            _ => return None,
        },
        decided_at: row.decided_at.timestamp_micros(),
        comment_commitment: match &row.comment_commitment {
            None => None,
            Some(bytes) => Some(db::connections::digest(bytes)?),
        },
    })
}

/// Each person's newest word in this round.
pub(super) fn newest_votes(decisions: &[DecisionRow], round: &RoundRow) -> Result<Vec<Vote>> {
    let mut votes: BTreeMap<&str, bool> = BTreeMap::new();
    for decision in decisions {
        let counts = decision.round == round.round && decision.binding_digest == round.binding_digest;
        if let (true, Some(person)) = (counts, &decision.person_id) {
            votes.insert(person, decision.verdict == "approve");
        }
    }
    votes
        .into_iter()
        .map(|(person, approves)| Ok(Vote { person: person.parse().map_err(Error::internal)?, approves }))
        .collect()
}

/// The record of an ending; by the clock if by nobody.
pub(super) fn ending(
    proposal: &ProposalId,
    cause: &str,
    by: Option<Actor<'_>>,
    reason: Option<&Digest>,
    now: DateTime<Utc>,
) -> EndingRow {
    let (agent_id, person_id) = match by {
        Some(Actor::Agent(agent)) => (Some(agent.id.as_str().to_owned()), None),
        Some(Actor::Person(person)) => (None, Some(person.id().as_str().to_owned())),
        None => (None, None),
    };
    EndingRow {
        id: EndingId::from_random(random::bytes()).into(),
        proposal_id: proposal.as_str().to_owned(),
        cause: cause.to_owned(),
        agent_id,
        person_id,
        reason_commitment: reason.map(|digest| digest.as_bytes().to_vec()),
        ended_at: now,
    }
}

/// A text that people write, trimmed; empty is none.
fn checked_text(text: Option<&str>, pointer: &str) -> Result<Option<String>> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    if text.chars().count() > TEXT_MAX {
        return Err(invalid_at(pointer, "text_too_long", "This has at most 2,000 characters."));
    }
    Ok(Some(text.to_owned()))
}

fn not_a_reviewer() -> Error {
    forbidden(CannotDecide::NotAReviewer.word(), "You may see this proposal, but this is for its reviewers.")
}
