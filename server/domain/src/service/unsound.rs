//! Records that contradict themselves or each other: nothing is decided and
//! nothing is sent on them, and the history says so.

use crate::error::{Error, Result};

/// What does not hold, in words for the history: names records, never values.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unsound(String);

impl Unsound {
    /// As an error of the operation that came upon it.
    pub(super) fn error(what: impl Into<String>) -> Error {
        Error::internal(Self(what.into()))
    }

    /// What an operation came upon; any other error is passed on.
    pub(super) fn found_by(error: Error) -> Result<String> {
        let Error::Internal(cause) = error else {
            return Err(error);
        };
        match cause.downcast::<Self>() {
            Ok(unsound) => Ok(unsound.0),
            Err(cause) => Err(Error::Internal(cause)),
        }
    }
}
