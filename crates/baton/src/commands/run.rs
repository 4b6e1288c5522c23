//! `baton run`: carries work to a merged pull request.

use baton_workflow::{Mode, Until};
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
/// Exits 0 when the pull request is merged, or when the run has gone as far as --until says, 1 when the run failed or was
/// cancelled, 5 when it asks something and no one is at the terminal.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What you want, in words; or an issue: its number, owner/repo#12 or its URL
    #[arg(value_name = "TEXT|NUMBER|ISSUE-URL")]
    what: String,

    /// How far it goes; by default to the merge, or as far as run.merge lets it
    #[arg(long, value_enum)]
    until: Option<UntilName>,

    /// The branch to merge into; by default the repository's default branch
    #[arg(long, value_name = "BRANCH")]
    base: Option<String>,

    #[command(flatten)]
    driving: DrivingArgs,
}

/// Flags of all verbs that begin a run.
#[derive(clap::Args)]
pub(super) struct DrivingArgs {
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
enum UntilName {
    /// The pull request is open, as a draft
    Pr,
    /// It is reviewed and validated; people merge it
    Ready,
    /// It is merged, and the issue is closed
    Merge,
}

impl From<UntilName> for Until {
    fn from(name: UntilName) -> Self {
        match name {
            UntilName::Pr => Self::Pr,
            UntilName::Ready => Self::Ready,
            UntilName::Merge => Self::Merge,
        }
    }
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
        tends: false,
        until: args.until.map(Until::from),
        base: args.base.clone(),
        ..args.driving.order()
    };
    args.driving.start(&order, session)
}

impl DrivingArgs {
    /// What is the same for all kinds of runs.
    pub(super) fn order(&self) -> Order {
        Order {
            repository: self.repo.clone(),
            agent: self.agent.clone(),
            mode: self.mode.map(Mode::from),
            unattended: self.unattended,
            ..Order::default()
        }
    }

    /// Begins a run, and drives it to its end or its next question.
    pub(super) fn start(&self, order: &Order, session: &Session) -> Result<Exit, CommandError> {
        runtime::drive(async |cancel| {
            let (goal, policy) = tokio::select! {
                prepared = runs::prepare(order, session, &cancel) => prepared?,
                () = cancel.cancelled() => return Err(CommandError::interrupted()),
            };
            let mut driving = Driving::open(session).await?;
            let created = driving.engine.create(goal, policy).await;
            let run = created.map_err(|error| runs::failed(&error))?;
            if self.detach {
                let log = runs::drive_in_background(&driving.engine, &run, session).await?;
                terminal::error_line(&format!(
                    "It goes on in the background; `baton logs -f {run}` follows it. Its log: {}",
                    sanitize(&log.to_string_lossy())
                ));
                let state = driving.engine.state(&run).await;
                let state = state.map_err(|error| runs::failed(&error))?;
                terminal::result(&if self.json {
                    super::show::as_json(&runs::describe(&state, true))
                } else {
                    format!("{run}\n")
                })?;
                return Ok(Exit::Done);
            }
            let outcome = driving
                .drive(&run, DriveOptions::for_caller(), &cancel)
                .await?;
            finish(&outcome, self.json, session)
        })
    }
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
