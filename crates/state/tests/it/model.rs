//! The database against a model that keeps every run.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use baton_state::State;
use baton_state::history::{FlakyTest, Observation, Outcome, Summary};
use jiff::Timestamp;
use proptest::prelude::*;

use crate::minute;

#[derive(Debug, Clone)]
struct Call {
    repository: String,
    tree: String,
    observations: Vec<Observation>,
    at: Timestamp,
}

/// Few names, so that they meet, and odd ones, since they are foreign text.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "A", "", "a\0b", "a'; --", "é", "e\u{301}"])
            .prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn observation() -> impl Strategy<Value = Observation> {
    let outcome = prop_oneof![Just(Outcome::Passed), Just(Outcome::Failed)];
    let duration = prop::option::of((0..10_000_000_u64).prop_map(Duration::from_micros));
    (name(), outcome, duration).prop_map(|(test, outcome, duration)| Observation {
        test,
        outcome,
        duration,
    })
}

fn call() -> impl Strategy<Value = Call> {
    let observations = prop::collection::vec(observation(), 0..25);
    let repository = prop::sample::select(vec!["one", "two"]).prop_map(str::to_owned);
    (repository, name(), observations, 0..1_000_i64).prop_map(
        |(repository, tree, observations, minutes)| Call {
            repository,
            tree,
            observations,
            at: minute(minutes),
        },
    )
}

/// The runs of one test in one repository: by tree, in order.
type Runs<'a> = BTreeMap<&'a str, Vec<(&'a Observation, Timestamp)>>;

fn runs<'a>(calls: &'a [Call], repository: &str) -> BTreeMap<&'a str, Runs<'a>> {
    let mut tests: BTreeMap<&str, Runs<'_>> = BTreeMap::new();
    for call in calls.iter().filter(|call| call.repository == repository) {
        for observation in &call.observations {
            let trees = tests.entry(&observation.test).or_default();
            let runs = trees.entry(&call.tree).or_default();
            runs.push((observation, call.at));
        }
    }
    tests
}

fn summary(trees: &Runs<'_>) -> Summary {
    let runs: Vec<_> = trees.values().flatten().collect();
    let failures = runs
        .iter()
        .filter(|(run, _)| run.outcome == Outcome::Failed);
    let flips = trees.values().map(|runs| {
        let pairs = runs.windows(2);
        pairs
            .filter(|pair| pair[0].0.outcome != pair[1].0.outcome)
            .count() as u64
    });
    let mixed = trees.values().filter(|runs| {
        let first = runs[0].0.outcome;
        runs.iter().any(|(run, _)| run.outcome != first)
    });
    let durations: Vec<Duration> = runs.iter().filter_map(|(run, _)| run.duration).collect();
    let total: u128 = durations.iter().map(Duration::as_micros).sum();
    let mean = total.checked_div(durations.len() as u128);
    Summary {
        runs: runs.len() as u64,
        failures: failures.count() as u64,
        flips: flips.sum(),
        flipped_trees: mixed.count() as u64,
        mean_duration: mean.map(|mean| Duration::from_micros(mean.try_into().unwrap())),
        last_seen: runs.iter().map(|(_, at)| *at).max().unwrap(),
    }
}

/// Fractions are compared without dividing, unlike in the database.
fn worst_first(tests: &BTreeMap<String, Summary>) -> Vec<FlakyTest> {
    let mut flaky: Vec<FlakyTest> = tests
        .iter()
        .filter(|(_, summary)| summary.flipped_trees > 0)
        .map(|(test, summary)| FlakyTest {
            test: test.clone(),
            summary: summary.clone(),
        })
        .collect();
    flaky.sort_by(|a, b| {
        let (x, y) = (&a.summary, &b.summary);
        let by_flips = Reverse(x.flips).cmp(&Reverse(y.flips));
        let by_rate = (y.failures * x.runs).cmp(&(x.failures * y.runs));
        by_flips.then(by_rate).then_with(|| a.test.cmp(&b.test))
    });
    flaky
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_database_agrees_with_the_model(calls in prop::collection::vec(call(), 1..7)) {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(folder.path()).unwrap();
        for call in &calls {
            state
                .record(&call.repository, &call.tree, &call.observations, call.at)
                .unwrap();
        }
        let observations = calls.iter().flat_map(|call| &call.observations);
        let names: Vec<String> = observations.map(|run| run.test.clone()).collect();
        for repository in ["one", "two"] {
            let expected: BTreeMap<String, Summary> = runs(&calls, repository)
                .into_iter()
                .map(|(test, trees)| (test.to_owned(), summary(&trees)))
                .collect();
            prop_assert_eq!(&state.known(repository, &names).unwrap(), &expected);
            let expected = worst_first(&expected);
            prop_assert_eq!(&state.flaky(repository, usize::MAX).unwrap(), &expected);
            let top = &expected[..expected.len().min(2)];
            prop_assert_eq!(state.flaky(repository, 2).unwrap(), top);
        }
    }
}
