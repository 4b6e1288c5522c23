//! `baton forge token`: tokens of accounts.

use super::{DataFolder, cannot_set_up};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::terminal;

/// Issue a token for an account, or take one back
///
/// Prints the token, which is shown only this once.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Whose token; not needed to take one back
    #[arg(required_unless_present = "revoke")]
    login: Option<String>,

    /// What it allows, as GitHub names it; by default what gh asks for
    #[arg(long = "scope", value_name = "SCOPE", default_values = DEFAULT_SCOPES)]
    scopes: Vec<String>,

    /// When it ends, as in 2027-01-31T12:00:00Z
    #[arg(long, value_name = "TIME")]
    expires: Option<jiff::Timestamp>,

    /// Take this token back instead
    #[arg(long, value_name = "TOKEN", conflicts_with_all = ["login", "expires"])]
    revoke: Option<String>,
}

const DEFAULT_SCOPES: [&str; 5] = ["repo", "read:org", "gist", "workflow", "delete_repo"];

pub(super) fn run(
    args: &Args,
    folder: &DataFolder,
    session: &Session,
) -> Result<Exit, CommandError> {
    let token = runtime::run(async |_| {
        let app = folder.open(session).await?;
        if let Some(token) = &args.revoke {
            app.revoke_token(token).await.map_err(cannot_set_up)?;
        }
        let Some(login) = &args.login else {
            return Ok(None);
        };
        let scopes: Vec<&str> = args.scopes.iter().map(String::as_str).collect();
        let expires = args
            .expires
            .map(|at| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
        app.issue_token(login, &scopes, expires.as_deref())
            .await
            .map(Some)
            .map_err(cannot_set_up)
    })?;
    if let Some(token) = token {
        terminal::result(&format!("{token}\n"))?;
    }
    Ok(Exit::Done)
}
