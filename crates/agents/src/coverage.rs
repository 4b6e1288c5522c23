//! How much of the code the tests run, as tools report it. Bytes in, a share
//! out; a report that is not understood says nothing.

use baton_protocol::handoff::Percentage;
use serde_json::Value;

/// Lines that count, and those of them that were run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Coverage {
    pub(crate) lines: u64,
    pub(crate) covered: u64,
}

/// A report, and what it is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Lcov,
    /// Also what coverage.py and simplecov write as XML.
    Cobertura,
    Jacoco,
    /// coverage.py's `coverage json`.
    CoveragePy,
    /// `coverage-summary.json` of nyc and c8.
    Istanbul,
    /// `coverage/.last_run.json`.
    Simplecov,
    /// `coverage/.resultset.json`, which has the lines.
    SimplecovLines,
    GoProfile,
    /// `cargo llvm-cov --json`.
    LlvmCov,
}

/// Where tools write reports, relative to the project.
pub(crate) const PLACES: &[(&str, Format)] = &[
    ("lcov.info", Format::Lcov),
    ("coverage/lcov.info", Format::Lcov),
    ("target/lcov.info", Format::Lcov),
    ("target/llvm-cov/lcov.info", Format::Lcov),
    ("target/llvm-cov/coverage.json", Format::LlvmCov),
    ("coverage.json", Format::CoveragePy),
    ("coverage.xml", Format::Cobertura),
    ("cobertura.xml", Format::Cobertura),
    ("coverage/coverage.xml", Format::Cobertura),
    ("coverage/cobertura-coverage.xml", Format::Cobertura),
    ("target/site/jacoco/jacoco.xml", Format::Jacoco),
    (
        "build/reports/jacoco/test/jacocoTestReport.xml",
        Format::Jacoco,
    ),
    ("coverage/coverage-summary.json", Format::Istanbul),
    ("coverage/.resultset.json", Format::SimplecovLines),
    ("coverage/.last_run.json", Format::Simplecov),
    ("coverage.out", Format::GoProfile),
    ("cover.out", Format::GoProfile),
    ("c.out", Format::GoProfile),
];

impl Coverage {
    /// `None` without a line to cover.
    pub(crate) fn percentage(self) -> Option<Percentage> {
        if self.lines == 0 {
            return None;
        }
        // In tenths, rounded down: nothing is called covered that is not.
        let tenths = u128::from(self.covered.min(self.lines)) * 1000 / u128::from(self.lines);
        let (whole, tenth) = (tenths / 10, tenths % 10);
        let text = if tenth == 0 {
            format!("{whole}%")
        } else {
            format!("{whole}.{tenth}%")
        };
        text.parse().ok()
    }
}

pub(crate) fn read(format: Format, bytes: &[u8]) -> Option<Coverage> {
    let text = str::from_utf8(bytes).ok()?;
    let coverage = match format {
        Format::Lcov => lcov(text),
        Format::Cobertura => cobertura(text)?,
        Format::Jacoco => jacoco(text)?,
        Format::CoveragePy => pair(
            json(text)?.get("totals")?,
            "num_statements",
            "covered_lines",
        )?,
        Format::Istanbul => pair(json(text)?.get("total")?.get("lines")?, "total", "covered")?,
        Format::LlvmCov => {
            let json = json(text)?;
            pair(
                json["data"].get(0)?["totals"].get("lines")?,
                "count",
                "covered",
            )?
        }
        Format::Simplecov => simplecov(&json(text)?)?,
        Format::SimplecovLines => simplecov_lines(&json(text)?)?,
        Format::GoProfile => go_profile(text)?,
    };
    (coverage.lines > 0).then_some(coverage)
}

fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

fn pair(totals: &Value, lines: &str, covered: &str) -> Option<Coverage> {
    Some(Coverage {
        lines: totals.get(lines)?.as_u64()?,
        covered: totals.get(covered)?.as_u64()?,
    })
}

fn simplecov(json: &Value) -> Option<Coverage> {
    let result = json.get("result")?;
    let share = result
        .get("line")
        .or_else(|| result.get("covered_percent"))?;
    share.as_f64().map(share_of)
}

