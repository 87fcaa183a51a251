//! The rules of a connection: who must approve what, and within which times.
//!
//! Between the manifest and the policy the stricter holds. An unknown value is
//! refused when a policy is loaded, so that a misspelt rule never weakens one.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::ids::{GroupId, PersonId};

/// How an action comes to be approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    /// By itself, as soon as it is proposed.
    Automatic,
    /// By people.
    Person,
    /// Never.
    Forbidden,
}

/// One version of a connection's policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// For every action that is not named below; with the manifest's word the stricter holds.
    pub approval: Approval,
    /// For single actions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub actions: BTreeMap<String, Approval>,
    /// All of them must hold.
    pub requirements: Vec<Requirement>,
    /// Whether the agent's owner may not decide.
    pub four_eyes: bool,
    /// Seconds from propose within which it must be decided.
    pub approve_within: u64,
    /// Seconds from its approval and its turn within which it must be applied.
    pub apply_within: u64,
}

/// So many distinct people of this group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// The group.
    pub group: GroupId,
    /// How many of its members must approve.
    pub count: u32,
}

/// 72 hours.
pub const APPROVE_WITHIN: u64 = 72 * 60 * 60;
/// 24 hours.
pub const APPLY_WITHIN: u64 = 24 * 60 * 60;

/// One person's newest word in the current round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vote {
    /// Who.
    pub person: PersonId,
    /// Whether they approve.
    pub approves: bool,
}

/// What the votes amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tally {
    /// More is needed.
    Open,
    /// Every requirement is met.
    Approved,
    /// An eligible person rejected.
    Rejected,
}

impl Policy {
    /// What one group of reviewers gets when nothing else is said.
    #[must_use]
    pub fn one_reviewer_of(group: GroupId) -> Self {
        Self {
            approval: Approval::Person,
            actions: BTreeMap::new(),
            requirements: vec![Requirement { group, count: 1 }],
            four_eyes: false,
            approve_within: APPROVE_WITHIN,
            apply_within: APPLY_WITHIN,
        }
    }

    /// How `action` is approved, given what its manifest says.
    #[must_use]
    pub fn approval_of(&self, action: &str, by_manifest: Approval) -> Approval {
        let by_policy = self.actions.get(action).copied().unwrap_or(self.approval);
        by_policy.max(by_manifest)
    }

    /// The canonical JSON that is stored and digested.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        crate::canonical::canonical_bytes(&serde_json::json!(self))
    }

    /// The digest of the canonical JSON.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.canonical())
    }

    /// Whether this person may decide, given their groups.
    #[must_use]
    pub fn may_decide(&self, person: &PersonId, groups: &BTreeSet<GroupId>, owner: &PersonId) -> bool {
        if self.four_eyes && person == owner {
            return false;
        }
        self.requirements.iter().any(|requirement| groups.contains(&requirement.group))
    }

    /// What these votes amount to. `groups` holds the groups of every voter who
    /// is still enabled; somebody without an entry is not eligible.
    ///
    /// Each person fills one place in all: somebody who is in two groups does not
    /// stand for two people.
    #[must_use]
    pub fn tally(&self, votes: &[Vote], groups: &BTreeMap<PersonId, BTreeSet<GroupId>>, owner: &PersonId) -> Tally {
        let none = BTreeSet::new();
        let groups_of = |person: &PersonId| groups.get(person).unwrap_or(&none);
        let eligible: Vec<&Vote> =
            votes.iter().filter(|vote| self.may_decide(&vote.person, groups_of(&vote.person), owner)).collect();
        if eligible.iter().any(|vote| !vote.approves) {
            return Tally::Rejected;
        }
        let people: Vec<&PersonId> = eligible.iter().map(|vote| &vote.person).collect();
        let places: Vec<&GroupId> = self
            .requirements
            .iter()
            .flat_map(|requirement| std::iter::repeat_n(&requirement.group, requirement.count as usize))
            .collect();
        let met = all_filled(&places, &people, |place, person| groups_of(person).contains(place));
        // Without a requirement nobody could be asked: that fails closed.
        if met && !places.is_empty() { Tally::Approved } else { Tally::Open }
    }
}

/// Whether every place can have a person of its own (matching by augmenting paths).
fn all_filled<P, Q>(places: &[P], people: &[Q], fits: impl Fn(&P, &Q) -> bool) -> bool {
    fn seat<P, Q>(
        place: usize,
        places: &[P],
        people: &[Q],
        fits: &impl Fn(&P, &Q) -> bool,
        asked: &mut [bool],
        seated: &mut [Option<usize>],
    ) -> bool {
        for person in 0..people.len() {
            if asked[person] || !fits(&places[place], &people[person]) {
                continue;
            }
            asked[person] = true;
            let free = match seated[person] {
                None => true,
                Some(other) => seat(other, places, people, fits, asked, seated),
            };
            if free {
                seated[person] = Some(place);
                return true;
            }
        }
        false
    }

    let mut seated = vec![None; people.len()];
    (0..places.len()).all(|place| seat(place, places, people, &fits, &mut vec![false; people.len()], &mut seated))
}

