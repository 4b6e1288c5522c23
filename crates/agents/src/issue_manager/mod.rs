//! issue-manager: finds or writes the issue, says what kind of work it is, and
//! asks where no one could tell what is wanted.

mod classify;
mod labels;
pub(crate) mod request;
mod similarity;
mod words;

use baton_engine::StepResult;
use baton_protocol::handoff::{Handoff, IssueReady, IssueType, Priority};
use baton_remote::github::enums::IssueState;
use baton_remote::github::resources::issues::{Issue, IssueFilter, NewIssue};
use baton_workflow::{Choice, Report, StepQuestion, Usage};
use jiff::{SignedDuration, Timestamp};

use self::request::{MIN_WORDS, Request};
use self::similarity::Fingerprint;
use crate::AgentStep;
use crate::handoffs;
use crate::lockdown;
use crate::marker::{self, Marker};
use crate::step_error::{self, StepError};

/// As many related issues as anyone follows.
const MAX_RELATED: usize = 3;

/// What people can answer.
const WITH_COMMENT: char = 'y';
const AS_IT_IS: char = 'g';
const THE_OTHER: char = 'u';
const A_NEW_ONE: char = 'n';

/// The note that says which issue was asked about.
const ASKED_ABOUT: &str = "asked-about";

pub(crate) async fn run(step: &AgentStep<'_>) -> StepResult {
    let goal = step.goal();
    let outcome = match (goal.pull_request, goal.issue) {
        (Some(number), _) => pull_request(step, number).await,
        (None, Some(number)) => existing(step, number).await,
        (None, None) => requested(step).await,
    };
    step_error::result(outcome, Usage::default())
}

/// An issue that someone wrote. Its text is theirs and stays as it is.
async fn existing(step: &AgentStep<'_>, number: u64) -> Result<Report, StepError> {
    let place = step.place;
    let number = u32::try_from(number)
        .map_err(|_| StepError::permanent(format!("#{number} is no number of an issue")))?;
    let issue = place.github.issue(&place.repository, number).await?;
    if issue.pull_request.is_some() {
        return Err(StepError::permanent(format!(
            "#{number} is a pull request; name an issue, or say what is wanted"
        )));
    }
    if issue.state != IssueState::Open {
        return Err(StepError::blocked(format!(
            "issue #{number} is closed; open it again to have it worked on"
        )));
    }
    let clarifications = clarifications(step);
    let text = format!(
        "{}\n{}",
        issue.title,
        request::without_comments(&issue.body)
    );
    let is_vague = words::specific(&text) < MIN_WORDS && clarifications.is_empty();
    if is_vague && !step.was_told(AS_IT_IS) {
        labels::add(step, &issue, &[labels::CLARIFICATION]).await?;
        if !step.is_unattended() {
            return Ok(ask_for_more(&issue.title));
        }
    } else if issue
        .labels
        .iter()
        .any(|label| label.name == labels::CLARIFICATION.name)
    {
        let name = labels::CLARIFICATION.name;
        let removed = place.github.remove_label(&place.repository, number, name);
        removed.await?;
    }
    for (index, said) in clarifications.iter().enumerate() {
        let marker = Marker::part(&step.call.key, format_args!("clarification-{index}"));
        let text = format!("Clarified by the author of the request:\n\n{said}");
        marker::comment_once(place, number, &marker, &text).await?;
    }
    let class = Class::from_issue(&issue, &clarifications);
    labels::add(step, &issue, &class.labels()).await?;
    let summary = format!("Took up issue #{number}: {}", issue.title);
    class.pass(&issue, &clarifications, summary)
}

/// A pull request that someone opened. GitHub numbers it like an issue, and its text says what
/// it is for. Nothing of it is changed here.
async fn pull_request(step: &AgentStep<'_>, number: u32) -> Result<Report, StepError> {
    let place = step.place;
    let found = place.github.issue(&place.repository, number).await;
    let issue = found
        .map_err(|error| StepError::unless_there(format_args!("pull request #{number}"), error))?;
    if issue.pull_request.is_none() {
        return Err(StepError::permanent(format!(
            "#{number} is an issue; `baton run {number}` carries it to a pull request"
        )));
    }
    let class = Class::from_issue(&issue, &[]);
    let summary = format!("Took up pull request #{number}: {}", issue.title);
    class.pass(&issue, &[], summary)
}

