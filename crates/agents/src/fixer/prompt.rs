//! What the coding agent is told, and what it may say back.

use baton_protocol::handoff::{Location, Severity};
use baton_workflow::Guidance;

use super::work::Work;
use crate::AgentStep;
use crate::step_error::StepError;
use crate::fence;
use crate::foreign_text::one_line;
use crate::prompt_parts;
use crate::trailing_json;
use crate::validator::kinds;
use crate::workspace::Workspace;

const RULES: &str = "\
Rules:
- Change what causes the trouble, and as little else as possible.
- Write code as the rest of the repository does, and as its conventions say.
- Never delete, skip or weaken a test, an assertion, a lint rule, a threshold or the configuration of CI. That is looked for, and such a fix does not count.
- Work in this folder only. Commits are welcome, with a subject such as `fix: …`; do not push, do not change commits that are there, do not switch branches.
- Build, and run the tests, before you end.";

const DECLINING: &str = r#"A finding that is wrong may be declined instead, for a reason that a person can check. Then end with one JSON object, with the numbers of the findings:

{"declined": [{"finding": 2, "reason": "why it needs no change"}]}
"#;

/// As much of a foreign text as an agent is given.
const MAX_LEN: usize = 40_000;

pub(super) async fn build(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    work: &Work<'_>,
) -> Result<String, StepError> {
    let fenced = |what: &str, text: &str| fence::fenced(step.call.run(), what, text, MAX_LEN);
    let mut parts = vec![
        match work {
            Work::Findings(_) => {
                "A review of the branch that is checked out here found what has to be fixed \
                 before it can be merged."
            }
            Work::Failures(_) => {
                "The branch that is checked out here cannot be merged before what fails is mended."
            }
        }
        .to_owned(),
        fence::EXPLANATION.to_owned(),
    ];
    parts.extend(prompt_parts::issue(step).await?);
    parts.push(fenced("what has to be dealt with", &listed(work)));
    if work.has(kinds::CONFLICT) {
        parts.push(format!(
            "A merge of `{}` is under way in this folder. Resolve every conflict so that both \
             sides keep what they do, and leave no conflict markers. Do not abort the merge.",
            one_line(&workspace.base, 200)
        ));
    }
    parts.extend(
        step
            .call
            .guidance()
            .iter()
            .map(|guidance| match guidance {
                Guidance::Failure(message) => fenced("why an earlier try did not count", message),
                Guidance::Answer(answer) => {
                    let comment = answer.comment.as_deref();
                    fenced(
                        "what a person said",
                        comment.unwrap_or("Deal with it all the same."),
                    )
                }
            }),
    );
    parts.extend(prompt_parts::commands(step, workspace));
    parts.extend(prompt_parts::conventions(step, workspace).await?);
    parts.push(RULES.to_owned());
    if !work.findings().is_empty() {
        parts.push(DECLINING.to_owned());
    }
    Ok(parts.join("\n\n"))
}

fn listed(work: &Work<'_>) -> String {
    let findings = work.findings().iter().enumerate().map(|(index, finding)| {
        let place = finding.location.as_ref().map(Location::as_str);
        let place = place.map(|place| format!(", {place}")).unwrap_or_default();
        let severity = finding.severity.word().unwrap_or(Severity::Important);
        let words = one_line(&finding.description, 2_000);
        format!("{}. {severity}{place}: {words}\n", index + 1)
    });
    let failures = work.failures().iter().map(|failure| {
        let words = one_line(&failure.description, 2_000);
        format!("- {}: {words}\n", failure.failure_type)
    });
    findings.chain(failures).collect()
}

/// The findings that the agent declines, from zero on, each with its reason.
pub(super) fn declined(message: &str, findings: usize) -> Vec<(usize, String)> {
    let Some(said) = trailing_json::last_object(message, "declined") else {
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
