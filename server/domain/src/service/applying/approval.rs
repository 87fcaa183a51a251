//! The approval, derived anew at the claim: from the signed decisions and the
//! sealed bytes, never from the projection.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;
use url::Url;

use super::super::Service;
use super::super::connections::{account, credential_place, stored_manifest, target_digest};
use super::super::decisions::{Case, statement};
use super::super::proposals::binding;
use crate::canonical::digest_json;
use crate::connector::call::{Call, build_call};
use crate::connector::manifest::{Action, Manifest};
use crate::connector::secret::Secret;
use crate::db;
use crate::db::connections::ConnectionRow;
use crate::db::records::{AttemptRow, DecisionRow, EndingRow, OutcomeRow, ProposalRow};
use crate::digest::Digest;
use crate::error::{Error, Result};
use crate::integrity::SealedContent;
use crate::policy::{Approval, Tally};
use crate::proposal::OutcomeClass;

/// What may be sent, as it was approved.
pub(super) struct Approved {
    /// When the requirements were met.
    pub(super) at: DateTime<Utc>,
    /// The manifest under which it was proposed.
    pub(super) manifest: Manifest,
    /// The action's name.
    pub(super) action: String,
    /// The call.
    pub(super) call: Call,
    /// The exact bytes of its body.
    pub(super) body: Option<Vec<u8>>,
    /// The credential of the account to which the decisions are bound.
    pub(super) credential: Option<Secret>,
}

impl Approved {
    pub(super) fn action(&self) -> Result<&Action> {
        self.manifest.actions.get(&self.action).ok_or_else(|| Error::internal("the action is gone"))
    }
}

/// Why nothing may be sent, in words for the history: names records, never values.
type Fault = String;

impl Service {
    /// Checks everything that an approval rests on.
    pub(super) async fn derive_approval(
        &self,
        tx: &mut PgConnection,
        case: &Case,
        connection: &ConnectionRow,
    ) -> Result<Result<Approved, Fault>> {
        if let Some(fault) = never_ended(tx, case).await? {
            return Ok(Err(fault));
        }
        let Some(manifest) = self.pinned_manifest(tx, case).await? else {
            return Ok(Err(
                "the manifest under which it was proposed is missing or is not what its digest says".to_owned()
            ));
        };
        let content = match self.sealed_content(tx, &case.row).await? {
            Ok(content) => content,
            Err(fault) => return Ok(Err(fault)),
        };
        let call = match call_of(&manifest, case, connection, &content)? {
            Ok(call) => call,
            Err(fault) => return Ok(Err(fault)),
        };
        if let Some(fault) = binding_holds(case, connection, &manifest)? {
            return Ok(Err(fault));
        }
        let credential = match self.credential(connection) {
            Ok(credential) => credential,
            Err(fault) => return Ok(Err(fault)),
        };
        let at = match self.approved_at(tx, case, &manifest).await? {
            Ok(at) => at,
            Err(fault) => return Ok(Err(fault)),
        };
        Ok(Ok(Approved { at, action: case.row.action.clone(), body: call.body_bytes(), manifest, call, credential }))
    }

    async fn pinned_manifest(&self, tx: &mut PgConnection, case: &Case) -> Result<Option<Manifest>> {
        match db::connections::digest(&case.row.manifest_digest) {
            Some(digest) => stored_manifest(tx, &digest).await,
            None => Ok(None),
        }
    }

    /// The content, if it opens and is what the record commits to.
    pub(in crate::service) async fn sealed_content(
        &self,
        tx: &mut PgConnection,
        proposal: &ProposalRow,
    ) -> Result<Result<SealedContent, Fault>> {
        let Some(row) = db::proposals::find_content(tx, &proposal.id).await? else {
            return Ok(Err("its sealed content is missing".to_owned()));
        };
        let id = proposal.id.parse().map_err(Error::internal)?;
        let opened = self.vault.open_content_key(&id, &row.sealed_key).and_then(|key| key.open("content", &row.sealed));
        let Ok(bytes) = opened else {
            return Ok(Err("its sealed content was changed".to_owned()));
        };
        let Ok(content) = SealedContent::from_bytes(&bytes) else {
            return Ok(Err("its sealed content cannot be read".to_owned()));
        };
        if content.commitment().as_bytes().as_slice() != proposal.content_commitment {
            return Ok(Err("its content is not what its record commits to".to_owned()));
        }
        if digest_json(&content.content.input) != content.content.input_digest {
            return Ok(Err("its input digest does not hold".to_owned()));
        }
        Ok(Ok(content))
    }

    /// The credential, if it is the one of the connection's account.
    fn credential(&self, connection: &ConnectionRow) -> Result<Option<Secret>, Fault> {
        let changed = || "its connection's credential is not the one of its account".to_owned();
        let plain = match &connection.credential {
            None => None,
            Some(sealed) => {
                let place = credential_place(&connection.id);
                let plain = self.vault.open_sealed(&place, sealed);
                Some(plain.map_err(|_| changed())?)
            }
        };
        let bytes = plain.as_ref().map_or(&[][..], |plain| plain.as_slice());
        if account(&self.vault, bytes).as_slice() != connection.account {
            return Err(changed());
        }
        let text = plain.map(|plain| String::from_utf8(plain.to_vec()));
        Ok(text.transpose().map_err(|_| changed())?.map(Secret::new))
    }

