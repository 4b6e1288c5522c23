//! Tests that output in another order, incomplete or mixed with other output
//! makes no failures up: several processes write to one log, and logs are cut.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use baton_report::read;
use proptest::prelude::*;

/// The captured outputs as lines, those without a failure first.
static OUTPUTS: LazyLock<(Vec<Vec<String>>, usize)> = LazyLock::new(|| {
    let mut files = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cases");
    collect(&root, &mut files);
    files.sort();
    let (mut green, mut red) = (Vec::new(), Vec::new());
    for file in files {
        let bytes = fs::read(file).unwrap();
        let report = read(&bytes);
        let passed = report.failures.is_empty() && !report.is_build_failure;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let lines = text.lines().map(str::to_owned).collect();
        if passed && report.counts.failed + report.counts.errors == 0 {
            green.push(lines);
        } else {
            red.push(lines);
        }
    }
    let count = green.len();
    green.append(&mut red);
    (green, count)
});

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.ends_with("output.txt") {
            files.push(path);
        }
    }
}

/// Lines of a program under test, none of which is a result.
const NOISE: [&str; 8] = [
    "listening on port 8080",
    "3 items loaded in 12 ms",
    "WARN retrying after an error",
    "  at least 2 of 3 replicas are ready",
    "✓ built in 1.2s",
    "GET /cart 200 4.2 ms - 17",
    "> shop@1.0.0 test",
    "",
];

/// The test that was running when a log ends is no invention.
const CUT: &str = "The output ends while this test was running.";

fn passes(lines: &[String]) -> Result<(), TestCaseError> {
    let text = lines.join("\n");
    let report = read(text.as_bytes());
    let failed = report.counts.failed + report.counts.errors;
    let running = report.failures.iter().filter(|f| f.error == CUT).count();
    prop_assert_eq!(report.failures.len(), running, "{:#?}\n{}", report, text);
    prop_assert!(failed <= running as u64, "{report:#?}\n{text}");
    Ok(())
}

fn green() -> impl Strategy<Value = Vec<String>> {
    (0..OUTPUTS.1).prop_map(|index| OUTPUTS.0[index].clone())
}

proptest! {
    #[test]
    fn lines_of_a_green_run_in_any_order_pass(lines in green().prop_shuffle()) {
        passes(&lines)?;
    }

    #[test]
    fn a_part_of_a_green_run_passes(lines in green(), begin in 0.0..1.0, end in 0.0..1.0) {
        let place = |part: f64| format!("{:.0}", part * 1000.0).parse::<usize>().unwrap() * lines.len() / 1000;
        let (begin, end) = (place(begin), place(end));
        passes(&lines[begin.min(end)..begin.max(end)])?;
    }

    #[test]
    fn two_green_runs_and_noise_in_one_log_pass(one in green(), other in green(), turns in prop::collection::vec(0..3, 1..60)) {
        let (mut one, mut other) = (one.into_iter(), other.into_iter());
        let mut noise = NOISE.iter().cycle().map(|line| (*line).to_owned());
        let mut lines = Vec::new();
        for turn in turns.iter().cycle().take(600) {
            lines.extend(match turn {
                0 => one.next(),
                1 => other.next(),
                _ => noise.next(),
            });
        }
        passes(&lines)?;
    }

    #[test]
    fn shuffled_output_of_any_run_never_panics(lines in (0..OUTPUTS.0.len()).prop_map(|index| OUTPUTS.0[index].clone()).prop_shuffle()) {
        let report = read(lines.join("\n").as_bytes());
        prop_assert_eq!(report.counts.run, report.counts.passed + report.counts.failed + report.counts.errors);
    }
}

proptest! {
    /// Summaries may hold any numbers, and be of any runner.
    #[test]
    fn numbers_of_any_size_never_panic(lines in prop::collection::vec(
        ("(Tests: |Ran |\\[ FAIL |  |# |Failed!  - Failed: |Executed |Running )?", any::<u64>(), "( tests?|,? passed| pass| fail| failed|, Errors: | scenarios \\(| skip| success / | of )", any::<u64>(), "( failures?| failed| skipped|, 1 passed|\\)| tests in 1s| test cases\\.\\.\\.)?")
            .prop_map(|(head, one, label, other, tail)| format!("{head}{one}{label}{other}{tail}")), 1..20)) {
        read(lines.join("\n").as_bytes());
        read(format!("bun test v1\nPHPUnit 9 by Sebastian Bergmann\n{}", lines.join("\n")).as_bytes());
    }
}

#[test]
fn there_are_green_runs() {
    assert!(OUTPUTS.1 >= 10, "{} green runs", OUTPUTS.1);
}
