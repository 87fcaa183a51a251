//! `/`: what waits for whom.

mod row;

use domain::service::{PageKey, Queue, QueueRow};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use self::row::Row;
use crate::address;
use crate::components::layout::page;
use crate::components::moment::{At, Since};
use crate::context;
use crate::words;

/// The queue of whoever is signed in.
#[component]
pub fn QueuePage() -> impl IntoView {
    let after = use_query_map().read_untracked().get("after").map(PageKey);
    let asked = context::signed_in();
    page(async move {
        let (service, viewer) = asked?;
        let queue = service.queue(&viewer, after.as_ref()).await?;
        Ok(view! { <QueueView queue later_page=after.is_some() /> })
    })
}

/// The queue as it was read.
#[component]
pub fn QueueView(
    /// What was read.
    queue: Queue,
    /// Whether this is not the first page.
    later_page: bool,
) -> impl IntoView {
    let Queue { waiting, next, counts, approved, stuck, connections_reviewed, at } = queue;
    let (mine, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|row| row.can_decide.is_ok());
    let for_me = words::size(counts.for_me);
    let for_others = words::size(counts.for_others);
    let nothing_for_me = nothing_for_me(for_me, connections_reviewed);
    let title = if for_me > 0 { format!("Queue ({for_me})") } else { "Queue".to_owned() };
    view! {
        <Title text=title />
        <div class="queue">
            <div class="page-head">
                <h1>"Queue"</h1>
                <p class="measured">
                    "Read " <Since at now=at />
                    <a class="button plain" href="/">"Refresh"</a>
                </p>
            </div>
            <Section id="for-you" title="Waits for you" count=words::thousands(for_me) rows=mine now=at>
                <p>{nothing_for_me} " Read at " <At at /> "."</p>
            </Section>
            <Section id="for-others" title="Waits for others" count=words::thousands(for_others) rows=others now=at>
                <p>{if for_others > 0 { "None of them is on this page of the list." } else { "Nothing that you may see waits for somebody else." }}</p>
            </Section>
            {(next.is_some() || later_page).then(|| view! {
                <nav class="pages" aria-label="Pages of what waits">
                    {later_page.then(|| view! { <a href="/">"First page"</a> })}
                    {next.map(|key| view! { <a href=format!("/?after={}", address::component(&key.0)) rel="next">"Next page"</a> })}
                </nav>
            })}
            <Section id="approved" title="Approved, not applied yet" count=at_most(&approved) rows=approved now=at>
                <p>"Nothing is approved and still to be applied."</p>
            </Section>
            <Section id="stuck" title="Stuck" count=at_most(&stuck) rows=stuck now=at>
                <p>"No unknown outcome, no integrity fault and no failure that waits to be acknowledged."</p>
            </Section>
        </div>
    }
}

/// One heading, its rows, and what is said when there are none.
#[component]
fn Section(
    id: &'static str,
    title: &'static str,
    #[prop(into)] count: String,
    rows: Vec<QueueRow>,
    now: chrono::DateTime<chrono::Utc>,
    children: Children,
) -> impl IntoView {
    let heading = format!("{id}-heading");
    let heading_id = heading.clone();
    let alarming = id == "stuck" && !rows.is_empty();
    let body = if rows.is_empty() {
        view! { <div class="empty">{children()}</div> }.into_any()
    } else {
        let rows: Vec<_> = rows.into_iter().map(|row| view! { <Row row now /> }).collect();
        view! { <ul class="rows">{rows}</ul> }.into_any()
    };
    view! {
        <section class="queue-section" class:alarming=alarming id=id aria-labelledby=heading>
            <h2 id=heading_id>{title}" "<span class="count">{count}</span></h2>
            {body}
        </section>
    }
}

/// A list that is cut off says so.
fn at_most(rows: &[QueueRow]) -> String {
    const READ: usize = 50;
    if rows.len() < READ { rows.len().to_string() } else { format!("the oldest {READ}") }
}

fn nothing_for_me(for_me: usize, connections: i64) -> String {
    match (for_me, words::size(connections)) {
        (0, 0) => "You review no connection, so nothing can wait for you.".to_owned(),
        (0, connections) => format!(
            "Nothing waits for you in the {} that you review.",
            if connections == 1 {
                "one connection".to_owned()
            } else {
                words::count(connections, "connection", "connections")
            }
        ),
        (waiting, _) => format!(
            "{} for you, on another page of the list.",
            if waiting == 1 { "One waits".to_owned() } else { format!("{} wait", words::thousands(waiting)) }
        ),
    }
}