impl Approval {
    /// The stable machine word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::Person => "person",
            Self::Forbidden => "forbidden",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(n: u8) -> PersonId {
        PersonId::from_random([n; 16])
    }

    fn group(n: u8) -> GroupId {
        GroupId::from_random([n; 16])
    }

    fn policy(requirements: &[(u8, u32)], four_eyes: bool) -> Policy {
        Policy {
            requirements: requirements.iter().map(|&(n, count)| Requirement { group: group(n), count }).collect(),
            four_eyes,
            ..Policy::one_reviewer_of(group(1))
        }
    }

    /// Person 9 owns the agent. Memberships are (person, group).
    fn tally(policy: &Policy, members: &[(u8, u8)], votes: &[(u8, bool)]) -> Tally {
        let mut groups: BTreeMap<PersonId, BTreeSet<GroupId>> = BTreeMap::new();
        for &(who, of) in members {
            groups.entry(person(who)).or_default().insert(group(of));
        }
        let votes: Vec<Vote> = votes.iter().map(|&(who, approves)| Vote { person: person(who), approves }).collect();
        policy.tally(&votes, &groups, &person(9))
    }

    /// Name, policy, members of groups, votes, what they amount to.
    type Row<'a> = (&'a str, &'a Policy, &'a [(u8, u8)], &'a [(u8, bool)], Tally);

    #[test]
    fn votes_amount_to() {
        let one = policy(&[(1, 1)], false);
        let eyes = policy(&[(1, 1)], true);
        let two = policy(&[(1, 2)], false);
        let both = policy(&[(1, 1), (2, 1)], false);
        let nobody = policy(&[], false);
        let rows: &[Row] = &[
            ("no vote", &one, &[(1, 1)], &[], Tally::Open),
            ("one of one", &one, &[(1, 1)], &[(1, true)], Tally::Approved),
            ("a stranger", &one, &[(1, 1)], &[(2, true)], Tally::Open),
            ("another group", &one, &[(1, 2)], &[(1, true)], Tally::Open),
            ("the owner", &one, &[(9, 1)], &[(9, true)], Tally::Approved),
            ("the owner under four eyes", &eyes, &[(9, 1)], &[(9, true)], Tally::Open),
            ("the owner's no under four eyes", &eyes, &[(9, 1)], &[(9, false)], Tally::Open),
            ("another under four eyes", &eyes, &[(1, 1)], &[(1, true)], Tally::Approved),
            ("one of two", &two, &[(1, 1), (2, 1)], &[(1, true)], Tally::Open),
            ("two of two", &two, &[(1, 1), (2, 1)], &[(1, true), (2, true)], Tally::Approved),
            ("one rejects", &two, &[(1, 1), (2, 1)], &[(1, true), (2, false)], Tally::Rejected),
            ("a stranger rejects", &one, &[(1, 1)], &[(1, true), (2, false)], Tally::Approved),
            ("one person in two groups", &both, &[(1, 1), (1, 2)], &[(1, true)], Tally::Open),
            ("two people, one in both", &both, &[(1, 1), (1, 2), (2, 1)], &[(1, true), (2, true)], Tally::Approved),
            ("nobody is asked", &nobody, &[(1, 1)], &[(1, true)], Tally::Open),
        ];
        for (name, policy, members, votes, expected) in rows {
            assert_eq!(tally(policy, members, votes), *expected, "{name}");
        }
    }

    #[test]
    fn the_stricter_of_manifest_and_policy_holds() {
        use Approval::{Automatic, Forbidden, Person};
        for (by_policy, by_manifest, expected) in [
            (Automatic, Automatic, Automatic),
            (Automatic, Person, Person),
            (Person, Automatic, Person),
            (Person, Forbidden, Forbidden),
            (Forbidden, Automatic, Forbidden),
        ] {
            let policy = Policy { approval: by_policy, ..policy(&[(1, 1)], false) };
            assert_eq!(policy.approval_of("x", by_manifest), expected);
        }
        let mut named = policy(&[(1, 1)], false);
        named.actions.insert("x".to_owned(), Approval::Automatic);
        assert_eq!(named.approval_of("x", Approval::Automatic), Approval::Automatic);
        assert_eq!(named.approval_of("y", Approval::Automatic), Approval::Person);
    }

    #[test]
    fn an_unknown_word_is_refused() {
        let good = String::from_utf8(policy(&[(1, 1)], false).canonical()).unwrap();
        assert!(serde_json::from_str::<Policy>(&good).is_ok());
        for bad in [
            good.replace("\"person\"", "\"Person\""),
            good.replace("\"count\":1", "\"count\":\"1\""),
            good.replacen('{', "{\"quorum\":1,", 1),
        ] {
            assert!(serde_json::from_str::<Policy>(&bad).is_err(), "{bad}");
        }
    }
}
