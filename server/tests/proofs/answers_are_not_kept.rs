//! What a provider answers goes to whoever asked, once, and stays nowhere.
//!
//! The provider puts a marker into every body and into a header of every answer.
//! Proposals are applied, fail, are refused and end as unknown; reads succeed and
//! fail; the database refuses statements that carry the marker. Then the marker
//! is looked for, in every form, in a dump of the whole database, in everything
//! that was traced, and in PostgreSQL's own log. What the test itself plants
//! there is found by the same search.

mod door;
mod heard;
mod private;

use domain::db::records::OutcomeRow;
use domain::proposal::{OutcomeClass, Verdict};
use domain::service::ProposalSummary;
use serde_json::{Value, json};
use server::sandbox::Fault;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection, PgPool};

use self::door::Door;
use self::heard::Heard;
use self::private::Private;
use crate::world::{Marker, World, contact, pg_dump};

const MARKER: Marker = Marker("mk-4fJ8xWqZt7Lr2vNcYb6H");

#[test]
fn nothing_of_an_answer_is_kept() {
    // One thread for everything, so that one subscriber hears all of it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let heard = Heard::default();
    heard.listen();
    runtime.block_on(async {
        let private = Private::start().await;
        let owner = PgPool::connect(&private.owner_url()).await.unwrap();
        let pool = domain::db::connect(&private.server_url(), 10).await.unwrap();
        let world = World::over(owner, pool, |_| {}).await;
        world.provider.set_marker(Some(MARKER.0));
        let door = Door::open(&world).await;

        reads_hand_it_on(&world, &door).await;
        let proposals = applying_hands_it_on(&world, &door).await;
        nothing_says_it_again(&door, &proposals).await;
        the_database_refuses_it(&world).await;
        world.assert_verifies().await;

        let places = Places { world: &world, private: &private, heard: &heard };
        places.assert_hold_something().await;
        places.assert_do_not_hold_the_marker().await;
        places.plant().await;
        places.assert_hold_the_marker().await;
        world.pool.close().await;
        world.owner.close().await;
        private.stop().await;
    });
}

async fn reads_hand_it_on(world: &World, door: &Door) {
    let id = world.provider.add_contact("Ada", "ada@example.com", "lead");
    let read = async |name: &str, input: Value| door.call("crm_read", json!({ "read": name, "input": input })).await;
    assert!(MARKER.is_in(read("contact", json!({ "id": id })).await.as_bytes()));
    assert!(MARKER.is_in(read("contacts", json!({})).await.as_bytes()));
    assert!(MARKER.is_in(read("contact", json!({ "id": "nobody" })).await.as_bytes()));
    for fault in [Fault::ErrorBefore(500), Fault::ErrorBefore(401), Fault::RetryAfter(3), Fault::DropAfterCommit] {
        world.provider.enqueue_read_fault(fault);
        read("contact", json!({ "id": id })).await;
    }
}

/// One proposal for every way in which a call can end.
async fn applying_hands_it_on(world: &World, door: &Door) -> Vec<ProposalSummary> {
    let mut proposals = Vec::new();
    for (number, (fault, ends_as)) in [
        (None, OutcomeClass::Applied),
        (Some(Fault::ErrorBefore(422)), OutcomeClass::Failed),
        (Some(Fault::ErrorAfterCommit(409)), OutcomeClass::Failed),
        (Some(Fault::ErrorAfterCommit(500)), OutcomeClass::Unknown),
        (Some(Fault::ErrorBefore(302)), OutcomeClass::Unknown),
        (Some(Fault::DropAfterCommit), OutcomeClass::Unknown),
        (Some(Fault::ErrorBefore(401)), OutcomeClass::Refused),
        (Some(Fault::RetryAfter(3)), OutcomeClass::Refused),
    ]
    .into_iter()
    .enumerate()
    {
        let handed_on = fault.is_some() && fault != Some(Fault::DropAfterCommit);
        if let Some(fault) = fault.clone() {
            world.provider.enqueue_fault(fault);
        }
        let proposal = world.approved(&format!("contact{number}")).await;
        let reply = door.call("crm_apply", json!({})).await;
        assert!(reply.contains(&format!("\"outcome\":\"{}\"", ends_as.word())), "{fault:?}: {reply}");
        assert_eq!(MARKER.is_in(reply.as_bytes()), handed_on, "{fault:?}: {reply}");
        go_on(world, door, &proposal, ends_as).await;
        proposals.push(proposal);
    }
    proposals
}

/// Clears the lane after a write that was not done.
async fn go_on(world: &World, door: &Door, proposal: &ProposalSummary, ended_as: OutcomeClass) {
    match ended_as {
        OutcomeClass::Applied => {}
        OutcomeClass::Failed => world.service.acknowledge(&world.rita, &proposal.id).await.unwrap(),
        OutcomeClass::Unknown => {
            let verdict = Verdict::ConfirmedApplied;
            world.service.judge_outcome(&world.rita, &proposal.id, verdict, "I looked").await.unwrap();
        }
        OutcomeClass::Refused | OutcomeClass::NotSent => {
            assert!(door.call("crm_apply", json!({})).await.contains("\"outcome\":\"applied\""));
        }
    }
}

