//! Installed scanners that the user asks to look, too. They write SARIF, which
//! is merged into the review; one that is missing or fails is a note.

use std::path::Path;
use std::time::Duration;

use baton_host::cmd::{CaptureLimits, Cmd, Environment, Finished, Outcome};
use baton_review::{Finding, sarif};
use tokio_util::sync::CancellationToken;

/// A program that can be delegated to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scanner {
    Semgrep,
    Bandit,
    Gitleaks,
}

/// Which of them are asked, and how.
#[derive(Clone, Copy)]
pub struct Scanning<'a> {
    pub scanners: &'a [Scanner],
    pub environment: &'a Environment,
    pub cancel: &'a CancellationToken,
    /// For one run of one scanner.
    pub limit: Duration,
}

/// What all of them found.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    pub(super) findings: Vec<Finding>,
    pub(super) notes: Vec<String>,
}

/// Semgrep needs most of a minute to read its rules on a slow machine.
pub const SCANNER_LIMIT: Duration = Duration::from_mins(5);

/// A command line holds about two megabytes, and a path four kilobytes at most.
const FILES_AT_ONCE: usize = 400;

/// As long as the longest log that is read.
const CAPTURED: CaptureLimits = CaptureLimits {
    head: 64 << 20,
    tail: 0,
    spill: 0,
};

const MAX_COMPLAINT_LEN: usize = 200;

impl Scanner {
    pub const ALL: [Self; 3] = [Self::Semgrep, Self::Bandit, Self::Gitleaks];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Semgrep => "semgrep",
            Self::Bandit => "bandit",
            Self::Gitleaks => "gitleaks",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scanner| scanner.name() == name)
    }

    fn reads(self, file: &str) -> bool {
        match self {
            Self::Bandit => Path::new(file)
                .extension()
                .is_some_and(|ending| ending == "py"),
            Self::Semgrep | Self::Gitleaks => true,
        }
    }

    /// Nothing is fetched or sent, and findings are no failure.
    const fn arguments(self) -> &'static [&'static str] {
        match self {
            // The rules are those of SEMGREP_RULES, which semgrep itself reads.
            Self::Semgrep => &[
                "scan",
                "--sarif",
                "--quiet",
                "--metrics=off",
                "--disable-version-check",
            ],
            Self::Bandit => &["--format", "sarif", "--quiet", "--exit-zero"],
            Self::Gitleaks => &[
                "dir",
                "--report-format=sarif",
                "--report-path=/dev/stdout",
                "--redact",
                "--no-banner",
                "--exit-code=0",
            ],
        }
    }

    /// The files of each run. Gitleaks takes one place, so it gets the folder,
    /// and what it says of other files is left out.
    fn runs(self, files: &[String]) -> Vec<Vec<String>> {
        let mine: Vec<String> = files
            .iter()
            .filter(|file| self.reads(file))
            // Whatever a file is called, it is no option.
            .map(|file| format!("./{file}"))
            .collect();
        match self {
            Self::Gitleaks if !mine.is_empty() => vec![vec![".".to_owned()]],
            _ => mine.chunks(FILES_AT_ONCE).map(<[_]>::to_vec).collect(),
        }
    }
}

/// Runs one after the other: each takes all cores.
pub(super) async fn run(scanning: Scanning<'_>, folder: &Path, files: &[String]) -> Scanned {
    let mut scanned = Scanned::default();
    for scanner in scanning.scanners {
        for places in scanner.runs(files) {
            match scan(scanning, *scanner, folder, places).await {
                Ok(findings) => {
                    let here = |finding: &Finding| files.contains(&finding.place.path);
                    scanned.findings.extend(findings.into_iter().filter(here));
                }
                Err(why) => {
                    let name = scanner.name();
                    scanned.notes.push(format!("{name} did not look: {why}"));
                    break;
                }
            }
        }
    }
    scanned
}

async fn scan(
    scanning: Scanning<'_>,
    scanner: Scanner,
    folder: &Path,
    places: Vec<String>,
) -> Result<Vec<Finding>, String> {
    let finished = Cmd::new(scanner.name(), folder, scanning.environment)
        .args(scanner.arguments().iter().copied())
        .args(places)
        .env("NO_COLOR", "1")
        .capture(CAPTURED)
        .wall_limit(scanning.limit)
        .run(scanning.cancel)
        .await
        .map_err(|error| error.to_string())?;
    let Some(log) = finished.stdout.bytes() else {
        return Err(sarif::SarifError::TooLarge.to_string());
    };
    // Exit codes differ between scanners and versions; a log is a log.
    match sarif::read(&log, folder.to_str()) {
        Ok(imported) if matches!(finished.outcome, Outcome::Exited(_)) => Ok(imported.findings),
        Ok(_) => Err(format!("it {}", finished.outcome)),
        Err(error) => Err(complaint(&finished).unwrap_or_else(|| error.to_string())),
    }
}

/// What it says of a run without a log: that of the outcome and its own words.
fn complaint(finished: &Finished) -> Option<String> {
    if finished.outcome == Outcome::Exited(0) {
        return None;
    }
    let errors = finished.stderr.text();
    let last = errors.lines().map(str::trim).rfind(|line| !line.is_empty());
    let outcome = &finished.outcome;
    Some(match last {
        Some(line) => {
            let line: String = line.chars().take(MAX_COMPLAINT_LEN).collect();
            format!("it {outcome}: {line}")
        }
        None => format!("it {outcome}"),
    })
}
