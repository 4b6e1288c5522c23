//! Comments that accept a finding: `baton-ignore: RULE – reason`.
//!
//! On a line of its own the comment applies to the next line of code, otherwise
//! to its own line. `RULE` is a rule's id, its last part, or a class; several
//! are separated by commas. Without a reason nothing is accepted. Findings
//! about tampering are not accepted this way, nor are those of a change by a
//! comment that the same change adds: the author of one could write the other,
//! too.

use std::collections::HashSet;

use crate::engine::UnusedSuppression;
use crate::explained::Fixed;
use crate::finding::{Finding, Kind, Place, Severity};
use crate::report;

const MARK: &str = "baton-ignore:";

/// What starts a comment in the files that are read.
const COMMENTS: [&str; 6] = ["#", "//", "/*", "<!--", "--", ";"];

pub(crate) const WITHOUT_REASON: Fixed = Fixed {
    id: "suppression/without-reason",
    class: "suppression-without-reason",
    kind: Kind::Quality,
    severity: Severity::Medium,
    what: "Suppression without a reason",
    why: "no one can tell later whether it still holds, so it accepts nothing",
    remedy: "Write the reason after a dash: `baton-ignore: RULE – reason`.",
};

struct Suppression<'t> {
    line: u32,
    /// The line that it applies to.
    about: u32,
    rules: Vec<&'t str>,
    has_reason: bool,
    /// The text after the mark.
    comment: &'t str,
    text: &'t str,
}

/// Which comments were there before.
#[derive(Clone, Copy)]
pub(crate) enum Known<'t> {
    /// There is no change.
    All,
    /// Those of this text.
    InBase(&'t str),
}

impl Known<'_> {
    /// The comments by their words, because lines move.
    fn comments(self) -> Option<HashSet<String>> {
        match self {
            Self::All => None,
            Self::InBase(text) => Some(
                text.lines()
                    .filter_map(|line| split_comment(line).map(|(_, comment)| comment.to_owned()))
                    .collect(),
            ),
        }
    }
}

/// Takes accepted findings out, adds one for each comment without a reason, and
/// gives the comments that accepted nothing.
pub(crate) fn apply(
    path: &str,
    text: &str,
    known: Known<'_>,
    findings: &mut Vec<Finding>,
) -> Vec<UnusedSuppression> {
    if !text.contains(MARK) {
        return Vec::new();
    }
    let mut unused = Vec::new();
    let known = known.comments();
    let wrong_lines: HashSet<u32> = findings
        .iter()
        .map(|finding| finding.place.start_line)
        .collect();
    for suppression in suppressions(text) {
        if !suppression.has_reason {
            findings.push(without_reason(path, &suppression));
            continue;
        }
        let is_new = |known: &HashSet<String>| !known.contains(suppression.comment);
        if known.as_ref().is_some_and(is_new) {
            continue;
        }
        for rule in &suppression.rules {
            let before = findings.len();
            if wrong_lines.contains(&suppression.about) {
                findings.retain(|finding| !accepts(&suppression, rule, finding));
            }
            if findings.len() == before {
                unused.push(UnusedSuppression {
                    path: path.to_owned(),
                    line: suppression.line,
                    rule: (*rule).to_owned(),
                });
            }
        }
    }
    unused
}

fn accepts(suppression: &Suppression<'_>, rule: &str, finding: &Finding) -> bool {
    let is_named = || {
        finding.rule == rule
            || finding.class == rule
            || finding.rule.rsplit('/').next() == Some(rule)
    };
    finding.place.start_line == suppression.about && finding.kind != Kind::Tamper && is_named()
}

fn suppressions(text: &str) -> Vec<Suppression<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    // From the end, so that the next line of code is known.
    let mut next_code = None;
    for (index, line) in lines.iter().enumerate().rev() {
        let after = next_code;
        if is_code(line) {
            next_code = Some(index);
        }
        let Some((before, comment)) = split_comment(line) else {
            continue;
        };
        let alone = before.trim().is_empty();
        let about = if alone {
            after.unwrap_or(index + 1)
        } else {
            index
        };
        let (rules, reason) = split_reason(comment);
        let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
        found.push(Suppression {
            line: number(index),
            about: number(about),
            rules: rules
                .split(',')
                .map(str::trim)
                .filter(|rule| !rule.is_empty())
                .collect(),
            has_reason: reason
                .chars()
                .filter(|letter| letter.is_alphabetic())
                .count()
                >= 3,
            comment,
            text: line,
        });
    }
    found.reverse();
    found
}

/// The code before the comment and the comment's text after the mark.
fn split_comment(line: &str) -> Option<(&str, &str)> {
    let at = line.find(MARK)?;
    let before = line[..at].trim_end();
    let start = COMMENTS.iter().find(|start| before.ends_with(**start))?;
    let code = &before[..before.len() - start.len()];
    // Inside a string it is a text like any other.
    let quoted = code.matches('"').count() % 2 == 1 || code.matches('`').count() % 2 == 1;
    let comment = line[at + MARK.len()..]
        .trim()
        .trim_end_matches("*/")
        .trim_end_matches("-->")
        .trim();
    (!quoted).then_some((code.trim_end_matches('/'), comment))
}

