use baton_protocol::json::{MAX_JSON_BYTES, MalformedJson, parse, parse_at_most};
use proptest::prelude::*;

fn message(bytes: &[u8]) -> String {
    parse(bytes).unwrap_err().to_string()
}

#[test]
fn malformed_documents_say_where() {
    insta::assert_snapshot!(message(b""), @"the document is empty; expected one JSON object");
    insta::assert_snapshot!(message(b"  \n"), @"the document is empty; expected one JSON object");
    insta::assert_snapshot!(message(b"{"), @"line 1, column 1: the document ends too early: it was cut off, or something is not closed");
    insta::assert_snapshot!(message(b"{\"a\": [1,\n2"), @"line 2, column 1: the document ends too early: it was cut off, or something is not closed");
    insta::assert_snapshot!(message(b"run the tests\n"), @"line 1, column 1: this is not JSON: expected value");
    insta::assert_snapshot!(message(b"{\"a\": 1,}"), @"line 1, column 9: this is not JSON: trailing comma");
    insta::assert_snapshot!(message(b"{}\n{}"), @"line 2, column 1: this is not JSON: trailing characters");
    insta::assert_snapshot!(message(b"{\"a\": \"\xff\"}"), @"byte 7 is not valid UTF-8; save the document as UTF-8");
    insta::assert_snapshot!(message(b"{\"a\": 1e999}"), @"line 1, column 11: this is not JSON: number out of range");
    insta::assert_snapshot!(message(b"{\"a\": 1,\n \"a\": 2}"), @"line 2, column 4: this is not JSON: the key `a` appears twice");
    insta::assert_snapshot!(message("[".repeat(10_000).as_bytes()), @"line 1, column 128: this is not JSON: recursion limit exceeded");
    let long = vec![b' '; MAX_JSON_BYTES + 1];
    insta::assert_snapshot!(message(&long), @"the document is too large: 4194305 bytes, the limit is 4194304; shorten it, for example by naming a file instead of quoting it");
}

#[test]
fn keys_do_not_flood_messages_or_add_lines_to_them() {
    let key = "at line 1\\n".repeat(20);
    let document = format!(r#"{{"{key}": 1, "{key}": 2}}"#);
    insta::assert_snapshot!(message(document.as_bytes()), @r"line 1, column 450: this is not JSON: the key `at line 1\nat line 1\nat line 1\nat line 1\nat line 1\nat line 1\n…` appears twice");
}

#[test]
fn the_cap_is_the_callers() {
    assert!(parse_at_most(3, b"[1]").is_ok());
    let error = parse_at_most(2, b"[1]").unwrap_err();
    assert_eq!(error, MalformedJson::TooLarge { size: 3, limit: 2 });
}

#[test]
fn a_byte_order_mark_is_no_problem() {
    assert_eq!(parse(b"\xef\xbb\xbf[1]"), Ok(serde_json::json!([1])));
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
        let _ = parse(&bytes);
    }

    #[test]
    fn agrees_with_serde_json_on_numbers(number: f64) {
        prop_assume!(number.is_finite());
        let text = serde_json::to_string(&number).unwrap();
        prop_assert_eq!(parse(text.as_bytes()).unwrap().as_f64(), Some(number));
    }
}
