//! Thresholds of coverage and of warnings, lowered or removed.

use std::collections::HashMap;

use super::settings::entries;
use super::{Both, Rule, Sign};

pub(super) static LOWERED: Rule = Rule {
    id: "tamper/threshold-lowered",
    class: "threshold-lowered",
    what: "Threshold lowered or removed",
    why: "the gate lets through what it would have stopped before",
    remedy: "Restore the threshold and raise what is measured instead.",
};

/// Files whose numbers can be thresholds: of jest, vitest, nyc, c8, coverage.py,
/// simplecov, jacoco, codecov, sonar, tarpaulin, and scripts that run them.
fn may_hold_thresholds(both: &Both<'_>) -> bool {
    let name = both.name().to_ascii_lowercase();
    let known = [
        "package.json",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "pytest.ini",
        ".coveragerc",
        ".simplecov",
        "spec_helper.rb",
        "test_helper.rb",
        "rails_helper.rb",
        "build.gradle",
        "build.gradle.kts",
        "pom.xml",
        "codecov.yml",
        ".codecov.yml",
        "codecov.yaml",
        ".codecov.yaml",
        "tarpaulin.toml",
        ".tarpaulin.toml",
        "makefile",
        "justfile",
        "noxfile.py",
        ".testcoverage.yml",
        "stryker.conf.json",
        "stryker.config.json",
        ".lycheerc",
        "rakefile",
    ];
    let starts = [
        "jest.config",
        "vitest.config",
        "vite.config",
        "karma.conf",
        ".nycrc",
        ".c8rc",
        "nyc.config",
    ];
    known.contains(&name.as_str())
        || starts.iter().any(|start| name.starts_with(start))
        || super::gates::is_gate(both.path)
}

/// Whether less of it is laxer, or more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Laxer {
    Less,
    More,
}

/// What a key means where a threshold can be; `context` is the file, in lower case.
fn meaning(key: &str, section: &str, context: &str) -> Option<Laxer> {
    let key = key.to_ascii_lowercase().replace('-', "_");
    let section = section.to_ascii_lowercase();
    let about_coverage = ["coverage", "threshold", "nyc", "c8", "jacoco"]
        .iter()
        .any(|word| context.contains(word));
    match key.as_str() {
        "fail_under"
        | "cov_fail_under"
        | "minimum_coverage"
        | "minimum_coverage_by_file"
        | "fail_under_lines"
        | "fail_under_functions"
        | "fail_under_regions"
        | "min_coverage"
        | "coverage_threshold"
        | "coveragethreshold" => Some(Laxer::Less),
        "branches" | "functions" | "lines" | "statements" | "line" | "branch" | "minimum"
        | "target" | "total" | "file" | "package"
            if about_coverage && section != "paths" =>
        {
            Some(Laxer::Less)
        }
        "break" if context.contains("mutat") || context.contains("stryker") => Some(Laxer::Less),
        "threshold" if context.contains("codecov") || context.contains("target") => {
            Some(Laxer::More)
        }
        "max_warnings" | "max_complexity" | "maxwarnings" => Some(Laxer::More),
        _ => None,
    }
}

struct Found<'t> {
    line: u32,
    text: &'t str,
    value: f64,
    laxer: Laxer,
}

pub(super) fn signs(both: &Both<'_>) -> Vec<Sign> {
    if !may_hold_thresholds(both) {
        return Vec::new();
    }
    let (Some(before), Some(after)) = (both.before, both.after) else {
        return Vec::new();
    };
    let (old, new) = (thresholds(before, both.path), thresholds(after, both.path));
    let mut signs = Vec::new();
    for (key, before) in &old {
        let now = new.get(key).map_or(&[][..], Vec::as_slice);
        if now.is_empty() {
            let name = short_key(key);
            let what = format!("Threshold `{name}` of {} removed", before[0].value);
            signs.push(Sign::new(&LOWERED, both.path, 1, what).showing(before[0].text));
            continue;
        }
        for (old, new) in before.iter().zip(now) {
            let lowered = match old.laxer {
                Laxer::Less => new.value < old.value,
                Laxer::More => new.value > old.value,
            };
            if lowered {
                let word = if old.laxer == Laxer::Less {
                    "lowered"
                } else {
                    "raised"
                };
                let what = format!(
                    "Threshold `{}` {word} from {} to {}",
                    short_key(key),
                    old.value,
                    new.value
                );
                signs.push(Sign::new(&LOWERED, both.path, new.line, what).showing(new.text));
            }
        }
    }
    signs
}

fn short_key(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

/// Numbers by section and key, in the order of the file.
fn thresholds<'t>(text: &'t str, path: &str) -> HashMap<String, Vec<Found<'t>>> {
    let context = format!("{path} {text}").to_ascii_lowercase();
    let mut found: HashMap<String, Vec<Found<'t>>> = HashMap::new();
    for entry in entries(text) {
        if let Some(key) = &entry.key
            && let Some(value) = number(&entry.value)
            && let Some(laxer) = meaning(key, &entry.section, &context)
        {
            let place = found.entry(format!("{}/{key}", entry.section)).or_default();
            place.push(Found {
                line: entry.line,
                text: entry.text,
                value,
                laxer,
            });
        }
    }
    for (line, text) in text.lines().enumerate() {
        let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
        for (key, value, laxer) in written_inside(text) {
            found.entry(format!("/{key}")).or_default().push(Found {
                line,
                text,
                value,
                laxer,
            });
        }
    }
    found
}

/// Options of commands, calls and elements: `--cov-fail-under=90`,
/// `minimum_coverage 90`, `<minimum>0.80</minimum>`, several on one line.
fn written_inside(line: &str) -> Vec<(String, f64, Laxer)> {
    const OPTIONS: [(&str, Laxer); 14] = [
        ("--cov-fail-under", Laxer::Less),
        ("--fail-under-lines", Laxer::Less),
        ("--fail-under", Laxer::Less),
        ("--check-coverage --lines", Laxer::Less),
        ("--min-coverage", Laxer::Less),
        ("minimum_coverage", Laxer::Less),
        ("<minimum>", Laxer::Less),
        ("minimum = ", Laxer::Less),
        ("--max-warnings", Laxer::More),
        ("branches:", Laxer::Less),
        ("functions:", Laxer::Less),
        ("lines:", Laxer::Less),
        ("statements:", Laxer::Less),
        ("\"lines\":", Laxer::Less),
    ];
    let mut found = Vec::new();
    let several = line.matches(':').count() > 1;
    for (option, laxer) in OPTIONS {
        if option.ends_with(':') && !several {
            continue;
        }
        if let Some(at) = line.find(option) {
            let rest = line[at + option.len()..].trim_start_matches(['=', ' ', '(', ':']);
            let rest = rest.strip_prefix("line: ").unwrap_or(rest);
            let end = rest
                .find(|letter: char| !(letter.is_ascii_digit() || letter == '.'))
                .unwrap_or(rest.len());
            if let Ok(value) = rest[..end].trim_end_matches('.').parse() {
                found.push((
                    option
                        .trim_matches(['-', '<', '>', ' ', '=', '"', ':'])
                        .to_owned(),
                    value,
                    laxer,
                ));
            }
            // `--fail-under` is the start of a longer option.
            if option.starts_with("--fail") {
                break;
            }
        }
    }
    found
}

fn number(value: &str) -> Option<f64> {
    let value = value
        .trim()
        .trim_end_matches(['%', ',', '}', ' '])
        .trim_matches('"');
    let value = value.strip_suffix(".toBigDecimal()").unwrap_or(value);
    value.parse().ok()
}
