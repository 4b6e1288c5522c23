use baton_protocol::handoff::{Handoff, Severity};
use baton_testkit::world::World;
use baton_workflow::{FailureKind, Step};

use crate::rehearsal::Rehearsal;

pub(crate) const BASE: &str = "\
pub struct Database {
    rows: Vec<String>,
}

impl Database {
    pub fn query(&self, sql: &str) -> Vec<String> {
        self.rows.iter().filter(|row| row.contains(sql)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_database_has_no_rows() {
        let database = Database { rows: Vec::new() };
        assert_eq!(database.query(\"SELECT 1\"), Vec::<String>::new());
    }
}
";

pub(crate) const INJECTION: &str = "\
use crate::Database;

/// The titles of someone's notes.
pub fn titles(database: &Database, owner: &str) -> Vec<String> {
    let sql = format!(\"SELECT title FROM notes WHERE owner = '{owner}'\");
    database.query(&sql)
}

#[cfg(test)]
mod tests {
    #[test]
    fn nobody_has_no_notes() {
        assert_eq!(1 + 1, 2);
    }
}
";

pub(crate) const FIXED: &str = "\
use crate::Database;

/// The titles of someone's notes.
pub fn titles(database: &Database, owner: &str) -> Vec<String> {
    database.query_with(\"SELECT title FROM notes WHERE owner = ?1\", &[owner])
}

#[cfg(test)]
mod tests {
    #[test]
    fn nobody_has_no_notes() {
        assert_eq!(1 + 1, 2);
    }
}
";

pub(crate) fn with_injection(world: &World) -> Rehearsal<'_> {
    let base = [
        ("src/lib.rs", BASE),
        ("Cargo.toml", "[package]\nname = \"notes\"\n"),
    ];
    Rehearsal::new(world, &base, &[("src/notes.rs", INJECTION)])
}

#[test]
fn an_injection_is_found_and_said_once_however_often_the_step_is_run() {
    let world = World::start();
    let mut rehearsal = with_injection(&world);
    rehearsal.steps = vec![Step::Review];
    rehearsal.times = 2;
    let rehearsed = rehearsal.play();
    let Handoff::ChangesRequested(review) = rehearsed.handoff() else {
        panic!("{:?}", rehearsed.last());
    };
    assert_eq!((review.critical_count, review.important_count), (0, 1));
    let issue = &review.blocking_issues[0];
    assert_eq!(issue.severity.word(), Some(Severity::Important));
    assert_eq!(issue.location.as_ref().unwrap().as_str(), "src/notes.rs:6");
    insta::assert_snapshot!(issue.description, @"SQL statement built from untrusted input: `database.query(&sql)` – anyone who sends the value can read or change any row the program can – Use placeholders and pass the value as a parameter of the query. (rust/sql-injection)");
    assert_eq!(rehearsed.results.len(), 2);

    let reviews = rehearsal.reviews();
    assert_eq!(reviews.len(), 1);
    // No one may ask for changes of a pull request of their own.
    assert_eq!(reviews[0]["state"], "COMMENTED");
    let body = reviews[0]["body"].as_str().unwrap();
    assert!(
        body.starts_with("**Changes requested** (0 critical, 1 important, 0 suggestions)"),
        "{body}"
    );
    let comments = rehearsal.comments();
    assert_eq!(comments.len(), 1);
    assert_eq!(
        (&comments[0]["path"], &comments[0]["line"]),
        (&"src/notes.rs".into(), &6.into())
    );
}

#[test]
fn someone_else_gives_a_verdict_that_counts() {
    let world = World::start();
    let mut rehearsal = Rehearsal::by(
        &world,
        "reviewer",
        &[("src/lib.rs", BASE)],
        &[("src/notes.rs", INJECTION)],
    );
    rehearsal.steps = vec![Step::Review];
    rehearsal.play();
    assert_eq!(rehearsal.reviews()[0]["state"], "CHANGES_REQUESTED");
}

#[test]
fn a_clean_change_is_approved() {
    let world = World::start();
    let mut rehearsal = Rehearsal::by(
        &world,
        "reviewer",
        &[("src/lib.rs", BASE)],
        &[("src/notes.rs", FIXED)],
    );
    rehearsal.steps = vec![Step::Review];
    rehearsal.times = 2;
    let rehearsed = rehearsal.play();
    let Handoff::Approved(review) = rehearsed.handoff() else {
        panic!("{:?}", rehearsed.last());
    };
    assert_eq!(review.critical_count, 0);
    let reviews = rehearsal.reviews();
    assert_eq!(reviews.len(), 1);
    assert_eq!(reviews[0]["state"], "APPROVED");
    assert_eq!(rehearsal.comments().len(), 0);
}

/// Claims two things; only one of them is quoted rightly.
const READER: &str = r#"
cat > /dev/null
echo 'Looking at it.'
cat <<'END'
{"findings": [
 {"severity": "critical", "path": "src/notes.rs", "line": 5, "quote": "database.query_with(\"SELECT title FROM notes WHERE owner = ?1\", &[owner])", "class": "wrong-table", "what": "It reads the wrong table", "why": "notes of others are shown", "remedy": "Read `notes_of`."},
 {"severity": "critical", "path": "src/notes.rs", "line": 4, "quote": "rm -rf /", "class": "made-up", "what": "Made up", "why": "", "remedy": ""}
]}
END
"#;

#[test]
fn a_coding_agent_is_believed_where_its_quotes_stand() {
    let world = World::start();
    let mut rehearsal = Rehearsal::new(&world, &[("src/lib.rs", BASE)], &[("src/notes.rs", FIXED)]);
    rehearsal.steps = vec![Step::Review];
    rehearsal.place.reviewer = Some(rehearsal.agent("reader", READER));
    let rehearsed = rehearsal.play();
    let Handoff::ChangesRequested(review) = rehearsed.handoff() else {
        panic!("{:?}", rehearsed.last());
    };
    assert_eq!(review.critical_count, 1);
    insta::assert_snapshot!(review.blocking_issues[0].description, @r#"It reads the wrong table: `database.query_with("SELECT title FROM notes WHERE owner = ?1", &[owner])` – notes of others are shown – Read `notes_of`. (reader/wrong-table)"#);
    let body = rehearsal.reviews()[0]["body"].as_str().unwrap().to_owned();
    assert!(
        body.contains("reader claims at src/notes.rs:4 what is not believed"),
        "{body}"
    );
    assert_eq!(rehearsal.comments().len(), 1);
}

#[test]
fn a_reader_that_writes_does_not_count() {
    let world = World::start();
    let mut rehearsal = Rehearsal::new(&world, &[("src/lib.rs", BASE)], &[("src/notes.rs", FIXED)]);
    rehearsal.steps = vec![Step::Review];
    let script = "cat > /dev/null; echo '// hm' >> src/notes.rs; echo '{\"findings\": []}'";
    rehearsal.place.reviewer = Some(rehearsal.agent("reader", script));
    let rehearsed = rehearsal.play();
    assert_eq!(rehearsed.failure().kind, FailureKind::Unproven);
    assert_eq!(rehearsal.git(&["status", "--porcelain"]), "");
    assert_eq!(rehearsal.reviews().len(), 0);
}

#[test]
fn a_reader_without_a_list_is_asked_again() {
    let world = World::start();
    let mut rehearsal = Rehearsal::new(&world, &[("src/lib.rs", BASE)], &[("src/notes.rs", FIXED)]);
    rehearsal.steps = vec![Step::Review];
    let script =
        "if grep -q 'did not count'; then echo '{\"findings\": []}'; else echo 'Looks good!'; fi";
    rehearsal.place.reviewer = Some(rehearsal.agent("reader", script));
    let rehearsed = rehearsal.play();
    assert_eq!(rehearsed.steps(), [Step::Review, Step::Review]);
    let first = rehearsed.results[0].1.outcome.as_ref().unwrap_err();
    insta::assert_snapshot!(first.message, @"the agent's last message has no list of findings in the form that was asked for");
    assert!(matches!(rehearsed.handoff(), Handoff::Approved(_)));
}

#[test]
fn commits_that_someone_pushed_are_reviewed_too() {
    let world = World::start();
    let mut rehearsal = Rehearsal::new(&world, &[("src/lib.rs", BASE)], &[("src/notes.rs", FIXED)]);
    let repo = rehearsal.repo();
    repo.git(&["fetch", "--quiet", "origin"]);
    repo.git(&[
        "checkout",
        "--quiet",
        "--detach",
        "origin/feature/issue-1-notes",
    ]);
    repo.commit_file("src/notes.rs", INJECTION, "Simplify");
    world.push(&repo, crate::rehearsal::BRANCH);
    rehearsal.steps = vec![Step::Review];
    let rehearsed = rehearsal.play();
    assert!(
        matches!(rehearsed.handoff(), Handoff::ChangesRequested(_)),
        "{:?}",
        rehearsed.last()
    );
    assert_eq!(rehearsal.head(), repo.head());
}
