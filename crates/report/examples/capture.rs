//! Runs sample suites with every reporter of their framework and compares what
//! is read with what the suites themselves say: `capture SUITES OUT [NAME …]`.
//!
//! A suite is a folder `SUITES/<framework>/<case>`. Its sources say what happens,
//! in comments: `PASSES`, `SKIPPED`, `FAILS name | another name` and `ERRORS name`,
//! behind the statement that fails or alone on the line above it. A number after
//! `PASSES` or `SKIPPED` is how many tests do; `;;` separates several failures.
//! `SUITES/<framework>/reporters.txt` has a line for each reporter: its name, a
//! colon, and a shell command. `[uncounted]` and `[nameless]` after the name say
//! that a reporter does not print counts or names, `[only=case]` that it is for
//! one case. The frameworks must be on the PATH, or in `node_modules` above OUT.
//!
//! A quarter of the reporters is held out: readers are written without looking at
//! them, and `--held-out` runs only those.
//!
//! Output is kept in `OUT/<framework>/<case>-<reporter>`.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a tool for measuring, not part of the library"
)]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use baton_protocol::report::TestReport;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[derive(Default)]
struct Truth {
    passed: u64,
    skipped: u64,
    failed: u64,
    failures: Vec<Expected>,
}

struct Expected {
    names: Vec<String>,
    file: String,
    line: u64,
}

struct Reporter {
    name: String,
    flags: Vec<String>,
    command: String,
}

/// What all cases of a framework scored.
#[derive(Default)]
struct Score {
    cases: u64,
    counts: u64,
    found: u64,
    expected: u64,
    reported: u64,
    /// Those whose line was printed, and those of them that were found.
    placeable: u64,
    places: u64,
}

fn main() -> Result<()> {
    let mut arguments: Vec<_> = std::env::args().skip(1).collect();
    let given = arguments.len();
    arguments.retain(|argument| argument != "--held-out");
    let held_out = arguments.len() < given;
    let [suites, out, only @ ..] = &arguments[..] else {
        return Err("usage: capture [--held-out] SUITES OUT [NAME …]".into());
    };
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    for suite in folders(Path::new(suites))? {
        let framework = file_name(&suite);
        for reporter in reporters(&suite.join("reporters.txt"))? {
            if is_held_out(&framework, &reporter.name) != held_out {
                continue;
            }
            for case in folders(&suite)? {
                let name = format!("{framework}/{}-{}", file_name(&case), reporter.name);
                let wanted = |part: &String| name.starts_with(part) || name.ends_with(part);
                let excluded = reporter.flags.iter().any(|flag| {
                    let case_name = file_name(&case);
                    flag.strip_prefix("only=")
                        .is_some_and(|only| only != case_name)
                });
                if excluded || !(only.is_empty() || only.iter().any(wanted)) {
                    continue;
                }
                let folder = Path::new(out).join(&name);
                let truth = truth(&case)?;
                let output = folder.join("output.txt");
                if !output.exists() {
                    run(&case, &folder, &reporter.command)?;
                }
                let bytes = fs::read(&output)?;
                let score = scores.entry(framework.clone()).or_default();
                score.add(&name, &reporter, &truth, &bytes);
            }
        }
    }
    let mut total = Score::default();
    for (framework, score) in &scores {
        println!("{framework:<16} {}", score.line());
        total.sum(score);
    }
    println!("{:<16} {}", "TOTAL", total.line());
    Ok(())
}

/// A quarter of the reporters, chosen by their names (FNV-1a).
fn is_held_out(framework: &str, reporter: &str) -> bool {
    let bytes = framework.bytes().chain(reporter.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    (hash >> 32).is_multiple_of(4)
}

fn folders(path: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(path)?.collect::<std::io::Result<Vec<_>>>()?;
    let mut paths: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
    paths.retain(|path| path.is_dir());
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().display().to_string()
}

fn reporters(path: &Path) -> Result<Vec<Reporter>> {
    let text = fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let read = |line: &str| {
        let (head, command) = line.split_once(": ")?;
        let (name, flags) = head.split_once(" [").unwrap_or((head, ""));
        let flags = flags.trim_end_matches(']').split(' ').map(str::to_owned);
        Some(Reporter {
            name: name.to_owned(),
            flags: flags.collect(),
            command: command.to_owned(),
        })
    };
    Ok(lines.filter_map(read).collect())
}

/// Runs the command in a copy of the case, and keeps what it printed.
fn run(case: &Path, folder: &Path, command: &str) -> Result<()> {
    let copy = folder.join("app");
    fs::create_dir_all(folder)?;
    let copied = Command::new("cp").arg("-r").arg(case).arg(&copy).status()?;
    if !copied.success() {
        return Err("the suite cannot be copied".into());
    }
    let file = fs::File::create(folder.join("output.txt"))?;
    Command::new("timeout")
        .args(["120", "sh", "-c", command])
        .current_dir(&copy)
        .env("CI", "true")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .status()?;
    fs::remove_dir_all(copy)?;
    Ok(())
}

fn truth(case: &Path) -> Result<Truth> {
    let mut truth = Truth::default();
    let mut folders_left = vec![case.to_owned()];
    while let Some(folder) = folders_left.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders_left.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                let file = path.strip_prefix(case)?.display().to_string();
                for (index, line) in text.lines().enumerate() {
                    truth.marker(line, &file, index as u64 + 1);
                }
            }
        }
    }
    Ok(truth)
}

