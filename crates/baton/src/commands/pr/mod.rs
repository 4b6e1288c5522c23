//! `baton pr`: a verb for each operation on pull requests.

mod create;
mod flag_names;
mod tool_flags;
mod views;

use std::any::Any;
use std::path::Path;

use baton_host::cmd::quote;
use baton_ops::pr as opening;
use baton_ops::pulls::{self, GetFailingTests, Subject};
use baton_ops::{AnyOperation, Context, EventSink, OpError, Operation as _, Output, PollPolicy};
use baton_protocol::phase::pr::PrInput;
use baton_protocol::tools::manage_stacked_prs::ManageStackedPrsOutput;
use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args as _, FromArgMatches, Subcommand};
use serde_json::Value;

use self::tool_flags::ONLY_REFERENCE;
use self::views::View;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::github;
use crate::preferences::Preferences;
use crate::runtime;
use crate::session::Session;
use crate::settings;
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
    Tool(Box<ToolCall>),
    Create(Box<create::Args>),
}

/// A tool and its input, as the command line gave them.
struct ToolCall {
    tool: AnyOperation,
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
        let tool = pulls::operations()
            .into_iter()
            .find(|tool| verb(tool) == name)
            .ok_or_else(|| clap::Error::new(ErrorKind::InvalidSubcommand))?;
        Ok(Self::Tool(Box::new(ToolCall {
            input: tool_flags::collect(&tool.fields(), matches),
            tool,
            json: matches.get_flag("json"),
        })))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for Question {
    /// Later, when `baton pr` is called: the flags of all tools are most of the command line, and the
    /// other verbs should not pay for them.
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        command.defer(add_verbs)
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        name == CREATE || pulls::operations().iter().any(|tool| verb(tool) == name)
    }
}

fn add_verbs(command: clap::Command) -> clap::Command {
    let create = create::Args::augment_args(clap::Command::new(CREATE));
    pulls::operations()
        .iter()
        .fold(command.subcommand(create), |command, tool| {
            let declared = clap::Command::new(verb(tool)).about(tool.meta.about);
            command.subcommand(tool_flags::declare(declared, &tool.fields()))
        })
}

/// `get-failing-tests` of `get_failing_tests`.
fn verb(tool: &AnyOperation) -> String {
    tool.meta.name.replace('_', "-")
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let ToolCall { tool, input, json } = match &args.question {
        Question::Create(args) => return create::run(args, session),
        Question::Tool(call) => &**call,
    };
    let preferences = Preferences::from_config(&session.config()?);
    let mut input = input.clone();
    preferences.fill(tool.meta.name, &mut input);
    let progress = ProgressLine::new(Look::for_stderr(&session.environment));
    let line = progress.clone();
    let cx = Context {
        poll: PollPolicy::TERMINAL,
        events: EventSink::for_messages(move |message| line.tell(&message)),
        ..session.context()?
    };
    let pages = if *json {
        Pages::One
    } else {
        Pages::AllCommands
    };
    let answer = runtime::run_to_end(async |cancel| {
        call(tool, &mut input, cx.with_cancel(cancel), pages).await
    })?;
    progress.end();
    match answer {
        Ok(output) => {
            let view = views::for_output(&*output).expect("every output has a view");
            terminal::result(&if *json {
                format!("{:#}\n", output.to_json())
            } else {
                shown(view, tool, &input, Look::for_stdout(&session.environment))
            })?;
            Ok(view.exit(&input))
        }
        Err(error) => {
            if *json && let Some(response) = error_response(&error) {
                terminal::result(&format!("{response:#}\n"))?;
            }
            Err(github::command_error(flag_names::in_flags(
                &tool.fields(),
                error,
            )))
        }
    }
}

/// `input` gets what is checked out here where it names nothing.
async fn call(
    tool: &AnyOperation,
    input: &mut Value,
    mut cx: Context,
    pages: Pages,
) -> Result<Box<dyn Output>, OpError> {
    if tool_flags::lacks_reference(&tool.fields(), input) {
        let subject = if tool.meta.name == GetFailingTests::META.name {
            Subject::PullRequestOrCommit
        } else {
            Subject::PullRequest
        };
        let here = cx.pulls(&[]).await?;
        input[ONLY_REFERENCE] = Value::String(here.subject_here(subject).await?);
        cx = here.into_context();
    }
    let mut output = tool.call(cx.clone(), input.clone()).await?;
    if pages == Pages::AllCommands {
        add_commands(&mut *output, tool, input, &cx).await?;
    }
    Ok(output)
}

/// Adds what is on further pages of commands: they are one list, which is of no
/// use in parts.
async fn add_commands(
    output: &mut dyn Any,
    tool: &AnyOperation,
    input: &Value,
    cx: &Context,
) -> Result<(), OpError> {
    let Some(stack) = output.downcast_mut::<ManageStackedPrsOutput>() else {
        return Ok(());
    };
    while let Some(cursor) = stack.next_cursor.take() {
        let mut next = input.clone();
        next["cursor"] = Value::String(cursor);
        let mut page = tool.call(cx.clone(), next).await?;
        let page: &mut dyn Any = &mut *page;
        let Some(page) = page.downcast_mut::<ManageStackedPrsOutput>() else {
            break;
        };
        stack.commands.append(&mut page.commands);
        stack.next_cursor = page.next_cursor.take();
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

fn shown(view: &dyn View, tool: &AnyOperation, input: &Value, look: Look) -> String {
    let mut page = Page::new(look);
    view.show(&mut page);
    if let Some(cursor) = view.next_cursor() {
        let mut next = input.clone();
        next["cursor"] = Value::String(cursor.to_owned());
        let words = tool_flags::arguments(&tool.fields(), &next);
        let words: Vec<String> = words.iter().map(quote).collect();
        page.gap();
        page.line(0, Line::new().styled(Style::Doubtful, "There is more:"));
        page.command(0, &format!("baton pr {} {}", verb(tool), words.join(" ")));
    }
    page.into_text()
}

/// What opening a pull request needs, from configuration and environment.
pub(super) fn options(
    cx: &Context,
    input: &PrInput,
    session: &Session,
) -> Result<opening::Options, CommandError> {
    let config = session.config_at(Path::new(&input.working_directory))?;
    let settings = settings::from_config(&config, &session.environment);
    Ok(opening::Options {
        state_dir: settings.state_dir,
        ..opening::Options::new(cx, input, settings.pr)
    })
}

/// The error in the words of the contract; none for a call that was cancelled.
fn error_response(error: &OpError) -> Option<Value> {
    let response = match error {
        OpError::Failed { response, .. } => (**response).clone(),
        OpError::BadCursor(bad) => ErrorResponse::new(ErrorCategory::User, bad.to_string()),
        OpError::Cancelled => return None,
    };
    Some(serde_json::to_value(response).expect("an error response is plain data"))
}
