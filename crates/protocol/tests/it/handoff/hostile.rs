//! Documents that try to cost more than they should.

use std::fmt::Write as _;

use baton_protocol::handoff::xml::{self, MAX_ATTRIBUTES, MAX_BYTES, MAX_DEPTH, MAX_ELEMENTS};
use baton_protocol::handoff::{Handoff, HandoffError};
use baton_protocol::json::MalformedJson;

fn refusal(document: &str) -> String {
    xml::parse(document.as_bytes()).unwrap_err().to_string()
}

#[test]
fn size_is_checked_before_anything_else() {
    let mut document = vec![0xFF; MAX_BYTES + 1];
    insta::assert_snapshot!(xml::parse(&document).unwrap_err(), @"the document is too large: 1048577 bytes, the limit is 1048576; shorten it, for example by naming a log file instead of quoting it");
    insta::assert_snapshot!(Handoff::from_json(&document).unwrap_err(), @"the document is too large: 1048577 bytes, the limit is 1048576; shorten it, for example by naming a file instead of quoting it");
    document.pop();
    insta::assert_snapshot!(xml::parse(&document).unwrap_err(), @"byte 0 is not valid UTF-8; save the document as UTF-8");
}

#[test]
fn a_document_of_exactly_the_largest_size_is_read() {
    let text = "a".repeat(MAX_BYTES - "<a></a>".len());
    assert!(xml::parse(format!("<a>{text}</a>").as_bytes()).is_ok());
}

#[test]
fn depth_is_capped() {
    let nested = |depth: usize| "<a>".repeat(depth) + &"</a>".repeat(depth);
    assert!(xml::parse(nested(MAX_DEPTH).as_bytes()).is_ok());
    insta::assert_snapshot!(refusal(&nested(MAX_DEPTH + 1)), @"line 1, column 97: elements are nested more than 32 levels deep; flatten the content");
    insta::assert_snapshot!(refusal(&"<a>".repeat(100_000)), @"line 1, column 97: elements are nested more than 32 levels deep; flatten the content");
}

#[test]
fn attributes_are_capped() {
    let with = |count: usize| {
        let mut tag = "<a".to_owned();
        for number in 0..count {
            write!(tag, " a{number}=''").unwrap();
        }
        tag + "/>"
    };
    assert!(xml::parse(with(MAX_ATTRIBUTES).as_bytes()).is_ok());
    insta::assert_snapshot!(refusal(&with(MAX_ATTRIBUTES + 1)), @"line 1, column 1: <a> has more than 64 attributes; use child elements");
    insta::assert_snapshot!(refusal(&with(90_000)), @"line 1, column 1: <a> has more than 64 attributes; use child elements");
}

#[test]
fn elements_are_capped() {
    let with = |count: usize| format!("<a>{}</a>", "<b/>".repeat(count - 1));
    assert!(xml::parse(with(MAX_ELEMENTS).as_bytes()).is_ok());
    insta::assert_snapshot!(refusal(&with(MAX_ELEMENTS + 1)), @"line 1, column 65536: there are more than 16384 elements; shorten the document");
}

#[test]
fn a_byte_order_mark_is_accepted_and_not_counted() {
    assert!(xml::parse("\u{FEFF}<a/>".as_bytes()).is_ok());
    insta::assert_snapshot!(refusal("\u{FEFF}<a></b>"), @"line 1, column 4: `</b>` closes <a>; write `</a>`");
}

#[test]
fn names_and_values_do_not_flood_messages_or_add_lines_to_them() {
    let long = "n".repeat(500);
    insta::assert_snapshot!(refusal(&format!("<{long}></a>")), @"line 1, column 503: `</a>` closes <nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…>; write `</nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…>`");
    let document = "<handoff><from>a&#10;b\u{9b}31m</from><to>orchestrator</to></handoff>";
    insta::assert_snapshot!(Handoff::from_xml(document.as_bytes()).unwrap_err(), @r"/handoff/from: `from` is `a\nb\u{9b}31m`; expected one of `issue-manager`, `prep-agent`, `implementer-agent`, `reviewer-agent`, `fixer-agent`, `validator-agent`, `closer-agent`");
}

#[test]
fn faults_deep_inside_an_unknown_element_do_not_multiply() {
    let (deep, attributes) = ("n".repeat(60), "a b c d e f g h".replace(' ', "='' "));
    let wrong = format!("<status {attributes}=''/>").repeat(10_000);
    let levels = MAX_DEPTH - 2;
    let document = format!(
        "<workflow-complete><issue_number>1</issue_number><pr_number>2</pr_number><status>success</status>{}{wrong}{}</workflow-complete>",
        format!("<{deep}>").repeat(levels),
        format!("</{deep}>").repeat(levels),
    );
    assert!(document.len() < MAX_BYTES);
    let HandoffError::Invalid(problems) = Handoff::from_xml(document.as_bytes()).unwrap_err()
    else {
        panic!("the document is well-formed");
    };
    assert_eq!(problems.iter().count(), 20);
}

#[test]
fn json_that_grows_beyond_the_cap_as_xml_is_refused() {
    let text = "<".repeat(MAX_BYTES / 2);
    let document = format!(
        r#"{{"from": "fixer-agent", "to": "validator-agent", "pr_url": "https://a", "pr_number": 1,
            "issue_number": 1, "status": "skipped", "summary": "{text}"}}"#
    );
    let error = Handoff::from_json(document.as_bytes()).unwrap_err();
    insta::assert_snapshot!(error, @"as XML, the document is too large: 2097411 bytes, the limit is 1048576; shorten it, for example by naming a log file instead of quoting it");
}

#[test]
fn json_nested_without_end_is_refused() {
    let error = Handoff::from_json("[".repeat(100_000).as_bytes()).unwrap_err();
    assert!(matches!(
        error,
        HandoffError::Json(MalformedJson::Syntax { .. })
    ));
    insta::assert_snapshot!(error, @"line 1, column 128: this is not JSON: recursion limit exceeded");
}

#[test]
fn white_space_is_layout_only_where_there_is_no_text() {
    let parse = |text: &str| xml::write(&xml::parse(text.as_bytes()).unwrap());
    insta::assert_snapshot!(parse("<a> <b> x </b>\n\t<c> </c> </a>"), @"
    <a>
      <b> x </b>
      <c> </c>
    </a>
    ");
    insta::assert_snapshot!(parse("<a>see <b>x</b> <c>y</c> </a>"), @"<a>see <b>x</b> <c>y</c> </a>");
}

#[test]
fn attribute_values_are_normalised_but_references_are_not() {
    let element = xml::parse(b"<a b='1\t2\r\n3\n4&#10;5&#9;6'/>").unwrap();
    assert_eq!(element.attribute("b"), Some("1 2 3 4\n5\t6"));
}

#[test]
fn characters_that_xml_cannot_carry_are_replaced() {
    let mut element = xml::Element::new("a").unwrap();
    element.push_text("bell \u{7} and \u{FFFF}");
    element.set_attribute("b", "\0").unwrap();
    insta::assert_snapshot!(xml::write(&element), @r#"<a b="�">bell � and �</a>"#);
}
