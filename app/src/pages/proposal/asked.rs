//! Who asks, on whose behalf, and where it would be written.

use domain::proposal::{Execution, Phase};
use domain::service::ProposalView;
use leptos::prelude::*;

use crate::components::moment::Since;
use crate::components::revealed::Line;
use crate::words;

/// Who, where and when.
#[component]
pub(super) fn Asked(proposal: ProposalView) -> impl IntoView {
    let host = host(&proposal.base_url).map(ToOwned::to_owned);
    view! {
        <section class="asked" aria-label="Who asks, and where it would be written">
            <dl class="facts">
                <div>
                    <dt>"Asked by the agent"</dt>
                    <dd><strong><Line text=proposal.agent /></strong></dd>
                </div>
                <div>
                    <dt>"On behalf of"</dt>
                    <dd><strong><Line text=proposal.on_behalf_of.name /></strong></dd>
                </div>
                <div>
                    <dt>"Would write to"</dt>
                    <dd>
                        {host.map(|host| view! { <strong data-host=""><Line text=host /></strong> })}
                        <span class="base-url"><Line text=proposal.base_url /></span>
                    </dd>
                </div>
                <div>
                    <dt>"Action"</dt>
                    <dd><code><Line text=proposal.action /></code> " " <span class=format!("risk {}", proposal.risk)>{proposal.risk}" risk"</span></dd>
                </div>
                <div>
                    <dt>"Proposed"</dt>
                    <dd><Since at=proposal.proposed_at now=proposal.at /></dd>
                </div>
                <div>
                    <dt>"Order"</dt>
                    <dd>{order(proposal.phase, proposal.sequence, words::size(proposal.ahead), words::size(proposal.behind))}</dd>
                </div>
                {proposal.client_ref.map(|reference| view! {
                    <div><dt>"Agent's reference"</dt><dd><code><Line text=reference /></code></dd></div>
                })}
            </dl>
        </section>
    }
    .into_any()
}

/// The place in the connection's sequence, and in its lane as long as it is in it.
fn order(phase: Phase, sequence: i64, ahead: usize, behind: usize) -> String {
    use Execution::{Executing, Unknown, Waiting};
    let in_lane = matches!(phase, Phase::Pending | Phase::Approved(Waiting | Executing | Unknown));
    let ahead = in_lane.then(|| match ahead {
        0 => "next in its lane".to_owned(),
        ahead => format!("{} ahead of it", words::thousands(ahead)),
    });
    // One that was not done holds up the lane until somebody acknowledges it.
    let behind = (in_lane || behind > 0).then(|| match behind {
        0 => "nothing waits behind it".to_owned(),
        behind => format!("{} behind it", words::count(behind, "waits", "wait")),
    });
    let place: Vec<String> = ahead.into_iter().chain(behind).collect();
    let number = format!("No. {sequence} of the connection");
    if place.is_empty() { number } else { format!("{number}; {}", place.join(", ")) }
}

/// The host and port of a base URL.
fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let authority = rest.split(['/', '?', '#']).next()?;
    // What stands before an @ is not the host, however much it looks like one.
    Some(authority.rsplit_once('@').map_or(authority, |(_, host)| host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_what_would_be_called() {
        assert_eq!(host("https://api.example.com/v3/"), Some("api.example.com"));
        assert_eq!(host("http://127.0.0.1:8888"), Some("127.0.0.1:8888"));
        assert_eq!(host("https://api.example.com@evil.test/x"), Some("evil.test"));
        assert_eq!(host("https://evil.test\\@api.example.com/"), Some("api.example.com"));
        assert_eq!(host("nonsense"), None);
    }

    #[test]
    fn order_is_said_in_words() {
        let waiting = Phase::Pending;
        assert_eq!(order(waiting, 17, 0, 0), "No. 17 of the connection; next in its lane, nothing waits behind it");
        assert_eq!(order(waiting, 3, 2, 1), "No. 3 of the connection; 2 ahead of it, 1 waits behind it");
        assert_eq!(order(Phase::Approved(Execution::Applied), 3, 0, 0), "No. 3 of the connection");
        assert_eq!(order(Phase::Approved(Execution::Failed), 3, 0, 2), "No. 3 of the connection; 2 wait behind it");
    }
}
