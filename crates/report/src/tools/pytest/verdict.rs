//! Turns what was read of a run into a session.

use baton_protocol::Confidence;
use baton_protocol::report::Counts;

use super::block::{Block, Kind};
use super::run::{Beginning, Place, Run};
use super::summary::{file_of, node_of, title_of};
use crate::excerpt::Excerpt;
use crate::place::same_file;
use crate::session::{Evidence, Failure, Session};
use crate::stack::python::is_library;

pub(super) fn judge(mut run: Run) -> Option<Session> {
    let mut failures = listed(&mut run);
    let wanted = run
        .totals
        .map(|totals| totals.counts.failed + totals.counts.errors);
    add_unlisted(&mut run, &mut failures, wanted);
    if run.totals.is_none() {
        failures.extend(died(&run));
    }
    let has_result = run.has_header() || run.totals.is_some() || !failures.is_empty();
    if !has_result {
        return None;
    }
    let mut session = std::mem::take(&mut run.session);
    session.evidence = match (
        run.has_header(),
        run.totals.is_some() || !run.entries.is_empty(),
    ) {
        (true, true) => Evidence::Complete,
        (false, true) => Evidence::Summary,
        _ => Evidence::Fragment,
    };
    session.counts = counts(&run, &failures);
    session.broke = broke(&run, session.counts) || only_unloadable(&failures);
    for failure in failures {
        session.add(failure);
    }
    Some(session)
}

/// The failures of the short summary, completed from their blocks.
fn listed(run: &mut Run) -> Vec<Failure> {
    let entries = std::mem::take(&mut run.entries);
    let mut next_place = 0;
    let mut failures = Vec::with_capacity(entries.len());
    for (entry, more) in &entries {
        let (node, block, message) = entry.split(&run.blocks, run.beginning == Beginning::Sugar);
        let mut failure = match block.and_then(|index| run.blocks.get_mut(index)) {
            Some(block) => {
                block.claimed = true;
                failure_from_block(node, block)
            }
            None => failure_from_place(node, message, more, &run.places, &mut next_place),
        };
        if failure.line.is_none()
            && let Some(crash) = &run.crash
            && failure.error.contains("crashed while running")
        {
            failure.line = failure.file.as_ref().and_then(|file| crash.line_in(file));
        }
        failures.push(failure);
    }
    run.entries = entries;
    failures
}

fn failure_from_block(node: String, block: &Block) -> Failure {
    let file = file_of(&node).to_owned();
    let error = block.error.clone();
    if let Some(frame) = block.frames.in_file(&file) {
        return Failure::named(node)
            .at(file, Some(frame.line))
            .because(error);
    }
    // A test inherited from a class in another file failed there; an error in
    // a fixture of another file is still about this test.
    match block.frames.own() {
        Some(frame) if block.kind == Kind::Failed => Failure::named(node)
            .at(frame.file.clone(), Some(frame.line))
            .because(error),
        _ => Failure::named(node).at(file, None).because(error),
    }
}

/// With `--tb=line` the places follow each other in the summary's order.
fn failure_from_place(
    node: String,
    message: &str,
    more: &Excerpt,
    places: &[Place],
    next: &mut usize,
) -> Failure {
    let file = file_of(&node).to_owned();
    let prefix = message.trim_end_matches("...");
    let found = places
        .iter()
        .enumerate()
        .skip(*next)
        .find(|(_, place)| !prefix.is_empty() && place.message.starts_with(prefix));
    let Some((index, place)) = found else {
        let mut error = message.to_owned();
        if !more.is_empty() {
            error.push('\n');
            error.push_str(&more.text());
        }
        return Failure::named(node).at(file, None).because(error);
    };
    *next = index + 1;
    let line = same_file(&place.file, &file).then_some(place.line);
    let error = format!("{}\n\n{}:{}", place.message, place.file, place.line);
    Failure::named(node).at(file, line).because(error)
}

/// Adds failures that were printed but not listed: the summary was disabled,
/// truncated, or limited to some kinds.
fn add_unlisted(run: &mut Run, failures: &mut Vec<Failure>, wanted: Option<u64>) {
    let enough =
        |failures: &Vec<Failure>| wanted.is_some_and(|wanted| failures.len() as u64 >= wanted);
    for block in &run.blocks {
        // The output was truncated at an empty block.
        let is_cut = block.error.is_empty() && wanted.is_none();
        if block.claimed || is_cut || enough(failures) {
            continue;
        }
        failures.push(unlisted(run, block));
    }
    for (_, node) in &run.progress.failed {
        if enough(failures) {
            return;
        }
        if !failures.iter().any(|failure| failure.name == *node) {
            let file = file_of(node).to_owned();
            failures.push(Failure::named(node.clone()).at(file, None));
        }
    }
}

