//! Code that takes the place of a test framework or of its assertions, so that tests
//! pass whatever the code does.

use std::sync::LazyLock;

use regex::Regex;

use super::gates::added_lines;
use super::runner::{HOOK, STEERED, is_code};
use super::{Both, Sign};

const SHADOWS: &str = "Module that is found in place of the test framework";
const ASSERTIONS: &str = "Assertion of the test framework replaced";
const ELSEWHERE: &str = "Test framework taken from another place";

/// Folders that languages import modules from.
const IMPORT_ROOTS: &[&str] = &["src", "lib", "test", "tests", "spec", "python"];

/// What tests of Python are written with, and what its interpreter imports by itself.
const PYTHON_MODULES: &[&str] = &[
    "unittest",
    "pytest",
    "_pytest",
    "nose",
    "nose2",
    "doctest",
    "hypothesis",
    "sitecustomize",
    "usercustomize",
];

/// What tests of Ruby are written with.
const RUBY_FILES: &[&str] = &[
    "minitest",
    "rspec",
    "rspec/core",
    "rspec/expectations",
    "rspec/mocks",
    "test/unit",
];

/// A line, in files of some kinds, that replaces something.
struct Pattern {
    extensions: &'static [&'static str],
    line: LazyLock<Regex>,
    what: &'static str,
}

macro_rules! pattern {
    ($extensions:expr, $what:expr, $($part:expr),+ $(,)?) => {
        Pattern {
            extensions: $extensions,
            line: LazyLock::new(|| {
                Regex::new(concat!($($part),+)).expect("a pattern of ours is valid")
            }),
            what: $what,
        }
    };
}

const PYTHON: &[&str] = &["py"];
const JAVASCRIPT: &[&str] = &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"];
const RUBY: &[&str] = &["rb"];
const RUST: &[&str] = &["rs"];
const JVM: &[&str] = &["java", "kt", "groovy", "scala"];
const SETTINGS: &[&str] = &["json", "js", "mjs", "cjs", "ts", "mts", "cts"];

static PATTERNS: [Pattern; 13] = [
    pattern!(
        PYTHON,
        ASSERTIONS,
        r"(?:^|[\s;(])(?:unittest|TestCase|pytest|_pytest|nose)[\w.]*\.",
        r"(?:assert\w*|fail\w*|raises|run|TestCase|\w*TestResult|add(?:Failure|Error)|wasSuccessful|main)",
        r"\s*(?::[^=]*)?=(?:[^=]|$)",
    ),
    pattern!(
        PYTHON,
        ASSERTIONS,
        r"(?:setattr|patch(?:\.object)?)\(\s*[\x22']?(?:unittest\.(?:case\.)?TestCase|TestCase|pytest|_pytest)\b",
    ),
    pattern!(
        PYTHON,
        SHADOWS,
        r"sys\.modules\[\s*[\x22'](?:unittest|pytest|_pytest|nose)\b",
    ),
    pattern!(
        PYTHON,
        ASSERTIONS,
        r"^\s+def assert(?:Equal|NotEqual|True|False|Is|IsNot|IsNone|IsNotNone|In|NotIn|Raises|RaisesRegex|",
        r"AlmostEqual|Greater|GreaterEqual|Less|LessEqual|CountEqual|DictEqual|ListEqual|Regex)\(\s*self\b",
    ),
    pattern!(
        PYTHON,
        ASSERTIONS,
        r"(?:^|[\s.;])(?:failureException|AssertionError)\s*=(?:[^=]|$)",
    ),
    pattern!(
        JAVASCRIPT,
        ASSERTIONS,
        r"(?:^|[\s;(,])(?:assert|expect|chai\.assert|chai\.expect)(?:\.\w+)*\.\w+\s*=(?:[^=>]|$)",
    ),
    pattern!(
        JAVASCRIPT,
        ASSERTIONS,
        r"(?:global|globalThis)(?:\.|\[[\x22'])(?:expect|assert|test|it|describe)(?:[\x22']\])?\s*=\s*",
        r"(?:function|async|class|\(|\w+\s*=>|new\b|require\(\s*[\x22']\.)",
    ),
    pattern!(
        JAVASCRIPT,
        ASSERTIONS,
        r"(?:Object\.(?:assign|defineProperty|defineProperties)|Reflect\.\w+|mock\.method)\(\s*",
        r"(?:assert|expect|chai\.assert|chai\.expect)\b",
    ),
    pattern!(
        JAVASCRIPT,
        SHADOWS,
        r"\.\w*(?:[mM]ock|module)\w*\(\s*[\x22'](?:node:)?",
        r"(?:assert|assert/strict|test|expect|chai|vitest|@jest/globals|@playwright/test)[\x22']",
    ),
    pattern!(
        SETTINGS,
        ELSEWHERE,
        r"[\x22']\^?(?:node:)?(?:assert|assert/strict|chai|expect|jest|vitest|mocha|ava|tap|uvu|@jest/\w+)\$?[\x22']",
        r"\s*:\s*\[?\s*[\x22'](?:\./|\.\./|<rootDir>|/|file:|link:|portal:)",
    ),
    pattern!(
        RUBY,
        ASSERTIONS,
        r"\b(?:Mini[tT]est|RSpec|Test::Unit)(?:::\w+)*\.",
        r"(?:prepend|class_eval|class_exec|module_eval|define_method|alias_method|remove_method|undef_method)\b",
    ),
    pattern!(
        RUST,
        ASSERTIONS,
        r"\bmacro_rules!\s*(?:debug_)?(?:assert|assert_eq|assert_ne|assert_matches|panic|unreachable)\s*[{(\[]",
    ),
    pattern!(
        JVM,
        SHADOWS,
        r"^\s*package\s+(?:org\.junit|junit\.framework|org\.testng|org\.assertj|org\.hamcrest|org\.opentest4j|",
        r"org\.mockito|kotlin\.test|com\.google\.common\.truth|org\.spockframework)\b",
    ),
];

