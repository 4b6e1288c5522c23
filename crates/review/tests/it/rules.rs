//! Every rule is complete. Its examples are tests of their own, see
//! `tests/examples.rs`.

use baton_review::rules::every_rule;

#[test]
fn every_rule_has_examples_both_ways() {
    let lacking: Vec<_> = every_rule()
        .into_iter()
        .filter(|rule| rule.file.bad.is_empty() || rule.file.good.is_empty())
        .map(|rule| rule.id)
        .collect();
    assert!(lacking.is_empty(), "without examples: {lacking:?}");
}

#[test]
fn every_rule_says_what_why_and_what_to_do() {
    for rule in every_rule() {
        for text in [&rule.what, &rule.why, &rule.remedy] {
            assert!(!text.is_empty(), "{} lacks a text", rule.id);
        }
        assert!(
            rule.remedy.ends_with('.'),
            "{}: a remedy is a sentence",
            rule.id
        );
        assert!(
            !rule.what.ends_with('.') && !rule.why.ends_with('.'),
            "{}",
            rule.id
        );
    }
}
