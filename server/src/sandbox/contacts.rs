//! Contacts: list, read, create, replace, change, delete.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::state::{Contact, Inner, SandboxState};

const STATUSES: [&str; 3] = ["lead", "customer", "former"];
const FIELDS: [&str; 4] = ["name", "email", "phone", "status"];
/// What a whole contact brings back although it cannot be set.
const READ_ONLY: [&str; 4] = ["id", "version", "created_at", "updated_at"];

/// Which part of the list is wanted.
#[derive(Deserialize)]
pub(super) struct Page {
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
    /// Only what changed after this.
    since: Option<u64>,
}

pub(super) async fn list(State(state): State<SandboxState>, Query(page): Query<Page>) -> Response {
    let inner = state.lock();
    let mut found: Vec<(&String, &Contact)> = inner
        .contacts
        .iter()
        .filter(|(_, contact)| page.since.is_none_or(|since| contact.updated_at > since))
        .collect();
    found.sort_by_key(|(id, contact)| (contact.updated_at, id.as_str()));
    let total = found.len();
    let limit = page.limit.unwrap_or(50).min(100);
    let contacts: Vec<Value> =
        found.into_iter().skip(page.offset).take(limit).map(|(id, contact)| contact.to_json(id)).collect();
    Json(json!({ "contacts": contacts, "total": total })).into_response()
}

pub(super) async fn read(State(state): State<SandboxState>, Path(id): Path<String>) -> Response {
    match state.lock().contacts.get(&id) {
        Some(contact) => shown(StatusCode::OK, &id, contact),
        None => no_such_contact(),
    }
}

pub(super) async fn create(State(state): State<SandboxState>, headers: HeaderMap, body: Bytes) -> Response {
    let (body, fields) = match fields(&body) {
        Ok(read) => read,
        Err(refusal) => return *refusal,
    };
    let blank = Contact {
        name: String::new(),
        email: String::new(),
        phone: None,
        status: "lead".to_owned(),
        version: 1,
        created_at: 0,
        updated_at: 0,
    };
    let contact = match with(blank, &fields) {
        Ok(contact) => contact,
        Err(refusal) => return *refusal,
    };
    let mut inner = state.lock();
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok());
    if let Some((earlier, id)) = key.and_then(|key| inner.keys.get(key)) {
        if *earlier != body {
            return problem(StatusCode::UNPROCESSABLE_ENTITY, "This idempotency key came with another body.");
        }
        return match inner.contacts.get(id) {
            Some(contact) => shown(StatusCode::CREATED, id, contact),
            None => no_such_contact(),
        };
    }
    let (id, _) = inner.insert(contact);
    if let Some(key) = key {
        inner.keys.insert(key.to_owned(), (body, id.clone()));
    }
    match inner.contacts.get(&id) {
        Some(contact) => shown(StatusCode::CREATED, &id, contact),
        None => no_such_contact(),
    }
}

pub(super) async fn replace(
    State(state): State<SandboxState>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let cleared = |contact: &Contact| Contact {
        name: String::new(),
        email: String::new(),
        phone: None,
        status: "lead".to_owned(),
        ..contact.clone()
    };
    write(&mut state.lock(), &id, &headers, &body, cleared)
}

pub(super) async fn change(
    State(state): State<SandboxState>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    write(&mut state.lock(), &id, &headers, &body, Contact::clone)
}

pub(super) async fn delete(State(state): State<SandboxState>, Path(id): Path<String>, headers: HeaderMap) -> Response {
    let mut inner = state.lock();
    let Some(contact) = inner.contacts.get(&id) else { return no_such_contact() };
    if is_outdated(&headers, contact) {
        return outdated();
    }
    inner.contacts.remove(&id);
    inner.changes += 1;
    StatusCode::NO_CONTENT.into_response()
}

pub(super) async fn no_such_place() -> Response {
    problem(StatusCode::NOT_FOUND, "There is nothing at this address.")
}

/// An error as this CRM tells it.
pub(super) fn problem(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "error": { "status": status.as_u16(), "message": message } }))).into_response()
}

fn write(
    inner: &mut Inner,
    id: &str,
    headers: &HeaderMap,
    body: &Bytes,
    start: impl FnOnce(&Contact) -> Contact,
) -> Response {
    let fields = match fields(body) {
        Ok((_, fields)) => fields,
        Err(refusal) => return *refusal,
    };
    let Some(contact) = inner.contacts.get(id) else { return no_such_contact() };
    if is_outdated(headers, contact) {
        return outdated();
    }
    let mut contact = match with(start(contact), &fields) {
        Ok(contact) => contact,
        Err(refusal) => return *refusal,
    };
    inner.changes += 1;
    contact.version += 1;
    contact.updated_at = inner.changes;
    let response = shown(StatusCode::OK, id, &contact);
    inner.contacts.insert(id.to_owned(), contact);
    response
}

/// The body as it came, and the fields that can be set.
fn fields(body: &Bytes) -> Result<(Value, Map<String, Value>), Box<Response>> {
    let refuse = |message: &str| Err(Box::new(problem(StatusCode::UNPROCESSABLE_ENTITY, message)));
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return Err(Box::new(problem(StatusCode::BAD_REQUEST, "The body is not JSON.")));
    };
    let Some(entries) = value.as_object() else { return refuse("The body is no object.") };
    let mut fields = entries.clone();
    fields.retain(|name, _| !READ_ONLY.contains(&name.as_str()));
    if let Some(unknown) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        return refuse(&format!("A contact has no field {unknown}."));
    }
    Ok((value, fields))
}

fn with(mut contact: Contact, fields: &Map<String, Value>) -> Result<Contact, Box<Response>> {
    for (name, value) in fields {
        let Some(text) = value.as_str() else {
            return Err(Box::new(problem(StatusCode::UNPROCESSABLE_ENTITY, &format!("{name} must be a text."))));
        };
        match name.as_str() {
            "name" => text.clone_into(&mut contact.name),
            "email" => text.clone_into(&mut contact.email),
            "phone" => contact.phone = Some(text.to_owned()),
            _ => text.clone_into(&mut contact.status),
        }
    }
    let fault = if contact.name.is_empty() {
        "A contact needs a name."
    } else if !contact.email.contains('@') {
        "A contact needs an email address."
    } else if !STATUSES.contains(&contact.status.as_str()) {
        "A status is lead, customer or former."
    } else {
        return Ok(contact);
    };
    Err(Box::new(problem(StatusCode::UNPROCESSABLE_ENTITY, fault)))
}

fn shown(status: StatusCode, id: &str, contact: &Contact) -> Response {
    let mut response = (status, Json(contact.to_json(id))).into_response();
    if let Ok(etag) = HeaderValue::from_str(&contact.etag()) {
        response.headers_mut().insert(header::ETAG, etag);
    }
    response
}

fn is_outdated(headers: &HeaderMap, contact: &Contact) -> bool {
    let wanted = headers.get(header::IF_MATCH).and_then(|value| value.to_str().ok());
    wanted.is_some_and(|wanted| wanted != "*" && wanted != contact.etag())
}

fn outdated() -> Response {
    problem(StatusCode::PRECONDITION_FAILED, "The contact has changed since.")
}

fn no_such_contact() -> Response {
    problem(StatusCode::NOT_FOUND, "There is no such contact.")
}
