//! Finds out what failed in each check: from the report it kept, from what it
//! remarked, from its log, or at least from its last words.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use baton_protocol::report::{ReportedFailure, TestReport};
use baton_protocol::tools::get_failing_tests::FailureSource;
use baton_protocol::{Confidence, Repository};
use baton_remote::github::questions::check_details::{CheckDetails, CheckStep, RunDetails};
use baton_remote::github::resources::artifacts::Artifact;
use baton_remote::github::words::CheckConclusion;
use baton_remote::github::{GitHub, GitHubError, NodeId, Trouble};
use futures_util::future::join_all;
use tokio::sync::Semaphore;

use super::annotations::{remarks, words_of_the_runner};
use super::artifacts;
use super::found::{Found, LONGEST_ERROR, shortened, tidied};
use super::log::{self, ReadLog};
use super::survey::{CheckFacts, Survey, Why};

/// Checks that are looked into. Whoever has more failing checks than these has
/// one reason for most of them.
const MOST_CHECKS: usize = 40;
/// Runs whose artifacts are looked at.
const MOST_RUNS: usize = 8;
/// Logs of the base branch that are read to compare.
const MOST_OF_BASE: usize = 3;
/// Downloads at a time: GitHub asks callers not to make many at once.
const AT_ONCE: usize = 4;

/// All that was learned about the failed checks.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) found: Vec<Found>,
    /// By the check's place in the survey.
    pub(super) details: BTreeMap<usize, Details>,
    /// What failed in the same checks of the base branch.
    pub(super) on_base: Vec<OnBase>,
    /// What could not be read, for whoever wonders.
    pub(super) notes: Vec<String>,
    /// The forge wants to be left alone for so long.
    pub(super) held_up: Option<Duration>,
}

/// What is known of a check beyond its failures.
#[derive(Debug, Default)]
pub(super) struct Details {
    pub(super) steps: Vec<CheckStep>,
    /// What the runner said of the job.
    pub(super) words: Vec<String>,
    /// An earlier attempt on the same commit passed.
    pub(super) passed_before: bool,
}

/// The counterpart of a check on the base branch, which failed as well.
#[derive(Debug)]
pub(super) struct OnBase {
    pub(super) check: usize,
    pub(super) found: Vec<Found>,
}

pub(super) async fn read(github: &GitHub, repository: &Repository, survey: &Survey) -> Reading {
    let (ran, silent): (Vec<_>, Vec<_>) = survey
        .failed()
        .partition(|(_, check)| check.node.is_some() && check.failed().is_some_and(Why::has_run));
    let chosen = choose(&ran);
    let mut reading = Reading {
        found: silent
            .iter()
            .map(|(index, check)| of_check(*index, check, None))
            .collect(),
        ..Reading::default()
    };
    let (details, artifacts) = tokio::join!(
        details(github, survey, &chosen),
        artifacts_of(github, repository, survey, &chosen)
    );
    let mut troubles = Vec::new();
    let details = details.unwrap_or_else(|error| {
        troubles.push(error);
        CheckDetails::default()
    });
    let source = Source {
        github,
        repository,
        survey,
        artifacts: keep(artifacts, &mut troubles).collect(),
        permits: Semaphore::new(AT_ONCE),
        stopped: AtomicBool::new(false),
    };
    let of = |index: usize| {
        let node = survey.checks[index].node.as_ref();
        details.runs.iter().find(|run| Some(&run.id) == node)
    };
    let each = chosen.iter().map(|index| source.check(*index, of(*index)));
    let (read, on_base) = tokio::join!(join_all(each), source.base(&chosen));
    for (index, check) in chosen.iter().zip(read) {
        reading.found.extend(check.found);
        reading.notes.extend(check.note);
        troubles.extend(check.trouble);
        let known = of_details(survey, *index, of(*index), &details);
        reading.details.insert(*index, known);
    }
    for (on_base, trouble) in on_base {
        reading.on_base.extend(on_base);
        troubles.extend(trouble);
    }
    let chosen: BTreeSet<usize> = chosen.into_iter().collect();
    let unread: Vec<_> = ran
        .iter()
        .filter(|(index, _)| !chosen.contains(index))
        .collect();
    for (index, check) in &unread {
        reading.found.push(of_check(*index, check, None));
    }
    if !unread.is_empty() {
        reading.notes.push(format!(
            "{} of {} failed checks were looked into",
            chosen.len(),
            ran.len()
        ));
    }
    reading.note_troubles(&troubles);
    reading
}

