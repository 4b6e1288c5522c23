//! How many of the lines that a change adds the tests run, by the same reports.
//! Only lines that the tool counts are counted, and only they are kept while a
//! report is read, so that its size does not matter.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use baton_host::git::{ChangeKind, FileDiff};
use serde_json::Value;

use crate::coverage::{Coverage, Format, attribute};

/// The lines that a change adds, by file and number, with their text.
pub(crate) struct ChangedLines {
    files: BTreeMap<String, BTreeMap<u32, String>>,
    /// The project's folder, which some tools put before every name.
    folder: String,
    /// What Go puts there instead.
    module: Option<String>,
}

impl ChangedLines {
    /// `diff` is without context.
    pub(crate) fn new(folder: &Path, diff: &[FileDiff]) -> Self {
        let mut files: BTreeMap<String, BTreeMap<u32, String>> = BTreeMap::new();
        for file in diff.iter().filter(|file| file.kind != ChangeKind::Deleted) {
            let Some(path) = file.path.to_str() else {
                continue;
            };
            let lines = files.entry(path.to_owned()).or_default();
            for hunk in &file.hunks {
                let added = hunk.added();
                lines.extend(added.map(|(number, text)| (number, text.to_owned())));
            }
        }
        let go_mod = std::fs::read_to_string(folder.join("go.mod")).unwrap_or_default();
        let module = go_mod
            .lines()
            .find_map(|line| Some(line.trim().strip_prefix("module ")?.trim().to_owned()));
        Self {
            files,
            folder: folder.to_string_lossy().into_owned(),
            module,
        }
    }

    /// `None` where the report has no lines, or none of those that were changed.
    pub(crate) fn covered(&self, format: Format, bytes: &[u8]) -> Option<Coverage> {
        let text = str::from_utf8(bytes).ok()?;
        let mut seen = Seen {
            changed: self,
            lines: BTreeMap::new(),
        };
        match format {
            Format::Lcov => lcov(text, &mut seen),
            Format::Cobertura => cobertura(text, &mut seen),
            Format::Jacoco => jacoco(text, &mut seen),
            Format::CoveragePy => coverage_py(text, &mut seen)?,
            Format::SimplecovLines => simplecov(text, &mut seen)?,
            Format::GoProfile => go_profile(text, &mut seen),
            Format::Istanbul | Format::Simplecov | Format::LlvmCov => return None,
        }
        let lines = seen.lines.len() as u64;
        let covered = seen.lines.values().filter(|is_run| **is_run).count() as u64;
        (lines > 0).then_some(Coverage { lines, covered })
    }

    /// The changed file that a report names.
    fn file(&self, name: &str) -> Option<(&String, &BTreeMap<u32, String>)> {
        let name = name.strip_prefix("./").unwrap_or(name);
        let below = |folder: &str| name.strip_prefix(folder)?.strip_prefix('/');
        let own = below(&self.folder).or_else(|| below(self.module.as_deref()?));
        self.files.get_key_value(own.unwrap_or(name))
    }
}

/// The changed lines that a report counts, and whether they were run.
struct Seen<'c> {
    changed: &'c ChangedLines,
    lines: BTreeMap<(&'c str, u32), bool>,
}

impl Seen<'_> {
    /// The same line may be told several times; once is enough to be run.
    fn add(&mut self, name: &str, line: u32, is_run: bool) {
        if let Some((path, lines)) = self.changed.file(name)
            && lines.contains_key(&line)
        {
            *self.lines.entry((path, line)).or_default() |= is_run;
        }
    }
}

fn lcov(text: &str, seen: &mut Seen<'_>) {
    let mut file = "";
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("SF:") {
            file = name.trim();
        } else if let Some((line, hits)) =
            line.strip_prefix("DA:").and_then(|da| da.split_once(','))
        {
            let hits = hits.split(',').next().unwrap_or_default().trim();
            if let (Ok(line), Ok(hits)) = (line.trim().parse(), hits.parse::<u64>()) {
                seen.add(file, line, hits > 0);
            }
        }
    }
}

/// The tags of a document with what stands in them, in their order.
fn tags(text: &str) -> impl Iterator<Item = &str> {
    text.split('<').skip(1).filter_map(|rest| {
        let inside = rest.split('>').next()?;
        Some(inside.strip_suffix('/').unwrap_or(inside))
    })
}

fn number(tag: &str, name: &str) -> Option<u64> {
    attribute(tag.split_once([' ', '\t', '\n'])?.1, name)?
        .parse()
        .ok()
}

