//! Whether tests still assert as much as before.

use std::collections::HashSet;

use super::change::{Change, is_off, share};
use super::{Compared, display_name, short};
use crate::finding::Severity;
use crate::tamper::assertion::{Assertion, Strength};
use crate::tamper::inventory::Case;
use crate::tamper::{Rule, Sign, line_at};

pub(in crate::tamper) static REMOVED: Rule = Rule {
    id: "tamper/assertion-removed",
    class: "assertion-weakened",
    what: "Assertion removed",
    why: "the test passes with results that would have failed it before",
    remedy: "Restore what was asserted, or say in the change why it no longer holds.",
};
pub(in crate::tamper) static WEAKENED: Rule = Rule {
    id: "tamper/assertion-weakened",
    class: "assertion-weakened",
    what: "Assertion weakened",
    why: "the test passes with results that would have failed it before",
    remedy: "Assert the exact result again.",
};
pub(in crate::tamper) static EXPECTATION: Rule = Rule {
    id: "tamper/expectation-edited",
    class: "assertion-weakened",
    what: "Expected result of a test edited",
    why: "the code under test did not change, so the test was fitted to what it returns",
    remedy: "Check which of the two is right: the old expectation or the code.",
};

/// Whether the test still asks for as much.
pub(super) fn asserting(
    file: &Compared<'_>,
    before: &Case,
    after: &Case,
    change: &Change<'_>,
    signs: &mut Vec<Sign>,
) {
    let text = file.both.after.unwrap_or("");
    let say = |rule: &'static Rule, line: u32, what: String| {
        Sign::new(rule, file.both.path, line, what).showing(line_at(text, line))
    };
    let (removed, mut added) = difference(&before.assertions, &after.assertions);
    let mut lost = Vec::new();
    for assertion in removed {
        let Some(position) = best_counterpart(assertion, &added) else {
            lost.push(assertion);
            continue;
        };
        let new = added.remove(position);
        let laxer = made_laxer(assertion, new, after);
        if let Some(what) = laxer {
            signs.push(say(&WEAKENED, new.line, what));
        } else if let Some(what) = fitted(assertion, new, after, change) {
            signs.push(say(&EXPECTATION, new.line, what).at(Severity::Medium));
        }
    }
    added.retain(|assertion| {
        let empty = assertion.strength == Strength::Nothing;
        if empty && lost.pop().is_some() {
            let name = display_name(after);
            let what = format!("Assertion of {name} replaced by one that cannot fail");
            signs.push(say(&WEAKENED, assertion.line, what));
        }
        !empty
    });
    lost.retain(|assertion| !is_elsewhere(assertion, before, after, change));
    if lost.len() > added.len() && !delegates(before, after, change) && !is_off(after) {
        let what = removed_in_words(after, &lost, lost.len() - added.len());
        let sign = Sign::new(&REMOVED, file.both.path, after.line, what);
        signs.push(sign.showing(&lost[0].text));
    }
}

/// How an assertion that looks at the same thing asks for less.
fn made_laxer(before: &Assertion, after: &Assertion, case: &Case) -> Option<String> {
    if after.strength < before.strength {
        return Some(weakened(case, before, after));
    }
    let wider = after.tolerance()? > before.tolerance()?;
    wider.then(|| {
        format!(
            "Tolerance of an assertion of {} enlarged",
            display_name(case)
        )
    })
}

/// Another value is expected of the same code.
fn fitted(
    before: &Assertion,
    after: &Assertion,
    case: &Case,
    change: &Change<'_>,
) -> Option<String> {
    if change.product {
        return None;
    }
    let changed = before.changed_literals(after)?;
    let (old, now) = changed.first()?;
    Some(format!(
        "Expected value of {} changed from {} to {}",
        display_name(case),
        short(old),
        short(now)
    ))
}

/// Whether a new function asserts in its place.
fn delegates(before: &Case, after: &Case, change: &Change<'_>) -> bool {
    after
        .words
        .iter()
        .any(|word| change.new_checks.contains(word.as_str()) && !before.words.contains(word))
}

fn removed_in_words(case: &Case, lost: &[&Assertion], count: usize) -> String {
    let name = display_name(case);
    match (count, case.assertions.is_empty()) {
        (_, true) => format!("All assertions of {name} removed"),
        (1, _) => format!("Assertion of {name} removed: {}", short(&lost[0].text)),
        (count, _) => format!("{count} assertions of {name} removed"),
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
        let words_after: HashSet<String> = after
            .words
            .iter()
            .flat_map(|word| {
                word.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            })
            .map(str::to_owned)
            .collect();
        share(&words, &words_after) >= 0.7
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
        Strength::Nothing => format!("Assertion of {} cannot fail any more", display_name(case)),
        _ => format!(
            "Assertion of {} weakened from {} to {}",
            display_name(case),
            short(&before.text),
            short(&after.text)
        ),
    }
}
