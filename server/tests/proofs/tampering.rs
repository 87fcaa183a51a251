//! Somebody with the whole database in their hands changes what was approved,
//! between the approval and the apply: nothing is sent, the history says why,
//! and verification names the record that was changed.

use domain::proposal::{Execution, Phase};
use domain::service::{DecisionVerdict, ProposalSummary, StopReason};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::world::{Desk, World};

/// One proposal that is approved and waits, and another one beside it.
struct Approved {
    world: World,
    proposal: ProposalSummary,
    other: ProposalSummary,
    other_desk: Desk,
}

impl Approved {
    async fn new(options: PgPoolOptions, connect: PgConnectOptions) -> Self {
        let world = World::new(options, connect).await;
        let proposal = world.approved("ada").await;
        let other_desk = world.desk("other", |other| other.four_eyes = true).await;
        let other = other_desk.propose("grace").await;
        world.approve(&other).await;
        world.assert_verifies().await;
        Self { world, proposal, other, other_desk }
    }

    /// With `$id` for the proposal and `$other` for the one beside it.
    async fn tamper(&self, table: &str, sql: &str) {
        let sql = sql.replace("$id", self.proposal.id.as_str()).replace("$other", self.other.id.as_str());
        self.world.tamper(table, &sql).await;
    }

    /// Apply refuses it and says so once, and nothing has reached the provider.
    async fn assert_refused(&self, because: &str) {
        self.assert_refused_after(because, &[]).await;
    }

    async fn assert_refused_after(&self, because: &str, sent_before: &[&str]) {
        let world = &self.world;
        for _ in 0..2 {
            let report = world.crm.apply().await;
            assert!(report.writes.is_empty(), "{report:?}");
            assert_eq!(report.stopped.reason, StopReason::IntegrityFault, "{report:?}");
            assert_eq!(report.stopped.proposal.as_ref(), Some(&self.proposal.id));
            assert!(report.stopped.message.contains(because), "{}", report.stopped.message);
        }
        assert_eq!(world.created(), sent_before);
        let history = world.history(&self.proposal).await;
        let faults = history.iter().filter(|kind| *kind == "proposal.integrity_fault").count();
        assert_eq!(faults, 1, "{history:?}");
    }

    async fn assert_verification_names(&self, record: &str) {
        let record = record.replace("$id", self.proposal.id.as_str());
        let findings = self.world.findings().await;
        assert!(findings.iter().any(|finding| finding.contains(&record)), "{record}: {findings:?}");
    }

