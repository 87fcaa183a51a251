//! The headers of a call, with its credential.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use zeroize::Zeroizing;

use super::answer::Scrub;
use super::{NotSentReason, Outgoing};
use crate::connector::manifest::Auth;
use crate::connector::secret::Secret;

const USER_AGENT: &str = concat!("countersign/", env!("CARGO_PKG_VERSION"));

/// The headers of the call: those that its record lists, and no others.
pub(super) fn headers(call: &Outgoing<'_>) -> Result<(HeaderMap, Scrub), NotSentReason> {
    let mut headers = HeaderMap::new();
    let mut scrub = Scrub::default();
    headers.insert("accept", HeaderValue::from_static("application/json"));
    headers.insert("accept-encoding", HeaderValue::from_static("identity"));
    headers.insert("user-agent", HeaderValue::from_static(USER_AGENT));
    if call.body.is_some() {
        headers.insert("content-type", HeaderValue::from_static("application/json"));
    }
    if let Some((name, value)) = authorization(call.auth, call.credential, &mut scrub)? {
        headers.insert(name, value);
    }
    if let Some((name, key)) = call.idempotency_key {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| NotSentReason::Invalid)?;
        headers.insert(name, HeaderValue::from_str(key).map_err(|_| NotSentReason::Invalid)?);
    }
    let mut names: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
    names.sort_unstable();
    if names != call.call.headers || call.body.is_some() != call.call.body.is_some() {
        return Err(NotSentReason::Invalid);
    }
    Ok((headers, scrub))
}

fn authorization(
    auth: &Auth,
    credential: Option<&Secret>,
    scrub: &mut Scrub,
) -> Result<Option<(HeaderName, HeaderValue)>, NotSentReason> {
    if *auth == Auth::None {
        return Ok(None);
    }
    let credential = credential.ok_or(NotSentReason::Invalid)?.expose();
    scrub.hide(credential);
    let (name, text) = match auth {
        Auth::None => return Ok(None),
        Auth::Bearer => ("authorization", Zeroizing::new(format!("Bearer {credential}"))),
        Auth::Basic => {
            let encoded = Zeroizing::new(STANDARD.encode(credential));
            scrub.hide(&encoded);
            if let Some((_, password)) = credential.split_once(':') {
                scrub.hide(password);
            }
            ("authorization", Zeroizing::new(format!("Basic {}", *encoded)))
        }
        Auth::Header(name) => (name.as_str(), Zeroizing::new(credential.to_owned())),
    };
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| NotSentReason::Invalid)?;
    let mut value = HeaderValue::from_str(&text).map_err(|_| NotSentReason::Invalid)?;
    value.set_sensitive(true);
    Ok(Some((name, value)))
}
