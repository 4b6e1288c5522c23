//! What was validated, kept in the folder of the run for the step that merges.

use std::fs;
use std::io;
use std::path::PathBuf;

use baton_protocol::handoff::{Line, ValidationSummary};
use baton_protocol::short;
use serde_json::{Value, json};

use crate::AgentStep;
use crate::foreign_text::one_line;
use crate::step_error::StepError;
use crate::workspace::element;

pub(super) struct Validated {
    /// The commit that everything was looked at for.
    pub(super) head: String,
    pub(super) way: Way,
    pub(super) summary: Summary,
}

/// How the base takes changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Way {
    #[default]
    Direct,
    /// The base has a merge queue, and takes nothing past it.
    Queue,
}

/// The checks in a few words each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) tests: Option<String>,
    pub(super) coverage: Option<String>,
    /// Of the lines that the change adds.
    pub(super) changed_coverage: Option<String>,
    pub(super) lint: Option<String>,
    pub(super) build: Option<String>,
    pub(super) security: Option<String>,
    /// Present where there was none.
    pub(super) ci: Option<String>,
}

const NAME: &str = "validated.json";

/// The share of the changed lines, for which the protocol has no name.
pub(crate) const CHANGED_COVERAGE: &str = "changed_lines_coverage";

impl Validated {
    pub(super) fn keep(&self, step: &AgentStep<'_>) -> Result<(), StepError> {
        let path = path(step);
        let summary = &self.summary;
        let note = json!({
            "head": self.head,
            "queue": self.way == Way::Queue,
            "tests": summary.tests,
            "coverage": summary.coverage,
            "changed_coverage": summary.changed_coverage,
            "lint": summary.lint,
            "build": summary.build,
            "security": summary.security,
            "ci": summary.ci,
        });
        let failed =
            |error: &io::Error| StepError::file(format!("write {}", path.display()), error);
        fs::create_dir_all(step.context.folder()).map_err(|error| failed(&error))?;
        // Half a file must never be read: the new one takes the place of the old.
        let beside = path.with_extension("new");
        fs::write(&beside, note.to_string()).map_err(|error| failed(&error))?;
        fs::rename(&beside, &path).map_err(|error| failed(&error))
    }

    /// What was seen, for those who watch.
    pub(super) fn in_words(&self) -> String {
        let tests = match &self.summary.tests {
            Some(tests) => format!("tests {tests}"),
            None => "no tests here".to_owned(),
        };
        let ci = match &self.summary.ci {
            Some(_) => "no CI",
            None => "CI passed",
        };
        let shares = [
            (&self.summary.coverage, "coverage"),
            (&self.summary.changed_coverage, "of the changed lines"),
        ];
        let shares = shares.iter().filter_map(|(share, what)| {
            let share = share.as_ref()?;
            Some(format!(", {what} {share}"))
        });
        let shares: String = shares.collect();
        format!("{tests}{shares}, {ci}: {} may be merged", short(&self.head))
    }

    /// `None` when there is nothing that can be relied on.
    pub(super) fn recall(step: &AgentStep<'_>) -> Option<Self> {
        let kept = fs::read(path(step)).ok()?;
        let kept: Value = serde_json::from_slice(&kept).ok()?;
        let text = |name: &str| kept[name].as_str().map(str::to_owned);
        Some(Self {
            head: text("head")?,
            way: if kept["queue"] == true {
                Way::Queue
            } else {
                Way::Direct
            },
            summary: Summary {
                tests: text("tests"),
                coverage: text("coverage"),
                changed_coverage: text("changed_coverage"),
                lint: text("lint"),
                build: text("build"),
                security: text("security"),
                ci: text("ci"),
            },
        })
    }
}

impl Summary {
    pub(super) fn for_handoff(&self) -> ValidationSummary {
        let line = |text: &Option<String>| -> Option<Line> {
            one_line(text.as_deref()?, 200).parse().ok()
        };
        ValidationSummary {
            tests: line(&self.tests),
            coverage: self.coverage.as_ref().and_then(|share| share.parse().ok()),
            lint: line(&self.lint),
            type_check: line(&self.build),
            security: line(&self.security),
            other: self
                .changed_coverage
                .iter()
                .map(|share| element(CHANGED_COVERAGE, share))
                .collect(),
        }
    }
}

fn path(step: &AgentStep<'_>) -> PathBuf {
    step.context.folder().join(NAME)
}
