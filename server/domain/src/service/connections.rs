//! Connections and the manifests that they pin.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

use serde_json::{Value, json};
use sqlx::PgConnection;
use url::Url;

use super::Service;
use super::people::REVIEWERS;
use super::unsound::Unsound;
use crate::actor::{Agent, Operator, Scope};
use crate::audit::{Entry, EventActor};
use crate::canonical::digest_json;
use crate::connector::manifest::{Auth, Manifest};
use crate::db;
use crate::db::connections::{ConnectionRow, LaneOrder};
use crate::db::records::{ManifestRow, PolicyRow, Record as _};
use crate::digest::Digest;
use crate::error::{Error, Result, conflict, forbidden, invalid, not_found, not_offered};
use crate::ids::{ConnectionId, GroupId, PolicyId};
use crate::policy::{APPLY_WITHIN, APPROVE_WITHIN, Approval, Policy, Requirement};
use crate::proposal::OnFailure;
use crate::random;
use crate::vault::Vault;

/// Names that would make a tool's name ambiguous.
const RESERVED: [&str; 4] = ["syncs", "proposals", "context", "agents"];

/// Manifests by digest. What is stored under a digest never changes.
#[derive(Default)]
pub(super) struct ManifestCache {
    pub(super) by_digest: RwLock<BTreeMap<Digest, Arc<Manifest>>>,
}

/// A connection to be made.
#[derive(Debug, Clone)]
pub struct NewConnection {
    /// `^[a-z][a-z0-9_]{0,40}$`, unique; its tools begin with it.
    pub name: String,
    /// The TOML of the manifest, and the file's name for its errors.
    pub manifest: (String, String),
    /// Where the provider's API begins.
    pub base_url: String,
    /// The credential (for `basic`: `user:password`).
    pub credential: Option<String>,
    /// Allow this host although its address is private or loopback.
    pub allowed_host: Option<String>,
    /// `connection`, `agent` or `entity`.
    pub lane_order: String,
    /// What a lane does after a write that was not done.
    pub on_failure: OnFailure,
    /// How actions are approved; the stricter of this and the manifest holds.
    pub approval: Approval,
    /// For single actions.
    pub action_approval: BTreeMap<String, Approval>,
    /// Whether an agent's owner may not decide.
    pub four_eyes: bool,
    /// Seconds to decide in; 72 hours if absent.
    pub approve_within: Option<u64>,
    /// Seconds to apply in; 24 hours if absent.
    pub apply_within: Option<u64>,
}

/// A connection as its users see it.
#[derive(Debug, Clone)]
pub struct ConnectionInfo {
    /// Its id.
    pub id: ConnectionId,
    /// Its name.
    pub name: String,
    /// What the connector calls itself.
    pub title: String,
    /// Its base URL.
    pub base_url: String,
    /// Whether it is enabled.
    pub enabled: bool,
    /// The manifest that it pins.
    pub manifest: Arc<Manifest>,
}

/// One action as an agent sees it.
#[derive(Debug, Clone)]
pub struct ActionInfo {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// One sentence with what it does.
    pub summary: Option<String>,
    /// `low`, `medium` or `high`.
    pub risk: &'static str,
    /// The stricter of manifest and policy.
    pub approval: Approval,
    /// Its JSON Schema.
    pub input: Value,
    /// Which fields apply returns.
    pub returns: Vec<String>,
}

/// One read or list as an agent sees it.
#[derive(Debug, Clone)]
pub struct ReadInfo {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its JSON Schema.
    pub input: Value,
}

