//! `baton forge user`: adds an account.

use baton_forge::{AccountKind, NewAccount};

use super::{DataFolder, cannot_set_up};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::terminal;

/// Add an account
///
/// Prints its login. A token comes from `baton forge token`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Letters, digits and single dashes
    login: String,

    /// The name that people see
    #[arg(long)]
    name: Option<String>,

    /// The address that commits made on the forge carry
    #[arg(long)]
    email: Option<String>,

    /// Make it an organisation, which owns repositories and has members
    #[arg(long, conflicts_with = "admin")]
    organization: bool,

    /// Let the user do everything everywhere
    #[arg(long)]
    admin: bool,

    /// Make the user a member of this organisation
    #[arg(long, value_name = "ORGANIZATION", conflicts_with = "organization")]
    member_of: Option<String>,
}

pub(super) fn run(
    args: &Args,
    folder: &DataFolder,
    session: &Session,
) -> Result<Exit, CommandError> {
    let account = NewAccount {
        login: args.login.clone(),
        kind: if args.organization {
            AccountKind::Organization
        } else {
            AccountKind::User
        },
        name: args.name.clone(),
        email: args.email.clone(),
        site_admin: args.admin,
    };
    runtime::run(async |_| {
        let app = folder.open(session).await?;
        app.create_account(account).await.map_err(cannot_set_up)?;
        if let Some(organization) = &args.member_of {
            app.add_member(organization, &args.login, false)
                .await
                .map_err(cannot_set_up)?;
        }
        Ok(())
    })?;
    terminal::result(&format!("{}\n", args.login))?;
    Ok(Exit::Done)
}
