//! Tests deleted, switched off or asked for less.

use std::collections::{HashMap, HashSet};

use super::assertion::{Assertion, Strength};
use super::inventory::{self, Case, Inventory};
use super::{Both, Rule, Sign, line_at};
use crate::engine::{ChangedFile, is_test_path};
use crate::finding::Severity;
use crate::language::Language;

static DELETED: Rule = Rule {
    id: "tamper/test-deleted",
    class: "test-deleted",
    why: "what it checked is checked nowhere else in this change",
    remedy: "Restore the test, or say in the change why it is no longer needed.",
};
static SKIPPED: Rule = Rule {
    id: "tamper/test-skipped",
    class: "test-skipped",
    why: "a test that does not run cannot fail",
    remedy: "Repair the code or the test, and let it run.",
};
static FOCUSED: Rule = Rule {
    id: "tamper/test-focused",
    class: "test-skipped",
    why: "all other tests are left out while one is focused",
    remedy: "Remove the focus.",
};
static EXPECTED_TO_FAIL: Rule = Rule {
    id: "tamper/test-expected-to-fail",
    class: "test-skipped",
    why: "its failure counts as success now",
    remedy: "Repair the code, so that the test passes by itself.",
};
static REMOVED: Rule = Rule {
    id: "tamper/assertion-removed",
    class: "assertion-weakened",
    why: "the test passes with results that would have failed it before",
    remedy: "Restore what was asserted, or say in the change why it no longer holds.",
};
static WEAKENED: Rule = Rule {
    id: "tamper/assertion-weakened",
    class: "assertion-weakened",
    why: "the test passes with results that would have failed it before",
    remedy: "Assert the exact result again.",
};
static EXPECTATION: Rule = Rule {
    id: "tamper/expectation-edited",
    class: "assertion-weakened",
    why: "the code under test did not change, so the test was fitted to what it returns",
    remedy: "Check which of the two is right: the old expectation or the code.",
};

/// A file is a test file or product code, before and after.
struct Compared<'a> {
    both: Both<'a>,
    before: Inventory,
    after: Inventory,
}

pub(super) fn signs(files: &[ChangedFile<'_>]) -> Vec<Sign> {
    let compared: Vec<_> = files
        .iter()
        .filter(|file| Language::of_path(file.path).is_some())
        .filter_map(|file| {
            let both = Both::of(file)?;
            let read = |text: Option<&str>| {
                text.map(|text| inventory::of(both.path, text.as_bytes()))
                    .unwrap_or_default()
            };
            let (before, after) = (read(both.before), read(both.after));
            Some(Compared {
                both,
                before,
                after,
            })
        })
        .collect();
    let change = Change::of(&compared);
    let mut signs = Vec::new();
    for file in &compared {
        file_signs(file, &change, &mut signs);
    }
    signs
}

/// What is known of the change as a whole.
struct Change<'a> {
    /// Tests of the head by their name.
    after: HashMap<&'a str, Vec<&'a Case>>,
    /// Tests of the head that the base had not, or had with less in them.
    grown: Vec<&'a Case>,
    /// Assertions that the head has more of than the base.
    moved: HashMap<&'a str, usize>,
    /// Functions and types of product code that are gone.
    gone: HashSet<&'a str>,
    /// New functions that assert.
    new_checks: HashSet<&'a str>,
    /// Whether product code changed at all.
    product: bool,
}

impl<'a> Change<'a> {
    fn of(files: &'a [Compared<'a>]) -> Self {
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
            // Tests in the file of the code itself leave no way to tell.
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
    fn removes_subject_of(&self, words: &HashSet<String>) -> bool {
        words.iter().any(|word| self.gone.contains(word.as_str()))
    }

    /// Whether the tests that are new or larger deal with what this one dealt with.
    fn covers(&self, case: &Case) -> bool {
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
        let asserted = case
            .assertions
            .iter()
            .all(|assertion| assertion.strength == Strength::Nothing || !self.grown.is_empty());
        !case.words.is_empty() && asserted && found * 10 >= case.words.len() * 6
    }
}

fn is_off(case: &Case) -> bool {
    case.marks
        .skipped
        .as_ref()
        .is_some_and(|skip| !skip.conditional)
}

#[expect(clippy::cast_precision_loss, reason = "bodies are short")]
fn share(words: &HashSet<String>, of: &HashSet<String>) -> f64 {
    if words.is_empty() {
        return 0.0;
    }
    words.intersection(of).count() as f64 / words.len() as f64
}

fn file_signs(file: &Compared<'_>, change: &Change<'_>, signs: &mut Vec<Sign>) {
    let mut deleted = Vec::new();
    let mut matched: HashSet<*const Case> = HashSet::new();
    for case in &file.before.cases {
        match counterpart(case, &file.after, change, &matched) {
            Some(after) => {
                matched.insert(std::ptr::from_ref(after));
                if file.after.cases.iter().any(|own| std::ptr::eq(own, after)) {
                    running(file, case, after, signs);
                    asserting(file, case, after, change, signs);
                }
            }
            None if !is_off(case)
                && !change.removes_subject_of(&case.words)
                && !change.covers(case) =>
            {
                deleted.push(case);
            }
            None => {}
        }
    }
    deletions(file, &deleted, signs);
    focused_anew(file, signs);
}

