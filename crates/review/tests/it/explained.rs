//! Every rule that a finding can have is explained.

use std::collections::HashSet;

use baton_review::rules::every_rule;
use baton_review::{ChangedFile, Options, Severity, Touched, every_explanation, review};

#[test]
fn every_explanation_has_all_of_its_texts() {
    let all = every_explanation();
    for rule in &all {
        for text in [&rule.what, &rule.why, &rule.remedy, &rule.class] {
            assert!(!text.is_empty(), "{} lacks a text", rule.id);
        }
        assert!(rule.remedy.ends_with('.'), "{}: {}", rule.id, rule.remedy);
        let first = rule.what.chars().next().unwrap();
        assert!(!first.is_lowercase(), "{}: {}", rule.id, rule.what);
    }
    let ids: HashSet<&str> = all.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids.len(), all.len(), "an id is there twice");
    for id in [
        "python/sql-injection",
        "tamper/test-deleted",
        "secrets/github-personal-token",
        "secrets/password",
        "secrets/generic-key",
        "secrets/login-in-address",
        "quality/changed-without-test",
        "suppression/without-reason",
    ] {
        assert!(ids.contains(id), "{id}");
    }
}

/// The examples of all rules, each as a new file and as one that was there.
#[test]
fn whatever_the_examples_bring_up_is_explained() {
    let known: HashSet<String> = every_explanation()
        .into_iter()
        .map(|rule| rule.id)
        .collect();
    let options = Options {
        threshold: Severity::Low,
        ..Options::default()
    };
    let mut met = HashSet::new();
    for rule in every_rule() {
        for example in rule.file.bad.iter().chain(&rule.file.good) {
            let path = example.path.clone().unwrap_or_else(|| {
                let ending = match rule.id.split('/').next().unwrap() {
                    "python" => "py",
                    "go" => "go",
                    "java" => "java",
                    "ruby" => "rb",
                    "rust" => "rs",
                    _ => "js",
                };
                format!("src/app.{ending}")
            });
            let file = ChangedFile {
                path: &path,
                before: Some(b"\n"),
                after: Some(example.code.as_bytes()),
                touched: Touched::All,
            };
            for finding in review(&[file], &options).findings {
                assert!(
                    known.contains(&finding.rule),
                    "{} is not explained",
                    finding.rule
                );
                met.insert(finding.rule);
            }
        }
    }
    assert!(met.len() > 100, "only {} rules were met", met.len());
}
