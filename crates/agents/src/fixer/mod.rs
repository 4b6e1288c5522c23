//! fixer-agent: a coding agent with the findings or failures that stand in the
//! way; commits that are looked at before they are pushed; an answer in every
//! thread.

mod evidence;
mod fate;
mod flagged;
mod history;
mod merging;
mod note;
mod prompt;
mod threads;
mod work;

use baton_engine::StepResult;
use baton_engine::agent::{AgentEnd, AgentReport, Role};
use baton_host::git::{LogEntry, LogRange};
use baton_protocol::handoff::xml::Element;
use baton_protocol::handoff::{
    AppliedFix, FixStatus, Fixed, Handoff, NothingToFix, NothingToFixStatus, WorkspaceType,
};
use baton_protocol::short;
use baton_workflow::{ACCEPT, Choice, Guidance, Report, StepQuestion, Usage};

use crate::AgentStep;
use crate::coder::{self, WorktreeState};
use crate::commits;
use crate::foreign_text::one_line;
use crate::handoffs;
use crate::publishable;
use crate::pull::{Lie, Pull, clear, moment, reviewed_commit};
use crate::step_error::{self, StepError};
use crate::workspace::{Workspace, element};

use evidence::Outcome;
use fate::Fate;
use note::Note;
use work::Work;

/// The key of what a person is asked.
const FIX: char = 'f';

pub(crate) async fn run(step: &AgentStep<'_>) -> StepResult {
    let mut usage = Usage::default();
    let outcome = Box::pin(fix(step, &mut usage)).await;
    step_error::result(outcome, usage)
}

async fn fix(step: &AgentStep<'_>, usage: &mut Usage) -> Result<Report, StepError> {
    let pull = Pull::open(step).await?;
    if pull.is_merged() {
        return nothing(&pull, "It was merged meanwhile; nothing is left to fix");
    }
    pull.require_open()?;
    let work = Work::from_handoffs(step)?;
    let workspace = Workspace::open(step).await?;
    let mut note = match Note::recall(step).await? {
        Some(note) => note,
        None => begin(step, &pull, &workspace).await?,
    };
    if work.is_only_news() {
        return taken_over(step, &pull, &workspace).await;
    }
    if note.is_declined(&work) && has_accepted(step) {
        let outcomes = evidence::all_declined(&work, &note);
        threads::answer(step, &pull, &outcomes, true).await?;
        return nothing(&pull, "All findings are declined, and a person agrees");
    }
    if !note.is_worked(step, &workspace).await? {
        let state = coder::settle(step, &workspace).await?;
        let merge = merging::begin(step, &workspace, &work).await?;
        let is_new = step.call.guidance().is_empty();
        if !(is_new && merge.is_all_that_is_wanted(&work)) {
            note.declined = let_agent_work(step, &workspace, &work, &note, state, usage).await?;
        }
        history::keep(&workspace, &note.start).await?;
        merge.check(&workspace).await?;
        let subject = commits::subject("fix", &work.subject());
        commits::commit_rest(&workspace.git, &subject, step.context.key()).await?;
        let checked = publishable::check(step, &workspace).await;
        StepError::unless_accepted(checked, step)?;
        workspace.renew_copy(step).await?;
        note.worked(step, &workspace).await?;
    }
    if note.is_declined(&work) && is_unchanged(&workspace, &note).await? {
        return Ok(ask(&work, &note));
    }
    let made = commits::since(&workspace.git, note.start.as_str()).await?;
    let outcomes = if note.proven {
        evidence::known(&work, &note)
    } else {
        let outcomes = evidence::check(step, &workspace, &work, &note, &made).await?;
        note.proven(step, &outcomes).await?;
        outcomes
    };
    step.context.say(&format!("pushing {} commits", made.len()));
    let pushed = workspace.push().await?;
    threads::wait_for_head(step, &pull, &pushed).await?;
    threads::answer(step, &pull, &outcomes, false).await?;
    fixed(&pull, &work, &outcomes, &made)
}

/// Where the fix begins: at what the pull request is now.
async fn begin(
    step: &AgentStep<'_>,
    pull: &Pull,
    workspace: &Workspace,
) -> Result<Note, StepError> {
    match pull.lie(workspace).await? {
        Lie::Ahead => {}
        Lie::Apart if workspace.kind == WorkspaceType::Worktree => {
            // All that was here was pushed; what replaced it is the truth.
            let head = workspace.git.commit(pull.head()).await?;
            workspace.git.put_back(&head).await?;
        }
        Lie::Same => clear(workspace).await?,
        Lie::Behind | Lie::Apart => drop(pull.bring_here(workspace, step).await?),
    }
    let start = workspace.git.commit(pull.head()).await?;
    Note::begin(step, start).await
}

/// Someone pushed: their commits are here now, and are to be reviewed.
async fn taken_over(
    step: &AgentStep<'_>,
    pull: &Pull,
    workspace: &Workspace,
) -> Result<Report, StepError> {
    let reviewed = reviewed_commit(step);
    let made = match reviewed {
        Some(reviewed) if workspace.git.find_commit(&reviewed).await?.is_some() => {
            let range = LogRange {
                from: Some(&reviewed),
                to: "HEAD",
            };
            workspace.git.log(range, 100).await?
        }
        _ => Vec::new(),
    };
    let words = format!(
        "Took over what was pushed meanwhile; the head is {}",
        short(pull.head())
    );
    hand_over(pull, Dealt::default(), Some(words), made.len() as u64)
}

