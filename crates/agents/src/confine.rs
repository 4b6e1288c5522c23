//! Sandboxes for what runs in a step: one for the project's commands, made when
//! the first of them is run, and one for each coding agent.

use std::fs;
use std::path::{Path, PathBuf};

use baton_engine::PEOPLE_KEY_NAME;
use baton_engine::agent::Agent;
use baton_host::cmd::Environment;
use baton_host::sandbox::{
    self, Confinement, ConfinementError, Decoy, Role, RunFolders, SandboxSettings,
};
use baton_state::DATABASE_NAME;
use baton_workflow::Step;
use tokio::sync::OnceCell;

use crate::AgentStep;
use crate::claim;
use crate::step_error::StepError;
use crate::foreign_text::one_line;
use crate::prep::{self, Prepared};
use crate::repository;
use crate::workspace;

/// Of a worktree's names, as many as are likely to be looked for.
const MAX_BAITS: usize = 200;

/// What an intruder looks for in every checkout.
const CHECKOUT_BAITS: &[&str] = &[
    ".env",
    ".git/HEAD",
    ".git/config",
    ".git/hooks",
    ".git/index",
    ".git/refs",
];

/// The sandbox of a step's project commands.
///
/// What they leave in their home folder, in caches and in what was prepared goes
/// with it: tests that ran once must not decide how the next ones end.
pub(crate) struct CommandSandbox {
    role: Role,
    /// Tells sandboxes of one step apart; those of the same name share what
    /// they leave.
    name: &'static str,
    confinement: OnceCell<Confinement>,
}

const COMMANDS: &str = "commands";

impl Default for CommandSandbox {
    fn default() -> Self {
        Self::new(Role::Command, COMMANDS)
    }
}

impl CommandSandbox {
    /// For commands that install what later commands of the step need.
    pub(crate) fn for_installing() -> Self {
        Self::new(Role::Install, COMMANDS)
    }

    /// For the tests of the tree before the change, which those of the change
    /// must not reach.
    pub(crate) fn for_base() -> Self {
        Self::new(Role::Command, "base")
    }

    fn new(role: Role, name: &'static str) -> Self {
        Self {
            role,
            name,
            confinement: OnceCell::new(),
        }
    }

    /// The same variables, with children restricted.
    pub(crate) async fn wrap(
        &self,
        step: &AgentStep<'_>,
        worktree: &Path,
        environment: &Environment,
    ) -> Result<Environment, StepError> {
        let start = async || {
            let role = match step.call.step {
                Step::Prepare => Role::Prepare,
                _ => self.role,
            };
            let settings = &step.place.sandbox;
            let own = self.folder(step);
            start(step, settings, role, &own, worktree, environment, None).await
        };
        let confinement = self.confinement.get_or_try_init(start).await?;
        Ok(confinement.wrap(environment))
    }

    /// Tells what was noticed.
    pub(crate) fn finish(self, step: &AgentStep<'_>) {
        if let Some(confinement) = self.confinement.into_inner() {
            tell(step, "a command of the project", confinement);
        }
    }

    fn folder(&self, step: &AgentStep<'_>) -> PathBuf {
        match step.call.step {
            Step::Prepare => prepare_folder(step),
            _ => steps_folder(step).join(self.name),
        }
    }
}

/// Removes what commands of a step left.
pub(crate) fn forget(folder: &Path) {
    if let Err(error) = sandbox::remove_layers(folder) {
        tracing::warn!(%error, folder = %folder.display(), "cannot remove");
    }
}

fn private_folder(step: &AgentStep<'_>) -> PathBuf {
    claim::private_folder(&step.place.checkout, step.call.run())
}

fn prepare_folder(step: &AgentStep<'_>) -> PathBuf {
    private_folder(step).join("prepare")
}

/// Where commands of a step leave things. One step of a run is done at a time.
pub(crate) fn steps_folder(step: &AgentStep<'_>) -> PathBuf {
    private_folder(step).join("step")
}

/// A sandbox for a coding agent.
pub(crate) async fn for_agent(
    step: &AgentStep<'_>,
    role: Role,
    worktree: &Path,
    environment: &Environment,
    agent: &Agent,
) -> Result<Confinement, StepError> {
    let settings = &step.place.sandbox;
    // One that writes finds what it left in its home folder and in what was
    // prepared when it goes on.
    let own = private_folder(step).join(match role {
        Role::Reader => "reviewer",
        _ => "agent",
    });
    start(
        step,
        settings,
        role,
        &own,
        worktree,
        environment,
        Some(agent),
    )
    .await
}

