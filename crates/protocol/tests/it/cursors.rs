use baton_protocol::Request as _;
use baton_protocol::cursor::{BadCursor, CursorKey, CursorScope, issue, redeem};
use baton_protocol::tools::get_failing_tests::GetFailingTestsInput;
use proptest::prelude::*;
use serde_json::json;

fn scope(tool: &str, pr: &str, cursor: Option<&str>) -> CursorScope {
    let input = GetFailingTestsInput {
        pr: pr.to_owned(),
        wait: true,
        cursor: cursor.map(str::to_owned),
        ..GetFailingTestsInput::defaults()
    };
    CursorScope::new(tool, &input)
}

#[test]
fn a_cursor_is_good_for_its_own_call_only() {
    let key = CursorKey::new([7; 32]);
    let here = scope("get_failing_tests", "acme/ledger#7", None);
    let cursor = issue(&key, &here, 10);
    assert_eq!(redeem(&key, &here, &cursor), Ok(10));

    let next_page = scope("get_failing_tests", "acme/ledger#7", Some(&cursor));
    assert_eq!(redeem(&key, &next_page, &cursor), Ok(10));

    let other_pr = scope("get_failing_tests", "acme/ledger#8", None);
    assert_eq!(redeem(&key, &other_pr, &cursor), Err(BadCursor));
    let other_tool = scope("find_unresolved_comments", "acme/ledger#7", None);
    assert_eq!(redeem(&key, &other_tool, &cursor), Err(BadCursor));
    let other_key = CursorKey::new([8; 32]);
    assert_eq!(redeem(&other_key, &here, &cursor), Err(BadCursor));
}

/// Without a separator, tool `a` with arguments `b…` could pass for tool `ab`.
#[test]
fn tool_and_arguments_do_not_run_into_each_other() {
    let key = CursorKey::new([7; 32]);
    let cursor = issue(&key, &CursorScope::new("list", &json!("s")), 1);
    let other = CursorScope::new("list\n\"s\"", &json!(""));
    assert_eq!(redeem(&key, &other, &cursor), Err(BadCursor));
}

#[test]
fn a_key_does_not_print_its_secret() {
    insta::assert_snapshot!(format!("{:?}", CursorKey::new([65; 32])), @"CursorKey(…)");
}

proptest! {
    #[test]
    fn every_offset_survives(offset: u32, secret: [u8; 32]) {
        let key = CursorKey::new(secret);
        let scope = CursorScope::new("tool", &json!({ "pr": "a/b#1" }));
        prop_assert_eq!(redeem(&key, &scope, &issue(&key, &scope, offset)), Ok(offset));
    }

    #[test]
    fn no_changed_character_is_accepted(offset: u32, place in 0usize..28, replacement in "[A-Za-z0-9_-]") {
        let key = CursorKey::new([1; 32]);
        let scope = CursorScope::new("tool", &json!({}));
        let cursor = issue(&key, &scope, offset);
        let mut forged = cursor.clone();
        forged.replace_range(place..=place, &replacement);
        prop_assume!(forged != cursor);
        prop_assert_eq!(redeem(&key, &scope, &forged), Err(BadCursor));
    }

    #[test]
    fn arbitrary_text_is_no_cursor(text in ".*") {
        let scope = CursorScope::new("tool", &json!({}));
        prop_assert_eq!(redeem(&CursorKey::new([1; 32]), &scope, &text), Err(BadCursor));
    }
}
