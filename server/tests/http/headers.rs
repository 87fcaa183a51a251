//! The headers that every answer carries.

use std::fs;
use std::path::Path;

use axum::body::Body;
use axum::http::{HeaderMap, Request};
use domain::service::Roles;
use leptos::config::LeptosOptions;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::support::{Actor, Anonymous, Browser, TestApp, add_person};

#[track_caller]
fn check(headers: &HeaderMap, what: &str) {
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(headers.get(name).map(|value| value.to_str().unwrap()), Some(value), "{name} of {what}");
    }
    assert!(headers.contains_key("permissions-policy"), "{what}");
    assert_eq!(headers["x-request-id"].len(), 16, "{what}");
    let policies: Vec<_> = headers.get_all("content-security-policy").iter().collect();
    let [policy] = policies[..] else { panic!("{what} has {} policies", policies.len()) };
    let policy = policy.to_str().unwrap();
    for part in ["frame-ancestors 'none'", "base-uri 'none'"] {
        assert!(policy.contains(part), "{policy} of {what}");
    }
    assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{policy} of {what}");
}

#[sqlx::test(migrations = "../migrations")]
async fn every_answer_carries_them(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    add_person(&app, "rita", Roles::default()).await;
    let rita = Browser::signed_in(&app, "rita").await;
    let anonymous = Anonymous(&app);
    for (_, path) in server::web::routes() {
        for actor in [&rita as &dyn Actor, &anonymous] {
            check(&actor.get(&path).await.headers, &format!("GET {path}"));
            check(&actor.post(&path, &[]).await.headers, &format!("POST {path}"));
        }
    }
    check(&rita.get("/no/such/page").await.assert_status(404).headers, "a page that is not there");
    let other_site = (&rita as &dyn Actor).post_with("/sign-out", &[], &[("origin", "null")]).await;
    check(&other_site.assert_status(403).headers, "a form of another site");
    let other_host = Request::get("/").header("host", "evil.example").body(Body::empty()).unwrap();
    check(&app.send(other_host).await.assert_status(421).headers, "another host");
}

#[sqlx::test(migrations = "../migrations")]
async fn only_files_with_a_hash_in_their_name_are_kept(options: PgPoolOptions, connect: PgConnectOptions) {
    let mut app = TestApp::new(options, connect).await;
    let site = Path::new(env!("CARGO_TARGET_TMPDIR")).join("site");
    fs::create_dir_all(site.join("pkg")).unwrap();
    fs::write(site.join("pkg/countersign.abc.js"), "export {}").unwrap();
    fs::write(site.join("robots.txt"), "User-agent: *").unwrap();
    let path = site.to_str().unwrap();
    for (hashed, kept) in [(true, "public, max-age=31536000, immutable"), (false, "no-store")] {
        let leptos = LeptosOptions::builder().output_name("countersign").site_root(path).hash_files(hashed).build();
        app.state.leptos = leptos;
        app.router = server::web::router(app.state.clone());
        let anonymous = Anonymous(&app);
        let reply = (&anonymous as &dyn Actor).get("/pkg/countersign.abc.js").await;
        assert_eq!(reply.assert_status(200).header("cache-control"), kept);
        let reply = (&anonymous as &dyn Actor).get("/pkg/countersign.def.js").await;
        assert_eq!(reply.assert_status(404).header("cache-control"), "no-store");
        let reply = (&anonymous as &dyn Actor).get("/robots.txt").await;
        assert_eq!(reply.assert_status(200).header("cache-control"), "no-store");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn only_over_tls_browsers_are_told_to_stay_there(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::at("https://sign.example", options, connect).await;
    let reply = Browser::new(&app).get("/sign-in").await;
    assert_eq!(reply.header("strict-transport-security"), "max-age=31536000");
}
