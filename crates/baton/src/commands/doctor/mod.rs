//! `baton doctor`: what baton needs and finds on this machine.

mod checks;
mod credentials;
mod isolation;
mod programs;

use std::fmt::Write as _;

use serde_json::json;

use self::checks::{Check, Status};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Style, sanitize};

/// Look at this machine and say what is missing, and what to do about it
///
/// Exits 3 when something is missing that baton cannot do without.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Do not ask GitHub about the token
    #[arg(long)]
    offline: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let here = Session::working_directory()?;
    let environment = programs::outside(&here, &session.environment);
    let session = &Session::with(environment, session.flags().to_vec());
    let checks = runtime::run(async |cancel| {
        let mut checks = programs::git(&here, session, &cancel).await;
        checks.extend(credentials::github(&here, session, args.offline, &cancel).await);
        checks.extend(credentials::jira(session));
        checks.extend(programs::project(&here, session));
        checks.extend(programs::agents(&here, session).await);
        checks.extend(isolation::sandbox(&here, session));
        checks.extend(checks::own_files(session));
        Ok(checks)
    })?;
    terminal::result(&if args.json {
        as_json(&checks)
    } else {
        as_text(&checks)
    })?;
    let missing = checks.iter().any(|check| check.status == Status::Missing);
    Ok(if missing { Exit::Missing } else { Exit::Done })
}

fn as_text(checks: &[Check]) -> String {
    let mut text = String::new();
    let mut area = "";
    for check in checks {
        if check.area != area {
            area = check.area;
            writeln!(text, "{}", Style::Heading.paint(area)).expect("a string takes all text");
        }
        let word = format!("{:<8}", check.status.word());
        let word = match check.status {
            Status::Fine => Style::Good.paint(word),
            Status::Note => Style::Dim.paint(word),
            Status::Missing => Style::Bad.paint(word),
        };
        writeln!(text, "  {word} {}", sanitize(&check.finding)).expect("a string takes all text");
        if let Some(next) = &check.next {
            writeln!(
                text,
                "           {} {}",
                Style::Hint.paint("next:"),
                sanitize(next)
            )
            .expect("a string takes all text");
        }
    }
    text
}

fn as_json(checks: &[Check]) -> String {
    let checks: Vec<_> = checks
        .iter()
        .map(|check| {
            json!({
                "area": check.area,
                "status": check.status.word(),
                "finding": check.finding,
                "next": check.next,
            })
        })
        .collect();
    format!("{:#}\n", json!({ "checks": checks }))
}
