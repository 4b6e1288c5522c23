//! What the tests before the change came to, kept with the run: they are run once
//! for each commit that the change is compared with.

use std::fs;
use std::path::PathBuf;

use baton_ops::validation::ledger::BaseRun;
use baton_ops::validation::{Case, CaseStatus};
use serde_json::{Value, json};

use crate::AgentStep;
use crate::step_error::StepError;

pub(super) fn keep(step: &AgentStep<'_>, base: &str, run: &BaseRun) -> Result<(), StepError> {
    let cases = run.cases.iter();
    let text = json!({
        "base": base,
        "cases": cases.map(|case| json!([mark(case.status), case.name])).collect::<Vec<_>>(),
        "counted": run.counted,
        "failures": run.failures,
        "unknown": run.unknown,
    });
    let path = path(step);
    let beside = path.with_extension("new");
    fs::create_dir_all(step.context.folder())
        .and_then(|()| fs::write(&beside, text.to_string()))
        .and_then(|()| fs::rename(&beside, &path))
        .map_err(|error| StepError::file(format_args!("write {}", path.display()), &error))
}

/// `None` for another commit, and where nothing can be relied on.
pub(super) fn recall(step: &AgentStep<'_>, base: &str) -> Option<BaseRun> {
    let text = fs::read(path(step)).ok()?;
    let kept: Value = serde_json::from_slice(&text).ok()?;
    if kept["base"] != base {
        return None;
    }
    let pairs = |name: &str| -> Option<Vec<(String, String)>> {
        let texts =
            |pair: &Value| Some((pair[0].as_str()?.to_owned(), pair[1].as_str()?.to_owned()));
        kept[name].as_array()?.iter().map(texts).collect()
    };
    let case = |(mark, name): (String, String)| {
        let status = STATUSES
            .iter()
            .find(|status| self::mark(**status) == mark)?;
        Some(Case {
            name,
            status: *status,
        })
    };
    Some(BaseRun {
        cases: pairs("cases")?
            .into_iter()
            .map(case)
            .collect::<Option<_>>()?,
        counted: kept["counted"].as_u64(),
        failures: pairs("failures")?,
        unknown: kept["unknown"].as_str().map(str::to_owned),
    })
}

const STATUSES: [CaseStatus; 3] = [CaseStatus::Passed, CaseStatus::Failed, CaseStatus::Skipped];

fn mark(status: CaseStatus) -> &'static str {
    match status {
        CaseStatus::Passed => "passed",
        CaseStatus::Failed => "failed",
        CaseStatus::Skipped => "skipped",
    }
}

fn path(step: &AgentStep<'_>) -> PathBuf {
    step.context.folder().join("tests-before.json")
}
