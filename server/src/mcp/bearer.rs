//! The bearer token of a request, and the agent that it stands for.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use domain::actor::Agent;
use domain::service::Service;
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::rate::Rates;
use super::rpc::{INTERNAL_ERROR, INVALID_REQUEST, RpcError};

/// What the check of a token needs.
#[derive(Clone)]
pub struct Door {
    service: Service,
    rates: Rates,
}

impl Door {
    /// Over the operations, with nobody's calls counted yet.
    pub fn new(service: Service) -> Self {
        Self { service, rates: Rates::default() }
    }
}

/// Looks up the agent and hands it on in the request's extensions.
pub async fn authenticate(State(door): State<Door>, mut request: Request, next: Next) -> Result<Response, RpcError> {
    let Some(secret) = bearer(request.headers()) else {
        return Err(unauthorized(
            "Bearer realm=\"countersign\"",
            "A token is needed, in the header Authorization: Bearer, and nowhere else.",
        ));
    };
    let agent = door.service.agent_by_token(secret).await.map_err(|error| {
        tracing::error!(error = &error as &dyn std::error::Error, "could not look up a token");
        RpcError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            INTERNAL_ERROR,
            "The database cannot be reached. Try again in a moment.",
        )
        .with_header(header::RETRY_AFTER, HeaderValue::from_static("2"))
    })?;
    let Some(agent) = agent else {
        return Err(unauthorized(
            "Bearer realm=\"countersign\", error=\"invalid_token\", error_description=\"unknown, expired or revoked\"",
            "This token is unknown, expired or revoked. An admin can issue another.",
        ));
    };
    door.rates.count(&agent.token).map_err(|wait| {
        RpcError::new(
            StatusCode::TOO_MANY_REQUESTS,
            INVALID_REQUEST,
            "Too many calls with this token. Wait and try again.",
        )
        .with_header(header::RETRY_AFTER, HeaderValue::from(wait.as_secs().max(1)))
    })?;
    request.extensions_mut().insert::<Agent>(agent);
    Ok(next.run(request).await)
}

/// The refusal of a tool that the token's scopes do not cover.
pub fn insufficient_scope(scope: &str) -> RpcError {
    let error = RpcError::new(
        StatusCode::FORBIDDEN,
        INVALID_REQUEST,
        format!("This token lacks the scope {scope}. An admin can issue one that has it."),
    );
    let challenge = format!("Bearer realm=\"countersign\", error=\"insufficient_scope\", scope=\"{scope}\"");
    match HeaderValue::from_str(&challenge) {
        Ok(challenge) => error.with_header(header::WWW_AUTHENTICATE, challenge),
        Err(_) => error,
    }
}

fn unauthorized(challenge: &'static str, message: &str) -> RpcError {
    RpcError::new(StatusCode::UNAUTHORIZED, INVALID_REQUEST, message)
        .with_header(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
}

/// The secret, if there is exactly one Authorization header and it is a bearer token.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next()?.to_str().ok()?;
    if values.next().is_some() {
        return None;
    }
    let (scheme, secret) = value.split_once(' ')?;
    let secret = secret.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !secret.is_empty()).then_some(secret)
}
