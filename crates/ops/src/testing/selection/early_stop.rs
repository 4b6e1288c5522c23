//! Runs that ended before all tests had their turn, at the first failure or in
//! a crash. Were only the failed ones run again, those that never ran would be
//! taken for passed.

use std::fs;
use std::path::Path;

use super::Run;
use super::runner::Runner;

/// What makes a runner stop early.
struct Habit {
    /// Options that ask for it, with or without a value.
    options: &'static [&'static str],
    /// Files of the project, and a word in them that asks for it.
    files: &'static [(&'static [&'static str], &'static str)],
    /// Whether its output tells that it did.
    told: fn(&str) -> bool,
    /// Options against it.
    unless: &'static [&'static str],
    /// It stops early unless told otherwise.
    always: bool,
}

const NONE: Habit = Habit {
    options: &[],
    files: &[],
    told: |_| false,
    unless: &[],
    always: false,
};

/// Whether tests may have been left out of a run that failed.
pub(super) fn left_tests_out(run: &Run, folder: &Path, output: &str) -> bool {
    let habit = habit(run.runner);
    let given = |options: &[&str]| run.runner_words().iter().any(|word| is_any(word, options));
    if (habit.told)(output) {
        return true;
    }
    if given(habit.unless) {
        return false;
    }
    let configured = |(names, word): &(&[&str], &str)| {
        names
            .iter()
            .any(|name| fs::read_to_string(folder.join(name)).is_ok_and(|text| text.contains(word)))
    };
    habit.always || given(habit.options) || habit.files.iter().any(configured)
}

/// The tests of a package print `FAIL` when they are done; if only `go` does,
/// they never were.
fn go_package_died(output: &str) -> bool {
    let mut is_done = false;
    for line in output.lines() {
        let is_result = line.starts_with("FAIL\t") && !line.ends_with(']');
        if is_result && !is_done {
            return true;
        }
        let is_between = line.starts_with("coverage: ") || line == "exit status 1";
        is_done = !is_result && (line.ends_with("FAIL") || (is_done && is_between));
    }
    false
}

fn is_any(word: &str, options: &[&str]) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    options.contains(&name)
}

fn habit(runner: Runner) -> Habit {
    match runner {
        Runner::Pytest { .. } => PYTEST,
        Runner::Unittest => UNITTEST,
        Runner::GoTest => GO_TEST,
        Runner::CargoTest => CARGO_TEST,
        Runner::Nextest => NEXTEST,
        Runner::Rspec => RSPEC,
        Runner::Minitest => MINITEST,
        Runner::Maven => MAVEN,
        Runner::Gradle => GRADLE,
        Runner::Jest { .. } => JEST,
        Runner::Vitest { .. } => VITEST,
        Runner::Mocha { .. } => MOCHA,
    }
}

const PYTEST: Habit = Habit {
    options: &["-x", "--exitfirst", "--maxfail", "--sw", "--stepwise"],
    told: |output| {
        output
            .lines()
            .any(|line| line.starts_with("!!!") && line.contains(" stopping after "))
    },
    ..NONE
};

const UNITTEST: Habit = Habit {
    options: &["-f", "--failfast"],
    ..NONE
};

const GO_TEST: Habit = Habit {
    options: &["-failfast", "--failfast"],
    told: go_package_died,
    ..NONE
};

/// It leaves out the files after the one that failed.
const CARGO_TEST: Habit = Habit {
    always: true,
    unless: &["--no-fail-fast"],
    told: |output| {
        output.lines().any(|line| {
            line.contains("process didn't exit successfully: ")
                && !line.contains("(exit status: 101)")
        })
    },
    ..NONE
};

const NEXTEST: Habit = Habit {
    always: true,
    unless: &["--no-fail-fast"],
    ..NONE
};

const RSPEC: Habit = Habit {
    options: &["--fail-fast"],
    files: &[
        (&[".rspec"], "fail-fast"),
        (
            &["spec/spec_helper.rb", "spec/rails_helper.rb"],
            "fail_fast",
        ),
    ],
    ..NONE
};

const MINITEST: Habit = Habit {
    options: &["-f", "--fail-fast"],
    ..NONE
};

/// A project of several modules ends with the first that failed.
const MAVEN: Habit = Habit {
    options: &["-ff", "--fail-fast"],
    files: &[
        (&["pom.xml"], "<modules>"),
        (&["pom.xml"], "skipAfterFailureCount"),
    ],
    unless: &["-fae", "--fail-at-end", "-fn", "--fail-never"],
    told: |output| output.contains("The forked VM terminated without"),
    ..NONE
};

const GRADLE: Habit = Habit {
    options: &["--fail-fast"],
    files: &[
        (&["settings.gradle", "settings.gradle.kts"], "include"),
        (&["build.gradle", "build.gradle.kts"], "failFast"),
    ],
    unless: &["--continue"],
    told: |output| output.contains("finished with non-zero exit value"),
    ..NONE
};

const JEST: Habit = Habit {
    options: &["-b", "--bail"],
    // `Test Suites: 1 failed, 1 of 3 total`
    told: |output| {
        output
            .lines()
            .any(|line| line.starts_with("Test Suites: ") && line.contains(" of "))
    },
    ..NONE
};

const VITEST: Habit = Habit {
    options: &["--bail"],
    files: &[(
        &[
            "vitest.config.ts",
            "vitest.config.mts",
            "vitest.config.js",
            "vitest.config.mjs",
            "vite.config.ts",
            "vite.config.mts",
            "vite.config.js",
            "vite.config.mjs",
        ],
        "bail",
    )],
    ..NONE
};

const MOCHA: Habit = Habit {
    options: &["-b", "--bail"],
    files: &[(
        &[
            ".mocharc.json",
            ".mocharc.jsonc",
            ".mocharc.yml",
            ".mocharc.yaml",
            ".mocharc.js",
            ".mocharc.cjs",
            ".mocharc.mjs",
        ],
        "bail",
    )],
    ..NONE
};

#[cfg(test)]
mod tests {
    use super::go_package_died;

    #[test]
    fn a_package_of_go_that_died_did_not_say_that_it_failed() {
        let failed = "--- FAIL: TestA (0.00s)\nFAIL\ncoverage: 0.0% of statements\nexit status 1\nFAIL\texample.com/a\t0.004s\n";
        let passed = "ok  \texample.com/b\t0.004s\n";
        let died = "=== RUN   TestB\nexit status 7\nFAIL\texample.com/c\t0.004s\nFAIL\n";
        let unbuilt = "FAIL\texample.com/d [build failed]\n";
        assert!(!go_package_died(
            &[failed, passed, unbuilt, "FAIL\n"].concat()
        ));
        assert!(go_package_died(&[failed, died].concat()));
        assert!(go_package_died(&[died, failed].concat()));
    }
}