    /// What lies beside it goes through all the same.
    async fn assert_other_is_applied(&self) {
        assert_eq!(self.other_desk.apply().await.stopped.reason, StopReason::Done);
        assert_eq!(self.other_desk.phase(&self.other).await, Phase::Approved(Execution::Applied));
        assert_eq!(self.world.created(), ["grace"]);
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn the_sealed_input_is_changed(options: PgPoolOptions, connect: PgConnectOptions) {
    let approved = Approved::new(options, connect).await;
    let flip =
        "update proposal_content set sealed = set_byte(sealed, 60, get_byte(sealed, 60) # 1) where proposal_id = '$id'";
    approved.tamper("proposal_content", flip).await;
    approved.assert_refused("sealed content was changed").await;
    approved.assert_verification_names("the content of $id").await;
    approved.assert_other_is_applied().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn the_sealed_content_of_another_is_put_in_its_place(options: PgPoolOptions, connect: PgConnectOptions) {
    let approved = Approved::new(options, connect).await;
    let swap = "update proposal_content as mine set sealed_key = other.sealed_key, sealed = other.sealed,
                sealed_digests = other.sealed_digests
                from proposal_content as other where mine.proposal_id = '$id' and other.proposal_id = '$other'";
    approved.tamper("proposal_content", swap).await;
    approved.assert_refused("sealed content was changed").await;
    approved.assert_verification_names("the content of $id").await;
    approved.assert_other_is_applied().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn the_sealed_content_is_removed(options: PgPoolOptions, connect: PgConnectOptions) {
    let approved = Approved::new(options, connect).await;
    approved.tamper("proposal_content", "delete from proposal_content where proposal_id = '$id'").await;
    approved.assert_refused("sealed content is missing").await;
    approved.assert_verification_names("the content of $id").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn another_action_is_put_in_its_place(options: PgPoolOptions, connect: PgConnectOptions) {
    let approved = Approved::new(options, connect).await;
    approved.tamper("proposal", "update proposal set action = 'delete_contact' where id = '$id'").await;
    approved.assert_refused("input makes no call").await;
    approved.assert_verification_names("proposal $id was changed").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn another_policy_is_put_in_its_place(options: PgPoolOptions, connect: PgConnectOptions) {
    let approved = Approved::new(options, connect).await;
    let change = "update proposal set policy_id = other.policy_id, policy_digest = other.policy_digest
                  from (select policy_id, policy_digest from proposal where id = '$other') as other where id = '$id'";
    approved.tamper("proposal", change).await;
    approved.assert_refused("not what its decisions were bound to").await;
    approved.assert_verification_names("proposal $id was changed").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn it_is_held_to_another_policy(options: PgPoolOptions, connect: PgConnectOptions) {
    let approved = Approved::new(options, connect).await;
    let change =
        "update proposal set policy_id = (select policy_id from proposal where id = '$other') where id = '$id'";
    approved.tamper("proposal", change).await;
    approved.assert_refused("its policy is not the one under which it was proposed").await;
    approved.assert_verification_names("proposal $id was changed").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_digest_of_another_length_is_put_in_its_place(options: PgPoolOptions, connect: PgConnectOptions) {
    let approved = Approved::new(options, connect).await;
    approved.tamper("proposal", "update proposal set policy_digest = '\\x00' where id = '$id'").await;
    approved.assert_refused("not what its decisions were bound to").await;
    approved.assert_verification_names("proposal $id was changed").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn another_requester_is_put_in_its_place(options: PgPoolOptions, connect: PgConnectOptions) {
    let approved = Approved::new(options, connect).await;
    let change = format!("update proposal set on_behalf_of = '{}' where id = '$id'", approved.world.raul.id());
    approved.tamper("proposal", &change).await;
    approved.assert_refused("not what its decisions were bound to").await;
    approved.assert_verification_names("proposal $id was changed").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn its_time_to_be_applied_is_prolonged(options: PgPoolOptions, connect: PgConnectOptions) {
    let approved = Approved::new(options, connect).await;
    approved.tamper("proposal", "update proposal set apply_within = apply_within * 1000 where id = '$id'").await;
    approved.assert_refused("not what its decisions were bound to").await;
    approved.assert_verification_names("proposal $id was changed").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn its_verdict_is_flipped(options: PgPoolOptions, connect: PgConnectOptions) {
    let approved = Approved::new(options, connect).await;
    let rejected = approved.world.crm.propose("katherine").await;
    approved.world.decide(&approved.world.rita, &rejected, DecisionVerdict::Reject).await.unwrap();
    let approved = Approved { proposal: rejected, ..approved };
    // The first in the lane is out of the way.
    approved.world.crm.apply().await;
    approved.tamper("decision", "update decision set verdict = 'approve' where proposal_id = '$id'").await;
    approved.tamper("proposal_state", APPROVE).await;
    approved.assert_refused_after("is not signed by this server", &["ada"]).await;
    approved.assert_verification_names("the record decision").await;
    approved.assert_verification_names("is not signed by this server").await;
}

/// Says in the projection that it is approved and waits.
const APPROVE: &str = "update proposal_state set decision = 'approved', execution = 'waiting', approved_at = now(),
    closed_at = null where proposal_id = '$id'";

/// A proposal of `crm` that nobody approved.
async fn undecided(options: PgPoolOptions, connect: PgConnectOptions) -> Approved {
    let approved = Approved::new(options, connect).await;
    approved.world.withdraw(&approved.world.crm, &approved.proposal).await.unwrap();
    let proposal = approved.world.crm.propose("katherine").await;
    Approved { proposal, ..approved }
}

#[sqlx::test(migrations = "../migrations")]
async fn the_projection_says_that_it_is_approved(options: PgPoolOptions, connect: PgConnectOptions) {
    let undecided = undecided(options, connect).await;
    undecided.tamper("proposal_state", APPROVE).await;
    undecided.assert_refused("no signed decisions amount to an approval").await;
    undecided.assert_other_is_applied().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_decision_is_forged_with_a_signature_of_nobody(options: PgPoolOptions, connect: PgConnectOptions) {
    let undecided = undecided(options, connect).await;
    let forge = format!(
        "insert into decision (id, proposal_id, round, number, binding_digest, person_id, verdict, decided_at, key_id, signature)
         select 'dec_forged', proposal_id, round, 1, binding_digest, '{}', 'approve', now(),
                (select id from working_key where purpose = 'signing'),
                sha512(convert_to(random()::text, 'UTF8'))
         from proposal_round where proposal_id = '$id'",
        undecided.world.rita.id()
    );
    undecided.tamper("decision", &forge).await;
    undecided.tamper("proposal_state", APPROVE).await;
    undecided.assert_refused("the decision dec_forged is not signed by this server").await;
    undecided.assert_verification_names("decision has 3 rows, and the history names 2").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_decision_is_forged_with_the_signature_of_another(options: PgPoolOptions, connect: PgConnectOptions) {
    let undecided = undecided(options, connect).await;
    let forge = "insert into decision (id, proposal_id, round, number, binding_digest, person_id, verdict, decided_at, key_id, signature)
         select 'dec_copied', round.proposal_id, round.round, 1, round.binding_digest, theirs.person_id, theirs.verdict,
                theirs.decided_at, theirs.key_id, theirs.signature
         from proposal_round as round, decision as theirs
         where round.proposal_id = '$id' and theirs.proposal_id = '$other'";
    undecided.tamper("decision", forge).await;
    undecided.tamper("proposal_state", APPROVE).await;
    undecided.assert_refused("the decision dec_copied is not signed by this server").await;
    undecided.assert_verification_names("decision has 3 rows, and the history names 2").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_signed_decision_is_moved_to_another_proposal(options: PgPoolOptions, connect: PgConnectOptions) {
    let undecided = undecided(options, connect).await;
    let moved = "update decision set proposal_id = '$id' where proposal_id = '$other'";
    undecided.tamper("decision", moved).await;
    undecided.tamper("proposal_state", APPROVE).await;
    undecided.assert_refused("is not signed by this server").await;
    undecided.assert_verification_names("was changed").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_withdrawn_one_is_said_to_be_approved(options: PgPoolOptions, connect: PgConnectOptions) {
    let approved = Approved::new(options, connect).await;
    approved.world.withdraw(&approved.world.crm, &approved.proposal).await.unwrap();
    approved.tamper("proposal_state", APPROVE).await;
    approved.assert_refused("says that it was cancelled").await;
}

#[sqlx::test(migrations = "../migrations")]
async fn one_that_was_applied_is_said_to_wait(options: PgPoolOptions, connect: PgConnectOptions) {
    let approved = Approved::new(options, connect).await;
    assert_eq!(approved.world.crm.apply().await.writes.len(), 1);
    approved.tamper("proposal_state", APPROVE).await;
    approved.assert_refused_after("may have been done already", &["ada"]).await;
}

#[sqlx::test(migrations = "../migrations")]
async fn one_that_is_unknown_is_said_to_wait(options: PgPoolOptions, connect: PgConnectOptions) {
    let approved = Approved::new(options, connect).await;
    approved.world.provider.enqueue_fault(server::sandbox::Fault::DropAfterCommit);
    approved.world.crm.apply().await;
    approved.tamper("proposal_state", APPROVE).await;
    approved.assert_refused_after("may have been done already", &["ada"]).await;
}
