//! Every rule finds its bad examples and leaves the good ones alone. Each example
//! is a test of its own, such as `javascript/sql-injection/bad/1`; the harness
//! lists them when it starts, so that a new example is a new test.

use std::process::ExitCode;
use std::sync::Arc;

use baton_review::rules::format::Example;
use baton_review::rules::{Rule, every_rule};
use baton_review::{ChangedFile, Language, Options, Severity, Touched, review};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let trials = every_rule().into_iter().flat_map(trials).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trials(rule: Rule) -> Vec<Trial> {
    let rule = Arc::new(rule);
    let mut trials = Vec::new();
    for index in 0..rule.file.bad.len() {
        let (name, rule) = (format!("{}/bad/{}", rule.id, index + 1), Arc::clone(&rule));
        trials.push(Trial::test(name, move || bad(&rule, &rule.file.bad[index])));
    }
    for index in 0..rule.file.good.len() {
        let (name, rule) = (format!("{}/good/{}", rule.id, index + 1), Arc::clone(&rule));
        trials.push(Trial::test(name, move || {
            good(&rule, &rule.file.good[index])
        }));
    }
    trials
}

/// It is found, and exactly in the lines that say `BAD` if any does.
fn bad(rule: &Rule, example: &Example) -> Result<(), Failed> {
    let found = lines(rule, example);
    let marked: Vec<u32> = (1u32..)
        .zip(example.code.lines())
        .filter(|(_, line)| line.contains("BAD"))
        .map(|(number, _)| number)
        .collect();
    let is_right = if marked.is_empty() {
        !found.is_empty()
    } else {
        found == marked
    };
    verdict(is_right, &found, example)
}

fn good(rule: &Rule, example: &Example) -> Result<(), Failed> {
    let found = lines(rule, example);
    verdict(found.is_empty(), &found, example)
}

fn verdict(is_right: bool, found: &[u32], example: &Example) -> Result<(), Failed> {
    if is_right {
        return Ok(());
    }
    Err(format!("found {found:?} in\n{}", example.code).into())
}

/// The lines in which the rule's class of finding is found.
fn lines(rule: &Rule, example: &Example) -> Vec<u32> {
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
    let findings = review(&[file], &options).findings;
    let own = findings.iter().filter(|found| found.class == rule.class);
    own.map(|found| found.place.start_line).collect()
}
