//! Every rule finds its bad examples and leaves the good ones alone.

use baton_review::rules::format::Example;
use baton_review::rules::{Rule, every_rule};
use baton_review::{ChangedFile, Finding, Language, Options, Severity, Touched, review};

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

#[test]
fn bad_examples_are_found_where_they_say() {
    let mut wrong = Vec::new();
    for rule in every_rule() {
        for example in &rule.file.bad {
            let found = lines(&rule, &findings(&rule, example));
            let marked: Vec<u32> = (1u32..)
                .zip(example.code.lines())
                .filter(|(_, line)| line.contains("BAD"))
                .map(|(number, _)| number)
                .collect();
            let right = if marked.is_empty() {
                !found.is_empty()
            } else {
                found == marked
            };
            if !right {
                wrong.push(format!("{}: found {found:?} in\n{}", rule.id, example.code));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn good_examples_are_left_alone() {
    let mut wrong = Vec::new();
    for rule in every_rule() {
        for example in &rule.file.good {
            let found = lines(&rule, &findings(&rule, example));
            if !found.is_empty() {
                wrong.push(format!("{}: found {found:?} in\n{}", rule.id, example.code));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn lines(rule: &Rule, findings: &[Finding]) -> Vec<u32> {
    findings
        .iter()
        .filter(|finding| finding.class == rule.class)
        .map(|finding| finding.place.start_line)
        .collect()
}

fn findings(rule: &Rule, example: &Example) -> Vec<Finding> {
    let (folder, _) = rule.id.split_once('/').expect("ids have a folder");
    let language = rule.file.languages.first().map_or(folder, String::as_str);
    let usual = match language {
        "javascript" => "example.js",
        "python" => "example.py",
        "go" => "example.go",
        "rust" => "example.rs",
        "ruby" => "example.rb",
        "java" => "Example.java",
        other => panic!("{}: {other} is no language", rule.id),
    };
    let path = example.path.as_deref().unwrap_or(usual);
    assert!(Language::from_path(path).is_some(), "{path}");
    let file = ChangedFile {
        path,
        before: example.before.as_deref().map(str::as_bytes),
        after: Some(example.code.as_bytes()),
        touched: Touched::All,
    };
    let options = Options {
        threshold: Severity::Low,
        ..Options::default()
    };
    review(&[file], &options).findings
}
