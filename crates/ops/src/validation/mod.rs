//! The validation phase: formatter, linter, build, tests and two reviews over
//! a change. All six results, always.
//!
//! The formatter writes, so it goes alone and first. What only reads runs side
//! by side where the tools allow it. Formatter and linter mend what they can
//! and look again; whatever they do to files outside the change is undone.

mod attempt;
mod autofix;
mod base;
mod build;
mod changed_files;
mod compared;
mod guard;
pub mod ledger;
mod logs;
mod outcome;
mod phase;
mod plan;
mod reviewer;
mod reviews;
mod sarif;
mod scanners;
mod tests;
mod tool;
mod validate_change;

use std::time::{Duration, Instant};

use baton_protocol::Problems;
use baton_protocol::phase::validation::{ValidationInput, ValidationOutput};
use baton_protocol::phase::validation_details::{ReviewDetails, ToolDetails, ValidationDetails};
pub use baton_report::cases::{Case, CaseStatus};
use baton_review::{Baseline, Finding, Severity};

pub use base::{INSTALLED_FOLDERS, NoChange, changed_since};
pub use changed_files::{ChangedFiles, FilesBelow, files_below};
pub use logs::ScannerLog;
pub use reviewer::{Claims, ReviewedFile, Reviewer, Reviewers};
pub use reviews::{AcceptedBy, AcceptedFindings, FilesReview, Others, Since, review_files};
pub use sarif::as_sarif;
pub use scanners::{SCANNER_LIMIT, Scanner, Scanning};
pub use validate_change::ValidateChange;

use crate::context::Context;
use crate::settings::Preferred;
use crate::testing::History;

/// What a caller may decide besides the input.
pub struct Options<'a> {
    /// Commands from baton's own configuration, which outrank detection.
    pub preferred: Preferred,
    pub unchosen: UnchosenTools,
    /// Whether a project without a file that indicates its language is validated as well.
    pub by_sources: bool,
    /// Where test runs are remembered, if anywhere.
    pub history: Option<History>,
    pub limits: Limits,
    /// Between two attempts of a formatter or linter.
    pub pause: Duration,
    /// Review findings below it neither fail nor show in the output.
    pub threshold: Severity,
    /// Which problems count.
    pub scope: Scope,
    /// The commit that the change began at; found out when absent.
    pub base: Option<String>,
    /// Coding agents that look at the change, too.
    pub reviewers: Reviewers<'a>,
    /// Installed scanners that look at the change, too.
    pub scanners: Vec<Scanner>,
    /// What other programs have found before.
    pub logs: Vec<ScannerLog>,
    /// Findings that were there before.
    pub baseline: Option<&'a Baseline>,
    /// Findings that people have accepted; they are named and do not fail.
    pub accepted: Option<&'a AcceptedFindings>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            preferred: Preferred::default(),
            unchosen: UnchosenTools::Pass,
            by_sources: false,
            history: None,
            limits: Limits::default(),
            pause: PAUSE,
            threshold: Severity::Medium,
            scope: Scope::NewProblems,
            base: None,
            reviewers: Vec::new(),
            scanners: Vec::new(),
            logs: Vec::new(),
            baseline: None,
            accepted: None,
        }
    }
}

/// What a formatter or linter needs to let go of its locks and caches.
const PAUSE: Duration = Duration::from_secs(2);

/// What becomes of a formatter or linter that is usual for the language, and
/// that nothing in the project names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnchosenTools {
    /// It is run and judges, as the phase's protocol has it.
    Run,
    /// The check passes with a note: a project that never chose a tool owes it
    /// nothing.
    Pass,
}

impl UnchosenTools {
    pub const NAMES: &'static [&'static str] = &["default", "pass"];

    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "default" => Some(Self::Run),
            "pass" => Some(Self::Pass),
            _ => None,
        }
    }
}

/// How long one run of each tool may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub formatter: Duration,
    pub linter: Duration,
    pub build: Duration,
    pub tests: Duration,
    pub scanner: Duration,
}

/// A formatter that needs two minutes hangs; compilers and tests are given as
/// long as the testing phase gives them.
impl Default for Limits {
    fn default() -> Self {
        Self {
            formatter: Duration::from_mins(2),
            linter: Duration::from_mins(5),
            build: Duration::from_mins(10),
            tests: Duration::from_mins(10),
            scanner: SCANNER_LIMIT,
        }
    }
}

