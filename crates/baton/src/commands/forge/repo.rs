//! `baton forge repo`: repositories of a forge.

use std::path::PathBuf;

use baton_forge::{App, NewRepository, Role};
use clap::{Subcommand, ValueEnum};

use super::{DataFolder, FullName, cannot_set_up};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::terminal;

/// Add a repository, or change who may use it and how it is checked
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Add(Addition),
    /// Set what the built-in runner executes for every pushed commit
    Check {
        #[arg(value_name = "OWNER/NAME")]
        repository: FullName,

        /// A command line for the shell; without it, nothing is run any more
        command: Option<String>,
    },
    /// Switch the commands of pushed checks files on or off
    ///
    /// While they are on, anyone who may push to the repository runs commands as
    /// the user who serves the forge.
    PushedChecks {
        #[arg(value_name = "OWNER/NAME")]
        repository: FullName,

        #[arg(value_enum)]
        switch: Switch,
    },
    /// Let a user in
    Allow {
        #[arg(value_name = "OWNER/NAME")]
        repository: FullName,

        login: String,

        #[arg(value_enum, default_value_t = Access::Write)]
        access: Access,
    },
    /// Print the folder of a repository's git data
    Path {
        #[arg(value_name = "OWNER/NAME")]
        repository: FullName,
    },
}

/// Add a repository: a new and empty one, or one that is on this machine
///
/// One that is here stays where it is, and may still be used directly: the
/// forge notices what was pushed behind its back.
#[derive(clap::Args)]
struct Addition {
    /// The owner's login and the new name, as in octo/demo
    #[arg(value_name = "OWNER/NAME")]
    repository: FullName,

    /// A checkout or bare repository on this machine
    path: Option<PathBuf>,

    /// What it is for, in a sentence
    #[arg(long)]
    description: Option<String>,

    /// Show it only to those who were let in
    #[arg(long)]
    private: bool,

    /// The branch that pull requests go to unless they say otherwise
    #[arg(long, value_name = "BRANCH", default_value = "main")]
    default_branch: String,

    /// What the built-in runner executes for every pushed commit
    #[arg(long, value_name = "COMMAND")]
    check: Option<String>,

    /// Execute the commands of a pushed .baton/forge-checks.toml: anyone who may
    /// push then runs commands as the user who serves the forge
    #[arg(long)]
    pushed_checks: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Clone, Copy, ValueEnum)]
enum Access {
    Read,
    Triage,
    Write,
    Maintain,
    Admin,
}

impl From<Access> for Role {
    fn from(access: Access) -> Self {
        match access {
            Access::Read => Self::Read,
            Access::Triage => Self::Triage,
            Access::Write => Self::Write,
            Access::Maintain => Self::Maintain,
            Access::Admin => Self::Admin,
        }
    }
}

pub(super) fn run(
    args: &Args,
    folder: &DataFolder,
    session: &Session,
) -> Result<Exit, CommandError> {
    let shown = runtime::run(async |_| {
        let app = folder.open(session).await?;
        act(&app, &args.action).await
    })?;
    terminal::result(&format!("{shown}\n"))?;
    Ok(Exit::Done)
}

/// What was changed, in one line.
async fn act(app: &App, action: &Action) -> Result<String, CommandError> {
    match action {
        Action::Add(addition) => add(app, addition).await,
        Action::Check {
            repository: FullName { owner, name },
            command,
        } => {
            app.set_check_command(owner, name, command.clone())
                .await
                .map_err(cannot_set_up)?;
            Ok(format!("{owner}/{name}"))
        }
        Action::PushedChecks {
            repository: FullName { owner, name },
            switch,
        } => {
            app.set_pushed_checks(owner, name, *switch == Switch::On)
                .await
                .map_err(cannot_set_up)?;
            Ok(format!("{owner}/{name}"))
        }
        Action::Allow {
            repository: FullName { owner, name },
            login,
            access,
        } => {
            app.set_collaborator(owner, name, login, (*access).into())
                .await
                .map_err(cannot_set_up)?;
            Ok(format!("{owner}/{name}"))
        }
        Action::Path {
            repository: FullName { owner, name },
        } => {
            let folder = app.repository_folder(owner, name).map_err(cannot_set_up)?;
            Ok(folder.to_string_lossy().into_owned())
        }
    }
}

async fn add(app: &App, addition: &Addition) -> Result<String, CommandError> {
    let FullName { owner, name } = &addition.repository;
    let path = match &addition.path {
        Some(path) => Some(Session::working_directory()?.join(path)),
        None => None,
    };
    app.create_repository(NewRepository {
        owner: owner.clone(),
        name: name.clone(),
        description: addition.description.clone(),
        private: addition.private,
        default_branch: addition.default_branch.clone(),
        path,
    })
    .await
    .map_err(cannot_set_up)?;
    if addition.check.is_some() {
        app.set_check_command(owner, name, addition.check.clone())
            .await
            .map_err(cannot_set_up)?;
    }
    if addition.pushed_checks {
        app.set_pushed_checks(owner, name, true)
            .await
            .map_err(cannot_set_up)?;
    }
    Ok(format!("{owner}/{name}"))
}
