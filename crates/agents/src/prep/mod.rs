//! prep-agent: a place to work in, and the evidence that one can.

mod adopted;
mod checks;
mod env_files;
mod environment;
mod kept_environment;
mod leftovers;
mod names;
mod prepared;
mod worktree;

use std::num::NonZeroU16;

use baton_engine::StepResult;
use baton_host::cmd::end_survivors;
use baton_host::git::{Call, Git};
use baton_host::sandbox::Role;
use baton_protocol::handoff::{
    Handoff, IssueReady, Line, WorkspaceChecks, WorkspaceReady, WorkspaceStatus, WorkspaceType,
};
use baton_remote::github::enums::IssueState;
use baton_workflow::{Choice, Report, StepQuestion, Usage};
use jiff::Timestamp;

use self::checks::Checked;
use self::worktree::Subject;
use crate::AgentStep;
use crate::claim::Claim;
use crate::confine::CommandSandbox;
use crate::handoffs;
use crate::project_command::{self, Ran};
use crate::step_error::{self, StepError};
use crate::workspace::{self, BASE_BRANCH, BASE_COMMIT, PUSH_REMOTE, Workspace, element};

pub(crate) use environment::{RunEnvironment, tools_folder};
pub(crate) use prepared::{Prepared, give_back};
pub(crate) use worktree::{is_clean, ports_folder};

/// A project may have nothing to install, build or start.
const NOTHING_CHECKED: WorkspaceChecks = WorkspaceChecks {
    dependencies: None,
    build: None,
    dev_server: None,
    other: Vec::new(),
};

/// What people can answer where something fails before anyone changed a thing.
const GO_ON: char = 'g';
const AGAIN: char = 'r';

pub(crate) async fn run(step: &AgentStep<'_>) -> StepResult {
    step_error::result(prepare(step).await, Usage::default())
}

/// Removes what a run had for itself besides its workspace. What cannot be removed
/// is no reason to keep the run open.
pub(crate) async fn let_go(step: &AgentStep<'_>) {
    environment::remove(step);
    if let Err(error) = leftovers::forget(step).await {
        tracing::debug!(?error, "the list of excluded files stays");
    }
}

async fn prepare(step: &AgentStep<'_>) -> Result<Report, StepError> {
    if step.call.resumed {
        end_survivors(&project_command::mark(step), step_error::GRACE).await;
    }
    let issue = handoffs::issue(step)?;
    let subject = match step.goal().pull_request {
        Some(number) => Subject::Adopted(adopted::look(step, number).await?),
        None => subject(step, issue).await?,
    };
    let (claim, git) = worktree::ensure(step, &subject).await?;
    if !claim.in_place {
        let checkout = workspace::git(step).await?;
        for file in env_files::copy(&checkout, &git).await? {
            step.context.say(&format!("copied {}", file.display()));
        }
    }
    let (found, trouble) = check(step, &claim, &git).await?;
    restore_tracked(step, &git, &claim).await?;
    if !claim.in_place && git.commit("HEAD").await? == claim.begun {
        Prepared::record(step, &git).await?;
    }
    if let Some((what, ran)) = trouble
        && step.answers().last().map(|last| last.choice) != Some(GO_ON)
    {
        return Ok(ask_about(what, &claim.base, &ran));
    }
    ready(step, issue, &claim, &subject, found)
}

/// Makes the workspace what it was after `prepare`, with the newest commit: what
/// agents and tests left is set aside, and what the commit asks for and is not
/// installed yet is installed. An error where that fails.
pub(crate) async fn renew(
    step: &AgentStep<'_>,
    workspace: &Workspace,
) -> Result<Result<(), Ran>, StepError> {
    let Some(prepared) = Prepared::load(step) else {
        return Ok(Ok(()));
    };
    let (git, folder) = (&workspace.git, &workspace.path);
    let fits = prepared.fits(git).await?;
    prepared.restore(step, git, fits).await?;
    let sandbox = &step.place.sandbox;
    let is_kept = sandbox.is_off(Role::Install) || sandbox.keeps_prepared(Role::Install);
    if !is_kept {
        // An agent may have changed it, so it is made again.
        prepared.remove(folder)?;
        environment::remove_tools(step)?;
    }
    let step = step.with_commands(CommandSandbox::for_installing());
    let done = install_again(&step, workspace, is_kept && fits).await;
    step.finish_commands();
    done
}

async fn install_again(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    is_installed: bool,
) -> Result<Result<(), Ran>, StepError> {
    let (git, folder) = (&workspace.git, &workspace.path);
    let mut project = project_command::look(step, folder);
    if !is_installed {
        step.context.say("installs what the change asks for");
        let made = match environment::make(step, git, folder, &project).await? {
            Ok(made) => made,
            Err(ran) => return Ok(Err(ran)),
        };
        project = project_command::look(step, folder);
        if let Some(Err(ran)) = checks::install(step, folder, &project, &made).await? {
            return Ok(Err(ran));
        }
        if let Some(ran) = environment::complete(step, folder, &project, &made).await? {
            return Ok(Err(ran));
        }
    }
    match checks::generate(step, folder, &project).await? {
        Some(Err(ran)) => Ok(Err(ran)),
        _ => Ok(Ok(())),
    }
}

