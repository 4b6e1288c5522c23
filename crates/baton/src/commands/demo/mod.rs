//! The whole pipeline on one machine: `baton run` on a forge of its own.

pub(super) mod agent;
mod folder;
mod sample;
mod stage;

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Instant;

use baton_protocol::Repository;
use baton_protocol::handoff::{Handoff, HandoffKind};
use baton_remote::github::GitHubError;
use baton_remote::github::enums::IssueState;
use baton_workflow::{Ending, State};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use self::folder::Folder;
use self::stage::Stage;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::github::{self, GitHubAccess};
use crate::runs::view::{Watching, lasted};
use crate::runs::{self, DriveOptions, DriveOutcome, Driving, Order, Questions};
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Line, Look, Page, Style, sanitize};

/// Carry an issue to a merged pull request, here and offline
///
/// In a throw-away folder: a local forge, a small Rust project in a repository of
/// it, and a scripted coding agent that really edits files. Its first attempt has
/// a real SQL injection, which the review finds and the agent then fixes; CI runs
/// on the forge, the pull request is merged and the issue closed. Nothing leaves
/// this machine, and nothing outside the folder is touched.
///
/// Exits 0 when the pull request is merged and the issue closed. Standard output
/// gets the document that ends the workflow.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to play; it must be empty or not there yet, and is kept
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,

    /// Let this coding agent do the work instead of the scripted one
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,

    /// Keep the folder afterwards
    #[arg(long)]
    keep: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    for program in ["git", "cargo"] {
        if session.environment.find_program(program).is_none() {
            return Err(CommandError::missing(format!(
                "the demo's sample is a Rust project in git, and there is no {program} here"
            ))
            .hint(format!("Install {program}, or add its folder to PATH.")));
        }
    }
    let folder = Folder::make(args)?;
    let began = Instant::now();
    let played = runtime::drive(async |cancel| play(args, &folder, session, &cancel).await);
    if let Some(kept) = folder.kept() {
        let kept = sanitize(&kept.to_string_lossy());
        terminal::error_line(&format!("Everything is still in {kept}"));
    }
    let state = played?;
    end(&state, began, session)
}

async fn play(
    args: &Args,
    folder: &Folder,
    session: &Session,
    cancel: &CancellationToken,
) -> Result<State, CommandError> {
    let flags = match &args.agent {
        Some(_) => session.flags().to_vec(),
        None => scripted_agent()?,
    };
    let isolated = args.agent.is_none();
    let stage = Stage::set(folder.path(), session, flags, isolated, cancel).await?;
    introduce(&stage, args.agent.as_deref());
    let outcome = match carry(args, &stage, cancel).await {
        Ok(outcome) => confirm(&outcome, &stage, cancel).await.map(|()| outcome),
        Err(error) => Err(error),
    };
    stage.clear().await;
    // What the run says about going on would lead nowhere: its forge is gone.
    if cancel.is_cancelled() {
        return Err(CommandError::interrupted());
    }
    Ok(outcome?.into_state())
}

/// One run like any other.
async fn carry(
    args: &Args,
    stage: &Stage,
    cancel: &CancellationToken,
) -> Result<DriveOutcome, CommandError> {
    let order = Order {
        what: sample::REQUEST.to_owned(),
        repository: Some(stage.checkout.to_string_lossy().into_owned()),
        agent: args.agent.clone(),
        ..Order::default()
    };
    let (goal, policy) = runs::prepare(&order, &stage.session, cancel).await?;
    let mut driving = Driving::open(&stage.session).await?;
    let created = driving.engine.create(goal, policy).await;
    let run = created.map_err(|error| runs::failed(&error))?;
    let options = DriveOptions {
        watching: Watching::for_stderr(),
        questions: Questions::GiveUp,
    };
    driving.drive(&run, options, cancel).await
}