impl Reading {
    /// One of each kind is enough to know what to do about it.
    fn note_troubles(&mut self, troubles: &[GitHubError]) {
        for error in troubles {
            if let Trouble::RateLimited(_) = error.trouble() {
                let pause = error.retry_after().unwrap_or(Duration::from_mins(1));
                self.held_up = self.held_up.max(Some(pause));
            }
        }
        let mut told: BTreeSet<String> = BTreeSet::new();
        for error in troubles {
            let hint = error.hint();
            if told.insert(hint.clone()) {
                self.notes.push(format!("{error} ({hint})"));
            }
        }
    }
}

/// The checks to look into: of each matrix one after the other, so that none
/// takes all the room.
fn choose(ran: &[(usize, &CheckFacts)]) -> Vec<usize> {
    let mut of_matrix: BTreeMap<(Option<&str>, &str), usize> = BTreeMap::new();
    let mut ranked: Vec<_> = ran
        .iter()
        .map(|(index, check)| {
            let turn = of_matrix.entry(check.matrix()).or_default();
            *turn += 1;
            (!check.required, *turn, *index)
        })
        .collect();
    ranked.sort_unstable();
    let mut chosen: Vec<usize> = ranked
        .into_iter()
        .take(MOST_CHECKS)
        .map(|(_, _, index)| index)
        .collect();
    chosen.sort_unstable();
    chosen
}

async fn details(
    github: &GitHub,
    survey: &Survey,
    chosen: &[usize],
) -> Result<CheckDetails, GitHubError> {
    let checks = || chosen.iter().map(|index| &survey.checks[*index]);
    let runs: Vec<NodeId> = checks().filter_map(|check| check.node.clone()).collect();
    let mut suites: Vec<NodeId> = checks()
        .filter(|check| check.job.is_some())
        .filter_map(|check| check.suite.clone())
        .collect();
    suites.sort_by(|one, other| one.as_str().cmp(other.as_str()));
    suites.dedup();
    if runs.is_empty() {
        return Ok(CheckDetails::default());
    }
    github.check_details(&runs, &suites).await
}

type OfRun = (u64, Result<Vec<Artifact>, GitHubError>);

async fn artifacts_of(
    github: &GitHub,
    repository: &Repository,
    survey: &Survey,
    chosen: &[usize],
) -> Vec<OfRun> {
    let jobs = chosen.iter().map(|index| &survey.checks[*index]);
    let runs = jobs.filter(|check| check.job.is_some());
    let runs: BTreeSet<u64> = runs
        .filter_map(|check| Some(check.run.as_ref()?.id))
        .collect();
    // The newest are most likely to have kept theirs.
    let runs = runs.into_iter().rev().take(MOST_RUNS);
    join_all(runs.map(|run| async move {
        let listed = github.artifacts(repository, run).await;
        (run, listed.map(|listed| listed.items))
    }))
    .await
}

fn keep(
    artifacts: Vec<OfRun>,
    troubles: &mut Vec<GitHubError>,
) -> impl Iterator<Item = (u64, Vec<Artifact>)> {
    artifacts.into_iter().filter_map(|(run, listed)| {
        listed
            .map_err(|error| troubles.push(error))
            .ok()
            .map(|listed| (run, listed))
    })
}

fn of_details(
    survey: &Survey,
    index: usize,
    run: Option<&RunDetails>,
    details: &CheckDetails,
) -> Details {
    let check = &survey.checks[index];
    let suite = details
        .suites
        .iter()
        .find(|suite| Some(&suite.id) == check.suite.as_ref());
    let passed_before = suite.is_some_and(|suite| {
        let passed = suite.passed.items.iter();
        passed
            .filter(|passed| Some(&passed.id) != check.node.as_ref())
            .any(|passed| passed.name == check.name)
    });
    Details {
        steps: run.map(|run| run.steps.clone()).unwrap_or_default(),
        words: run.map_or_else(Vec::new, |run| words_of_the_runner(&run.annotations.items)),
        passed_before,
    }
}

/// Where the failures of checks are read.
struct Source<'a> {
    github: &'a GitHub,
    repository: &'a Repository,
    survey: &'a Survey,
    /// By run.
    artifacts: BTreeMap<u64, Vec<Artifact>>,
    permits: Semaphore,
    /// The forge does not want to be asked any more.
    stopped: AtomicBool,
}

/// What came of one check.
#[derive(Default)]
struct CheckReading {
    found: Vec<Found>,
    note: Option<String>,
    trouble: Option<GitHubError>,
}

