//! `baton run`: carries work to a merged pull request.

use baton_workflow::Mode;
use clap::ValueEnum;

use crate::error::CommandError;
use crate::exit::Exit;
use crate::runs::{self, DriveOptions, DriveOutcome, Driving, Order};
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Look, Style, sanitize};

/// Carry a request or an issue to a merged pull request
///
/// Finds or writes the issue, prepares a worktree, lets a coding agent work in
/// it, opens the pull request, has it reviewed and fixed, waits for CI, merges,
/// and closes the issue. Every step is written down before it is taken: whatever
/// happens to this process, `baton resume` goes on where it was.
///
/// Exits 0 when the pull request is merged, 1 when the run failed or was
/// cancelled, 5 when it asks something and no one is at the terminal.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What you want, in words; or an issue: its number, owner/repo#12 or its URL
    #[arg(value_name = "TEXT|NUMBER|ISSUE-URL")]
    what: String,

    /// A checkout, owner/name or the repository's URL; by default the checkout
    /// around this folder
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,

    /// The coding agent that writes; by default agent.name, else the first that
    /// is installed
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,

    /// When you are asked; by default run.mode
    #[arg(long, value_enum)]
    mode: Option<ModeName>,

    /// The branch to merge into; by default the repository's default branch
    #[arg(long, value_name = "BRANCH")]
    base: Option<String>,

    /// No one will answer: fail where a question would be asked
    #[arg(long)]
    unattended: bool,

    /// Leave the run to a process in the background and print its name
    #[arg(long)]
    detach: bool,

    /// Print the run as one JSON object at the end
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ModeName {
    /// Only when the run cannot go on without an answer
    Autonomous,
    /// Also before the pull request and before the merge
    Semi,
    /// Before every pass
    Supervised,
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Autonomous => Self::Autonomous,
            ModeName::Semi => Self::Semi,
            ModeName::Supervised => Self::Supervised,
        }
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let order = Order {
        what: args.what.clone(),
        repository: args.repo.clone(),
        agent: args.agent.clone(),
        mode: args.mode.map(Mode::from),
        base: args.base.clone(),
        unattended: args.unattended,
    };
    runtime::drive(async |cancel| {
        let (goal, policy) = tokio::select! {
            prepared = runs::prepare(&order, session, &cancel) => prepared?,
            () = cancel.cancelled() => return Err(CommandError::interrupted()),
        };
        let mut driving = Driving::open(session).await?;
        let created = driving.engine.create(goal, policy).await;
        let run = created.map_err(|error| runs::failed(&error))?;
        if args.detach {
            let log = runs::drive_in_background(&driving.engine, &run, session).await?;
            terminal::error_line(&format!(
                "It goes on in the background; `baton logs -f {run}` follows it. Its log: {}",
                sanitize(&log.to_string_lossy())
            ));
            let state = driving.engine.state(&run).await;
            let state = state.map_err(|error| runs::failed(&error))?;
            terminal::result(&if args.json {
                super::show::as_json(&runs::describe(&state, true))
            } else {
                format!("{run}\n")
            })?;
            return Ok(Exit::Done);
        }
        let outcome = driving
            .drive(&run, DriveOptions::for_caller(), &cancel)
            .await?;
        finish(&outcome, args.json, session)
    })
}

/// Reports how a run stands; the result goes to standard output.
pub(crate) fn finish(
    outcome: &DriveOutcome,
    json: bool,
    session: &Session,
) -> Result<Exit, CommandError> {
    let state = outcome.state();
    if let (DriveOutcome::Asks(_), Some(question)) = (outcome, state.question()) {
        runs::show_question(
            state.run(),
            question,
            Look::for_stderr(&session.environment),
        );
    }
    let workflow = runs::describe(state, false);
    terminal::result(&if json {
        super::show::as_json(&workflow)
    } else {
        match (&workflow.pr_url, outcome) {
            (Some(url), DriveOutcome::Ended(_)) => format!("{}\n", sanitize(url)),
            _ => format!("{}\n", workflow.run),
        }
    })?;
    if outcome.exit() == Exit::Failed {
        terminal::error_line(&format!(
            "{} `baton show {}` says what happened.",
            Style::Hint.paint("hint:"),
            workflow.run
        ));
    }
    Ok(outcome.exit())
}
