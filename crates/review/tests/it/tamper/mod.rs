//! Changes that weaken what judges them, and honest ones that look alike.

mod framework;

use std::sync::LazyLock;

use baton_review::{
    ChangedFile, Explained, Finding, Kind, Options, Severity, Touched, every_explanation, review,
};

static EXPLAINED: LazyLock<Vec<Explained>> = LazyLock::new(every_explanation);

/// Path, base, head. An empty text is a file that is not there.
type Change<'a> = &'a [(&'a str, &'a str, &'a str)];

fn findings(change: Change<'_>) -> Vec<Finding> {
    let files: Vec<_> = change
        .iter()
        .map(|(path, before, after)| ChangedFile {
            path,
            before: (!before.is_empty()).then_some(before.as_bytes()),
            after: (!after.is_empty()).then_some(after.as_bytes()),
            touched: Touched::All,
        })
        .collect();
    let options = Options {
        threshold: Severity::Low,
        ..Options::default()
    };
    let mut findings = review(&files, &options).findings;
    findings.retain(|finding| finding.kind == Kind::Tamper);
    for finding in &findings {
        let is_explained = EXPLAINED.iter().any(|rule| {
            rule.id == finding.rule && rule.class == finding.class && rule.why == finding.why
        });
        assert!(is_explained, "{} is not explained", finding.rule);
    }
    findings
}

fn report(change: Change<'_>) -> String {
    let lines: Vec<_> = findings(change)
        .iter()
        .map(|finding| format!("[{}] {finding}", finding.severity))
        .collect();
    lines.join("\n")
}

fn assert_quiet(change: Change<'_>) {
    assert_eq!(report(change), "");
}

const PYTHON: &str = "\
from shop import total

def test_total():
    assert total([1, 2]) == 3

def test_empty():
    assert total([]) == 0
";

#[test]
fn a_deleted_test_is_found() {
    let after = "from shop import total\n\ndef test_total():\n    assert total([1, 2]) == 3\n";
    insta::assert_snapshot!(report(&[("tests/test_shop.py", PYTHON, after)]), @"[high] Test `test_empty` deleted in tests/test_shop.py:4 – what it checked is checked nowhere else in this change");
    insta::assert_snapshot!(report(&[("tests/test_shop.py", PYTHON, "")]), @"[high] Test file deleted with 2 tests in tests/test_shop.py:1 – what it checked is checked nowhere else in this change");
}

#[test]
fn a_test_that_is_commented_out_is_deleted() {
    let after = PYTHON
        .replace("def test_empty", "# def test_empty")
        .replace("    assert total([]) == 0", "#    assert total([]) == 0");
    assert_eq!(findings(&[("tests/test_shop.py", PYTHON, &after)]).len(), 1);
}

#[test]
fn moving_renaming_and_regrouping_tests_is_honest() {
    let moved = "from shop import total\n\ndef test_empty():\n    assert total([]) == 0\n";
    let left = "from shop import total\n\ndef test_total():\n    assert total([1, 2]) == 3\n";
    assert_quiet(&[
        ("tests/test_shop.py", PYTHON, left),
        ("tests/test_empty.py", "", moved),
    ]);
    assert_quiet(&[
        ("tests/test_shop.py", PYTHON, ""),
        ("tests/unit/test_shop.py", "", PYTHON),
    ]);
    let renamed = PYTHON.replace("test_empty", "test_total_of_nothing_is_zero");
    assert_quiet(&[("tests/test_shop.py", PYTHON, &renamed)]);
    let grouped = "\
from shop import total

class TestTotal:
    def test_total(self):
        assert total([1, 2]) == 3

    def test_empty(self):
        assert total([]) == 0
";
    assert_quiet(&[("tests/test_shop.py", PYTHON, grouped)]);
}

#[test]
fn a_duplicate_may_go() {
    let twice = format!("{PYTHON}\ndef test_nothing():\n    assert total([]) == 0\n");
    assert_quiet(&[("tests/test_shop.py", &twice, PYTHON)]);
}

#[test]
fn parametrising_splitting_and_extracting_are_honest() {
    let parametrised = "\
import pytest
from shop import total

@pytest.mark.parametrize('items, expected', [([1, 2], 3), ([], 0)])
def test_totals(items, expected):
    assert total(items) == expected
";
    assert_quiet(&[("tests/test_shop.py", PYTHON, parametrised)]);
    let long = "def test_user():\n    user = load(1)\n    assert user.name == 'ada'\n    assert user.age == 36\n    assert user.city == 'london'\n";
    let split = "def test_user_name():\n    user = load(1)\n    assert user.name == 'ada'\n\ndef test_user_age():\n    user = load(1)\n    assert user.age == 36\n\ndef test_user_city():\n    user = load(1)\n    assert user.city == 'london'\n";
    assert_quiet(&[("tests/test_user.py", long, split)]);
    let extracted = "def check_user(user):\n    assert user.name == 'ada'\n    assert user.age == 36\n    assert user.city == 'london'\n\ndef test_user():\n    check_user(load(1))\n";
    assert_quiet(&[("tests/test_user.py", long, extracted)]);
    let looped = "def test_user():\n    user = load(1)\n    for field, value in [('name', 'ada'), ('age', 36), ('city', 'london')]:\n        assert getattr(user, field) == value\n";
    assert_quiet(&[("tests/test_user.py", long, looped)]);
}

#[test]
fn tests_of_removed_code_may_go() {
    let code =
        "def total(items):\n    return sum(items)\n\ndef tax(sum):\n    return sum * 19 // 100\n";
    let less = "def total(items):\n    return sum(items)\n";
    let tests = "from shop import tax, total\n\ndef test_tax():\n    assert tax(100) == 19\n\ndef test_total():\n    assert total([1]) == 1\n";
    let fewer = "from shop import total\n\ndef test_total():\n    assert total([1]) == 1\n";
    assert_quiet(&[
        ("shop.py", code, less),
        ("tests/test_shop.py", tests, fewer),
    ]);
}

/// A test in each language: as it was, and what may be done to it.
const LANGUAGES: [(&str, &str, &str, &str, &str); 7] = [
    (
        "sum.test.js",
        "test('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n",
        "test.skip('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n",
        "test('adds', () => {\n  expect(add(1, 2)).toBeDefined();\n});\n",
        "test('adds', () => {\n  add(1, 2);\n});\n",
    ),
    (
        "sum.spec.ts",
        "describe('sum', () => {\n  it('adds', async () => {\n    expect(await add(1, 2)).toEqual(3);\n  });\n});\n",
        "describe('sum', () => {\n  xit('adds', async () => {\n    expect(await add(1, 2)).toEqual(3);\n  });\n});\n",
        "describe('sum', () => {\n  it('adds', async () => {\n    expect(await add(1, 2)).toBeTruthy();\n  });\n});\n",
        "describe('sum', () => {\n  it('adds', async () => {\n    await add(1, 2);\n  });\n});\n",
    ),
    (
        "test_sum.py",
        "class SumTest(TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n",
        "class SumTest(TestCase):\n    @unittest.skip('later')\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n",
        "class SumTest(TestCase):\n    def test_adds(self):\n        self.assertTrue(add(1, 2))\n",
        "class SumTest(TestCase):\n    def test_adds(self):\n        add(1, 2)\n",
    ),
    (
        "sum_test.go",
        "package sum\n\nfunc TestAdds(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Errorf(\"wrong\")\n\t}\n}\n",
        "package sum\n\nfunc TestAdds(t *testing.T) {\n\tt.Skip(\"later\")\n\tif Add(1, 2) != 3 {\n\t\tt.Errorf(\"wrong\")\n\t}\n}\n",
        "package sum\n\nfunc TestAdds(t *testing.T) {\n\tif Add(1, 2) == 0 {\n\t\tt.Errorf(\"wrong\")\n\t}\n}\n",
        "package sum\n\nfunc TestAdds(t *testing.T) {\n\tAdd(1, 2)\n}\n",
    ),
    (
        "tests/sum.rs",
        "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
        "#[test]\n#[ignore]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
        "#[test]\nfn adds() {\n    assert!(add(1, 2) > 0);\n}\n",
        "#[test]\nfn adds() {\n    add(1, 2);\n}\n",
    ),
    (
        "spec/sum_spec.rb",
        "describe 'sum' do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n",
        "describe 'sum' do\n  it 'adds', skip: true do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n",
        "describe 'sum' do\n  it 'adds' do\n    expect(add(1, 2)).to be_truthy\n  end\nend\n",
        "describe 'sum' do\n  it 'adds' do\n    add(1, 2)\n  end\nend\n",
    ),
    (
        "src/test/java/SumTest.java",
        "class SumTest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n",
        "class SumTest {\n  @Test\n  @Disabled(\"later\")\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n",
        "class SumTest {\n  @Test\n  void adds() {\n    assertNotNull(add(1, 2));\n  }\n}\n",
        "class SumTest {\n  @Test\n  void adds() {\n    add(1, 2);\n  }\n}\n",
    ),
];

fn rules(change: Change<'_>) -> Vec<String> {
    findings(change)
        .into_iter()
        .map(|finding| finding.rule)
        .collect()
}

#[test]
fn every_language_shows_skipped_weakened_and_emptied_tests() {
    for (path, before, skipped, weaker, emptied) in LANGUAGES {
        assert_eq!(
            rules(&[(path, before, skipped)]),
            ["tamper/test-skipped"],
            "{path}"
        );
        assert_eq!(
            rules(&[(path, before, weaker)]),
            ["tamper/assertion-weakened"],
            "{path}"
        );
        assert_eq!(
            rules(&[(path, before, emptied)]),
            ["tamper/assertion-removed"],
            "{path}"
        );
        assert_eq!(
            rules(&[(path, before, "")]),
            ["tamper/test-deleted"],
            "{path}"
        );
        // The other way round is an improvement.
        for better in [skipped, weaker, emptied, ""] {
            assert_eq!(rules(&[(path, better, before)]), [""; 0], "{path}");
        }
    }
}

#[test]
fn more_ways_to_switch_a_test_off() {
    let js = "test('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n";
    for after in [
        js.replace("test(", "test.only("),
        js.replace("test(", "fit("),
        js.replace("test(", "test.failing("),
        js.replace("test(", "test.todo("),
        format!("describe.skip('all', () => {{\n{js}}});\n"),
        js.replace("=> {\n", "=> {\n  return;\n"),
    ] {
        assert_eq!(findings(&[("a.test.js", js, &after)]).len(), 1, "{after}");
    }
    let py = "def test_a():\n    assert f() == 1\n";
    for after in [
        format!("@pytest.mark.skip(reason='x')\n{py}"),
        format!("@pytest.mark.xfail\n{py}"),
        format!("@pytest.mark.skipif(True, reason='x')\n{py}"),
        py.replace("():\n", "():\n    pytest.skip('x')\n"),
        py.replace("():\n", "():\n    return\n"),
    ] {
        let found = findings(&[("test_a.py", py, &after)]);
        assert_eq!(found.len(), 1, "{after}");
        assert_eq!(found[0].severity, Severity::High, "{after}");
    }
    let conditional = format!("@pytest.mark.skipif(sys.platform == 'win32', reason='x')\n{py}");
    assert_eq!(
        findings(&[("test_a.py", py, &conditional)])[0].severity,
        Severity::Medium
    );
    let rb = "it 'a' do\n  expect(f).to eq(1)\nend\n";
    for after in [
        rb.replace("it 'a'", "xit 'a'"),
        rb.replace("do\n", "do\n  skip\n"),
        rb.replace("do\n", "do\n  pending 'x'\n"),
        rb.replace("'a' do", "'a', :focus do"),
    ] {
        assert_eq!(
            findings(&[("spec/a_spec.rb", rb, &after)]).len(),
            1,
            "{after}"
        );
    }
}

#[test]
fn assertions_that_cannot_fail_or_allow_more_are_found() {
    let case = |before: &str, after: &str| {
        let wrap = |body: &str| format!("def test_a():\n    x = f()\n    {body}\n");
        report(&[("tests/test_a.py", &wrap(before), &wrap(after))])
    };
    insta::assert_snapshot!(case("assert x == 1", "assert True"), @"[high] Assertion of `test_a` replaced by one that cannot fail in tests/test_a.py:3 – the test passes with results that would have failed it before");
    insta::assert_snapshot!(case("assert x == 1", "assert x >= 0"), @"[high] Assertion of `test_a` weakened from `assert x == 1` to `assert x >= 0` in tests/test_a.py:3 – the test passes with results that would have failed it before");
    insta::assert_snapshot!(case("assert x == approx(1, rel=1e-6)", "assert x == approx(1, rel=0.5)"), @"[high] Tolerance of an assertion of `test_a` enlarged in tests/test_a.py:3 – the test passes with results that would have failed it before");
    insta::assert_snapshot!(case("assert x == 1", "assert x == 2"), @"[medium] Expected value of `test_a` changed from `1` to `2` in tests/test_a.py:3 – the code under test did not change, so the test was fitted to what it returns");
    insta::assert_snapshot!(case("assert x == 1", "assert x == 1  # one"), @"");
    insta::assert_snapshot!(case("assert x == 1\n    assert g(x) == 2", "assert x == 1"), @"[high] Assertion of `test_a` removed: `assert g(x) == 2` in tests/test_a.py:1 – the test passes with results that would have failed it before");
}

#[test]
fn an_expectation_may_change_with_the_code() {
    let before = "def test_tax():\n    assert tax(100) == 19\n";
    let after = before.replace("19", "20");
    let code = (
        "shop.py",
        "def tax(x):\n    return x * 19 // 100\n",
        "def tax(x):\n    return x * 20 // 100\n",
    );
    assert_quiet(&[code, ("tests/test_shop.py", before, &after)]);
}

#[test]
fn lowered_thresholds_are_found() {
    for (path, before, after) in [
        (
            "package.json",
            "{\n  \"jest\": {\n    \"coverageThreshold\": {\n      \"global\": {\n        \"branches\": 80\n      }\n    }\n  }\n}\n",
            "{\n  \"jest\": {\n    \"coverageThreshold\": {\n      \"global\": {\n        \"branches\": 50\n      }\n    }\n  }\n}\n",
        ),
        (
            "vitest.config.ts",
            "test: { coverage: { thresholds: { lines: 90, branches: 85 } } }\n",
            "test: { coverage: { thresholds: { lines: 90, branches: 40 } } }\n",
        ),
        (
            ".nycrc",
            "{ \"check-coverage\": true,\n  \"lines\": 90 }\n",
            "{ \"check-coverage\": true,\n  \"lines\": 10 }\n",
        ),
        (
            "pyproject.toml",
            "[tool.coverage.report]\nfail_under = 90\n",
            "[tool.coverage.report]\nfail_under = 60\n",
        ),
        (".coveragerc", "[report]\nfail_under = 90\n", "[report]\n"),
        (
            "pytest.ini",
            "[pytest]\naddopts = --cov --cov-fail-under=90\n",
            "[pytest]\naddopts = --cov --cov-fail-under=9\n",
        ),
        (
            ".simplecov",
            "SimpleCov.start { minimum_coverage 90 }\n",
            "SimpleCov.start { minimum_coverage 70 }\n",
        ),
        (
            "pom.xml",
            "<limit>\n<minimum>0.80</minimum>\n</limit>\n",
            "<limit>\n<minimum>0.20</minimum>\n</limit>\n",
        ),
        (
            "build.gradle",
            "jacocoTestCoverageVerification { limit {\n  minimum = 0.8\n} }\n",
            "jacocoTestCoverageVerification { limit {\n  minimum = 0.3\n} }\n",
        ),
        (
            "codecov.yml",
            "coverage:\n  status:\n    project:\n      target: 80%\n",
            "coverage:\n  status:\n    project:\n      target: 40%\n",
        ),
        (
            "codecov.yml",
            "coverage:\n  status:\n    project:\n      threshold: 1%\n",
            "coverage:\n  status:\n    project:\n      threshold: 20%\n",
        ),
    ] {
        assert_eq!(
            rules(&[(path, before, after)]),
            ["tamper/threshold-lowered"],
            "{path}"
        );
        if path != ".coveragerc" {
            assert_eq!(rules(&[(path, after, before)]), [""; 0], "{path} raised");
        }
    }
}

#[test]
fn relaxed_lint_rules_are_found() {
    for (path, before, after) in [
        (
            ".eslintrc.json",
            "{\n  \"rules\": {\n    \"no-eval\": \"error\"\n  }\n}\n",
            "{\n  \"rules\": {\n    \"no-eval\": \"off\"\n  }\n}\n",
        ),
        (
            "eslint.config.js",
            "export default [{\n  rules: {\n    'no-eval': 'error',\n    'eqeqeq': ['error', 'always'],\n  },\n}];\n",
            "export default [{\n  rules: {\n    'no-eval': 'warn',\n    'eqeqeq': ['error', 'always'],\n  },\n}];\n",
        ),
        (
            "ruff.toml",
            "[lint]\nselect = [\"E\", \"F\"]\n",
            "[lint]\nselect = [\"E\"]\n",
        ),
        (
            "pyproject.toml",
            "[tool.ruff.lint]\nignore = [\"E501\"]\n",
            "[tool.ruff.lint]\nignore = [\"E501\", \"F401\"]\n",
        ),
        (
            "Cargo.toml",
            "[lints.rust]\nunsafe_code = \"forbid\"\n",
            "[lints.rust]\nunsafe_code = \"allow\"\n",
        ),
        (
            ".golangci.yml",
            "linters:\n  enable:\n    - errcheck\n    - govet\n",
            "linters:\n  enable:\n    - govet\n",
        ),
        (
            ".rubocop.yml",
            "Style/Eval:\n  Enabled: true\n",
            "Style/Eval:\n  Enabled: false\n",
        ),
        (
            "checkstyle.xml",
            "<module name=\"A\"/>\n<module name=\"EmptyBlock\"/>\n",
            "<module name=\"A\"/>\n",
        ),
        (
            "tsconfig.json",
            "{\n  \"compilerOptions\": {\n    \"strict\": true\n  }\n}\n",
            "{\n  \"compilerOptions\": {\n    \"strict\": false\n  }\n}\n",
        ),
        (
            "mypy.ini",
            "[mypy]\ndisallow_untyped_defs = True\n",
            "[mypy]\ndisallow_untyped_defs = False\n",
        ),
    ] {
        assert_eq!(
            rules(&[(path, before, after)]),
            ["tamper/lint-rule-relaxed"],
            "{path}"
        );
        assert_eq!(rules(&[(path, after, before)]), [""; 0], "{path} tightened");
    }
}

#[test]
fn silenced_checks_are_found_by_how_much_they_silence() {
    for (path, line, severity) in [
        ("a.py", "x = eval(y)  # noqa", Severity::High),
        ("a.py", "x = eval(y)  # noqa: S307", Severity::Medium),
        (
            "a.py",
            "x = f(y)  # type: ignore[arg-type] - the stub is wrong in 2.1",
            Severity::Low,
        ),
        ("a.js", "/* eslint-disable */", Severity::High),
        (
            "a.js",
            "// eslint-disable-next-line no-eval",
            Severity::Medium,
        ),
        (
            "a.js",
            "// eslint-disable-next-line no-eval -- input is a constant",
            Severity::Low,
        ),
        ("a.ts", "// @ts-ignore", Severity::High),
        ("a.ts", "// @ts-nocheck", Severity::High),
        ("a.go", "x := f() //nolint:errcheck", Severity::Medium),
        ("a.go", "x := f() //nolint", Severity::High),
        ("src/a.rs", "#![allow(warnings)]", Severity::High),
        (
            "src/a.rs",
            "#[allow(clippy::too_many_lines)]",
            Severity::Medium,
        ),
        ("a.rb", "x # rubocop:disable Lint/Eval", Severity::Medium),
        (
            "A.java",
            "@SuppressWarnings(\"unchecked\")",
            Severity::Medium,
        ),
    ] {
        let after = format!("{line}\n");
        let found = findings(&[(path, "\n", &after)]);
        assert_eq!(found.len(), 1, "{line}");
        assert_eq!(
            (found[0].rule.as_str(), found[0].severity),
            ("tamper/check-silenced", severity),
            "{line}"
        );
        let moved = format!("\n\n{after}");
        assert_quiet(&[(path, &after, &moved)]);
    }
    assert_quiet(&[
        ("a.py", "\n", "say('write # noqa there')\n"),
        ("a.rs", "\n", "#[expect(dead_code, reason = \"later\")]\n"),
    ]);
}

#[test]
fn edited_gates_are_found() {
    let workflow = "on: push\njobs:\n  test:\n    steps:\n      - uses: actions/checkout@v3\n      - run: npm test\n";
    let edit = |after: &str| report(&[(".github/workflows/ci.yml", workflow, after)]);
    insta::assert_snapshot!(edit(&workflow.replace("npm test", "npm test || true")), @"[high] Failures of a command ignored in .github/workflows/ci.yml:6 – a failure there no longer stops the change");
    insta::assert_snapshot!(edit(&workflow.replace("      - run: npm test\n", "")), @"[high] CI workflow edited in .github/workflows/ci.yml:1 – it decides what a change has to pass, and this change edits it");
    insta::assert_snapshot!(edit(&workflow.replace("npm test", "npm run lint")), @"[high] CI workflow edited in .github/workflows/ci.yml:6 – it decides what a change has to pass, and this change edits it");
    insta::assert_snapshot!(edit(&workflow.replace("@v3", "@v4")), @"[low] CI workflow edited in .github/workflows/ci.yml:5 – it decides what a change has to pass, and this change edits it");
    insta::assert_snapshot!(edit(&format!("{workflow}      - run: npm run lint\n")), @"[medium] CI workflow edited in .github/workflows/ci.yml:7 – it decides what a change has to pass, and this change edits it");
    insta::assert_snapshot!(edit(&workflow.replace("      - run", "      - continue-on-error: true\n        run")), @"[high] Failures of a step ignored in .github/workflows/ci.yml:6 – a failure there no longer stops the change");
    insta::assert_snapshot!(edit(&format!("# why\n{workflow}")), @"");
    insta::assert_snapshot!(edit(""), @"[high] Configuration of a gate deleted in .github/workflows/ci.yml:1 – it decides what a change has to pass, and this change edits it");
    assert_quiet(&[(".github/workflows/ci.yml", "", workflow)]);
    for path in [
        ".gitlab-ci.yml",
        ".circleci/config.yml",
        "Jenkinsfile",
        ".pre-commit-config.yaml",
        "lefthook.yml",
        "CODEOWNERS",
        ".husky/pre-commit",
    ] {
        assert_eq!(
            rules(&[(path, "one\ntwo\n", "one\n")]),
            ["tamper/gate-edited"],
            "{path}"
        );
    }
}

#[test]
fn scripts_that_check_nothing_are_found() {
    let before = "{\n  \"scripts\": {\n    \"test\": \"jest\",\n    \"build\": \"tsc\"\n  }\n}\n";
    for after in [
        "exit 0",
        "echo ok",
        "jest || true",
        "jest --passWithNoTests",
    ] {
        let after = before.replace("\"jest\"", &format!("{after:?}"));
        assert_eq!(
            rules(&[("package.json", before, &after)]),
            ["tamper/gate-weakened"],
            "{after}"
        );
    }
    let honest = before
        .replace("\"jest\"", "\"vitest run\"")
        .replace("\"tsc\"", "\"tsc || true\"");
    assert_quiet(&[("package.json", before, &honest)]);
}

#[test]
fn broken_and_hostile_files_say_nothing_and_end() {
    let deep = "describe('a', () => {".repeat(3_000);
    for text in [
        deep.as_str(),
        "def test_(((",
        "\u{0}\u{1}",
        "test('",
        "🦀🦀🦀",
    ] {
        for path in [
            "a.test.js",
            "test_a.py",
            "a_test.go",
            "tests/a.rs",
            "spec/a_spec.rb",
            "ATest.java",
            "package.json",
        ] {
            findings(&[(path, text, "x"), (path, "x", text)]);
        }
    }
}

#[test]
fn what_steers_tests_is_protected() {
    let rust = "fn main() {}\n";
    let package = r#"{ "scripts": { "test": "node --test" } }"#;
    let narrowed = r#"{ "scripts": { "test": "node --test test/total.test.js" } }"#;
    let pytest = "[tool.pytest.ini_options]\naddopts = \"-q\"\n";
    let deselects = "[tool.pytest.ini_options]\naddopts = \"-q -k 'not empty'\"\n";
    let hook = "def pytest_runtest_makereport(item, call):\n    return None\n";
    let leaves = "import os\ndef pytest_unconfigure():\n    os._exit(0)\n";
    let go = "package shop\nimport (\"os\"; \"testing\")\nfunc TestMain(m *testing.M) { m.Run(); os.Exit(0) }\n";
    let cargo = "[package]\nname = \"shop\"\n";
    let untested = "[package]\nname = \"shop\"\n[lib]\ntest = false\n";
    let pom = "<project>\n</project>\n";
    let skips = "<project>\n<skipTests>true</skipTests>\n</project>\n";
    let vitest = "export default {\n  test: {\n  },\n}\n";
    let excludes = "export default {\n  test: {\n    exclude: ['a.test.ts'],\n  },\n}\n";
    for (path, before, after) in [
        ("package.json", package, narrowed),
        ("pyproject.toml", pytest, deselects),
        ("tests/conftest.py", "import os\n", hook),
        ("conftest.py", "import os\n", leaves),
        ("shop/main_test.go", "package shop\n", go),
        ("Cargo.toml", cargo, untested),
        (
            "build.rs",
            rust,
            "fn main() { println!(\"cargo:rustc-cfg=quick\"); }\n",
        ),
        (
            ".cargo/config.toml",
            "# none\n",
            "[target.x86_64-unknown-linux-gnu]\nrunner = \"true\"\n",
        ),
        ("pom.xml", pom, skips),
        ("vitest.config.ts", vitest, excludes),
        (
            ".rspec",
            "--format progress\n",
            "--format progress\n--tag ~slow\n",
        ),
        (".gitattributes", "*.sh text\n", "*.py -diff\n"),
        (
            ".baton/config.toml",
            "# none\n",
            "[commands]\ntest = \"true\"\n",
        ),
    ] {
        let found = findings(&[(path, before, after)]);
        let rules: Vec<&str> = found.iter().map(|one| one.rule.as_str()).collect();
        assert!(rules.contains(&"tamper/tests-steered"), "{path}: {rules:?}");
    }
}

#[test]
fn ordinary_settings_are_not_what_steers_tests() {
    let package = r#"{ "scripts": { "test": "jest" }, "dependencies": {} }"#;
    let dependency = r#"{ "scripts": { "test": "jest" }, "dependencies": { "ms": "2" } }"#;
    let stricter = r#"{ "scripts": { "test": "tsc && jest" }, "dependencies": {} }"#;
    let unset = r#"{ "scripts": { "test": "echo \"Error: no test specified\" && exit 1" } }"#;
    let set = r#"{ "scripts": { "test": "node --test" } }"#;
    let fixture = "import pytest\n@pytest.fixture\ndef cart():\n    return []\n";
    let marker = "def pytest_configure(config):\n    config.addinivalue_line('markers', 'slow')\n";
    let pytest = "[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n";
    let cargo = "[package]\nname = \"shop\"\n";
    let depends = "[package]\nname = \"shop\"\n[dependencies]\nserde = \"1\"\n";
    let generates = "fn main() { std::fs::write(out(), \"x\").unwrap(); }\n";
    for (path, before, after) in [
        ("package.json", package, dependency),
        ("package.json", package, stricter),
        ("package.json", unset, set),
        ("tests/conftest.py", "", fixture),
        ("tests/conftest.py", fixture, marker),
        ("pyproject.toml", "", pytest),
        ("Cargo.toml", cargo, depends),
        ("build.rs", "", generates),
        (".gitattributes", "", "*.sh text eol=lf\n"),
        (
            "vitest.config.ts",
            "",
            "export default { test: { include: ['src'] } }\n",
        ),
    ] {
        assert_quiet(&[(path, before, after)]);
    }
}
