//! Deciding, by the form of the approval page.

use domain::proposal::{Execution, Phase};
use domain::service::ProposalSummary;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::support::{Browser, Reply, TestApp, World};

async fn decide(browser: &mut Browser<'_>, proposal: &ProposalSummary, verdict: &str) -> Reply {
    let digest = proposal.binding_digest.to_string();
    let fields = [("verdict", verdict), ("binding_digest", &digest), ("comment", "Looks right\r\nto me")];
    browser.post(&format!("/proposals/{}/decision", proposal.id), &fields).await
}

#[sqlx::test(migrations = "../migrations")]
async fn a_reviewer_approves_and_rejects(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let world = World::new(&app).await;
    let mut rita = Browser::signed_in(&app, "rita").await;

    let proposal = world.proposal("1").await;
    decide(&mut rita, &proposal, "approve").await.assert_leads_to(&format!("/proposals/{}", proposal.id));
    assert_eq!(world.phase(&proposal).await, Phase::Approved(Execution::Waiting));

    let proposal = world.proposal("2").await;
    decide(&mut rita, &proposal, "reject").await.assert_leads_to(&format!("/proposals/{}", proposal.id));
    assert_eq!(world.phase(&proposal).await, Phase::Rejected);
    decide(&mut rita, &proposal, "approve").await.assert_status(409);
    assert_eq!(world.phase(&proposal).await, Phase::Rejected);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_decision_says_what_it_is_about(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let world = World::new(&app).await;
    let mut rita = Browser::signed_in(&app, "rita").await;
    let proposal = world.proposal("1").await;
    let other = world.proposal("2").await;
    let path = format!("/proposals/{}/decision", proposal.id);
    let right = proposal.binding_digest.to_string();
    let wrong = other.binding_digest.to_string();
    let comment = ("comment", "typed at length");
    for (fields, status) in [
        (&[("verdict", "approve"), ("binding_digest", &*wrong), comment][..], 409),
        (&[("verdict", "approve"), ("binding_digest", &right.to_uppercase()), comment], 422),
        (&[("verdict", "approve"), ("binding_digest", ""), comment], 422),
        (&[("verdict", "approve"), comment], 422),
        (&[("verdict", "Approve"), ("binding_digest", &right), comment], 422),
        (&[("verdict", ""), ("binding_digest", &right), comment], 422),
        (&[("binding_digest", &right), comment], 422),
    ] {
        let reply = rita.post(&path, fields).await;
        assert_eq!(reply.status.as_u16(), status, "{fields:?}: {}", reply.body);
        reply.assert_says("typed at length");
        assert_eq!(world.phase(&proposal).await, Phase::Pending, "{fields:?}");
    }
    let both = [("verdict", "reject"), ("verdict", "approve"), ("binding_digest", &*right)];
    rita.post(&path, &both).await.assert_status(400);
    let long = "x".repeat(2001);
    let too_long = [("verdict", "approve"), ("binding_digest", &*right), ("comment", &long)];
    rita.post(&path, &too_long).await.assert_status(422).assert_says(&long);
    assert_eq!(world.phase(&proposal).await, Phase::Pending);
}

#[sqlx::test(migrations = "../migrations")]
async fn whoever_may_not_decide_is_told_why(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let world = World::new(&app).await;
    let proposal = world.proposal("1").await;
    for (login, status, says) in [
        ("aude", 403, "none of the groups"),
        ("adam", 403, "none of the groups"),
        ("olaf", 403, "second pair of eyes"),
        ("otto", 404, ""),
    ] {
        let mut browser = Browser::signed_in(&app, login).await;
        let reply = decide(&mut browser, &proposal, "approve").await;
        assert_eq!(reply.status.as_u16(), status, "{login}: {}", reply.body);
        reply.assert_says(says);
        assert_eq!(world.phase(&proposal).await, Phase::Pending, "{login}");
    }
    let reply = decide(&mut Browser::new(&app), &proposal, "approve").await;
    reply.assert_status(403).assert_says("signed out").assert_says(&format!("/proposals/{}", proposal.id));
    assert_eq!(world.phase(&proposal).await, Phase::Pending);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_miscopied_id_is_of_no_proposal(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let world = World::new(&app).await;
    let proposal = world.proposal("1").await;
    let mut rita = Browser::signed_in(&app, "rita").await;
    let digest = proposal.binding_digest.to_string();
    for id in ["prp_0", "%2e%2e", "prp_%0d%0aSet-Cookie:x", &proposal.id.as_str().to_uppercase()] {
        let fields = [("verdict", "approve"), ("binding_digest", &*digest)];
        rita.post(&format!("/proposals/{id}/decision"), &fields).await.assert_status(404);
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn the_owner_takes_a_proposal_back(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let world = World::new(&app).await;
    let proposal = world.proposal("1").await;
    let path = format!("/proposals/{}/withdrawal", proposal.id);
    let mut aude = Browser::signed_in(&app, "aude").await;
    aude.post(&path, &[("reason", "no")]).await.assert_status(403);
    let mut olaf = Browser::signed_in(&app, "olaf").await;
    olaf.post(&path, &[("reason", "Wrong note")]).await.assert_leads_to(&format!("/proposals/{}", proposal.id));
    assert_eq!(world.phase(&proposal).await, Phase::Withdrawn);
    olaf.post(&path, &[("reason", "again")]).await.assert_status(409);
}
