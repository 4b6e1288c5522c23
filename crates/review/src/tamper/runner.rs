//! Changes to which tests run and how their results count: settings and hooks
//! of test runners, scripts that start them, build scripts.

use super::gates::added_lines;
use super::{Both, Rule, Sign};
use crate::finding::Severity;

pub(super) static STEERED: Rule = Rule {
    id: "tamper/tests-steered",
    class: "tests-steered",
    what: "Change of which tests run, or of their results",
    why: "it decides which tests judge this change and whether their failures count",
    remedy: "Take it back and repair the code. Where the change is about this very setting, its issue should name the file, or a person has to accept it.",
};

/// Files by their names, and what of them steers tests.
struct Steering {
    is_of: fn(&str) -> bool,
    signs: &'static [Steer],
}

struct Steer {
    /// The line has this, in any case of letters.
    text: &'static str,
    what: &'static str,
    /// It does so only in a file that was there before: a runner that is set up
    /// for the first time has to be configured with the place of its tests.
    only_edited: bool,
}

const fn steer(text: &'static str, what: &'static str) -> Steer {
    Steer {
        text,
        what,
        only_edited: false,
    }
}

const fn edit(text: &'static str, what: &'static str) -> Steer {
    Steer {
        text,
        what,
        only_edited: true,
    }
}

pub(super) const HOOK: &str = "Hook that changes which tests run or what their results are";
const LEAVES: &str = "Test process ended before its results are told";
const SELECTS: &str = "Tests left out by a setting of the runner";
const IGNORES: &str = "Failures of tests ignored";
const AGAIN: &str = "Failing tests run again until they pass";
const REPLACED: &str = "Part of the test runner replaced";

const STEERINGS: &[Steering] = &[
    Steering {
        is_of: |name| name == "conftest.py" || name == "sitecustomize.py",
        signs: &[
            steer("collect_ignore", SELECTS),
            steer("os._exit(", LEAVES),
            steer("atexit.register", LEAVES),
        ],
    },
    Steering {
        is_of: |name| {
            matches!(
                name,
                "pytest.ini" | ".pytest.ini" | "tox.ini" | "setup.cfg" | "pyproject.toml"
            )
        },
        signs: &[
            steer("--deselect", SELECTS),
            steer("--ignore", SELECTS),
            steer("--collect-only", SELECTS),
            steer("--reruns", AGAIN),
            steer(" -k", SELECTS),
            steer("\"-k", SELECTS),
            steer(" -m ", SELECTS),
            steer("\"-m\"", SELECTS),
            edit("testpaths", SELECTS),
            edit("python_files", SELECTS),
            edit("python_functions", SELECTS),
            edit("python_classes", SELECTS),
            edit("norecursedirs", SELECTS),
        ],
    },
    Steering {
        is_of: |name| {
            let known = ["jest.config.", "vitest.config.", "vitest.workspace."];
            known.iter().any(|start| name.starts_with(start))
        },
        signs: &[
            steer("testnamepattern", SELECTS),
            steer("passwithnotests", IGNORES),
            steer("dangerouslyignoreunhandlederrors", IGNORES),
            edit("testpathignorepatterns", SELECTS),
            edit("testmatch", SELECTS),
            edit("testregex", SELECTS),
            edit("exclude", SELECTS),
            edit("include", SELECTS),
            edit("roots", SELECTS),
            edit("retry", AGAIN),
            edit("setupfiles", REPLACED),
            edit("globalsetup", REPLACED),
            edit("reporters", REPLACED),
            edit("runner", REPLACED),
            edit("environment:", REPLACED),
        ],
    },
    Steering {
        is_of: |name| name.starts_with(".mocharc"),
        signs: &[
            steer("grep", SELECTS),
            steer("invert", SELECTS),
            edit("spec", SELECTS),
            edit("ignore", SELECTS),
            edit("retries", AGAIN),
            edit("require", REPLACED),
            edit("reporter", REPLACED),
        ],
    },
    Steering {
        is_of: |name| name.ends_with("_test.go"),
        signs: &[steer(
            "func testmain(",
            "Exit code of all tests decided by a function",
        )],
    },
    Steering {
        is_of: |name| name == "build.rs",
        signs: &[
            steer("rustc-cfg", "Build script that switches code on or off"),
            steer("tests/", "Build script that touches tests"),
            steer("cfg(test", "Build script that touches tests"),
        ],
    },
    Steering {
        is_of: |name| name == "Cargo.toml",
        signs: &[
            steer("test = false", SELECTS),
            steer("harness = false", REPLACED),
            steer("autotests = false", SELECTS),
            steer("required-features", SELECTS),
        ],
    },
    Steering {
        is_of: |name| name == "nextest.toml",
        signs: &[
            steer("default-filter", SELECTS),
            steer("retries", AGAIN),
            steer("run-wrapper", REPLACED),
        ],
    },
    Steering {
        is_of: |name| name == "pom.xml",
        signs: &[
            steer("<skiptests>", SELECTS),
            steer("maven.test.skip", SELECTS),
            steer("testfailureignore", IGNORES),
            steer("<exclude>", SELECTS),
            steer("excludedgroups", SELECTS),
            steer("rerunfailingtestscount", AGAIN),
        ],
    },
    Steering {
        is_of: |name| matches!(name, "build.gradle" | "build.gradle.kts"),
        signs: &[
            steer("ignorefailures", IGNORES),
            steer("excludetestsmatching", SELECTS),
            steer("excludetags", SELECTS),
            steer("enabled = false", SELECTS),
        ],
    },
    Steering {
        is_of: |name| matches!(name, ".rspec" | "spec_helper.rb" | "rails_helper.rb"),
        signs: &[
            steer("--tag ~", SELECTS),
            steer("exclude-pattern", SELECTS),
            steer("exclude_pattern", SELECTS),
            steer("filter_run_excluding", SELECTS),
            steer("exit!", LEAVES),
            steer("@exception", HOOK),
            steer("set_exception", HOOK),
            edit("--pattern", SELECTS),
        ],
    },
    Steering {
        is_of: |name| name == "test_helper.rb",
        signs: &[
            steer("exit!", LEAVES),
            steer("def run", HOOK),
            steer("failures.clear", HOOK),
        ],
    },
    Steering {
        is_of: |name| name == ".gitattributes",
        signs: &[
            steer(
                "filter=",
                "Content of files replaced when they are checked out",
            ),
            steer("merge=", "How files are merged changed"),
            steer("-diff", "Changes of files hidden"),
            steer("binary", "Changes of files hidden"),
            steer("linguist-generated", "Changes of files hidden"),
        ],
    },
];

