//! Parts of forms: why one was refused, and fields that keep what was typed.

use leptos::prelude::*;

use crate::components::icon::Warning;
use crate::components::revealed::{Block, Line};
use crate::context::Feedback;

/// Why the form was refused; nothing if it was not.
#[component]
pub fn Refusal(
    /// What the server said of the form, if it was refused.
    feedback: Option<Feedback>,
) -> impl IntoView {
    feedback.map(|feedback| {
        view! {
            <div class="notice fault" role="alert" id="refusal" data-code=feedback.code>
                <Warning /><p><Line text=feedback.message /></p>
            </div>
        }
    })
}

/// What somebody wrote into a form that is not offered again, so that it is not
/// lost; nothing if they wrote nothing.
#[component]
pub fn NotRecorded(
    /// The fields that are not offered again.
    fields: Vec<&'static str>,
    /// What the server said of the form, if it was refused.
    feedback: Option<Feedback>,
) -> impl IntoView {
    let written = feedback.and_then(|feedback| {
        fields.into_iter().map(|field| feedback.value(field)).find(|text| !text.trim().is_empty())
    });
    written.map(|text| {
        view! {
            <div class="not-recorded">
                <p class="label">"Not recorded: what you wrote"</p>
                <blockquote><Block text /></blockquote>
            </div>
        }
    })
}

/// One line of text with its label.
#[component]
pub fn TextField(
    /// The name in the form.
    name: &'static str,
    /// What the person reads.
    label: &'static str,
    /// What belongs here, in half a sentence.
    #[prop(optional)]
    hint: Option<&'static str>,
    /// `text` or `password`.
    #[prop(default = "text")]
    kind: &'static str,
    /// What a password manager may fill in.
    autocomplete: &'static str,
    /// At least so many characters.
    #[prop(optional)]
    min: Option<u32>,
    /// At most so many characters.
    #[prop(optional)]
    max: Option<u32>,
    /// Why the form was refused, if it was.
    feedback: Option<Feedback>,
) -> impl IntoView {
    let blamed = feedback.as_ref().is_some_and(|feedback| feedback.blames(name));
    let value = feedback.filter(|_| kind != "password").map(|feedback| feedback.value(name));
    let hint_id = hint.map(|_| format!("{name}-hint"));
    let described = match (&hint_id, blamed) {
        (Some(hint), true) => Some(format!("{hint} refusal")),
        (Some(hint), false) => Some(hint.clone()),
        (None, true) => Some("refusal".to_owned()),
        (None, false) => None,
    };
    view! {
        <div class="field">
            <label for=name>{label}</label>
            <input
                id=name name=name type=kind value=value autocomplete=autocomplete
                minlength=min.map(|min| min.to_string()) maxlength=max.map(|max| max.to_string()) required
                aria-describedby=described aria-invalid=blamed.then_some("true")
                spellcheck="false" autocapitalize="none"
            />
            {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
        </div>
    }
    .into_any()
}

/// Several lines of text with their label.
#[component]
pub fn TextArea(
    /// The name in the form.
    name: &'static str,
    /// Distinguishes it from others of that name on the page.
    id: &'static str,
    /// What the person reads.
    label: &'static str,
    /// Whether it may not be left empty.
    #[prop(default = false)]
    required: bool,
    /// Why the form was refused, if it was.
    feedback: Option<Feedback>,
) -> impl IntoView {
    let blamed = feedback.as_ref().is_some_and(|feedback| feedback.blames(name));
    let value = feedback.map(|feedback| feedback.value(name)).unwrap_or_default();
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <textarea
                id=id name=name rows="3" maxlength="2000" required=required
                aria-invalid=blamed.then_some("true") aria-describedby=blamed.then_some("refusal")
            >{value}</textarea>
        </div>
    }
    .into_any()
}
