//! The smallest command that shows one failure again, in a project that was not
//! looked at before: only the framework's name and what it said are known.

use std::path::Path;

use baton_protocol::report::ReportedFailure;

use super::runner::{Runner, pattern};

/// The words of the command, if there is one that is sure to be meant.
pub(crate) fn reproduce(framework: &str, failure: &ReportedFailure) -> Option<Vec<String>> {
    let words = test_command(framework, failure).or_else(|| diagnosis(framework, failure))?;
    // No one could read, or paste, a command with such letters.
    let is_plain = |word: &String| !word.chars().any(char::is_control);
    words.iter().all(is_plain).then_some(words)
}

/// The command that puts right what a formatter found.
pub(crate) fn reformat(framework: &str, failure: &ReportedFailure) -> Option<Vec<String>> {
    // A file that cannot be read as code is not formatted either.
    let is_layout = |name: &str| failure.name == name;
    match framework {
        "rustfmt" => Some(split("cargo fmt")),
        "prettier" if is_layout("prettier") => Some(on_file("npx prettier --write", failure)),
        "black" if is_layout("would reformat") => Some(on_file("black", failure)),
        "ruff" if is_layout("unformatted") => Some(on_file("ruff format", failure)),
        _ => None,
    }
}

fn test_command(framework: &str, failure: &ReportedFailure) -> Option<Vec<String>> {
    let whole_file = || whole_file(framework, failure);
    match framework {
        "pytest" => selected("pytest", framework, failure).or_else(whole_file),
        "unittest" => selected("python3 -m unittest", framework, failure),
        "cargo-test" if is_documentation(&failure.name) => {
            selected("cargo test --doc", framework, failure)
        }
        "cargo-test" => selected("cargo test", framework, failure),
        "nextest" => selected("cargo nextest run", framework, failure),
        "go-test" | "gotestsum" => {
            let package = go_package(failure);
            let named = selected(&format!("go test {package}"), framework, failure);
            named.or_else(|| Some(split(&format!("go test {package}"))))
        }
        "jest" => whole_file().or_else(|| in_test_file("npx jest", framework, failure)),
        "vitest" => whole_file().or_else(|| in_test_file("npx vitest run", framework, failure)),
        "mocha" => whole_file().or_else(|| in_test_file("npx mocha", framework, failure)),
        "node-test" => whole_file().or_else(|| node_test(failure)),
        "ava" => {
            let title = failure.name.rsplit(" › ").next()?;
            let mut words = split("npx ava --match");
            words.push(not_an_option(title)?.to_owned());
            words.extend(test_file(failure).map(str::to_owned));
            Some(words)
        }
        "playwright" => place(failure).map(|place| with("npx playwright test", place)),
        "rspec" => selected("bundle exec rspec", framework, failure)
            .filter(|_| file(failure).is_some())
            .or_else(whole_file),
        "minitest" => {
            let file = test_file(failure)?;
            selected(&format!("ruby -Itest {file}"), framework, failure)
        }
        "maven-surefire" => selected("mvn test", framework, failure),
        "gradle" => selected("./gradlew test", framework, failure),
        "prove" => file(failure).map(|file| with("prove", file.to_owned())),
        _ => None,
    }
}

/// What compilers, type checkers and linters say is said again for the file
/// alone, where they can be asked about one.
fn diagnosis(framework: &str, failure: &ReportedFailure) -> Option<Vec<String>> {
    Some(match framework {
        "rustc" => split("cargo check --all-targets"),
        "clippy" => split("cargo clippy --all-targets"),
        "rustfmt" => split("cargo fmt --check"),
        "tsc" => split("npx tsc --noEmit"),
        "eslint" => on_file("npx eslint", failure),
        "prettier" => on_file("npx prettier --check", failure),
        "biome" => on_file("npx biome check", failure),
        "mypy" => on_file("mypy", failure),
        "flake8" => on_file("flake8", failure),
        "pylint" => with("pylint", file(failure)?.to_owned()),
        "ruff" if failure.name == "unformatted" => on_file("ruff format --check", failure),
        "ruff" => on_file("ruff check", failure),
        "black" => on_file("black --check", failure),
        "rubocop" => on_file("bundle exec rubocop", failure),
        "go-vet" => with("go vet", go_package(failure)),
        "go-build" => with("go build", go_package(failure)),
        "golangci-lint" => with("golangci-lint run", go_package(failure)),
        "maven" => split("mvn test-compile"),
        "doctest" => with("python3 -m doctest", file(failure)?.to_owned()),
        _ => return None,
    })
}

/// By the name of the test, as the runner wants it.
fn selected(command: &str, framework: &str, failure: &ReportedFailure) -> Option<Vec<String>> {
    let words = split(command);
    let runner = Runner::parse(&words, framework)?;
    runner.arguments(words, Path::new(""), std::slice::from_ref(failure))
}

