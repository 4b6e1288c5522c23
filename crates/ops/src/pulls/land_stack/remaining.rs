//! What is left of a stack, for the answer.

use baton_protocol::PrReference;
use baton_protocol::tools::land_stack::RemainingPr;
use baton_remote::github::questions::open_pulls::OpenPull;

/// Only the lowest one was looked at.
pub(super) fn remaining(
    reference: &PrReference,
    open: &[OpenPull],
    blocking_issues: Vec<String>,
) -> Vec<RemainingPr> {
    let mut remaining: Vec<RemainingPr> = open
        .iter()
        .map(|pull| remaining_pr(reference, pull))
        .collect();
    remaining[0].blocking_issues = blocking_issues;
    remaining
}

pub(super) fn remaining_pr(reference: &PrReference, pull: &OpenPull) -> RemainingPr {
    RemainingPr {
        pr: format!("{}#{}", reference.repository(), pull.number),
        branch: pull.head_ref_name.clone(),
        blocking_issues: Vec::new(),
    }
}

pub(super) fn count(open: &[OpenPull]) -> String {
    match open.len() {
        1 => "1 pull request".to_owned(),
        several => format!("{several} pull requests, one after the other,"),
    }
}