/// Settings that are whole files or folders of this kind.
fn is_own_settings(path: &str) -> bool {
    path.starts_with(".baton/") || path == ".cargo/config.toml" || path == ".cargo/config"
}

/// Scripts of `package.json` that tests are started by.
const SCRIPTS: &[&str] = &["test", "pretest", "posttest"];

/// Settings in `package.json` that say which tests run, and how.
const JEST_KEYS: &[&str] = &[
    "testPathIgnorePatterns",
    "testNamePattern",
    "testMatch",
    "testRegex",
    "roots",
    "setupFiles",
    "setupFilesAfterEnv",
    "globalSetup",
    "runner",
    "testRunner",
    "reporters",
];

pub(super) fn signs(both: &Both<'_>) -> Vec<Sign> {
    let Some(after) = both.after else {
        return Vec::new();
    };
    let before = both.before.unwrap_or("");
    let added = added_lines(before, after);
    if is_own_settings(both.path) {
        let what = "Settings of what builds and judges the change edited".to_owned();
        let first = added.iter().find(|(_, line)| is_code(line));
        return first
            .map(|(number, line)| Sign::new(&STEERED, both.path, *number, what).showing(line))
            .into_iter()
            .collect();
    }
    if both.name() == "package.json" {
        return script_signs(both, before, after);
    }
    let steerings = STEERINGS.iter().filter(|one| (one.is_of)(both.name()));
    let is_edited = both.before.is_some();
    let mut signs = Vec::new();
    for steer in steerings.flat_map(|steering| steering.signs) {
        if steer.only_edited && !is_edited {
            continue;
        }
        let found = added
            .iter()
            .find(|(_, line)| is_code(line) && line.to_ascii_lowercase().contains(steer.text));
        signs.extend(found.map(|(number, line)| {
            Sign::new(&STEERED, both.path, *number, steer.what.to_owned())
                .at(Severity::High)
                .showing(line)
        }));
    }
    signs
}

pub(super) fn is_code(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with(['#', ';']) && !line.starts_with("//")
}

/// A script that is replaced by one that does less.
fn script_signs(both: &Both<'_>, before: &str, after: &str) -> Vec<Sign> {
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
    let (old, new) = (parse(before), parse(after));
    let line_of = |key: &str| {
        let wanted = format!("\"{key}\"");
        let found = after.lines().position(|line| line.contains(&wanted));
        let number = found.and_then(|index| u32::try_from(index + 1).ok());
        number.unwrap_or(1)
    };
    let mut signs = Vec::new();
    for name in SCRIPTS {
        let (was, is) = (&old["scripts"][name], &new["scripts"][name]);
        let (Some(was), Some(is)) = (was.as_str(), is.as_str()) else {
            continue;
        };
        if selects(is, was) {
            let what = format!("Script `{name}` leaves tests out");
            let line = line_of(name);
            signs.push(Sign::new(&STEERED, both.path, line, what).showing(is));
        }
    }
    for key in JEST_KEYS {
        let (was, is) = (&old["jest"][key], &new["jest"][key]);
        if was != is {
            let what = format!("Setting `{key}` of the test runner edited");
            signs.push(Sign::new(&STEERED, both.path, line_of(key), what));
        }
    }
    signs
}

/// Whether a script names tests, or options that choose among them, where the
/// one before did not. Another runner altogether is compared by what it runs.
fn selects(script: &str, before: &str) -> bool {
    const OPTIONS: &[&str] = &[
        "-t",
        "-g",
        "-f",
        "--grep",
        "--fgrep",
        "--invert",
        "--filter",
        "--exclude",
        "--testNamePattern",
        "--testPathPattern",
        "--testPathIgnorePatterns",
        "--test-name-pattern",
        "--test-skip-pattern",
        "--test-only",
        "--shard",
        "--changed",
        "--onlyChanged",
        "--retry",
        "--retries",
    ];
    let known: Vec<&str> = before.split_whitespace().collect();
    let mut words = script.split_whitespace();
    words.any(|word| {
        let name = word.split('=').next().unwrap_or(word);
        let is_place = [".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx"]
            .iter()
            .any(|end| word.trim_matches(['"', '\'']).ends_with(end));
        !known.contains(&word) && (OPTIONS.contains(&name) || is_place)
    })
}
