mod tool_flags;

use std::convert::Infallible;

use baton_protocol::PrReference;
use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use clap::error::ErrorKind;
use clap::{ArgMatches, FromArgMatches, Subcommand};
use serde_json::Value;

use crate::checkout;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::terminal;

/// Ask about pull requests (this version only checks the question)
///
/// A pull request is named by `owner/repo#12`, `owner/repo/pull/12`, its URL,
/// or, inside a checkout, by its number alone.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    question: Question,
}

/// The tools, and what each is for.
const TOOLS: [(&str, &str); 7] = [
    (
        "get-failing-tests",
        "Which tests fail in CI, and how to run them here",
    ),
    (
        "find-unresolved-comments",
        "What reviewers said that nobody has dealt with yet",
    ),
    (
        "manage-stacked-prs",
        "Bring a pull request up to date with the one below it",
    ),
    ("detect-merge-conflicts", "Would it merge?"),
    (
        "check-merge-readiness",
        "May it be merged, and if not, what stands in the way?",
    ),
    (
        "analyze-pr-impact",
        "What it touches, how risky that is, and who knows the code",
    ),
    (
        "get-review-suggestions",
        "The pull request, prepared for an agent that reviews it",
    ),
];

/// A tool and its input, as the command line gave them.
struct Question {
    tool: &'static str,
    input: Value,
    json: bool,
}

impl FromArgMatches for Question {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let (name, matches) = matches
            .subcommand()
            .ok_or_else(|| clap::Error::new(ErrorKind::MissingSubcommand))?;
        let (tool, _) = TOOLS
            .iter()
            .find(|(tool, _)| *tool == name)
            .ok_or_else(|| clap::Error::new(ErrorKind::InvalidSubcommand))?;
        Ok(Self {
            tool,
            input: tool_flags::collect(tool, matches),
            json: matches.get_flag("json"),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for Question {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        TOOLS.iter().fold(command, |command, (tool, about)| {
            // Deferred: only the tool that is called pays for its flags.
            let tool = clap::Command::new(*tool).about(*about);
            command.subcommand(tool.defer(tool_flags::declare))
        })
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        TOOLS.iter().any(|(tool, _)| *tool == name)
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let Args { question } = args;
    let Err(error) = answer(question, session);
    if question.json {
        terminal::result(&as_error_response(&error))?;
    }
    Err(error)
}

/// There is no answer without a GitHub client, which this version lacks.
fn answer(question: &Question, session: &Session) -> Result<Infallible, CommandError> {
    let mut named = Vec::new();
    for text in tool_flags::references(&question.input) {
        named.push(resolve(text, session)?.to_string());
    }
    Err(CommandError::missing(format!(
        "baton {} has no GitHub client yet, so `{}` cannot ask about {}",
        env!("CARGO_PKG_VERSION"),
        question.tool,
        named.join(" and ")
    ))
    .hint("The question itself is fine; a later version answers it."))
}

fn resolve(text: &str, session: &Session) -> Result<PrReference, CommandError> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let here = if is_number {
        let folder = Session::working_directory()?;
        let found = runtime::run(async |cancel| {
            Ok(checkout::repository(&folder, &session.environment, &cancel).await)
        })?;
        found.map(|(_, repository)| repository)
    } else {
        None
    };
    PrReference::parse(text, here.as_ref())
        .map_err(|error| CommandError::wrong_use(error.to_string()))
}

fn as_error_response(error: &CommandError) -> String {
    let mut response = ErrorResponse::new(ErrorCategory::User, error.message());
    response.suggestion = error.hints().first().cloned();
    let text = serde_json::to_string_pretty(&response).expect("an error response is plain data");
    format!("{text}\n")
}
