//! `baton runs`: lists runs.

use baton_protocol::tools::list_workflows::{ListWorkflowsOutput, WorkflowSummary};
use baton_protocol::tools::workflow::WorkflowStatus;
use jiff::Timestamp;

use crate::error::CommandError;
use crate::exit::Exit;
use crate::runs::{self, view};
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Line, Look, Page, Style, Table};

/// List the runs on this machine, the newest first
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only those that have not ended
    #[arg(long)]
    open: bool,

    /// Maximum to list
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let listed = runtime::run(async |_| {
        let engine = runs::open(session).await?;
        runs::list(&engine, args.open, args.limit as usize).await
    })?;
    terminal::result(&if args.json {
        let output = serde_json::to_value(&listed).expect("a list is plain data");
        format!("{output:#}\n")
    } else {
        as_text(&listed, Look::for_stdout(&session.environment))
    })?;
    Ok(Exit::Done)
}

fn as_text(listed: &ListWorkflowsOutput, look: Look) -> String {
    let mut page = Page::new(look);
    if listed.workflows.is_empty() {
        page.line(
            0,
            "There are no runs. `baton run \"what you want\"` starts one.",
        );
        return page.into_text();
    }
    let mut table = Table::new();
    for run in &listed.workflows {
        table.row([
            Line::new().styled(Style::Heading, &run.run),
            standing(run),
            Line::new().styled(Style::Dim, ago(&run.changed)),
            Line::new().text(view::first_line(&run.request)),
        ]);
    }
    page.table(0, &table);
    for run in &listed.workflows {
        if let Some(trouble) = &run.trouble {
            page.gap();
            page.item(0, Line::new().styled(Style::Bad, "! "), trouble.as_str());
        }
    }
    page.into_text()
}

fn standing(run: &WorkflowSummary) -> Line {
    let (Some(status), None) = (run.status, &run.trouble) else {
        return Line::new().styled(Style::Bad, "cannot be read");
    };
    let word = serde_json::to_value(status).expect("a status is a word");
    let word = word.as_str().unwrap_or_default().replace('_', " ");
    let word = match (status.has_ended(), run.driven) {
        (true, _) | (_, true) => word,
        (false, false) => format!("{word} (inactive)"),
    };
    Line::new().styled(style(status), word)
}

fn style(status: WorkflowStatus) -> Style {
    match status {
        WorkflowStatus::Closed => Style::Good,
        WorkflowStatus::Failed => Style::Bad,
        WorkflowStatus::Blocked | WorkflowStatus::Waiting | WorkflowStatus::Cancelled => {
            Style::Doubtful
        }
        _ => Style::Plain,
    }
}

/// How long ago that was, roughly.
fn ago(at: &str) -> String {
    let Ok(at) = at.parse::<Timestamp>() else {
        return String::new();
    };
    let seconds = Timestamp::now().duration_since(at).as_secs().max(0);
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}
