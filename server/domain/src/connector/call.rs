//! The call that will be sent, made from input and manifest by one pure function.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use url::Url;

use super::manifest::{Action, Auth, Idempotency, List, Manifest, Method, Read};
use super::path::{PathTemplate, Segment, encode, encode_segment};
use crate::canonical::{canonical_bytes, escape_pointer, number_text};
use crate::digest::Digest;

/// Longer addresses are refused by many providers, each in its own way.
const MAX_URL: usize = 8000;

/// What will be sent. Shown to whoever decides, and digested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The HTTP method.
    pub method: Method,
    /// The absolute URL.
    pub url: String,
    /// The names of the headers that will be sent, in lower case and sorted;
    /// `host` and `content-length` are part of every call and not listed.
    pub headers: Vec<String>,
    /// The JSON body.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub body: Option<Value>,
}

/// An input that cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {message}")]
pub struct CallError {
    /// JSON pointer of the place in the input; empty if the connection is at fault.
    pub pointer: String,
    /// What is wrong and what to do.
    pub message: String,
}

/// The call of an action with this input.
///
/// # Errors
/// If a parameter cannot stand in the URL, or the base URL is not one.
pub fn build_call(manifest: &Manifest, action: &Action, base_url: &Url, input: &Value) -> Result<Call, CallError> {
    let url = build_url(base_url, &action.path, &action.query, input)?;
    let body = body(action, input)?;
    let mut headers = base_headers(&manifest.auth);
    if body.is_some() {
        headers.push("content-type".to_owned());
    }
    if let Idempotency::Key { header, .. } = &action.idempotency {
        headers.push(header.clone());
    }
    headers.sort();
    headers.dedup();
    Ok(Call { method: action.method, url, headers, body })
}

/// The call of a read with this input.
///
/// # Errors
/// As [`build_call`].
pub fn build_read(manifest: &Manifest, read: &Read, base_url: &Url, input: &Value) -> Result<Call, CallError> {
    get(manifest, base_url, &read.path, &read.query, input)
}

/// The call of the first page of a list with this input.
///
/// # Errors
/// As [`build_call`].
pub fn build_list(manifest: &Manifest, list: &List, base_url: &Url, input: &Value) -> Result<Call, CallError> {
    get(manifest, base_url, &list.path, &list.query, input)
}

/// Reads the base URL of a connection.
///
/// # Errors
/// With what is wrong, in one sentence.
pub fn parse_base_url(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text).map_err(|_| "A base URL looks like `https://api.example.com/v1`.")?;
    check_base_url(&url)?;
    Ok(url)
}

impl Call {
    /// The canonical JSON of the call.
    ///
    /// # Panics
    /// Never: a call is text and JSON.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        canonical_bytes(&serde_json::to_value(self).expect("a call is text and JSON"))
    }

    /// The digest of the canonical JSON.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.canonical())
    }

    /// The exact bytes of the body.
    #[must_use]
    pub fn body_bytes(&self) -> Option<Vec<u8>> {
        self.body.as_ref().map(canonical_bytes)
    }
}

/// A body of `null` is a body.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

fn get(
    manifest: &Manifest,
    base_url: &Url,
    path: &PathTemplate,
    query: &[String],
    input: &Value,
) -> Result<Call, CallError> {
    let url = build_url(base_url, path, query, input)?;
    let mut headers = base_headers(&manifest.auth);
    headers.sort();
    Ok(Call { method: Method::Get, url, headers, body: None })
}

/// What every call carries; the executor sends exactly what is listed.
fn base_headers(auth: &Auth) -> Vec<String> {
    let mut headers = vec!["accept".to_owned(), "accept-encoding".to_owned(), "user-agent".to_owned()];
    match auth {
        Auth::None => {}
        Auth::Bearer | Auth::Basic => headers.push("authorization".to_owned()),
        Auth::Header(name) => headers.push(name.clone()),
    }
    headers
}

fn check_base_url(url: &Url) -> Result<(), &'static str> {
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err("A base URL begins with `https://` or `http://` and names a host.");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("A base URL holds no user or password: the credential is kept apart.");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("A base URL ends with its path, without `?` and `#`.");
    }
    Ok(())
}

fn build_url(base_url: &Url, path: &PathTemplate, query: &[String], input: &Value) -> Result<String, CallError> {
    let at_fault = |message: &str| CallError { pointer: String::new(), message: message.to_owned() };
    check_base_url(base_url).map_err(at_fault)?;
    let mut url = base_url.as_str().trim_end_matches('/').to_owned();
    for segment in path.segments() {
        url.push('/');
        match segment {
            Segment::Literal(text) => url.push_str(text),
            Segment::Parameter(name) => url.push_str(&path_parameter(name, input)?),
        }
    }
    let mut separator = '?';
    for name in query {
        let Some(value) = input.get(name) else { continue };
        url.push(separator);
        url.push_str(&encode(name));
        url.push('=');
        url.push_str(&encode(&scalar(name, value)?));
        separator = '&';
    }
    if url.len() > MAX_URL {
        return Err(at_fault("The address of this call is longer than 8000 bytes: its parameters are too long."));
    }
    // A client that reads the address in another way would call another place.
    match Url::parse(&url) {
        Ok(parsed) if parsed.as_str() == url => Ok(url),
        _ => Err(at_fault("The address of this call has no single meaning: check the base URL and the parameters.")),
    }
}

fn path_parameter(name: &str, input: &Value) -> Result<String, CallError> {
    let refuse = |message: String| CallError { pointer: format!("/{}", escape_pointer(name)), message };
    let text = match input.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) if is_integer(number) => number_text(number),
        _ => return Err(refuse(format!("`{name}` goes into the path and must be a text or an integer."))),
    };
    encode_segment(&text).map_err(|problem| refuse(format!("`{name}` {problem}.")))
}

fn is_integer(number: &serde_json::Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|value| value.fract() == 0.0)
}

fn scalar(name: &str, value: &Value) -> Result<String, CallError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number_text(number)),
        Value::Bool(value) => Ok(value.to_string()),
        _ => Err(CallError {
            pointer: format!("/{}", escape_pointer(name)),
            message: format!("`{name}` goes into the query and must be a text, a number, or true or false."),
        }),
    }
}

fn body(action: &Action, input: &Value) -> Result<Option<Value>, CallError> {
    if let Some(pointer) = &action.body {
        return match pointer.get(input) {
            Some(value) => Ok(Some(value.clone())),
            None => Err(CallError {
                pointer: pointer.to_string(),
                message: "This is what is sent, and is missing.".to_owned(),
            }),
        };
    }
    if !action.sends_the_rest() || action.has_only_parameters() {
        return Ok(None);
    }
    let rest: Map<String, Value> = input
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !action.is_parameter(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    Ok(Some(Value::Object(rest)))
}

#[cfg(test)]
mod tests;
