use baton_protocol::json::{MAX_JSON_BYTES, parse};
use proptest::prelude::*;

fn message(bytes: &[u8]) -> String {
    parse(bytes).unwrap_err().to_string()
}

#[test]
fn malformed_documents_say_where() {
    insta::assert_snapshot!(message(b""), @"the input is empty; expected one JSON object");
    insta::assert_snapshot!(message(b"  \n"), @"the input is empty; expected one JSON object");
    insta::assert_snapshot!(message(b"{"), @"not JSON at line 1, column 1: EOF while parsing an object");
    insta::assert_snapshot!(message(b"run the tests\n"), @"not JSON at line 1, column 1: expected value");
    insta::assert_snapshot!(message(b"{\"a\": 1,}"), @"not JSON at line 1, column 9: trailing comma");
    insta::assert_snapshot!(message(b"{}\n{}"), @"not JSON at line 2, column 1: trailing characters");
    insta::assert_snapshot!(message(b"{\"a\": \"\xff\"}"), @"the input is not UTF-8: invalid byte at offset 7");
    insta::assert_snapshot!(message(b"{\"a\": 1e999}"), @"not JSON at line 1, column 11: number out of range");
    insta::assert_snapshot!(message(b"{\"a\": 1,\n \"a\": 2}"), @r#"not JSON at line 2, column 8: duplicate key "a""#);
    insta::assert_snapshot!(message("[".repeat(10_000).as_bytes()), @"not JSON at line 1, column 128: recursion limit exceeded");
    let long = vec![b' '; MAX_JSON_BYTES + 1];
    insta::assert_snapshot!(message(&long), @"the input is 4194305 bytes long; at most 4194304 are read");
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
