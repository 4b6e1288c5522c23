//! Who knows the code, each with proof: owners, authors of the touched lines,
//! those who changed or reviewed the files before, and how busy they are.

use std::collections::{BTreeMap, BTreeSet};

use baton_protocol::code_owners::{CodeOwners, Owner};
use baton_protocol::short;
use baton_protocol::tools::analyze_pr_impact::{OwningTeam, SuggestedReviewer};
use baton_remote::github::Unreadable;

/// The parts of the confidence; together they stay below one.
const OWNER: f64 = 0.4;
const LINES: f64 = 0.3;
const CHANGES: f64 = 0.1;
const REVIEWS: f64 = 0.15;
/// Each open request takes this much, and all together not more than the other.
const LOAD: f64 = 0.05;
const MAX_LOAD: f64 = 0.2;
/// In this time a line counts half.
const HALF_LIFE_DAYS: f64 = 365.0;
const SECONDS_A_DAY: f64 = 86_400.0;

/// What is known about people and the change.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) author: Option<String>,
    pub(super) bots: BTreeSet<String>,
    /// When the head was committed, in seconds since 1970.
    pub(super) now: i64,
    pub(super) paths: Vec<String>,
    pub(super) owners: Option<CodeOwners>,
    pub(super) lines: Vec<Lines>,
    /// Lines of the touched hunks, by any author.
    pub(super) all_lines: u32,
    /// Who changed which of the files before.
    pub(super) changes: BTreeMap<String, BTreeSet<String>>,
    /// How many files' histories were read.
    pub(super) histories: usize,
    /// Who reviewed which of the earlier pull requests of the same files.
    pub(super) reviews: BTreeMap<String, BTreeSet<u32>>,
    /// How many reviews are asked of someone.
    pub(super) load: BTreeMap<String, usize>,
    pub(super) unreadable: Vec<Unreadable>,
}

/// Touched lines that one author wrote in one commit.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    pub(super) login: String,
    pub(super) commit: String,
    /// In seconds since 1970.
    pub(super) time: i64,
    pub(super) count: u32,
}

/// The best first. Neither the author nor bots.
pub(super) fn suggest(facts: &Facts, most: usize) -> Vec<SuggestedReviewer> {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    names.extend(owned(facts).into_keys().filter_map(|owner| match owner {
        Owner::User(login) => Some(login.as_str()),
        Owner::Team(_) | Owner::Email(_) => None,
    }));
    names.extend(facts.lines.iter().map(|lines| lines.login.as_str()));
    names.extend(facts.changes.keys().map(String::as_str));
    names.extend(facts.reviews.keys().map(String::as_str));
    let is_wanted = |name: &&&str| {
        let is_author = facts
            .author
            .as_ref()
            .is_some_and(|author| author.eq_ignore_ascii_case(name));
        !is_author && !facts.bots.contains(**name) && !name.ends_with("[bot]")
    };
    let mut found: Vec<SuggestedReviewer> = names
        .iter()
        .filter(is_wanted)
        .filter_map(|name| judged(facts, name))
        .collect();
    found.sort_by(|one, other| {
        let by_confidence = other.confidence.total_cmp(&one.confidence);
        by_confidence.then_with(|| one.username.cmp(&other.username))
    });
    found.truncate(most);
    found
}

/// Teams own files, too, and only the forge knows who is in them.
pub(super) fn teams(facts: &Facts) -> Vec<OwningTeam> {
    let owned = owned(facts);
    let teams = owned.into_iter().filter_map(|(owner, files)| match owner {
        Owner::Team(team) => Some(OwningTeam {
            team: team.clone(),
            reason: files.in_words(),
        }),
        Owner::User(_) | Owner::Email(_) => None,
    });
    teams.collect()
}

struct Owned {
    files: usize,
    first: String,
}

impl Owned {
    fn in_words(&self) -> String {
        format!("owns {} ({})", files(self.files), self.first)
    }
}

fn owned(facts: &Facts) -> BTreeMap<&Owner, Owned> {
    let mut found: BTreeMap<&Owner, Owned> = BTreeMap::new();
    let Some(owners) = &facts.owners else {
        return found;
    };
    for path in &facts.paths {
        let Some(entry) = owners.line_for(path) else {
            continue;
        };
        for owner in &entry.owners {
            let known = found.entry(owner).or_insert_with(|| Owned {
                files: 0,
                first: format!("CODEOWNERS line {}: `{}`", entry.number, entry.pattern),
            });
            known.files += 1;
        }
    }
    found
}