/// A hook of pytest that decides what runs or what its result is: defined, assigned or
/// imported.
static PYTEST_HOOK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^\s*(?:(?:async\s+)?def\s+|from\s.*\bimport\b.*\b)?pytest_(?:collection_modifyitems|itemcollected|",
        r"runtest_makereport|runtest_call|runtest_protocol|runtestloop|pyfunc_call|sessionfinish|",
        r"ignore_collect|report_teststatus|cmdline_main|exception_interact)\s*(?:[(:,=]|as\b|$)"
    ))
    .expect("a pattern of ours is valid")
});

/// A module or class of a framework that is opened again.
static RUBY_OPENED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:module|class)\s+(?:::)?(?:Mini[tT]est|RSpec|Test::Unit)\b[^<]*$")
        .expect("a pattern of ours is valid")
});

/// What such a module does not let others define.
static RUBY_OWN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^\s*def\s+(?:self\.)?(?:assert|assert_(?:equal|nil|in_delta|raises|match|includes|same|predicate|",
        r"operator|empty|instance_of|kind_of)|refute(?:_equal|_nil|_includes)?|flunk|fail_with|handle_failure|",
        r"run|run_one_method|record|result|passed\?|failures?|error\?|notify_failure|example_failed|",
        r"set_exception|exit_code)(?:[\s(;]|$)"
    ))
    .expect("a pattern of ours is valid")
});

pub(super) fn signs(both: &Both<'_>) -> Vec<Sign> {
    let Some(after) = both.after else {
        return Vec::new();
    };
    let mut signs = Vec::new();
    let steers_junit = both.path.contains("META-INF/services/org.junit.")
        || both.path.contains("META-INF/services/org.testng.")
        || both.name() == "junit-platform.properties";
    if steers_junit || (both.before.is_none() && shadows_framework(both.path)) {
        let what = if steers_junit { HOOK } else { SHADOWS };
        let first = after.lines().next().unwrap_or("");
        signs.push(Sign::new(&STEERED, both.path, 1, what.to_owned()).showing(first));
    }
    let extension = both.name().rsplit_once('.').map_or("", |(_, end)| end);
    let patterns: Vec<&Pattern> = PATTERNS
        .iter()
        .filter(|pattern| pattern.extensions.contains(&extension))
        .collect();
    let is_plugin = extension == "py" && (both.name() == "conftest.py" || is_of_tests(both.path));
    let opened = (extension == "rb")
        .then(|| after.lines().position(|line| RUBY_OPENED.is_match(line)))
        .flatten();
    if patterns.is_empty() && !is_plugin {
        return signs;
    }
    let mut sign = |number: u32, line: &str, what: &str| {
        signs.push(Sign::new(&STEERED, both.path, number, what.to_owned()).showing(line));
    };
    for (number, line) in added_lines(both.before.unwrap_or(""), after) {
        if !is_code(line) {
            continue;
        }
        let found = patterns.iter().find(|pattern| pattern.line.is_match(line));
        let is_below = opened.is_some_and(|place| number as usize > place + 1);
        if let Some(pattern) = found {
            sign(number, line, pattern.what);
        } else if is_plugin && PYTEST_HOOK.is_match(line) {
            sign(number, line, HOOK);
        } else if is_below && RUBY_OWN.is_match(line) {
            sign(number, line, ASSERTIONS);
        }
    }
    signs
}

/// Whether a file is imported where tests import their framework.
fn shadows_framework(path: &str) -> bool {
    let mut parts: Vec<&str> = path.split('/').collect();
    while parts.len() > 1 && IMPORT_ROOTS.contains(&parts[0]) && !is_unit_of_ruby(&parts) {
        parts.remove(0);
    }
    let Some((stem, extension)) = path.rsplit_once('.') else {
        return false;
    };
    match extension {
        "py" => {
            let module = parts[0].strip_suffix(".py").unwrap_or(parts[0]);
            let is_whole = parts.len() == 1 || path.ends_with("/__init__.py");
            is_whole && PYTHON_MODULES.contains(&module)
        }
        "rb" => {
            let joined = parts.join("/");
            let module = joined.strip_suffix(".rb").unwrap_or(stem);
            RUBY_FILES.contains(&module)
                || (module.starts_with("minitest/") && module.ends_with("_plugin"))
        }
        "js" | "mjs" | "cjs" | "ts" => {
            const MOCKED: [&str; 4] = ["assert", "chai", "expect", "vitest"];
            let mocked = path.rsplit_once("__mocks__/").map(|(_, name)| name);
            let module = mocked.and_then(|name| name.rsplit_once('.'));
            module.is_some_and(|(module, _)| MOCKED.contains(&module))
        }
        _ => false,
    }
}

/// `test/unit.rb`: here `test` is a part of the name.
fn is_unit_of_ruby(parts: &[&str]) -> bool {
    parts == ["test", "unit.rb"]
}

/// Whether a file lies with the tests, or where everything is found.
fn is_of_tests(path: &str) -> bool {
    let folders: Vec<&str> = path.split('/').rev().skip(1).collect();
    folders.is_empty()
        || folders
            .iter()
            .any(|folder| matches!(*folder, "tests" | "test" | "testing"))
}
