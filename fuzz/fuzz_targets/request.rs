//! A request to a phase or a tool is either refused with reasons or understood,
//! and what was understood means the same when it is written down and read again.

#![no_main]

use std::fmt::Debug;

use baton_protocol::phase::pr::PrInput;
use baton_protocol::phase::testing::TestingInput;
use baton_protocol::phase::validation::ValidationInput;
use baton_protocol::tools::analyze_pr_impact::AnalyzePrImpactInput;
use baton_protocol::tools::check_merge_readiness::CheckMergeReadinessInput;
use baton_protocol::tools::detect_merge_conflicts::DetectMergeConflictsInput;
use baton_protocol::tools::find_unresolved_comments::FindUnresolvedCommentsInput;
use baton_protocol::tools::get_failing_tests::GetFailingTestsInput;
use baton_protocol::tools::get_review_suggestions::GetReviewSuggestionsInput;
use baton_protocol::tools::manage_stacked_prs::ManageStackedPrsInput;
use baton_protocol::{Problems, json};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = json::parse(bytes) else {
        return;
    };
    check(&value, TestingInput::read);
    check(&value, ValidationInput::read);
    check(&value, PrInput::read);
    check(&value, AnalyzePrImpactInput::read);
    check(&value, CheckMergeReadinessInput::read);
    check(&value, DetectMergeConflictsInput::read);
    check(&value, FindUnresolvedCommentsInput::read);
    check(&value, GetFailingTestsInput::read);
    check(&value, GetReviewSuggestionsInput::read);
    check(&value, ManageStackedPrsInput::read);
});

fn check<T: Serialize + PartialEq + Debug>(value: &Value, read: fn(&Value) -> Result<T, Problems>) {
    match read(value) {
        Ok(input) => {
            let written = serde_json::to_value(&input).expect("an input is JSON");
            assert_eq!(read(&written).expect("what we write, we read"), input);
        }
        Err(problems) => {
            let mut messages = problems.iter().map(|problem| &problem.message).peekable();
            assert!(messages.peek().is_some());
            assert!(messages.all(|message| !message.is_empty()));
        }
    }
}
