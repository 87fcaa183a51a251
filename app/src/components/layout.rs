//! The frame of every page, and the way from a page's data to its view.

use domain::actor::SignedIn;
use leptos::prelude::*;

use crate::components::icon::Brand;
use crate::components::revealed::{Line, plainly};
use crate::context;
use crate::failure::{Failure, FailurePage};

/// Loads what a page shows, then shows it, or why it cannot be shown.
pub fn page<V: IntoView + 'static>(load: impl Future<Output = Result<V, Failure>> + Send + 'static) -> impl IntoView {
    let shown = Suspend::new(async move {
        match load.await {
            Ok(view) => view.into_any(),
            Err(failure) => view! { <FailurePage failure /> }.into_any(),
        }
    });
    view! { <Suspense>{shown}</Suspense> }
}

/// The bar at the top: where one can go, and who is signed in.
#[component]
pub fn Header() -> impl IntoView {
    let path = context::address();
    let path = path.split('?').next().unwrap_or_default().to_owned();
    view! { <HeaderBar viewer=context::viewer().map(|viewer| SignedInName::of(&viewer)) path /> }
}

/// Who is signed in, as the bar shows them.
#[derive(Clone, Debug)]
pub struct SignedInName {
    /// Their name.
    pub name: String,
    /// What they sign in with.
    pub login: String,
}

impl SignedInName {
    fn of(viewer: &SignedIn) -> Self {
        let person = viewer.person();
        Self { name: person.name.clone(), login: person.login.clone() }
    }
}

/// The bar itself.
#[component]
pub fn HeaderBar(
    /// Who is signed in, if anybody is.
    viewer: Option<SignedInName>,
    /// The path of the page.
    path: String,
) -> impl IntoView {
    let current = |to: &str| (path == to).then_some("page");
    let (queue, history) = (current("/"), current("/history"));
    view! {
        <header class="bar">
            <div class="bar-inner">
                <a class="brand" href="/"><Brand /><span class="brand-name">"Countersign"</span></a>
                {viewer.map(|viewer| view! {
                    <nav aria-label="Pages">
                        <a href="/" aria-current=queue>"Queue"</a>
                        <a href="/history" aria-current=history>"History"</a>
                    </nav>
                    <form class="who" method="post" action="/sign-out">
                        <span class="who-name" title=plainly(&viewer.login)><Line text=viewer.name /></span>
                        <button class="button plain" type="submit">"Sign out"</button>
                    </form>
                })}
            </div>
        </header>
    }
    .into_any()
}
