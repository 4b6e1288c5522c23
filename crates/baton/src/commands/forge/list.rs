//! `baton forge list`: what a forge holds.

use std::fmt::Write as _;

use baton_forge::{AccountSummary, RepositorySummary};
use serde_json::json;

use super::{DataFolder, cannot_set_up};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Style, sanitize};

/// Show the accounts and repositories of the forge
#[derive(clap::Args)]
pub(super) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(
    args: &Args,
    folder: &DataFolder,
    session: &Session,
) -> Result<Exit, CommandError> {
    let (accounts, repositories) = runtime::run(async |_| {
        let app = folder.open(session).await?;
        let accounts = app.accounts().map_err(cannot_set_up)?;
        Ok((accounts, app.repositories().map_err(cannot_set_up)?))
    })?;
    terminal::result(&if args.json {
        as_json(&accounts, &repositories)
    } else {
        as_text(&accounts, &repositories)
    })?;
    Ok(Exit::Done)
}

fn as_text(accounts: &[AccountSummary], repositories: &[RepositorySummary]) -> String {
    let mut text = String::new();
    let mut line = |content: String| {
        writeln!(text, "{content}").expect("a string takes all text");
    };
    line(Style::Heading.paint("Accounts"));
    if accounts.is_empty() {
        line(Style::Dim.paint("  none yet: baton forge user LOGIN"));
    }
    for account in accounts {
        let more = match (account.kind, account.site_admin) {
            ("User", false) => "",
            ("User", true) => "  administrator",
            ("Organization", _) => "  organisation",
            _ => "  bot",
        };
        line(format!("  {}{}", account.login, Style::Dim.paint(more)));
    }
    line(Style::Heading.paint("Repositories"));
    if repositories.is_empty() {
        line(Style::Dim.paint("  none yet: baton forge repo add OWNER/NAME [PATH]"));
    }
    for repository in repositories {
        let mut more = String::new();
        if repository.private {
            more.push_str("  private");
        }
        if let Some(path) = &repository.path {
            write!(more, "  in {}", sanitize(path)).expect("a string takes all text");
        }
        if let Some(command) = &repository.check_command {
            write!(more, "  checked by `{}`", sanitize(command)).expect("a string takes all text");
        }
        if repository.pushed_checks {
            more.push_str("  executes pushed checks");
        }
        line(format!(
            "  {}{}",
            repository.full_name,
            Style::Dim.paint(more)
        ));
    }
    text
}

fn as_json(accounts: &[AccountSummary], repositories: &[RepositorySummary]) -> String {
    let accounts: Vec<_> = accounts
        .iter()
        .map(|account| {
            json!({
                "login": account.login,
                "type": account.kind,
                "site_admin": account.site_admin,
            })
        })
        .collect();
    let repositories: Vec<_> = repositories
        .iter()
        .map(|repository| {
            json!({
                "full_name": repository.full_name,
                "private": repository.private,
                "path": repository.path,
                "check_command": repository.check_command,
                "pushed_checks": repository.pushed_checks,
            })
        })
        .collect();
    format!(
        "{:#}\n",
        json!({ "accounts": accounts, "repositories": repositories })
    )
}
