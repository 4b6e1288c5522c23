use std::path::PathBuf;

use baton_ops::pr::{self, Answer, Settings, Surroundings};
use baton_ops::pulls::ToolError;
use baton_ops::question::Nobody;
use baton_protocol::json::{self, MAX_JSON_BYTES};
use baton_protocol::phase::Verdict;
use baton_protocol::phase::pr::{PrError, PrInput};
use baton_state::State;

use crate::document::Place;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::github::Desks;
use crate::jira;
use crate::runtime;
use crate::session::Session;
use crate::terminal;

/// Push a branch, open its pull request, and link and move its Jira issue
///
/// The same call again after a crash takes up what the first one began; nothing
/// is done twice.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Read the request from this file instead of standard input
    #[arg(
        long,
        value_name = "FILE",
        default_value = "-",
        hide_default_value = true
    )]
    input: Place,

    /// Write everything that was found out to this file, as JSON
    #[arg(long, value_name = "FILE")]
    details: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let bytes = args.input.read(MAX_JSON_BYTES)?;
    let value = match json::parse(&bytes) {
        Ok(value) => value,
        Err(error) => {
            print(&pr::refused(vec![PrError::malformed(&error)]))?;
            return Ok(Exit::WrongUse);
        }
    };
    let answer = match PrInput::read(&value) {
        Ok(input) => create(&input, session)?,
        Err(problems) => pr::refused(problems.iter().map(PrError::validation).collect()),
    };
    print(&answer)?;
    if let Some(file) = &args.details {
        let text = serde_json::to_string_pretty(&answer.details).expect("details are plain data");
        crate::document::write(file, &format!("{text}\n"))?;
    }
    Ok(match answer.output.status {
        _ if answer.interrupted => Exit::Interrupted,
        Verdict::Pass => Exit::Done,
        Verdict::Fail => Exit::No,
    })
}

fn create(input: &PrInput, session: &Session) -> Result<Answer, CommandError> {
    let config = session.config()?;
    let desks = Desks::new(session)?;
    let acronyms = config.get("jira.review_acronyms");
    let settings = Settings {
        adopt_existing: config.flag("pr.adopt_existing").unwrap_or(false),
        acronyms: acronyms.map_or_else(Vec::new, |value| listed(&value.text)),
        ..Settings::default()
    };
    let records = config.state_dir(&session.environment);
    let records = records.and_then(|folder| match State::open(&folder) {
        Ok(state) => Some(state),
        Err(error) => {
            tracing::warn!(%error, "what is under way will not be remembered");
            None
        }
    });
    let jira = jira::access(&config, &session.environment);
    runtime::run_to_end(async |cancel| {
        let surroundings = Surroundings {
            environment: &session.environment,
            cancel: &cancel,
            connect: &|host| {
                let (desks, cancel) = (&desks, &cancel);
                Box::pin(async move {
                    desks
                        .for_pull_requests(&host, cancel)
                        .await
                        .map_err(sentence)
                })
            },
            jira,
            records,
            settings,
            ask: &mut Nobody,
            observe: &mut |_| {},
        };
        pr::run(input, surroundings).await
    })
}

fn listed(text: &str) -> Vec<String> {
    let words = text.split(',').map(str::trim);
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn sentence(error: ToolError) -> String {
    match error {
        ToolError::Failed { response, .. } => match &response.suggestion {
            Some(next) => format!("{}. {next}", response.error),
            None => response.error,
        },
        ToolError::Cancelled => "it was cancelled".to_owned(),
        ToolError::BadCursor(error) => error.to_string(),
    }
}

fn print(answer: &Answer) -> Result<(), CommandError> {
    let text = serde_json::to_string_pretty(&answer.output).expect("an output is plain data");
    terminal::result(&format!("{text}\n"))?;
    Ok(())
}
