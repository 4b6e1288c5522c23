//! Reports for machines that a runner writes on the side, without changing
//! what its user sees: asked for through the environment, or found where the
//! runner always puts them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use baton_host::cmd::Environment;
use baton_protocol::report::{Counts, TestReport};
use baton_report::cases::{self, Case};

use super::selection;
use crate::command_line;

/// Larger ones are left alone; the text has the facts, too.
const MAX_BYTES: u64 = 64 << 20;
const MAX_FILES: usize = 5_000;

pub(super) struct MachineReport {
    /// Where pytest is told to write.
    asked: Option<Asked>,
    /// Nothing else but pytest runs, so what it writes is all there is.
    is_alone: bool,
    /// Where build tools put theirs.
    folders: Vec<PathBuf>,
    since: SystemTime,
    listing: Option<Listing>,
}

/// How a runner was asked to name every test.
struct Listing {
    /// Where it writes them, unless it prints them.
    folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
    /// The whole argument list, where options had to be added.
    arguments: Option<Vec<String>>,
}

struct Asked {
    folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl MachineReport {
    pub(super) fn prepare(
        command: &str,
        folder: &Path,
        environment: &Environment,
        lists_cases: bool,
    ) -> Self {
        Self {
            listing: lists_cases
                .then(|| Listing::ask(command, folder, environment))
                .flatten(),
            asked: command
                .contains("pytest")
                .then(|| ask_pytest(environment))
                .flatten(),
            is_alone: command_line::is_one_program(command),
            folders: ["target/surefire-reports", "build/test-results/test"]
                .iter()
                .map(|name| folder.join(name))
                .collect(),
            since: SystemTime::now(),
        }
    }

    /// The environment in which the command reaches what it is to write to.
    pub(super) fn shown_in(&self, environment: &Environment) -> Environment {
        let asked = self.asked.iter().map(|asked| asked.folder.path());
        let listed = self.listing.iter().map(|listing| listing.folder.path());
        asked
            .chain(listed)
            .fold(environment.clone(), |shown, folder| shown.showing(folder))
    }

    /// Variables to set for the command.
    pub(super) fn environment(&self) -> impl Iterator<Item = &(String, String)> {
        let asked = self.asked.iter().flat_map(|asked| &asked.variables);
        let listing = self.listing.iter().flat_map(|listing| &listing.variables);
        asked.chain(listing)
    }

    /// The argument list to run instead of the command.
    pub(super) fn arguments(&self) -> Option<&Vec<String>> {
        self.listing.as_ref()?.arguments.as_ref()
    }

    /// The tests that were written down, whatever became of them.
    pub(super) fn cases(&self) -> Vec<Case> {
        let asked = self.asked.iter().map(|asked| asked.folder.path());
        let listed = self.listing.iter().map(|listing| listing.folder.path());
        let own: Vec<Case> = asked
            .chain(listed)
            .flat_map(|folder| self.cases_in(folder))
            .collect();
        if !own.is_empty() {
            return own;
        }
        let folders = self.folders.iter();
        folders.flat_map(|folder| self.cases_in(folder)).collect()
    }

    fn cases_in(&self, folder: &Path) -> Vec<Case> {
        let files = self.new_files(folder, &["xml", "json"]).into_iter();
        files
            .filter_map(|path| fs::read(path).ok())
            .flat_map(|bytes| cases::parse_document(&bytes))
            .collect()
    }

    /// Nothing but pytest was run, and it has not written what it writes last.
    pub(super) fn is_missing(&self) -> bool {
        let has_written = |asked: &Asked| {
            fs::read_dir(asked.folder.path()).is_ok_and(|mut all| all.next().is_some())
        };
        self.is_alone && self.asked.as_ref().is_some_and(|asked| !has_written(asked))
    }

    /// What was written, if it can be believed, given what was printed.
    pub(super) fn read(&self, text: &TestReport) -> Option<TestReport> {
        let mut reports = Vec::new();
        if let Some(asked) = &self.asked {
            reports.extend(self.read_folder(asked.folder.path()));
        }
        if self.is_alone && !reports.is_empty() {
            return reports.into_iter().reduce(sum);
        }
        for folder in &self.folders {
            reports.extend(self.read_folder(folder));
        }
        reports
            .into_iter()
            .reduce(sum)
            .filter(|report| is_plausible(report, text))
    }

    fn new_files(&self, folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        let is_wanted = |path: &PathBuf| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            extension.is_some_and(|extension| extensions.contains(&extension))
        };
        let mut files: Vec<PathBuf> = entries
            .flatten()
            .take(MAX_FILES)
            .map(|entry| entry.path())
            .filter(|path| is_wanted(path) && self.is_new(path))
            .collect();
        files.sort();
        files
    }

    fn read_folder(&self, folder: &Path) -> Vec<TestReport> {
        self.new_files(folder, &["xml"])
            .iter()
            .filter_map(|path| fs::read(path).ok())
            .map(|bytes| baton_report::read(&bytes))
            .filter(|report| report.framework != "unknown")
            .collect()
    }

    /// Written since the command was started, and of a sensible size.
    fn is_new(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|facts| {
            facts.is_file()
                && facts.len() <= MAX_BYTES
                && facts.modified().is_ok_and(|at| at >= self.since)
        })
    }
}

impl Listing {
    fn ask(command: &str, folder: &Path, environment: &Environment) -> Option<Self> {
        let own = tempfile::Builder::new()
            .prefix("baton-cases-")
            .tempdir_in(environment.temporary_folder())
            .ok()?;
        let file = own.path().join("cases.json");
        let arguments = selection::listing(command, folder, &file);
        let mut variables = Vec::new();
        // RSpec and rake's test task read options from the environment.
        for (name, option) in [
            (
                "SPEC_OPTS",
                format!("--format progress --format json --out {}", file.display()),
            ),
            ("TESTOPTS", "-v".to_owned()),
        ] {
            if environment.get(name).is_none() {
                variables.push((name.to_owned(), option));
            }
        }
        Some(Self {
            folder: own,
            variables,
            arguments,
        })
    }
}

/// A report that knows of fewer tests than the text is a leftover, or of
/// another run.
fn is_plausible(machine: &TestReport, text: &TestReport) -> bool {
    machine.counts.run >= text.counts.run && machine.failures.len() >= text.failures.len()
}

fn ask_pytest(environment: &Environment) -> Option<Asked> {
    let folder = tempfile::Builder::new()
        .prefix("baton-report-")
        .tempdir_in(environment.temporary_folder())
        .ok()?;
    let file = folder.path().join("pytest.xml");
    let path = file.to_str()?;
    // pytest splits the variable like a shell, so odd paths are left alone.
    if !path
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
    {
        return None;
    }
    let own = environment
        .get("PYTEST_ADDOPTS")
        .and_then(|value| value.to_str())
        .unwrap_or_default();
    if own.contains("--junit") {
        return None;
    }
    let value = format!("{own} --junitxml={path}").trim().to_owned();
    Some(Asked {
        variables: vec![("PYTEST_ADDOPTS".to_owned(), value)],
        folder,
    })
}

/// Several files of one run.
fn sum(mut one: TestReport, other: TestReport) -> TestReport {
    let (a, b) = (one.counts, other.counts);
    one.counts = Counts {
        run: a.run + b.run,
        passed: a.passed + b.passed,
        failed: a.failed + b.failed,
        skipped: a.skipped + b.skipped,
        errors: a.errors + b.errors,
    };
    one.failures.extend(other.failures);
    one.is_build_failure = one.is_build_failure && other.is_build_failure;
    one
}
