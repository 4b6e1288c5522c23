//! What the coding agent is told, and what it may say back.

use std::fmt::Write as _;

use baton_workflow::Guidance;

use super::work::Work;
use crate::Errand;
use crate::foreign_text::{fenced, one_line};
use crate::said_json;
use crate::validator::kinds;
use crate::workspace::Workspace;

const RULES: &str = "\
Rules:
- Change what causes the trouble, and as little else as possible.
- Never delete, skip or weaken a test, an assertion, a lint rule, a threshold or the configuration of CI. That is looked for, and such a fix does not count.
- Work in this folder only. Commits are welcome, with a subject such as `fix: …`; do not push, do not change commits that are there, do not switch branches.
- Build, and run the tests, before you end.
";

const DECLINING: &str = r#"
A finding that is wrong may be declined instead, for a reason that a person can check. Then end with one JSON object, with the numbers of the findings:

{"declined": [{"finding": 2, "reason": "why it needs no change"}]}
"#;

pub(super) fn of(errand: &Errand<'_>, workspace: &Workspace, work: &Work<'_>) -> String {
    let mut prompt = match work {
        Work::Findings(_) => "A review of the branch that is checked out here found what has to be fixed before it can be merged.\n\n".to_owned(),
        Work::Failures(_) => "The branch that is checked out here cannot be merged before what fails is mended.\n\n".to_owned(),
    };
    prompt.push_str(&fenced(
        "What the branch is for",
        &errand.call.state.start().goal.request,
    ));
    prompt.push('\n');
    let mut list = String::new();
    for (index, finding) in work.findings().iter().enumerate() {
        let place = finding.location.as_ref().map_or("", |place| place.as_str());
        let severity = finding
            .severity
            .word()
            .map_or("important", baton_protocol::handoff::Vocabulary::word);
        let words = one_line(&finding.description, 2_000);
        writeln!(list, "{}. {severity}, {place}: {words}", index + 1).expect("a string takes it");
    }
    for failure in work.failures() {
        let words = one_line(&failure.description, 2_000);
        writeln!(list, "- {}: {words}", failure.failure_type).expect("a string takes it");
    }
    prompt.push_str(&fenced("What has to be dealt with", &list));
    prompt.push('\n');
    if work.has(kinds::CONFLICT) {
        writeln!(
            prompt,
            "A merge of {} is under way in this folder. Resolve every conflict so that both sides keep what they do, and leave no conflict markers. Do not abort the merge.\n",
            one_line(&workspace.base, 200)
        )
        .expect("a string takes it");
    }
    for guidance in errand.call.guidance() {
        let (what, text) = match guidance {
            Guidance::Failure(message) => ("An earlier try did not count", message.as_str()),
            Guidance::Answer(answer) => match &answer.comment {
                Some(comment) => ("A person said", comment.as_str()),
                None => ("A person said", "Deal with it all the same."),
            },
        };
        prompt.push_str(&fenced(what, text));
        prompt.push('\n');
    }
    prompt.push_str(RULES);
    if !work.findings().is_empty() {
        prompt.push_str(DECLINING);
    }
    prompt
}

/// The findings that the agent declines, from zero on, each with its reason.
pub(super) fn declined(message: &str, findings: usize) -> Vec<(usize, String)> {
    let Some(said) = said_json::last_object(message, "declined") else {
        return Vec::new();
    };
    let declined = said["declined"].as_array().cloned().unwrap_or_default();
    let mut read: Vec<(usize, String)> = Vec::new();
    for one in &declined {
        let number = one["finding"]
            .as_u64()
            .and_then(|number| usize::try_from(number).ok());
        let index = number.and_then(|number| number.checked_sub(1));
        let reason = one_line(one["reason"].as_str().unwrap_or_default(), 1_000);
        if let Some(index) = index.filter(|index| *index < findings)
            && !reason.is_empty()
            && !read.iter().any(|(known, _)| *known == index)
        {
            read.push((index, reason));
        }
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_findings_that_are_there_are_declined_and_only_with_a_reason() {
        let said = "Done.\n{\"declined\": [{\"finding\": 2, \"reason\": \"a\\nconstant\"}, {\"finding\": 1, \"reason\": \" \"}, {\"finding\": 3, \"reason\": \"x\"}, {\"finding\": 0, \"reason\": \"x\"}, 4]}";
        assert_eq!(declined(said, 2), [(1, "a constant".to_owned())]);
        assert_eq!(declined("no", 2), []);
    }
}
