//! `/sign-in`

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::components::form::{NotRecorded, Refusal, TextField};
use crate::context::{self, Feedback};

/// Where people sign in.
#[component]
pub fn SignInPage() -> impl IntoView {
    let feedback = context::feedback();
    // A form that is shown again carries where to go in what was typed.
    let next = feedback
        .as_ref()
        .map(|feedback| feedback.value("next"))
        .filter(|next| !next.is_empty())
        .or_else(|| use_query_map().read_untracked().get("next"));
    view! { <SignInView next feedback /> }
}

/// The form.
#[component]
pub fn SignInView(
    /// The page to go to afterwards.
    next: Option<String>,
    /// Why the form was refused, if it was.
    feedback: Option<Feedback>,
) -> impl IntoView {
    let led_here = next.as_deref().and_then(led_here);
    view! {
        <Title text="Sign in" />
        <article class="gate">
            <h1>"Sign in"</h1>
            {led_here.map(|sentence| view! { <p class="lead">{sentence}</p> })}
            <Refusal feedback=feedback.clone() />
            <NotRecorded fields=vec!["comment", "note", "reason"] feedback=feedback.clone() />
            <form method="post" action="/sign-in">
                {next.map(|next| view! { <input type="hidden" name="next" value=next /> })}
                <TextField name="login" label="Sign-in name" autocomplete="username" max=254 feedback=feedback.clone() />
                <TextField name="password" label="Password" kind="password" autocomplete="current-password" feedback />
                <button class="button primary" type="submit">"Sign in"</button>
            </form>
        </article>
    }
}

/// Why somebody is here who wanted to go elsewhere.
fn led_here(next: &str) -> Option<&'static str> {
    let path = next.split(['?', '#']).next().unwrap_or_default();
    match path {
        "/" | "" => None,
        _ if path.starts_with("/proposals/") => Some("Sign in to see this proposal."),
        "/history" => Some("Sign in to see the history."),
        _ => Some("Sign in to see this page."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_was_led_here_is_told_why() {
        assert_eq!(led_here("/proposals/prp_1?x=1"), Some("Sign in to see this proposal."));
        assert_eq!(led_here("/history?kind=proposal."), Some("Sign in to see the history."));
        assert_eq!(led_here("/"), None);
    }
}
