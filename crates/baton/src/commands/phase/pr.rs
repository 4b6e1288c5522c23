use std::path::PathBuf;

use baton_ops::pr::{self, Answer};
use baton_ops::question::Nobody;
use baton_protocol::json::{self, MAX_JSON_BYTES};
use baton_protocol::phase::Verdict;
use baton_protocol::phase::pr::{PrError, PrInput};

use crate::document::Place;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::opening::Errand;
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
    let exit = match answer.output.status {
        _ if answer.interrupted => Exit::Interrupted,
        Verdict::Pass => Exit::Done,
        Verdict::Fail => Exit::No,
    };
    answer.delivered();
    Ok(exit)
}

fn create(input: &PrInput, session: &Session) -> Result<Answer, CommandError> {
    let errand = Errand::prepare(input, session)?;
    runtime::run_to_end(async |cancel| errand.run(input, &cancel, &mut Nobody, &mut |_| {}).await)
}

fn print(answer: &Answer) -> Result<(), CommandError> {
    let text = serde_json::to_string_pretty(&answer.output).expect("an output is plain data");
    terminal::result(&format!("{text}\n"))?;
    Ok(())
}
