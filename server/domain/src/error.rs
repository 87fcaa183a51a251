//! Why an operation was refused, in words that a person or an agent may read.
//!
//! A refusal has a stable `code`, a message that says what to do next and,
//! where the fault lies in the input, a JSON pointer to the place. What a lower
//! layer said is only ever logged: [`Error::Internal`] shows none of it.

use std::fmt;

/// What kind of refusal it is; a transport chooses its status by this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The thing does not exist, or the actor may not know that it does.
    NotFound,
    /// The actor is known and may not do this.
    Forbidden,
    /// The input is wrong; the same call will be refused again.
    Invalid,
    /// The state has moved on, or contradicts the call.
    Conflict,
    /// Too much at once; later it may go through.
    Limited,
    /// The product cannot do this yet.
    NotOffered,
    /// The database or a provider could not be reached; it may be tried again.
    Unavailable,
}

/// A refusal with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What kind of refusal it is.
    pub kind: Kind,
    /// A stable machine word, such as `id_malformed` or `queue_full`.
    pub code: &'static str,
    /// One or two plain sentences: what is wrong and what to do next.
    pub message: String,
    /// Where in the input the fault lies, as a JSON pointer.
    pub pointer: Option<String>,
}

impl Refusal {
    /// A refusal without a place.
    pub fn new(kind: Kind, code: &'static str, message: impl Into<String>) -> Self {
        Self { kind, code, message: message.into(), pointer: None }
    }

    /// The same refusal with the place of the fault.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pointer {
            Some(pointer) if !pointer.is_empty() => write!(f, "{} (at {pointer})", self.message),
            _ => f.write_str(&self.message),
        }
    }
}

/// Everything that an operation can end in but success.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A refusal that may be shown as it is.
    #[error("{0}")]
    Refused(Refusal),
    /// A fault of ours or of the database; never shown, only logged.
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// The result of an operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An internal error with this cause.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(cause.into())
    }

    /// The stable code; `internal` for what is not shown.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.code,
            Self::Internal(_) => "internal",
        }
    }

    /// The refusal, if it is one.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Internal(_) => None,
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// There is no such thing, or the actor may not know that there is.
#[must_use]
pub fn not_found(what: &str) -> Error {
    Refusal::new(Kind::NotFound, "not_found", format!("There is no such {what}, or you may not see it.")).into()
}

/// The actor may not do this.
pub fn forbidden(code: &'static str, message: impl Into<String>) -> Error {
    Refusal::new(Kind::Forbidden, code, message).into()
}

/// The input is wrong.
pub fn invalid(code: &'static str, message: impl Into<String>) -> Error {
    Refusal::new(Kind::Invalid, code, message).into()
}

/// The input is wrong at this place.
pub fn invalid_at(pointer: impl Into<String>, code: &'static str, message: impl Into<String>) -> Error {
    Refusal::new(Kind::Invalid, code, message).at(pointer).into()
}

/// The state contradicts the call.
pub fn conflict(code: &'static str, message: impl Into<String>) -> Error {
    Refusal::new(Kind::Conflict, code, message).into()
}

/// A later version brings this.
#[must_use]
pub fn not_offered(what: &str) -> Error {
    Refusal::new(Kind::NotOffered, "not_offered", format!("{what} is not offered by this version. Leave it out."))
        .into()
}