async fn let_agent_work(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    work: &Work<'_>,
    note: &Note,
    state: WorktreeState,
    usage: &mut Usage,
) -> Result<Vec<(usize, String)>, StepError> {
    let prompt = prompt::build(step, workspace, work).await?;
    step.context.say(&format!(
        "{} works on {}",
        step.place.coder.name,
        work.in_words()
    ));
    let report = coder::work(step, workspace, &prompt, state).await?;
    usage.add(&report.usage);
    let declined = prompt::declined(&report.message, work.findings().len());
    if report.end == AgentEnd::Claimed && !report.changed && work.are_all(&declined) {
        return Ok(declined);
    }
    // What an earlier try left counts as well.
    let start = workspace.git.tree(note.start.as_str()).await?;
    let changed = report.changed || workspace.git.working_tree().await? != start;
    AgentReport { changed, ..report }.verdict(Role::Writer)?;
    Ok(declined)
}

async fn is_unchanged(workspace: &Workspace, note: &Note) -> Result<bool, StepError> {
    let git = &workspace.git;
    Ok(git.tree("HEAD").await? == git.tree(note.start.as_str()).await?)
}

/// An agent may well be right; whether it is, a person says.
fn ask(work: &Work<'_>, note: &Note) -> Report {
    let reasons = note.declined.iter().filter_map(|(index, reason)| {
        let finding = work.findings().get(*index)?;
        let place = finding.location.as_ref().map_or("", |place| place.path());
        let what = one_line(&finding.description, 120);
        Some(format!(
            "\n- {place}: {what}\n  declined: {}",
            one_line(reason, 400)
        ))
    });
    let text = format!(
        "the coding agent changes nothing and declines all findings{}",
        reasons.collect::<String>()
    );
    Report::Asks {
        question: StepQuestion {
            text,
            options: vec![
                Choice::new(ACCEPT, "agree, and go on"),
                Choice::new(FIX, "have it fixed all the same"),
            ],
            objections: work.objections(),
        },
    }
}

fn has_accepted(step: &AgentStep<'_>) -> bool {
    match step.call.guidance().last() {
        Some(Guidance::Answer(answer)) => answer.choice == ACCEPT,
        _ => false,
    }
}

/// What was done, by how much of it is proven.
#[derive(Default)]
struct Dealt {
    fixes: Vec<AppliedFix>,
    /// Nothing has shown yet that it helps.
    attempts: Vec<AppliedFix>,
    declined: Vec<AppliedFix>,
}

fn fixed(
    pull: &Pull,
    work: &Work<'_>,
    outcomes: &[Outcome<'_>],
    made: &[LogEntry],
) -> Result<Report, StepError> {
    let mut dealt = Dealt::default();
    for outcome in outcomes {
        let list = match &outcome.fate {
            Fate::Declined { .. } => &mut dealt.declined,
            fate if fate.is_proven() => &mut dealt.fixes,
            _ => &mut dealt.attempts,
        };
        list.push(AppliedFix {
            location: outcome.issue.location.clone(),
            description: outcome.fate.words(),
        });
    }
    if let Work::Failures(_) = work {
        // Only the next validation can say whether they mend anything.
        dealt.attempts.extend(made.iter().map(|commit| AppliedFix {
            location: None,
            description: format!(
                "{}: {}",
                commit.commit.short(),
                one_line(commit.subject(), 200)
            ),
        }));
    }
    hand_over(pull, dealt, None, made.len() as u64)
}

fn hand_over(
    pull: &Pull,
    dealt: Dealt,
    summary: Option<String>,
    commits: u64,
) -> Result<Report, StepError> {
    let lists = [
        (ATTEMPTS, "attempt", dealt.attempts),
        (DECLINED, "finding", dealt.declined),
    ];
    let other = lists
        .into_iter()
        .filter(|(_, _, items)| !items.is_empty())
        .map(|(name, item, items)| listed(name, item, &items));
    let handoff = Handoff::Fixed(Fixed {
        timestamp: Some(moment()),
        pr_url: pull.url()?,
        pr_number: pull.number(),
        issue_url: None,
        issue_number: pull.issue,
        status: FixStatus::ReadyForReReview.into(),
        summary,
        fixes_applied: dealt.fixes,
        commits_added: Some(commits),
        other: other.collect(),
    });
    handoffs::pass(handoff)
}

/// Elements of the handoff that the protocol has no name for, in the form of
/// `fixes_applied`.
const ATTEMPTS: &str = "attempts";
const DECLINED: &str = "declined";

fn listed(name: &str, item: &str, items: &[AppliedFix]) -> Element {
    let mut list = Element::new(name).expect("the names are written in this crate");
    for one in items {
        let mut child = element(item, &one.description);
        if let Some(location) = &one.location {
            child
                .set_attribute("location", location.as_str())
                .expect("the name is written in this crate");
        }
        list.push_element(child);
    }
    list
}

fn nothing(pull: &Pull, words: &str) -> Result<Report, StepError> {
    let handoff = Handoff::NothingToFix(NothingToFix {
        timestamp: Some(moment()),
        pr_url: pull.url()?,
        pr_number: pull.number(),
        issue_url: None,
        issue_number: pull.issue,
        status: NothingToFixStatus::Skipped.into(),
        summary: Some(words.to_owned()),
        other: Vec::new(),
    });
    handoffs::pass(handoff)
}
