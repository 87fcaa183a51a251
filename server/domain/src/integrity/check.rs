//! The check of an approval page: does it show what the decision would be bound
//! to? It runs in the browser, on what the page holds and displays, and in the
//! server's tests.

use serde::{Deserialize, Serialize};

use super::content::read_salt;
use super::{Binding, Content, content_commitment};
use crate::canonical::{canonical_bytes, digest_json};
use crate::digest::Digest;
use crate::fields::{Field, fields};

/// What the page hands to its check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The salt of the commitment, in hexadecimal.
    pub salt_hex: String,
    /// The canonical content.
    pub content_json: String,
    /// What a decision is bound to.
    pub binding: Binding,
}

/// What a person sees on the page, read back from it. Digests may be grouped
/// with spaces; `None` is what the page does not display.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Displayed {
    /// The digest of the input. A page must display it.
    pub input_digest: Option<String>,
    /// The digest of the call.
    pub call_digest: Option<String>,
    /// The commitment to the content.
    pub content_commitment: Option<String>,
    /// The binding digest. A page must display it.
    pub binding_digest: Option<String>,
    /// The binding digest that the decision form would send.
    pub form_digest: Option<String>,
    /// The fields of the input, in order.
    pub fields: Vec<Field>,
    /// The fields of the call, in order.
    pub call_fields: Option<Vec<Field>>,
}

/// One thing that was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckName {
    /// The content is what was stored: strict, canonical and complete.
    Content,
    /// The input has the digest.
    Input,
    /// The call has the digest.
    Call,
    /// The commitment is to this content.
    Commitment,
    /// The binding digest covers that commitment and the rest.
    Binding,
    /// The decision form would send that digest.
    Form,
    /// The displayed fields are those of the input.
    Fields,
    /// The displayed fields of the call are those of the call.
    CallFields,
}

/// How one check came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// What was checked.
    pub name: CheckName,
    /// Whether it holds.
    pub ok: bool,
    /// What was found, in words.
    pub detail: String,
}

/// How all checks came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckReport {
    /// Every check that could be made, in order. If the content cannot be read,
    /// what follows from it is not checked, and the report is not ok.
    pub checks: Vec<Check>,
    /// The binding digest as computed here.
    pub binding_digest: Digest,
}

impl CheckReport {
    /// Whether everything was checked and holds.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.checks.iter().all(|check| check.ok)
    }

    /// The first check that does not hold.
    #[must_use]
    pub fn first_failure(&self) -> Option<&Check> {
        self.checks.iter().find(|check| !check.ok)
    }

    fn add(&mut self, name: CheckName, result: Result<String, String>) {
        let ok = result.is_ok();
        let (Ok(detail) | Err(detail)) = result;
        self.checks.push(Check { name, ok, detail });
    }
}

/// Recomputes every digest from the evidence and compares it with what is
/// displayed.
#[must_use]
pub fn check(evidence: &Evidence, displayed: &Displayed) -> CheckReport {
    let binding_digest = evidence.binding.digest();
    let mut report = CheckReport { checks: Vec::new(), binding_digest };
    let json = evidence.content_json.as_bytes();
    match Content::from_canonical(json) {
        Ok(content) => {
            report.add(CheckName::Content, Ok("The content is canonical.".to_owned()));
            check_content(&mut report, &content, displayed);
        }
        Err(error) => report.add(CheckName::Content, Err(error.to_string())),
    }
    report.add(CheckName::Commitment, commitment(evidence, displayed));
    report.add(CheckName::Binding, must_show("binding digest", &binding_digest, displayed.binding_digest.as_deref()));
    if displayed.form_digest.is_some() {
        report.add(CheckName::Form, shown("form's digest", &binding_digest, displayed.form_digest.as_deref()));
    }
    report
}

fn check_content(report: &mut CheckReport, content: &Content, displayed: &Displayed) {
    let input = digest_json(&content.input);
    report.add(
        CheckName::Input,
        same("input digest", &input, &content.input_digest)
            .and_then(|()| must_show("input digest", &input, displayed.input_digest.as_deref())),
    );
    let call = digest_json(&content.call);
    report.add(
        CheckName::Call,
        same("call digest", &call, &content.call_digest)
            .and_then(|()| shown("call digest", &call, displayed.call_digest.as_deref())),
    );
    report.add(CheckName::Fields, compare_fields(&canonical_bytes(&content.input), &displayed.fields));
    if let Some(call_fields) = &displayed.call_fields {
        report.add(CheckName::CallFields, compare_fields(&canonical_bytes(&content.call), call_fields));
    }
}

fn commitment(evidence: &Evidence, displayed: &Displayed) -> Result<String, String> {
    let name = "content commitment";
    let salt =
        read_salt(&evidence.salt_hex).ok_or_else(|| "The salt is not 64 lower-case hexadecimal digits.".to_owned())?;
    let computed = content_commitment(&salt, evidence.content_json.as_bytes());
    same(name, &computed, &evidence.binding.content_commitment)?;
    shown(name, &computed, displayed.content_commitment.as_deref())
}

fn same(name: &str, computed: &Digest, recorded: &Digest) -> Result<(), String> {
    if computed == recorded { Ok(()) } else { Err(format!("The {name} is {computed}, but {recorded} is recorded.")) }
}

/// As [`shown`], of what must not be left out.
fn must_show(name: &str, computed: &Digest, displayed: Option<&str>) -> Result<String, String> {
    if displayed.is_none() {
        return Err(format!("The page does not display the {name}."));
    }
    shown(name, computed, displayed)
}

fn shown(name: &str, computed: &Digest, displayed: Option<&str>) -> Result<String, String> {
    let Some(displayed) = displayed else {
        return Ok(format!("The {name} is {computed}."));
    };
    let text: String = displayed.split_whitespace().collect();
    if text.parse() == Ok(*computed) {
        Ok(format!("The {name} is {computed}, as displayed."))
    } else {
        Err(format!("The {name} is {computed}, but the page displays another."))
    }
}

fn compare_fields(canonical: &[u8], displayed: &[Field]) -> Result<String, String> {
    let expected = fields(canonical).map_err(|error| error.to_string())?;
    let first_difference = expected.iter().zip(displayed).find(|(expected, displayed)| expected != displayed);
    if let Some((expected, _)) = first_difference {
        return Err(format!("The page displays something else at {}.", place(&expected.pointer)));
    }
    match expected.len().cmp(&displayed.len()) {
        std::cmp::Ordering::Equal => Ok(format!("All {} fields are as displayed.", expected.len())),
        std::cmp::Ordering::Greater => {
            Err(format!("The page does not display {}.", place(&expected[displayed.len()].pointer)))
        }
        std::cmp::Ordering::Less => Err("The page displays more fields than there are.".to_owned()),
    }
}

fn place(pointer: &str) -> &str {
    if pointer.is_empty() { "the top level" } else { pointer }
}
