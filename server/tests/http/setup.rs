//! The one-time link.

use domain::actor::Operator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::support::{Browser, PASSWORD, TestApp};

async fn link(app: &TestApp) -> String {
    app.service().issue_setup_link(&Operator).await.unwrap().expect("nobody is there yet").secret
}

async fn complete(browser: &mut Browser<'_>, token: &str, login: &str, password: &str) -> crate::support::Reply {
    browser.post("/setup", &[("token", token), ("login", login), ("name", "Rita"), ("password", password)]).await
}

#[sqlx::test(migrations = "../migrations")]
async fn the_link_makes_the_first_person_once_and_signs_them_in(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let token = link(&app).await;
    let mut rita = Browser::new(&app);
    complete(&mut rita, &token, "rita@example.com", PASSWORD).await.assert_leads_to("/");
    rita.get("/").await.assert_status(200);
    assert!(!app.service().needs_setup().await.unwrap());

    let mut eve = Browser::new(&app);
    complete(&mut eve, &token, "eve@example.com", PASSWORD).await.assert_status(409);
    assert_eq!(eve.cookie, None);
    assert!(app.service().issue_setup_link(&Operator).await.unwrap().is_none());
}

#[sqlx::test(migrations = "../migrations")]
async fn a_wrong_an_old_and_an_expired_link_make_nobody(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let mut eve = Browser::new(&app);
    complete(&mut eve, "wrong", "eve", PASSWORD).await.assert_status(422);
    complete(&mut eve, "", "eve", PASSWORD).await.assert_status(422);

    let old = link(&app).await;
    let new = link(&app).await;
    complete(&mut eve, &old, "eve", PASSWORD).await.assert_status(422);

    app.arrange("update setup_link set expires_at = app_now() - interval '1 second'").await;
    complete(&mut eve, &new, "eve", PASSWORD).await.assert_status(422);
    assert!(app.service().needs_setup().await.unwrap());
    assert_eq!(eve.cookie, None);
}

#[sqlx::test(migrations = "../migrations")]
async fn what_was_typed_stays_except_the_password(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let token = link(&app).await;
    let mut rita = Browser::new(&app);
    let reply = complete(&mut rita, &token, "rita@example.com", "shortPW").await;
    reply.assert_status(422).assert_says("rita@example.com").assert_says(&token).assert_does_not_say("shortPW");
    // The link was not used up by that.
    complete(&mut rita, &token, "rita@example.com", PASSWORD).await.assert_leads_to("/");
}
