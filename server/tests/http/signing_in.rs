//! Sessions: from sign-in to sign-out.

use domain::service::Roles;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::support::{Browser, PASSWORD, TestApp, World, add_person};

async fn sessions(app: &TestApp) -> i64 {
    sqlx::query_scalar!("select count(*) as \"count!\" from session").fetch_one(&app.owner).await.unwrap()
}

#[sqlx::test(migrations = "../migrations")]
async fn nobody_costs_a_row_before_they_sign_in(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    add_person(&app, "rita", Roles::default()).await;
    let mut rita = Browser::new(&app);
    assert!(rita.get("/sign-in").await.assert_status(200).cookies().is_empty());
    assert!(rita.get("/").await.assert_leads_to("/sign-in").cookies().is_empty());
    let refused = rita.sign_in("rita", "not the password").await;
    refused.assert_status(403).assert_says("The name or the password is wrong.").assert_says("rita");
    refused.assert_does_not_say("not the password");
    assert!(refused.cookies().is_empty());
    assert_eq!(sessions(&app).await, 0);
}

#[sqlx::test(migrations = "../migrations")]
async fn an_unknown_name_and_a_wrong_password_read_alike(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    add_person(&app, "rita", Roles::default()).await;
    add_person(&app, "dora", Roles::default()).await;
    app.arrange("update person set disabled_at = app_now() where login = 'dora'").await;
    let mut browser = Browser::new(&app);
    for (login, password) in [("rita", "wrong"), ("nobody", PASSWORD), ("dora", PASSWORD), ("", "")] {
        let reply = browser.sign_in(login, password).await;
        reply.assert_status(403).assert_says("The name or the password is wrong.");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn signing_in_and_out(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    add_person(&app, "rita", Roles::default()).await;
    let mut rita = Browser::signed_in(&app, "RITA").await;
    rita.get("/").await.assert_status(200);
    assert_eq!(sessions(&app).await, 1);

    let kept = rita.cookie.clone();
    rita.post("/sign-out", &[]).await.assert_leads_to("/sign-in");
    assert_eq!(rita.cookie, None);
    assert_eq!(sessions(&app).await, 0);

    // Who copied the cookie has nothing.
    let thief = Browser::with_cookie(&app, kept);
    thief.get("/").await.assert_leads_to("/sign-in");
}

#[sqlx::test(migrations = "../migrations")]
async fn the_id_is_renewed_at_sign_in(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    add_person(&app, "rita", Roles::default()).await;
    let mut rita = Browser::signed_in(&app, "rita").await;
    let before = rita.cookie.clone();
    rita.sign_in("rita", PASSWORD).await.assert_leads_to("/");
    assert_ne!(rita.cookie, before);
    assert_eq!(sessions(&app).await, 1, "the session before is over");

    // An id that somebody else chose is not taken over.
    let chosen = "countersign=AAAAAAAAAAAAAAAAAAAAAA".to_owned();
    let mut victim = Browser::with_cookie(&app, Some(chosen.clone()));
    victim.sign_in("rita", PASSWORD).await.assert_leads_to("/");
    assert_ne!(victim.cookie, Some(chosen));
}

#[sqlx::test(migrations = "../migrations")]
async fn the_cookie_is_for_this_server_only(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    add_person(&app, "rita", Roles::default()).await;
    let reply = Browser::new(&app).sign_in("rita", PASSWORD).await;
    let [cookie] = reply.cookies()[..] else { panic!("one cookie: {reply:?}") };
    let (pair, attributes) = cookie.split_once("; ").unwrap();
    assert!(pair.starts_with("countersign="), "{pair}");
    assert_eq!(attributes, "HttpOnly; SameSite=Lax; Path=/; Max-Age=1209600");

    let stored = sqlx::query_scalar!("select id from session").fetch_one(&app.owner).await.unwrap();
    let value = pair.trim_start_matches("countersign=");
    assert_eq!(stored, stored_id(value), "only the digest is stored");
}

fn stored_id(cookie: &str) -> [u8; 32] {
    server::session_store::stored_id(&cookie.parse().unwrap())
}

#[sqlx::test(migrations = "../migrations")]
async fn over_tls_the_cookie_is_held_to_the_host(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::at("https://sign.example", options, connect).await;
    add_person(&app, "rita", Roles::default()).await;
    let mut rita = Browser::new(&app);
    let reply = rita.sign_in("rita", PASSWORD).await;
    let [cookie] = reply.cookies()[..] else { panic!("one cookie: {reply:?}") };
    assert!(cookie.starts_with("__Host-countersign="), "{cookie}");
    assert!(cookie.ends_with("; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=1209600"), "{cookie}");

    let reply = rita.post("/sign-out", &[]).await;
    let removal = "__Host-countersign=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax";
    assert!(reply.cookies().contains(&removal), "{reply:?}");
}

#[sqlx::test(migrations = "../migrations")]
async fn a_disabled_person_is_out_at_once(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    add_person(&app, "rita", Roles::default()).await;
    let rita = Browser::signed_in(&app, "rita").await;
    app.arrange("update person set disabled_at = app_now()").await;
    rita.get("/").await.assert_leads_to("/sign-in");
}

#[sqlx::test(migrations = "../migrations")]
async fn a_session_ends_and_is_prolonged_by_use(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    add_person(&app, "rita", Roles::default()).await;
    let rita = Browser::signed_in(&app, "rita").await;
    let days_left = || async {
        sqlx::query_scalar!("select extract(day from expires_at - app_now())::bigint as \"days!\" from session")
            .fetch_one(&app.owner)
            .await
            .unwrap()
    };
    app.arrange("update session set expires_at = app_now() + interval '3 days'").await;
    rita.get("/").await.assert_status(200);
    assert_eq!(days_left().await, 2, "a use on the same day is not written down");

    app.arrange(
        "update session set data = convert_to(regexp_replace(convert_from(data, 'utf8'), '(\"renewed_at\":)\\d+', '\\11'), 'utf8')",
    )
    .await;
    rita.get("/").await.assert_status(200);
    assert_eq!(days_left().await, 13);

    app.arrange("update session set expires_at = app_now() - interval '1 second'").await;
    rita.get("/").await.assert_leads_to("/sign-in");
}

#[sqlx::test(migrations = "../migrations")]
async fn a_link_that_is_opened_signed_out_leads_back(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let world = World::new(&app).await;
    let page = format!("/proposals/{}?a=b", world.proposal("1").await.id);
    let encoded: String = url::form_urlencoded::byte_serialize(page.as_bytes()).collect();
    let mut rita = Browser::new(&app);
    rita.get(&page).await.assert_leads_to(&format!("/sign-in?next={encoded}"));
    rita.post("/sign-in", &[("login", "rita"), ("password", PASSWORD), ("next", &page)]).await.assert_leads_to(&page);
}

#[sqlx::test(migrations = "../migrations")]
async fn signing_in_leads_to_pages_of_this_server_only(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    add_person(&app, "rita", Roles::default()).await;
    for (next, place) in [
        ("/history?kind=proposal.", "/history?kind=proposal."),
        ("", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("https://evil.example/", "/"),
        ("/\t/evil.example", "/"),
        ("/a\r\nSet-Cookie: x=y", "/"),
        ("javascript:alert(1)", "/"),
    ] {
        let mut rita = Browser::new(&app);
        let reply = rita.post("/sign-in", &[("login", "rita"), ("password", PASSWORD), ("next", next)]).await;
        reply.assert_leads_to(place);
    }
}