/// A sandbox for a server that baton itself has to reach: it shares this
/// machine's network.
pub(crate) async fn for_server(
    step: &AgentStep<'_>,
    worktree: &Path,
    environment: &Environment,
) -> Result<Confinement, StepError> {
    let mut settings = step.place.sandbox.clone();
    settings.hosts.push("*".to_owned());
    start(
        step,
        &settings,
        Role::Command,
        &prepare_folder(step),
        worktree,
        environment,
        None,
    )
    .await
}

/// Keeps what was noticed in the run's record.
pub(crate) fn tell(step: &AgentStep<'_>, who: &str, confinement: Confinement) {
    for text in confinement.finish() {
        let text = one_line(&text, 400);
        step.context.notice(&format!("{who} {text}"));
    }
}

async fn start(
    step: &AgentStep<'_>,
    settings: &SandboxSettings,
    role: Role,
    own: &Path,
    worktree: &Path,
    environment: &Environment,
    agent: Option<&Agent>,
) -> Result<Confinement, StepError> {
    let place = step.place;
    let private = private_folder(step);
    let tools = prep::tools_folder(step);
    let made = fs::create_dir_all(&tools);
    made.map_err(|error| StepError::file(format_args!("make {}", tools.display()), &error))?;
    let checkout = workspace::git(step).await?;
    let committer = checkout.committer().await?;
    let lender = checkout.facts().await?.common_dir;
    let is_in_place = worktree == place.checkout;
    let borrowed = [
        repository::path(step).join("objects"),
        lender.join("objects"),
    ];
    let protected = if is_in_place {
        vec![lender]
    } else {
        Vec::new()
    };
    let caches = place.state_dir.as_ref().map(|state| {
        let repository = place.repository.to_string().replace('/', "_");
        state.join("caches").join(repository)
    });
    let decoys = decoys(step, worktree);
    let mut settings = settings.clone();
    let prepare = prepare_folder(step);
    let prepared = match step.call.step {
        Step::Prepare => None,
        _ => Prepared::load(step).map(|prepared| prepared.folders(worktree)),
    };
    let prepared = match prepared {
        Some(mut folders) if settings.keeps_prepared(role) => {
            folders.push(tools);
            Some(folders)
        }
        _ => {
            settings.writable.push(tools);
            None
        }
    };
    let program = agent.and_then(|agent| program_of(agent, environment));
    let programs: Vec<PathBuf> = program.into_iter().collect();
    let folders = RunFolders {
        worktree,
        private: &private,
        own,
        prepared: prepared.as_deref().map(|folders| sandbox::Prepared {
            own: &prepare,
            folders,
        }),
        borrowed: &borrowed,
        protected: &protected,
        decoys: &decoys,
        caches: caches.as_deref(),
        logins: agent.map_or(&[], |agent| agent.login_files()),
        programs: &programs,
        named: agent.map_or(&[], |agent| agent.args.as_slice()),
        committer: committer
            .as_ref()
            .map(|committer| (committer.name.as_str(), committer.email.as_str())),
    };
    Confinement::start(&settings, role, &folders, environment).map_err(|error| match error {
        ConfinementError::TooWeak { .. } => StepError::blocked(error.to_string()),
        ConfinementError::File { doing, source } => StepError::file(doing, &source),
    })
}

/// What of the user's a run has no business in. The stand-ins have names that are
/// no secret: those of baton's own files, and those of the worktree.
fn decoys(step: &AgentStep<'_>, worktree: &Path) -> Vec<Decoy> {
    let place = step.place;
    let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
    let mut decoys = Vec::new();
    if let Some(state) = &place.state_dir {
        decoys.push(Decoy {
            at: state.clone(),
            what: "baton's state folder",
            baits: paths(&[PEOPLE_KEY_NAME, DATABASE_NAME, "runs"]),
        });
    }
    if worktree != place.checkout {
        let mut baits = paths(CHECKOUT_BAITS);
        let entries = fs::read_dir(worktree).into_iter().flatten().flatten();
        baits.extend(
            entries
                .take(MAX_BAITS)
                .map(|entry| entry.file_name().into()),
        );
        decoys.push(Decoy {
            at: place.checkout.clone(),
            what: "your checkout",
            baits,
        });
    }
    decoys
}

fn program_of(agent: &Agent, environment: &Environment) -> Option<PathBuf> {
    let program = Path::new(&agent.program);
    if program.is_absolute() {
        return Some(program.to_owned());
    }
    environment.find_program(&agent.program)
}
