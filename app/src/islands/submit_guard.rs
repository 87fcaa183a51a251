//! Keeps a form from being sent twice, and a decision from being sent by a
//! click that was meant for something that stood there before.

use std::time::Duration;

use js_sys::Date;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlFormElement, SubmitEvent, VisibilityState};

use super::dom;

/// How long a page must have been in view before it decides, as
/// long as browsers wait with their own questions.
const IN_VIEW: Duration = Duration::from_millis(500);
const NOTE: &str = "Not sent, because this page had only just come into view. Press again.";

/// Watches every form of the page. It is alive once it lets decisions through.
#[island]
pub fn SubmitGuard() -> impl IntoView {
    let alive = RwSignal::new(false);
    let noted = RwSignal::new(false);
    Effect::new(move || {
        let shown_at = StoredValue::new(Date::now());
        let visible = window_event_listener_untyped("visibilitychange", move |_| {
            if dom::document().is_some_and(|page| page.visibility_state() == VisibilityState::Visible) {
                shown_at.set_value(Date::now());
            }
        });
        let focus = window_event_listener(leptos::ev::focus, move |_| shown_at.set_value(Date::now()));
        let submit = window_event_listener(leptos::ev::submit, move |event| {
            let answer = ask(&event, Date::now() - shown_at.get_value());
            noted.set(answer == Answer::TooEarly);
            if answer != Answer::Send {
                event.prevent_default();
            }
        });
        // A page that comes back from the browser's memory may be used again.
        let shown = window_event_listener(leptos::ev::pageshow, move |_| {
            shown_at.set_value(Date::now());
            if let Some(page) = dom::document() {
                for form in dom::all(&page, "form[data-sent]") {
                    let _ = form.remove_attribute("data-sent");
                }
            }
        });
        on_cleanup(move || {
            for handle in [visible, focus, submit, shown] {
                handle.remove();
            }
        });
        // Without a timer it never says that it is alive, and guards all the same.
        let _ = set_timeout(move || alive.set(true), IN_VIEW);
    });
    view! {
        <p
            class="toast"
            class:shown=move || noted.get()
            role="status"
            data-island="submit-guard"
            data-alive=move || alive.get().then_some("true")
        >
            {move || if noted.get() { NOTE } else { "" }}
        </p>
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Answer {
    Send,
    AlreadySent,
    TooEarly,
}

fn ask(event: &SubmitEvent, in_view: f64) -> Answer {
    let Some(form) = event.target().and_then(|form| form.dyn_into::<HtmlFormElement>().ok()) else {
        return Answer::Send;
    };
    if event.default_prevented() || form.get_attribute("method").as_deref() != Some("post") {
        return Answer::Send;
    }
    if form.has_attribute("data-sent") {
        return Answer::AlreadySent;
    }
    if form.has_attribute("data-decision-form") && in_view < IN_VIEW.as_secs_f64() * 1000.0 {
        return Answer::TooEarly;
    }
    let _ = form.set_attribute("data-sent", "");
    Answer::Send
}
