//! `baton forge hook`: webhooks of a repository.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use baton_forge::{App, HookSummary, NewHook};
use clap::Subcommand;

use super::{DataFolder, FullName, cannot_set_up};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Style, sanitize};

/// Tell another program what happens in a repository
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Add a hook, which is pinged at once; prints its number
    Add {
        #[arg(value_name = "OWNER/NAME")]
        repository: FullName,

        /// Where to post what happens, with http
        url: String,

        /// What to tell, as GitHub names it; may be given more than once
        #[arg(long = "event", value_name = "EVENT", default_value = "*")]
        events: Vec<String>,

        /// Sign deliveries with the first line of this file
        #[arg(long, value_name = "FILE")]
        secret_file: Option<PathBuf>,
    },
    /// List the hooks of a repository
    List {
        #[arg(value_name = "OWNER/NAME")]
        repository: FullName,
    },
    /// Remove a hook
    Remove {
        #[arg(value_name = "OWNER/NAME")]
        repository: FullName,

        number: i64,
    },
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
    terminal::result(&shown)?;
    Ok(Exit::Done)
}

async fn act(app: &App, action: &Action) -> Result<String, CommandError> {
    match action {
        Action::Add {
            repository: FullName { owner, name },
            url,
            events,
            secret_file,
        } => {
            let new = NewHook {
                url: url.clone(),
                secret: secret_file.as_ref().map(read_secret).transpose()?,
                events: events.clone(),
            };
            let added = app.add_hook(owner, name, new).await;
            Ok(format!("{}\n", added.map_err(cannot_set_up)?))
        }
        Action::List {
            repository: FullName { owner, name },
        } => Ok(as_text(&app.hooks(owner, name).map_err(cannot_set_up)?)),
        Action::Remove {
            repository: FullName { owner, name },
            number,
        } => {
            let removed = app.remove_hook(owner, name, *number).await;
            if !removed.map_err(cannot_set_up)? {
                return Err(
                    CommandError::missing(format!("{owner}/{name} has no hook {number}")).hint(
                        format!("`baton forge hook list {owner}/{name}` shows them."),
                    ),
                );
            }
            Ok(String::new())
        }
    }
}

fn read_secret(file: &PathBuf) -> Result<String, CommandError> {
    let shown = sanitize(&file.to_string_lossy());
    let text = fs::read_to_string(file).map_err(|error| {
        CommandError::missing(format!("cannot read the secret from {shown}"))
            .because(error)
            .hint("Check the path; the file must be text.")
    })?;
    match text.lines().next().filter(|line| !line.is_empty()) {
        Some(line) => Ok(line.to_owned()),
        None => Err(CommandError::wrong_use(format!(
            "the first line of {shown} is empty"
        ))),
    }
}

fn as_text(hooks: &[HookSummary]) -> String {
    let mut text = String::new();
    for hook in hooks {
        let mut more = hook.events.join(", ");
        if hook.has_secret {
            more.push_str("  signed");
        }
        if !hook.active {
            more.push_str("  switched off");
        }
        let (url, more) = (sanitize(&hook.url), Style::Dim.paint(sanitize(&more)));
        writeln!(text, "{}  {url}  {more}", hook.id).expect("a string takes all text");
    }
    text
}