#[expect(
    clippy::cast_precision_loss,
    reason = "these are counts of lines and files"
)]
fn judged(facts: &Facts, login: &str) -> Option<SuggestedReviewer> {
    let (mut score, mut reasons, mut evidence) = (0.0, Vec::new(), Vec::new());
    let is_them =
        |owner: &Owner| matches!(owner, Owner::User(name) if name.eq_ignore_ascii_case(login));
    if let Some((_, owned)) = owned(facts).iter().find(|(owner, _)| is_them(owner)) {
        score += OWNER;
        reasons.push(format!("owns {}", files(owned.files)));
        evidence.push(owned.first.clone());
    }
    let own: Vec<&Lines> = facts
        .lines
        .iter()
        .filter(|lines| lines.login == login)
        .collect();
    if let Some(newest) = own.iter().max_by_key(|lines| lines.time) {
        let count: u32 = own.iter().map(|lines| lines.count).sum();
        let weighed: f64 = own
            .iter()
            .map(|lines| f64::from(lines.count) * recency(facts.now, lines.time))
            .sum();
        score += LINES * weighed / f64::from(facts.all_lines.max(1));
        reasons.push(format!(
            "wrote {count} of {} touched lines",
            facts.all_lines
        ));
        let commit = short(&newest.commit);
        evidence.push(format!("blame: {commit} of {}", day(newest.time)));
    }
    if let Some(changed) = facts.changes.get(login) {
        score += CHANGES * changed.len() as f64 / facts.histories.max(1) as f64;
        reasons.push(format!("previously modified {}", files(changed.len())));
        evidence.extend(changed.first().map(|path| format!("history of {path}")));
    }
    if let Some(reviewed) = facts.reviews.get(login) {
        score += REVIEWS * (reviewed.len() as f64 / 3.0).min(1.0);
        let pulls = if reviewed.len() == 1 {
            "pull request"
        } else {
            "pull requests"
        };
        reasons.push(format!(
            "reviewed {} {pulls} of these files",
            reviewed.len()
        ));
        let numbers: Vec<String> = reviewed
            .iter()
            .rev()
            .take(3)
            .map(|number| format!("#{number}"))
            .collect();
        evidence.push(format!("reviews of {}", numbers.join(", ")));
    }
    if reasons.is_empty() {
        return None;
    }
    if let Some(open) = facts.load.get(login).filter(|open| **open > 0) {
        score -= (LOAD * *open as f64).min(MAX_LOAD);
        reasons.push(format!(
            "has {open} open review {}",
            if *open == 1 { "request" } else { "requests" }
        ));
    }
    let first = reasons[0][..1].to_uppercase();
    Some(SuggestedReviewer {
        username: login.to_owned(),
        reason: format!("{first}{}", &reasons.join("; ")[1..]),
        confidence: (score.clamp(0.05, 0.95) * 100.0).round() / 100.0,
        evidence,
    })
}

/// One for a line of today, and half of it for one of a year ago.
#[expect(
    clippy::cast_precision_loss,
    reason = "seconds since 1970 are few enough"
)]
fn recency(now: i64, then: i64) -> f64 {
    let days = (now - then).max(0) as f64 / SECONDS_A_DAY;
    0.5_f64.powf(days / HALF_LIFE_DAYS)
}

fn day(time: i64) -> String {
    match jiff::Timestamp::from_second(time) {
        Ok(time) => time.strftime("%Y-%m-%d").to_string(),
        Err(_) => "an unknown day".to_owned(),
    }
}

fn files(count: usize) -> String {
    format!("{count} of these files")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_700_000_000;
    const YEAR: i64 = 31_536_000;

    fn lines(login: &str, count: u32, age: i64) -> Lines {
        Lines {
            login: login.to_owned(),
            commit: "0123456789abcdef".to_owned(),
            time: NOW - age,
            count,
        }
    }

    fn facts() -> Facts {
        Facts {
            author: Some("octo".to_owned()),
            now: NOW,
            paths: vec!["src/a.rs".to_owned(), "src/b.rs".to_owned()],
            all_lines: 20,
            histories: 2,
            ..Facts::default()
        }
    }

    fn shown(facts: &Facts) -> String {
        let found = suggest(facts, 5);
        let lines = found.iter().map(|one| {
            format!(
                "{} {}: {} [{}]",
                one.username,
                one.confidence,
                one.reason,
                one.evidence.join("; ")
            )
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn everybody_is_suggested_with_proof() {
        let set = |items: &[u32]| items.iter().copied().collect::<BTreeSet<u32>>();
        let facts = Facts {
            owners: CodeOwners::parse("src/ @owner @octo @acme/team\n"),
            lines: vec![
                lines("recent", 10, 0),
                lines("old", 10, YEAR),
                lines("octo", 5, 0),
            ],
            changes: BTreeMap::from([(
                "recent".to_owned(),
                BTreeSet::from(["src/a.rs".to_owned()]),
            )]),
            reviews: BTreeMap::from([
                ("busy".to_owned(), set(&[3, 5, 7])),
                ("free".to_owned(), set(&[3])),
                ("helper".to_owned(), set(&[3])),
            ]),
            load: BTreeMap::from([("busy".to_owned(), 2)]),
            bots: BTreeSet::from(["helper".to_owned()]),
            ..facts()
        };
        insta::assert_snapshot!(shown(&facts), @"
        owner 0.4: Owns 2 of these files [CODEOWNERS line 1: `src/`]
        recent 0.2: Wrote 10 of 20 touched lines; previously modified 1 of these files [blame: 0123456 of 2023-11-14; history of src/a.rs]
        old 0.08: Wrote 10 of 20 touched lines [blame: 0123456 of 2022-11-14]
        busy 0.05: Reviewed 3 pull requests of these files; has 2 open review requests [reviews of #7, #5, #3]
        free 0.05: Reviewed 1 pull request of these files [reviews of #3]
        ");
        assert_eq!(teams(&facts).len(), 1);
    }

    #[test]
    fn no_reviewer_is_better_than_any_reviewer() {
        assert_eq!(shown(&facts()), "");
    }
}