impl Limits {
    /// The same limit for every tool.
    pub fn all(limit: Duration) -> Self {
        Self {
            formatter: limit,
            linter: limit,
            build: limit,
            tests: limit,
            scanner: limit,
        }
    }
}

/// Which of a linter's problems and of a review's findings count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Only those that the change brought, where there is something to compare
    /// it with.
    #[default]
    NewProblems,
    Everything,
}

/// The six checks, in the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    Formatter,
    Linter,
    Build,
    Tests,
    CodeReview,
    SecurityReview,
}

impl Check {
    pub const ALL: [Self; 6] = [
        Self::Formatter,
        Self::Linter,
        Self::Build,
        Self::Tests,
        Self::CodeReview,
        Self::SecurityReview,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Formatter => "formatter",
            Self::Linter => "linter",
            Self::Build => "build",
            Self::Tests => "tests",
            Self::CodeReview => "code review",
            Self::SecurityReview => "security review",
        }
    }
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckStatus {
    Pass,
    Fail,
    Skipped,
}

/// What happens on the way. Checks may overlap.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    Started {
        check: Check,
        /// Empty for a review.
        command: &'a str,
    },
    /// The tree is being fixed before the check is tried again.
    Autofix {
        check: Check,
        command: &'a str,
    },
    Waiting {
        check: Check,
        pause: Duration,
    },
    /// Bytes that a command printed.
    Output {
        check: Check,
        bytes: &'a [u8],
    },
    Finished {
        check: Check,
        status: CheckStatus,
        problems: usize,
        elapsed: Duration,
    },
    /// What it finished with last is its result. A check may finish more than
    /// once, because another one has mended the tree.
    Settled {
        check: Check,
    },
}

impl Event<'_> {
    /// For people, in a few words; `None` for what would be too much.
    pub fn message(&self) -> Option<String> {
        Some(match self {
            Event::Started { check, command: "" } => check.name().to_owned(),
            Event::Started { check, command } => format!("{}: {command}", check.name()),
            Event::Autofix { check, command } => format!("{}, mending: {command}", check.name()),
            Event::Finished {
                check,
                status,
                problems,
                ..
            } => {
                let how = match status {
                    CheckStatus::Pass => "passed".to_owned(),
                    CheckStatus::Fail if *problems == 1 => "1 problem".to_owned(),
                    CheckStatus::Fail => format!("{problems} problems"),
                    CheckStatus::Skipped => "skipped".to_owned(),
                };
                format!("{}: {how}", check.name())
            }
            Event::Settled { .. } | Event::Waiting { .. } | Event::Output { .. } => return None,
        })
    }
}

/// The phase's output, and everything beyond it.
#[derive(Clone, Debug)]
pub struct Answer {
    pub output: ValidationOutput,
    pub details: ValidationDetails,
    /// All that the reviews found, also below the threshold.
    pub findings: Vec<Finding>,
    /// The tests that ran, as far as their runner named them.
    pub cases: Vec<Case>,
    /// The caller's token was cancelled; the output is what was known by then.
    pub interrupted: bool,
}

/// Runs the phase. Whatever goes wrong is part of the answer.
pub async fn run(cx: &Context, input: &ValidationInput, options: Options<'_>) -> Answer {
    let started = Instant::now();
    let plan = match plan::make(input, &cx.environment, &options) {
        Ok(plan) => plan,
        Err(message) => return refused([message.as_str()]),
    };
    phase::play(cx, input, plan, options, started).await
}

/// The answer to a request that was refused before anything ran.
pub fn refused<'a>(messages: impl IntoIterator<Item = &'a str>) -> Answer {
    let output = ValidationOutput::refused(messages);
    Answer {
        details: ValidationDetails {
            version: 1,
            output: output.clone(),
            language_reason: None,
            base: None,
            left_out: Vec::new(),
            formatter: ToolDetails::default(),
            linter: ToolDetails::default(),
            build: ToolDetails::default(),
            tests: None,
            code_review: ReviewDetails::default(),
            security_review: ReviewDetails::default(),
        },
        output,
        findings: Vec::new(),
        cases: Vec::new(),
        interrupted: false,
    }
}

/// [`refused`] for what [`ValidationInput::read`] found.
pub fn refused_input(problems: &Problems) -> Answer {
    refused(problems.iter().map(|problem| problem.message.as_str()))
}