/// By name, and in its file only where that is one of tests: the failing
/// statement may be elsewhere.
fn in_test_file(command: &str, framework: &str, failure: &ReportedFailure) -> Option<Vec<String>> {
    let mut words = selected(command, framework, failure)?;
    words.extend(test_file(failure).map(str::to_owned));
    Some(words)
}

/// A file that failed as a whole, before any of its tests ran, goes by its own
/// name.
fn whole_file(framework: &str, failure: &ReportedFailure) -> Option<Vec<String>> {
    let command = match framework {
        "pytest" => "pytest",
        "jest" => "npx jest",
        "vitest" => "npx vitest run",
        "mocha" => "npx mocha",
        "node-test" => "node --test",
        "rspec" => "bundle exec rspec",
        _ => return None,
    };
    let file = file(failure)?;
    let bare = |path: &str| path.trim_start_matches("./").to_owned();
    (bare(&failure.name) == bare(file)).then(|| with(command, file.to_owned()))
}

/// Names of all levels are matched together by newer versions and each by
/// itself by older ones; both find the innermost.
fn node_test(failure: &ReportedFailure) -> Option<Vec<String>> {
    let innermost = failure.name.rsplit(" > ").next()?;
    let mut words = split("node --test");
    words.push(format!(
        "--test-name-pattern={}",
        pattern(not_an_option(innermost)?)
    ));
    words.push(test_file(failure)?.to_owned());
    Some(words)
}

/// `src/lib.rs - add (line 5)`
fn is_documentation(name: &str) -> bool {
    name.contains(" - ") && name.contains("(line ")
}

fn go_package(failure: &ReportedFailure) -> String {
    match file(failure).map(|file| file.trim_start_matches("./")) {
        Some(file) => match file.rsplit_once('/') {
            Some((folder, _)) => format!("./{folder}"),
            None => ".".to_owned(),
        },
        None => "./...".to_owned(),
    }
}

fn place(failure: &ReportedFailure) -> Option<String> {
    let file = file(failure)?;
    Some(match failure.line {
        Some(line) => format!("{file}:{line}"),
        None => file.to_owned(),
    })
}

fn test_file(failure: &ReportedFailure) -> Option<&str> {
    let file = file(failure)?;
    let lower = file.to_ascii_lowercase();
    (lower.contains("test") || lower.contains("spec")).then_some(file)
}

/// Its file, if that is one of the project: a path of the machine that ran the
/// tests means nothing here. Blanks would tear it apart where it is put between
/// words.
fn file(failure: &ReportedFailure) -> Option<&str> {
    let file = failure.file.as_deref()?;
    let leads_out = file.starts_with(['/', '-', '~']) || file.split('/').any(|part| part == "..");
    let is_foreign = file.contains([':', '\\', ' ']);
    (!file.is_empty() && !leads_out && !is_foreign).then_some(file)
}

fn not_an_option(word: &str) -> Option<&str> {
    (!word.is_empty() && !word.starts_with('-')).then_some(word)
}

fn on_file(command: &str, failure: &ReportedFailure) -> Vec<String> {
    with(command, file(failure).unwrap_or(".").to_owned())
}

fn with(command: &str, last: String) -> Vec<String> {
    let mut words = split(command);
    words.push(last);
    words
}

