use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_ops::validation::{self, Others, SCANNER_LIMIT, Scanning, Since};
use baton_protocol::review::FindingSeverity;
use baton_protocol::tools::review_change::ReviewChangeInput;
use baton_review::{Options, Severity};
use baton_serve::mcp::{Call, Failure, Hints, Offer, Outcome};
use tokio::runtime::Handle;

use super::{failed, in_a_thread, invalid, never_lasts, refused, to_json};
use crate::commands::review::{self, Named};
use crate::commands::validate::Settings;
use crate::error::CommandError;
use crate::session::Session;
use crate::terminal::harmless;

pub(super) fn offer(session: Arc<Session>) -> Offer {
    Offer {
        name: "review_change",
        title: "Review a change",
        description: "Reviews what has changed in a checkout on this machine, or the files that you \
            name, offline and in little time: vulnerabilities with the way from source to sink, \
            secrets, likely mistakes, and tests that were weakened. Call it after you have changed \
            code and before you commit, with the absolute path of the project. Every finding has \
            its place, its reason and a remedy; judge it. Changes nothing.",
        input: Offer::entry("review_change.input"),
        output: Offer::entry("review.output"),
        hints: Hints::READ_ONLY,
        may_last: never_lasts,
        durable: None,
        run: Arc::new(move |call| Box::pin(run(session.clone(), call))),
    }
}

async fn run(session: Arc<Session>, call: Call) -> Outcome {
    let input = ReviewChangeInput::read(&call.input).map_err(|problems| invalid(&problems))?;
    // Files are read without waiting for others.
    let runtime = Handle::current();
    in_a_thread(move || runtime.block_on(play(&session, &input, &call))).await
}

async fn play(session: &Session, input: &ReviewChangeInput, call: &Call) -> Outcome {
    let given = Path::new(&input.working_directory);
    let folder = match given.canonicalize() {
        Ok(folder) if given.is_absolute() && folder.is_dir() => folder,
        _ => {
            return Err(refused(
                format!("{} is no folder", harmless(&input.working_directory)),
                "Give the absolute path of a project's folder on this machine.",
            ));
        }
    };
    let settings = Settings::of(session, &folder).map_err(|error| failed(&error))?;
    let chosen = names(session, input, call, &folder).await;
    let Named { names, notes } = chosen.map_err(|error| failed(&error))?;
    let since = is_change(input).then_some(Since {
        commit: input.base.as_deref(),
        environment: &session.environment,
    });
    let options = Options {
        threshold: input.threshold.map_or(settings.threshold, severity),
        everywhere: input.everything == Some(true) || !is_change(input),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        ..Options::default()
    };
    call.telling.tell(match names.len() {
        1 => "reviewing 1 file".to_owned(),
        count => format!("reviewing {count} files"),
    });
    let others = Others {
        scanning: Some(Scanning {
            scanners: &settings.scanners,
            environment: &session.environment,
            cancel: &call.cancel,
            limit: SCANNER_LIMIT,
        }),
        logs: &settings.logs,
        ..Others::default()
    };
    let cancel = &call.cancel;
    let mut reviewed =
        validation::review_files(&folder, &names, since, options, others, cancel).await;
    reviewed.notes.extend(notes);
    if call.cancel.is_cancelled() {
        return Err(Failure::Cancelled);
    }
    Ok(to_json(&reviewed.report()))
}

/// Otherwise files are reviewed whole, as they are.
fn is_change(input: &ReviewChangeInput) -> bool {
    input.base.is_some() || input.files.is_none()
}

async fn names(
    session: &Session,
    input: &ReviewChangeInput,
    call: &Call,
    folder: &Path,
) -> Result<Named, CommandError> {
    let named = match &input.files {
        Some(files) => {
            let paths: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            Some(review::named(folder, &paths)?)
        }
        None => None,
    };
    if !is_change(input) {
        return Ok(named.unwrap_or_default());
    }
    let base = input.base.as_deref();
    let mut changed = review::changed_since(folder, base, session, &call.cancel).await?;
    let mut notes = Vec::new();
    if let Some(named) = named {
        changed.retain(|name| named.names.contains(name));
        notes = named.notes;
    }
    Ok(Named {
        names: changed,
        notes,
    })
}

fn severity(given: FindingSeverity) -> Severity {
    match given {
        FindingSeverity::Low => Severity::Low,
        FindingSeverity::Medium => Severity::Medium,
        FindingSeverity::High => Severity::High,
        FindingSeverity::Critical => Severity::Critical,
    }
}
