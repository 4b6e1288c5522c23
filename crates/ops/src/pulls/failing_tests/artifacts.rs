//! Report files that runs keep as artifacts, and whose they are.

use std::collections::BTreeSet;
use std::path::Path;

use baton_protocol::Repository;
use baton_protocol::report::{TestReport, UNKNOWN_FRAMEWORK};
use baton_remote::github::resources::artifacts::Artifact;
use baton_remote::github::{Archive, ArchiveLimits, GitHub, GitHubError};

use crate::pulls::ci_check::CiCheck;

/// A report of a hundred thousand tests has some tens of megabytes.
const LIMITS: ArchiveLimits = ArchiveLimits {
    packed: 32 << 20,
    entries: 5_000,
    entry: 64 << 20,
    total: 256 << 20,
};
/// Of one job.
pub(super) const MAX_ARTIFACTS: usize = 3;

/// Words in the names of artifacts that hold reports.
const TELLING: &[&str] = &[
    "junit",
    "test",
    "tests",
    "report",
    "reports",
    "result",
    "results",
    "surefire",
    "failsafe",
    "xunit",
    "ctrf",
    "pytest",
    "jest",
    "vitest",
    "nextest",
    "rspec",
    "gotestsum",
    "playwright",
];
/// Words in the names of those that do not.
const OTHERWISE: &[&str] = &[
    "coverage",
    "screenshot",
    "screenshots",
    "video",
    "videos",
    "trace",
    "traces",
    "logs",
    "binary",
    "binaries",
    "dist",
    "wheel",
    "wheels",
    "image",
];

/// The artifacts of a run that may hold the reports of a failed job, newest
/// first. `jobs` are all jobs of the run. An artifact that may be of several
/// of them belongs to none.
pub(super) fn for_job<'a>(
    artifacts: &'a [Artifact],
    jobs: &[&CiCheck],
    job: &CiCheck,
) -> Vec<&'a Artifact> {
    let mut found: Vec<&Artifact> = artifacts
        .iter()
        .filter(|artifact| !artifact.expired && artifact.size_in_bytes <= LIMITS.packed)
        .filter(|artifact| holds_reports(&artifact.name))
        // An earlier attempt may have left one of the same name.
        .filter(|artifact| {
            artifact
                .created_at
                .is_none_or(|at| job.started_at.is_none_or(|start| at >= start))
        })
        .filter(|artifact| owner(&artifact.name, jobs) == Some(&job.name))
        .collect();
    found.sort_by_key(|artifact| std::cmp::Reverse((artifact.created_at, artifact.id)));
    found.truncate(MAX_ARTIFACTS);
    found
}

fn holds_reports(name: &str) -> bool {
    let words = words(name);
    let has = |known: &[&str]| known.iter().any(|word| words.contains(*word));
    has(TELLING) && !has(OTHERWISE)
}

/// The job that the artifact's name speaks of. One that names none is of the
/// only job, or of the only one that failed.
fn owner<'a>(name: &str, jobs: &[&'a CiCheck]) -> Option<&'a String> {
    let words = words(name);
    let score = |job: &CiCheck| {
        let all = self::words(&job.name);
        let matrix = job.name.split_once(" (").map(|(_, rest)| self::words(rest));
        if all.is_subset(&words) {
            all.len()
        } else {
            matrix
                .filter(|matrix| !matrix.is_empty() && matrix.is_subset(&words))
                .map_or(0, |matrix| matrix.len())
        }
    };
    let best = jobs.iter().map(|job| score(job)).max()?;
    let candidates: Vec<&CiCheck> = if best > 0 {
        jobs.iter()
            .copied()
            .filter(|job| score(job) == best)
            .collect()
    } else {
        jobs.iter()
            .copied()
            .filter(|job| job.failed().is_some())
            .collect()
    };
    match candidates[..] {
        [job] => Some(&job.name),
        _ => None,
    }
}

fn words(text: &str) -> BTreeSet<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The reports in an artifact.
pub(super) async fn read(
    github: &GitHub,
    repository: &Repository,
    artifact: &Artifact,
) -> Result<Vec<TestReport>, GitHubError> {
    let archive = github.artifact(repository, artifact.id, LIMITS).await?;
    // Unpacking and reading take a moment, in which nothing else should wait.
    let reports = tokio::task::spawn_blocking(move || reports(archive)).await;
    Ok(reports.unwrap_or_default())
}

fn reports(mut archive: Archive) -> Vec<TestReport> {
    let entries = archive.entries().to_vec();
    let mut reports = Vec::new();
    for entry in entries {
        let ends_with = |end: &str| has_ending(entry.path(), end);
        if !(ends_with("xml") || ends_with("json")) {
            continue;
        }
        let mut bytes = Vec::new();
        if let Err(error) = archive.read(&entry, &mut bytes) {
            tracing::debug!(%error, "cannot read a file of an artifact");
            continue;
        }
        let report = baton_report::read(&bytes);
        if report.framework != UNKNOWN_FRAMEWORK {
            reports.push(report);
        }
    }
    reports
}

/// Runners on Windows write some of them in capitals.
fn has_ending(path: &str, ending: &str) -> bool {
    let found = Path::new(path).extension();
    found.is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pulls::ci_check::{CiState, Why};

    fn job(name: &str, failed: bool) -> CiCheck {
        let state = if failed {
            CiState::Failed(Why::Failure)
        } else {
            CiState::Passed
        };
        CiCheck::new(name.to_owned(), state)
    }

    fn owner_of(name: &str, jobs: &[CiCheck]) -> String {
        let jobs: Vec<_> = jobs.iter().collect();
        owner(name, &jobs).map_or("none".to_owned(), Clone::clone)
    }

    #[test]
    fn an_artifact_is_of_the_job_that_it_names() {
        let jobs = [
            job("test (3.10)", true),
            job("test (3.11)", true),
            job("lint", false),
        ];
        assert_eq!(owner_of("junit-test-3.11", &jobs), "test (3.11)");
        assert_eq!(owner_of("junit-3.10", &jobs), "test (3.10)");
        assert_eq!(owner_of("junit-lint", &jobs), "lint");
        // It may be of either.
        assert_eq!(owner_of("junit", &jobs), "none");
    }

    #[test]
    fn an_artifact_without_a_name_is_of_the_one_that_failed() {
        let jobs = [job("unit", true), job("lint", false)];
        assert_eq!(owner_of("junit", &jobs), "unit");
        let jobs = [job("lint", true), job("test", false)];
        assert_eq!(owner_of("test-results", &jobs), "test");
    }

    #[test]
    fn reports_are_told_from_other_things_by_name() {
        for (name, expected) in [
            ("junit-test", true),
            ("Test Results (ubuntu)", true),
            ("coverage-report", false),
            ("dist", false),
            ("app", false),
            ("playwright-traces", false),
        ] {
            assert_eq!(holds_reports(name), expected, "{name}");
        }
    }
}