/// Asks the forge whether it is as the run says.
async fn confirm(
    outcome: &DriveOutcome,
    stage: &Stage,
    cancel: &CancellationToken,
) -> Result<(), CommandError> {
    let ended = outcome.state();
    let complete = ended.latest(HandoffKind::WorkflowComplete);
    let Some(Handoff::WorkflowComplete(complete)) = complete.map(|passed| &*passed.handoff) else {
        return Ok(());
    };
    let repository = Repository::parse(&ended.start().goal.repository)
        .map_err(|error| CommandError::missing(error.to_string()))?;
    let access = GitHubAccess::new(&stage.session)?;
    let github = access.with_login(access.configured(), cancel).await;
    let github = github.map_err(github::command_error)?;
    let number = |number: NonZeroU64| u32::try_from(number.get()).unwrap_or_default();
    let unanswered =
        |error: GitHubError| CommandError::missing("the forge does not answer").because(error);
    let pull = github
        .pull_request(&repository, number(complete.pr_number))
        .await
        .map_err(unanswered)?;
    let issue = github
        .issue(&repository, number(complete.issue_number))
        .await
        .map_err(unanswered)?;
    if pull.merged_at.is_none() || issue.state != IssueState::Closed {
        return Err(CommandError::missing(
            "the run says that it is done, and the forge says that it is not",
        )
        .hint("This is a defect of baton; run the demo with --keep and report it."));
    }
    Ok(())
}

/// baton itself, as an agent that any command could be.
fn scripted_agent() -> Result<Vec<String>, CommandError> {
    let program = std::env::current_exe()
        .map_err(|error| CommandError::missing("cannot find baton's own program").because(error))?;
    Ok(vec![
        "agent.name=scripted".to_owned(),
        "agent.driver=exec".to_owned(),
        format!("agent.program={}", program.to_string_lossy()),
        "agent.args=[\"scripted-agent\"]".to_owned(),
    ])
}

fn introduce(stage: &Stage, agent: Option<&str>) {
    let mut page = Page::new(Look::for_stderr(&stage.session.environment));
    page.line(
        0,
        Line::new().styled(
            Style::Heading,
            "From an issue to a merged pull request, all on this machine",
        ),
    );
    let who = agent.unwrap_or("a script that really edits files");
    for (name, value) in [
        ("forge", stage.web_url.as_str()),
        ("project", &stage.checkout.to_string_lossy()),
        ("agent", who),
        ("wanted", sample::REQUEST),
    ] {
        page.item(
            1,
            Line::new().styled(Style::Dim, format!("{name:<9}")),
            value,
        );
    }
    terminal::error_line(&page.into_text());
}

/// Prints the document that ends the workflow, and what to do next.
fn end(state: &State, began: Instant, session: &Session) -> Result<Exit, CommandError> {
    let mut page = Page::new(Look::for_stderr(&session.environment));
    let complete = state.latest(HandoffKind::WorkflowComplete);
    let Some(complete) = complete.filter(|_| state.ending() == Some(&Ending::Closed)) else {
        page.gap();
        if let Some(question) = state.question() {
            page.line(0, format!("It asks: {}", question.reason).as_str());
        }
        page.line(
            0,
            "The demo did not get to its end. Run it with --keep and look around.",
        );
        terminal::error_line(page.into_text().trim_end());
        return Ok(Exit::Failed);
    };
    page.line(
        0,
        Line::new().styled(
            Style::Dim,
            format!(
                "{} from start to end, {} of them in steps.",
                lasted(began.elapsed()),
                lasted(state.active())
            ),
        ),
    );
    terminal::error_line(&page.into_text());
    terminal::result(&complete.handoff.to_xml(Timestamp::now()))?;
    let mut page = Page::new(Look::for_stderr(&session.environment));
    page.gap();
    page.line(
        0,
        "The same with your own coding agent, then with your own project:",
    );
    page.command(1, "baton demo --agent claude");
    page.command(
        1,
        "cd YOUR-CHECKOUT && baton doctor && baton run \"What you want\"",
    );
    terminal::error_line(&format!("\n{}", page.into_text().trim_end()));
    Ok(Exit::Done)
}