/// A request in words: one issue is made of it, however often this runs.
async fn requested(step: &AgentStep<'_>) -> Result<Report, StepError> {
    let request = Request {
        text: step.goal().request.clone(),
        clarifications: clarifications(step),
    };
    if let Some(issue) = find_ours(step).await? {
        return made(step, &issue, &request).await;
    }
    if step.was_told(THE_OTHER)
        && let Some(number) = asked_about(step).await?
    {
        return existing(step, number.into()).await;
    }
    let is_vague = words::specific(&request.all()) < MIN_WORDS;
    if is_vague && !step.was_told(AS_IT_IS) && !step.is_unattended() {
        return Ok(ask_for_more(&request.title()));
    }
    step.context.say("looking for issues that ask for the same");
    let similar = similar(step, &request).await?;
    let ours = Fingerprint::new(&request.title(), &request.all());
    let is_same = |issue: &Issue| ours.is_same_wish(&Fingerprint::new(&issue.title, &issue.body));
    if let Some((_, issue)) = similar.iter().find(|(_, issue)| is_same(issue))
        && !step.was_told(A_NEW_ONE)
        && !step.is_unattended()
    {
        let number = issue.number.to_string();
        step.context.remember(ASKED_ABOUT, number).await?;
        return Ok(ask_about(issue));
    }
    let related: Vec<u32> = similar.iter().map(|(_, issue)| issue.number).collect();
    let issue = create(step, &request, &related, is_vague).await?;
    made(step, &issue, &request).await
}

async fn create(
    step: &AgentStep<'_>,
    request: &Request,
    related: &[u32],
    is_vague: bool,
) -> Result<Issue, StepError> {
    let place = step.place;
    let (title, all) = (request.title(), request.all());
    let class = Class {
        kind: classify::issue_type(&title, &all, &[]),
        priority: classify::priority(&title, &all, &[]),
    };
    let mut wanted = class.labels();
    if is_vague {
        wanted.push(labels::CLARIFICATION);
    }
    let labels = labels::ensure(step, &wanted).await?;
    let requirements = request::requirements(&title, &all);
    let body = Marker::for_key(&step.call.key).below(&request.body(&requirements, related));
    let new = NewIssue {
        title: &title,
        body: &body,
        labels,
    };
    step.go_on()?;
    step.context.say(&format!("opening the issue `{title}`"));
    match place.github.create_issue(&place.repository, &new).await {
        // The answer may be lost and the issue there.
        Err(error) if error.is_transient() => match find_ours(step).await {
            Ok(Some(issue)) => Ok(issue),
            _ => Err(error.into()),
        },
        created => Ok(created?),
    }
}

/// The issue is ours: whatever of it is missing is added.
async fn made(step: &AgentStep<'_>, issue: &Issue, request: &Request) -> Result<Report, StepError> {
    let names: Vec<&str> = issue
        .labels
        .iter()
        .map(|label| label.name.as_str())
        .collect();
    let class = Class {
        kind: classify::issue_type(&issue.title, &request.all(), &names),
        priority: classify::priority(&issue.title, &request.all(), &names),
    };
    labels::add(step, issue, &class.labels()).await?;
    let summary = format!("Opened issue #{}: {}", issue.number, issue.title);
    let requirements = request::requirements(&issue.title, &request.all());
    class.handoff(issue, requirements, summary)
}

/// The issue that this step has made before.
async fn find_ours(step: &AgentStep<'_>) -> Result<Option<Issue>, StepError> {
    /// Clocks differ.
    const SLACK: SignedDuration = SignedDuration::from_hours(1);
    let place = step.place;
    let created = step.state().created();
    let filter = IssueFilter {
        since: Some(
            created
                .saturating_sub(SLACK)
                .unwrap_or(Timestamp::UNIX_EPOCH),
        ),
        ..IssueFilter::default()
    };
    let marker = Marker::for_key(&step.call.key);
    let mut found = place.github.issues(&place.repository, &filter).await?.items;
    found.retain(|issue| marker.is_in(&issue.body));
    if found.is_empty() {
        return Ok(None);
    }
    let viewer = place.github.viewer().await?;
    found.sort_unstable_by_key(|issue| issue.number);
    let mut ours = found.into_iter();
    Ok(ours.find(|issue| marker::is_same(issue.user.as_ref(), &viewer)))
}

