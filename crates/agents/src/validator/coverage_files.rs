//! How much of the code the tests of this validation run: by a report that they
//! wrote, or else by the project's own tool.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::SystemTime;

use baton_host::git::FileDiff;
use baton_protocol::handoff::Percentage;

use super::coverage_run;
use crate::AgentStep;
use crate::changed_coverage::ChangedLines;
use crate::coverage::{self, Coverage, Format, PLACES};
use crate::step_error::StepError;
use crate::workspace::Workspace;

/// Larger ones are not read.
const MAX_BYTES: u64 = 64 << 20;

/// Shares, where they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Measured {
    pub(super) total: Option<Percentage>,
    /// Of the lines that the change adds.
    pub(super) changed: Option<Percentage>,
}

/// `diff` is the change, without context; `tests` the command that has passed.
pub(super) async fn measure(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    diff: &[FileDiff],
    tests: &str,
    since: SystemTime,
) -> Result<Measured, StepError> {
    let changed = ChangedLines::new(&workspace.path, diff);
    if let Some((format, bytes)) = find(&workspace.path, since) {
        return Ok(Measured::read(format, &bytes, &changed));
    }
    if tests.is_empty() {
        return Ok(Measured::default());
    }
    let report = coverage_run::run(step, &workspace.path, tests).await?;
    let bytes = report
        .as_ref()
        .and_then(|report| Some((report.format, read(&report.path, since)?)));
    let measured = match bytes {
        Some((format, bytes)) => Measured::read(format, &bytes, &changed),
        None => Measured::default(),
    };
    Ok(measured)
}

impl Measured {
    fn read(format: Format, bytes: &[u8], changed: &ChangedLines) -> Self {
        Self {
            total: coverage::read(format, bytes).and_then(Coverage::percentage),
            changed: changed
                .covered(format, bytes)
                .and_then(Coverage::percentage),
        }
    }
}

/// The first report that is newer than the beginning of the validation: an
/// older one tells of other code.
fn find(folder: &Path, since: SystemTime) -> Option<(Format, Vec<u8>)> {
    PLACES.iter().find_map(|(name, format)| {
        let bytes = read(&folder.join(name), since)?;
        coverage::read(*format, &bytes)?;
        Some((*format, bytes))
    })
}

fn read(path: &Path, since: SystemTime) -> Option<Vec<u8>> {
    let facts = fs::symlink_metadata(path).ok()?;
    if !facts.is_file() || facts.len() > MAX_BYTES || facts.modified().ok()? < since {
        return None;
    }
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
