//! Who looks at a page: from cookie to [`Viewer`].
//!
//! A session exists only from sign-in to sign-out; nobody else costs a row. Its
//! id is renewed at sign-in, so that an id that was known before is worth
//! nothing after.

use app::context::Viewer;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};
use domain::ids::PersonId;
use domain::service::Service;
use time::{Duration, OffsetDateTime};
use tower_sessions::cookie::SameSite;
use tower_sessions::{Expiry, Session, SessionManagerLayer};

use crate::config::PublicUrl;
use crate::session_store::{PERSON, Sessions, stored_id};
use crate::web::{next, pages, problem};

/// A session that nobody used for so long is over.
const IDLE: Duration = Duration::days(14);
/// Use is written down once a day, not at every page.
const RENEW_AFTER: Duration = Duration::days(1);
const RENEWED_AT: &str = "renewed_at";

/// Reads the cookie and, where a handler changed the session, stores it.
#[must_use]
pub fn layer(service: Service, public_url: &PublicUrl) -> SessionManagerLayer<Sessions> {
    SessionManagerLayer::new(Sessions(service))
        .with_name(cookie_name(public_url))
        .with_secure(public_url.is_https())
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_expiry(Expiry::OnInactivity(IDLE))
}

/// Over TLS the prefix makes browsers hold the cookie to this host, this path
/// and TLS. Without TLS they would not take it.
fn cookie_name(public_url: &PublicUrl) -> &'static str {
    if public_url.is_https() { "__Host-countersign" } else { "countersign" }
}

/// Gives every request its [`Viewer`].
pub async fn identify(State(service): State<Service>, session: Session, mut request: Request, next: Next) -> Response {
    let signed_in = match session.id() {
        None => None,
        Some(id) => match service.signed_in(&stored_id(&id)).await {
            Ok(signed_in) => signed_in,
            Err(error) => return problem::of(&error),
        },
    };
    if signed_in.is_some() {
        keep_alive(&session).await;
    }
    request.extensions_mut().insert(Viewer(signed_in));
    next.run(request).await
}

/// Sends whoever opens a page signed out to sign in, and then back to the page.
pub async fn require_viewer(request: Request, next: Next) -> Response {
    let signed_in = request.extensions().get::<Viewer>().is_some_and(|viewer| viewer.0.is_some());
    let page = request.uri().path_and_query().map_or("/", |page| page.as_str());
    if signed_in || pages::is_public(request.uri().path()) || !matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    Redirect::to(&next::sign_in_and_back_to(page)).into_response()
}

/// Begins the session of this person, under a new id.
///
/// # Errors
/// If the database cannot be reached.
pub async fn begin(session: &Session, person: &PersonId) -> Result<(), tower_sessions::session::Error> {
    session.clear().await;
    session.cycle_id().await?;
    session.insert(PERSON, person).await?;
    session.insert(RENEWED_AT, OffsetDateTime::now_utc().unix_timestamp()).await
}

/// Ends the session; the row is gone when this returns.
///
/// # Errors
/// If the database cannot be reached.
pub async fn end(session: &Session) -> Result<(), tower_sessions::session::Error> {
    session.flush().await
}

/// The header that takes the cookie away. The session layer sends one without
/// `Secure`, which browsers refuse for a name with the `__Host-` prefix.
#[must_use]
pub fn removal(public_url: &PublicUrl) -> (header::HeaderName, HeaderValue) {
    let value = if public_url.is_https() {
        HeaderValue::from_static("__Host-countersign=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax")
    } else {
        HeaderValue::from_static("countersign=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax")
    };
    (header::SET_COOKIE, value)
}

/// A failure here costs at most the session's prolongation.
async fn keep_alive(session: &Session) {
    let now = OffsetDateTime::now_utc().unix_timestamp();
    let renewed = async {
        let before = session.get::<i64>(RENEWED_AT).await?.unwrap_or(0);
        if now - before >= RENEW_AFTER.whole_seconds() {
            session.insert(RENEWED_AT, now).await?;
        }
        Ok::<(), tower_sessions::session::Error>(())
    };
    if let Err(error) = renewed.await {
        tracing::warn!(%error, "a session was not prolonged");
    }
}