/// The same test in the head: in the same file and suite, else in the same
/// file, else anywhere in the change.
fn counterpart<'c>(
    case: &Case,
    own: &'c Inventory,
    change: &Change<'c>,
    matched: &HashSet<*const Case>,
) -> Option<&'c Case> {
    let same_name =
        |other: &&Case| other.name == case.name && !matched.contains(&std::ptr::from_ref(*other));
    let mut here = own.cases.iter().filter(same_name);
    own.cases
        .iter()
        .filter(same_name)
        .find(|other| other.suites == case.suites)
        .or_else(|| here.next())
        .or_else(|| {
            let elsewhere = change.after.get(case.name.as_str())?;
            elsewhere
                .iter()
                .copied()
                .find(|other| other.suites == case.suites)
                .or_else(|| {
                    elsewhere
                        .iter()
                        .copied()
                        .find(|other| share(&case.words, &other.words) >= 0.4)
                })
        })
}

/// A file that is deleted is one finding, however many tests it had.
fn deletions(file: &Compared<'_>, deleted: &[&Case], signs: &mut Vec<Sign>) {
    let before = file.both.before.unwrap_or("");
    if file.both.after.is_none() {
        if let Some(first) = deleted.first() {
            let what = match deleted.len() {
                1 => format!("Test file deleted with its test {}", shown(first)),
                count => format!("Test file deleted with {count} tests"),
            };
            signs.push(
                Sign::new(&DELETED, file.both.path, 1, what).showing(line_at(before, first.line)),
            );
        }
        return;
    }
    for case in deleted {
        let what = format!("Test {} deleted", shown(case));
        let last = file
            .both
            .after
            .map_or(1, |text| text.lines().count().max(1));
        let line = case.line.min(u32::try_from(last).unwrap_or(u32::MAX));
        signs.push(
            Sign::new(&DELETED, file.both.path, line, what).showing(line_at(before, case.line)),
        );
    }
}

/// Whether the test still runs.
fn running(file: &Compared<'_>, before: &Case, after: &Case, signs: &mut Vec<Sign>) {
    let text = file.both.after.unwrap_or("");
    let mut say = |rule: &'static Rule, line: u32, severity: Severity, what: String| {
        let sign = Sign::new(rule, file.both.path, line, what);
        signs.push(sign.at(severity).showing(line_at(text, line)));
    };
    match (&before.marks.skipped, &after.marks.skipped) {
        (None, Some(skip)) if skip.conditional => {
            let what = format!("Test {} skipped under a condition", shown(after));
            say(&SKIPPED, skip.line, Severity::Medium, what);
        }
        (None, Some(skip)) => say(
            &SKIPPED,
            skip.line,
            Severity::High,
            format!("Test {} skipped", shown(after)),
        ),
        (Some(old), Some(skip)) if old.conditional && !skip.conditional => {
            say(
                &SKIPPED,
                skip.line,
                Severity::High,
                format!("Test {} skipped always", shown(after)),
            );
        }
        _ => {}
    }
    if let (None, Some(line)) = (before.marks.expected_to_fail, after.marks.expected_to_fail) {
        say(
            &EXPECTED_TO_FAIL,
            line,
            Severity::High,
            format!("Test {} expected to fail", shown(after)),
        );
    }
    if let (None, Some(line)) = (before.returns_early, after.returns_early)
        && !after.assertions.is_empty()
    {
        say(
            &SKIPPED,
            line,
            Severity::High,
            format!("Test {} returns before its assertions", shown(after)),
        );
    }
}

/// Focus is never meant to be committed, whether the test is new or not.
fn focused_anew(file: &Compared<'_>, signs: &mut Vec<Sign>) {
    let focused = |inventory: &Inventory| {
        let lines = inventory.cases.iter().filter_map(|case| case.marks.focused);
        lines.collect::<HashSet<_>>()
    };
    if !focused(&file.before).is_empty() {
        return;
    }
    let mut lines: Vec<_> = focused(&file.after).into_iter().collect();
    lines.sort_unstable();
    for line in lines {
        let excerpt = line_at(file.both.after.unwrap_or(""), line);
        let what = "Test focused".to_owned();
        signs.push(Sign::new(&FOCUSED, file.both.path, line, what).showing(excerpt));
    }
}

