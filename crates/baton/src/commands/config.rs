//! `baton config`: what is configured, and where.

use std::fmt::Write as _;

use clap::Subcommand;
use serde_json::json;

use crate::config::{Config, KEYS, Key, Kind};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::session::Session;
use crate::terminal::{self, Style, sanitize};

/// Look at the configuration
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Print every value with where it came from
    Show {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let Action::Show { json } = args.action;
    let config = session.config()?;
    terminal::result(&if json {
        as_json(&config)
    } else {
        as_text(&config)
    })?;
    Ok(Exit::Done)
}

fn as_text(config: &Config) -> String {
    let mut text = String::new();
    let mut line = |content: String| {
        writeln!(text, "{content}").expect("a string takes all text");
    };
    for path in &config.files {
        let state = if path.exists() { "read" } else { "not there" };
        let name = sanitize(&path.to_string_lossy());
        line(Style::Dim.paint(format_args!("# {name} ({state})")));
    }
    let widest = KEYS.iter().map(|key| key.path.len()).max().unwrap_or(0);
    for Key {
        path,
        kind,
        variable,
        about,
        ..
    } in KEYS.iter()
    {
        let (assignment, comment) = match (config.get(path), variable) {
            (Some(value), _) => {
                let text = match kind {
                    Kind::Flag | Kind::Count | Kind::Amount => value.text.clone(),
                    Kind::List => sanitize(&value.text),
                    _ => format!("{:?}", sanitize(&value.text)),
                };
                (format!("= {text}  "), value.source.to_string())
            }
            (None, Some(name)) => (String::new(), format!("not set: {about}; {name} sets it")),
            (None, None) => (String::new(), format!("not set: {about}")),
        };
        let comment = Style::Dim.paint(format_args!("# {comment}"));
        line(format!("{path:widest$} {assignment}{comment}"));
    }
    text
}

fn as_json(config: &Config) -> String {
    let values: Vec<_> = KEYS
        .iter()
        .map(|key| {
            let value = config.get(key.path);
            json!({
                "key": key.path,
                "value": value.map(|v| &v.text),
                "source": value.map(|v| v.source.to_string()),
            })
        })
        .collect();
    let files: Vec<_> = config
        .files
        .iter()
        .map(|path| json!({ "path": path.to_string_lossy(), "exists": path.exists() }))
        .collect();
    format!("{:#}\n", json!({ "files": files, "values": values }))
}
