//! How much could go wrong, and why.

use std::collections::BTreeMap;

use baton_protocol::tools::RiskLevel;
use baton_protocol::tools::analyze_pr_impact::{ImpactCategory as Area, RiskAssessment};
use baton_protocol::tools::get_review_suggestions::BreakingChange;

use super::super::areas;
use super::super::change::File;
use super::super::signals::{self, Signal};

/// Points from which a change is risky.
const HIGH: u32 = 4;
const MEDIUM: u32 = 2;
const MAX_REASONS: usize = 8;

/// A part of the change.
pub(super) struct Part<'a> {
    pub(super) area: Area,
    pub(super) files: Vec<&'a File>,
}

#[derive(Debug)]
pub(super) struct Judged {
    pub(super) level: RiskLevel,
    pub(super) reasons: Vec<String>,
    points: u32,
}

/// A reason, and how much it weighs.
type Reason = (u32, String);

/// The change by area, in the order of the contract.
pub(super) fn parts(files: &[File]) -> Vec<Part<'_>> {
    let mut parts: BTreeMap<Area, Vec<&File>> = BTreeMap::new();
    for file in files {
        parts.entry(areas::classify(file)).or_default().push(file);
    }
    parts
        .into_iter()
        .map(|(area, files)| Part { area, files })
        .collect()
}

/// `dependents` are packages that need one that is changed in this part.
pub(super) fn judge_part(
    part: &Part<'_>,
    breaking: &[BreakingChange],
    dependents: &[String],
) -> Judged {
    let mut reasons: Vec<Reason> = Vec::new();
    reasons.extend(by_signals(part));
    reasons.extend(by_kind(part));
    let is_here = |change: &&BreakingChange| {
        let path = change.path.as_deref();
        part.files
            .iter()
            .any(|file| path == Some(file.path.as_str()))
    };
    let mut broken = breaking.iter().filter(is_here);
    if let Some(first) = broken.next() {
        let place = first.path.as_deref().unwrap_or_default();
        reasons.push((
            3,
            format!("{} ({place}){}", first.what, and_more(broken.count())),
        ));
    }
    let is_source = !matches!(part.area, Area::Docs | Area::Tests);
    if is_source && let Some(first) = dependents.first() {
        let points = if dependents.len() >= 5 { 2 } else { 1 };
        reasons.push((
            points,
            format!(
                "other packages depend on it: {first}{}",
                and_more(dependents.len() - 1)
            ),
        ));
    }
    let lines: usize = part
        .files
        .iter()
        .filter(|file| !file.is_generated())
        .map(|file| file.changed_lines())
        .sum();
    match lines {
        501.. if is_source => reasons.push((2, format!("{lines} changed lines"))),
        151..=500 if is_source => reasons.push((1, format!("{lines} changed lines"))),
        _ => {}
    }
    judged(reasons)
}

/// All parts together.
pub(super) fn judge_all(parts: &[(Area, Judged)]) -> RiskAssessment {
    let has = |area: Area| parts.iter().any(|(its, _)| *its == area);
    let has_code = has(Area::Backend) || has(Area::Frontend) || has(Area::Database);
    let mut reasons: Vec<Reason> = Vec::new();
    for (_, part) in parts {
        reasons.extend(
            part.reasons
                .iter()
                .map(|reason| (part.points, reason.clone())),
        );
    }
    reasons.sort_by_key(|(points, _)| std::cmp::Reverse(*points));
    let highest = parts.iter().map(|(_, part)| part.level).max();
    let mut reasons: Vec<String> = reasons.into_iter().map(|(_, reason)| reason).collect();
    reasons.truncate(MAX_REASONS);
    let mut level = highest.unwrap_or(RiskLevel::Low);
    if has_code && !has(Area::Tests) {
        reasons.push("code changes and no test does".to_owned());
        level = level.max(RiskLevel::Medium);
    }
    RiskAssessment { level, reasons }
}

fn judged(reasons: Vec<Reason>) -> Judged {
    let points = reasons.iter().map(|(points, _)| points).sum();
    Judged {
        level: match points {
            HIGH.. => RiskLevel::High,
            MEDIUM..HIGH => RiskLevel::Medium,
            _ => RiskLevel::Low,
        },
        reasons: reasons.into_iter().map(|(_, reason)| reason).collect(),
        points,
    }
}

/// The gravest signal of each topic.
fn by_signals(part: &Part<'_>) -> Vec<Reason> {
    let mut topics: BTreeMap<signals::Topic, (usize, Signal, &str)> = BTreeMap::new();
    for file in &part.files {
        for signal in signals::in_file(file) {
            let topic = signal.topic;
            let known = topics.get_mut(&topic);
            match known {
                Some((count, worst, path)) => {
                    *count += 1;
                    if signal.weight > worst.weight {
                        (*worst, *path) = (signal, &file.path);
                    }
                }
                None => {
                    topics.insert(topic, (1, signal, &file.path));
                }
            }
        }
    }
    let heavy = topics
        .into_values()
        .filter(|(_, signal, _)| signal.weight >= 3);
    heavy
        .map(|(count, signal, path)| {
            let points = match signal.weight {
                6.. => 3,
                4 | 5 => 2,
                _ => 1,
            };
            let text = format!(
                "{}: `{}` at {path}:{}{}",
                signal.topic.name(),
                signal.seen.trim(),
                signal.line,
                and_more(count - 1)
            );
            (points, text)
        })
        .collect()
}

