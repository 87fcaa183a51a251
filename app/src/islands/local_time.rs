//! Times in the reader's zone and language, and ages that keep up.
//!
//! The clock is the server's: its time of reading plus what has gone by here
//! since, so that a browser with a wrong clock shows the right deadline.

use std::time::Duration;

use js_sys::{Array, Date, Intl, Object, Reflect};
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::HtmlElement;

use super::dom;
use crate::words;

const TICK: Duration = Duration::from_secs(5);

/// Refines every time on the page.
#[island]
pub fn LocalTimes() -> impl IntoView {
    let alive = RwSignal::new(false);
    Effect::new(move || {
        let Some(page) = dom::document() else { return };
        let format = format();
        for time in dom::all(&page, "time[data-local]") {
            localise(&time, &format);
        }
        let opened = Date::now();
        let tick = move || {
            for span in dom::all(&page, "[data-since], [data-until]") {
                refresh(&span, Date::now() - opened);
            }
        };
        if let Ok(handle) = set_interval(tick, TICK) {
            on_cleanup(move || handle.clear());
        }
        alive.set(true);
    });
    view! { <span class="island" data-island="local-times" data-alive=move || alive.get().then_some("true") hidden></span> }
}

fn format() -> Intl::DateTimeFormat {
    let options = Object::new();
    for (name, value) in [
        ("year", "numeric"),
        ("month", "short"),
        ("day", "numeric"),
        ("hour", "2-digit"),
        ("minute", "2-digit"),
        ("timeZoneName", "short"),
    ] {
        // Setting a member of a new plain object does not fail.
        let _ = Reflect::set(&options, &name.into(), &value.into());
    }
    Intl::DateTimeFormat::new(&Array::new(), &options)
}

fn localise(time: &HtmlElement, format: &Intl::DateTimeFormat) {
    let Some(machine) = time.get_attribute("datetime") else { return };
    let date = Date::new(&JsValue::from_str(&machine));
    let text = format.format().call1(format, &date).ok().and_then(|text| text.as_string());
    if let Some(text) = text {
        let _ = time.set_attribute("title", &time.text_content().unwrap_or_default());
        time.set_text_content(Some(&text));
    }
}

#[expect(clippy::cast_possible_truncation, reason = "milliseconds of a page's life")]
fn refresh(span: &HtmlElement, gone_by: f64) {
    let number = |name: &str| span.get_attribute(name).and_then(|text| text.parse::<i64>().ok());
    let Some(read_at) = number("data-now") else { return };
    let now = read_at + gone_by as i64;
    let text = match (number("data-since"), number("data-until")) {
        (Some(since), _) => words::ago((now - since) / 1000),
        (_, Some(until)) => words::until((until - now) / 1000),
        _ => return,
    };
    span.set_text_content(Some(&text));
}
