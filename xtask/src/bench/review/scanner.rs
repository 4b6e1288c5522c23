//! The scanners, each as people run it without settings of their own, and what
//! a run of one costs.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::annotated;
use super::material::{files_below, language};
use super::sarif;
use super::score::Alarm;
use crate::failure::Failure;
use crate::program::Program;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scanner {
    Baton,
    Semgrep,
    Bandit,
    Ruff,
    Foxguard,
}

impl Scanner {
    pub(super) const ALL: [Self; 5] = [
        Self::Baton,
        Self::Semgrep,
        Self::Bandit,
        Self::Ruff,
        Self::Foxguard,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Baton => "baton",
            Self::Semgrep => "semgrep",
            Self::Bandit => "bandit",
            Self::Ruff => "ruff S",
            Self::Foxguard => "foxguard",
        }
    }

    /// All of them, except for those that are named.
    pub(super) fn all_but(names: &[String]) -> Result<Vec<Self>, Failure> {
        let known = Self::ALL.map(Self::name);
        match names.iter().find(|name| !known.contains(&name.as_str())) {
            Some(unknown) => Err(Failure::new(format!("there is no scanner {unknown:?}"))
                .next(format!("choose from: {}", known.join(", ")))),
            None => Ok(Self::ALL
                .into_iter()
                .filter(|scanner| !names.iter().any(|name| name == scanner.name()))
                .collect()),
        }
    }

    pub(super) fn reads(self, language: &str) -> bool {
        match self {
            Self::Bandit | Self::Ruff => language == "Python",
            Self::Baton | Self::Semgrep | Self::Foxguard => true,
        }
    }
}

/// Where the programs and semgrep's rules are.
pub(super) struct Scanners {
    pub(super) baton: PathBuf,
    /// The `bin` folder of the Python environment that has the others.
    pub(super) bin: PathBuf,
    /// A checkout of semgrep-rules.
    pub(super) rules: PathBuf,
    /// For what they print, and for what they want to keep at home.
    pub(super) scratch: PathBuf,
}

pub(super) struct Scan {
    pub(super) alarms: Vec<Alarm>,
    /// Of the scanner and all its children.
    pub(super) cpu_seconds: f64,
}

/// Runs the rest of its arguments with the output in the first, and tells the
/// exit code and the processor time of the children: the one portable way to
/// know it that needs no unsafe code.
const TIMED: &str = r#"out=$1; shift; "$@" >"$out" 2>"$out.err"; echo "$?"; times"#;

impl Scanners {
    /// The findings in all files below `folder`.
    pub(super) fn scan(&self, scanner: Scanner, folder: &Path) -> Result<Scan, Failure> {
        eprintln!("{} over {} …", scanner.name(), folder.display());
        let (program, args) = self.command(scanner, folder)?;
        let output = self.scratch.join("output");
        let told = Program::new("sh")
            .args(["-c", TIMED, "sh"])
            .args([&output, &program])
            .args(&args)
            .env("HOME", &self.scratch)
            .current_dir(folder)
            .stdout()?;
        let told = String::from_utf8_lossy(&told);
        let log = fs::read(&output).map_err(Failure::could_not(format_args!(
            "read what {} printed",
            scanner.name()
        )))?;
        let alarms = match scanner {
            Scanner::Bandit => bandit_alarms(&log),
            Scanner::Ruff => sarif::alarms(&log, folder, numbers_of_python_rule),
            Scanner::Baton | Scanner::Semgrep | Scanner::Foxguard => {
                sarif::alarms(&log, folder, |_| Vec::new())
            }
        };
        let alarms = alarms.map_err(|failure| {
            let errors = fs::read_to_string(output.with_extension("err")).unwrap_or_default();
            let code = told.lines().next().unwrap_or_default();
            let name = scanner.name();
            failure.output(format!("{name} ended with {code} and wrote:\n{errors}"))
        })?;
        let cpu_seconds = cpu_seconds(&told)
            .ok_or_else(|| Failure::new(format!("sh told no processor time: {told}")))?;
        Ok(Scan {
            alarms,
            cpu_seconds,
        })
    }

    fn command(&self, scanner: Scanner, folder: &Path) -> Result<(PathBuf, Vec<String>), Failure> {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
        Ok(match scanner {
            Scanner::Baton => (self.baton.clone(), words("review --sarif .")),
            Scanner::Semgrep => {
                let mut args: Vec<String> = words(
                    "scan --sarif --quiet --metrics off --disable-version-check --no-git-ignore \
                     --timeout 60",
                );
                for rules in rule_folders(&files_below(folder)?) {
                    args.push("--config".to_owned());
                    args.push(self.rules.join(rules).to_string_lossy().into_owned());
                }
                args.push(".".to_owned());
                (self.bin.join("semgrep"), args)
            }
            Scanner::Bandit => (
                self.bin.join("bandit"),
                words("--recursive --format json --quiet --exit-zero ."),
            ),
            Scanner::Ruff => (
                self.bin.join("ruff"),
                words(
                    "check --isolated --no-cache --no-respect-gitignore --select S --exit-zero \
                     --output-format sarif .",
                ),
            ),
            Scanner::Foxguard => (self.bin.join("foxguard"), words("--format sarif .")),
        })
    }
}

