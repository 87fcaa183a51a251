//! Keys for people who review all day. A key moves or focuses; none decides.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement, KeyboardEvent, Storage};

use super::dom;

const STORED: &str = "countersign.keys";

/// The list of keys, and what they do.
#[island]
pub fn Keyboard() -> impl IntoView {
    let enabled = RwSignal::new(true);
    let alive = RwSignal::new(false);
    let dialog = NodeRef::<html::Dialog>::new();
    let open = move || {
        if let Some(dialog) = dialog.get_untracked() {
            // It is already open, or the browser has none: then there is nothing to show.
            let _ = dialog.show_modal();
        }
    };
    Effect::new(move || {
        enabled.set(storage().and_then(|kept| kept.get_item(STORED).ok().flatten()).as_deref() != Some("off"));
        let handle = window_event_listener(leptos::ev::keydown, move |event| {
            if enabled.get_untracked() && !is_typing(&event) && act(&event, &open) {
                event.prevent_default();
            }
        });
        on_cleanup(move || handle.remove());
        alive.set(true);
    });
    let switch = move |event| {
        let on = event_target_checked(&event);
        enabled.set(on);
        if let Some(kept) = storage() {
            // Without storage the switch holds for this page only.
            let _ = kept.set_item(STORED, if on { "on" } else { "off" });
        }
    };
    view! {
        <div class="keys js-only" data-island="keyboard" data-alive=move || alive.get().then_some("true")>
            <button type="button" class="button plain" on:click=move |_| open()>"Keys"</button>
            <dialog node_ref=dialog aria-labelledby="keys-title">
                <h2 id="keys-title">"Keys"</h2>
                <dl class="key-list">
                    <div><dt><kbd>"j"</kbd>" "<kbd>"k"</kbd></dt><dd>"Next and previous proposal in the queue"</dd></div>
                    <div><dt><kbd>"Enter"</kbd></dt><dd>"Open it"</dd></div>
                    <div><dt><kbd>"q"</kbd></dt><dd>"Back to the queue"</dd></div>
                    <div><dt><kbd>"a"</kbd>" "<kbd>"r"</kbd></dt><dd>"Go to Approve or Reject; no single key decides"</dd></div>
                    <div><dt><kbd>"?"</kbd></dt><dd>"This list"</dd></div>
                </dl>
                <label class="switch">
                    <input type="checkbox" prop:checked=move || enabled.get() on:change=switch />
                    "Use these keys in this browser"
                </label>
                <form method="dialog"><button class="button">"Close"</button></form>
            </dialog>
        </div>
    }
}

/// Does what the key says; `false` if it says nothing here.
fn act(event: &KeyboardEvent, open: &impl Fn()) -> bool {
    let Some(page) = dom::document() else { return false };
    let focus = |selector| dom::first(&page, selector).is_some_and(|element| element.focus().is_ok());
    match event.key().as_str() {
        "j" => step(&dom::all(&page, "a[data-row]"), page.active_element(), true),
        "k" => step(&dom::all(&page, "a[data-row]"), page.active_element(), false),
        "a" => focus("[data-approve]"),
        "r" => focus("[data-reject]"),
        "q" => page.location().is_some_and(|location| location.set_href("/").is_ok()),
        "?" => {
            open();
            true
        }
        _ => false,
    }
}

fn step(rows: &[HtmlElement], active: Option<Element>, forward: bool) -> bool {
    let at = active.and_then(|active| rows.iter().position(|row| **row == active));
    let next = match (at, forward) {
        (None, true) => 0,
        (None, false) => return false,
        (Some(at), true) => at + 1,
        (Some(at), false) => at.saturating_sub(1),
    };
    rows.get(next).is_some_and(|row| row.focus().is_ok())
}

/// A key with Ctrl, Alt or Meta is the browser's; one in a field is text.
fn is_typing(event: &KeyboardEvent) -> bool {
    let in_field = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok())
        .is_some_and(|element| element.closest("input, textarea, select, dialog").ok().flatten().is_some());
    in_field || event.ctrl_key() || event.alt_key() || event.meta_key()
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}
