//! What the page displays, read back from it, and compared.

use domain::canonical::escape_pointer;
use domain::fields::{Field, FieldKind};
use domain::integrity::{Binding, Content, Displayed, Evidence};
use wasm_bindgen::JsCast as _;
use web_sys::{Document, HtmlElement, HtmlInputElement, SubmitEvent};

use crate::islands::dom;

/// One thing that was checked.
#[derive(Clone, PartialEq)]
pub(super) struct Finding {
    pub(super) holds: bool,
    pub(super) detail: String,
}

impl Finding {
    fn failed(detail: &str) -> Self {
        Self { holds: false, detail: detail.to_owned() }
    }

    fn compared(holds: bool, good: &str, bad: &str) -> Self {
        Self { holds, detail: if holds { good } else { bad }.to_owned() }
    }
}

/// Checks the page against its evidence.
pub(super) fn check() -> Vec<Finding> {
    let Some((page, evidence)) = dom::document().and_then(|page| evidence(&page).map(|evidence| (page, evidence)))
    else {
        return vec![Finding::failed("The evidence on this page cannot be read.")];
    };
    let report = domain::integrity::check(&evidence, &displayed(&page));
    let mut findings: Vec<_> =
        report.checks.into_iter().map(|check| Finding { holds: check.ok, detail: check.detail }).collect();
    findings.push(reason(&evidence, &page));
    findings.push(addressee(&evidence, &page));
    findings
}

fn evidence(page: &Document) -> Option<Evidence> {
    let element = dom::first(page, "[data-evidence]")?;
    Some(Evidence {
        salt_hex: element.get_attribute("data-salt")?,
        content_json: element.get_attribute("data-content")?,
        binding: Binding::from_canonical(element.get_attribute("data-binding")?.as_bytes())?,
    })
}

/// Makes approving impossible on this page; rejecting stays possible.
pub(super) fn forbid_approval() {
    let Some(page) = dom::document() else { return };
    for button in dom::all(&page, "[data-approve]") {
        // An element that cannot be changed is still stopped when the form is sent.
        let _ = button.set_attribute("disabled", "");
    }
}

/// Whether this event sends an approval.
pub(super) fn approves(event: &SubmitEvent) -> bool {
    event.submitter().is_some_and(|button| button.has_attribute("data-approve"))
}

fn displayed(page: &Document) -> Displayed {
    let digest = |name: &str| dom::first(page, &format!("[data-shown='{name}']")).map(|shown| dom::text(&shown));
    Displayed {
        input_digest: digest("input-digest"),
        call_digest: digest("call-digest"),
        content_commitment: digest("content-commitment"),
        binding_digest: digest("binding-digest"),
        form_digest: dom::first(page, "input[name='binding_digest']")
            .and_then(|input| input.dyn_into::<HtmlInputElement>().ok())
            .map(|input| input.value()),
        fields: fields(page, "input").unwrap_or_default(),
        call_fields: fields(page, "call"),
    }
}

/// The rows of a table; `None` if there is no such table.
fn fields(page: &Document, name: &str) -> Option<Vec<Field>> {
    dom::first(page, &format!("table[data-fields='{name}']"))?;
    let mut steps: Vec<String> = Vec::new();
    let rows = dom::all(page, &format!("table[data-fields='{name}'] > tbody > tr"));
    Some(rows.iter().map(|row| field(row, &mut steps)).collect())
}

/// A row that cannot be read becomes a field that is nowhere in the input.
fn field(row: &HtmlElement, steps: &mut Vec<String>) -> Field {
    let depth: usize = row.get_attribute("data-depth").and_then(|depth| depth.parse().ok()).unwrap_or(usize::MAX);
    let kind: Option<FieldKind> = row.get_attribute("data-kind").and_then(|kind| kind.parse().ok());
    let part = |selector: &str| row.query_selector(selector).ok().flatten().map(|part| dom::text(&part));
    let unreadable = || Field::new("/unreadable".to_owned(), FieldKind::Null, "unreadable".to_owned());
    let (Some(kind), true) = (kind, depth <= steps.len() + 1) else {
        return unreadable();
    };
    if depth == 0 {
        steps.clear();
    } else {
        let Some(key) = part("[data-key]") else { return unreadable() };
        steps.truncate(depth - 1);
        steps.push(escape_pointer(&key));
    }
    let pointer: String = steps.iter().flat_map(|step| ["/", step]).collect();
    Field::new(pointer, kind, part("[data-value]").unwrap_or_default())
}

fn reason(evidence: &Evidence, page: &Document) -> Finding {
    let recorded = Content::from_canonical(evidence.content_json.as_bytes()).ok().and_then(|content| content.reason);
    let displayed = dom::first(page, "[data-shown='reason']").map(|shown| dom::text(&shown));
    Finding::compared(
        recorded.unwrap_or_default() == displayed.unwrap_or_default(),
        "The agent's reason is as displayed.",
        "The page displays another reason than the agent gave.",
    )
}

/// A form must decide the proposal that the evidence is about.
fn addressee(evidence: &Evidence, page: &Document) -> Finding {
    let expected = format!("/proposals/{}/decision", evidence.binding.proposal);
    let forms = dom::all(page, "form[data-decision-form]");
    Finding::compared(
        forms.iter().all(|form| form.get_attribute("action").as_deref() == Some(&expected)),
        "The decision would be sent to this proposal.",
        "The form would decide another proposal.",
    )
}
