//! `baton handoff`: checks, converts and describes handoffs.

use std::fmt::Write as _;

use baton_protocol::handoff::{self, Handoff, HandoffError, xml};
use clap::Subcommand;
use jiff::Timestamp;

use crate::document::Place;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::terminal::{self, Style, sanitize};

/// Check, convert and describe the XML handoffs between agents
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Say whether a document is a valid handoff, and everything that is wrong with it
    ///
    /// Exits 0 when it is valid, 1 when it is not, 2 when it is not even XML.
    Check {
        /// The handoff in XML; `-` for standard input
        #[arg(default_value = "-")]
        file: Place,
    },
    /// Turn XML into JSON, and JSON into XML
    Convert {
        /// The handoff, in XML or JSON; `-` for standard input
        #[arg(default_value = "-")]
        file: Place,
    },
    /// Print the schema of all handoffs
    Schema {
        /// Print a JSON Schema of the JSON form instead of the XSD
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    match &args.action {
        Action::Check { file } => check(file),
        Action::Convert { file } => convert(file),
        Action::Schema { json } => {
            terminal::result(&if *json {
                format!("{:#}\n", handoff::json_schema())
            } else {
                handoff::xsd()
            })?;
            Ok(Exit::Done)
        }
    }
}

fn check(file: &Place) -> Result<Exit, CommandError> {
    let bytes = file.read(xml::MAX_BYTES)?;
    match Handoff::from_xml(&bytes) {
        Ok(found) => {
            terminal::result(&format!(
                "{} {}\n",
                Style::Good.paint("valid:"),
                summary(&found)
            ))?;
            Ok(Exit::Done)
        }
        Err(HandoffError::Invalid(problems)) => {
            terminal::result(&format!(
                "{} {file} is no valid handoff\n{}\n",
                Style::Bad.paint("invalid:"),
                sanitize(&problems.to_string())
            ))?;
            Ok(Exit::Failed)
        }
        Err(error) => {
            let error = refused(file, &error);
            Err(match form(&bytes) {
                Form::Xml => error,
                Form::Json => {
                    error.hint("For the JSON form: `baton handoff convert` checks it, too.")
                }
            })
        }
    }
}

fn refused(file: &Place, error: &HandoffError) -> CommandError {
    CommandError::wrong_use(format!("{file} is no valid handoff"))
        .because(sanitize(&error.to_string()))
        .hint("`baton handoff schema` prints what is expected.")
}

fn convert(file: &Place) -> Result<Exit, CommandError> {
    let bytes = file.read(xml::MAX_BYTES)?;
    let converted = match form(&bytes) {
        Form::Xml => Handoff::from_xml(&bytes).map(|found| format!("{:#}\n", found.to_json())),
        Form::Json => Handoff::from_json(&bytes).map(|found| found.to_xml(Timestamp::now())),
    };
    terminal::result(&converted.map_err(|error| refused(file, &error))?)?;
    Ok(Exit::Done)
}

#[derive(Clone, Copy)]
enum Form {
    Xml,
    Json,
}

/// JSON begins with a brace or bracket, XML never does.
fn form(bytes: &[u8]) -> Form {
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match start.trim_ascii_start().first() {
        Some(b'{' | b'[') => Form::Json,
        _ => Form::Xml,
    }
}

/// One line: who to whom, about what.
fn summary(found: &Handoff) -> String {
    let mut text = match (found.from(), found.to()) {
        (Some(from), Some(to)) => format!("{from} → {to}: {}", found.kind()),
        _ => found.kind().to_string(),
    };
    if let Some(number) = found.issue_number() {
        write!(text, ", issue {number}").expect("a string takes all text");
    }
    if let Some(number) = found.pr_number() {
        write!(text, ", pull request {number}").expect("a string takes all text");
    }
    if found.require_concrete().is_err() {
        text.push_str(" (a template: it leaves choices open, so no agent would act on it)");
    }
    text
}
