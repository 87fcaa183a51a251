//! What would be written, from the canonical bytes, and the agent's reason.

use domain::canonical::canonical_bytes;
use domain::fields::{Field, fields};
use leptos::prelude::*;
use serde_json::Value;

use super::Input;
use crate::components::digest::Grouped;
use crate::components::field_table::FieldTable;
use crate::components::revealed::{Block, Line};
use crate::words;

/// The input, the call that is made of it, and why.
#[component]
pub(super) fn Written(input: Input) -> impl IntoView {
    let content = match input {
        Input::Shown(content) => content,
        Input::NotForThisViewer => {
            return view! {
                <section class="written">
                    <h2>"What would be written"</h2>
                    <p class="quiet">"The input is shown to the agent's owner, to reviewers of the connection and to auditors only."</p>
                </section>
            }
            .into_any();
        }
        Input::Unreadable(_) => {
            return view! {
                <section class="written">
                    <h2>"What would be written"</h2>
                    <p>"What is stored is not what was committed to, so it is not shown."</p>
                </section>
            }
            .into_any();
        }
    };
    let bytes = canonical_bytes(&content.input);
    let size = bytes.len();
    let shown = listed(&content.input);
    view! {
        <section class="written" aria-labelledby="written">
            <div class="section-head">
                <h2 id="written">"What would be written"</h2>
                <div class="beside"><span class="label">"Input digest"</span><Grouped digest=content.input_digest shown="input-digest" /></div>
            </div>
            <FieldTable fields=shown shown="input" caption="The whole input" />
            <details class="fold-section">
                <summary>"Canonical bytes"<span class="quiet">{format!(" {}", words::count(size, "byte", "bytes"))}</span></summary>
                <p class="hint">
                    "The input digest is the SHA-256 of these bytes. Where a mark stands, copying gives the mark and not the character."
                </p>
                <div class="bytes"><Block text=String::from_utf8_lossy(&bytes) /></div>
            </details>
            <Call call=content.call />
        </section>
        <section class="reason" aria-labelledby="reason">
            <h2 id="reason">"The agent's own words"</h2>
            <p class="label">"Nobody has verified them"</p>
            {match content.reason {
                Some(reason) => view! { <blockquote><Block text=reason shown="reason" /></blockquote> }.into_any(),
                None => view! { <p class="quiet">"The agent gave no reason."</p> }.into_any(),
            }}
        </section>
    }
    .into_any()
}

/// The call as it would be sent.
#[component]
fn Call(call: Value) -> impl IntoView {
    let part = |name: &str| call.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (method, url) = (part("method"), part("url"));
    view! {
        <details class="fold-section">
            <summary>
                "The call "
                <span class="quiet">"as it would be sent"</span>
            </summary>
            <p class="call-line"><code>{method}</code> " " <code><Line text=url /></code></p>
            <FieldTable fields=listed(&call) shown="call" caption="The whole call" />
        </details>
    }
}

/// Every field. A value that is already parsed has only lists that can be made.
fn listed(value: &Value) -> Vec<Field> {
    fields(&canonical_bytes(value)).unwrap_or_default()
}
