//! Findings against labels.

use std::collections::BTreeMap;

use super::weakness;

/// What somebody else says about a piece of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// Relative to the folder that is scanned.
    pub(super) path: String,
    /// Where a finding has to be; anywhere in the file when absent.
    pub(super) lines: Option<(u32, u32)>,
    pub(super) cwe: u32,
    /// The code has the weakness, or is right and looks like it.
    pub(super) is_weak: bool,
}

/// What a scanner says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Alarm {
    pub(super) path: String,
    pub(super) lines: (u32, u32),
    /// Empty where the scanner names no weakness.
    pub(super) cwes: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) hits: u32,
    pub(super) misses: u32,
    pub(super) alarms: u32,
    pub(super) rests: u32,
}

impl Label {
    fn is_found_by(&self, alarm: &Alarm) -> bool {
        let here = self.lines.is_none_or(|(first, last)| {
            let (start, end) = alarm.lines;
            // A finding over a whole function is no answer to one of its lines.
            start <= last && end.min(start + WIDEST) >= first
        });
        here && alarm
            .cwes
            .iter()
            .any(|cwe| weakness::is_same(*cwe, self.cwe))
    }
}

/// Statements are seldom longer.
const WIDEST: u32 = 10;

/// Counts all labels, each in the group that `group` gives it.
pub(super) fn grouped<'l>(
    labels: impl IntoIterator<Item = &'l Label>,
    alarms: &[Alarm],
    group: impl Fn(&Label) -> String,
) -> BTreeMap<String, Counts> {
    let mut by_path: BTreeMap<&str, Vec<&Alarm>> = BTreeMap::new();
    for alarm in alarms {
        by_path.entry(&alarm.path).or_default().push(alarm);
    }
    let mut groups: BTreeMap<String, Counts> = BTreeMap::new();
    for label in labels {
        let here = by_path.get(label.path.as_str());
        let is_found = here.is_some_and(|all| all.iter().any(|alarm| label.is_found_by(alarm)));
        groups
            .entry(group(label))
            .or_default()
            .add(label.is_weak, is_found);
    }
    groups
}

impl Counts {
    fn add(&mut self, is_weak: bool, is_found: bool) {
        match (is_weak, is_found) {
            (true, true) => self.hits += 1,
            (true, false) => self.misses += 1,
            (false, true) => self.alarms += 1,
            (false, false) => self.rests += 1,
        }
    }

    /// Of what it says, what is right; nothing said is nothing to judge.
    pub(super) fn precision(self) -> Option<f64> {
        share(self.hits, self.alarms)
    }

    pub(super) fn recall(self) -> Option<f64> {
        share(self.hits, self.misses)
    }

    pub(super) fn f1(self) -> Option<f64> {
        let wrong = self.misses + self.alarms;
        let all = 2 * self.hits + wrong;
        (all > 0).then(|| f64::from(2 * self.hits) / f64::from(all))
    }

    /// How much better than guessing: recall less the share of right code that is called wrong.
    pub(super) fn youden(self) -> Option<f64> {
        Some(self.recall()? - share(self.alarms, self.rests)?)
    }
}

fn share(part: u32, other: u32) -> Option<f64> {
    let all = part + other;
    (all > 0).then(|| f64::from(part) / f64::from(all))
}

pub(super) fn ratio(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"))
}

pub(super) fn signed(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:+.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(line: u32, is_weak: bool) -> Label {
        Label {
            path: "a.py".to_owned(),
            lines: Some((line, line + 1)),
            cwe: 89,
            is_weak,
        }
    }

    fn alarm(start: u32, end: u32, cwe: u32) -> Alarm {
        Alarm {
            path: "a.py".to_owned(),
            lines: (start, end),
            cwes: vec![cwe],
        }
    }

    fn counted(labels: &[Label], alarms: &[Alarm]) -> Counts {
        let groups = grouped(labels, alarms, |_| String::new());
        groups.into_values().next().unwrap_or_default()
    }

    #[test]
    fn the_place_and_the_weakness_both_count() {
        let labels = [
            label(1, true),
            label(10, true),
            label(20, false),
            label(30, false),
        ];
        // The second is about something else, the third is wrong.
        let alarms = [alarm(2, 2, 564), alarm(10, 10, 79), alarm(20, 20, 89)];
        let counts = counted(&labels, &alarms);
        assert_eq!(
            counts,
            Counts {
                hits: 1,
                misses: 1,
                alarms: 1,
                rests: 1
            }
        );
        assert_eq!(ratio(counts.precision()), "0.50");
        assert_eq!(ratio(counts.f1()), "0.50");
        assert_eq!(signed(counts.youden()), "+0.00");
    }

    #[test]
    fn a_finding_as_long_as_a_file_does_not_answer_its_last_line() {
        let counts = counted(&[label(500, true)], &[alarm(1, 600, 89)]);
        assert_eq!(counts.hits, 0);
    }

    #[test]
    fn nothing_said_has_no_precision() {
        let counts = counted(&[label(1, true)], &[]);
        assert_eq!(
            (ratio(counts.precision()), ratio(counts.recall())),
            ("–".to_owned(), "0.00".to_owned())
        );
    }
}
