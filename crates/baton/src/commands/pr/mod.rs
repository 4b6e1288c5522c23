mod create;
mod tool_flags;
mod views;

use baton_host::cmd::quote;
use baton_ops::pulls::{self, Answer, Desk, Patience, Progress, Tool, ToolError};
use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args as _, FromArgMatches, Subcommand};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use self::tool_flags::ONLY_REFERENCE;
use self::views::View;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::github::{self, Caller, Desks};
use crate::preferences::Preferences;
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Line, Look, Page, ProgressLine, Style};

/// Ask about pull requests, and act on them
///
/// A pull request is named by `owner/repo#12`, `owner/repo/pull/12`, its URL
/// or, inside a checkout, by its number alone. Where one may be left out, it is
/// that of the branch that is checked out. The tools are those that agents get
/// over MCP, and `--json` prints what they get.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    question: Question,
}

enum Question {
    Tool(ToolCall),
    Create(Box<create::Args>),
}

/// A tool and its input, as the command line gave them.
struct ToolCall {
    tool: &'static Tool,
    input: Value,
    json: bool,
}

const CREATE: &str = "create";

impl FromArgMatches for Question {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let (name, matches) = matches
            .subcommand()
            .ok_or_else(|| clap::Error::new(ErrorKind::MissingSubcommand))?;
        if name == CREATE {
            let args = create::Args::from_arg_matches(matches)?;
            return Ok(Self::Create(Box::new(args)));
        }
        let tool = pulls::find(&name.replace('-', "_"))
            .ok_or_else(|| clap::Error::new(ErrorKind::InvalidSubcommand))?;
        Ok(Self::Tool(ToolCall {
            tool,
            input: tool_flags::collect(name, matches),
            json: matches.get_flag("json"),
        }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for Question {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        let create = create::Args::augment_args(clap::Command::new(CREATE));
        pulls::TOOLS
            .iter()
            .fold(command.subcommand(create), |command, tool| {
                // Deferred: only the tool that is called pays for its flags.
                let tool = clap::Command::new(verb(tool)).about(tool.about);
                command.subcommand(tool.defer(tool_flags::declare))
            })
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        name == CREATE || pulls::TOOLS.iter().any(|tool| verb(tool) == name)
    }
}

/// `get-failing-tests` of `get_failing_tests`.
fn verb(tool: &Tool) -> String {
    tool.name.replace('_', "-")
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let ToolCall { tool, input, json } = match &args.question {
        Question::Create(args) => return create::run(args, session),
        Question::Tool(call) => call,
    };
    let preferences = Preferences::of(&session.config()?);
    let desks = Desks::new(session)?;
    let mut input = input.clone();
    preferences.fill(tool.name, &mut input);
    let progress = ProgressLine::default();
    let told = progress.clone();
    let answer = runtime::run_to_end(async |cancel| {
        let caller = Caller {
            patience: Patience::TERMINAL,
            progress: Progress::new(move |what| told.tell(what)),
            cancel,
        };
        let pages = if *json {
            Pages::One
        } else {
            Pages::AllCommands
        };
        ask(tool, &mut input, &desks, caller, pages).await
    })?;
    progress.end();
    match answer {
        Ok(answer) => {
            let view = views::of(&answer);
            terminal::result(&if *json {
                format!("{:#}\n", answer.to_json())
            } else {
                shown(view, tool, &input, Look::of_stdout(&session.environment))
            })?;
            Ok(view.exit(&input))
        }
        Err(error) => {
            if *json && let Some(response) = error_response(&error) {
                terminal::result(&format!("{response:#}\n"))?;
            }
            Err(github::command_error(error))
        }
    }
}

/// `input` gets what is checked out here where it names nothing.
async fn ask(
    tool: &Tool,
    input: &mut Value,
    desks: &Desks,
    caller: Caller,
    pages: Pages,
) -> Result<Answer, ToolError> {
    let cancel: CancellationToken = caller.cancel.clone();
    let references = pulls::references(input);
    let names_none = references.is_empty();
    let desk = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(ToolError::Cancelled),
        desk = desks.desk(&references, caller) => desk?,
    };
    if names_none {
        input[ONLY_REFERENCE] = Value::String(desk.subject_here(tool).await?);
    }
    let mut answer = tool.call(&desk, input).await?;
    if pages == Pages::AllCommands {
        add_commands(&mut answer, tool, input, &desk).await?;
    }
    Ok(answer)
}

/// Adds what is on further pages of commands: they are one list, which helps
/// nobody in parts.
async fn add_commands(
    answer: &mut Answer,
    tool: &Tool,
    input: &Value,
    desk: &Desk,
) -> Result<(), ToolError> {
    let Answer::StackedPrs(stack) = answer else {
        return Ok(());
    };
    while let Some(cursor) = stack.next_cursor.take() {
        let mut next = input.clone();
        next["cursor"] = Value::String(cursor);
        let Answer::StackedPrs(page) = tool.call(desk, &next).await? else {
            break;
        };
        stack.commands.extend(page.commands);
        stack.next_cursor = page.next_cursor;
    }
    Ok(())
}

/// How much of a list is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pages {
    /// As the tool cuts it.
    One,
    AllCommands,
}

fn shown(view: &dyn View, tool: &Tool, input: &Value, look: Look) -> String {
    let mut page = Page::new(look);
    view.show(&mut page);
    if let Some(cursor) = view.next_cursor() {
        let mut next = input.clone();
        next["cursor"] = Value::String(cursor.to_owned());
        let words = tool_flags::arguments(&verb(tool), &next);
        let words: Vec<String> = words.iter().map(quote).collect();
        page.gap();
        page.line(0, Line::new().styled(Style::Doubtful, "There is more:"));
        page.command(0, &format!("baton pr {} {}", verb(tool), words.join(" ")));
    }
    page.into_text()
}

/// The error in the words of the contract; nothing when nobody waits for one.
fn error_response(error: &ToolError) -> Option<Value> {
    let response = match error {
        ToolError::Failed { response, .. } => (**response).clone(),
        ToolError::BadCursor(bad) => ErrorResponse::new(ErrorCategory::User, bad.to_string()),
        ToolError::Cancelled => return None,
    };
    Some(serde_json::to_value(response).expect("an error response is plain data"))
}
