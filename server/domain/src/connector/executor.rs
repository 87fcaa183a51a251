//! The one way out to providers.
//!
//! [`Executor`] is the interface; [`http::HttpExecutor`] is the client behind it.
//! A reply says only what is certain: nothing was sent, an answer came, or
//! neither can be said. What it means for a proposal is [`super::outcome`]'s to say.

pub mod address;
mod answer;
pub mod deadline;
mod gate;
mod headers;
pub mod http;
mod resolve;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use futures::future::BoxFuture;

use super::call::Call;
use super::manifest::Auth;
use super::secret::Secret;

pub use deadline::Deadline;
pub use http::HttpExecutor;

/// How long one call may take, unless set otherwise.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(15);

/// Whatever makes calls.
pub trait Executor: Send + Sync + 'static {
    /// Makes one call, once: no retry, no redirect, no second try of any kind.
    ///
    /// Dropping the future can cut off a call that is under way; whoever must
    /// know how it ended lets it run in a task of its own.
    fn send<'a>(&'a self, call: Outgoing<'a>) -> BoxFuture<'a, Reply>;
}

/// One call and what is needed to make it.
#[derive(Clone)]
pub struct Outgoing<'a> {
    /// What is sent.
    pub call: &'a Call,
    /// The exact bytes of the body.
    pub body: Option<&'a [u8]>,
    /// How the call is authorised.
    pub auth: &'a Auth,
    /// The credential, if `auth` needs one.
    pub credential: Option<&'a Secret>,
    /// The header and the key by which the provider knows a repeat.
    pub idempotency_key: Option<(&'a str, &'a str)>,
    /// The one host that is called although its address is private or loopback.
    pub allowed_host: Option<&'a str>,
    /// How long the whole call may take.
    pub timeout: Duration,
    /// Past this nothing is sent.
    pub deadline: Option<Deadline>,
    /// The path with its parameters unfilled: all that traces may show.
    pub template: &'a str,
}

/// What came of a call.
pub enum Reply {
    /// Not one byte of the call was sent.
    NotSent(NotSentReason),
    /// An answer came, at least up to the limit of its size.
    Answered(Answer),
    /// It may have been received or not.
    Lost {
        /// Why.
        reason: LostReason,
        /// The status, if that much came. It proves nothing.
        status: Option<u16>,
        /// How long it took.
        duration: Duration,
    },
}

/// A provider's answer. Handed on and never kept.
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers by name in lower case; of repeated ones the first.
    pub headers: BTreeMap<String, String>,
    /// The body, decoded, up to a limit.
    pub body: Vec<u8>,
    /// Whether the body is longer than the limit, or in a coding that is not understood.
    pub truncated: bool,
    /// How long it took.
    pub duration: Duration,
}

/// Why nothing was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotSentReason {
    /// The name of the host has no address.
    Dns,
    /// The host could not be reached.
    Connect,
    /// The address is private, loopback or otherwise not public.
    AddressRefused,
    /// The host could not prove who it is.
    Tls,
    /// The deadline had passed.
    Deadline,
    /// The call itself is not one that can be made, or its credential is missing.
    Invalid,
}

/// Why it is not known what became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostReason {
    /// No whole answer in time.
    Timeout,
    /// The connection broke.
    Reset,
    /// The head of the answer is no HTTP, or beyond all limits.
    Malformed,
}

impl NotSentReason {
    /// A word for logs and replies.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::AddressRefused => "address_refused",
            Self::Tls => "tls",
            Self::Deadline => "deadline",
            Self::Invalid => "invalid",
        }
    }
}

impl LostReason {
    /// A word for logs and replies.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Reset => "reset",
            Self::Malformed => "malformed",
        }
    }
}

impl Reply {
    /// The status, if one came; of a lost call it proves nothing.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::NotSent(_) => None,
            Self::Answered(answer) => Some(answer.status),
            Self::Lost { status, .. } => *status,
        }
    }

    /// How long it took; nothing if nothing was sent.
    #[must_use]
    pub fn duration(&self) -> Option<Duration> {
        match self {
            Self::NotSent(_) => None,
            Self::Answered(answer) => Some(answer.duration),
            Self::Lost { duration, .. } => Some(*duration),
        }
    }
}

impl Answer {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// Shows nothing that a provider said: what is printed ends up in logs.
impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSent(reason) => f.debug_tuple("NotSent").field(reason).finish(),
            Self::Answered(answer) => f.debug_tuple("Answered").field(answer).finish(),
            Self::Lost { reason, status, duration } => f
                .debug_struct("Lost")
                .field("reason", reason)
                .field("status", status)
                .field("duration", duration)
                .finish(),
        }
    }
}

/// Shows nothing that a provider said: what is printed ends up in logs.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").field("status", &self.status).field("duration", &self.duration).finish_non_exhaustive()
    }
}