fn split(command: &str) -> Vec<String> {
    command.split(' ').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use baton_protocol::Confidence;
    use baton_protocol::report::ReportedFailure;

    use super::{reformat, reproduce};
    use crate::command_line::shown;

    fn failure(name: &str, file: &str, line: u64) -> ReportedFailure {
        ReportedFailure {
            name: name.to_owned(),
            file: (!file.is_empty()).then(|| file.to_owned()),
            line: (line > 0).then_some(line),
            error: String::new(),
            confidence: Confidence::High,
        }
    }

    fn told(framework: &str, name: &str, file: &str, line: u64) -> String {
        let words = reproduce(framework, &failure(name, file, line));
        words.map_or("nothing".to_owned(), |words| shown(&words))
    }

    #[test]
    fn each_framework_runs_one_test_in_its_own_way() {
        let lines = [
            told(
                "pytest",
                "tests/test_a.py::test_b[x y]",
                "tests/test_a.py",
                9,
            ),
            told(
                "unittest",
                "tests.test_unit.StockTest.test_name",
                "tests/test_unit.py",
                9,
            ),
            told("cargo-test", "parse::tests::words", "src/parse.rs", 2),
            told("cargo-test", "src/lib.rs - add (line 5)", "src/lib.rs", 5),
            told("nextest", "parse::tests::words", "src/parse.rs", 2),
            told("go-test", "TestSplit/by_two", "money/money_test.go", 29),
            told("go-test", "TestTop", "top_test.go", 2),
            told("go-test", "TestLost", "", 0),
            told(
                "gotestsum",
                "undefined: missing",
                "broken/broken_test.go",
                7,
            ),
            told(
                "jest",
                "price list > rare > throws",
                "tests/price.test.js",
                7,
            ),
            told("jest", "price list > rare > throws", "src/price.js", 7),
            told("vitest", "prices > adds", "cart.test.ts", 3),
            told("mocha", "prices throws", "mt/cart.spec.js", 4),
            told("node-test", "prices > adds (1+1)", "node.test.mjs", 2),
            told("ava", "test › deep", "test.js", 6),
            told("playwright", "[node] › shop › adds", "shop.spec.ts", 3),
            told("rspec", "Stock uses a helper", "spec/stock_spec.rb", 5),
            told("minitest", "StockTest#test_text", "test/stock_test.rb", 13),
            told(
                "maven-surefire",
                "org.depot.StockTest.counts",
                "org/depot/StockTest.java",
                10,
            ),
            told(
                "gradle",
                "org.depot.OldTest > collects",
                "org/depot/OldTest.java",
                9,
            ),
            told("prove", "copper is eight", "t/a.t", 3),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        pytest 'tests/test_a.py::test_b[x y]'
        python3 -m unittest tests.test_unit.StockTest.test_name
        cargo test -- --exact parse::tests::words
        cargo test --doc -- --exact 'src/lib.rs - add (line 5)'
        cargo nextest run -E 'test(=parse::tests::words)'
        go test '-run=^(TestSplit)$' -count=1 ./money
        go test '-run=^(TestTop)$' -count=1 .
        go test '-run=^(TestLost)$' -count=1 ./...
        go test ./broken
        npx jest -t '^(price list( | . )rare( | . )throws)$' tests/price.test.js
        npx jest -t '^(price list( | . )rare( | . )throws)$'
        npx vitest run -t '^(prices( | . )adds)$' cart.test.ts
        npx mocha --grep '^(prices throws)$' mt/cart.spec.js
        node --test '--test-name-pattern=adds .1.1.' node.test.mjs
        npx ava --match deep test.js
        npx playwright test shop.spec.ts:3
        bundle exec rspec spec/stock_spec.rb:5
        ruby -Itest test/stock_test.rb -n '/^(StockTest.test_text)$/'
        mvn test '-Dtest=StockTest#counts' -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false
        ./gradlew test --tests '*OldTest.collects'
        prove t/a.t
        ");
    }

    #[test]
    fn a_file_that_did_not_load_is_run_as_a_whole() {
        let lines = [
            told("pytest", "tests/test_lost.py", "tests/test_lost.py", 1),
            told("vitest", "test/load.test.ts", "test/load.test.ts", 2),
            told("rspec", "./spec/bad_spec.rb", "./spec/bad_spec.rb", 1),
            told("node-test", "test/exit.test.mjs", "test/exit.test.mjs", 0),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        pytest tests/test_lost.py
        npx vitest run test/load.test.ts
        bundle exec rspec ./spec/bad_spec.rb:1
        node --test test/exit.test.mjs
        ");
    }

    #[test]
    fn diagnostics_are_said_again_for_their_file() {
        let lines = [
            told("rustc", "E0308", "src/lib.rs", 5),
            told("tsc", "TS2322", "src/a.ts", 2),
            told("eslint", "eqeqeq", "src/a.js", 2),
            told("eslint", "eqeqeq", "/home/dev/app/src/a.js", 2),
            told("ruff", "F401", "app.py", 1),
            told("mypy", "return-value", "app.py", 7),
            told("go-vet", "wrong type", "vetted/v.go", 5),
            told("sarif", "a rule", "a.c", 5),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        cargo check --all-targets
        npx tsc --noEmit
        npx eslint src/a.js
        npx eslint .
        ruff check app.py
        mypy app.py
        go vet ./vetted
        nothing
        ");
    }

    #[test]
    fn names_and_files_are_never_options_or_ways_out() {
        let lines = [
            told("pytest", "--pdb::x", "tests/test_a.py", 1),
            told("cargo-test", "--help", "", 0),
            told("cargo-test", "a\nb", "", 0),
            told("jest", "a", "--config=x.test.js", 0),
            told("jest", "a", "../../x.test.js", 0),
            told("ava", "-u", "test.js", 0),
            told("prove", "a", "-e t", 0),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        nothing
        nothing
        nothing
        npx jest -t '^(a)$'
        npx jest -t '^(a)$'
        nothing
        nothing
        ");
    }

    #[test]
    fn only_what_is_merely_layout_is_put_right() {
        let told = |framework, name, file| {
            let words = reformat(framework, &failure(name, file, 1));
            words.map_or("nothing".to_owned(), |words| shown(&words))
        };
        assert_eq!(told("rustfmt", "rustfmt", "src/a.rs"), "cargo fmt");
        assert_eq!(
            told("prettier", "prettier", "src/a.js"),
            "npx prettier --write src/a.js"
        );
        assert_eq!(told("prettier", "SyntaxError", "src/b.js"), "nothing");
        assert_eq!(told("black", "would reformat", "app.py"), "black app.py");
        assert_eq!(told("eslint", "eqeqeq", "src/a.js"), "nothing");
    }
}
