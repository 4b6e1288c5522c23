//! The build: once, and once more if it fails.

use std::time::{Duration, Instant};

use baton_protocol::detection::{Candidate, FallbackWhen};
use baton_protocol::phase::validation_details::{AttemptPurpose, ToolDetails};

use super::Event;
use super::attempt::{self, Attempt, Bench, Verdict};
use super::autofix;
use super::changed_files::ChangedFiles;
use super::outcome::{self, Built};
use super::tool::Invocation;

pub(super) async fn run(
    bench: Bench<'_>,
    candidate: &Candidate,
    max_retries: u64,
    pause: Duration,
) -> Built {
    let started = Instant::now();
    bench.cx.emit(Event::Started {
        check: bench.check,
        command: &candidate.command,
    });
    let mut details = ToolDetails {
        command_reason: Some(candidate.reason.clone()),
        ..ToolDetails::default()
    };
    let mut invocation = Invocation::for_candidate(candidate, bench.folder);
    let mut last = once(bench, &invocation, &mut details).await;
    let fallbacks = candidate.fallbacks.iter();
    for fallback in fallbacks.filter(|fallback| fallback.when == FallbackWhen::NotFound) {
        if last.verdict != Verdict::Missing {
            break;
        }
        let other = Invocation::parse(&fallback.command, bench.folder);
        let attempt = once(bench, &other, &mut details).await;
        if attempt.verdict != Verdict::Missing {
            (last, invocation) = (attempt, other);
        }
    }
    let mut retry_count = 0;
    // What the compiler objects to it will object to again; a failure without
    // a word may be the network's.
    let is_a_mystery = last.verdict == Verdict::Failed && last.diagnostics.is_empty();
    if is_a_mystery && max_retries > 0 {
        bench.cx.emit(Event::Waiting {
            check: bench.check,
            pause,
        });
        tokio::select! {
            () = tokio::time::sleep(pause) => {
                retry_count = 1;
                last = once(bench, &invocation, &mut details).await;
            }
            () = bench.cancel.cancelled() => {}
        }
    }
    details.tool = invocation.tool.map(|tool| tool.name().to_owned());
    details.diagnostics.clone_from(&last.diagnostics);
    details.missing = last.verdict == Verdict::Missing;
    Built {
        status: outcome::step(last.verdict == Verdict::Passed),
        errors: match last.verdict {
            Verdict::Missing => vec![autofix::missing(bench, &invocation)],
            _ => last.issues,
        },
        retry_count,
        command: invocation.command,
        elapsed: started.elapsed(),
        details,
    }
}

/// A build is always of everything.
async fn once(bench: Bench<'_>, invocation: &Invocation, details: &mut ToolDetails) -> Attempt {
    let run = invocation.on(&ChangedFiles::default(), bench.folder);
    let attempt = attempt::run(bench, invocation, &run, AttemptPurpose::Check).await;
    details.attempts.push(attempt.record.clone());
    attempt
}
