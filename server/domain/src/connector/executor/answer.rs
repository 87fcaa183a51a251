//! Reads an answer within limits, and hides the credential should it come back.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::time::Instant;

use flate2::read::MultiGzDecoder;
use zeroize::Zeroizing;

use super::http::why_lost;
use super::{Answer, Reply};

/// What is read of a body that comes in a coding.
const MAX_ENCODED: usize = 1024 * 1024;
/// What is kept of a body.
const MAX_BODY: usize = 8 * 1024 * 1024;
/// Hiding shorter texts would mangle answers that only happen to hold them.
const MIN_HIDDEN: usize = 6;
const HIDDEN: &str = "[credential]";

/// Reads the rest of an answer whose head has come.
pub(super) async fn read_answer(mut answer: reqwest::Response, scrub: &Scrub, started: Instant) -> Reply {
    let status = answer.status().as_u16();
    let headers = answer_headers(&answer, scrub);
    let coding = Coding::of(headers.get("content-encoding").map(String::as_str));
    let limit = if coding == Coding::None { MAX_BODY } else { MAX_ENCODED };
    let mut bytes = Vec::new();
    let mut truncated = false;
    loop {
        match answer.chunk().await {
            Ok(Some(chunk)) => {
                let room = limit - bytes.len();
                bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
                if chunk.len() > room {
                    truncated = true;
                    break;
                }
            }
            Ok(None) => break,
            // The status line alone proves nothing: the rest could have taken it back.
            Err(error) => {
                return Reply::Lost { reason: why_lost(&error), status: Some(status), duration: started.elapsed() };
            }
        }
    }
    let (body, decoded_whole) = coding.decode(bytes);
    Reply::Answered(Answer {
        status,
        headers,
        body: scrub.bytes(body),
        truncated: truncated || !decoded_whole,
        duration: started.elapsed(),
    })
}

/// The headers of an answer by name; of repeated ones the first.
fn answer_headers(answer: &reqwest::Response, scrub: &Scrub) -> BTreeMap<String, String> {
    let mut headers = BTreeMap::new();
    for (name, value) in answer.headers() {
        if let Ok(value) = value.to_str() {
            headers.entry(name.as_str().to_owned()).or_insert_with(|| scrub.text(value));
        }
    }
    headers
}

/// How a body was packed, although we asked for it plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    None,
    Gzip,
    Other,
}

impl Coding {
    fn of(header: Option<&str>) -> Self {
        match header.map(|value| value.trim().to_ascii_lowercase()).as_deref() {
            None | Some("" | "identity") => Self::None,
            Some("gzip" | "x-gzip") => Self::Gzip,
            Some(_) => Self::Other,
        }
    }

    /// The plain bytes up to the limit, and whether that is all of them.
    fn decode(self, bytes: Vec<u8>) -> (Vec<u8>, bool) {
        match self {
            Self::None => (bytes, true),
            Self::Other => (Vec::new(), false),
            Self::Gzip => {
                let mut plain = Vec::new();
                // One byte more than is kept, so that a longer body is noticed.
                let mut decoder = MultiGzDecoder::new(bytes.as_slice()).take(MAX_BODY as u64 + 1);
                let whole = decoder.read_to_end(&mut plain).is_ok() && plain.len() <= MAX_BODY;
                plain.truncate(MAX_BODY);
                (plain, whole)
            }
        }
    }
}

/// What must not be handed on although the provider says it.
#[derive(Default)]
pub(super) struct Scrub(Vec<Zeroizing<String>>);

impl Scrub {
    /// Hides this text from now on.
    pub(super) fn hide(&mut self, text: &str) {
        if text.len() >= MIN_HIDDEN {
            self.0.push(Zeroizing::new(text.to_owned()));
        }
    }

    pub(super) fn text(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, hidden| text.replace(hidden.as_str(), HIDDEN))
    }

    fn bytes(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        for hidden in &self.0 {
            let mut from = 0;
            while let Some(at) = find(&bytes[from..], hidden.as_bytes()) {
                let at = from + at;
                bytes.splice(at..at + hidden.len(), HIDDEN.bytes());
                from = at + HIDDEN.len();
            }
        }
        bytes
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_that_comes_back_is_hidden() {
        let mut scrub = Scrub::default();
        scrub.hide("sk-secret");
        scrub.hide("abc");
        assert_eq!(scrub.text("no such key: sk-secret, abc"), "no such key: [credential], abc");
        assert_eq!(scrub.bytes(b"\xffsk-secretsk-secret.".to_vec()), b"\xff[credential][credential].".to_vec());
    }

    #[test]
    fn other_codings_are_not_guessed() {
        assert_eq!(Coding::of(Some("gzip, br")).decode(b"x".to_vec()), (Vec::new(), false));
        assert_eq!(Coding::of(Some("Identity")).decode(b"x".to_vec()), (b"x".to_vec(), true));
        assert!(!Coding::Gzip.decode(b"no gzip".to_vec()).1);
    }
}
