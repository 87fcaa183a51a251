//! Reads: one declared read or list at a provider.

use serde_json::Value;
use url::Url;

use super::Service;
use super::connections::{credential_place, scope, scope_missing};
use super::proposing::refused_input;
use crate::actor::Agent;
use crate::connector::call::{build_list, build_read};
use crate::connector::executor::{CALL_TIMEOUT, Outgoing, Reply};
use crate::connector::schema::prepare_input;
use crate::connector::secret::Secret;
use crate::db;
use crate::error::{Error, Kind, Refusal, Result, conflict, invalid_at, not_found};

/// How many bytes of an answer are handed on.
const BODY_MAX: usize = 12 * 1024;

/// What a read brought. Handed on and not kept.
#[derive(Debug, Clone)]
pub struct ReadReply {
    /// The provider's status.
    pub status: u16,
    /// The body as JSON, cut to whole members if it was too large.
    pub body: Value,
    /// Whether something was left out.
    pub truncated: bool,
}

impl Service {
    /// Makes one declared read. Needs the read scope.
    ///
    /// # Errors
    /// `not_found`, `scope_missing`, `connection_disabled`, `read_unknown`, `input_invalid`,
    /// `call_invalid`, `provider_unavailable`.
    pub async fn read(&self, by: &Agent, connection: &str, read: &str, input: Value) -> Result<ReadReply> {
        let scope = scope(by, connection)?;
        if !scope.read {
            return Err(scope_missing("read", connection));
        }
        let mut conn = self.pool.acquire().await?;
        let row = db::connections::find(&mut conn, scope.connection.as_str())
            .await?
            .ok_or_else(|| not_found("connection"))?;
        let manifest = self.manifest(&mut conn, &row.manifest_digest).await?;
        drop(conn);
        if !row.enabled {
            return Err(conflict("connection_disabled", format!("{connection} is disabled. Ask an admin.")));
        }
        let base_url = Url::parse(&row.base_url).map_err(Error::internal)?;
        let prepared = |schema: &Value| prepare_input(schema, input).map_err(|violations| refused_input(&violations));
        let (call, template) = if let Some(read) = manifest.reads.get(read) {
            (build_read(&manifest, read, &base_url, &prepared(&read.input)?.input), read.path.as_str())
        } else if let Some(list) = manifest.lists.get(read) {
            (build_list(&manifest, list, &base_url, &prepared(&list.input)?.input), list.path.as_str())
        } else {
            let names: Vec<&str> = manifest.reads.keys().chain(manifest.lists.keys()).map(String::as_str).collect();
            return Err(invalid_at(
                "/read",
                "read_unknown",
                format!("{connection} has these reads: {}.", names.join(", ")),
            ));
        };
        let call =
            call.map_err(|error| invalid_at(format!("/input{}", error.pointer), "call_invalid", error.message))?;
        let credential = match &row.credential {
            None => None,
            Some(sealed) => {
                let plain = self.vault.open_sealed(&credential_place(&row.id), sealed)?;
                Some(Secret::new(String::from_utf8(plain.to_vec()).map_err(Error::internal)?))
            }
        };
        let reply = self
            .executor
            .send(Outgoing {
                call: &call,
                body: None,
                auth: &manifest.auth,
                credential: credential.as_ref(),
                idempotency_key: None,
                allowed_host: row.allowed_host.as_deref(),
                timeout: CALL_TIMEOUT,
                deadline: None,
                template,
            })
            .await;
        match reply {
            Reply::Answered(answer) => Ok(bounded(answer.status, &answer.body, answer.truncated)),
            Reply::NotSent(reason) => Err(unavailable(connection, reason.as_str())),
            Reply::Lost { reason, .. } => Err(unavailable(connection, reason.as_str())),
        }
    }
}

fn unavailable(connection: &str, why: &str) -> Error {
    Refusal::new(
        Kind::Unavailable,
        "provider_unavailable",
        format!("The provider of {connection} could not be read ({why}). Try again later."),
    )
    .into()
}

/// The body as JSON if it is whole and fits; else as text, cut.
fn bounded(status: u16, body: &[u8], truncated: bool) -> ReadReply {
    if !truncated
        && body.len() <= BODY_MAX
        && let Ok(body) = serde_json::from_slice(body)
    {
        return ReadReply { status, body, truncated: false };
    }
    let text = String::from_utf8_lossy(body);
    let end = text.floor_char_boundary(BODY_MAX.min(text.len()));
    ReadReply { status, body: Value::String(text[..end].to_owned()), truncated: truncated || end < text.len() }
}
