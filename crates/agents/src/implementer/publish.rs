//! Pushes the work and opens the pull request, once.

use std::fmt::Write as _;

use baton_engine::StepResult;
use baton_host::git::LogEntry;
use baton_ops::Event;
use baton_ops::pr::{self, Options, Settings};
use baton_protocol::handoff::{Commit, Handoff, Implemented, IssueReady};
use baton_protocol::phase::pr::{PrError, PrInput, PrOutput};
use baton_remote::github::enums::PullState;
use baton_remote::github::resources::pulls::{PullFilter, PullRequest};
use baton_workflow::{FailureKind, Report, Usage};
use jiff::Timestamp;

use super::commit_groups;
use super::figures::Figures;
use super::template::{self, Part, Topic};
use crate::AgentStep;
use crate::blocking;
use crate::commits;
use crate::foreign_text::{in_markdown, one_line};
use crate::handoffs;
use crate::issue_manager::request::without_comments;
use crate::marker::Marker;
use crate::related;
use crate::step_error::{self, StepError};
use crate::tools;
use crate::workspace::{Workspace, element};

/// As many commits as a handoff names.
const MAX_COMMITS: usize = 50;
/// What GitHub shows of a title.
const MAX_TITLE: usize = 200;

pub(crate) async fn run(step: &AgentStep<'_>) -> StepResult {
    step_error::result(publish(step).await, Usage::default())
}

async fn publish(step: &AgentStep<'_>) -> Result<Report, StepError> {
    let workspace = Workspace::open(step).await?;
    let issue = handoffs::issue(step)?;
    commit_groups::commit(step, &workspace, issue).await?;
    let commits = commits::since(&workspace.git, workspace.begun.as_str()).await?;
    if commits.is_empty() {
        return Err(StepError::permanent(format!(
            "{} has no commits, so there is nothing to publish; cancel the run and start it again",
            workspace.branch
        )));
    }
    refuse_closed(step, &workspace).await?;
    let figures = Figures::collect(step, &workspace).await?;
    step.context.say(&format!("pushing {}", workspace.branch));
    let head = workspace.push().await?;
    workspace.renew_copy(step).await?;
    let description = describe(step, &workspace, issue, &commits, &figures).await?;
    let number = open(step, &workspace, issue, description).await?;
    let place = step.place;
    let pull = place.github.pull_request(&place.repository, number).await?;
    if pull.head.sha != head {
        return Err(StepError::new(
            FailureKind::Transient,
            format!("pull request #{number} does not have {head} yet"),
        ));
    }
    hand_over(&workspace, issue, &pull, &commits, &figures)
}

/// A pull request of ours that someone closed is not opened a second time.
async fn refuse_closed(step: &AgentStep<'_>, workspace: &Workspace) -> Result<(), StepError> {
    let place = step.place;
    let marker = Marker::for_key(&step.call.key);
    let owner = place.repository.owner();
    let found = place
        .github
        .pull_requests_from(&place.repository, owner, &workspace.branch, PullFilter::All)
        .await?;
    let is_ours = |pull: &&PullRequest| marker.is_in(&pull.body);
    match found.items.iter().find(is_ours) {
        Some(pull) if pull.state != PullState::Open => Err(StepError::blocked(format!(
            "pull request #{} was closed; open it again, or cancel the run",
            pull.number
        ))),
        _ => Ok(()),
    }
}

async fn open(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    issue: &IssueReady,
    description: String,
) -> Result<u32, StepError> {
    let title = one_line(&issue.issue_title, MAX_TITLE);
    // The phase wants five characters.
    let title = if title.chars().count() < 5 {
        format!("Resolve #{}: {title}", issue.issue_number)
    } else {
        title
    };
    // A draft until it is reviewed and validated.
    let input = PrInput {
        branch: workspace.branch.clone(),
        base_branch: workspace.base.clone(),
        title,
        description,
        jira_key: None,
        mark_ready: false,
        draft: true,
        working_directory: workspace.path.to_string_lossy().into_owned(),
    };
    let mut opened = create(step, &input).await?;
    if opened.pr_number.is_none() && opened.errors.iter().any(refuses_drafts) {
        let input = PrInput {
            draft: false,
            ..input
        };
        opened = create(step, &input).await?;
    }
    let Some(number) = opened.pr_number else {
        let errors = opened.errors.into_iter();
        let said: Vec<String> = errors.map(|error| error.message).collect();
        return Err(StepError::blocked(said.join("; ")));
    };
    u32::try_from(number)
        .map_err(|_| StepError::permanent(format!("#{number} is no number on GitHub")))
}

/// Private repositories have drafts in paid plans only, which GitHub says in words alone.
fn refuses_drafts(error: &PrError) -> bool {
    error
        .message
        .contains("Draft pull requests are not supported")
}