fn unlisted(run: &Run, block: &Block) -> Failure {
    if run.beginning == Beginning::Conftest {
        let frame = block.frames.in_file(&block.title);
        let name = frame.map_or(block.title.clone(), |frame| frame.file.clone());
        return Failure::named(name.clone())
            .at(name, frame.map(|frame| frame.line))
            .because(block.error.clone());
    }
    let known = run
        .progress
        .failed
        .iter()
        .find(|(kind, node)| *kind == block.kind && title_of(node) == block.title);
    if let Some((_, node)) = known {
        return failure_from_block(node.clone(), block);
    }
    if block.title.contains('/') && block.frames.in_file(&block.title).is_some() {
        return failure_from_block(block.title.clone(), block);
    }
    let looks_like_tests = |file: &str| {
        let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
        name.starts_with("test") || name.contains("_test")
    };
    let frame = block
        .frames
        .iter()
        .find(|frame| !is_library(&frame.file) && looks_like_tests(&frame.file))
        .or_else(|| block.frames.own().filter(|_| block.kind == Kind::Failed));
    let failure = match frame {
        Some(frame) => Failure::named(node_of(&frame.file, &block.title))
            .at(frame.file.clone(), Some(frame.line)),
        None => Failure::named(block.title.clone()),
    };
    failure
        .because(block.error.clone())
        .sure(Confidence::Medium)
}

const UNFINISHED: &str = "The output ends while this test was running.";

/// The test that was running when the process died.
fn died(run: &Run) -> Option<Failure> {
    let crash = run.crash.as_ref();
    if let Some(node) = &run.progress.running {
        let file = file_of(node).to_owned();
        let line = crash.and_then(|crash| crash.line_in(&file));
        let (error, confidence) = match crash {
            Some(crash) => (crash.error(), Confidence::High),
            None if run.killed => (UNFINISHED.to_owned(), Confidence::Medium),
            // Possibly only the log ends here.
            None => (UNFINISHED.to_owned(), Confidence::Low),
        };
        let failure = Failure::named(node.clone()).at(file, line).because(error);
        return Some(failure.sure(confidence));
    }
    let crash = crash?;
    let frame = crash.test_frame()?;
    let function = frame.function.as_deref()?;
    let file = match &run.progress.file {
        Some(file) if same_file(file, &frame.file) => file.clone(),
        _ => frame.file.clone(),
    };
    let failure = Failure::named(format!("{file}::{function}"))
        .at(file, Some(frame.line))
        .because(crash.error())
        .sure(Confidence::Medium);
    Some(failure)
}

fn counts(run: &Run, failures: &[Failure]) -> Counts {
    if let Some(totals) = run.totals {
        return totals.counts;
    }
    let known = failures.len() as u64;
    let mut counts = run.progress.counts;
    let count_kind = |kind| {
        let same = run.entries.iter().filter(|(entry, _)| entry.kind == kind);
        Some(same.count() as u64).filter(|count| *count > 0)
    };
    counts.failed = count_kind(Kind::Failed).unwrap_or(counts.failed);
    counts.errors = count_kind(Kind::Error).unwrap_or(counts.errors);
    let missing = known.saturating_sub(counts.failed + counts.errors);
    if run.beginning == Beginning::Conftest {
        counts.errors += missing;
    } else {
        counts.failed += missing;
    }
    counts.run = counts.passed + counts.failed + counts.errors;
    counts
}

/// Whether all failures are files that could not be loaded.
fn only_unloadable(failures: &[Failure]) -> bool {
    !failures.is_empty() && failures.iter().all(|failure| !failure.name.contains("::"))
}

fn broke(run: &Run, counts: Counts) -> bool {
    match run.totals {
        Some(totals) => {
            let ran = counts.run + counts.skipped > 0;
            run.stopped || (!ran && !totals.only_collected)
        }
        // The short summary of a very quiet run is its end.
        None => run.beginning == Beginning::Conftest || run.entries.is_empty(),
    }
}
