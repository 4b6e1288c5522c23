//! Runs only what failed, where the runner can select tests by name.

mod early_stop;
mod narrowing;
pub(crate) mod reproduction;
mod runner;
mod script;

use std::path::Path;

use baton_protocol::Confidence;
use baton_protocol::report::ReportedFailure;

pub(super) use self::narrowing::narrowed;
use self::runner::Runner;
use super::attempt::Attempt;
use crate::command_line::plain_words;

/// With more failures than this, running everything is as quick.
const MAX_TESTS: usize = 50;

/// The argument list that runs just these tests, if this runner can.
///
/// The command must be plain words: nothing that only a shell understands.
pub(super) fn select(
    command: &str,
    folder: &Path,
    last: &Attempt,
    failures: &[ReportedFailure],
) -> Option<Vec<String>> {
    if failures.is_empty() || failures.len() > MAX_TESTS {
        return None;
    }
    // Names that were guessed select the wrong thing or nothing.
    if failures.iter().any(|f| f.confidence == Confidence::Low) {
        return None;
    }
    let failed = last.record.counts.failed + last.record.counts.errors;
    if failed > (failures.len() + parents(failures)) as u64 {
        // Some failures have no name.
        return None;
    }
    let words = plain_words(command)?;
    let run = Run::parse(words, folder, &last.framework)?;
    if early_stop::left_tests_out(&run, folder, &last.output) {
        return None;
    }
    run.only(folder, failures)
}

/// The same for tests of which only the names are known.
pub(super) fn by_name(command: &str, folder: &Path, names: &[String]) -> Option<Vec<String>> {
    if names.is_empty() || names.len() > MAX_TESTS {
        return None;
    }
    let tests: Vec<ReportedFailure> = names
        .iter()
        .map(|name| ReportedFailure {
            name: name.clone(),
            file: None,
            line: None,
            error: String::new(),
            confidence: Confidence::High,
        })
        .collect();
    Run::parse(plain_words(command)?, folder, "")?.only(folder, &tests)
}

/// The argument list that makes a runner name every test, where that takes
/// options: into the file, or among what it prints.
pub(super) fn listing(command: &str, folder: &Path, file: &Path) -> Option<Vec<String>> {
    let run = Run::parse(plain_words(command)?, folder, "")?;
    let file = file.to_str()?;
    let options = match run.runner {
        Runner::Jest { .. } => vec!["--json".to_owned(), format!("--outputFile={file}")],
        Runner::Vitest { .. } => vec![
            "--reporter=default".to_owned(),
            "--reporter=json".to_owned(),
            format!("--outputFile.json={file}"),
        ],
        Runner::Unittest | Runner::Minitest => vec!["-v".to_owned()],
        _ => return None,
    };
    let given = match &run.script {
        Some(script) => &script.words,
        None => &run.words,
    };
    let chooses = |word: &String| {
        let known = ["--json", "--reporter", "--outputFile", "-v", "--verbose"];
        known.iter().any(|option| word.starts_with(option))
    };
    if given.iter().any(chooses) {
        return None;
    }
    if let Some(script) = &run.script {
        return Some(script.with(run.words.clone(), options));
    }
    let mut words = run.words;
    words.extend(options);
    Some(words)
}

/// The framework that a command plainly runs, as reports call it.
pub(super) fn framework(command: &str, folder: &Path) -> Option<&'static str> {
    let run = Run::parse(plain_words(command)?, folder, "")?;
    Some(run.runner.framework())
}

