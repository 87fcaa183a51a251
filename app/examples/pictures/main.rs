//! Writes every page with made-up data as HTML files, to look at them:
//! `cargo run -p app --features ssr --example pictures -- target/pictures`.

mod samples;

use std::fs;
use std::path::Path;

use app::components::layout::{HeaderBar, SignedInName};
use app::failure::{Failure, FailurePage};
use app::islands::keyboard::Keyboard;
use app::islands::local_time::LocalTimes;
use app::islands::submit_guard::SubmitGuard;
use app::pages::history::{Asked, HistoryView};
use app::pages::proposal::ProposalDocument;
use app::pages::queue::QueueView;
use app::pages::setup::SetupView;
use app::pages::sign_in::SignInView;
use leptos::config::LeptosOptions;
use leptos::prelude::*;

type Page = (&'static str, &'static str, fn() -> AnyView);

const PAGES: &[Page] = &[
    ("queue", "/", || view! { <QueueView queue=samples::queue() later_page=false /> }.into_any()),
    ("queue-empty", "/", || view! { <QueueView queue=samples::empty_queue() later_page=false /> }.into_any()),
    ("pending", "/p", || proposal(samples::pending())),
    ("hostile", "/p", || proposal(samples::hostile())),
    ("tampered", "/p", || proposal(samples::tampered())),
    ("others", "/p", || proposal(samples::for_others())),
    ("unknown", "/p", || proposal(samples::unknown())),
    ("applied", "/p", || proposal(samples::applied())),
    ("fault", "/p", || proposal(samples::fault())),
    ("history", "/history", || view! { <HistoryView asked=Asked::default() entries=samples::history() /> }.into_any()),
    ("sign-in", "/sign-in", || {
        view! { <SignInView next=Some("/proposals/prp_x".to_owned()) feedback=Some(samples::wrong_password()) /> }
            .into_any()
    }),
    ("setup", "/setup", || view! { <SetupView open=true token=Some("x".to_owned()) feedback=None /> }.into_any()),
    ("missing", "/x", || view! { <FailurePage failure=Failure::NoSuchPage /> }.into_any()),
];

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "target/pictures".to_owned());
    fs::create_dir_all(&folder)?;
    for (name, path, page) in PAGES {
        let html = Owner::new().with(|| {
            leptos_meta::provide_meta_context();
            document(path, page()).to_html()
        });
        fs::write(Path::new(&folder).join(format!("{name}.html")), html)?;
    }
    Ok(())
}

fn proposal(proposal: domain::service::ProposalView) -> AnyView {
    view! { <ProposalDocument proposal feedback=None /> }.into_any()
}

fn document(path: &str, page: AnyView) -> impl IntoView + use<> {
    let options = LeptosOptions::builder().output_name("countersign").hash_files(false).build();
    let public = matches!(path, "/sign-in" | "/setup");
    let viewer = (!public).then(|| SignedInName { name: "Grace Hopper".to_owned(), login: "grace".to_owned() });
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <link rel="stylesheet" href="/pkg/countersign.css" />
                <HydrationScripts options islands=true />
            </head>
            <body>
                <HeaderBar viewer path=path.to_owned() />
                <main id="main" tabindex="-1">{page}</main>
                <footer class="foot"><Keyboard /><LocalTimes /><SubmitGuard /></footer>
            </body>
        </html>
    }
}
