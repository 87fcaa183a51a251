//! Where a form comes from, and under which name the server is asked.

use axum::body::Body;
use axum::http::Request;
use domain::service::Roles;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::support::{Actor, Browser, TestApp, World, add_person};

const OURS: &str = "http://127.0.0.1:3000";

#[sqlx::test(migrations = "../migrations")]
async fn a_form_of_another_site_does_nothing(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let world = World::new(&app).await;
    let rita = Browser::signed_in(&app, "rita").await;
    let rows: &[(&[(&str, &str)], bool)] = &[
        (&[("sec-fetch-site", "same-origin"), ("origin", OURS)], true),
        (&[("sec-fetch-site", "same-origin")], true),
        (&[("origin", OURS)], true),
        (&[("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")], false),
        (&[("sec-fetch-site", "cross-site")], false),
        // What the browser says of itself is not outdone by an origin.
        (&[("sec-fetch-site", "cross-site"), ("origin", OURS)], false),
        (&[("sec-fetch-site", "same-site"), ("origin", "http://127.0.0.1:4000")], false),
        (&[("sec-fetch-site", "same-site")], false),
        (&[("origin", "https://evil.example")], false),
        (&[("origin", "null")], false),
        (&[("sec-fetch-site", "cross-site"), ("origin", "null")], false),
        (&[("origin", "http://127.0.0.1:3001")], false),
        (&[("origin", "http://127.0.0.1:3000.evil.example")], false),
        (&[("origin", "file://127.0.0.1:3000")], false),
    ];
    for (index, (headers, allowed)) in rows.iter().enumerate() {
        let proposal = world.proposal(&index.to_string()).await;
        let before = world.phase(&proposal).await;
        let reply = (&rita as &dyn Actor)
            .post_with(
                &format!("/proposals/{}/decision", proposal.id),
                &[("verdict", "approve"), ("binding_digest", &proposal.binding_digest.to_string())],
                headers,
            )
            .await;
        if *allowed {
            reply.assert_status(303);
            assert_ne!(world.phase(&proposal).await, before, "{headers:?}");
        } else {
            reply.assert_status(403).assert_says("another site");
            assert_eq!(world.phase(&proposal).await, before, "{headers:?}");
        }
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn every_form_asks_where_it_comes_from(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    add_person(&app, "rita", Roles::default()).await;
    let rita = Browser::signed_in(&app, "rita").await;
    for (path, _) in server::web::forms::ROUTES {
        let reply = (&rita as &dyn Actor).post_with(path, &[], &[("sec-fetch-site", "cross-site")]).await;
        reply.assert_status(403).assert_says("another site");
    }
    rita.get("/").await.assert_status(200);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_get_changes_nothing(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let world = World::new(&app).await;
    let proposal = world.proposal("1").await;
    let rita = Browser::signed_in(&app, "rita").await;
    let before = app.fingerprint().await;
    for (_, path) in server::web::routes() {
        let path = path.replace("{id}", proposal.id.as_str()).replace("{*path}", "x");
        for query in ["", "?verdict=approve&binding_digest=", "?login=rita&password=x"] {
            let digest = if query.contains("binding") { proposal.binding_digest.to_string() } else { String::new() };
            rita.get(&format!("{path}{query}{digest}")).await;
        }
    }
    assert_eq!(app.fingerprint().await, before);
    rita.get("/").await.assert_status(200);
}

#[sqlx::test(migrations = "../migrations")]
async fn it_answers_under_its_own_names_only(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    for (hosts, path, status) in [
        (&["127.0.0.1:3000"][..], "/sign-in", 200),
        (&["localhost:3000"], "/sign-in", 200),
        (&["LOCALHOST:3000"], "/sign-in", 200),
        (&["[::1]:3000"], "/sign-in", 200),
        (&["evil.example"], "/sign-in", 421),
        (&["evil.example:3000"], "/sign-in", 421),
        (&["127.0.0.1:3001"], "/sign-in", 421),
        (&["127.0.0.1"], "/sign-in", 421),
        (&[], "/sign-in", 400),
        (&["127.0.0.1:3000", "evil.example"], "/sign-in", 400),
        // Probes are sent to an address.
        (&["10.0.0.7:3000"], "/healthz", 200),
        (&["10.0.0.7:3000"], "/readyz", 200),
    ] {
        let request = hosts.iter().fold(Request::get(path), |request, host| request.header("host", *host));
        let reply = app.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(reply.status.as_u16(), status, "{hosts:?} {path}: {}", reply.body);
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_form_that_is_too_large_or_odd_is_refused(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let large = "x".repeat(70_000);
    let mut browser = Browser::new(&app);
    browser.post("/sign-in", &[("login", &large), ("password", "x")]).await.assert_status(413);
    browser.post("/sign-in", &[("login", "a"), ("login", "b")]).await.assert_status(400);
    let json = Request::post("/sign-in").header("host", "127.0.0.1:3000").header("content-type", "application/json");
    app.send(json.body(Body::from("{}")).unwrap()).await.assert_status(415);
}