/// The handoff says which issue; whether it is there and open is looked at.
async fn subject<'a>(
    step: &AgentStep<'_>,
    issue: &'a IssueReady,
) -> Result<Subject<'a>, StepError> {
    let place = step.place;
    let number = handoffs::number(issue.issue_number)?;
    if let Some(wanted) = step.goal().issue
        && wanted != u64::from(number)
    {
        return Err(StepError::rejected(format!(
            "issue #{number} was handed over, and the run is about #{wanted}"
        )));
    }
    let found = place.github.issue(&place.repository, number).await;
    let there =
        found.map_err(|error| StepError::unless_there(format_args!("issue #{number}"), error))?;
    if there.pull_request.is_some() {
        return Err(StepError::rejected(format!("#{number} is a pull request")));
    }
    if there.state != IssueState::Open {
        return Err(StepError::blocked(format!(
            "issue #{number} was closed meanwhile; open it again, or cancel the run"
        )));
    }
    let kind = issue.issue_type.word();
    Ok(Subject::New {
        kind: kind.ok_or_else(|| StepError::rejected("the issue has no type"))?,
        issue: number,
        title: &issue.issue_title,
    })
}

/// What was found to work, and the first thing that does not.
async fn check(
    step: &AgentStep<'_>,
    claim: &Claim,
    git: &Git,
) -> Result<(WorkspaceChecks, Option<(&'static str, Ran)>), StepError> {
    let folder = claim.path(&step.place.checkout);
    let project = project_command::look(step, &folder);
    let mut found = NOTHING_CHECKED;
    let made = match environment::make(step, git, &folder, &project).await? {
        Ok(made) => made,
        Err(ran) => return Ok((found, Some(("there is no environment for Python", ran)))),
    };
    // The environment brings tools with it.
    let project = project_command::look(step, &folder);
    let installed = checks::install(step, &folder, &project, &made).await?;
    if let Err(ran) = word(installed, &mut found.dependencies)? {
        return Ok((found, Some(("the dependencies cannot be installed", ran))));
    }
    if let Some(ran) = environment::complete(step, &folder, &project, &made).await? {
        return Ok((found, Some(("the dependencies cannot be installed", ran))));
    }
    made.keep(step, git).await?;
    // Dependencies bring tools with them.
    let project = project_command::look(step, &folder);
    let mut generated = None;
    let generation = checks::generate(step, &folder, &project).await?;
    if let Err(ran) = word(generation, &mut generated)? {
        return Ok((found, Some(("code cannot be generated", ran))));
    }
    if generated.is_some() {
        found.other.push(element("generated_code", "written"));
    }
    let built = checks::build(step, &folder, &project).await?;
    if let Err(ran) = word(built, &mut found.build)? {
        return Ok((found, Some(("the build fails", ran))));
    }
    if step.place.settings.preferred.test.is_none() {
        checks::compile_tests(step, &folder, &project).await?;
    }
    if let (Some(server), Some(port)) = (&step.place.settings.dev_server, claim.port) {
        let served = checks::dev_server(step, &folder, server, port).await?;
        if let Err(ran) = word(served, &mut found.dev_server)? {
            return Ok((found, Some(("the server does not start", ran))));
        }
    }
    Ok((found, None))
}

fn word(checked: Checked, place: &mut Option<Line>) -> Result<Result<(), Ran>, StepError> {
    match checked {
        None => {}
        Some(Ok(word)) => *place = Some(handoffs::line(word)?),
        Some(Err(ran)) => {
            *place = Some(handoffs::line("failing")?);
            return Ok(Err(ran));
        }
    }
    Ok(Ok(()))
}

/// Commands may have written to files that are committed, and made new ones.
/// No agent has worked here yet, so no work is lost.
async fn restore_tracked(step: &AgentStep<'_>, git: &Git, claim: &Claim) -> Result<(), StepError> {
    if git.commit("HEAD").await? == claim.begun {
        let call =
            Call::write("put back what commands changed").args(["checkout", "--quiet", "--", ":/"]);
        git.call(call).await?.success()?;
        leftovers::exclude(step, git).await?;
    }
    Ok(())
}

fn ask_about(what: &str, base: &str, ran: &Ran) -> Report {
    let text = format!(
        "{what}, and nothing was changed on {base} yet: {}",
        ran.told()
    );
    Report::Asks {
        question: StepQuestion {
            text,
            options: vec![
                Choice::new(AGAIN, "try again"),
                Choice::new(GO_ON, "go on all the same"),
            ],
            objections: Vec::new(),
        },
    }
}

fn ready(
    step: &AgentStep<'_>,
    issue: &IssueReady,
    claim: &Claim,
    subject: &Subject<'_>,
    checks: WorkspaceChecks,
) -> Result<Report, StepError> {
    let path = claim.path(&step.place.checkout);
    let text = path.to_str();
    let text =
        text.ok_or_else(|| StepError::permanent("the path of the checkout is not plain text"))?;
    let kind = if claim.in_place {
        WorkspaceType::InPlace
    } else {
        WorkspaceType::Worktree
    };
    let mut other = vec![
        element(BASE_BRANCH, &claim.base),
        element(BASE_COMMIT, claim.begun.as_str()),
    ];
    let (mut pr_url, mut pr_number) = (None, None);
    if let Subject::Adopted(pull) = subject {
        pr_url = Some(handoffs::url(&pull.url)?);
        pr_number = Some(handoffs::non_zero(pull.number)?);
        other.push(element(PUSH_REMOTE, &pull.remote));
    }
    handoffs::pass(Handoff::WorkspaceReady(WorkspaceReady {
        timestamp: Some(Timestamp::now().into()),
        issue_url: issue.issue_url.clone(),
        issue_number: issue.issue_number,
        pr_url,
        pr_number,
        branch: handoffs::line(&claim.branch)?,
        workspace_path: handoffs::line(text)?,
        workspace_type: kind.into(),
        port: claim.port.and_then(NonZeroU16::new),
        status: WorkspaceStatus::Ready.into(),
        summary: Some(format!("Prepared {} from {}", claim.branch, claim.base)),
        validation: Some(checks).filter(|checks| *checks != NOTHING_CHECKED),
        other,
    }))
}
