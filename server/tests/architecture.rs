//! Who may import whom, where Cargo cannot hold it.
//!
//! Each rule names files and words that must not stand in them; a violation is
//! shown with its file, line and the reason. Comments are not looked at.

use std::fs;
use std::path::{Path, PathBuf};

struct Rule {
    /// Files and folders, from the top of the project.
    places: &'static [&'static str],
    /// Paths that they must not name.
    words: &'static [&'static str],
    reason: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        places: &["server/domain/src/db.rs", "server/domain/src/db"],
        words: &["crate::service", "crate::connector"],
        reason: "SQL decides nothing: operations call it, never the other way round",
    },
    Rule {
        places: &["server/domain/src"],
        words: &["axum", "leptos", "rmcp", "tower_sessions", "app::"],
        reason: "the rules know no transport",
    },
    Rule {
        places: &["server/domain/src/connector.rs", "server/domain/src/connector"],
        words: &["sqlx", "crate::service", "crate::db", "crate::vault"],
        reason: "a connector knows providers, not proposals and not the database",
    },
    Rule {
        places: &[
            "server/domain/src/canonical.rs",
            "server/domain/src/canonical",
            "server/domain/src/digest.rs",
            "server/domain/src/fields.rs",
            "server/domain/src/ids.rs",
            "server/domain/src/integrity.rs",
            "server/domain/src/integrity",
            "server/domain/src/policy.rs",
            "server/domain/src/proposal.rs",
            "server/domain/src/reveal.rs",
            "server/domain/src/reveal",
        ],
        words: &["sqlx", "tokio", "crate::db", "crate::service", "crate::random", "app_now", "std::time", "std::env"],
        reason: "pure modules also run in the browser, and are told the time",
    },
    Rule {
        places: &["app/src"],
        words: &["sqlx", "tower_sessions", "rmcp", "server::", "std::env", "domain::db", "domain::vault"],
        reason: "a page asks the operations and nothing else",
    },
    Rule {
        places: &["app/src/islands.rs", "app/src/islands"],
        words: &["crate::pages", "domain::service", "leptos_axum"],
        reason: "an island runs in the browser",
    },
    Rule {
        places: &["server/src/mcp.rs", "server/src/mcp"],
        words: &["app::", "leptos", "tower_sessions", "crate::session", "crate::web", "sqlx", "domain::db", "SignedIn"],
        reason: "agents are served without pages and sessions, and cannot name who decides",
    },
    Rule {
        places: &["server/src/workers.rs", "server/src/workers"],
        words: &["axum", "app::", "crate::web", "crate::mcp", "domain::db"],
        reason: "a worker calls operations",
    },
    Rule {
        places: &["server/src/web.rs", "server/src/web", "server/src/session.rs", "server/src/session_store.rs"],
        words: &["sqlx", "domain::db", "domain::vault", "rmcp"],
        reason: "the web calls operations",
    },
    Rule {
        places: &[
            "server/src/cli.rs",
            "server/src/cli",
            "server/src/mcp.rs",
            "server/src/mcp",
            "server/src/workers.rs",
        ],
        words: &[".decide(", ".judge_outcome(", ".acknowledge(", "Ballot"],
        reason: "only a person in a browser decides",
    },
];

#[test]
fn everything_stands_where_it_may() {
    let mut found = Vec::new();
    let mut looked_at = 0;
    for rule in RULES {
        for place in rule.places {
            for file in rust_files(&top().join(place)) {
                looked_at += 1;
                let text = fs::read_to_string(&file).unwrap();
                for (number, line) in text.lines().enumerate() {
                    let code = line.split("//").next().unwrap_or_default();
                    if let Some(word) = rule.words.iter().find(|word| names(code, word)) {
                        let file = file.strip_prefix(top()).unwrap().display().to_string();
                        found.push(format!("{file}:{}: names `{word}`; {}", number + 1, rule.reason));
                    }
                }
            }
        }
    }
    assert!(looked_at > 50, "the rules look at {looked_at} files only: are the places still right?");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_place_of_a_rule_exists() {
    let missing: Vec<&str> = RULES
        .iter()
        .flat_map(|rule| rule.places)
        .copied()
        // A folder beside a file comes when the file grows.
        .filter(|place| Path::new(place).extension().is_some() && !top().join(place).exists())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Whether `word` stands in `code` as a path of its own, not as a part of another name.
fn names(code: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        let begins = !word.starts_with(is_part) || !before.is_some_and(is_part);
        let ends = !word.ends_with(is_part) || !after.is_some_and(is_part);
        begins && ends
    })
}

fn rust_files(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let Ok(entries) = fs::read_dir(place) else { return Vec::new() };
    entries
        .map(|entry| entry.expect("the folder can be read").path())
        .flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the server lies in the project")
}
