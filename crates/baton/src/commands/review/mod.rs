//! `baton review`: reviews a change or files.

mod explain;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use baton_ops::review::{NamedFiles, named_files};
use baton_ops::validation::{self, Others, SCANNER_LIMIT, Scanning, Since};
use baton_protocol::review::ReviewReport;
use baton_review::{Baseline, Options, Severity};
use clap::ValueEnum;
use tokio_util::sync::CancellationToken;

use super::{sarif_logs, source_excerpt};
use crate::acceptances;
use crate::document::{self, Place};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::github;
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Style, sanitize};

/// Review files, or what has changed since a commit
///
/// Works offline and starts nothing but git and the scanners that your own
/// configuration names (`review.scanners`). Exits 0 when nothing is found at or
/// above the threshold, 1 when something is. docs/review.md says more.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files and folders; this folder when none are given
    #[arg(value_name = "PATH", conflicts_with = "diff")]
    paths: Vec<PathBuf>,

    /// Review only what has changed since this commit
    #[arg(long, value_name = "BASE")]
    diff: Option<String>,

    /// With --diff: also what the change did not touch, in the files it touched
    #[arg(long, requires = "diff")]
    all: bool,

    /// Leave out what is less severe
    #[arg(long, value_enum)]
    threshold: Option<Threshold>,

    /// Leave out, but count, what this file of --write-baseline knows
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Write down all that is found, as known from now on, and exit with 0
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,

    /// Merge what another scanner found, out of its SARIF file
    ///
    /// Of semgrep, bandit, gitleaks, eslint, `CodeQL` and others; may be given several
    /// times, and `-` is standard input. The same weakness at the same place is said
    /// once. `review.sarif` in the configuration names files for every call.
    #[arg(long, value_name = "FILE")]
    merge_sarif: Vec<Place>,

    /// Print one JSON object
    #[arg(long, conflicts_with = "sarif")]
    json: bool,

    /// Print SARIF
    #[arg(long)]
    sarif: bool,

    /// Explain a rule, or list those of a class such as sql-injection; review nothing
    #[arg(long, value_name = "RULE", group = "question", conflicts_with_all = REVIEWING)]
    explain: Option<String>,

    /// List all rules, one in a line; review nothing
    #[arg(long, group = "question", conflicts_with_all = REVIEWING)]
    rules: bool,
}

/// Flags that mean nothing where nothing is reviewed.
const REVIEWING: [&str; 8] = [
    "paths",
    "diff",
    "threshold",
    "json",
    "sarif",
    "baseline",
    "write_baseline",
    "merge_sarif",
];

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Threshold {
    Low,
    Medium,
    High,
    Critical,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    if args.rules {
        terminal::result(&explain::every_rule())?;
        return Ok(Exit::Done);
    }
    if let Some(rule) = &args.explain {
        terminal::result(&explain::explain(rule)?)?;
        return Ok(Exit::Done);
    }
    let folder = folder(Path::new("."))?;
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let mut settings = super::validate::options(session, &folder)?;
    settings
        .logs
        .extend(sarif_logs::given(&args.merge_sarif, &folder)?);
    let threshold = match args.threshold {
        Some(Threshold::Low) => Severity::Low,
        Some(Threshold::Medium) => Severity::Medium,
        Some(Threshold::High) => Severity::High,
        Some(Threshold::Critical) => Severity::Critical,
        None => settings.threshold,
    };
    let options = Options {
        threshold,
        everywhere: args.all || args.diff.is_none(),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        ..Options::default()
    };
    let given = match args.diff {
        Some(_) => NamedFiles::default(),
        None => named(&folder, &args.paths)?,
    };
    let (mut review, accepted) = runtime::run(async |cancel| {
        let (names, since) = if let Some(base) = &args.diff {
            let names = changed_since(&folder, Some(base), session, &cancel).await?;
            let since = Since {
                commit: Some(base),
                environment: &session.environment,
            };
            (names, Some(since))
        } else {
            (given.names.clone(), None)
        };
        let scanning = Scanning {
            scanners: &settings.scanners,
            environment: &session.environment,
            cancel: &cancel,
            limit: SCANNER_LIMIT,
        };
        let others = Others {
            scanning: Some(scanning),
            logs: &settings.logs,
            ..Others::default()
        };
        let review =
            validation::review_files(&folder, &names, since, options, others, &cancel).await;
        let accepted = acceptances::known_findings(&folder, session, &cancel).await;
        Ok((review, accepted))
    })?;
    review.notes.extend(given.notes);
    if let Some(path) = &args.write_baseline {
        let baseline = Baseline::new(&review.findings);
        document::write_in_folder(path, &baseline.to_string())?;
        let known = match baseline.len() {
            1 => "1 finding is".to_owned(),
            count => format!("{count} findings are"),
        };
        let name = sanitize(&path.to_string_lossy());
        terminal::error_line(&format!("{known} known from now on, by {name}"));
        return Ok(Exit::Done);
    }
    let review = match &baseline {
        Some(baseline) => review.without(baseline),
        None => review,
    };
    let review = review.setting_apart(&accepted);
    let report = review.report();
    terminal::result(&if args.json {
        let text = serde_json::to_string_pretty(&report).expect("a report is plain data");
        format!("{text}\n")
    } else if args.sarif {
        baton_review::sarif::log(&review.findings, &review.notes, env!("CARGO_PKG_VERSION"))
            .to_text()
    } else {
        as_text(&report, &folder)
    })?;
    Ok(if !report.findings.is_empty() {
        Exit::Failed
    } else if report.files == 0 && !args.paths.is_empty() {
        // Silence about what was asked for would be taken for praise.
        Exit::WrongUse
    } else {
        Exit::Done
    })
}