fn cobertura(text: &str, seen: &mut Seen<'_>) {
    let sources: BTreeSet<&str> = text
        .split("<source>")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("</source>")?.0.trim()))
        .collect();
    let mut file = "";
    for tag in tags(text) {
        if let Some(class) = tag.strip_prefix("class ") {
            file = attribute(class, "filename").unwrap_or_default();
        } else if tag.starts_with("line ")
            && let (Some(line), Some(hits)) = (number(tag, "number"), number(tag, "hits"))
            && let Ok(line) = u32::try_from(line)
        {
            seen.add(file, line, hits > 0);
            for source in &sources {
                seen.add(&format!("{source}/{file}"), line, hits > 0);
            }
        }
    }
}

/// A file is known by its package; where the sources lie is not said.
fn jacoco(text: &str, seen: &mut Seen<'_>) {
    let (mut package, mut file) = ("", None);
    for tag in tags(text) {
        if let Some(inside) = tag.strip_prefix("package ") {
            package = attribute(inside, "name").unwrap_or_default();
        } else if let Some(inside) = tag.strip_prefix("sourcefile ") {
            let name = attribute(inside, "name").unwrap_or_default();
            let end = format!("/{package}/{name}");
            let mut paths = seen.changed.files.keys();
            let path = paths.find(|path| path.ends_with(&end) || **path == end[1..]);
            file = path.cloned();
        } else if tag.starts_with("line ")
            && let Some(file) = &file
            && let (Some(line), Some(run)) = (number(tag, "nr"), number(tag, "ci"))
            && let Ok(line) = u32::try_from(line)
        {
            seen.add(file, line, run > 0);
        }
    }
}

fn coverage_py(text: &str, seen: &mut Seen<'_>) -> Option<()> {
    let report: Value = serde_json::from_str(text).ok()?;
    for (file, facts) in report.get("files")?.as_object()? {
        for (name, is_run) in [("executed_lines", true), ("missing_lines", false)] {
            let lines = facts[name].as_array().into_iter().flatten();
            for line in lines.filter_map(Value::as_u64) {
                seen.add(file, u32::try_from(line).unwrap_or(0), is_run);
            }
        }
    }
    Some(())
}

/// Of each line, how often it was run; nothing for those that do not count.
fn simplecov(text: &str, seen: &mut Seen<'_>) -> Option<()> {
    let report: Value = serde_json::from_str(text).ok()?;
    for run in report.as_object()?.values() {
        for (file, facts) in run.get("coverage")?.as_object()? {
            let lines = facts.get("lines").unwrap_or(facts).as_array()?;
            for (line, hits) in (1..).zip(lines) {
                if let Some(hits) = hits.as_u64() {
                    seen.add(file, line, hits > 0);
                }
            }
        }
    }
    Some(())
}

/// `file.go:1.14,3.2 2 1`: a block of statements. A block that opens in the middle
/// of a line does not say anything about that line, unless it ends there as well.
fn go_profile(text: &str, seen: &mut Seen<'_>) {
    /// Of each line, the block that began first, and whether it was run.
    type Blocks<'c> = BTreeMap<(&'c str, u32), ((u32, u32), bool)>;
    let mut blocks = Blocks::new();
    for block in text.lines().skip(1).filter_map(GoBlock::read) {
        let Some((path, lines)) = seen.changed.file(block.file) else {
            continue;
        };
        for (line, text) in lines.range(block.start.0..=block.end_line) {
            if !holds_code(text) || !block.tells_of(*line, text) {
                continue;
            }
            let known = blocks
                .entry((path, *line))
                .or_insert((block.start, block.is_run));
            match block.start.cmp(&known.0) {
                std::cmp::Ordering::Less => *known = (block.start, block.is_run),
                std::cmp::Ordering::Equal => known.1 |= block.is_run,
                std::cmp::Ordering::Greater => {}
            }
        }
    }
    let told = blocks.into_iter();
    seen.lines = told.map(|(place, (_, is_run))| (place, is_run)).collect();
}

struct GoBlock<'t> {
    file: &'t str,
    /// Line and column.
    start: (u32, u32),
    end_line: u32,
    is_run: bool,
}

impl<'t> GoBlock<'t> {
    fn read(line: &'t str) -> Option<Self> {
        let mut fields = line.split_whitespace();
        let (file, range) = fields.next()?.rsplit_once(':')?;
        let (start, end) = range.split_once(',')?;
        let (line, column) = start.split_once('.')?;
        Some(Self {
            file,
            start: (line.parse().ok()?, column.parse().ok()?),
            end_line: end.split_once('.')?.0.parse().ok()?,
            is_run: fields.nth(1)?.parse::<u64>().ok()? > 0,
        })
    }

