//! `countersign audit`.

use clap::Subcommand;
use domain::actor::Operator;
use domain::service::Service;
use serde_json::json;

use super::answer::Answer;
use super::error::CliError;

/// The audit history.
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Recompute every hash, row digest and signature; ends with 1 if one does
    /// not hold.
    Verify,
}

impl Audit {
    /// Does it.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn run(&self, service: &Service) -> Result<Answer, CliError> {
        match self {
            Self::Verify => verify(service).await,
        }
    }
}

async fn verify(service: &Service) -> Result<Answer, CliError> {
    let report = service.verify_audit(&Operator).await?;
    let counts = format!(
        "{} chains, {} events, {} records, {} signatures",
        report.chains, report.events, report.records, report.signatures
    );
    let findings: Vec<_> = report
        .findings
        .iter()
        .map(|finding| json!({ "chain": finding.chain, "sequence": finding.sequence, "message": finding.message }))
        .collect();
    let json = json!({
        "good": report.findings.is_empty(),
        "chains": report.chains,
        "events": report.events,
        "records": report.records,
        "signatures": report.signatures,
        "findings": findings,
    });
    if report.findings.is_empty() {
        return Ok(Answer::good(format!("Everything holds: {counts}."), json));
    }
    let lines = report.findings.iter().map(|finding| {
        let chain = finding.chain.as_deref().unwrap_or("-");
        let sequence = finding.sequence.map_or_else(|| "-".to_owned(), |sequence| sequence.to_string());
        format!("{chain} {sequence}: {}", finding.message)
    });
    let lines: Vec<String> = lines.collect();
    let text = format!("{}\n{} findings in {counts}.", lines.join("\n"), lines.len());
    Ok(Answer::bad(text, json))
}
