//! What to look at in a file, each point with the place that it comes from.

use baton_review::Kind;

use super::super::areas;
use super::super::change::File;
use super::super::signals::{self, Topic};
use super::Clues;

const MAX_POINTS: usize = 10;
const LONG: usize = 300;

/// What the caller wants to look at first.
#[derive(Clone, Debug, Default)]
pub(super) struct Focus {
    topics: Vec<Topic>,
    /// Words that are no topic of ours.
    pub(super) others: Vec<String>,
}

impl Focus {
    pub(super) fn new(areas: &[String]) -> Self {
        let mut focus = Self::default();
        for area in areas {
            let word = area.trim().to_lowercase();
            let topic = match word.replace(['_', '-'], " ").as_str() {
                "security" | "safety" | "privacy" => Some(Topic::Security),
                "data" | "database" | "migrations" | "migration" => Some(Topic::Data),
                "concurrency" | "async" | "threads" => Some(Topic::Concurrency),
                "errors" | "error handling" | "reliability" | "robustness" => {
                    Some(Topic::ErrorHandling)
                }
                "performance" | "speed" => Some(Topic::Performance),
                "tests" | "testing" | "test" => Some(Topic::Testing),
                "deployment" | "ci" | "infrastructure" | "operations" => Some(Topic::Deployment),
                _ => None,
            };
            match topic {
                Some(topic) if !focus.topics.contains(&topic) => focus.topics.push(topic),
                None if !word.is_empty() && !focus.others.contains(&word) => {
                    focus.others.push(word);
                }
                _ => {}
            }
        }
        focus
    }

    pub(super) fn wants(&self, topic: Topic) -> bool {
        self.topics.contains(&topic)
    }
}

/// The gravest first, and before them what the caller asked for.
pub(super) fn points(file: &File, clues: &Clues, focus: &Focus) -> Vec<String> {
    let mut points: Vec<(u32, String)> = Vec::new();
    for finding in clues.found_in(&file.path) {
        let topic = match finding.kind {
            Kind::Security => Topic::Security,
            Kind::Tamper => Topic::Testing,
            Kind::Quality => Topic::ErrorHandling,
        };
        let wanted = if focus.wants(topic) { 100 } else { 0 };
        let text = format!(
            "line {}: {}: {} – {} ({})",
            finding.place.start_line, finding.severity, finding.what, finding.why, finding.rule
        );
        // Before everything that only looks like trouble.
        points.push((wanted + 50 + finding.severity as u32, text));
    }
    for signal in signals::in_file(file) {
        let wanted = if focus.wants(signal.topic) { 100 } else { 0 };
        let text = format!(
            "line {}: `{}`: {} ({})",
            signal.line,
            signal.seen.trim(),
            signal.says,
            signal.topic.name()
        );
        points.push((wanted + signal.weight, text));
    }
    points.extend(clues.broken_in(&file.path).map(|change| {
        let line = change.line.map(|line| format!("line {line} before: "));
        (5, format!("{}{}", line.unwrap_or_default(), change.what))
    }));
    points.extend(whole_file(file));
    points.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    let more = points.len().saturating_sub(MAX_POINTS);
    let mut shown: Vec<String> = points
        .into_iter()
        .take(MAX_POINTS)
        .map(|(_, text)| text)
        .collect();
    if more > 0 {
        shown.push(format!("and {more} more places like these"));
    }
    shown
}

/// What the file as a whole says.
fn whole_file(file: &File) -> Vec<(u32, String)> {
    let diff = &file.diff;
    let mut points = Vec::new();
    let mut add = |is_so: bool, weight: u32, text: &str| {
        if is_so {
            points.push((weight, text.to_owned()));
        }
    };
    let is_test = areas::is_test(&file.path);
    add(
        is_test && file.is_deleted(),
        5,
        "a test file is deleted: what it held is held by nothing else unless it moved",
    );
    add(diff.is_binary, 3, "a binary file: its content is not shown");
    let became = |mode: &str| diff.new_mode == mode && diff.old_mode != mode;
    add(became("100755"), 4, "the file becomes executable");
    add(became("120000"), 4, "the file becomes a link");
    add(became("160000"), 4, "a submodule moves to another commit");
    let is_generated = file.is_generated();
    add(is_generated, 1, "generated: look at what it was made from");
    add(
        !is_generated && file.changed_lines() > LONG,
        2,
        "a large change: read it in parts",
    );
    points
}

#[cfg(test)]
mod tests {
    use super::super::super::change::samples;
    use super::*;

    #[test]
    fn what_was_asked_for_comes_first() {
        let file = samples::file(
            "src/a.rs",
            "@@ -0,0 +1,3 @@\n+let a = b.unwrap();\n+unsafe { c() }\n+// TODO\n",
        );
        let plain = points(&file, &Clues::default(), &Focus::default());
        let focus = Focus::new(&["Error-Handling".to_owned(), "naming".to_owned()]);
        let focused = points(&file, &Clues::default(), &focus);
        insta::assert_snapshot!(format!("{}\n\n{}", plain.join("\n"), focused.join("\n")), @"
        line 2: `unsafe {`: what makes this unsafe code sound has to be said and kept (security)
        line 1: `.unwrap()`: this ends the program when it does not hold (error handling)
        line 3: `TODO`: something is left to do (unfinished work)

        line 1: `.unwrap()`: this ends the program when it does not hold (error handling)
        line 2: `unsafe {`: what makes this unsafe code sound has to be said and kept (security)
        line 3: `TODO`: something is left to do (unfinished work)
        ");
        assert_eq!(focus.others, ["naming"]);
    }
}