async fn create(step: &AgentStep<'_>, input: &PrInput) -> Result<PrOutput, StepError> {
    let place = step.place;
    let context = step.context.clone();
    let cx = tools::environment_context(step, place.git_environment.clone());
    let cx = cx.with_events(move |event| match event {
        Event::Pr(pr::Event::Creating { repository }) => {
            context.say(&format!("opening a pull request in {repository}"));
        }
        _ => context.tick(),
    });
    let settings = Settings {
        adopt_existing: true,
        ..Settings::default()
    };
    let options = Options {
        login: place.workplace.authorization.clone(),
        state_dir: place.state_dir.clone(),
        ..Options::new(&cx, input, settings)
    };
    let input = input.clone();
    let answer = blocking::run(&step.context.cancel, async move |cancel| {
        pr::run(&cx.with_cancel(cancel), &input, options).await
    });
    let answer = answer.await?;
    step.go_on()?;
    Ok(answer.output)
}

async fn describe(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    issue: &IssueReady,
    commits: &[LogEntry],
    figures: &Figures,
) -> Result<String, StepError> {
    let place = step.place;
    let number = handoffs::number(issue.issue_number)?;
    let there = place.github.issue(&place.repository, number).await?;
    let mut closes = format!("Closes #{number}");
    for parent in related::parents(&without_comments(&there.body)) {
        line(&mut closes, format_args!("\nPart of #{parent}"));
    }
    let mut purpose = String::new();
    for requirement in &issue.requirements {
        line(
            &mut purpose,
            format_args!("- {}", in_markdown(&one_line(requirement, 300))),
        );
    }
    let part = |topic, heading, text| Part {
        topic,
        heading,
        text,
    };
    let parts = [
        part(Topic::Issue, None, closes),
        part(Topic::Purpose, Some("What it is for"), purpose),
        part(
            Topic::Changes,
            Some("What changes"),
            changes(commits, figures),
        ),
        part(Topic::Tests, Some("Tests"), tests(figures)),
    ];
    let text = match template::find(workspace).await? {
        Some(form) => template::fill(&form, &parts),
        None => template::without_form(&parts),
    };
    Ok(Marker::for_key(&step.call.key).below(&text))
}

fn changes(commits: &[LogEntry], figures: &Figures) -> String {
    let mut text = String::new();
    let Figures {
        files,
        added,
        removed,
        tests_added,
        ..
    } = figures;
    line(
        &mut text,
        format_args!(
            "{}, {} added and {removed} removed, {} more than before.\n",
            counted(*files, "file"),
            counted(*added, "line"),
            counted(*tests_added, "test"),
        ),
    );
    for commit in commits.iter().take(MAX_COMMITS) {
        let subject = commit.message.lines().next().unwrap_or_default();
        line(
            &mut text,
            format_args!("- {}", in_markdown(&one_line(subject, 200))),
        );
    }
    text
}

fn tests(figures: &Figures) -> String {
    let Some(tests) = &figures.tests else {
        return "No way to run tests was found.".to_owned();
    };
    let verdict = if tests.passed {
        "passed"
    } else {
        "did not pass"
    };
    let command = tests.command.replace('`', "'");
    let counts = match (tests.succeeded, tests.run) {
        // Not every command tells how many it ran.
        (_, 0) => String::new(),
        (succeeded, run) => format!(": {succeeded} of {run} tests succeeded"),
    };
    format!("`{command}` {verdict}{counts}.")
}

fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    writeln!(text, "{content}").expect("a string takes all text");
}

fn hand_over(
    workspace: &Workspace,
    issue: &IssueReady,
    pull: &PullRequest,
    commits: &[LogEntry],
    figures: &Figures,
) -> Result<Report, StepError> {
    let mut named = Vec::new();
    for commit in commits.iter().take(MAX_COMMITS) {
        let sha = commit.commit.as_str().parse();
        named.push(Commit {
            sha: sha.map_err(|error| StepError::permanent(format!("{error}")))?,
            message: one_line(commit.message.lines().next().unwrap_or_default(), 200),
        });
    }
    let mut other = Vec::new();
    if let Some(tests) = figures.tests.as_ref().filter(|tests| tests.run > 0) {
        other.push(element("tests_run", &tests.run.to_string()));
        other.push(element("tests_passed", &tests.succeeded.to_string()));
    }
    handoffs::pass(Handoff::Implemented(Implemented {
        timestamp: Some(Timestamp::now().into()),
        issue_url: Some(issue.issue_url.clone()),
        issue_number: issue.issue_number,
        pr_url: handoffs::url(&pull.html_url)?,
        pr_number: handoffs::non_zero(pull.number)?,
        branch: handoffs::line(&workspace.branch)?,
        status: None,
        summary: Some(format!(
            "Opened pull request #{}: {}",
            pull.number, pull.title
        )),
        files_changed: Some(figures.files),
        tests_added: Some(figures.tests_added),
        coverage: None,
        commits: Some(named),
        other,
    }))
}
