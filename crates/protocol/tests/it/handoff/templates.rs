//! Templates and placeholders: fine as a description, never acted on.

use baton_protocol::handoff::{Handoff, HandoffKind};

use super::cases::cases;

fn read(name: &str) -> Handoff {
    let case = cases("good", "xml", "json")
        .into_iter()
        .find(|case| case.name == name)
        .unwrap();
    Handoff::from_xml(&case.document).unwrap()
}

#[test]
fn a_template_is_read_but_cannot_be_acted_on() {
    let template = read("issue-template");
    insta::assert_snapshot!(template.require_concrete().unwrap_err(), @"
    /handoff/type: `type` is the template `feature|bug|chore`; write one of its words
    /handoff/priority: `priority` is the template `high|low`; write one of its words
    ");
}

#[test]
fn a_template_in_an_attribute_is_found_too() {
    let document = r#"<handoff><from>reviewer-agent</from><to>fixer-agent</to>
        <pr_url>https://a</pr_url><pr_number>1</pr_number><issue_number>2</issue_number>
        <review_status>changes_requested</review_status>
        <critical_count>0</critical_count><important_count>0</important_count>
        <blocking_issues><issue severity="critical|suggestion">x</issue></blocking_issues>
    </handoff>"#;
    let template = Handoff::from_xml(document.as_bytes()).unwrap();
    insta::assert_snapshot!(template.require_concrete().unwrap_err(), @"/handoff/blocking_issues/issue[1]/@severity: `@severity` is the template `critical|suggestion`; write one of its words");
}

#[test]
fn the_general_form_cannot_be_acted_on() {
    let envelope = read("envelope");
    assert_eq!(envelope.kind(), HandoffKind::Envelope);
    assert_eq!((envelope.from(), envelope.to()), (None, None));
    assert_eq!(envelope.outcome(), None);
    insta::assert_snapshot!(envelope.require_concrete().unwrap_err(), @"
    /handoff/status: `status` is the template `pending|skipped`; write one of its words
    /handoff/from: `source-agent-name` and `target-agent-name` are placeholders; name the agents
    ");
}

#[test]
fn every_other_good_case_is_concrete_and_has_an_outcome() {
    for case in cases("good", "xml", "json") {
        if ["issue-template", "envelope"].contains(&case.name.as_str()) {
            continue;
        }
        let handoff = Handoff::from_xml(&case.document).unwrap();
        assert_eq!(handoff.require_concrete(), Ok(()), "{}", case.name);
        assert!(handoff.outcome().is_some(), "{}", case.name);
        assert!(handoff.from().is_some(), "{}", case.name);
    }
}

#[test]
fn the_good_cases_cover_every_kind() {
    for kind in HandoffKind::ALL {
        let covered = cases("good", "xml", "json")
            .iter()
            .any(|case| Handoff::from_xml(&case.document).unwrap().kind() == *kind);
        assert!(covered, "no good case for {kind}");
    }
}
