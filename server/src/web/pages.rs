//! The pages of `app`, and the files that go with them.

use axum::Router;
use axum::http::Method;
use leptos::config::LeptosOptions;
use leptos::prelude::provide_context;
use leptos_axum::{ErrorHandler, LeptosRoutes as _, generate_route_list, serve_site_root_service};

use crate::state::AppState;

/// Pages that are opened signed out.
const PUBLIC: &[&str] = &["/sign-in", "/setup"];

/// The browser's files.
pub const FILES: &str = "/pkg/{*path}";

/// Whether this page is opened signed out.
#[must_use]
pub fn is_public(path: &str) -> bool {
    PUBLIC.contains(&path.strip_suffix('/').unwrap_or(path))
}

/// Every page's path template.
#[must_use]
pub fn paths() -> Vec<String> {
    generate_route_list(app::App).iter().map(|listing| listing.path().to_owned()).collect()
}

/// Every function that an island may call.
#[must_use]
pub fn server_functions() -> Vec<(Method, String)> {
    leptos::server_fn::axum::server_fn_paths().map(|(path, method)| (method, path.to_owned())).collect()
}

/// The pages; for every other path a file of the site, else the page that says
/// that there is none.
pub fn router(state: &AppState) -> Router {
    let service = state.service.clone();
    let site = app::context::Site { public_url: state.site.public_url.origin() };
    let context = move || {
        provide_context(service.clone());
        provide_context(site.clone());
    };
    let options = state.leptos.clone();
    let missing = ErrorHandler::new_with_context(context.clone(), app::shell::shell, options.clone());
    let shell = {
        let options = options.clone();
        move || app::shell::shell(options.clone())
    };
    Router::new()
        .leptos_routes_with_context(&options, generate_route_list(app::App), context, shell)
        .fallback_service(serve_site_root_service(&options).fallback(missing))
        .with_state(options)
}

/// The files that `cargo leptos` built.
pub fn files(options: &LeptosOptions) -> Router {
    Router::new().route_service(FILES, serve_site_root_service(options))
}
