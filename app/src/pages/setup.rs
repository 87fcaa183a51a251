//! `/setup`

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::components::form::{Refusal, TextField};
use crate::components::layout::page;
use crate::context::{self, Feedback};

/// Where the first person is made, by a link that works once.
#[component]
pub fn SetupPage() -> impl IntoView {
    let feedback = context::feedback();
    let token = feedback
        .as_ref()
        .map(|feedback| feedback.value("token"))
        .filter(|token| !token.is_empty())
        .or_else(|| use_query_map().read_untracked().get("token"));
    let service = context::service();
    page(async move {
        let open = service?.needs_setup().await?;
        Ok(view! { <SetupView open token feedback /> })
    })
}

/// The form, or why there is none.
#[component]
pub fn SetupView(
    /// Whether there is nobody yet.
    open: bool,
    /// The secret part of the link.
    token: Option<String>,
    /// Why the form was refused, if it was.
    feedback: Option<Feedback>,
) -> impl IntoView {
    let body = match (open, token) {
        (false, _) => view! {
            <p class="lead">"Countersign is set up already. The link has done its work."</p>
            <p><a class="button primary" href="/sign-in">"Sign in"</a></p>
        }
        .into_any(),
        (true, None) => view! {
            <p class="lead">
                "Open the one-time link that the server printed when it started. "
                "It ends in " <code>"/setup?token=…"</code> "."
            </p>
        }
        .into_any(),
        (true, Some(token)) => view! {
            <p class="lead">"You are the first person here. You will be an admin and a reviewer."</p>
            <Refusal feedback=feedback.clone() />
            <form method="post" action="/setup">
                <input type="hidden" name="token" value=token />
                <TextField
                    name="name" label="Your name" hint="As others see it beside your decisions."
                    autocomplete="name" max=100 feedback=feedback.clone()
                />
                <TextField
                    name="login" label="Sign-in name" hint="Without spaces; an e-mail address will do."
                    autocomplete="username" max=254 feedback=feedback.clone()
                />
                <TextField
                    name="password" label="Password" kind="password" hint="At least 12 characters."
                    autocomplete="new-password" min=12 feedback
                />
                <button class="button primary" type="submit">"Set up Countersign"</button>
            </form>
        }
        .into_any(),
    };
    view! {
        <Title text="Set up" />
        <article class="gate"><h1>"Set up Countersign"</h1>{body}</article>
    }
}
