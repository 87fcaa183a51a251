//! Browser sessions as rows, through the service.
//!
//! The cookie holds the session's id; the table holds only the digest of it, so
//! that a reader of the table cannot sign in. Who is signed in stands in a
//! column of its own, so that disabling a person ends their sessions.

use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::digest::Digest;
use domain::ids::PersonId;
use domain::service::{Service, StoredSession};
use time::OffsetDateTime;
use tower_sessions::SessionStore;
use tower_sessions::session::{Id, Record};
use tower_sessions::session_store::{Error, Result};

/// Under this name a session keeps who is signed in.
pub const PERSON: &str = "person";

/// The sessions in the database.
#[derive(Clone)]
pub struct Sessions(pub Service);

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sessions")
    }
}

/// What a session is stored under: the digest of what the cookie holds.
#[must_use]
pub fn stored_id(id: &Id) -> [u8; 32] {
    *Digest::of(&id.0.to_le_bytes()).as_bytes()
}

#[async_trait]
impl SessionStore for Sessions {
    async fn create(&self, record: &mut Record) -> Result<()> {
        while !self.0.create_session(&to_row(record)?).await.map_err(backend)? {
            record.id = Id::default();
        }
        Ok(())
    }

    async fn save(&self, record: &Record) -> Result<()> {
        self.0.save_session(&to_row(record)?).await.map_err(backend)
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let row = self.0.load_session(&stored_id(id)).await.map_err(backend)?;
        row.map(|row| from_row(*id, &row)).transpose()
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        self.0.delete_session(&stored_id(id)).await.map_err(backend)
    }
}

fn to_row(record: &Record) -> Result<StoredSession> {
    let person = match record.data.get(PERSON) {
        None => None,
        Some(value) => Some(serde_json::from_value::<PersonId>(value.clone()).map_err(encode)?),
    };
    Ok(StoredSession {
        id: stored_id(&record.id),
        person,
        data: serde_json::to_vec(&record.data).map_err(encode)?,
        expires_at: DateTime::<Utc>::from_timestamp(record.expiry_date.unix_timestamp(), 0)
            .ok_or_else(|| Error::Encode("the expiry is out of range".to_owned()))?,
    })
}

fn from_row(id: Id, row: &StoredSession) -> Result<Record> {
    Ok(Record {
        id,
        data: serde_json::from_slice(&row.data).map_err(|error| Error::Decode(error.to_string()))?,
        expiry_date: OffsetDateTime::from_unix_timestamp(row.expires_at.timestamp())
            .map_err(|error| Error::Decode(error.to_string()))?,
    })
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn encode(error: serde_json::Error) -> Error {
    Error::Encode(error.to_string())
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn backend(error: domain::error::Error) -> Error {
    if let domain::error::Error::Internal(cause) = &error {
        tracing::error!(%cause, "a session could not be read or written");
    }
    Error::Backend(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        Record {
            id: Id(7),
            data: [(PERSON.to_owned(), PersonId::from_random([3; 16]).as_str().into())].into(),
            expiry_date: OffsetDateTime::from_unix_timestamp(2_000_000_000).unwrap(),
        }
    }

    #[test]
    fn a_row_holds_the_digest_of_the_id_and_the_person() {
        let row = to_row(&record()).unwrap();
        assert_eq!(row.id, *Digest::of(&7_i128.to_le_bytes()).as_bytes());
        assert_eq!(row.person, Some(PersonId::from_random([3; 16])));
        assert_eq!(from_row(Id(7), &row).unwrap(), record());
    }

    #[test]
    fn a_session_with_something_else_as_person_is_refused() {
        let mut record = record();
        record.data.insert(PERSON.to_owned(), 5.into());
        assert!(to_row(&record).is_err());
    }
}
