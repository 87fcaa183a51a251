//! `countersign setup-link`.

use domain::actor::Operator;
use domain::service::Service;
use serde_json::json;

use super::answer::Answer;
use super::error::CliError;
use crate::config::{Config, PublicUrl};

/// Makes a new link.
///
/// # Errors
/// If the database cannot be reached.
pub async fn run(service: &Service, config: &Config) -> Result<Answer, CliError> {
    let Some(link) = service.issue_setup_link(&Operator).await? else {
        let text = "Somebody can sign in already, so that no link is made. Add people with: countersign person add";
        return Ok(Answer::bad(text, json!({ "url": null })));
    };
    let url = address(&config.public_url(config.listen), &link.secret);
    let expires_at = link.expires_at.to_rfc3339();
    let text = format!("{url}\nIt works once, until {expires_at}.");
    Ok(Answer::good(text, json!({ "url": url, "expires_at": expires_at })))
}

/// The address of the page that takes the link's secret.
#[must_use]
pub fn address(public_url: &PublicUrl, secret: &str) -> String {
    public_url.page(&format!("/setup?token={secret}"))
}