impl Truth {
    fn marker(&mut self, line: &str, file: &str, number: u64) {
        for word in ["PASSES", "SKIPPED", "FAILS", "ERRORS"] {
            let Some((before, after)) = line.split_once(word) else {
                continue;
            };
            let code = before
                .trim_end()
                .trim_end_matches(['#', '/', '-', '%', '*', '"']);
            let after = after.trim().trim_end_matches("*/").trim();
            let times = after.parse().unwrap_or(1);
            match word {
                "PASSES" => self.passed += times,
                "SKIPPED" => self.skipped += times,
                _ => {
                    for names in after.split(";;") {
                        self.failed += u64::from(word == "FAILS");
                        self.failures.push(Expected {
                            names: names.split(" | ").map(normal).collect(),
                            file: file.to_owned(),
                            line: number + u64::from(code.trim().is_empty()),
                        });
                    }
                }
            }
        }
    }
}

/// Whether the last part of a name was printed: some reporters have no names.
fn is_visible(name: &str, text: &str) -> bool {
    name == "?" || normal(text).contains(name.rsplit(" > ").next().unwrap_or_default())
}

/// A name without what reporters write differently between its parts.
fn normal(name: &str) -> String {
    let mut text = name.replace(['"', '\'', '`'], "");
    for separator in ["::", " > ", " › ", " » ", " - ", "/", "#", ".", "$", "\\"] {
        text = text.replace(separator, " ");
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Score {
    fn add(&mut self, name: &str, reporter: &Reporter, truth: &Truth, bytes: &[u8]) {
        let has = |flag: &str| reporter.flags.iter().any(|one| one == flag);
        let report = baton_report::read(bytes);
        let mut notes = Vec::new();
        self.cases += 1;
        let counts = &report.counts;
        let failed = counts.failed + counts.errors;
        let errors = truth.failures.len() as u64 - truth.failed;
        let counted = counts.passed == truth.passed
            && counts.skipped == truth.skipped
            && (failed == truth.failed || failed == truth.failed + errors);
        if has("uncounted") || counted {
            self.counts += 1;
        } else {
            notes.push(format!(
                "counts {}/{}/{} for {}/{}/{}",
                counts.passed, failed, counts.skipped, truth.passed, truth.failed, truth.skipped
            ));
        }
        let text = String::from_utf8_lossy(bytes);
        let nameless = has("nameless");
        self.names(truth, &report, &text, nameless, &mut notes);
        if !notes.is_empty() {
            println!("{name} ({}): {}", report.framework, notes.join("; "));
        }
    }

    fn names(
        &mut self,
        truth: &Truth,
        report: &TestReport,
        text: &str,
        nameless: bool,
        notes: &mut Vec<String>,
    ) {
        let mut left: Vec<_> = report.failures.iter().collect();
        for expected in &truth.failures {
            let at = left.iter().position(|found| {
                let name = normal(&found.name);
                let file = found.file.clone().unwrap_or_default();
                let prefixed =
                    |wanted: &String| name == normal(&format!("{}::{wanted}", expected.file));
                expected.names.contains(&name)
                    || expected.names.iter().any(prefixed)
                    || (expected.names.contains(&"?".to_owned()) && file.ends_with(&expected.file))
            });
            match at {
                Some(at) => {
                    let found = left.remove(at);
                    self.found += 1;
                    self.expected += 1;
                    self.reported += 1;
                    let line = expected.line;
                    let is_printed = [
                        format!(":{line}"),
                        format!("line {line}"),
                        format!("({line})"),
                        format!("line\": {line}"),
                    ]
                    .iter()
                    .any(|place| text.contains(place));
                    if !is_printed {
                        continue;
                    }
                    self.placeable += 1;
                    let file = found.file.as_deref().unwrap_or_default();
                    let name = expected.file.rsplit('/').next().unwrap_or_default();
                    let place = (file, found.line);
                    if file.ends_with(name) && place.1 == Some(expected.line) {
                        self.places += 1;
                    } else if !nameless {
                        notes.push(format!(
                            "at {}:{:?} for {}",
                            place.0, place.1, expected.line
                        ));
                    }
                }
                None if nameless || !is_visible(&expected.names[0], text) => {}
                None => {
                    self.expected += 1;
                    notes.push(format!("missing {:?}", expected.names[0]));
                }
            }
        }
        self.reported += left.len() as u64;
        for extra in left {
            notes.push(format!("extra {:?}", extra.name));
        }
    }

    fn sum(&mut self, other: &Self) {
        self.cases += other.cases;
        self.counts += other.counts;
        self.found += other.found;
        self.expected += other.expected;
        self.reported += other.reported;
        self.placeable += other.placeable;
        self.places += other.places;
    }

    fn line(&self) -> String {
        let percent = |part: u64, whole: u64| {
            let per_mille = 1000 * part / whole.max(1);
            format!("{:>3}.{} %", per_mille / 10, per_mille % 10)
        };
        format!(
            "{:>4} cases, counts {}, names F1 {}, places {}",
            self.cases,
            percent(self.counts, self.cases),
            percent(2 * self.found, self.expected + self.reported),
            percent(self.places, self.placeable),
        )
    }
}