/// Whether the test still asks for as much.
fn asserting(
    file: &Compared<'_>,
    before: &Case,
    after: &Case,
    change: &Change<'_>,
    signs: &mut Vec<Sign>,
) {
    let (removed, mut added) = difference(&before.assertions, &after.assertions);
    let text = file.both.after.unwrap_or("");
    let mut say = |rule: &'static Rule, line: u32, severity: Severity, what: String| {
        let sign = Sign::new(rule, file.both.path, line, what);
        signs.push(sign.at(severity).showing(line_at(text, line)));
    };
    let mut lost = Vec::new();
    for assertion in removed {
        let counterpart = best_counterpart(assertion, &added);
        let Some(position) = counterpart else {
            lost.push(assertion);
            continue;
        };
        let new = added.remove(position);
        if new.strength < assertion.strength {
            say(
                &WEAKENED,
                new.line,
                Severity::High,
                weakened(after, assertion, new),
            );
        } else if let (Some(old), Some(wide)) = (assertion.tolerance(), new.tolerance())
            && wide > old
        {
            let what = format!("Tolerance of an assertion of {} enlarged", shown(after));
            say(&WEAKENED, new.line, Severity::High, what);
        } else if !change.product
            && let Some(changed) = assertion.changed_literals(new)
        {
            let (old, now) = changed[0];
            let what = format!(
                "Expected value of {} changed from {} to {}",
                shown(after),
                short(old),
                short(now)
            );
            say(&EXPECTATION, new.line, Severity::Medium, what);
        }
    }
    added.retain(|assertion| {
        let empty = assertion.strength == Strength::Nothing;
        if empty && !lost.is_empty() {
            let what = format!(
                "Assertion of {} replaced by one that cannot fail",
                shown(after)
            );
            say(&WEAKENED, assertion.line, Severity::High, what);
            lost.pop();
        }
        !empty
    });
    lost.retain(|assertion| !is_elsewhere(assertion, before, after, change));
    let delegates = after
        .words
        .iter()
        .any(|word| change.new_checks.contains(word.as_str()) && !before.words.contains(word));
    if lost.len() > added.len() && !delegates && !is_off(after) {
        let count = lost.len() - added.len();
        let what = match (count, after.assertions.is_empty()) {
            (_, true) => format!("All assertions of {} removed", shown(after)),
            (1, _) => format!(
                "Assertion of {} removed: {}",
                shown(after),
                short(&lost[0].text)
            ),
            (count, _) => format!("{count} assertions of {} removed", shown(after)),
        };
        signs.push(Sign::new(&REMOVED, file.both.path, after.line, what).showing(&lost[0].text));
    }
}

/// Multiset difference by text: what is only before, what is only after.
fn difference<'c>(
    before: &'c [Assertion],
    after: &'c [Assertion],
) -> (Vec<&'c Assertion>, Vec<&'c Assertion>) {
    let mut added: Vec<_> = after.iter().collect();
    let mut removed = Vec::new();
    for assertion in before {
        match added.iter().position(|new| new.text == assertion.text) {
            Some(position) => {
                added.remove(position);
            }
            None => removed.push(assertion),
        }
    }
    (removed, added)
}

/// The one that looks at the same thing, preferably in the same way.
fn best_counterpart(assertion: &Assertion, added: &[&Assertion]) -> Option<usize> {
    let same_subject = |new: &&Assertion| assertion.shares_subject(new);
    added
        .iter()
        .position(|new| new.matcher == assertion.matcher && same_subject(new))
        .or_else(|| added.iter().position(same_subject))
        .or_else(|| {
            added.iter().position(|new| {
                assertion.changed_literals(new).is_some() && new.strength == assertion.strength
            })
        })
}

/// Moved to another test or a function, about code that is gone, or one of
/// several that became a table.
fn is_elsewhere(assertion: &Assertion, before: &Case, after: &Case, change: &Change<'_>) -> bool {
    let moved = change
        .moved
        .get(assertion.text.as_str())
        .is_some_and(|count| *count > 0);
    let words: HashSet<String> = assertion
        .text
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let in_table = became_a_table(before, after) && {
        let said: HashSet<String> = after
            .words
            .iter()
            .flat_map(|word| {
                word.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            })
            .map(str::to_owned)
            .collect();
        share(&words, &said) >= 0.7
            && after
                .assertions
                .iter()
                .any(|kept| kept.strength >= assertion.strength)
    };
    moved || change.removes_subject_of(&words) || in_table
}

/// The same assertions for many values, where they were written out before.
fn became_a_table(before: &Case, after: &Case) -> bool {
    let tables = [
        "each",
        "forEach",
        "parametrize",
        "subTest",
        "rstest",
        "case",
        "test_case",
        "ParameterizedTest",
        "CsvSource",
        "MethodSource",
        "ValueSource",
        "every",
        "iter",
    ];
    let new_table = tables
        .iter()
        .any(|word| after.words.contains(*word) && !before.words.contains(*word));
    !after.assertions.is_empty() && (after.loops > before.loops || new_table)
}

fn weakened(case: &Case, before: &Assertion, after: &Assertion) -> String {
    match after.strength {
        Strength::Nothing => format!("Assertion of {} cannot fail any more", shown(case)),
        _ => format!(
            "Assertion of {} weakened from {} to {}",
            shown(case),
            short(&before.text),
            short(&after.text)
        ),
    }
}

fn shown(case: &Case) -> String {
    short(&case.name)
}

/// A piece of foreign text within a sentence.
fn short(text: &str) -> String {
    let clean: String = text
        .chars()
        .filter(|letter| !letter.is_control())
        .take(61)
        .collect();
    if clean.chars().count() > 60 {
        let cut: String = clean.chars().take(60).collect();
        return format!("`{cut}…`");
    }
    format!("`{clean}`")
}
