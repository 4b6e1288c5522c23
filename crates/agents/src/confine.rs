//! Sandboxes for what runs in a step: one for the project's commands, made when
//! the first of them is run, and one for each coding agent.

use std::fs;
use std::path::{Path, PathBuf};

use baton_engine::PEOPLE_KEY_NAME;
use baton_engine::agent::Agent;
use baton_host::cmd::Environment;
use baton_host::sandbox::{
    Confinement, ConfinementError, Decoy, Role, RunFolders, SandboxSettings,
};
use baton_state::DATABASE_NAME;
use baton_workflow::Step;
use tokio::sync::OnceCell;

use crate::Errand;
use crate::claim;
use crate::failure::Setback;
use crate::foreign_text::one_line;
use crate::prep;
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
#[derive(Default)]
pub(crate) struct CommandSandbox(OnceCell<Confinement>);

impl CommandSandbox {
    /// The same variables, with children restricted.
    pub(crate) async fn wrap(
        &self,
        errand: &Errand<'_>,
        worktree: &Path,
        environment: &Environment,
    ) -> Result<Environment, Setback> {
        let start = async || {
            let role = match errand.call.step {
                Step::Prepare => Role::Prepare,
                _ => Role::Command,
            };
            let settings = &errand.place.sandbox;
            start(errand, settings, role, worktree, environment, None).await
        };
        let confinement = self.0.get_or_try_init(start).await?;
        Ok(confinement.wrap(environment))
    }

    /// Tells what was noticed.
    pub(crate) fn finish(self, errand: &Errand<'_>) {
        if let Some(confinement) = self.0.into_inner() {
            tell(errand, "a command of the project", confinement);
        }
    }
}

/// A sandbox for a coding agent.
pub(crate) async fn for_agent(
    errand: &Errand<'_>,
    role: Role,
    worktree: &Path,
    environment: &Environment,
    agent: &Agent,
) -> Result<Confinement, Setback> {
    let settings = &errand.place.sandbox;
    start(errand, settings, role, worktree, environment, Some(agent)).await
}

/// A sandbox for a server that baton itself has to reach: it shares this
/// machine's network.
pub(crate) async fn for_server(
    errand: &Errand<'_>,
    worktree: &Path,
    environment: &Environment,
) -> Result<Confinement, Setback> {
    let mut settings = errand.place.sandbox.clone();
    settings.hosts.push("*".to_owned());
    start(
        errand,
        &settings,
        Role::Command,
        worktree,
        environment,
        None,
    )
    .await
}

/// Keeps what was noticed in the run's record.
pub(crate) fn tell(errand: &Errand<'_>, who: &str, confinement: Confinement) {
    for text in confinement.finish() {
        let text = one_line(&text, 400);
        errand.context.notice(&format!("{who} {text}"));
    }
}

async fn start(
    errand: &Errand<'_>,
    settings: &SandboxSettings,
    role: Role,
    worktree: &Path,
    environment: &Environment,
    agent: Option<&Agent>,
) -> Result<Confinement, Setback> {
    let place = errand.place;
    let private = claim::private_folder(&place.checkout, errand.call.run());
    let tools = prep::tools_folder(errand);
    let made = fs::create_dir_all(&tools);
    made.map_err(|error| Setback::file(format_args!("make {}", tools.display()), &error))?;
    let checkout = workspace::git(errand).await?;
    let committer = checkout.committer().await?;
    let lender = checkout.facts().await?.common_dir;
    let is_in_place = worktree == place.checkout;
    let borrowed = [
        repository::path(errand).join("objects"),
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
    let decoys = decoys(errand, worktree);
    let mut settings = settings.clone();
    settings.writable.push(tools);
    let program = agent.and_then(|agent| program_of(agent, environment));
    let programs: Vec<PathBuf> = program.into_iter().collect();
    let folders = RunFolders {
        worktree,
        private: &private,
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
        ConfinementError::TooWeak { .. } => Setback::blocked(error.to_string()),
        ConfinementError::File { doing, source } => Setback::file(doing, &source),
    })
}

/// What of the user's a run has no business in. The stand-ins have names that are
/// no secret: those of baton's own files, and those of the worktree.
fn decoys(errand: &Errand<'_>, worktree: &Path) -> Vec<Decoy> {
    let place = errand.place;
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