impl Source<'_> {
    /// The best that can be had.
    async fn check(&self, index: usize, details: Option<&RunDetails>) -> CheckReading {
        let _permit = self.permits.acquire().await;
        let check = &self.survey.checks[index];
        let mut reading = CheckReading::default();
        let reports = self.reports(check, &mut reading.trouble).await;
        reading.found = self.from_reports(index, &reports, FailureSource::Report, None);
        if !reading.found.is_empty() {
            return reading;
        }
        let annotations = details.map(|run| run.annotations.items.as_slice());
        let remarks = remarks(annotations.unwrap_or_default());
        let of_remarks = || self.from_remarks(index, &remarks.failures);
        if remarks.are_complete {
            reading.found = of_remarks();
            return reading;
        }
        let log = self.log(check.job, &mut reading.trouble).await;
        if log.as_ref().is_some_and(|log| log.truncated) {
            let note = format!(
                "The log of {} was too long to be read to its end",
                check.shown
            );
            reading.note = Some(note);
        }
        reading.found = match &log {
            Some(log) => self.from_log(index, log),
            None => Vec::new(),
        };
        let is_sure = |found: &[Found]| found.iter().any(|found| !found.is_whole_check());
        if !is_sure(&reading.found) && !remarks.failures.is_empty() {
            reading.found = of_remarks();
        }
        if reading.found.is_empty() {
            let text = details.and_then(|run| run.text.as_deref());
            reading.found = vec![of_check(index, check, text)];
        }
        if let Some(step) = details.and_then(|run| failed_step(&run.steps)) {
            for found in &mut reading.found {
                found.step.get_or_insert_with(|| step.name.clone());
            }
        }
        reading
    }

    async fn reports(
        &self,
        check: &CheckFacts,
        trouble: &mut Option<GitHubError>,
    ) -> Vec<TestReport> {
        let kept = check
            .run
            .as_ref()
            .and_then(|run| self.artifacts.get(&run.id));
        let Some(kept) = kept else {
            return Vec::new();
        };
        let all = self.survey.checks.iter();
        let jobs: Vec<&CheckFacts> = all.filter(|other| other.run == check.run).collect();
        let mut reports = Vec::new();
        for artifact in artifacts::of_job(kept, &jobs, check) {
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            match artifacts::read(self.github, self.repository, artifact).await {
                Ok(read) => reports.extend(read),
                Err(error) => *trouble = Some(self.noted(error)),
            }
        }
        reports
    }

    async fn log(&self, job: Option<u64>, trouble: &mut Option<GitHubError>) -> Option<ReadLog> {
        let job = job.filter(|_| !self.stopped.load(Ordering::Relaxed))?;
        match log::read(self.github, self.repository, job).await {
            Ok(log) => log,
            Err(error) => {
                *trouble = Some(self.noted(error));
                None
            }
        }
    }

    fn noted(&self, error: GitHubError) -> GitHubError {
        if matches!(error.trouble(), Trouble::RateLimited(_)) {
            self.stopped.store(true, Ordering::Relaxed);
        }
        error
    }

    fn from_reports(
        &self,
        index: usize,
        reports: &[TestReport],
        source: FailureSource,
        step: Option<&str>,
    ) -> Vec<Found> {
        let name = self.repository.name();
        let each = reports.iter().flat_map(|report| {
            report.failures.iter().map(|failure| Found {
                check: index,
                failure: tidied(failure.clone(), name),
                framework: report.framework.clone(),
                is_build_failure: report.is_build_failure,
                source,
                step: step.map(str::to_owned),
            })
        });
        each.collect()
    }

    fn from_remarks(&self, index: usize, failures: &[ReportedFailure]) -> Vec<Found> {
        let report = TestReport {
            failures: failures.to_vec(),
            ..TestReport::default()
        };
        self.from_reports(index, &[report], FailureSource::Annotations, None)
    }

    /// What was recognised, or else the last lines.
    fn from_log(&self, index: usize, log: &ReadLog) -> Vec<Found> {
        let step = log.report.failing_step.as_deref();
        let reports = std::slice::from_ref(&log.report);
        let found = self.from_reports(index, reports, FailureSource::Log, step);
        if !found.is_empty() || log.tail.is_empty() {
            return found;
        }
        let check = &self.survey.checks[index];
        let failure = ReportedFailure {
            name: step.unwrap_or(&check.name).to_owned(),
            file: None,
            line: None,
            error: end_of(&log.tail),
            confidence: Confidence::Low,
        };
        vec![Found {
            check: index,
            failure,
            framework: String::new(),
            is_build_failure: false,
            source: FailureSource::LogTail,
            step: step.map(str::to_owned),
        }]
    }

    /// What fails on the base branch in the same checks, for a few of them.
    async fn base(&self, chosen: &[usize]) -> Vec<(Option<OnBase>, Option<GitHubError>)> {
        let Some(base) = &self.survey.base else {
            return Vec::new();
        };
        let mut seen = BTreeSet::new();
        let failed = chosen.iter().filter_map(|index| {
            let check = &self.survey.checks[*index];
            let counterpart = base.counterpart(check)?;
            let is_new = counterpart.failed() && seen.insert(check.matrix());
            is_new.then_some((*index, counterpart))
        });
        let each = failed
            .take(MOST_OF_BASE)
            .map(|(index, counterpart)| async move {
                let _permit = self.permits.acquire().await;
                let mut trouble = None;
                let log = self.log(counterpart.check.job, &mut trouble).await;
                let on_base = log.map(|log| OnBase {
                    check: index,
                    found: self.from_log(index, &log),
                });
                (on_base, trouble)
            });
        join_all(each).await
    }
}

