//! Secrets in the lines that the commits of a change add.

use std::collections::BTreeMap;

use baton_host::git::{Git, Hunk, LogEntry};
use baton_review::Severity;
use baton_workflow::Objection;

use crate::foreign_text::one_line;
use crate::step_error::StepError;

/// What is found in each commit, also where a later one takes it back.
pub(super) async fn find(git: &Git, commits: &[LogEntry]) -> Result<Vec<Objection>, StepError> {
    let mut told = BTreeMap::new();
    for commit in commits {
        // What a merge brings in is published already.
        let [parent] = commit.parents.as_slice() else {
            continue;
        };
        let changed = git.diff(parent.as_str(), commit.commit.as_str(), 0).await?;
        for file in &changed {
            let Some(path) = file.path.to_str() else {
                continue;
            };
            let lines: Vec<(u32, &str)> = file.hunks.iter().flat_map(Hunk::added).collect();
            let text: Vec<&str> = lines.iter().map(|(_, text)| *text).collect();
            for finding in baton_review::secrets::in_file(path, text.join("\n").as_bytes()) {
                if finding.severity < Severity::Medium {
                    continue;
                }
                let index = finding.place.start_line.saturating_sub(1) as usize;
                let line = lines.get(index).map_or(0, |(number, _)| *number);
                let text = format!(
                    "{}:{line} has a secret ({}) since {}",
                    one_line(path, 100),
                    finding.what,
                    commit.commit.short()
                );
                // The review finds it by the same fingerprint.
                let objection = Objection {
                    rule: finding.rule,
                    fingerprint: finding.fingerprint,
                    text: text.clone(),
                };
                told.insert(text, objection);
            }
        }
    }
    Ok(told.into_values().collect())
}
