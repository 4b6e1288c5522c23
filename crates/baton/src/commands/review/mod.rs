use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use baton_ops::validation::{self, Others, SCANNER_LIMIT, Scanning, Since};
use baton_protocol::review::ReviewReport;
use baton_review::{Baseline, Options, Severity};
use clap::ValueEnum;
use tokio_util::sync::CancellationToken;

use super::source_excerpt;
use crate::document::{self, Place};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Style, harmless};

/// Review files, or what has changed since a commit
///
/// Works offline and starts nothing but git and the scanners that your own
/// configuration names (`review.scanners`). Exits 0 when nothing is found at or
/// above the threshold, 1 when something is. docs/review.md says more.
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

    /// Print one JSON object
    #[arg(long, conflicts_with = "sarif")]
    json: bool,

    /// Print SARIF
    #[arg(long)]
    sarif: bool,

    /// Explain a rule, and review nothing
    #[arg(long, value_name = "RULE", conflicts_with_all = ["paths", "diff", "json", "sarif", "baseline", "write_baseline"])]
    explain: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Threshold {
    Low,
    Medium,
    High,
    Critical,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    if let Some(rule) = &args.explain {
        return explain(rule);
    }
    let folder = folder(Path::new("."))?;
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let settings = super::validate::Settings::of(session, &folder)?;
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
    };
    let review = runtime::run(async |cancel| {
        let (names, since) = match &args.diff {
            Some(base) => {
                let names = changed_since(&folder, Some(base), session, &cancel).await?;
                let since = Since {
                    commit: Some(base),
                    environment: &session.environment,
                };
                (names, Some(since))
            }
            None => (named(&folder, &args.paths)?, None),
        };
        let scanning = Scanning {
            scanners: &settings.scanners,
            environment: &session.environment,
            cancel: &cancel,
            limit: SCANNER_LIMIT,
        };
        let others = Others {
            scanning: Some(scanning),
            ..Others::default()
        };
        Ok(validation::review_files(&folder, &names, since, options, others).await)
    })?;
    if let Some(path) = &args.write_baseline {
        let baseline = Baseline::of(&review.findings);
        document::write_in_folder(path, &baseline.to_string())?;
        let known = match baseline.len() {
            1 => "1 finding is".to_owned(),
            count => format!("{count} findings are"),
        };
        let name = harmless(&path.to_string_lossy());
        terminal::error_line(&format!("{known} known from now on, by {name}"));
        return Ok(Exit::Done);
    }
    let review = match &baseline {
        Some(baseline) => review.without(baseline),
        None => review,
    };
    let report = review.report();
    terminal::result(&if args.json {
        let text = serde_json::to_string_pretty(&report).expect("a report is plain data");
        format!("{text}\n")
    } else if args.sarif {
        baton_review::sarif::write(&review.findings, env!("CARGO_PKG_VERSION"))
    } else {
        as_text(&report, &folder)
    })?;
    Ok(if report.findings.is_empty() {
        Exit::Done
    } else {
        Exit::No
    })
}

fn read_baseline(path: &Path) -> Result<Baseline, CommandError> {
    /// A line has about a hundred bytes.
    const MOST_BYTES: usize = 64 << 20;
    let bytes = Place::File(path.to_owned()).read(MOST_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    Baseline::parse(&text).map_err(|error| {
        let name = harmless(&path.to_string_lossy());
        CommandError::wrong_use(format!("{name} is no baseline"))
            .because(error)
            .hint(format!(
                "Write one with `baton review --write-baseline {name}`."
            ))
    })
}

/// The folder of a project, as a real path.
pub(super) fn folder(path: &Path) -> Result<PathBuf, CommandError> {
    let folder = Session::working_directory()?.join(path);
    folder.canonicalize().map_err(|error| {
        CommandError::missing(format!(
            "{} is no folder",
            harmless(&path.to_string_lossy())
        ))
        .because(error)
        .hint("Name the folder of a project, or none for this one.")
    })
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

/// Files as they are named, and all below folders that are named.
pub(crate) fn named(folder: &Path, paths: &[PathBuf]) -> Result<Vec<String>, CommandError> {
    let here = [PathBuf::from(".")];
    let paths = if paths.is_empty() { &here } else { paths };
    let mut names = Vec::new();
    for path in paths {
        let full = folder.join(path);
        if !full.exists() {
            return Err(CommandError::missing(format!(
                "there is no {}",
                harmless(&path.to_string_lossy())
            ))
            .hint("Name files or folders that are there."));
        }
        names.extend(validation::files_below(folder, &full));
    }
    Ok(names)
}

fn as_text(report: &ReviewReport, folder: &Path) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        source_excerpt::finding(&mut text, finding, folder);
    }
    for note in &report.notes {
        let note = harmless(note).replace('\n', " ");
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
    writeln!(text, "{found} in {files}{known}").expect("a string takes all text");
    text
}

fn explain(id: &str) -> Result<Exit, CommandError> {
    let rules = baton_review::rules::every_rule();
    let Some(rule) = rules.iter().find(|rule| rule.id == id) else {
        let error = CommandError::wrong_use(format!("there is no rule `{}`", harmless(id)));
        let near = rules
            .iter()
            .map(|rule| (strsim::jaro_winkler(id, &rule.id), &rule.id))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        return Err(match near {
            Some((likeness, near)) if likeness > 0.8 => {
                error.hint(format!("Did you mean `{near}`?"))
            }
            _ => error.hint("A finding names its rule in brackets."),
        });
    };
    let mut text = String::new();
    let mut line = |content: String| writeln!(text, "{content}").expect("a string takes all text");
    line(Style::Heading.paint(&rule.id));
    let cwe = match rule.cwe {
        Some(cwe) => format!(", CWE-{cwe} (https://cwe.mitre.org/data/definitions/{cwe}.html)"),
        None => String::new(),
    };
    line(format!("{} {}{cwe}", rule.severity, rule.kind.as_str()));
    line(format!("\n{} – {}", rule.what, rule.why));
    if !rule.remedy.is_empty() {
        line(format!(
            "\n{} {}",
            Style::Hint.paint("remedy:"),
            rule.remedy
        ));
    }
    for (heading, examples) in [("found:", &rule.file.bad), ("not found:", &rule.file.good)] {
        for example in examples.iter().take(2) {
            line(format!("\n{heading}"));
            for row in example.code.trim_end().lines() {
                line(format!("    {row}"));
            }
        }
    }
    terminal::result(&text)?;
    Ok(Exit::Done)
}