/// Whoever asks later learns how it ended, and no word of the provider's.
async fn nothing_says_it_again(door: &Door, proposals: &[ProposalSummary]) {
    let mut replies = vec![
        door.call("crm_apply", json!({})).await,
        door.call("proposals_list", json!({})).await,
        door.page("/").await,
        door.page("/history").await,
    ];
    for proposal in proposals {
        replies.push(door.call("proposals_get", json!({ "proposal_id": proposal.id })).await);
        replies.push(door.page(&format!("/proposals/{}", proposal.id)).await);
    }
    for reply in replies {
        assert!(!MARKER.is_in(reply.as_bytes()), "{reply}");
    }
}

/// Statements that carry the marker and are refused, as a fault of ours could send them.
async fn the_database_refuses_it(world: &World) {
    let mut conn = world.pool.acquire().await.unwrap();
    let attempt = world.ask("select id from attempt limit 1").await;
    let row = |attempt: &str, class: &str| OutcomeRow {
        id: "out_refused".to_owned(),
        attempt_id: attempt.to_owned(),
        source: "late".to_owned(),
        class: class.to_owned(),
        http_status: Some(200),
        duration_ms: None,
        provider_request_id: None,
        after_digest: None,
        ended_at: chrono::DateTime::UNIX_EPOCH,
    };
    assert!(row(MARKER.0, "applied").insert(&mut conn).await.is_err(), "there is no such attempt");
    assert!(row(&attempt, MARKER.0).insert(&mut conn).await.is_err(), "there is no such class");
    // In the text of a statement, where no operation of ours ever puts a value.
    let quiet = (*world.pool.connect_options()).clone().disable_statement_logging();
    let mut conn = PgConnection::connect_with(&quiet).await.unwrap();
    let cast = format!("select '{}'::integer", MARKER.0);
    assert!(conn.execute(AssertSqlSafe(cast)).await.is_err(), "it is no number");
    // And so is a proposal in which an agent tries to write it as something else.
    let new = domain::service::NewProposal { action: MARKER.0.to_owned(), ..contact("ada") };
    assert!(world.crm.try_propose(new).await.is_err());
}

/// Where an answer could be left.
struct Places<'a> {
    world: &'a World,
    private: &'a Private,
    heard: &'a Heard,
}

impl Places<'_> {
    async fn contents(&self) -> [(&'static str, Vec<u8>); 3] {
        let version = self.world.ask("show server_version").await;
        [
            ("the dump", pg_dump(&self.private.owner_url(), &version)),
            ("the traces", self.heard.all()),
            ("PostgreSQL's log", self.private.log()),
        ]
    }

    /// A search of nothing proves nothing.
    async fn assert_hold_something(&self) {
        let holds = [
            ("integrity_fault text", 100_000),
            ("provider_call", 100_000),
            ("database system is ready to accept connections", 100),
        ];
        for ((place, content), (word, bytes)) in self.contents().await.iter().zip(holds) {
            let text = String::from_utf8_lossy(content);
            assert!(text.contains(word) && content.len() > bytes, "{place}: {} bytes", content.len());
        }
    }

    async fn assert_do_not_hold_the_marker(&self) {
        for (place, content) in self.contents().await {
            assert_eq!(MARKER.forms_in(&content), [""; 0], "{place} holds it:\n{}", context(&content));
        }
    }

    /// In every place, and in the database in every form.
    async fn plant(&self) {
        let raw = MARKER.0;
        self.world
            .arrange(&format!(
                "comment on table outcome is '{raw}';
                 create table planted (bytes bytea, upper text, text text);
                 insert into planted values ('{raw}', '{}', '{}');
                 do $$ begin raise log '{raw}'; end $$",
                MARKER.hex().to_uppercase(),
                MARKER.base64_behind(1),
            ))
            .await;
        tracing::trace!(said = raw, hex = MARKER.hex(), "planted");
    }

    async fn assert_hold_the_marker(&self) {
        let [dump, traces, log] = self.contents().await.map(|(_, content)| MARKER.forms_in(&content));
        assert_eq!(dump, ["raw", "hex", "HEX", "base64"]);
        // And what sqlx traces of the statement above.
        assert!(traces.starts_with(&["raw", "hex"]), "{traces:?}");
        assert_eq!(log, ["raw"]);
    }
}

/// What stands around it, for whoever has to find out how it came there.
fn context(content: &[u8]) -> String {
    let text = String::from_utf8_lossy(content);
    let lines: Vec<&str> = text.lines().filter(|line| MARKER.is_in(line.as_bytes())).take(3).collect();
    lines.join("\n")
}
