//! Findings about tests and gates that the issue itself asks for.

use baton_review::{Finding, Kind};

use crate::{AgentStep, handoffs};

/// Whether a finding of what weakens tests or gates is what the issue is about:
/// it names the file, or the test. Its words are those of the person who asked.
pub(crate) fn is_asked_for(step: &AgentStep<'_>, finding: &Finding) -> bool {
    let Ok(issue) = handoffs::issue(step) else {
        return false;
    };
    let texts = issue.requirements.iter().chain([&issue.issue_title]);
    let texts: Vec<&str> = texts.map(|text| &**text).collect();
    names(&texts, finding)
}

fn names(texts: &[&str], finding: &Finding) -> bool {
    if finding.kind != Kind::Tamper {
        return false;
    }
    let path = finding.place.path.as_str();
    let file = path.rsplit('/').next().unwrap_or(path);
    // `Test `a` deleted`: what stands between the marks.
    let named = finding.what.split('`').nth(1).unwrap_or_default();
    let has = |name: &str| {
        name.len() > 3
            && texts
                .iter()
                .any(|text| words(text).any(|word| word == name))
    };
    has(path) || has(file) || has(named)
}

/// With what may be part of a path or a name.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || "_-./".contains(c);
    text.split(move |c: char| !is_part(c))
        .map(|word| word.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use baton_review::{Place, Severity};

    use super::*;

    fn finding(kind: Kind, path: &str, what: &str) -> Finding {
        Finding {
            rule: "tamper/tests-steered".to_owned(),
            kind,
            class: String::new(),
            cwe: None,
            severity: Severity::High,
            place: Place {
                path: path.to_owned(),
                start_line: 1,
                start_column: 1,
                end_line: 1,
                end_column: 1,
            },
            what: what.to_owned(),
            why: String::new(),
            remedy: String::new(),
            trace: Vec::new(),
            excerpt: String::new(),
            fingerprint: String::new(),
        }
    }

    #[test]
    fn an_issue_names_the_file_or_the_test() {
        let script = finding(
            Kind::Tamper,
            "package.json",
            "Script `test` leaves tests out",
        );
        assert!(names(&["Run only unit tests in package.json."], &script));
        assert!(!names(&["Run only unit tests"], &script));
        let deleted = finding(Kind::Tamper, "tests/test_a.py", "Test `test_old` deleted");
        assert!(names(&["Delete test_old, which is out of date"], &deleted));
        assert!(!names(&["Delete test_older"], &deleted));
        let flaw = finding(Kind::Security, "package.json", "Secret");
        assert!(!names(&["Repair package.json"], &flaw));
    }
}