fn simplecov_lines(json: &Value) -> Option<Coverage> {
    let mut all = Coverage::default();
    for run in json.as_object()?.values() {
        for file in run.get("coverage")?.as_object()?.values() {
            let lines = file.get("lines").unwrap_or(file).as_array()?;
            for hits in lines.iter().filter_map(Value::as_u64) {
                all.lines += 1;
                all.covered += u64::from(hits > 0);
            }
        }
    }
    // Several runs tell of the same files, and would have to be put together.
    (json.as_object()?.len() == 1).then_some(all)
}

/// `LF:` and `LH:` of every record; where a tool leaves them out, its `DA:`.
fn lcov(text: &str) -> Coverage {
    let mut all = Coverage::default();
    let (mut told, mut counted) = (Coverage::default(), Coverage::default());
    let mut end = |told: &mut Coverage, counted: &mut Coverage| {
        let record = if told.lines > 0 { &*told } else { &*counted };
        all.lines = all.lines.saturating_add(record.lines);
        all.covered = all.covered.saturating_add(record.covered);
        (*told, *counted) = (Coverage::default(), Coverage::default());
    };
    for line in text.lines() {
        let number = |text: &str| text.trim().parse().unwrap_or(0);
        if let Some(lines) = line.strip_prefix("LF:") {
            told.lines = number(lines);
        } else if let Some(covered) = line.strip_prefix("LH:") {
            told.covered = number(covered);
        } else if let Some(data) = line.strip_prefix("DA:") {
            let hits = data.split(',').nth(1).map_or(0, number);
            counted.lines += 1;
            counted.covered += u64::from(hits > 0);
        } else if line.trim() == "end_of_record" {
            end(&mut told, &mut counted);
        }
    }
    end(&mut told, &mut counted);
    all
}

/// The root says it; older tools say only the rate.
fn cobertura(text: &str) -> Option<Coverage> {
    let root = tag(text, "coverage")?;
    let number = |name: &str| attribute(root, name)?.parse::<u64>().ok();
    if let (Some(lines), Some(covered)) = (number("lines-valid"), number("lines-covered")) {
        return Some(Coverage { lines, covered });
    }
    let rate: f64 = attribute(root, "line-rate")?.parse().ok()?;
    Some(share_of(rate * 100.0))
}

/// A share is all that some tools leave; in hundredths of a percent.
fn share_of(percent: f64) -> Coverage {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 10,000"
    )]
    let covered = (percent.clamp(0.0, 100.0) * 100.0) as u64;
    Coverage {
        lines: 10_000,
        covered,
    }
}

/// The last counter of lines is that of the whole report.
fn jacoco(text: &str) -> Option<Coverage> {
    tag(text, "report")?;
    let counters = text.rmatch_indices("<counter").map(|(at, _)| &text[at..]);
    let mut lines = counters.filter_map(|rest| tag(rest, "counter"));
    let counter = lines.find(|counter| attribute(counter, "type") == Some("LINE"))?;
    let number = |name: &str| attribute(counter, name)?.parse::<u64>().ok();
    let (missed, covered) = (number("missed")?, number("covered")?);
    Some(Coverage {
        lines: missed.saturating_add(covered),
        covered,
    })
}

/// The inside of the first tag of this name.
fn tag<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = text;
    loop {
        let (_, behind) = rest.split_once('<')?;
        rest = behind;
        if let Some(inside) = behind.strip_prefix(name)
            && inside.starts_with([' ', '\t', '\r', '\n', '>', '/'])
        {
            return inside.split('>').next();
        }
    }
}

pub(crate) fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = tag;
    loop {
        let (before, behind) = rest.split_once('=')?;
        let behind = behind.trim_start();
        let quote = behind
            .chars()
            .next()
            .filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, after) = behind[1..].split_once(quote)?;
        if before.trim() == name {
            return Some(value);
        }
        rest = after;
    }
}