impl Service {
    /// Stores a manifest and makes a connection that pins it.
    ///
    /// # Errors
    /// `manifest_invalid` with file, key and line; `connection_name_taken`,
    /// `connection_name_malformed`, `connection_name_reserved`, `base_url_invalid`,
    /// `action_unknown`, `order_unknown`, `within_invalid`, `credential_missing`.
    pub async fn add_connection(&self, _by: &Operator, new: NewConnection) -> Result<ConnectionId> {
        let Checked { manifest, base_url, lane_order, approve_within, apply_within } = checked(&new)?;
        let mut tx = self.pool.begin().await?;
        db::audit::lock_chain(&mut tx, db::audit::ADMINISTRATION).await?;
        let now = db::now(&mut tx).await?;
        let mut records = Vec::new();
        let manifest_row = ManifestRow {
            digest: manifest.digest().as_bytes().to_vec(),
            name: manifest.name.clone(),
            title: manifest.title.clone(),
            body: manifest.canonical(),
            loaded_at: now,
        };
        if manifest_row.insert(&mut tx).await? {
            records.push(manifest_row.record_digest());
        }

        let id = ConnectionId::from_random(random::bytes());
        let credential = new.credential.as_deref().filter(|_| manifest.auth != Auth::None);
        let row = ConnectionRow {
            id: id.clone(),
            name: new.name,
            base_url: base_url.to_string(),
            credential: credential.map(|text| self.vault.seal(&credential_place(&id), text.as_bytes())),
            account: account(&self.vault, credential.unwrap_or_default().as_bytes()).to_vec(),
            manifest_digest: manifest.digest(),
            allowed_host: new.allowed_host,
            lane_order,
            on_failure: new.on_failure,
            enabled: true,
            last_sequence: 0,
        };
        if !db::connections::insert(&mut tx, &row, now).await? {
            return Err(conflict(
                "connection_name_taken",
                "There is a connection of this name already. Choose another.",
            ));
        }
        let group = db::people::group_named(&mut tx, REVIEWERS, GroupId::from_random(random::bytes()), now).await?;
        let policy = Policy {
            approval: new.approval,
            actions: new.action_approval,
            requirements: vec![Requirement { group: group.clone(), count: 1 }],
            four_eyes: new.four_eyes,
            approve_within,
            apply_within,
        };
        let policy_row = PolicyRow {
            id: PolicyId::from_random(random::bytes()).into(),
            connection_id: id.as_str().to_owned(),
            version: 1,
            body: policy.canonical(),
            policy_digest: policy.digest().as_bytes().to_vec(),
            created_at: now,
        };
        policy_row.insert(&mut tx).await?;
        records.push(policy_row.record_digest());
        db::connections::set_reviewers(&mut tx, &id, &[&group]).await?;
        db::audit::open_chain(&mut tx, id.as_str()).await?;
        let facts = json!({
            "connection": id, "name": row.name, "manifest": row.manifest_digest, "policy": policy_row.id,
            "target": target_digest(&row, &manifest),
        });
        let entry = Entry { records, ..Entry::administration("connection.added", EventActor::Operator, facts) };
        db::audit::append(&mut tx, now, &entry).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// Every connection, by name.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn connections(&self, _by: &Operator) -> Result<Vec<ConnectionInfo>> {
        self.infos(None).await
    }