/// Rule ids hold hyphens, so a reason follows a dash between blanks.
fn split_reason(comment: &str) -> (&str, &str) {
    [" – ", " — ", " -- ", " - ", ": "]
        .iter()
        .find_map(|dash| comment.split_once(dash))
        .unwrap_or((comment, ""))
}

fn is_code(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.contains(MARK)
}

fn without_reason(path: &str, suppression: &Suppression<'_>) -> Finding {
    let mut finding = [Finding {
        rule: WITHOUT_REASON.id.to_owned(),
        kind: WITHOUT_REASON.kind,
        class: WITHOUT_REASON.class.to_owned(),
        cwe: None,
        severity: WITHOUT_REASON.severity,
        place: Place {
            path: path.to_owned(),
            start_line: suppression.line,
            start_column: 1,
            end_line: suppression.line,
            end_column: 1,
        },
        what: WITHOUT_REASON.what.to_owned(),
        why: WITHOUT_REASON.why.to_owned(),
        remedy: WITHOUT_REASON.remedy.to_owned(),
        trace: Vec::new(),
        excerpt: report::excerpt(suppression.text),
        fingerprint: String::new(),
    }];
    report::fingerprint(&mut finding);
    let [finding] = finding;
    finding
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &str, line: u32) -> Finding {
        let place = Place {
            path: "a.py".to_owned(),
            start_line: line,
            start_column: 1,
            end_line: line,
            end_column: 2,
        };
        Finding {
            rule: rule.to_owned(),
            kind: Kind::Security,
            class: "sql-injection".to_owned(),
            cwe: None,
            severity: Severity::High,
            place,
            what: String::new(),
            why: String::new(),
            remedy: String::new(),
            trace: Vec::new(),
            excerpt: String::new(),
            fingerprint: String::new(),
        }
    }

    fn left(text: &str, rule: &str, line: u32) -> (Vec<String>, usize) {
        let mut findings = vec![finding(rule, line)];
        let unused = apply("a.py", text, Known::All, &mut findings);
        (
            findings.into_iter().map(|finding| finding.rule).collect(),
            unused.len(),
        )
    }

    #[test]
    fn a_comment_with_a_reason_accepts_its_line_or_the_next() {
        let same = "run(q)  # baton-ignore: python/sql-injection – table names are constants\n";
        assert_eq!(left(same, "python/sql-injection", 1), (vec![], 0));
        let above = "# baton-ignore: sql-injection - table names are constants\n\nrun(q)\n";
        assert_eq!(left(above, "python/sql-injection", 3), (vec![], 0));
        let several = "// baton-ignore: xss, sql-injection -- generated by us\nrun(q)\n";
        assert_eq!(left(several, "go/sql-injection", 2), (vec![], 1));
    }

    #[test]
    fn without_a_reason_nothing_is_accepted() {
        let text = "run(q)  # baton-ignore: sql-injection\n";
        let (rules, unused) = left(text, "python/sql-injection", 1);
        assert_eq!(
            rules,
            ["python/sql-injection", "suppression/without-reason"]
        );
        assert_eq!(unused, 0);
    }

    #[test]
    fn what_accepts_nothing_is_unused() {
        let text = "# baton-ignore: xss – the template escapes\nrun(q)\n";
        assert_eq!(
            left(text, "python/sql-injection", 2),
            (vec!["python/sql-injection".to_owned()], 1)
        );
        let last = "# baton-ignore: xss – nothing follows";
        assert_eq!(left(last, "python/sql-injection", 2).1, 1);
    }

    #[test]
    fn strings_are_not_comments() {
        let text = "say(\"# baton-ignore: sql-injection – no comment\")\n";
        assert_eq!(left(text, "python/sql-injection", 1).0.len(), 1);
    }

    #[test]
    fn a_change_does_not_accept_its_own_findings() {
        let text = "run(q)  # baton-ignore: sql-injection – the caller has checked it\n";
        let left = |base: &str| {
            let mut findings = vec![finding("python/sql-injection", 1)];
            apply("a.py", text, Known::InBase(base), &mut findings);
            findings.len()
        };
        assert_eq!(left(""), 1);
        assert_eq!(left("run(q)\n"), 1);
        let moved = format!("\n\n    {text}");
        assert_eq!(left(&moved), 0);
    }

    #[test]
    fn tampering_is_not_accepted() {
        let mut findings = vec![Finding {
            kind: Kind::Tamper,
            ..finding("tamper/test-skipped", 1)
        }];
        let text = "xit('a')  // baton-ignore: tamper/test-skipped – flaky today\n";
        apply("a.js", text, Known::All, &mut findings);
        assert_eq!(findings.len(), 1);
    }
}
