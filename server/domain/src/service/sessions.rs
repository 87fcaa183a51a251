//! Browser sessions as rows. The transport decides what lies in them; who is
//! signed in is decided here.

use std::str::FromStr as _;

use chrono::{DateTime, Utc};

use super::Service;
use crate::actor::SignedIn;
use crate::db;
use crate::error::{Error, Result};
use crate::ids::PersonId;

/// A session as it is stored. `id` is the digest of what the cookie holds.
#[derive(Debug, Clone)]
pub struct StoredSession {
    /// SHA-256 of the session id.
    pub id: [u8; 32],
    /// Who is signed in by it.
    pub person: Option<PersonId>,
    /// What the transport keeps.
    pub data: Vec<u8>,
    /// When it ends.
    pub expires_at: DateTime<Utc>,
}

impl Service {
    /// Who is signed in by this session: `None` if it ended or the person was disabled.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn signed_in(&self, session: &[u8; 32]) -> Result<Option<SignedIn>> {
        let mut conn = self.pool.acquire().await?;
        let Some(row) = db::sessions::find(&mut conn, session).await? else {
            return Ok(None);
        };
        let Some(person) = row.person_id else {
            return Ok(None);
        };
        Ok(db::people::find_enabled(&mut conn, &person).await?.map(SignedIn::by_session))
    }

    /// Stores a new session; `false` if the id is taken.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn create_session(&self, session: &StoredSession) -> Result<bool> {
        let mut conn = self.pool.acquire().await?;
        let now = db::now(&mut conn).await?;
        let person = session.person.as_ref().map(PersonId::as_str);
        db::sessions::insert(&mut conn, &session.id, person, &session.data, now, session.expires_at).await
    }

    /// Writes a session again, or for the first time.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn save_session(&self, session: &StoredSession) -> Result<()> {
        let updated = {
            let mut conn = self.pool.acquire().await?;
            let person = session.person.as_ref().map(PersonId::as_str);
            db::sessions::update(&mut conn, &session.id, person, &session.data, session.expires_at).await?
        };
        if !updated {
            self.create_session(session).await?;
        }
        Ok(())
    }

    /// A session that has not ended.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn load_session(&self, id: &[u8; 32]) -> Result<Option<StoredSession>> {
        let mut conn = self.pool.acquire().await?;
        db::sessions::find(&mut conn, id)
            .await?
            .map(|row| {
                Ok(StoredSession {
                    id: *id,
                    person: row.person_id.map(|id| PersonId::from_str(&id).map_err(Error::internal)).transpose()?,
                    data: row.data,
                    expires_at: row.expires_at,
                })
            })
            .transpose()
    }

    /// Ends a session.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn delete_session(&self, id: &[u8; 32]) -> Result<()> {
        let mut conn = self.pool.acquire().await?;
        db::sessions::delete(&mut conn, id).await
    }

    /// Removes sessions that have ended.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn sweep_sessions(&self) -> Result<u64> {
        let mut conn = self.pool.acquire().await?;
        db::sessions::delete_ended(&mut conn).await
    }
}
