//! Finds out what failed in each check, for as many as an answer has room for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use baton_protocol::Repository;
use baton_remote::github::questions::check_details::{CheckDetails, CheckStep, RunDetails};
use baton_remote::github::resources::artifacts::Artifact;
use baton_remote::github::{GitHub, GitHubError, GitHubErrorKind, NodeId, Unreadable};
use futures_util::future::join_all;
use tokio::sync::Semaphore;

use super::annotations::words_of_the_runner;
use super::found::Found;
use super::sources::Source;
use super::survey::Survey;
use super::whole_check::for_check;
use crate::pulls::ci_check::{CiCheck, Why};

/// Checks that are looked into. A pull request with more failing checks has
/// one reason for most of them.
const MAX_CHECKS: usize = 40;
/// Runs whose artifacts are looked at.
const MAX_RUNS: usize = 8;
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
    /// What could not be read.
    pub(super) notes: Vec<String>,
    pub(super) unreadable: Vec<Unreadable>,
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
            .map(|(index, check)| for_check(*index, check, None))
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
        let known = from_details(survey, *index, of(*index), &details);
        reading.details.insert(*index, known);
    }
    for (on_base, trouble) in on_base {
        reading.on_base.extend(on_base);
        troubles.extend(trouble);
    }
    reading.unreadable.extend(details.unreadable);
    reading.add_unread(&ran, &chosen);
    reading.note_troubles(&troubles);
    reading
}

impl Reading {
    /// Checks that were not looked into.
    fn add_unread(&mut self, ran: &[(usize, &CiCheck)], chosen: &[usize]) {
        let unread = ran.iter().filter(|(index, _)| !chosen.contains(index));
        self.found
            .extend(unread.map(|(index, check)| for_check(*index, check, None)));
        if chosen.len() < ran.len() {
            let (read, all) = (chosen.len(), ran.len());
            self.notes
                .push(format!("{read} of {all} failed checks were looked into"));
        }
    }

    /// One of each kind is enough to know what to do about it.
    fn note_troubles(&mut self, troubles: &[GitHubError]) {
        for error in troubles {
            if let GitHubErrorKind::RateLimited(_) = error.kind() {
                let pause = error.retry_after().unwrap_or(Duration::from_mins(1));
                self.held_up = self.held_up.max(Some(pause));
            }
        }
        let mut told: BTreeSet<String> = BTreeSet::new();
        for error in troubles {
            let hint = error.hint();
            self.unreadable.push(Unreadable::from(error));
            if told.insert(hint.clone()) {
                self.notes.push(format!("{error} ({hint})"));
            }
        }
    }
}

/// The checks to look into: of each matrix one after the other, so that none
/// takes all the room.
fn choose(ran: &[(usize, &CiCheck)]) -> Vec<usize> {
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
        .take(MAX_CHECKS)
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
    let runs = runs.into_iter().rev().take(MAX_RUNS);
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

fn from_details(
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
        passed_before: passed_before || check.passed_before,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pulls::ci_check::CiState;

    fn job(name: &str) -> CiCheck {
        CiCheck::new(name.to_owned(), CiState::Failed(Why::Failure))
    }

    #[test]
    fn no_matrix_takes_all_the_room() {
        let mut checks: Vec<_> = (0..100).map(|n| job(&format!("test ({n})"))).collect();
        checks.push(job("lint"));
        let required = CiCheck {
            required: true,
            ..job("test (the required one)")
        };
        checks.push(required);
        let ran: Vec<_> = checks.iter().enumerate().collect();
        let chosen = choose(&ran);
        assert_eq!(chosen.len(), MAX_CHECKS);
        assert!(chosen.contains(&100) && chosen.contains(&101));
        assert!(chosen.is_sorted());
    }
}
