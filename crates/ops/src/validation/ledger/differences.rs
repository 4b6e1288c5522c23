//! Tests that ought to have run after a change and did not.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use baton_report::cases::{Case, CaseStatus};
use baton_review::Off;

use super::source::{self, Tests};

/// More are counted and not named.
const MAX_NAMED: usize = 20;

/// A test that ought to have run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// It ran before the change, is still there, and does not run any more.
    NoLongerRuns { name: String },
    /// It ran before the change and is skipped now.
    NewlySkipped { name: String },
    /// The change adds it, and it is skipped.
    AddedAndSkipped { name: String, path: String },
    /// The change adds it, and it does not run though others in its place do.
    AddedAndNotRun { name: String, path: String },
    /// The runner names no tests, and counts fewer than before.
    Fewer { before: u64, after: u64 },
    /// Those that are not named one by one.
    More { count: usize },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLongerRuns { name } => write!(
                f,
                "the test `{name}` ran before the change and does not run any more; let it run, or delete it openly"
            ),
            Self::NewlySkipped { name } => write!(
                f,
                "the test `{name}` ran before the change and is skipped now; let it run"
            ),
            Self::AddedAndSkipped { name, path } => write!(
                f,
                "the new test `{name}` ({path}) is skipped, or counts as passed when it fails; let it run"
            ),
            Self::AddedAndNotRun { name, path } => write!(
                f,
                "the new test `{name}` ({path}) does not run; let the test command run it"
            ),
            Self::Fewer { before, after } => write!(
                f,
                "{before} tests ran before the change and {after} run now, although it deletes none; let all of them run"
            ),
            Self::More { count } => write!(f, "and {count} more tests that do not run"),
        }
    }
}

/// What ran before and after a change.
pub(super) struct Ran<'a> {
    pub(super) before: &'a [Case],
    pub(super) after: &'a [Case],
    pub(super) counted_before: Option<u64>,
    pub(super) counted_after: u64,
}

pub(super) fn between(ran: &Ran<'_>, tests: &Tests, folder: &Path) -> Vec<Difference> {
    let mut differences = if ran.after.is_empty() {
        fewer(ran, tests).into_iter().collect()
    } else {
        let mut found = gone(ran, tests);
        found.extend(not_run(ran, tests, folder));
        found
    };
    let count = differences.len().saturating_sub(MAX_NAMED);
    if count > 0 {
        differences.truncate(MAX_NAMED);
        differences.push(Difference::More { count });
    }
    differences
}

fn fewer(ran: &Ran<'_>, tests: &Tests) -> Option<Difference> {
    let before = ran.counted_before?;
    let after = ran.counted_after;
    let removed = tests.removed.len() as u64;
    (after.saturating_add(removed) < before).then_some(Difference::Fewer { before, after })
}

/// What ran before and has no counterpart now.
fn gone(ran: &Ran<'_>, tests: &Tests) -> Vec<Difference> {
    let after = Keys::from_cases(ran.after);
    let before = Keys::from_cases(ran.before);
    let is_new = |key: &&String| !before.ran.contains_key(*key);
    let moved: BTreeSet<&str> = after
        .ran
        .keys()
        .filter(is_new)
        .map(|key| leaf(key))
        .collect();
    let mut differences = Vec::new();
    for (key, name) in &before.ran {
        if after.ran.contains_key(key) {
            continue;
        }
        let name = name.clone();
        if after.skipped.contains_key(key) {
            differences.push(Difference::NewlySkipped { name });
        } else if !moved.contains(leaf(key)) && !tests.removed.iter().any(|one| has(&name, one)) {
            differences.push(Difference::NoLongerRuns { name });
        }
    }
    differences
}

/// What was added and did not run.
fn not_run(ran: &Ran<'_>, tests: &Tests, folder: &Path) -> Vec<Difference> {
    let of = |name: &str, is: fn(CaseStatus) -> bool| {
        let mut cases = ran.after.iter();
        cases.any(|case| is(case.status) && is_of(case, name))
    };
    let mut differences = Vec::new();
    for test in &tests.added {
        // A name with a placeholder becomes others when it runs.
        let is_pattern = test.name.contains(['$', '%', '#', '{']);
        if is_pattern || of(&test.name, |status| status != CaseStatus::Skipped) {
            continue;
        }
        let (name, path) = (test.name.clone(), test.path.clone());
        if test.off == Off::Sometimes {
            continue;
        }
        let is_skipped = of(&test.name, |status| status == CaseStatus::Skipped);
        if is_skipped || test.off == Off::Always {
            differences.push(Difference::AddedAndSkipped { name, path });
            continue;
        }
        // Where nothing runs, the project does not run such tests this way.
        let neighbours = source::neighbours(folder, &test.path);
        let mut cases = ran.before.iter().chain(ran.after);
        if cases.any(|case| neighbours.iter().any(|one| is_of(case, one))) {
            differences.push(Difference::AddedAndNotRun { name, path });
        }
    }
    differences
}

/// Whether this is a run of the test with that name in the source.
pub(super) fn is_of(case: &Case, name: &str) -> bool {
    has(&case.name, name)
}

/// Whether the name stands in the text as a whole.
fn has(text: &str, name: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut places = text.match_indices(name);
    places.any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + name.len()..].chars().next();
        !before.is_some_and(is_word) && !behind.is_some_and(is_word)
    })
}

/// Tests by what stays the same of their names from run to run.
struct Keys {
    ran: BTreeMap<String, String>,
    skipped: BTreeMap<String, String>,
}

