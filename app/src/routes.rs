//! Which page is where.

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::{Route, Router, Routes};
use leptos_router::{SsrMode, path};

use crate::components::layout::Header;
use crate::context::viewer;
use crate::failure::{Failure, FailurePage};
use crate::islands::keyboard::Keyboard;
use crate::islands::local_time::LocalTimes;
use crate::islands::submit_guard::SubmitGuard;
use crate::pages::{
    history::HistoryPage, proposal::ProposalPage, queue::QueuePage, setup::SetupPage, sign_in::SignInPage,
};

/// Every page, in the frame that they share.
///
/// Each is rendered whole before its first byte is sent, so that its status and
/// headers are known by then.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    view! {
        <Title formatter=|title: String| format!("{title} · Countersign") />
        <Router>
            <a class="skip" href="#main">"Skip to the content"</a>
            <Header />
            <main id="main" tabindex="-1">
                <Routes fallback=|| view! { <FailurePage failure=Failure::NoSuchPage /> }>
                    <Route path=path!("/") view=QueuePage ssr=SsrMode::Async />
                    <Route path=path!("/proposals/:id") view=ProposalPage ssr=SsrMode::Async />
                    <Route path=path!("/history") view=HistoryPage ssr=SsrMode::Async />
                    <Route path=path!("/sign-in") view=SignInPage ssr=SsrMode::Async />
                    <Route path=path!("/setup") view=SetupPage ssr=SsrMode::Async />
                </Routes>
            </main>
            <footer class="foot">
                {viewer().is_some().then(|| view! { <Keyboard /> })}
                <LocalTimes />
                <SubmitGuard />
            </footer>
        </Router>
    }
}