    /// The connections within an agent's scopes, by name, for its list of tools.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn connections_of(&self, by: &Agent) -> Result<Vec<ConnectionInfo>> {
        let ids: Vec<String> = by.scopes.iter().map(|scope| scope.connection.as_str().to_owned()).collect();
        self.infos(Some(&ids)).await
    }

    /// The actions and reads of a connection; needs any scope there.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn actions(&self, by: &Agent, connection: &str) -> Result<(Vec<ActionInfo>, Vec<ReadInfo>)> {
        let scope = scope(by, connection)?;
        let mut conn = self.pool.acquire().await?;
        let row = db::connections::find(&mut conn, scope.connection.as_str())
            .await?
            .ok_or_else(|| not_found("connection"))?;
        let manifest = self.manifest(&mut conn, &row.manifest_digest).await?;
        let (policy, _) = policy_in_force(&mut conn, &row.id).await?;
        let actions = manifest
            .actions
            .values()
            .map(|action| ActionInfo {
                name: action.name.clone(),
                title: action.title.clone(),
                summary: action.summary.clone(),
                risk: action.risk.as_str(),
                approval: policy.approval_of(&action.name, action.approval),
                input: action.input.clone(),
                returns: action.returns.iter().map(|pointer| pointer.as_str().to_owned()).collect(),
            })
            .collect();
        let reads = manifest.reads.values().map(|read| (&read.name, &read.title, &read.input));
        let lists = manifest.lists.values().map(|list| (&list.name, &list.title, &list.input));
        let reads = reads
            .chain(lists)
            .map(|(name, title, input)| ReadInfo { name: name.clone(), title: title.clone(), input: input.clone() })
            .collect();
        Ok((actions, reads))
    }

    /// The manifest of this digest, parsed once.
    pub(super) async fn manifest(&self, conn: &mut PgConnection, digest: &Digest) -> Result<Arc<Manifest>> {
        if let Some(manifest) = self.manifests.get(digest) {
            return Ok(manifest);
        }
        let manifest = stored_manifest(conn, digest).await?.ok_or_else(|| {
            Error::internal(format!("the manifest {digest} is missing or is not what its digest says"))
        })?;
        Ok(self.manifests.put(*digest, manifest))
    }

    async fn infos(&self, ids: Option<&[String]>) -> Result<Vec<ConnectionInfo>> {
        let mut conn = self.pool.acquire().await?;
        let mut infos = Vec::new();
        for row in db::connections::list(&mut conn, ids).await? {
            let manifest = self.manifest(&mut conn, &row.manifest_digest).await?;
            infos.push(ConnectionInfo {
                id: row.id,
                name: row.name,
                title: manifest.title.clone(),
                base_url: row.base_url,
                enabled: row.enabled,
                manifest,
            });
        }
        Ok(infos)
    }
}

impl ManifestCache {
    fn get(&self, digest: &Digest) -> Option<Arc<Manifest>> {
        self.by_digest.read().ok()?.get(digest).cloned()
    }

    fn put(&self, digest: Digest, manifest: Manifest) -> Arc<Manifest> {
        let manifest = Arc::new(manifest);
        if let Ok(mut cache) = self.by_digest.write() {
            cache.insert(digest, manifest.clone());
        }
        manifest
    }
}

/// What the database holds under this digest, if it is what the digest says.
pub(super) async fn stored_manifest(conn: &mut PgConnection, digest: &Digest) -> Result<Option<Manifest>> {
    let Some(row) = ManifestRow::by_digest(conn, digest).await? else {
        return Ok(None);
    };
    if Digest::of(&row.body) != *digest {
        return Ok(None);
    }
    Ok(Manifest::from_canonical(&row.body).ok())
}

/// The policy in force at a connection, and its row.
pub(super) async fn policy_in_force(conn: &mut PgConnection, id: &ConnectionId) -> Result<(Policy, PolicyRow)> {
    let row =
        PolicyRow::newest(conn, id.as_str()).await?.ok_or_else(|| Error::internal(format!("{id} has no policy")))?;
    let policy = parsed_policy(&row).ok_or_else(|| changed_policy(&row.id))?;
    Ok((policy, row))
}

/// The error of whoever needs a policy that is not what its digest says.
pub(super) fn changed_policy(id: &str) -> Error {
    Unsound::error(format!("the policy {id} is missing or is not what its digest says"))
}

/// A stored policy, if its body is what its digest says.
pub(super) fn parsed_policy(row: &PolicyRow) -> Option<Policy> {
    if Digest::of(&row.body).as_bytes().as_slice() != row.policy_digest {
        return None;
    }
    serde_json::from_slice(&row.body).ok()
}

