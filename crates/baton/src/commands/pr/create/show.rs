//! What people see of it: the plan before, the progress on the way, the end.

use std::fmt::Write as _;

use baton_ops::pr::{Plan, PlannedIssue, PlannedMove, PlannedPull};
use baton_protocol::phase::pr::{PrInput, PrOutput};

use crate::terminal::{Style, sanitize};

/// What would be opened.
pub(super) fn request(input: &PrInput) -> String {
    let mut text = String::new();
    let mut line = |content: String| writeln!(text, "{content}").expect("a string takes all text");
    line(Style::Heading.paint(sanitize(&input.title)));
    let kind = if input.draft { "draft" } else { "pull request" };
    line(format!(
        "{kind}: {} into {}",
        sanitize(&input.branch),
        sanitize(&input.base_branch)
    ));
    if let Some(key) = &input.jira_key {
        line(format!("Jira: {key}"));
    }
    line(String::new());
    for told in sanitize(&input.description).lines() {
        line(format!("  {told}"));
    }
    text
}

/// What would be done.
pub(super) fn plan(input: &PrInput, plan: &Plan) -> String {
    let mut steps = Vec::new();
    let branch = sanitize(&input.branch);
    steps.push(match &plan.push_to {
        Some(remote) => format!("push {branch} to {}", sanitize(remote)),
        None => format!("push nothing; only the remote has {branch}"),
    });
    let repository = sanitize(plan.repository.as_deref().unwrap_or("?"));
    let head = sanitize(&plan.head_name);
    steps.push(match &plan.pull {
        PlannedPull::Open => format!("open {head} in {repository}"),
        PlannedPull::Update { url, .. } => format!("update {}", sanitize(url)),
        PlannedPull::Refuse { url, .. } => format!("stop: there is {} already", sanitize(url)),
        PlannedPull::Unknown { reason } => {
            format!("open {head}, if that works: {}", sanitize(reason))
        }
    });
    if let Some(key) = &input.jira_key {
        steps.extend(issue(key, &plan.issue));
    }
    if input.mark_ready && input.draft {
        steps.push("mark it ready for review".to_owned());
    }
    let mut text = String::new();
    for (number, step) in (1..).zip(steps) {
        writeln!(text, "{number}. {step}").expect("a string takes all text");
    }
    text
}

fn issue(key: &str, planned: &PlannedIssue) -> Vec<String> {
    let (status, next) = match planned {
        PlannedIssue::NotAsked => return Vec::new(),
        PlannedIssue::Left { reason } => {
            return vec![format!("leave {key} alone: {}", sanitize(reason))];
        }
        PlannedIssue::Linked { status, next } => (sanitize(status), next),
    };
    let moved = match next {
        PlannedMove::Take { transition } => {
            format!("move {key} from '{status}' by '{}'", sanitize(transition))
        }
        PlannedMove::Stay => format!("leave {key} in '{status}'"),
        PlannedMove::Ask { transitions } => format!(
            "ask which way {key} goes from '{status}': {}",
            sanitize(&transitions.join(", "))
        ),
        PlannedMove::Stuck { reason } => format!("leave {key} in '{status}': {}", sanitize(reason)),
    };
    vec![format!("link {key}"), moved]
}

/// Everything but the address, which comes last and alone.
pub(super) fn outcome(input: &PrInput, output: &PrOutput) -> String {
    let mut text = String::new();
    for error in &output.errors {
        let word = match output.pr_url {
            Some(_) => Style::Doubtful.paint("warning:"),
            None => Style::Error.paint("error:"),
        };
        writeln!(text, "{word} {}", sanitize(&error.message)).expect("a string takes all text");
        if let Some(said) = error
            .context
            .as_ref()
            .and_then(|context| context.get("error_output"))
        {
            let said = sanitize(said.as_str().unwrap_or_default());
            let lines = said.lines().take(12).map(|line| format!("  {line}\n"));
            text.extend(lines);
        }
    }
    if let (Some(key), true) = (&input.jira_key, output.jira_status.transitioned) {
        let state = output
            .jira_status
            .current_state
            .as_deref()
            .unwrap_or_default();
        writeln!(text, "{key} is in '{}'", sanitize(state)).expect("a string takes all text");
    }
    text
}
