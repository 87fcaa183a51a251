//! People, groups and the set-up link.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr as _;

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::Inconsistent;
use crate::actor::Person;
use crate::error::Result;
use crate::ids::{GroupId, PersonId};

/// A person with what is needed to let them in.
pub struct PersonRow {
    /// Who.
    pub person: Person,
    /// Argon2id, in the PHC string form.
    pub password_hash: String,
    /// Since when they may do nothing.
    pub disabled_at: Option<DateTime<Utc>>,
}

/// Whether there is anybody.
///
/// # Errors
/// If the database cannot be reached.
pub async fn any(conn: &mut PgConnection) -> Result<bool> {
    Ok(sqlx::query_scalar!(r#"select exists (select from person) as "any!""#).fetch_one(conn).await?)
}

/// Adds a person; `false` if the sign-in name is taken.
///
/// # Errors
/// If the database cannot be reached.
pub async fn insert(conn: &mut PgConnection, person: &Person, password_hash: &str, now: DateTime<Utc>) -> Result<bool> {
    let inserted = sqlx::query!(
        "insert into person (id, login, name, password_hash, is_admin, is_auditor, created_at)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (lower(login)) do nothing",
        person.id.as_str(),
        person.login,
        person.name,
        password_hash,
        person.is_admin,
        person.is_auditor,
        now,
    )
    .execute(conn)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// The person who signs in with this name.
///
/// # Errors
/// If the database cannot be reached.
pub async fn find_by_login(conn: &mut PgConnection, login: &str) -> Result<Option<PersonRow>> {
    sqlx::query!(
        "select id, login, name, password_hash, is_admin, is_auditor, disabled_at
         from person
         where lower(login) = lower($1)",
        login,
    )
    .fetch_optional(conn)
    .await?
    .map(|row| {
        Ok(PersonRow {
            person: Person {
                id: person_id(&row.id)?,
                name: row.name,
                login: row.login,
                is_admin: row.is_admin,
                is_auditor: row.is_auditor,
            },
            password_hash: row.password_hash,
            disabled_at: row.disabled_at,
        })
    })
    .transpose()
}

/// The enabled person of an id.
///
/// # Errors
/// If the database cannot be reached.
pub async fn find_enabled(conn: &mut PgConnection, id: &str) -> Result<Option<Person>> {
    sqlx::query!(
        "select id, login, name, is_admin, is_auditor
         from person
         where id = $1 and disabled_at is null",
        id,
    )
    .fetch_optional(conn)
    .await?
    .map(|row| {
        Ok(Person {
            id: person_id(&row.id)?,
            name: row.name,
            login: row.login,
            is_admin: row.is_admin,
            is_auditor: row.is_auditor,
        })
    })
    .transpose()
}

/// Everybody, by name, with the time at which they were disabled.
///
/// # Errors
/// If the database cannot be reached.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<(Person, Option<DateTime<Utc>>)>> {
    sqlx::query!("select id, login, name, is_admin, is_auditor, disabled_at from person order by name, id")
        .fetch_all(conn)
        .await?
        .into_iter()
        .map(|row| {
            let person = Person {
                id: person_id(&row.id)?,
                name: row.name,
                login: row.login,
                is_admin: row.is_admin,
                is_auditor: row.is_auditor,
            };
            Ok((person, row.disabled_at))
        })
        .collect()
}

/// The group of this name, made if there is none.
///
/// # Errors
/// If the database cannot be reached.
pub async fn group_named(conn: &mut PgConnection, name: &str, new: GroupId, now: DateTime<Utc>) -> Result<GroupId> {
    sqlx::query!(
        "insert into reviewer_group (id, name, created_at) values ($1, $2, $3) on conflict (name) do nothing",
        new.as_str(),
        name,
        now,
    )
    .execute(&mut *conn)
    .await?;
    let id = sqlx::query_scalar!("select id from reviewer_group where name = $1", name).fetch_one(conn).await?;
    group_id(&id)
}

/// Puts a person into a group.
///
/// # Errors
/// If the database cannot be reached.
pub async fn join_group(conn: &mut PgConnection, group: &GroupId, person: &PersonId, now: DateTime<Utc>) -> Result<()> {
    sqlx::query!(
        "insert into group_member (group_id, person_id, added_at) values ($1, $2, $3) on conflict do nothing",
        group.as_str(),
        person.as_str(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The groups of those of these people who are enabled.
///
/// # Errors
/// If the database cannot be reached.
pub async fn groups_of(conn: &mut PgConnection, people: &[String]) -> Result<BTreeMap<PersonId, BTreeSet<GroupId>>> {
    let mut groups: BTreeMap<PersonId, BTreeSet<GroupId>> = BTreeMap::new();
    let rows = sqlx::query!(
        "select group_member.person_id, group_member.group_id
         from group_member
         join person on person.id = group_member.person_id
         where person.disabled_at is null and person.id = any($1)",
        people,
    )
    .fetch_all(conn)
    .await?;
    for row in rows {
        groups.entry(person_id(&row.person_id)?).or_default().insert(group_id(&row.group_id)?);
    }
    Ok(groups)
}

/// Group names by id.
///
/// # Errors
/// If the database cannot be reached.
pub async fn group_names(conn: &mut PgConnection, groups: &[String]) -> Result<BTreeMap<GroupId, String>> {
    sqlx::query!("select id, name from reviewer_group where id = any($1)", groups)
        .fetch_all(conn)
        .await?
        .into_iter()
        .map(|row| Ok((group_id(&row.id)?, row.name)))
        .collect()
}

/// The enabled members of these groups, by name, at most `limit`.
///
/// # Errors
/// If the database cannot be reached.
pub async fn members(conn: &mut PgConnection, groups: &[String], limit: i64) -> Result<Vec<(PersonId, String)>> {
    sqlx::query!(
        "select distinct person.name, person.id
         from group_member
         join person on person.id = group_member.person_id
         where group_member.group_id = any($1) and person.disabled_at is null
         order by person.name, person.id
         limit $2",
        groups,
        limit,
    )
    .fetch_all(conn)
    .await?
    .into_iter()
    .map(|row| Ok((person_id(&row.id)?, row.name)))
    .collect()
}

/// Names by id.
///
/// # Errors
/// If the database cannot be reached.
pub async fn names(conn: &mut PgConnection, people: &[String]) -> Result<BTreeMap<String, String>> {
    Ok(sqlx::query!("select id, name from person where id = any($1)", people)
        .fetch_all(conn)
        .await?
        .into_iter()
        .map(|row| (row.id, row.name))
        .collect())
}

/// Voids every set-up link and stores a new one.
///
/// # Errors
/// If the database cannot be reached.
pub async fn replace_setup_link(
    conn: &mut PgConnection,
    token_hash: &[u8],
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!("update setup_link set used_at = $1 where used_at is null", now).execute(&mut *conn).await?;
    sqlx::query!(
        "insert into setup_link (token_hash, created_at, expires_at) values ($1, $2, $3)",
        token_hash,
        now,
        expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Uses up a set-up link; `false` if it is unknown, used or expired.
///
/// # Errors
/// If the database cannot be reached.
pub async fn use_setup_link(conn: &mut PgConnection, token_hash: &[u8], now: DateTime<Utc>) -> Result<bool> {
    let used = sqlx::query!(
        "update setup_link
         set used_at = $2
         where token_hash = $1 and used_at is null and expires_at > $2",
        token_hash,
        now,
    )
    .execute(conn)
    .await?;
    Ok(used.rows_affected() == 1)
}

pub(super) fn person_id(id: &str) -> Result<PersonId> {
    PersonId::from_str(id).map_err(|_| Inconsistent::error("person", id, "id"))
}

pub(super) fn group_id(id: &str) -> Result<GroupId> {
    GroupId::from_str(id).map_err(|_| Inconsistent::error("reviewer_group", id, "id"))
}
