//! People: the first one, and signing in.

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::Service;
use crate::actor::{Operator, Person};
use crate::audit::{Entry, EventActor};
use crate::db;
use crate::digest::Digest;
use crate::error::{Error, Result, conflict, invalid_at, not_found};
use crate::ids::{GroupId, PersonId};
use crate::random;

/// The group that reviews every connection, until there are more.
pub(super) const REVIEWERS: &str = "Reviewers";

const SETUP_LINK_LIVES: TimeDelta = TimeDelta::hours(24);
const PASSWORD_MIN: usize = 12;
/// Argon2 takes any length; this keeps one sign-in from hashing a megabyte.
const PASSWORD_MAX: usize = 1024;

/// A person to be made.
#[derive(Clone)]
pub struct NewPerson {
    /// What they sign in with: no spaces, at most 254 characters.
    pub login: String,
    /// The name that they go by, at most 100 characters.
    pub name: String,
    /// At least 12 characters.
    pub password: String,
}

/// What else a person may do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Roles {
    /// Is in the group of reviewers.
    pub reviewer: bool,
    /// May administer.
    pub admin: bool,
    /// May read everything.
    pub auditor: bool,
}

/// The one-time link that makes the first person.
pub struct SetupLink {
    /// The secret part of the link; shown once.
    pub secret: String,
    /// When it ends.
    pub expires_at: DateTime<Utc>,
}

impl Service {
    /// Whether nobody can sign in yet.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn needs_setup(&self) -> Result<bool> {
        let mut conn = self.pool.acquire().await?;
        Ok(!db::people::any(&mut conn).await?)
    }

    /// Makes a new set-up link and voids the ones before; `None` once there is a person.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn issue_setup_link(&self, _by: &Operator) -> Result<Option<SetupLink>> {
        let mut tx = self.pool.begin().await?;
        db::audit::lock_chain(&mut tx, db::audit::ADMINISTRATION).await?;
        if db::people::any(&mut tx).await? {
            return Ok(None);
        }
        let now = db::now(&mut tx).await?;
        let secret = secret();
        let expires_at = now + SETUP_LINK_LIVES;
        let hash = Digest::of(secret.as_bytes());
        db::people::replace_setup_link(&mut tx, hash.as_bytes(), now, expires_at).await?;
        let entry = Entry::administration("setup.link_issued", EventActor::Operator, json!({}));
        db::audit::append(&mut tx, now, &entry).await?;
        tx.commit().await?;
        Ok(Some(SetupLink { secret, expires_at }))
    }

    /// Uses the link: makes the first person, an admin who is also in the group of reviewers.
    ///
    /// # Errors
    /// `setup_link_invalid`, `setup_done`, `login_malformed`, `name_malformed`,
    /// `password_too_short`, `password_too_long`.
    pub async fn complete_setup(&self, secret: &str, new: NewPerson) -> Result<PersonId> {
        let new = checked(new)?;
        let password_hash = hash(new.password).await?;
        let mut tx = self.pool.begin().await?;
        db::audit::lock_chain(&mut tx, db::audit::ADMINISTRATION).await?;
        if db::people::any(&mut tx).await? {
            return Err(conflict("setup_done", "Countersign is set up already. Sign in instead."));
        }
        let now = db::now(&mut tx).await?;
        let token_hash = Digest::of(secret.trim().as_bytes());
        if !db::people::use_setup_link(&mut tx, token_hash.as_bytes(), now).await? {
            return Err(invalid_at(
                "/token",
                "setup_link_invalid",
                "This set-up link is unknown, used or expired. Make a new one with: countersign setup-link",
            ));
        }
        let person = Person {
            id: PersonId::from_random(random::bytes()),
            name: new.name,
            login: new.login,
            is_admin: true,
            is_auditor: false,
        };
        insert(&mut tx, &person, &password_hash, true, EventActor::Person(person.id.clone()), now).await?;
        tx.commit().await?;
        Ok(person.id)
    }

    /// Makes another person.
    ///
    /// # Errors
    /// `login_taken`, `login_malformed`, `name_malformed`, `password_too_short`, `password_too_long`.
    pub async fn add_person(&self, _by: &Operator, new: NewPerson, roles: Roles) -> Result<PersonId> {
        let new = checked(new)?;
        let password_hash = hash(new.password).await?;
        let mut tx = self.pool.begin().await?;
        db::audit::lock_chain(&mut tx, db::audit::ADMINISTRATION).await?;
        let now = db::now(&mut tx).await?;
        let person = Person {
            id: PersonId::from_random(random::bytes()),
            name: new.name,
            login: new.login,
            is_admin: roles.admin,
            is_auditor: roles.auditor,
        };
        insert(&mut tx, &person, &password_hash, roles.reviewer, EventActor::Operator, now).await?;
        tx.commit().await?;
        Ok(person.id)
    }

    /// Everybody, by name, with the time at which they were disabled.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn people(&self, _by: &Operator) -> Result<Vec<(Person, Option<DateTime<Utc>>)>> {
        let mut conn = self.pool.acquire().await?;
        db::people::all(&mut conn).await
    }

    /// Who this is, if the password is right. Costs the same for a name that does
    /// not exist, so that nobody learns which names do.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn check_password(&self, login: &str, password: &str) -> Result<Option<Person>> {
        if password.len() > PASSWORD_MAX {
            return Ok(None);
        }
        let found = {
            let mut conn = self.pool.acquire().await?;
            db::people::find_by_login(&mut conn, login.trim()).await?
        };
        let stored = match &found {
            Some(row) => row.password_hash.clone(),
            None => nobodys_hash().await?.to_owned(),
        };
        let right = verify(password.to_owned(), stored).await?;
        Ok(found.filter(|row| right && row.disabled_at.is_none()).map(|row| row.person))
    }

    /// Records that somebody signed in.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn record_sign_in(&self, person: &PersonId) -> Result<()> {
        let mut tx = self.pool.begin().await?;
        db::audit::lock_chain(&mut tx, db::audit::ADMINISTRATION).await?;
        if db::people::find_enabled(&mut tx, person.as_str()).await?.is_none() {
            return Err(not_found("person"));
        }
        let now = db::now(&mut tx).await?;
        let entry = Entry::administration("person.signed_in", EventActor::Person(person.clone()), json!({}));
        db::audit::append(&mut tx, now, &entry).await?;
        tx.commit().await?;
        Ok(())
    }
}

