//! Which tests fail in CI, whose failures they are, and how to see them here.

mod annotations;
mod artifacts;
mod base;
mod clusters;
mod commands;
mod found;
mod instructions;
mod log;
mod missing;
mod places;
mod reading;
mod reproduction;
mod sources;
mod survey;
mod target;
mod verdict;
mod waiting;
mod whole_check;

use baton_protocol::short;
use baton_protocol::tools::get_failing_tests::{
    CiFailure, GetFailingTestsInput, GetFailingTestsOutput,
};
use jiff::Timestamp;

use self::clusters::Cluster;
use self::instructions::Place;
use self::reading::Reading;
use self::survey::Survey;
use self::target::Target;
use self::waiting::Seen;
use super::context::PullContext;
use super::pages::Page;
use super::unreadable;
use crate::command_line::shown;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

/// What is said where nothing reports on a commit, which is known for sure.
pub const NO_CI: &str = "No CI checks configured";

pub struct GetFailingTests;

impl Operation for GetFailingTests {
    const META: Meta = Meta {
        name: "get_failing_tests",
        title: "Get failing tests",
        about: "Which tests fail in CI, and how to run them here",
        description: "Tells which tests fail in the CI of a pull request, read from report artifacts, annotations or job \
            logs, each with its error, file and line, the smallest local command that shows it again, and whether it \
            fails on the base branch as well, is flaky, or is the machines' doing. The same failure in a matrix is one \
            entry. Call it when checks are red, and with `wait` after a push. While CI runs, it gives what is known and \
            says when to ask again.",
        input: "get_failing_tests.input",
        output: "get_failing_tests.output",
        effects: Effects::READ_REMOTE,
        may_last: operation::when_waiting,
    };
    type Input = GetFailingTestsInput;
    type Output = GetFailingTestsOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.pr]).await?;
        cx.until_cancelled(find(&cx, &input)).await
    }
}

const PAGE_SIZE: usize = 10;

async fn find(
    cx: &PullContext,
    input: &GetFailingTestsInput,
) -> Result<GetFailingTestsOutput, OpError> {
    let cursor = input.cursor.as_deref();
    let page = Page::new(
        &cx.cursors,
        GetFailingTests::META.name,
        input,
        cursor,
        PAGE_SIZE,
    )?;
    let target = Target::read(cx, &input.pr)?;
    let repository = target.repository();
    let mut seen = waiting::look(cx, &target, input).await?;
    let mut reading = reading::read(&cx.github, repository, &seen.survey).await;
    seen.held_up = seen.held_up.max(reading.held_up);
    let survey = &seen.survey;
    places::settle(cx, repository, survey, &mut reading.found).await;
    let mut clusters = clusters::group(std::mem::take(&mut reading.found), survey);
    verdict::judge(&mut clusters, survey, &reading);
    clusters::sort(&mut clusters, survey);

    let (shown_here, next_cursor) = page.cut(&cx.cursors, (0..clusters.len()).collect());
    let mut entries: Vec<Entry> = shown_here
        .into_iter()
        .map(|index| Entry::new(&clusters[index], survey))
        .collect();
    if input.reproduce {
        reproduce(cx, &target, survey, &mut entries).await?;
    }
    let mut commands: Vec<String> = Vec::new();
    for command in entries
        .iter()
        .filter_map(|entry| entry.failure.command.as_ref())
    {
        if !commands.contains(command) {
            commands.push(command.clone());
        }
    }
    let unread = survey.doubts.iter().chain(&survey.unreadable);
    let unread = unread.chain(&reading.unreadable);
    let place = Place {
        web_url: &cx.workplace.web_url,
        repository,
    };
    Ok(GetFailingTestsOutput {
        pr: target.to_string(),
        status: survey.status(),
        message: message(&seen, &reading),
        ci_info: survey.ci_info(),
        next_cursor,
        instructions: instructions::build(&clusters, survey, place, commands),
        poll_info: waiting::poll_info(&seen, Timestamp::now()),
        failures: entries.into_iter().map(|entry| entry.failure).collect(),
        unreadable: unreadable::parts(unread),
    })
}

/// A failure of this page.
struct Entry<'a> {
    cluster: &'a Cluster,
    words: Option<Vec<String>>,
    failure: CiFailure,
}

impl<'a> Entry<'a> {
    fn new(cluster: &'a Cluster, survey: &Survey) -> Self {
        let words = commands::derive(&cluster.found);
        let names = cluster.names(survey);
        let reported = &cluster.found.failure;
        let url = survey.checks[cluster.found.check].url.clone();
        let failure = CiFailure {
            check_name: cluster.check_name(survey),
            test_name: cluster.found.label(),
            error_message: reported.error.clone(),
            log_url: url.unwrap_or_else(|| survey.page.clone()),
            file_path: reported.file.clone(),
            line_number: reported.line,
            confidence: reported.confidence,
            checks: (names.len() > 1).then(|| names.into_iter().map(str::to_owned).collect()),
            required: survey.number.and_then(|_| cluster.is_required(survey)),
            source: Some(cluster.found.source),
            verdict: cluster.verdict(),
            evidence: cluster
                .judged
                .as_ref()
                .map(|judged| judged.evidence.clone()),
            command: words.as_deref().map(shown),
            reproduced: None,
        };
        Self {
            cluster,
            words,
            failure,
        }
    }
}

/// Runs the commands of the first entries that have one, and notes in each what
/// came of it.
async fn reproduce(
    cx: &PullContext,
    target: &Target,
    survey: &Survey,
    entries: &mut [Entry<'_>],
) -> Result<(), OpError> {
    let with_command = entries.iter().enumerate().filter_map(|(place, entry)| {
        let words = entry.words.as_deref()?;
        let case = reproduction::Case {
            found: &entry.cluster.found,
            words,
        };
        Some((place, case))
    });
    let (places, cases): (Vec<usize>, Vec<_>) = with_command.take(reproduction::MAX_RUNS).unzip();
    let done = reproduction::run(cx, target.repository(), survey, &cases).await?;
    drop(cases);
    for (place, reproduced) in places.into_iter().zip(done) {
        entries[place].failure.reproduced = Some(reproduced);
    }
    Ok(())
}

/// Why the answer is what it is, where the list alone does not say it.
fn message(seen: &Seen, reading: &Reading) -> Option<String> {
    let survey = &seen.survey;
    let mut parts = Vec::new();
    if survey.has_no_ci() {
        parts.push(NO_CI.to_owned());
    }
    // The remedy is a sentence of its own.
    parts.extend(survey.doubts.iter().map(|doubt| {
        let remedy = doubt.remedy.trim_end_matches('.');
        format!("{doubt}. {remedy}")
    }));
    if survey.truncated {
        parts.push("There are more checks than were read".to_owned());
    }
    if let Some(earlier) = &seen.earlier_head {
        parts.push(format!(
            "The head moved from {} to {} meanwhile",
            short(earlier),
            short(&survey.head)
        ));
    }
    parts.extend(survey.told_of_missing());
    if survey.is_unfinished() && survey.failed().next().is_some() {
        parts.push("Something has failed already, though not everything has ended".to_owned());
    }
    parts.extend(reading.notes.iter().cloned());
    (!parts.is_empty()).then(|| parts.join(". "))
}