/// How many different tests these are.
pub(super) fn distinct(failures: &[ReportedFailure]) -> usize {
    let mut names: Vec<&str> = failures.iter().map(|f| f.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.len()
}

/// Go counts a test whose subtest failed as failed, too, and the report lists
/// only the innermost.
fn parents(failures: &[ReportedFailure]) -> usize {
    let is_listed = |name: &str| failures.iter().any(|f| f.name == name);
    let mut names: Vec<&str> = failures
        .iter()
        .flat_map(|f| f.name.match_indices('/').map(|(at, _)| &f.name[..at]))
        .filter(|name| !is_listed(name))
        .collect();
    names.sort_unstable();
    names.dedup();
    names.len()
}

/// A test command whose runner is known.
struct Run {
    words: Vec<String>,
    runner: Runner,
    /// The script of `package.json` that the words stand for, and how it is
    /// given more arguments.
    script: Option<script::Script>,
}

impl Run {
    fn parse(words: Vec<String>, folder: &Path, framework: &str) -> Option<Self> {
        if let Some(runner) = Runner::parse(&words, framework) {
            return Some(Self {
                words,
                runner,
                script: None,
            });
        }
        let script = script::Script::parse(&words, folder)?;
        Some(Self {
            words,
            runner: script.runner,
            script: Some(script),
        })
    }

    /// What the runner itself is given.
    fn runner_words(&self) -> &[String] {
        self.script
            .as_ref()
            .map_or(&self.words, |script| &script.words)
    }

    fn only(self, folder: &Path, failures: &[ReportedFailure]) -> Option<Vec<String>> {
        match self.script {
            Some(script) => {
                let options = self.runner.name_options(failures)?;
                Some(script.with(self.words, options))
            }
            None => self.runner.arguments(self.words, folder, failures),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use baton_protocol::Confidence;
    use baton_protocol::report::ReportedFailure;

    use super::{Run, early_stop, parents};
    use crate::command_line::{plain_words, shown};

    fn failure(name: &str) -> ReportedFailure {
        ReportedFailure {
            name: name.to_owned(),
            file: Some("spec/a_spec.rb".to_owned()),
            line: Some(9),
            error: String::new(),
            confidence: Confidence::High,
        }
    }

    fn select_in(folder: &Path, command: &str, names: &[&str]) -> String {
        let failures: Vec<_> = names.iter().map(|name| failure(name)).collect();
        let chosen = plain_words(command)
            .and_then(|words| Run::parse(words, folder, "minitest"))
            .filter(|run| !early_stop::left_tests_out(run, folder, ""))
            .and_then(|run| run.only(folder, &failures));
        chosen.map_or("everything".to_owned(), |words| shown(&words))
    }

    fn select(command: &str, names: &[&str]) -> String {
        select_in(Path::new("/"), command, names)
    }

    #[test]
    fn each_runner_selects_in_its_own_way() {
        insta::assert_snapshot!(select("pytest -q", &["tests/test_a.py::test_b[x y]"]), @"pytest -q 'tests/test_a.py::test_b[x y]'");
        insta::assert_snapshot!(select("python3 -m pytest usr", &["a.py::b"]), @"python3 -m pytest a.py::b");
        insta::assert_snapshot!(select("python3 -m unittest -v", &["test_a.ATest.test_b"]), @"python3 -m unittest -v test_a.ATest.test_b");
        insta::assert_snapshot!(select("python -m unittest discover", &["test_a.ATest.test_b"]), @"python -m unittest test_a.ATest.test_b");
        insta::assert_snapshot!(select("python3 -m unittest discover -s t", &["test_a.ATest.test_b"]), @"everything");
        insta::assert_snapshot!(select("go test -race ./...", &["TestA/sub", "TestA", "TestB"]), @"go test '-run=^(TestA|TestB)$' -count=1 -race ./...");
        insta::assert_snapshot!(select("cargo test --no-fail-fast", &["tests::a"]), @"cargo test --no-fail-fast -- --exact tests::a");
        insta::assert_snapshot!(select("cargo test --no-fail-fast -- --nocapture", &["tests::a"]), @"everything");
        insta::assert_snapshot!(select("cargo nextest run --no-fail-fast", &["tests::a", "b"]), @"cargo nextest run --no-fail-fast -E 'test(=b) or test(=tests::a)'");
        insta::assert_snapshot!(select("bundle exec rspec", &["Cart adds"]), @"bundle exec rspec spec/a_spec.rb:9");
        insta::assert_snapshot!(select("ruby -Itest test/test_a.rb", &["TestA#test_b", "TestA#test_c?"]), @"ruby -Itest test/test_a.rb -n '/^(TestA.test_b|TestA.test_c.)$/'");
        insta::assert_snapshot!(select("rake test", &["TestA#test_b"]), @"everything");
        insta::assert_snapshot!(select("mvn test", &["com.shop.CartTest.total", "com.shop.CartTest.vat[1]"]), @"mvn test '-Dtest=CartTest#total,CartTest#vat' -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false");
        insta::assert_snapshot!(select("./gradlew test", &["CartTest.total()"]), @"./gradlew test --tests '*CartTest.total'");
        insta::assert_snapshot!(select("npx jest", &["Cart › adds (1+1)"]), @"npx jest -t '^(Cart( | . )adds .1.1.)$'");
        insta::assert_snapshot!(select("npx vitest run src", &["Cart > adds"]), @"npx vitest run -t '^(Cart( | . )adds)$' src");
        insta::assert_snapshot!(select("npx mocha", &["Cart > adds"]), @"npx mocha --grep '^(Cart( | . )adds)$'");
        insta::assert_snapshot!(select("npm test", &["a"]), @"everything");
    }

    #[test]
    fn a_script_that_is_plainly_one_runner_is_given_the_names() {
        let folder = tempfile::tempdir().unwrap();
        let package = r#"{"scripts": {
            "test": "cross-env CI=1 jest --ci",
            "unit": "vitest run",
            "old": "mocha test",
            "both": "eslint . && jest",
            "first": "jest --bail"
        }}"#;
        std::fs::write(folder.path().join("package.json"), package).unwrap();
        let select = |command: &str| select_in(folder.path(), command, &["Cart › adds"]);
        insta::assert_snapshot!(select("npm test"), @"npm test -- -t '^(Cart( | . )adds)$'");
        insta::assert_snapshot!(select("npm test -- --silent"), @"npm test -- --silent -t '^(Cart( | . )adds)$'");
        insta::assert_snapshot!(select("npm run unit"), @"npm run unit -- -t '^(Cart( | . )adds)$'");
        insta::assert_snapshot!(select("npm run old"), @"npm run old -- --grep '^(Cart( | . )adds)$'");
        insta::assert_snapshot!(select("yarn test"), @"yarn test -t '^(Cart( | . )adds)$'");
        insta::assert_snapshot!(select("pnpm test"), @"pnpm run test -t '^(Cart( | . )adds)$'");
        insta::assert_snapshot!(select("pnpm run unit"), @"pnpm run unit -t '^(Cart( | . )adds)$'");
        insta::assert_snapshot!(select("npm run both"), @"everything");
        insta::assert_snapshot!(select("npm run first"), @"everything");
        insta::assert_snapshot!(select("npm run first -- --silent"), @"everything");
        insta::assert_snapshot!(select("npm run none"), @"everything");
        insta::assert_snapshot!(select("npm --prefix web test"), @"everything");
    }

    /// Tests that were never reached would be taken for passed.
    #[test]
    fn a_runner_that_stops_early_runs_everything() {
        insta::assert_snapshot!(select("cargo test", &["a"]), @"everything");
        insta::assert_snapshot!(select("cargo nextest run", &["a"]), @"everything");
        insta::assert_snapshot!(select("pytest -x", &["a.py::b"]), @"everything");
        insta::assert_snapshot!(select("pytest --maxfail=2", &["a.py::b"]), @"everything");
        insta::assert_snapshot!(select("go test -failfast ./...", &["TestA"]), @"everything");
        insta::assert_snapshot!(select("npx jest --bail=1", &["a"]), @"everything");
        insta::assert_snapshot!(select("rspec --fail-fast", &["a"]), @"everything");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(".rspec"), "--fail-fast\n").unwrap();
        std::fs::write(folder.path().join("pom.xml"), "<modules><module>a</module>").unwrap();
        insta::assert_snapshot!(select_in(folder.path(), "rspec", &["a"]), @"everything");
        insta::assert_snapshot!(select_in(folder.path(), "mvn test", &["a.BTest.c"]), @"everything");
        insta::assert_snapshot!(select_in(folder.path(), "mvn test -fae", &["a.BTest.c"]), @"mvn test -fae '-Dtest=BTest#c' -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false");
    }

    #[test]
    fn what_needs_a_shell_runs_everything() {
        insta::assert_snapshot!(select("pytest && echo done", &["a.py::b"]), @"everything");
        insta::assert_snapshot!(select("CI=1 pytest", &["a.py::b"]), @"everything");
        insta::assert_snapshot!(select("pytest -k 'a b'", &["a.py::b"]), @"everything");
    }

    #[test]
    fn a_name_is_never_an_option() {
        insta::assert_snapshot!(select("cargo test --no-fail-fast", &["--help"]), @"everything");
        insta::assert_snapshot!(select("pytest", &["--pdb::x"]), @"everything");
    }

    #[test]
    fn parents_of_failed_subtests_are_failures_without_a_name() {
        let failures = ["TestA/b/c", "TestA/d", "TestE", "TestE/f"].map(failure);
        // TestA and TestA/b; TestE has been named.
        assert_eq!(parents(&failures), 2);
    }
}