async fn insert(
    tx: &mut sqlx::PgConnection,
    person: &Person,
    password_hash: &str,
    reviewer: bool,
    by: EventActor,
    now: DateTime<Utc>,
) -> Result<()> {
    if !db::people::insert(tx, person, password_hash, now).await? {
        return Err(invalid_at("/login", "login_taken", "Somebody signs in with this name already. Choose another."));
    }
    if reviewer {
        let group = db::people::group_named(tx, REVIEWERS, GroupId::from_random(random::bytes()), now).await?;
        db::people::join_group(tx, &group, &person.id, now).await?;
    }
    let facts = json!({
        "person": person.id, "admin": person.is_admin, "auditor": person.is_auditor, "reviewer": reviewer,
    });
    db::audit::append(tx, now, &Entry::administration("person.added", by, facts)).await
}

fn checked(new: NewPerson) -> Result<NewPerson> {
    let NewPerson { login, name, password } = new;
    let (login, name) = (login.trim().to_owned(), name.trim().to_owned());
    let login_fits =
        (1..=254).contains(&login.chars().count()) && !login.chars().any(|c| c.is_whitespace() || c.is_control());
    if !login_fits {
        return Err(invalid_at(
            "/login",
            "login_malformed",
            "A sign-in name has 1 to 254 characters and no spaces; an e-mail address is fine.",
        ));
    }
    if !(1..=100).contains(&name.chars().count()) || name.chars().any(char::is_control) {
        return Err(invalid_at("/name", "name_malformed", "A name has 1 to 100 characters."));
    }
    if password.chars().count() < PASSWORD_MIN {
        return Err(invalid_at("/password", "password_too_short", "A password has at least 12 characters."));
    }
    if password.len() > PASSWORD_MAX {
        return Err(invalid_at("/password", "password_too_long", "A password has at most 1,024 bytes."));
    }
    Ok(NewPerson { login, name, password })
}

/// Argon2id with 19 MiB, two passes and one lane: the first choice of OWASP's
/// password storage cheat sheet.
fn argon2() -> Argon2<'static> {
    let params = Params::new(19 * 1024, 2, 1, None).expect("these parameters are within Argon2's bounds");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

async fn hash(password: String) -> Result<String> {
    tokio::task::spawn_blocking(move || argon2().hash_password(password.as_bytes()).map(|hash| hash.to_string()))
        .await
        .map_err(Error::internal)?
        .map_err(|error| Error::internal(error.to_string()))
}

async fn verify(password: String, stored: String) -> Result<bool> {
    tokio::task::spawn_blocking(move || {
        PasswordHash::new(&stored).is_ok_and(|stored| argon2().verify_password(password.as_bytes(), &stored).is_ok())
    })
    .await
    .map_err(Error::internal)
}

/// What a password is compared with when nobody has that name.
async fn nobodys_hash() -> Result<&'static str> {
    static HASH: tokio::sync::OnceCell<String> = tokio::sync::OnceCell::const_new();
    HASH.get_or_try_init(|| hash(secret())).await.map(String::as_str)
}

/// 256 random bits for a link or a token, safe in a URL.
pub(super) fn secret() -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(random::bytes::<32>())
}