pub(super) fn read_baseline(path: &Path) -> Result<Baseline, CommandError> {
    /// A line has about a hundred bytes.
    const MAX_BYTES: usize = 64 << 20;
    if !path.exists() {
        let name = sanitize(&path.to_string_lossy());
        return Err(
            CommandError::missing(format!("there is no baseline {name}")).hint(format!(
                "Write one with `baton review --write-baseline {name}`."
            )),
        );
    }
    let bytes = Place::File(path.to_owned()).read(MAX_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    Baseline::parse(&text).map_err(|error| {
        let name = sanitize(&path.to_string_lossy());
        CommandError::wrong_use(format!("{name} is no baseline"))
            .because(error)
            .hint(format!(
                "Write one with `baton review --write-baseline {name}`."
            ))
    })
}

/// The folder of a project, as a real path.
pub(crate) fn folder(path: &Path) -> Result<PathBuf, CommandError> {
    let folder = Session::working_directory()?.join(path);
    folder.canonicalize().map_err(|error| {
        CommandError::missing(format!(
            "{} is no folder",
            sanitize(&path.to_string_lossy())
        ))
        .because(error)
        .hint("Name the folder of a project, or none for this one.")
    })
}

/// Files as they are named, and all below folders that are named.
pub(super) fn named(folder: &Path, paths: &[PathBuf]) -> Result<NamedFiles, CommandError> {
    named_files(folder, paths).map_err(github::command_error)
}

/// Everything in the folder that differs from a commit.
pub(crate) async fn changed_since(
    folder: &Path,
    base: Option<&str>,
    session: &Session,
    cancel: &CancellationToken,
) -> Result<Vec<String>, CommandError> {
    validation::changed_since(folder, &session.environment, cancel, base)
        .await
        .map_err(|error| {
            CommandError::missing("cannot tell what has changed")
                .because(error)
                .hint("Work in a git repository, name a commit that is there, or name the files.")
        })
}

fn as_text(report: &ReviewReport, folder: &Path) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        source_excerpt::finding(&mut text, finding, folder);
    }
    for accepted in &report.accepted {
        let until = accepted
            .expires
            .as_deref()
            .map(|at| at.split('T').next().unwrap_or(at));
        let until = until.map(|day| format!(" until {day}")).unwrap_or_default();
        writeln!(
            text,
            "{} {} {} – by {}{until}: {}",
            Style::Dim.paint("accepted"),
            accepted.finding.id,
            sanitize(&accepted.finding.to_string()),
            sanitize(&accepted.author),
            sanitize(&accepted.reason)
        )
        .expect("a string takes all text");
    }
    for note in &report.notes {
        let note = sanitize(note).replace('\n', " ");
        writeln!(text, "{} {note}", Style::Hint.paint("note:")).expect("a string takes all text");
    }
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for finding in &report.findings {
        *counts.entry(finding.severity).or_default() += 1;
    }
    let counts: Vec<String> = counts
        .iter()
        .rev()
        .map(|(severity, count)| format!("{count} {}", severity.name()))
        .collect();
    if report.files == 0 && !report.notes.is_empty() {
        text.push_str("nothing was reviewed\n");
        return text;
    }
    let found = if counts.is_empty() {
        "nothing found".to_owned()
    } else {
        counts.join(", ")
    };
    let files = match report.files {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let known = match report.known {
        0 => String::new(),
        known => format!(", and {known} that the baseline knows"),
    };
    let accepted = match report.accepted.len() {
        0 => String::new(),
        count => format!(", and {count} that people accepted"),
    };
    writeln!(text, "{found} in {files}{known}{accepted}").expect("a string takes all text");
    text
}