/// `file.go:1.2,3.4 STATEMENTS COUNT`. The same block may come several times.
fn go_profile(text: &str) -> Option<Coverage> {
    let mut lines = text.lines();
    lines.next()?.strip_prefix("mode: ")?;
    let mut blocks: std::collections::BTreeMap<&str, (u64, bool)> = <_>::default();
    for line in lines {
        let mut fields = line.split_whitespace();
        let (block, statements, count) = (fields.next()?, fields.next()?, fields.next()?);
        let block = blocks.entry(block).or_default();
        block.0 = statements.parse().ok()?;
        block.1 |= count.parse::<u64>().ok()? > 0;
    }
    let all = blocks.values();
    Some(all.fold(Coverage::default(), |sum, (statements, is_run)| {
        Coverage {
            lines: sum.lines.saturating_add(*statements),
            covered: sum
                .covered
                .saturating_add(if *is_run { *statements } else { 0 }),
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(format: Format, text: &str, expected: &str) {
        let read = read(format, text.as_bytes());
        let shown = read.and_then(Coverage::percentage);
        let shown = shown.map_or_else(|| "-".to_owned(), |share| share.to_string());
        assert_eq!(shown, expected);
    }

    #[test]
    fn lcov_has_totals_or_lines() {
        check(
            Format::Lcov,
            "TN:\nSF:a.rs\nLF:3\nLH:2\nend_of_record\nSF:b.rs\nLF:1\nLH:1\nend_of_record\n",
            "75%",
        );
        check(Format::Lcov, "SF:a.rs\nDA:1,4\nDA:2,0\nDA:3,1\n", "66.6%");
        check(Format::Lcov, "", "-");
    }

    #[test]
    fn cobertura_has_counts_or_a_rate() {
        check(
            Format::Cobertura,
            "<?xml version=\"1.0\" ?>\n<!DOCTYPE coverage SYSTEM 'x'>\n<coverage line-rate=\"0.5\" lines-covered='9' lines-valid='10'><packages/></coverage>",
            "90%",
        );
        check(Format::Cobertura, "<coverage line-rate=\"0.875\">", "87.5%");
        check(Format::Cobertura, "<coverages line-rate=\"0.875\">", "-");
        check(Format::Cobertura, "<coverage line-rate>", "-");
    }

    #[test]
    fn jacoco_sums_up_at_the_end() {
        let report = "<report name=\"x\"><package><counter type=\"LINE\" missed=\"9\" covered=\"1\"/></package><counter type=\"LINE\" missed=\"1\" covered=\"3\"/><counter type=\"CLASS\" missed=\"0\" covered=\"1\"/></report>";
        check(Format::Jacoco, report, "75%");
        check(Format::Jacoco, "<html/>", "-");
    }

    #[test]
    fn json_reports() {
        check(
            Format::CoveragePy,
            r#"{"meta": {}, "totals": {"covered_lines": 47, "num_statements": 50}}"#,
            "94%",
        );
        check(
            Format::Istanbul,
            r#"{"total": {"lines": {"total": 8, "covered": 7, "skipped": 0, "pct": 87.5}}}"#,
            "87.5%",
        );
        check(
            Format::LlvmCov,
            r#"{"data": [{"totals": {"lines": {"count": 4, "covered": 4}}}]}"#,
            "100%",
        );
        check(
            Format::Simplecov,
            r#"{"result": {"line": 91.23, "branch": 80.0}}"#,
            "91.2%",
        );
        check(
            Format::Istanbul,
            r#"{"total": {"lines": {"total": 0, "covered": 0}}}"#,
            "-",
        );
        check(Format::Istanbul, "[", "-");
    }

    #[test]
    fn go_counts_statements_of_blocks() {
        check(
            Format::GoProfile,
            "mode: set\na.go:1.2,3.4 3 1\na.go:5.2,6.4 1 0\na.go:1.2,3.4 3 0\n",
            "75%",
        );
        check(Format::GoProfile, "a.go:1.2,3.4 3 1\n", "-");
    }

    #[test]
    fn a_share_is_never_rounded_up() {
        let almost = Coverage {
            lines: 100_000,
            covered: 99_999,
        };
        assert_eq!(almost.percentage().unwrap().as_str(), "99.9%");
        let strange = Coverage {
            lines: 1,
            covered: u64::MAX,
        };
        assert_eq!(strange.percentage().unwrap().as_str(), "100%");
    }
}