/// The step that failed the job.
pub(super) fn failed_step(steps: &[CheckStep]) -> Option<&CheckStep> {
    let failed = |step: &&CheckStep| {
        matches!(
            step.conclusion,
            Some(CheckConclusion::Failure | CheckConclusion::TimedOut)
        )
    };
    steps.iter().find(failed)
}

/// The check itself, where nothing in it can be named.
pub(super) fn of_check(index: usize, check: &CheckFacts, text: Option<&str>) -> Found {
    let said = [check.says.as_deref(), text];
    let said = said.into_iter().flatten().map(str::trim);
    let said: Vec<&str> = said.filter(|said| !said.is_empty()).collect();
    let error = if said.is_empty() {
        fate(check.failed().unwrap_or(&Why::Failure))
    } else {
        said.join("\n\n")
    };
    Found {
        check: index,
        failure: ReportedFailure {
            name: check.name.clone(),
            file: None,
            line: None,
            error: shortened(&error, LONGEST_ERROR),
            confidence: Confidence::Low,
        },
        framework: String::new(),
        is_build_failure: false,
        source: FailureSource::Check,
        step: None,
    }
}

fn fate(why: &Why) -> String {
    match why {
        Why::Failure => "The check failed and says no more.".to_owned(),
        Why::TimedOut => "The check ran into its time limit.".to_owned(),
        Why::Cancelled => "The check was cancelled before it ended.".to_owned(),
        Why::ActionRequired => "The check waits for somebody to act.".to_owned(),
        Why::Stale => "The check was never finished, and GitHub gave up on it.".to_owned(),
        Why::Unstartable => "The workflow could not be started.".to_owned(),
        Why::NeverReported => "The check is required, and nobody has reported it.".to_owned(),
        Why::Other(word) => format!("The check ended as `{word}`."),
    }
}

/// The end of a text, cut at its beginning.
fn end_of(text: &str) -> String {
    let letters = text.chars().count();
    match letters.checked_sub(LONGEST_ERROR) {
        None | Some(0) => text.to_owned(),
        Some(more) => format!("…{}", text.chars().skip(more).collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pulls::failing_tests::survey::State;

    fn job(name: &str) -> CheckFacts {
        CheckFacts::new(name.to_owned(), State::Failed(Why::Failure))
    }

    #[test]
    fn no_matrix_takes_all_the_room() {
        let mut checks: Vec<_> = (0..100).map(|n| job(&format!("test ({n})"))).collect();
        checks.push(job("lint"));
        let required = CheckFacts {
            required: true,
            ..job("test (the required one)")
        };
        checks.push(required);
        let ran: Vec<_> = checks.iter().enumerate().collect();
        let chosen = choose(&ran);
        assert_eq!(chosen.len(), MOST_CHECKS);
        assert!(chosen.contains(&100) && chosen.contains(&101));
        assert!(chosen.is_sorted());
    }

    #[test]
    fn a_check_without_words_says_how_it_ended() {
        let found = of_check(3, &job("lint"), Some(" "));
        assert_eq!(found.failure.error, "The check failed and says no more.");
        let talking = CheckFacts {
            says: Some("2 findings".to_owned()),
            ..job("lint")
        };
        let found = of_check(3, &talking, Some("at length"));
        assert_eq!(found.failure.error, "2 findings\n\nat length");
    }

    #[test]
    fn the_end_of_a_log_is_what_counts() {
        let text = format!("{}end", "ä".repeat(LONGEST_ERROR));
        let cut = end_of(&text);
        assert!(cut.starts_with('…') && cut.ends_with("äend"));
        assert_eq!(cut.chars().count(), LONGEST_ERROR + 1);
        assert_eq!(end_of("short"), "short");
    }
}
