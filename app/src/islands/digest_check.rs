//! The browser's own check: does the page display what a decision would be
//! bound to?
//!
//! The same code that the server runs parses the canonical bytes here, rebuilds
//! the fields, compares them with what the page displays and recomputes every
//! digest. It finds our faults; it cannot find a server that lies about the
//! code, too.

mod read_back;

use leptos::prelude::*;

use self::read_back::Finding;

/// How far the check is.
#[derive(Clone, PartialEq)]
enum Progress {
    NotYet,
    Done(Vec<Finding>),
}

/// Says whether this browser checked the page, and what it found.
///
/// The evidence lies in attributes of an element of the page and not in a
/// property: reading a property would need code of twice the size.
#[island]
pub fn DigestCheck() -> impl IntoView {
    let progress = RwSignal::new(Progress::NotYet);
    Effect::new(move || {
        let check = move || {
            let findings = read_back::check();
            let holds = findings.iter().all(|finding| finding.holds);
            if !holds {
                read_back::forbid_approval();
            }
            progress.set(Progress::Done(findings));
            holds
        };
        check();
        // Once more when the form is sent: a page can be changed after it was checked.
        let handle = window_event_listener(leptos::ev::submit, move |event| {
            if read_back::approves(&event) && !check() {
                event.prevent_default();
                event.stop_immediate_propagation();
            }
        });
        on_cleanup(move || handle.remove());
    });

    let alive = move || (progress.get() != Progress::NotYet).then_some("true");
    let outcome = move || match progress.get() {
        Progress::NotYet => "not-yet",
        Progress::Done(findings) if findings.iter().all(|finding| finding.holds) => "ok",
        Progress::Done(_) => "failed",
    };
    view! {
        <div class="check" data-alive=alive data-check=outcome aria-live="polite">
            {move || match progress.get() {
                Progress::NotYet => view! { <p class="check-line js-only">"Not yet checked by this browser."</p> }.into_any(),
                Progress::Done(findings) => report(findings).into_any(),
            }}
        </div>
    }
}

fn report(findings: Vec<Finding>) -> impl IntoView {
    let failed: Vec<_> = findings.iter().filter(|finding| !finding.holds).cloned().collect();
    let headline = if failed.is_empty() {
        view! {
            <p class="check-line good">
                "Checked in this browser: the page displays exactly what a decision is bound to."
            </p>
        }
        .into_any()
    } else {
        view! {
            <div class="notice fault" role="alert">
                <div>
                    <p><strong>"Do not approve. "</strong>"This page displays something else than a decision would be bound to. Tell your administrator."</p>
                    <ul>{failed.into_iter().map(|finding| view! { <li>{finding.detail}</li> }).collect::<Vec<_>>()}</ul>
                </div>
            </div>
        }
        .into_any()
    };
    let lines: Vec<_> = findings
        .into_iter()
        .map(|finding| {
            let word = if finding.holds { "Holds: " } else { "Does not hold: " };
            view! { <li>{word}{finding.detail}</li> }
        })
        .collect();
    view! {
        {headline}
        <details class="check-lines"><summary>"What was checked"</summary><ul>{lines}</ul></details>
    }
}
