//! What is known of a change as a whole.

use std::collections::{HashMap, HashSet};

use super::Compared;
use crate::engine::is_test_path;
use crate::tamper::inventory::Case;

/// What is known of the change as a whole.
pub(super) struct Change<'a> {
    /// Tests of the head by their name.
    pub(super) after: HashMap<&'a str, Vec<&'a Case>>,
    /// Tests of the head that the base had not, or had with less in them.
    pub(super) grown: Vec<&'a Case>,
    /// Assertions that the head has more of than the base.
    pub(super) moved: HashMap<&'a str, usize>,
    /// Functions and types of product code that are gone.
    pub(super) gone: HashSet<&'a str>,
    /// New functions that assert.
    pub(super) new_checks: HashSet<&'a str>,
    /// Whether product code changed at all.
    pub(super) product: bool,
}

impl<'a> Change<'a> {
    pub(super) fn new(files: &'a [Compared<'a>]) -> Self {
        let mut before: HashMap<&str, Vec<&Case>> = HashMap::new();
        let mut after: HashMap<&str, Vec<&Case>> = HashMap::new();
        let mut moved: HashMap<&str, usize> = HashMap::new();
        let mut kept: HashSet<&str> = HashSet::new();
        for file in files {
            for case in &file.before.cases {
                before.entry(&case.name).or_default().push(case);
            }
            for case in &file.after.cases {
                after.entry(&case.name).or_default().push(case);
            }
            for assertion in &file.after.assertions {
                *moved.entry(&assertion.text).or_default() += 1;
            }
            kept.extend(file.after.definitions.iter().map(String::as_str));
        }
        for assertion in files.iter().flat_map(|file| &file.before.assertions) {
            if let Some(count) = moved.get_mut(assertion.text.as_str()) {
                *count = count.saturating_sub(1);
            }
        }
        let grown = files
            .iter()
            .flat_map(|file| &file.after.cases)
            .filter(|case| {
                before.get(case.name.as_str()).is_none_or(|known| {
                    known
                        .iter()
                        .all(|known| known.words.len() < case.words.len())
                })
            })
            .collect();
        let gone = files
            .iter()
            .filter(|file| !is_test_path(file.both.path))
            .flat_map(|file| &file.before.definitions)
            .map(String::as_str)
            .filter(|name| !kept.contains(name) && name.len() > 2)
            .collect();
        let old_checks: HashSet<_> = files.iter().flat_map(|file| &file.before.checks).collect();
        let new_checks = files
            .iter()
            .flat_map(|file| &file.after.checks)
            .filter(|name| !old_checks.contains(name))
            .map(String::as_str)
            .collect();
        let product = files.iter().any(|file| {
            // With tests in the file of the code itself, this cannot be decided.
            !is_test_path(file.both.path)
        });
        Self {
            after,
            grown,
            moved,
            gone,
            new_checks,
            product,
        }
    }

    /// Whether the test is about code that this change removed.
    pub(super) fn removes_subject_of(&self, words: &HashSet<String>) -> bool {
        words.iter().any(|word| self.gone.contains(word.as_str()))
    }

    /// Whether a test of the head contains everything that this one did: it was a duplicate.
    pub(super) fn repeats(&self, case: &Case) -> bool {
        let says_all = |other: &Case| {
            !is_off(other)
                && case
                    .words
                    .iter()
                    .all(|word| *word == case.name || other.words.contains(word))
                && case.assertions.iter().all(|assertion| {
                    let mut kept = other.assertions.iter();
                    kept.any(|kept| kept.text == assertion.text)
                })
        };
        case.words.len() > 1 && self.after.values().flatten().any(|other| says_all(other))
    }

    /// Whether the tests that are new or larger deal with what this one dealt with.
    pub(super) fn covers(&self, case: &Case) -> bool {
        let all: HashSet<&str> = self
            .grown
            .iter()
            .filter(|grown| !grown.assertions.is_empty() && !is_off(grown))
            .filter(|grown| share(&case.words, &grown.words) >= 0.3)
            .flat_map(|grown| &grown.words)
            .map(String::as_str)
            .collect();
        let found = case
            .words
            .iter()
            .filter(|word| all.contains(word.as_str()))
            .count();
        !case.words.is_empty() && found * 10 >= case.words.len() * 6
    }
}

pub(super) fn is_off(case: &Case) -> bool {
    case.marks
        .skipped
        .as_ref()
        .is_some_and(|skip| !skip.conditional)
}

#[expect(clippy::cast_precision_loss, reason = "bodies are short")]
pub(super) fn share(words: &HashSet<String>, of: &HashSet<String>) -> f64 {
    if words.is_empty() {
        return 0.0;
    }
    words.intersection(of).count() as f64 / words.len() as f64
}
