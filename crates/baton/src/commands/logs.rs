//! `baton logs`: what happened in a run.

use std::collections::BTreeMap;
use std::time::Duration;

use baton_engine::{Engine, Follower};
use baton_workflow::{Event, Report, RunId};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::error::CommandError;
use crate::exit::Exit;
use crate::runs::view::summary;
use crate::runs::{self, ActivityReader, Said};
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Style, sanitize};

/// Print what has happened in a run, and what its steps said
///
/// What coding agents wrote in full is in the folder `agents` of the run's
/// folder; `baton show` says where that is.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run, or enough of its name; `-` is the newest
    run: String,

    /// Go on until the run ends or asks; exits as `baton run` does
    #[arg(long, short)]
    follow: bool,

    /// Only events, not what steps said
    #[arg(long)]
    events: bool,
}

/// Between two looks for what steps have said.
const PAUSE: Duration = Duration::from_millis(250);

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    runtime::run(async |cancel| {
        let engine = runs::open(session).await?;
        let run = runs::find(&engine, &args.run).await?;
        let mut log = Log {
            follower: engine.follow(&run, 0),
            activity: (!args.events).then(|| ActivityReader::new(&engine.run_folder(&run))),
            waiting: BTreeMap::new(),
        };
        log.play(&engine, &run, args.follow, &cancel).await
    })
}

struct Log {
    follower: Follower,
    activity: Option<ActivityReader>,
    /// Lines that are not printed yet, by their time and number.
    waiting: BTreeMap<(Timestamp, u64), String>,
}

impl Log {
    async fn play(
        &mut self,
        engine: &Engine,
        run: &RunId,
        follow: bool,
        cancel: &CancellationToken,
    ) -> Result<Exit, CommandError> {
        let mut count = 0;
        loop {
            let has_ended = tokio::select! {
                has_ended = self.collect(&mut count) => has_ended,
                () = cancel.cancelled() => return Err(CommandError::interrupted()),
            };
            // What was read is shown, also where the rest cannot be.
            let lines: String = std::mem::take(&mut self.waiting).into_values().collect();
            terminal::result(&lines)?;
            let has_ended = has_ended?;
            let state = engine.state(run).await;
            let state = state.map_err(|error| runs::failed(&error))?;
            if !follow {
                return Ok(Exit::Done);
            }
            if has_ended || state.question().is_some() {
                if let Some(question) = state.question() {
                    let look = terminal::Look::new(100, false);
                    runs::show_question(run, question, look);
                }
                return Ok(runs::exit_of(&state));
            }
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = cancel.cancelled() => return Err(CommandError::interrupted()),
            }
        }
    }

    /// Reads all that is there now, and says whether there will be no more.
    async fn collect(&mut self, count: &mut u64) -> Result<bool, CommandError> {
        let mut has_ended = false;
        loop {
            // What is in the journal comes at once; what is not may take days.
            let next = tokio::time::timeout(PAUSE, self.follower.next()).await;
            match next {
                Err(_) => break,
                Ok(Err(error)) => return Err(runs::failed(&error)),
                Ok(Ok(None)) => {
                    has_ended = true;
                    break;
                }
                Ok(Ok(Some(recorded))) => {
                    *count += 1;
                    let at = recorded.event.at();
                    self.waiting
                        .insert((at, *count), event_line(&recorded.event));
                }
            }
        }
        let said = self.activity.as_mut().map(ActivityReader::read);
        for said in said.unwrap_or_default() {
            *count += 1;
            self.waiting.insert((said.at, *count), said_line(&said));
        }
        Ok(has_ended)
    }
}

fn event_line(event: &Event) -> String {
    let (key, style, text) = match event {
        Event::Created { start, .. } => ("", Style::Heading, start.goal.request.clone()),
        Event::Started { key, .. } => (key.within_run(), Style::Plain, String::new()),
        Event::Finished { key, report, .. } => (key.within_run(), Style::Good, reported(report)),
        Event::Failed { key, failure, .. } => {
            (key.within_run(), Style::Bad, failure.message.clone())
        }
        Event::Woke { key, .. } | Event::Asked { key, .. } => {
            (key.within_run(), Style::Doubtful, String::new())
        }
        Event::Answered { key, answer, .. } => {
            let comment = answer.comment.as_ref().map(|text| format!(": {text}"));
            let text = format!("{}{}", answer.choice, comment.unwrap_or_default());
            (key.within_run(), Style::Doubtful, text)
        }
        Event::CancelRequested { reason, .. } => ("", Style::Doubtful, reason.clone()),
        Event::Noticed { key, texts, .. } => (key.within_run(), Style::Doubtful, texts.join("; ")),
    };
    line(event.at(), key, (style, event.word()), &text)
}

fn reported(report: &Report) -> String {
    match report {
        Report::Passed { handoff } => format!("{}: {}", handoff.kind(), summary(handoff)),
        Report::Done => String::new(),
        Report::Asks { question } => format!("asks: {}", question.text),
    }
}

fn said_line(said: &Said) -> String {
    line(said.at, &said.key, (Style::Dim, "says"), &said.text)
}

/// One line, whatever the text is.
fn line(at: Timestamp, key: &str, (style, word): (Style, &str), text: &str) -> String {
    let text = sanitize(text).replace(['\n', '\t'], " ");
    let at = Style::Dim.paint(at.strftime("%Y-%m-%d %H:%M:%S"));
    let key = sanitize(key);
    if text.is_empty() {
        return format!("{at}  {key:<14} {}\n", style.paint(word));
    }
    let word = style.paint(format_args!("{word:<9}"));
    format!("{at}  {key:<14} {word} {text}\n")
}