impl Keys {
    fn from_cases(cases: &[Case]) -> Self {
        let (mut ran, mut skipped) = (BTreeMap::new(), BTreeMap::new());
        for case in cases {
            let keys = match case.status {
                CaseStatus::Passed | CaseStatus::Failed => &mut ran,
                CaseStatus::Skipped => &mut skipped,
            };
            keys.entry(key(&case.name))
                .or_insert_with(|| case.name.clone());
        }
        Self { ran, skipped }
    }
}

/// Numbers may count parameters, lines or moments; several tests that differ in
/// nothing else are one here.
fn key(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    for letter in name.chars() {
        if !letter.is_ascii_digit() {
            key.push(letter);
        } else if !key.ends_with('0') {
            key.push('0');
        }
    }
    key
}

/// The innermost part of a name: the test without what is around it.
fn leaf(name: &str) -> &str {
    // `test_a (module.Class.test_a)` of unittest
    let name = name.split(" (").next().unwrap_or(name);
    let innermost = name.rsplit("::").next().unwrap_or(name);
    let innermost = innermost.rsplit(" > ").next().unwrap_or(innermost);
    innermost.rsplit(['#', ' ']).next().unwrap_or(innermost)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::source::Added;
    use super::*;

    fn cases(text: &str) -> Vec<Case> {
        let one = |line: &str| {
            let (mark, name) = line.trim().split_once(' ').unwrap();
            let status = match mark {
                "+" => CaseStatus::Passed,
                "-" => CaseStatus::Failed,
                _ => CaseStatus::Skipped,
            };
            Case {
                name: name.to_owned(),
                status,
            }
        };
        text.split('\n')
            .filter(|line| !line.trim().is_empty())
            .map(one)
            .collect()
    }

    fn told(before: &str, after: &str, tests: &Tests, folder: &Path) -> Vec<String> {
        let (before, after) = (cases(before), cases(after));
        let ran = Ran {
            counted_before: Some(before.len() as u64),
            counted_after: after.len() as u64,
            before: &before,
            after: &after,
        };
        let found = between(&ran, tests, folder);
        found.iter().map(ToString::to_string).collect()
    }

    fn added(path: &str, name: &str) -> Tests {
        Tests {
            added: vec![Added {
                path: path.to_owned(),
                name: name.to_owned(),
                off: Off::No,
            }],
            ..Tests::default()
        }
    }

    #[test]
    fn what_ran_before_has_to_run_still() {
        let none = Tests::default();
        let here = Path::new("/nonexistent");
        let before = "+ m::test_a\n+ m::test_b[1]\n+ m::test_b[2]\n- m::test_c";
        assert!(told(before, before, &none, here).is_empty());
        insta::assert_snapshot!(
            told(before, "+ m::test_a\n~ m::test_c", &none, here).join("\n"),
            @r"
        the test `m::test_b[1]` ran before the change and does not run any more; let it run, or delete it openly
        the test `m::test_c` ran before the change and is skipped now; let it run
        "
        );
        // Other parameters, another module and another line are no difference.
        let after = "+ m::test_a\n+ m::test_b[7]\n+ n::test_c";
        assert!(told(before, after, &none, here).is_empty());
        let doc = "+ doc-tests x src/lib.rs - total (line 3)";
        let moved = "+ doc-tests x src/lib.rs - total (line 33)";
        assert!(told(doc, moved, &none, here).is_empty());
    }

    #[test]
    fn what_is_deleted_openly_is_left_to_the_review() {
        let tests = Tests {
            removed: BTreeSet::from(["test_c".to_owned()]),
            ..Tests::default()
        };
        let here = Path::new("/nonexistent");
        let left = told("+ m::test_a\n+ m::test_c", "+ m::test_a", &tests, here);
        assert!(left.is_empty());
        let other = told("+ m::test_a\n+ m::test_cd", "+ m::test_a", &tests, here);
        assert_eq!(other.len(), 1);
    }

    #[test]
    fn what_is_added_has_to_run() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tests")).unwrap();
        let source = "def test_a():\n    assert f()\n\ndef test_new():\n    assert g()\n";
        fs::write(folder.path().join("tests/test_m.py"), source).unwrap();
        let tests = added("tests/test_m.py", "test_new");
        let before = "+ tests.test_m::test_a";
        let ok = "+ tests.test_m::test_a\n+ tests.test_m::test_new[1]";
        assert!(told(before, ok, &tests, folder.path()).is_empty());
        insta::assert_snapshot!(
            told(before, before, &tests, folder.path()).join("\n"),
            @"the new test `test_new` (tests/test_m.py) does not run; let the test command run it"
        );
        let skipped = "+ tests.test_m::test_a\n~ tests.test_m::test_new";
        insta::assert_snapshot!(
            told(before, skipped, &tests, folder.path()).join("\n"),
            @"the new test `test_new` (tests/test_m.py) is skipped, or counts as passed when it fails; let it run"
        );
        // Nothing of that folder runs: it is tested in another way.
        fs::create_dir(folder.path().join("e2e")).unwrap();
        fs::write(folder.path().join("e2e/test_e.py"), "def test_e(): pass\n").unwrap();
        let tests = added("e2e/test_e.py", "test_e");
        assert!(told(before, before, &tests, folder.path()).is_empty());
    }

    #[test]
    fn a_runner_without_names_is_counted() {
        let none = Tests::default();
        let ran = |after| Ran {
            before: &[],
            after: &[],
            counted_before: Some(3),
            counted_after: after,
        };
        let here = Path::new("/");
        assert!(between(&ran(3), &none, here).is_empty());
        assert_eq!(
            between(&ran(2), &none, here),
            [Difference::Fewer {
                before: 3,
                after: 2
            }]
        );
        let removes = Tests {
            removed: BTreeSet::from(["test_c".to_owned()]),
            ..Tests::default()
        };
        assert!(between(&ran(2), &removes, here).is_empty());
    }
}