/// Reading rules is most of semgrep's work, so it is given those of the
/// languages that are there and no others.
fn rule_folders(files: &[String]) -> Vec<&'static str> {
    let is_there = |name: &str| {
        let mut spoken = files.iter().filter_map(|file| language(file));
        spoken.any(|spoken| spoken.eq_ignore_ascii_case(name))
    };
    // What is wrong in JavaScript is wrong in TypeScript.
    let scripts = ["javascript", "typescript"];
    let has_scripts = scripts.into_iter().any(is_there);
    let mut folders = annotated::FOLDERS.to_vec();
    folders.retain(|folder| is_there(folder) || (has_scripts && scripts.contains(folder)));
    folders
}

/// `times` prints a line for the shell and one for its children, each with user
/// and system time: `0m1.250s 0m0.030s`.
fn cpu_seconds(told: &str) -> Option<f64> {
    let children = told.lines().nth(2)?;
    let parts: Option<Vec<f64>> = children.split_whitespace().map(seconds).collect();
    parts
        .filter(|parts| parts.len() == 2)
        .map(|parts| parts.iter().sum())
}

fn seconds(time: &str) -> Option<f64> {
    let (minutes, seconds) = time.strip_suffix('s')?.split_once('m')?;
    Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
}

/// Out of its own format: what writes SARIF for it stumbles over some files.
fn bandit_alarms(report: &[u8]) -> Result<Vec<Alarm>, Failure> {
    let report: Value =
        serde_json::from_slice(report).map_err(Failure::could_not("read bandit's report"))?;
    let results = report["results"]
        .as_array()
        .ok_or_else(|| Failure::new("bandit's report has no results"))?;
    let line = |value: &Value| u32::try_from(value.as_u64()?).ok();
    let alarm = |result: &Value| {
        let path = result["filename"].as_str()?;
        let start = line(&result["line_number"])?;
        let lines = result["line_range"].as_array();
        Some(Alarm {
            path: path.strip_prefix("./").unwrap_or(path).to_owned(),
            lines: (
                start,
                lines.and_then(|all| line(all.last()?)).unwrap_or(start),
            ),
            cwes: numbers_of_python_rule(result["test_id"].as_str()?),
        })
    };
    Ok(results.iter().filter_map(alarm).collect())
}

/// ruff's rules are bandit's under another letter; it names no weaknesses, and
/// bandit some that no other scanner would, so both get those besides.
fn numbers_of_python_rule(rule: &str) -> Vec<u32> {
    let Some(number) = rule.get(1..).and_then(|digits| digits.parse().ok()) else {
        return Vec::new();
    };
    let mut numbers: Vec<u32> = bandits_number(number).into_iter().collect();
    numbers.extend(match number {
        102 | 307 => Some(95),
        201 => Some(489),
        310 => Some(918),
        313..=320 | 405..=411 => Some(611),
        502..=504 => Some(295),
        506 => Some(502),
        609 => Some(78),
        701 => Some(79),
        _ => None,
    });
    numbers
}

fn bandits_number(rule: u32) -> Option<u32> {
    Some(match rule {
        101 | 110 | 112 => 703,
        102 | 307 | 404 | 601..=607 => 78,
        103 => 732,
        104 => 605,
        105..=107 => 259,
        108 | 306 => 377,
        113 => 400,
        201 | 612 | 701 => 94,
        202 | 310 => 22,
        301 | 302 | 403 | 614 => 502,
        303..=305 | 324 | 413 | 502..=504 => 327,
        505 => 326,
        308 | 704 => 79,
        702 | 703 => 80,
        311 => 330,
        312 | 321 | 401 | 402 | 415 | 508 | 509 => 319,
        313..=320 | 405..=411 | 506 => 20,
        323 | 501 | 507 => 295,
        412 => 284,
        608 | 610 | 611 => 89,
        609 => 155,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_the_children_is_read() {
        let told = "1\n0m0.001000s 0m0.002000s\n1m2.500000s 0m0.250000s\n";
        assert_eq!(cpu_seconds(told), Some(62.75));
        assert_eq!(cpu_seconds("1\nnonsense"), None);
    }

    #[test]
    fn bandits_report_is_read() {
        let report = r#"{"results": [{"filename": "./a.py", "line_number": 3, "line_range": [3, 4], "test_id": "B608"}]}"#;
        let alarm = Alarm {
            path: "a.py".to_owned(),
            lines: (3, 4),
            cwes: vec![89],
        };
        assert_eq!(bandit_alarms(report.as_bytes()).unwrap(), [alarm]);
        assert!(bandit_alarms(b"").is_err());
    }

    #[test]
    fn scanners_are_left_out_by_name() {
        let left = Scanner::all_but(&["semgrep".to_owned()]).unwrap();
        assert_eq!(left.len(), Scanner::ALL.len() - 1);
        insta::assert_snapshot!(Scanner::all_but(&["grep".to_owned()]).unwrap_err(), @r#"
        there is no scanner "grep"
        next: choose from: baton, semgrep, bandit, ruff S, foxguard
        "#);
    }

    #[test]
    fn only_rules_that_can_match_are_read() {
        let files = ["a/b.js", "c.rb", "notes.md"].map(str::to_owned);
        assert_eq!(rule_folders(&files), ["javascript", "ruby", "typescript"]);
    }

    #[test]
    fn rules_of_both_python_scanners_have_the_same_numbers() {
        assert_eq!(numbers_of_python_rule("S608"), [89]);
        assert_eq!(numbers_of_python_rule("B102"), [78, 95]);
        assert!(numbers_of_python_rule("unnamed").is_empty());
    }
}
