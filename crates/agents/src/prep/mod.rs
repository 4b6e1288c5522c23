//! prep-agent: a place to work in, and the evidence that one can.

mod checks;
mod env_files;
mod environment;
mod ground;
mod kept_environment;
mod leftovers;
mod names;
mod prepared;

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
use self::ground::Subject;
use crate::Errand;
use crate::claim::Claim;
use crate::confine::CommandSandbox;
use crate::failure::{self, Setback};
use crate::handed;
use crate::project_command::{self, Ran};
use crate::workspace::{self, BASE_BRANCH, BASE_COMMIT, Workspace, element};

pub(crate) use environment::{RunEnvironment, tools_folder};
pub(crate) use ground::{is_clean, ports_folder};
pub(crate) use prepared::{Prepared, give_back};

/// A project may have nothing to install, build or start.
const NOTHING_CHECKED: WorkspaceChecks = WorkspaceChecks {
    dependencies: None,
    build: None,
    dev_server: None,
    other: Vec::new(),
};

/// What people can answer where something fails before anybody changed a thing.
const GO_ON: char = 'g';
const AGAIN: char = 'r';

pub(crate) async fn run(errand: &Errand<'_>) -> StepResult {
    failure::result(prepare(errand).await, Usage::default())
}

/// Removes what a run had for itself besides its workspace. What cannot be removed
/// is no reason to keep the run open.
pub(crate) async fn let_go(errand: &Errand<'_>) {
    environment::remove(errand);
    if let Err(setback) = leftovers::forget(errand).await {
        tracing::debug!(?setback, "the list of excluded files stays");
    }
}

async fn prepare(errand: &Errand<'_>) -> Result<Report, Setback> {
    if errand.call.resumed {
        end_survivors(&project_command::mark(errand), failure::GRACE).await;
    }
    let issue = handed::issue(errand)?;
    let subject = subject(errand, issue).await?;
    let (claim, git) = ground::lay(errand, &subject).await?;
    if !claim.in_place {
        let checkout = workspace::git(errand).await?;
        for file in env_files::copy(&checkout, &git).await? {
            errand.context.say(&format!("copied {}", file.display()));
        }
    }
    let (found, trouble) = check(errand, &claim, &git).await?;
    restore_tracked(errand, &git, &claim).await?;
    if !claim.in_place && git.commit("HEAD").await? == claim.begun {
        Prepared::record(errand, &git).await?;
    }
    if let Some((what, ran)) = trouble
        && errand.answers().last().map(|last| last.choice) != Some(GO_ON)
    {
        return Ok(ask_about(what, &claim.base, &ran));
    }
    ready(errand, issue, &claim, found)
}

/// Makes the workspace what it was after `prepare`, with the newest commit: what
/// agents and tests left is set aside, and what the commit asks for and is not
/// installed yet is installed. An error where that fails.
pub(crate) async fn renew(
    errand: &Errand<'_>,
    workspace: &Workspace,
) -> Result<Result<(), Ran>, Setback> {
    let Some(prepared) = Prepared::load(errand) else {
        return Ok(Ok(()));
    };
    let (git, folder) = (&workspace.git, &workspace.path);
    let fits = prepared.fits(git).await?;
    prepared.restore(errand, git, fits).await?;
    let sandbox = &errand.place.sandbox;
    let is_kept = sandbox.is_off(Role::Install) || sandbox.keeps_prepared(Role::Install);
    if !is_kept {
        // An agent may have changed it, so it is made again.
        prepared.remove(folder)?;
        environment::remove_tools(errand)?;
    }
    let errand = errand.with_commands(CommandSandbox::for_installing());
    let done = install_again(&errand, workspace, is_kept && fits).await;
    errand.finish_commands();
    done
}

async fn install_again(
    errand: &Errand<'_>,
    workspace: &Workspace,
    is_installed: bool,
) -> Result<Result<(), Ran>, Setback> {
    let (git, folder) = (&workspace.git, &workspace.path);
    let mut project = project_command::look(errand, folder);
    if !is_installed {
        errand.context.say("installs what the change asks for");
        let made = match environment::make(errand, git, folder, &project).await? {
            Ok(made) => made,
            Err(ran) => return Ok(Err(ran)),
        };
        project = project_command::look(errand, folder);
        if let Some(Err(ran)) = checks::install(errand, folder, &project, &made).await? {
            return Ok(Err(ran));
        }
        if let Some(ran) = environment::complete(errand, folder, &project, &made).await? {
            return Ok(Err(ran));
        }
    }
    match checks::generate(errand, folder, &project).await? {
        Some(Err(ran)) => Ok(Err(ran)),
        _ => Ok(Ok(())),
    }
}

