//! `baton forge serve`: runs a forge.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use baton_forge::{Forge, Limits};
use baton_host::cmd::Environment;

use super::{DataFolder, cannot_start};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runs::sandbox;
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Style, sanitize};

/// Serve the forge until Ctrl-C
///
/// Prints its address on stdout once it listens. On stderr it says how baton,
/// gh, git and a browser find it.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8417")]
    listen: SocketAddr,

    /// What others call this forge, when that is not where it listens
    #[arg(long, value_name = "URL", value_parser = web_address)]
    public_url: Option<String>,

    /// Answer for this host name, too; may be given more than once
    ///
    /// Requests for others are refused. `localhost`, the address that was
    /// connected to and the one in --public-url are always answered for.
    #[arg(long = "host", value_name = "NAME", value_parser = host_name)]
    hosts: Vec<String>,

    /// Give check commands this variable of the forge's environment, or this
    /// value; may be given more than once
    ///
    /// Otherwise they find only PATH, the language, the time zone, a home and a
    /// temporary folder of their own, and what GitHub's runners set.
    #[arg(long = "job-env", value_name = "NAME[=VALUE]", value_parser = variable)]
    job_environment: Vec<(String, Option<String>)>,

    /// Deliver webhooks to this machine and its private networks, too
    #[arg(long)]
    allow_private_webhooks: bool,

    /// Ration requests as github.com does
    #[arg(long)]
    github_limits: bool,
}

pub(super) fn run(
    args: &Args,
    folder: &DataFolder,
    session: &Session,
) -> Result<Exit, CommandError> {
    let mut settings = folder.settings(session)?;
    settings.listen = args.listen;
    settings.public_url.clone_from(&args.public_url);
    settings.hosts.clone_from(&args.hosts);
    settings.allow_private_webhooks = args.allow_private_webhooks;
    settings.job_environment = job_environment(args, session)?;
    settings.sandbox = sandbox::settings(&session.config()?, &session.environment)?;
    if args.github_limits {
        settings.limits = Limits::github();
    }
    let data = settings.data.clone();
    runtime::serve(async |cancel| {
        let forge = Forge::start(settings)
            .await
            .map_err(|error| cannot_start("cannot start the forge", error))?;
        let address = forge.address();
        let root = match &args.public_url {
            Some(url) => url.clone(),
            None => format!("http://{address}"),
        };
        if !address.ip().is_loopback() {
            terminal::error_line(&format!(
                "{} anyone who can reach {address} can read the public repositories, and nothing is encrypted on the way",
                Style::Hint.paint("warning:")
            ));
        }
        let is_empty = forge.app().accounts().is_ok_and(|all| all.is_empty());
        terminal::result(&format!("{root}\n"))?;
        terminal::error_line(&guide(&root, &data, is_empty));
        forge.serve(cancel).await;
        terminal::error_line("The forge has stopped.");
        Ok(Exit::Interrupted)
    })
}

fn job_environment(args: &Args, session: &Session) -> Result<Environment, CommandError> {
    let mut environment = Environment::default();
    for (name, value) in &args.job_environment {
        let value = match value {
            Some(value) => value.into(),
            None => session
                .environment
                .get(name)
                .map(ToOwned::to_owned)
                .ok_or_else(|| {
                    CommandError::wrong_use(format!("--job-env {name}: there is no such variable"))
                        .hint(format!("Set it, or give a value: --job-env {name}=VALUE."))
                })?,
        };
        environment.set(name, value);
    }
    Ok(environment)
}

fn guide(root: &str, data: &Path, is_empty: bool) -> String {
    let name = |text| Style::Heading.paint(text);
    let host = root.split_once("://").map_or(root, |(_, host)| host);
    let root = sanitize(root);
    let host = sanitize(host);
    let data = sanitize(&data.to_string_lossy());
    let first = if is_empty {
        "\nNobody is here yet. In another terminal:\n\
         \x20 baton forge user octo\n\
         \x20 baton forge repo add octo/demo PATH-OF-A-GIT-REPOSITORY\n"
    } else {
        ""
    };
    format!(
        "The forge's data is in {data}. Ctrl-C stops it.\n\
         {first}\n\
         With a token from `baton forge token LOGIN`:\n\
         {}  export BATON_GITHUB_API_URL={root}/api/v3 GITHUB_TOKEN=TOKEN\n\
         {}     GH_HOST=github.localhost GH_TOKEN=TOKEN HTTP_PROXY={root} gh …\n\
         {}    git clone http://TOKEN@{host}/OWNER/NAME.git\n\
         {}   {root}",
        name("baton"),
        name("gh"),
        name("git"),
        name("page"),
    )
}

fn host_name(text: &str) -> Result<String, &'static str> {
    let is_address = text.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    let is_name = !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
    if is_address || is_name {
        return Ok(text.to_owned());
    }
    Err("expected a host name without a port, such as forge.example")
}

fn variable(text: &str) -> Result<(String, Option<String>), &'static str> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_fine) {
        return Err("expected NAME or NAME=VALUE");
    }
    Ok((name.to_owned(), value))
}

fn web_address(text: &str) -> Result<String, &'static str> {
    let rest = text
        .strip_prefix("http://")
        .or_else(|| text.strip_prefix("https://"));
    let is_fine = |rest: &str| {
        !rest.is_empty()
            && rest
                .chars()
                .all(|c| c.is_ascii_graphic() && !"\"<>\\`".contains(c))
    };
    if !rest.is_some_and(is_fine) {
        return Err("expected an address such as http://forge.example:8417");
    }
    Ok(text.trim_end_matches('/').to_owned())
}