/// What a write is sent to: `SHA-256(JCS({base_url, auth, account}))`.
pub(super) fn target_digest(connection: &ConnectionRow, manifest: &Manifest) -> Digest {
    let auth = match &manifest.auth {
        Auth::None => "none".to_owned(),
        Auth::Bearer => "bearer".to_owned(),
        Auth::Basic => "basic".to_owned(),
        Auth::Header(name) => format!("header:{name}"),
    };
    digest_json(&json!({
        "base_url": connection.base_url,
        "auth": auth,
        "account": crate::audit::hex(&connection.account),
    }))
}

/// Whose account a credential is for, without disclosing it; of no credential, the empty one.
pub(super) fn account(vault: &Vault, credential: &[u8]) -> [u8; 32] {
    vault.fingerprint("account", &[credential])
}

/// The place for which a connection's credential is sealed.
pub(super) fn credential_place(id: &ConnectionId) -> String {
    format!("connection/{id}/credential")
}

/// The agent's scope at a connection.
pub(super) fn scope<'a>(by: &'a Agent, connection: &str) -> Result<&'a Scope> {
    by.scope(connection).ok_or_else(|| not_found("connection"))
}

/// The refusal of a token that may not do this here.
pub(super) fn scope_missing(what: &str, connection: &str) -> Error {
    forbidden(
        "scope_missing",
        format!("This token may not {what} at {connection}. Ask an admin for a token with that scope."),
    )
}

/// What a new connection is made of, once it is known to be sound.
struct Checked {
    manifest: Manifest,
    base_url: Url,
    lane_order: LaneOrder,
    approve_within: u64,
    apply_within: u64,
}

fn checked(new: &NewConnection) -> Result<Checked> {
    let manifest = Manifest::from_toml(&new.manifest.0, &new.manifest.1)
        .map_err(|errors| invalid("manifest_invalid", errors.to_string()))?;
    check_name(&new.name)?;
    let base_url = checked_base_url(&new.base_url)?;
    let lane_order = LaneOrder::from_word(&new.lane_order)
        .ok_or_else(|| invalid("order_unknown", "The order is one of: connection, agent, entity."))?;
    if let Some(unknown) = new.action_approval.keys().find(|name| !manifest.actions.contains_key(*name)) {
        return Err(invalid("action_unknown", format!("{} has no action {unknown}.", manifest.title)));
    }
    if manifest.account.is_some() {
        return Err(not_offered("A manifest with `account`"));
    }
    if manifest.auth != Auth::None && new.credential.as_deref().is_none_or(str::is_empty) {
        return Err(invalid("credential_missing", format!("{} needs a credential.", manifest.title)));
    }
    let (approve_within, apply_within) =
        (new.approve_within.unwrap_or(APPROVE_WITHIN), new.apply_within.unwrap_or(APPLY_WITHIN));
    if [approve_within, apply_within].iter().any(|&seconds| seconds == 0 || seconds > 366 * 24 * 60 * 60) {
        return Err(invalid("within_invalid", "A time to decide or to apply is from one second to a year."));
    }
    Ok(Checked { manifest, base_url, lane_order, approve_within, apply_within })
}

fn check_name(name: &str) -> Result<()> {
    let mut chars = name.chars();
    let fits = chars.next().is_some_and(|c| c.is_ascii_lowercase())
        && name.len() <= 41
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !fits {
        return Err(invalid(
            "connection_name_malformed",
            "A connection's name begins with a small letter, has only small letters, digits and _, and at most 41 characters.",
        ));
    }
    if RESERVED.contains(&name) {
        return Err(invalid(
            "connection_name_reserved",
            format!("{name} is the beginning of other tools. Choose another name."),
        ));
    }
    Ok(())
}

fn checked_base_url(text: &str) -> Result<Url> {
    let wrong = |why: &str| invalid("base_url_invalid", format!("The base URL {why}."));
    let url = Url::parse(text).map_err(|_| wrong("is not a URL; write it whole, like https://api.example.org/v1"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(wrong("must begin with https:// or http:// and name a host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("must not hold a user or a password; give the credential apart"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("must have no query and no fragment"));
    }
    Ok(url)
}