/// The handoff says which issue; whether it is there and open is looked at.
async fn subject<'a>(errand: &Errand<'_>, issue: &'a IssueReady) -> Result<Subject<'a>, Setback> {
    let place = errand.place;
    let number = handed::number(issue.issue_number)?;
    if let Some(wanted) = errand.goal().issue
        && wanted != u64::from(number)
    {
        return Err(Setback::rejected(format!(
            "issue #{number} was handed over, and the run is about #{wanted}"
        )));
    }
    let found = place.github.issue(&place.repository, number).await;
    let there =
        found.map_err(|error| Setback::unless_there(format_args!("issue #{number}"), error))?;
    if there.pull_request.is_some() {
        return Err(Setback::rejected(format!("#{number} is a pull request")));
    }
    if there.state != IssueState::Open {
        return Err(Setback::blocked(format!(
            "issue #{number} was closed meanwhile; open it again, or cancel the run"
        )));
    }
    let kind = issue.issue_type.word();
    Ok(Subject {
        kind: kind.ok_or_else(|| Setback::rejected("the issue has no type"))?,
        issue: number,
        title: &issue.issue_title,
    })
}

/// What was found to work, and the first thing that does not.
async fn check(
    errand: &Errand<'_>,
    claim: &Claim,
    git: &Git,
) -> Result<(WorkspaceChecks, Option<(&'static str, Ran)>), Setback> {
    let folder = claim.path(&errand.place.checkout);
    let project = project_command::look(errand, &folder);
    let mut found = NOTHING_CHECKED;
    let made = match environment::make(errand, git, &folder, &project).await? {
        Ok(made) => made,
        Err(ran) => return Ok((found, Some(("there is no environment for Python", ran)))),
    };
    // The environment brings tools with it.
    let project = project_command::look(errand, &folder);
    let installed = checks::install(errand, &folder, &project, &made).await?;
    if let Err(ran) = word(installed, &mut found.dependencies)? {
        return Ok((found, Some(("the dependencies cannot be installed", ran))));
    }
    if let Some(ran) = environment::complete(errand, &folder, &project, &made).await? {
        return Ok((found, Some(("the dependencies cannot be installed", ran))));
    }
    made.keep(errand, git).await?;
    // Dependencies bring tools with them.
    let project = project_command::look(errand, &folder);
    let mut generated = None;
    let generation = checks::generate(errand, &folder, &project).await?;
    if let Err(ran) = word(generation, &mut generated)? {
        return Ok((found, Some(("code cannot be generated", ran))));
    }
    if generated.is_some() {
        found.other.push(element("generated_code", "written"));
    }
    let built = checks::build(errand, &folder, &project).await?;
    if let Err(ran) = word(built, &mut found.build)? {
        return Ok((found, Some(("the build fails", ran))));
    }
    if errand.place.settings.preferred.test.is_none() {
        checks::compile_tests(errand, &folder, &project).await?;
    }
    if let (Some(server), Some(port)) = (&errand.place.settings.dev_server, claim.port) {
        let served = checks::dev_server(errand, &folder, server, port).await?;
        if let Err(ran) = word(served, &mut found.dev_server)? {
            return Ok((found, Some(("the server does not start", ran))));
        }
    }
    Ok((found, None))
}

fn word(checked: Checked, place: &mut Option<Line>) -> Result<Result<(), Ran>, Setback> {
    match checked {
        None => {}
        Some(Ok(word)) => *place = Some(handed::line(word)?),
        Some(Err(ran)) => {
            *place = Some(handed::line("failing")?);
            return Ok(Err(ran));
        }
    }
    Ok(Ok(()))
}

/// Commands may have written to files that are committed, and made new ones.
/// Nobody has worked here yet, so that is no work of anybody.
async fn restore_tracked(errand: &Errand<'_>, git: &Git, claim: &Claim) -> Result<(), Setback> {
    if git.commit("HEAD").await? == claim.begun {
        let call =
            Call::write("put back what commands changed").args(["checkout", "--quiet", "--", ":/"]);
        git.call(call).await?.success()?;
        leftovers::exclude(errand, git).await?;
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
    errand: &Errand<'_>,
    issue: &IssueReady,
    claim: &Claim,
    checks: WorkspaceChecks,
) -> Result<Report, Setback> {
    let path = claim.path(&errand.place.checkout);
    let text = path.to_str();
    let text =
        text.ok_or_else(|| Setback::permanent("the path of the checkout is not plain text"))?;
    let kind = if claim.in_place {
        WorkspaceType::InPlace
    } else {
        WorkspaceType::Worktree
    };
    handed::pass(Handoff::WorkspaceReady(WorkspaceReady {
        timestamp: Some(Timestamp::now().into()),
        issue_url: issue.issue_url.clone(),
        issue_number: issue.issue_number,
        pr_url: None,
        pr_number: None,
        branch: handed::line(&claim.branch)?,
        workspace_path: handed::line(text)?,
        workspace_type: kind.into(),
        port: claim.port.and_then(NonZeroU16::new),
        status: WorkspaceStatus::Ready.into(),
        summary: Some(format!("Prepared {} from {}", claim.branch, claim.base)),
        validation: Some(checks).filter(|checks| *checks != NOTHING_CHECKED),
        other: vec![
            element(BASE_BRANCH, &claim.base),
            element(BASE_COMMIT, claim.begun.as_str()),
        ],
    }))
}
