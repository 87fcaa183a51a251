//! One form as it came in.

use std::collections::BTreeMap;

use app::context::{RequestId, Viewer};
use axum::Form;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use domain::actor::SignedIn;
use domain::error::{Error, Kind, Refusal, invalid};

use crate::web::problem;

/// One form as it came in.
pub(super) struct Submission {
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) viewer: Option<SignedIn>,
    pub(super) request_id: Option<RequestId>,
    fields: BTreeMap<String, String>,
}

/// Never shown again.
const SECRET: &[&str] = &["password"];

impl Submission {
    /// Who sent it.
    pub(super) fn person(&self) -> Result<&SignedIn, Error> {
        self.viewer.as_ref().ok_or_else(|| {
            let message = "You are signed out, and nothing was recorded. Sign in and send it again.";
            Refusal::new(Kind::Forbidden, "signed_out", message).into()
        })
    }

    /// A field as it was typed; empty if it is missing.
    pub(super) fn text(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// A longer text; `None` if it is blank.
    pub(super) fn prose(&self, name: &str) -> Option<String> {
        // Browsers send line ends as two characters and count them as one.
        let text = self.text(name).replace("\r\n", "\n");
        (!text.trim().is_empty()).then_some(text)
    }

    /// A field that is one of some words.
    pub(super) fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<T, Error> {
        let given = self.text(name);
        words.iter().find(|(word, _)| *word == given).map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            invalid("verdict_unknown", format!("Choose one of: {}.", names.join(", ")))
        })
    }

    /// What was typed and may be shown again.
    pub(super) fn typed(&self) -> BTreeMap<String, String> {
        let mut typed = self.fields.clone();
        typed.retain(|name, _| !SECRET.contains(&name.as_str()));
        typed
    }
}

impl<S: Send + Sync> FromRequest<S> for Submission {
    type Rejection = Response;

    async fn from_request(request: Request, _: &S) -> Result<Self, Response> {
        let path = request.uri().path().to_owned();
        let mut headers = request.headers().clone();
        // What is said of the body is not said of the page that is shown again.
        for name in [header::CONTENT_LENGTH, header::CONTENT_TYPE, header::TRANSFER_ENCODING] {
            headers.remove(name);
        }
        let viewer = request.extensions().get::<Viewer>().and_then(|viewer| viewer.0.clone());
        let request_id = request.extensions().get::<RequestId>().cloned();
        let Form(pairs) = Form::<Vec<(String, String)>>::from_request(request, &())
            .await
            .map_err(|refused| problem::text(refused.status(), refused.body_text()))?;
        let mut fields = BTreeMap::new();
        for (name, value) in pairs {
            // A field that says two things says nothing that could be signed.
            if fields.insert(name, value).is_some() {
                return Err(problem::text(StatusCode::BAD_REQUEST, "A field was sent twice. Open the page again."));
            }
        }
        Ok(Self { path, headers, viewer, request_id, fields })
    }
}
