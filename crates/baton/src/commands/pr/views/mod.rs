//! Answers for people: one file per output, all of the same shape. A person
//! reads the outcome in the first line, the reasons below it, and what to do
//! about it last; nothing of the output is hidden but what only programs need.

mod failing_tests;
mod merge_conflicts;
mod merge_readiness;
mod phrases;
mod pr_impact;
mod resolved_thread;
mod restack;
mod review_suggestions;
mod stacked_prs;
mod unresolved_comments;

use baton_ops::pulls::Answer;
use serde_json::Value;

use crate::exit::Exit;
use crate::terminal::Page;

pub(super) trait View {
    fn show(&self, page: &mut Page);

    /// What scripts are told. `input` is what was asked.
    fn exit(&self, input: &Value) -> Exit;

    /// Where the next page begins, of an output that has pages.
    fn next_cursor(&self) -> Option<&str> {
        None
    }
}

pub(super) fn of(answer: &Answer) -> &dyn View {
    match answer {
        Answer::FailingTests(output) => &**output,
        Answer::UnresolvedComments(output) => &**output,
        Answer::StackedPrs(output) => &**output,
        Answer::MergeConflicts(output) => &**output,
        Answer::MergeReadiness(output) => &**output,
        Answer::PrImpact(output) => &**output,
        Answer::ReviewSuggestions(output) => &**output,
        Answer::ResolvedThread(output) => &**output,
        Answer::Restack(output) => &**output,
    }
}
