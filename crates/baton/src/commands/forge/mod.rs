//! The local forge: serving it, and setting it up.

mod hook;
mod list;
mod repo;
mod serve;
mod token;
mod user;

use std::path::PathBuf;

use baton_forge::{App, Settings, SetupError, StartError};
use clap::Subcommand;

use crate::error::CommandError;
use crate::exit::Exit;
use crate::session::Session;
use crate::terminal::sanitize;

/// Serve a local forge that speaks GitHub's API, and set it up
///
/// Set-up works on the data folder itself, whether or not a forge serves it
/// at the moment.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,

    #[command(flatten)]
    folder: DataFolder,
}

#[derive(Subcommand)]
enum Action {
    Serve(serve::Args),
    User(user::Args),
    Token(token::Args),
    Repo(repo::Args),
    Hook(hook::Args),
    List(list::Args),
}

impl Args {
    pub(super) fn is_server(&self) -> bool {
        matches!(self.action, Action::Serve(_))
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let folder = &args.folder;
    match &args.action {
        Action::Serve(args) => serve::run(args, folder, session),
        Action::User(args) => user::run(args, folder, session),
        Action::Token(args) => token::run(args, folder, session),
        Action::Repo(args) => repo::run(args, folder, session),
        Action::Hook(args) => hook::run(args, folder, session),
        Action::List(args) => list::run(args, folder, session),
    }
}

/// Which forge.
#[derive(clap::Args)]
struct DataFolder {
    /// The forge's data; by default `forge` in baton's state folder
    #[arg(long, value_name = "DIR", global = true)]
    data: Option<PathBuf>,
}

impl DataFolder {
    fn settings(&self, session: &Session) -> Result<Settings, CommandError> {
        let data = if let Some(folder) = &self.data {
            Session::working_directory()?.join(folder)
        } else {
            let state = session.config()?.state_dir(&session.environment);
            let state = state.ok_or_else(|| {
                CommandError::missing("there is no place for the forge's data: HOME is not set")
                    .hint("Set HOME, or name a folder with --data.")
            })?;
            state.join("forge")
        };
        Ok(Settings::new(data, session.environment.clone()))
    }

    /// For set-up.
    async fn open(&self, session: &Session) -> Result<App, CommandError> {
        App::open(self.settings(session)?)
            .await
            .map_err(|error| cannot_start("cannot open the forge", error))
    }
}

fn cannot_start(what: &str, error: StartError) -> CommandError {
    let hint = match &error {
        StartError::Folder { .. } => "Name a new folder, or one that is yours alone, with --data.",
        StartError::Database { .. } => {
            "Check that the disk is not full and that the folder was not written by a newer baton, or name another one with --data."
        }
        StartError::InUse { .. } => "Stop the other forge, or name another folder with --data.",
        StartError::Listen { .. } => {
            "Choose another address with --listen; 127.0.0.1:0 takes a free port."
        }
        StartError::Git(_) => "Install git, or add its folder to PATH.",
    };
    CommandError::missing(what).because(error).hint(hint)
}

fn cannot_set_up(error: SetupError) -> CommandError {
    match error {
        SetupError::BadLogin(_)
        | SetupError::ReservedLogin(_)
        | SetupError::LoginTaken(_)
        | SetupError::Refused { .. } => CommandError::wrong_use(sanitize(&error.to_string())),
        SetupError::NoAccount(_) => CommandError::missing(sanitize(&error.to_string()))
            .hint("`baton forge user LOGIN` adds an account; `baton forge list` shows them all."),
        SetupError::NoRepository(_) => CommandError::missing(sanitize(&error.to_string())).hint(
            "`baton forge repo add OWNER/NAME` adds a repository; `baton forge list` shows them all.",
        ),
        SetupError::NotARepository(_) => CommandError::missing(sanitize(&error.to_string())),
        SetupError::Failed { doing, source } => {
            CommandError::missing(format!("cannot {doing}")).because(source)
        }
    }
}

/// `octo/demo` on the command line.
#[derive(Clone, Debug)]
struct FullName {
    owner: String,
    name: String,
}

impl std::str::FromStr for FullName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('/') {
            Some((owner, name)) if !owner.is_empty() && !name.is_empty() && !name.contains('/') => {
                Ok(Self {
                    owner: owner.to_owned(),
                    name: name.to_owned(),
                })
            }
            _ => Err("expected OWNER/NAME, such as octo/demo"),
        }
    }
}
