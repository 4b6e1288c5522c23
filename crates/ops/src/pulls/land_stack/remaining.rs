//! What is left of a stack, for the answer.

use baton_protocol::PrReference;
use baton_protocol::tools::land_stack::RemainingPr;

use super::Open;

/// Only the lowest one was looked at.
pub(super) fn remaining(
    reference: &PrReference,
    open: &[Open],
    blocking_issues: Vec<String>,
) -> Vec<RemainingPr> {
    let mut remaining: Vec<RemainingPr> = open
        .iter()
        .map(|one| RemainingPr {
            pr: format!("{}#{}", reference.repository(), one.number),
            branch: one.branch.clone(),
            blocking_issues: Vec::new(),
        })
        .collect();
    if let Some(lowest) = remaining.first_mut() {
        lowest.blocking_issues = blocking_issues;
    }
    remaining
}

pub(super) fn count(pulls: usize) -> String {
    match pulls {
        1 => "1 pull request".to_owned(),
        several => format!("{several} pull requests, one after the other,"),
    }
}
