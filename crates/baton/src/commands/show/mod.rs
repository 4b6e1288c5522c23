//! `baton show`: how a run stands.

mod watch;

use std::fs;
use std::path::PathBuf;

use baton_protocol::tools::workflow::{Workflow, WorkflowUsage};
use baton_workflow::State;

use crate::error::CommandError;
use crate::exit::Exit;
use crate::runs::view::{self, details, put_ending};
use crate::runs::{self, put_question};
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Line, Look, Page, Style, Table, sanitize};

/// Show a run: how far it has come, its handoffs, what it asks, what it cost
///
/// With --watch it exits as `baton run` does: 0 when the pull request is merged,
/// 1 when the run failed or was cancelled, 5 when it asks something.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run, or enough of its name; `-` is the newest
    run: String,

    /// Go on until the run ends or asks, with a line whenever its status or step
    /// changes; Ctrl-C ends the watching, not the run
    #[arg(long, conflicts_with = "handoffs")]
    watch: bool,

    /// Print one JSON object; with --watch, one per line
    #[arg(long)]
    json: bool,

    /// Write every handoff as an XML file to this folder
    #[arg(long, value_name = "FOLDER")]
    handoffs: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    if args.watch {
        return runtime::run_to_end(async |cancel| {
            let engine = runs::open(session).await?;
            let run = runs::find(&engine, &args.run).await?;
            watch::watch(&engine, &run, args.json, session, &cancel).await
        })?;
    }
    let (state, driven, folder) = runtime::run(async |_| {
        let engine = runs::open(session).await?;
        let run = runs::find(&engine, &args.run).await?;
        let state = engine.state(&run).await;
        let state = state.map_err(|error| runs::failed(&error))?;
        let driven = runs::is_driven(&engine, &run).await?;
        Ok((state, driven, engine.run_folder(&run)))
    })?;
    if let Some(folder) = &args.handoffs {
        write_handoffs(&state, folder)?;
    }
    let workflow = runs::describe(&state, driven);
    terminal::result(&if args.json {
        as_json(&workflow)
    } else {
        let look = Look::for_stdout(&session.environment);
        as_text(&state, &workflow, &folder.to_string_lossy(), look)
    })?;
    Ok(Exit::Done)
}

pub(super) fn as_json(workflow: &Workflow) -> String {
    let value = serde_json::to_value(workflow).expect("a run is plain data");
    format!("{value:#}\n")
}

fn write_handoffs(state: &State, folder: &PathBuf) -> Result<(), CommandError> {
    let unwritable = |error: std::io::Error| {
        CommandError::missing(format!(
            "cannot write to {}",
            sanitize(&folder.to_string_lossy())
        ))
        .because(error)
        .hint("Name a folder that you may write to.")
    };
    fs::create_dir_all(folder).map_err(unwritable)?;
    for passed in state.passed() {
        let file = folder.join(format!("{}.xml", passed.key.within_run()));
        fs::write(file, passed.handoff.to_xml(passed.at)).map_err(unwritable)?;
    }
    Ok(())
}

fn as_text(state: &State, workflow: &Workflow, folder: &str, look: Look) -> String {
    let mut page = Page::new(look);
    page.line(
        0,
        Line::new()
            .styled(Style::Heading, &workflow.run)
            .text("  ")
            .text(view::first_line(&workflow.request)),
    );
    let mut table = Table::new();
    let mut fact = |name: &str, value: Line| {
        table.row([Line::new().styled(Style::Dim, name), value]);
    };
    let word = state.status().word().replace('_', " ");
    fact("status", Line::new().styled(Style::Heading, word));
    if let Some(step) = &workflow.step {
        let attempt = match step.attempt {
            1 => String::new(),
            attempt => format!(", try {attempt}"),
        };
        fact(
            "step",
            Line::from(format!("{} ({}){attempt}", step.name, step.agent).as_str()),
        );
    }
    fact("repository", Line::from(workflow.repository.as_str()));
    if let Some(checkout) = runs::checkout(&state.start().goal) {
        fact("checkout", Line::from(&*checkout.to_string_lossy()));
    }
    for (name, url) in [
        ("issue", &workflow.issue_url),
        ("pull request", &workflow.pr_url),
    ] {
        if let Some(url) = url {
            fact(name, Line::new().link(Style::Plain, url, url));
        }
    }
    if let Some(agent) = &workflow.agent {
        fact("agent", Line::from(agent.as_str()));
    }
    fact("mode", Line::from(view::mode_word(state)));
    fact("used", Line::from(used(&workflow.usage).as_str()));
    if let Some(budget) = view::budget(state) {
        fact("budget", Line::from(budget.trim_start_matches("budget ")));
    }
    fact("began", Line::from(workflow.created.as_str()));
    fact("changed", Line::from(workflow.changed.as_str()));
    fact("folder", Line::from(folder));
    page.table(1, &table);
    put_handoffs(&mut page, state);
    if let Some(ending) = state.ending() {
        page.gap();
        put_ending(&mut page, ending);
    } else if let Some(question) = state.question() {
        put_question(&mut page, state.run(), question);
    } else {
        page.gap();
        page.line(0, workflow.next.as_str());
    }
    page.into_text()
}

fn put_handoffs(page: &mut Page, state: &State) {
    if state.passed().is_empty() {
        return;
    }
    page.heading("Handoffs");
    for passed in state.passed() {
        let key = passed.key.within_run();
        page.item(
            1,
            Line::new().styled(Style::Command, format!("{key:<15}")),
            Line::new()
                .text(view::summary(&passed.handoff))
                .styled(Style::Dim, format!("  {}", passed.handoff.kind())),
        );
        for line in details(&passed.handoff) {
            page.item(2, Line::new().styled(Style::Dim, "└ "), line);
        }
    }
}

fn used(usage: &WorkflowUsage) -> String {
    let time = std::time::Duration::from_secs(usage.active_seconds);
    let mut parts = vec![view::lasted(time)];
    if usage.turns > 0 {
        parts.push(format!("{} turns", usage.turns));
    }
    if usage.input_tokens + usage.output_tokens > 0 {
        parts.push(format!(
            "{} tokens in, {} out",
            usage.input_tokens, usage.output_tokens
        ));
    }
    if usage.cost_dollars > 0.0 {
        parts.push(format!("${:.4}", usage.cost_dollars));
    }
    parts.join(", ")
}
