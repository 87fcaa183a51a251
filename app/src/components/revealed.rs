//! The one way in which text from agents, providers and people is shown.
//!
//! What would not be seen, or not as what it is, becomes a visible mark whose
//! own text names it, so that it also reads without a stylesheet. Nothing is
//! left out: the rest of a long text is folded, with exact counts, and lies
//! whole in the document. A mark carries the code point that it stands for, so
//! that the browser can read back the exact text of what is displayed.
//!
//! No markup, link or image comes out of a text here.

mod fold;

use domain::reveal::{Findings, Segment, reveal};
use leptos::prelude::*;

use crate::components::icon::Warning;
use crate::words;

/// A short text inside a line: a name, a title, an address.
#[component]
pub fn Line(
    /// The text.
    #[prop(into)]
    text: String,
    /// What it is called in the check that the browser makes.
    #[prop(optional)]
    shown: Option<&'static str>,
) -> impl IntoView {
    let revealed = reveal(&text);
    view! {
        <bdi class="revealed" dir="ltr" data-text="" data-shown=shown>{pieces(revealed.segments)}</bdi>
        {found(&revealed.findings)}
    }
    .into_any()
}

/// A text in a line of its own. The rest of a long one is folded.
#[component]
pub fn Block(
    /// The text.
    #[prop(into)]
    text: String,
    /// What it is called in the check that the browser makes.
    #[prop(optional)]
    shown: Option<&'static str>,
) -> impl IntoView {
    let revealed = reveal(&text);
    let findings = found(&revealed.findings);
    view! {
        <div class="revealed" dir="ltr" data-text="" data-shown=shown>{folded(revealed.segments)}</div>
        {findings}
    }
    .into_any()
}

/// A string between quotes, so that it cannot be taken for a number or for
/// nothing. The rest of a long one is folded.
#[component]
pub fn Quoted(
    /// The text.
    #[prop(into)]
    text: String,
) -> impl IntoView {
    let revealed = reveal(&text);
    let findings = found(&revealed.findings);
    let quote = || view! { <span class="quote" data-not-text="">"\""</span> };
    view! {
        <div class="revealed" dir="ltr" data-text="">{quote()}{folded(revealed.segments)}{quote()}</div>
        {findings}
    }
    .into_any()
}

fn folded(segments: Vec<Segment>) -> AnyView {
    match fold::fold(segments) {
        fold::Folded::Whole(segments) => pieces(segments).into_any(),
        fold::Folded::Parts { head, rest, summary } => view! {
            {pieces(head)}
            <details class="fold">
                <summary data-not-text="">{summary}</summary>
                {pieces(rest)}
            </details>
        }
        .into_any(),
    }
}

/// A text where no mark can stand, such as the title of a window.
#[must_use]
pub fn plainly(text: &str) -> String {
    reveal(text).to_string()
}

/// The counted warning; nothing if nothing was found.
fn found(findings: &Findings) -> impl IntoView + use<> {
    let suspects: Vec<String> = findings.mixed_script.iter().chain(&findings.look_alikes).cloned().collect();
    (!findings.is_clean()).then(|| {
        view! {
            <span class="found" role="note" data-not-text="">
                <Warning />
                <span>
                    {findings.summary()}
                    {(!suspects.is_empty()).then(|| view! { ": " {spelt(&suspects)} })}
                </span>
            </span>
        }
    })
}

/// Words that look like others, with the code point of every letter that only
/// looks like one of ASCII.
fn spelt(words: &[String]) -> Vec<AnyView> {
    let mut pieces = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            pieces.push(", ".into_any());
        }
        for character in word.chars() {
            if character.is_ascii_graphic() {
                pieces.push(character.to_string().into_any());
            } else {
                let code = u32::from(character);
                pieces.push(mark(code, format!("U+{code:04X}"), 1, None));
            }
        }
    }
    pieces
}

/// The segments; equal marks next to one another become one with a count.
fn pieces(segments: Vec<Segment>) -> Vec<AnyView> {
    let mut pieces = Vec::with_capacity(segments.len());
    let mut segments = segments.into_iter().peekable();
    while let Some(segment) = segments.next() {
        let mut times = 1;
        if let Segment::Mark { code, .. } = &segment {
            while segments.next_if(|next| matches!(next, Segment::Mark { code: other, .. } if other == code)).is_some()
            {
                times += 1;
            }
        }
        pieces.push(piece(segment, times));
    }
    pieces
}

fn piece(segment: Segment, times: usize) -> AnyView {
    match segment {
        Segment::Plain(text) => text.into_any(),
        Segment::Mark { code, label } => mark(code, label, times, None),
        Segment::Space { code: 0x20, count, .. } => mark(0x20, "space".to_owned(), count, Some("space")),
        Segment::Space { code, label, count } => mark(code, label, count, None),
        Segment::Tab => view! { <span class="mark soft" data-c="9" title="tab">"⇥\t"</span> }.into_any(),
        Segment::Newline => view! { <span class="mark soft" data-c="a" title="line feed">"↵\n"</span> }.into_any(),
    }
}

fn mark(code: u32, label: String, times: usize, name: Option<&'static str>) -> AnyView {
    let name = name.map_or_else(|| format!("U+{code:04X}"), str::to_owned);
    let text = match (code, times) {
        (_, 1) => format!("‹{name}›"),
        (0x20, _) => format!("‹{}›", words::count(times, "space", "spaces")),
        _ => format!("‹{name} ×{}›", words::thousands(times)),
    };
    let class = if code == 0x20 { "mark soft" } else { "mark" };
    view! {
        <span class=class data-c=format!("{code:x}") data-n=(times > 1).then_some(times) title=label>{text}</span>
    }
    .into_any()
}

#[cfg(test)]
mod tests;