    /// When the decisions of the newest round amounted to an approval, if each of
    /// them is signed and they still do so today.
    async fn approved_at(
        &self,
        tx: &mut PgConnection,
        case: &Case,
        manifest: &Manifest,
    ) -> Result<Result<DateTime<Utc>, Fault>> {
        let approve_by = case.row.proposed_at + TimeDelta::seconds(case.row.approve_within);
        let decisions = DecisionRow::of_proposal(tx, &case.row.id).await?;
        for decision in &decisions {
            let signed = statement(decision)
                .is_some_and(|said| self.vault.verifies(&decision.key_id, &said.signed_bytes(), &decision.signature));
            if !signed {
                return Ok(Err(format!("the decision {} is not signed by this server", decision.id)));
            }
        }
        let of_round = |decision: &&DecisionRow| {
            decision.round == case.round.round && decision.binding_digest == case.round.binding_digest
        };
        if let Some(late) = decisions.iter().filter(of_round).find(|decision| decision.decided_at >= approve_by) {
            return Ok(Err(format!("the decision {} came after the time to decide", late.id)));
        }
        let missing = || "no signed decisions amount to an approval".to_owned();
        if let Some(rule) = decisions.iter().filter(of_round).find(|decision| decision.rule.is_some()) {
            let by_manifest =
                manifest.actions.get(&case.row.action).map_or(Approval::Forbidden, |action| action.approval);
            let automatic = case
                .policies
                .iter()
                .all(|policy| policy.approval_of(&case.row.action, by_manifest) == Approval::Automatic);
            return Ok(if automatic {
                Ok(rule.decided_at)
            } else {
                Err("the policy does not approve it by itself (any more)".to_owned())
            });
        }
        if case.tally(tx, &decisions).await? != Tally::Approved {
            return Ok(Err(missing()));
        }
        Ok(decisions.iter().filter(of_round).map(|decision| decision.decided_at).max().ok_or_else(missing))
    }
}

/// Whether the records say that it ended already, whatever the projection says.
async fn never_ended(tx: &mut PgConnection, case: &Case) -> Result<Option<Fault>> {
    if let Some(ending) = EndingRow::of_proposal(tx, &case.row.id).await?.first() {
        return Ok(Some(format!("the record {} says that it was {}", ending.id, ending.cause)));
    }
    let outcomes = OutcomeRow::of_proposal(tx, &case.row.id).await?;
    for attempt in AttemptRow::of_proposal(tx, &case.row.id).await? {
        let not_done = |outcome: &OutcomeRow| {
            matches!(OutcomeClass::from_word(&outcome.class), Some(OutcomeClass::NotSent | OutcomeClass::Refused))
        };
        let mut of_attempt = outcomes.iter().filter(|outcome| outcome.attempt_id == attempt.id).peekable();
        if of_attempt.peek().is_none() || !of_attempt.all(not_done) {
            return Ok(Some(format!("the attempt {} may have been done already", attempt.id)));
        }
    }
    Ok(None)
}

/// The call that was shown, if the input still makes it.
fn call_of(
    manifest: &Manifest,
    case: &Case,
    connection: &ConnectionRow,
    content: &SealedContent,
) -> Result<Result<Call, Fault>> {
    let content = &content.content;
    let Some(action) = manifest.actions.get(&case.row.action) else {
        return Ok(Err("its manifest has no such action".to_owned()));
    };
    let Ok(base_url) = Url::parse(&connection.base_url) else {
        return Ok(Err("its connection's base URL is none".to_owned()));
    };
    let Ok(call) = build_call(manifest, action, &base_url, &content.input) else {
        return Ok(Err("its input makes no call any more".to_owned()));
    };
    let value = serde_json::to_value(&call).map_err(Error::internal)?;
    if value != content.call || digest_json(&value) != content.call_digest {
        return Ok(Err("its call is not the one that was shown".to_owned()));
    }
    Ok(Ok(call))
}

/// Whether the newest round binds what the records and the connection say now.
fn binding_holds(case: &Case, connection: &ConnectionRow, manifest: &Manifest) -> Result<Option<Fault>> {
    let target: Digest = target_digest(connection, manifest);
    if target.as_bytes().as_slice() != case.round.target_digest {
        return Ok(Some("its connection's target (base URL or account) was changed since it was approved".to_owned()));
    }
    let round = u32::try_from(case.round.round).map_err(Error::internal)?;
    let is_bound = binding(&case.row, round, &target)
        .is_ok_and(|binding| binding.digest().as_bytes().as_slice() == case.round.binding_digest);
    if !is_bound {
        return Ok(Some("its records are not what its decisions were bound to".to_owned()));
    }
    if case.policies[0].digest().as_bytes().as_slice() != case.row.policy_digest {
        return Ok(Some("its policy is not the one under which it was proposed".to_owned()));
    }
    Ok(None)
}