    fn tells_of(&self, line: u32, text: &str) -> bool {
        let indent = text.len() - text.trim_start().len();
        let begins = u32::try_from(indent + 1).unwrap_or(u32::MAX);
        line > self.start.0 || self.end_line == line || self.start.1 <= begins
    }
}

/// Neither empty, nor a comment, nor what only closes a block.
fn holds_code(text: &str) -> bool {
    let text = text.trim();
    let closes = text.chars().all(|sign| "{}()[],;".contains(sign));
    !closes && !text.starts_with("//") && text != "} else {"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The share of lines 2 to 5 of `src/a`, where each has this text.
    #[track_caller]
    fn check(format: Format, path: &str, text: &str, report: &str, expected: (u64, u64)) {
        let lines = (2..=5).map(|line| (line, text.to_owned())).collect();
        let changed = ChangedLines {
            files: BTreeMap::from([(path.to_owned(), lines)]),
            folder: "/home/octo/shop".to_owned(),
            module: Some("example.com/shop".to_owned()),
        };
        let covered = changed.covered(format, report.as_bytes());
        let found = covered.map_or((0, 0), |share| (share.covered, share.lines));
        assert_eq!(found, expected);
    }

    #[test]
    fn only_changed_lines_that_the_tool_counts_are_counted() {
        let lcov = "SF:src/a.js\nDA:1,9\nDA:2,1\nDA:3,0\nDA:6,0\nend_of_record\nSF:src/b.js\nDA:4,1\nend_of_record\nSF:/home/octo/shop/src/a.js\nDA:3,0\nDA:5,2\n";
        check(Format::Lcov, "src/a.js", "x", lcov, (2, 3));
        check(Format::Lcov, "src/other.js", "x", lcov, (0, 0));
        let json = r#"{"files": {"src/a.py": {"executed_lines": [1, 2], "missing_lines": [4, 9]}, "lib/src/a.py": {"executed_lines": [4]}}, "totals": {}}"#;
        check(Format::CoveragePy, "src/a.py", "x", json, (1, 2));
        let xml = "<coverage><sources><source>/home/octo/shop/src</source></sources><class name=\"a\" filename=\"a.py\"><lines><line number=\"2\" hits=\"1\"/><line number=\"5\" hits=\"0\"/></lines></class></coverage>";
        check(Format::Cobertura, "src/a.py", "x", xml, (1, 2));
        let xml = "<report name=\"x\"><package name=\"shop\"><sourcefile name=\"A.java\"><line nr=\"2\" mi=\"0\" ci=\"3\"/><line nr=\"3\" mi=\"1\" ci=\"0\"/></sourcefile></package></report>";
        check(
            Format::Jacoco,
            "src/main/java/shop/A.java",
            "x",
            xml,
            (1, 2),
        );
        let json = r#"{"RSpec": {"coverage": {"/home/octo/shop/lib/a.rb": {"lines": [1, 0, null, 2, 1, 1]}}}}"#;
        check(Format::SimplecovLines, "lib/a.rb", "x", json, (2, 3));
    }

    #[test]
    fn a_go_block_tells_of_the_lines_between_its_braces() {
        // func f(x int) int {   1
        //     if x > 0 {        2: by the block of the function
        //         return x      3: by its own
        //     }                 4
        //     return 0          5
        let profile = "mode: set\nexample.com/shop/a.go:1.19,2.11 1 1\nexample.com/shop/a.go:2.11,4.3 1 0\nexample.com/shop/a.go:5.2,5.10 1 1\n";
        check(Format::GoProfile, "a.go", "\tx", profile, (2, 4));
        check(Format::GoProfile, "a.go", "\t}", profile, (0, 0));
        check(Format::GoProfile, "b.go", "\tx", profile, (0, 0));
    }

    #[test]
    fn what_is_no_report_covers_nothing() {
        for format in [
            Format::Lcov,
            Format::Cobertura,
            Format::Jacoco,
            Format::CoveragePy,
            Format::SimplecovLines,
            Format::GoProfile,
            Format::Istanbul,
        ] {
            for text in ["", "DA:", "<line ", "{\"files\": 1}", "[1]", "a.go:1.2,3 x"] {
                check(format, "a.go", "x", text, (0, 0));
            }
        }
    }
}