/// What the kind of file alone means.
fn by_kind(part: &Part<'_>) -> Vec<Reason> {
    let first = |wanted: &dyn Fn(&File) -> bool| {
        let mut found = part.files.iter().filter(|file| wanted(file));
        let first = found.next()?;
        Some(format!("{}{}", first.path, and_more(found.count())))
    };
    let mut reasons = Vec::new();
    match part.area {
        Area::Database => {
            let any = first(&|_| true);
            reasons
                .extend(any.map(|files| (2, format!("a migration is hard to take back: {files}"))));
        }
        Area::Infrastructure => {
            let workflows = first(&|file| file.path.starts_with(".github/workflows/"));
            reasons.extend(workflows.map(|files| (2, format!("decides what CI runs: {files}"))));
            let locks = first(&|file| file.is_generated());
            reasons.extend(locks.map(|files| (1, format!("what is installed changes: {files}"))));
        }
        Area::Tests => {
            let gone = first(&File::is_deleted);
            reasons.extend(gone.map(|files| (2, format!("tests are deleted: {files}"))));
        }
        Area::Frontend | Area::Backend | Area::Docs => {}
    }
    reasons
}

fn and_more(count: usize) -> String {
    match count {
        0 => String::new(),
        count => format!(" and {count} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::breaking;
    use super::super::super::change::samples;
    use super::*;

    fn shown(files: &[File], dependents: &[&str]) -> String {
        let broken = breaking::in_files(files);
        let dependents: Vec<String> = dependents.iter().map(ToString::to_string).collect();
        let parts: Vec<(Area, Judged)> = parts(files)
            .iter()
            .map(|part| (part.area, judge_part(part, &broken, &dependents)))
            .collect();
        let mut lines: Vec<String> = parts
            .iter()
            .map(|(area, part)| format!("{area:?} {:?}: {}", part.level, part.reasons.join("; ")))
            .collect();
        let all = judge_all(&parts);
        lines.push(format!("all {:?}: {}", all.level, all.reasons.join("; ")));
        lines.join("\n")
    }

    #[test]
    fn risk_is_explained() {
        let added =
            |path: &str, line: &str| samples::file(path, &format!("@@ -0,0 +1,1 @@\n+{line}\n"));
        let removed =
            |path: &str, line: &str| samples::file(path, &format!("@@ -1,1 +0,0 @@\n-{line}\n"));
        let harmless = [added("README.md", "text")];
        let code = [added("src/a.rs", "let a = 1;")];
        let tested = [added("src/a.rs", "let a = 1;"), added("tests/a.rs", "b();")];
        let grave = [
            added("src/a.rs", "unsafe { b() }"),
            removed("src/lib.rs", "pub fn gone() {"),
            added("db/migrations/1.sql", "DROP TABLE a;"),
            added(".github/workflows/ci.yml", "permissions: write-all"),
            removed("tests/b.rs", "fn b() {}"),
        ];
        let all = [
            shown(&harmless, &[]),
            shown(&code, &["web", "app"]),
            shown(&tested, &[]),
            shown(&grave, &[]),
        ];
        insta::assert_snapshot!(all.join("\n\n"), @"
        Docs Low: 
        all Low: 

        Backend Low: other packages depend on it: web and 1 more
        all Medium: other packages depend on it: web and 1 more; code changes and no test does

        Backend Low: 
        Tests Low: 
        all Low: 

        Backend High: security: `unsafe {` at src/a.rs:1; `fn gone` is gone (src/lib.rs)
        Database High: data: `DROP TABLE` at db/migrations/1.sql:1; a migration is hard to take back: db/migrations/1.sql; DROP TABLE: what reads it fails (db/migrations/1.sql)
        Infrastructure High: security: `permissions: write-all` at .github/workflows/ci.yml:1; decides what CI runs: .github/workflows/ci.yml
        Tests Medium: tests are deleted: tests/b.rs
        all High: data: `DROP TABLE` at db/migrations/1.sql:1; a migration is hard to take back: db/migrations/1.sql; DROP TABLE: what reads it fails (db/migrations/1.sql); security: `unsafe {` at src/a.rs:1; `fn gone` is gone (src/lib.rs); security: `permissions: write-all` at .github/workflows/ci.yml:1; decides what CI runs: .github/workflows/ci.yml; tests are deleted: tests/b.rs
        ");
    }
}