/// Open issues that are like the request, the most similar first.
async fn similar(step: &AgentStep<'_>, request: &Request) -> Result<Vec<(f64, Issue)>, StepError> {
    let place = step.place;
    let filter = IssueFilter {
        state: Some(IssueState::Open),
        ..IssueFilter::default()
    };
    let open = place.github.issues(&place.repository, &filter).await?.items;
    let open = lockdown::issues(step, open).await?;
    let ours = Fingerprint::new(&request.title(), &request.all());
    let scored = open.into_iter().map(|issue| {
        let theirs = Fingerprint::new(&issue.title, &issue.body);
        (ours.similarity(&theirs), issue)
    });
    let mut alike: Vec<_> = scored
        .filter(|(score, _)| *score >= similarity::RELATED)
        .collect();
    alike.sort_by(|one, other| other.0.total_cmp(&one.0));
    alike.truncate(MAX_RELATED);
    Ok(alike)
}

async fn asked_about(step: &AgentStep<'_>) -> Result<Option<u32>, StepError> {
    let note = step.context.recall(ASKED_ABOUT).await?.unwrap_or_default();
    Ok(String::from_utf8(note)
        .ok()
        .and_then(|number| number.parse().ok()))
}

fn clarifications(step: &AgentStep<'_>) -> Vec<String> {
    let comments = step
        .answers()
        .filter_map(|answer| answer.comment.as_deref());
    let said = comments
        .map(str::trim)
        .filter(|comment| !comment.is_empty());
    said.map(str::to_owned).collect()
}

fn ask_for_more(title: &str) -> Report {
    let text = format!("`{title}` does not say what is wanted; please say more, in a comment");
    Report::Asks {
        question: StepQuestion {
            text,
            options: vec![
                Choice::new(WITH_COMMENT, "go on with what the comment says"),
                Choice::new(AS_IT_IS, "go on with what there is"),
            ],
            objections: Vec::new(),
        },
    }
}

fn ask_about(issue: &Issue) -> Report {
    let text = format!(
        "issue #{} seems to ask for the same: {}",
        issue.number, issue.title
    );
    Report::Asks {
        question: StepQuestion {
            text,
            options: vec![
                Choice::new(THE_OTHER, format!("work on #{}", issue.number)),
                Choice::new(A_NEW_ONE, "open a new issue all the same"),
            ],
            objections: Vec::new(),
        },
    }
}

#[derive(Clone, Copy)]
struct Class {
    kind: IssueType,
    priority: Priority,
}

impl Class {
    fn from_issue(issue: &Issue, clarifications: &[String]) -> Self {
        let names: Vec<&str> = issue
            .labels
            .iter()
            .map(|label| label.name.as_str())
            .collect();
        let body = format!("{}\n{}", issue.body, clarifications.join("\n"));
        Self {
            kind: classify::issue_type(&issue.title, &body, &names),
            priority: classify::priority(&issue.title, &body, &names),
        }
    }

    fn labels(self) -> Vec<labels::Known> {
        vec![
            labels::for_type(self.kind),
            labels::for_priority(self.priority),
        ]
    }

    fn pass(
        self,
        issue: &Issue,
        clarifications: &[String],
        summary: String,
    ) -> Result<Report, StepError> {
        let mut requirements = request::requirements(&issue.title, &issue.body);
        requirements.extend(clarifications.iter().cloned());
        self.handoff(issue, requirements, summary)
    }

    fn handoff(
        self,
        issue: &Issue,
        requirements: Vec<String>,
        summary: String,
    ) -> Result<Report, StepError> {
        handoffs::pass(Handoff::IssueReady(IssueReady {
            timestamp: Some(Timestamp::now().into()),
            issue_url: handoffs::url(&issue.html_url)?,
            issue_number: handoffs::non_zero(issue.number)?,
            issue_title: issue.title.clone(),
            issue_type: self.kind.into(),
            priority: self.priority.into(),
            pr_url: None,
            pr_number: None,
            status: None,
            summary: Some(summary),
            requirements,
            other: Vec::new(),
        }))
    }
}
