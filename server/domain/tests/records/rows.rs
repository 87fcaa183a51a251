//! One sound row of every table that has a rule.

use sqlx::PgConnection;
use sqlx::{AssertSqlSafe, Executor as _};

/// In an order in which every reference is there already.
const ROWS: &[&str] = &[
    "working_key (id, purpose, sealed, public, created_at) values ('key_1', 'signing', '', '', now())",
    "chain values ('chain', 1, sha256('head'))",
    "event values ('chain', 1, now(), 'kind', null, null, '', sha256('prev'), sha256('hash'))",
    "person (id, login, name, password_hash, created_at) values ('per_1', 'ada', 'Ada', '!', now())",
    "reviewer_group values ('grp_1', 'Reviewers', now())",
    "group_member values ('grp_1', 'per_1', now())",
    "session values (sha256('session'), 'per_1', '', now(), now())",
    "setup_link values (sha256('link'), now(), now())",
    "agent values ('agt_1', 'scribe', 'per_1', now())",
    "agent_token values ('tok_1', 'agt_1', sha256('token'), now())",
    "manifest values (sha256('manifest'), 'name', 'Title', '', now())",
    "connection values ('con_1', 'crm', 'http://crm', null, sha256('account'), sha256('manifest'), null,
                        'connection', 'stop', true, 0, now())",
    "policy_version values ('pol_1', 'con_1', 1, '', sha256('policy'), now())",
    "token_scope values ('tok_1', 'con_1', true, true, true)",
    "connection_reviewers values ('con_1', 'grp_1')",
    "proposal values ('prp_1', 'con_1', 1, '', 'agt_1', 'tok_1', 'per_1', 'act', sha256('manifest'), 'pol_1',
                      sha256('policy'), sha256('content'), 60, 60, 'key', 'ref', now())",
    "proposal_round values ('prp_1', 1, 'proposed', sha256('target'), sha256('binding'), now())",
    "proposal_content values ('prp_1', '', '', '')",
    "proposal_text values ('dec_1', 'prp_1', '')",
    "decision values ('dec_1', 'prp_1', 1, 1, sha256('binding'), 'per_1', null, 'approve', null, now(), 'key_1', sha512('x'))",
    "attempt values ('att_1', 'prp_1', 1, 'con_1', '', 1, sha256('binding'), 'key', 'agt_1', null, null, now(), now())",
    "outcome values ('out_1', 'att_1', 'reply', 'unknown', 500, 10, 'request-1', null, now())",
    "outcome values ('out_2', 'att_1', 'late', 'applied', 200, 10, 'request-1', null, now())",
    "verdict values ('vrd_1', 'att_1', 'prp_1', 'per_1', 'confirmed_applied', sha256('note'), now())",
    "ending values ('end_1', 'prp_1', 'withdrawn', 'agt_1', null, null, now())",
    "ending values ('end_2', 'prp_1', 'acknowledged', null, 'per_1', null, now())",
    "proposal_state (proposal_id, connection_id, lane, sequence, agent_id, decision, approve_by)
     values ('prp_1', 'con_1', '', 1, 'agt_1', 'pending', now())",
    "lane values ('con_1', '', 1, null, null)",
    "fingerprint values ('prp_1', 'equal', sha256('equal'))",
];

/// Adds all of them.
pub async fn insert(conn: &mut PgConnection) {
    for row in ROWS {
        conn.execute(AssertSqlSafe(format!("insert into {row}")))
            .await
            .unwrap_or_else(|error| panic!("{row}: {error}"));
    }
}
