//! The pages as HTML, made of the same data as the pictures.

#[path = "../examples/pictures/samples.rs"]
mod samples;

use app::context::Feedback;
use app::pages::history::{Asked, HistoryView};
use app::pages::proposal::ProposalDocument;
use app::pages::queue::QueueView;
use app::pages::setup::SetupView;
use app::pages::sign_in::SignInView;
use domain::service::ProposalView;
use leptos::prelude::*;

fn render(view: impl FnOnce() -> AnyView) -> String {
    Owner::new().with(|| {
        leptos_meta::provide_meta_context();
        view().to_html()
    })
}

fn page(proposal: ProposalView) -> String {
    refused(proposal, None)
}

fn refused(proposal: ProposalView, feedback: Option<Feedback>) -> String {
    render(|| view! { <ProposalDocument proposal feedback /> }.into_any())
}

fn queue(queue: domain::service::Queue) -> String {
    render(|| view! { <QueueView queue later_page=false /> }.into_any())
}

#[test]
fn a_decision_carries_the_digest_that_is_shown() {
    let proposal = samples::pending();
    let (id, digest) = (proposal.id.clone(), proposal.binding_digest);
    let html = page(proposal);
    assert!(html.contains(&format!("action=\"/proposals/{id}/decision\"")));
    assert!(html.contains(&format!("name=\"binding_digest\" value=\"{digest}\"")));
    assert!(html.contains("method=\"post\""));
    assert!(html.contains("value=\"approve\"") && html.contains("value=\"reject\""));
    let grouped = digest.grouped();
    let (first, second) = grouped.split_at(36);
    assert!(html.contains(first) && html.contains(second));
}

#[test]
fn the_page_says_who_asks_and_where_it_would_go() {
    let html = page(samples::pending());
    for text in
        ["support-bot", "Ada Byron", "api.example.com", "Change a contact", "medium", "Nobody has verified them"]
    {
        assert!(html.contains(text), "{text}");
    }
}

#[test]
fn until_the_browser_has_checked_the_page_says_so() {
    let html = page(samples::pending());
    assert!(html.contains("Not yet checked by this browser."));
    assert!(html.contains("This browser did not check the digests"));
    assert!(html.contains("data-evidence"));
}

#[test]
fn whoever_may_not_decide_sees_why_and_who_can() {
    let html = page(samples::for_others());
    assert!(html.contains("data-reason=\"four_eyes\""));
    assert!(html.contains("Katherine Johnson"));
    for absent in ["data-decision-form", "value=\"approve\"", "data-evidence", "data-fields"] {
        assert!(!html.contains(absent), "{absent}");
    }
}

#[test]
fn decision_and_execution_stand_apart() {
    for (proposal, decision, execution) in [
        (samples::pending(), "pending", "none"),
        (samples::unknown(), "approved", "unknown"),
        (samples::applied(), "approved", "applied"),
    ] {
        let html = page(proposal);
        assert!(html.contains(&format!("data-decision=\"{decision}\"")));
        assert!(html.contains(&format!("data-execution=\"{execution}\"")));
    }
}

#[test]
fn an_unknown_outcome_asks_for_a_verdict_with_a_note() {
    let html = page(samples::unknown());
    assert!(html.contains("data-banner=\"unknown\""));
    assert!(html.contains("value=\"confirmed_applied\"") && html.contains("value=\"confirmed_not_applied\""));
    let note = html.split("<textarea").find(|part| part.contains("name=\"note\"")).unwrap();
    assert!(note.split('>').next().unwrap().contains("required"), "{note}");
}

#[test]
fn a_fault_is_the_first_thing_to_see() {
    let html = page(samples::fault());
    assert!(html.find("data-banner=\"integrity\"").unwrap() < html.find("<h1").unwrap());
    assert!(html.contains("does not verify"));
    assert!(html.contains("/withdrawal"));
}

#[test]
fn what_cannot_be_read_cannot_be_approved() {
    let mut proposal = samples::pending();
    proposal.evidence.as_mut().unwrap().content_json.push(' ');
    let html = page(proposal);
    assert!(html.contains("data-banner=\"integrity\""));
    assert!(!html.contains("value=\"approve\""));
    assert!(html.contains("value=\"reject\""));
}

#[test]
fn a_repeat_is_named() {
    let proposal = samples::hostile();
    let other = proposal.same_as[0].clone();
    let html = page(proposal);
    assert!(html.contains("data-banner=\"same\""));
    assert!(html.contains(&format!("href=\"/proposals/{other}\"")));
}

#[test]
fn nothing_that_was_typed_is_lost() {
    let typed = "</textarea><script>alert(1)</script>";
    let feedback = Feedback {
        code: "comment_too_long".to_owned(),
        message: "The comment is too long.".to_owned(),
        field: Some("comment".to_owned()),
        values: [("comment".to_owned(), typed.to_owned())].into(),
    };
    let html = refused(samples::pending(), Some(feedback));
    assert!(html.contains("The comment is too long."));
    assert!(html.contains("&lt;/textarea&gt;&lt;script&gt;alert(1)"), "{html}");
    assert!(html.contains("aria-invalid=\"true\""));

    let html = render(|| view! { <SignInView next=None feedback=Some(samples::wrong_password()) /> }.into_any());
    assert!(html.contains("value=\"grace\""));
    assert!(html.contains("The sign-in name or the password is wrong."));
}

#[test]
fn the_queue_names_what_waits_for_whom() {
    let html = queue(samples::queue());
    let parts: Vec<_> = ["Waits for you", "Waits for others", "Approved, not applied yet", "Stuck"]
        .iter()
        .map(|title| html.find(title).unwrap())
        .collect();
    assert!(parts.is_sorted());
    assert!(html[parts[0]..parts[1]].contains("You may decide this."));
    assert!(html[parts[1]..parts[2]].contains("data-reason=\"four_eyes\""));
    assert!(html[parts[2]..parts[3]].contains("Apply by"));
    assert!(html[parts[3]..].contains("Outcome unknown") && html[parts[3]..].contains("Integrity fault"));
    assert!(html.contains("href=\"/?after=abc\""));
    assert!(html.contains("3 proposals wait"));
}

#[test]
fn an_empty_queue_says_what_was_looked_at_and_when() {
    let html = queue(samples::empty_queue());
    assert!(html.contains("Nothing waits for you in the 3 connections that you review."));
    assert!(html.contains("2026-11-30 14:05:09 UTC"));
    let html = queue(domain::service::Queue { connections_reviewed: 0, ..samples::empty_queue() });
    assert!(html.contains("You review no connection"));
}

#[test]
fn the_history_is_in_words() {
    let html = render(|| view! { <HistoryView asked=Asked::default() entries=samples::history() /> }.into_any());
    for text in ["applied", "voted on", "recorded something.new:", "before=older"] {
        assert!(html.contains(text), "{text}");
    }
}

#[test]
fn no_page_needs_an_inline_style_or_script() {
    let pages = [
        page(samples::pending()),
        page(samples::hostile()),
        page(samples::tampered()),
        page(samples::unknown()),
        queue(samples::queue()),
        render(|| view! { <SetupView open=true token=Some("x".to_owned()) feedback=None /> }.into_any()),
    ];
    for html in pages {
        for tag in html.split('<').filter_map(|rest| rest.split('>').next()) {
            assert!(!tag.contains(" style=") && !tag.contains(" onclick=") && !tag.starts_with("script"), "{tag}");
        }
    }
}
