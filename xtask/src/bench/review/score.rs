//! Findings against labels.

use std::collections::{BTreeMap, BTreeSet};

use super::weakness;

/// What someone else says about a piece of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// Relative to the folder that is scanned.
    pub(super) path: String,
    /// Where a finding has to be; anywhere in the file when absent.
    pub(super) lines: Option<(u32, u32)>,
    pub(super) cwe: u32,
    pub(super) verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The code has the weakness.
    Weak,
    /// It is right and looks like it.
    Right,
    /// All places of the file that have the weakness are labelled, so that
    /// whatever else is said of it is wrong.
    RightElsewhere,
}

impl Verdict {
    pub(super) const fn from_label(is_weak: bool) -> Self {
        if is_weak { Self::Weak } else { Self::Right }
    }
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
    /// Alarms in places that have no label of their own.
    pub(super) strays: u32,
}

impl Label {
    fn is_found_by(&self, alarm: &Alarm) -> bool {
        let here = self.lines.is_none_or(|(first, last)| {
            let (start, end) = alarm.lines;
            // A finding over a whole function is no answer to one of its lines.
            start <= last && end.min(start + WIDEST) >= first
        });
        let same = |cwe: &u32| weakness::is_same(*cwe, self.cwe);
        here && alarm.cwes.iter().any(same)
    }
}

/// Statements are seldom longer.
const WIDEST: u32 = 10;

/// Counts all labels, each in the group that `group` gives it.
pub(super) fn grouped<'l>(
    labels: impl IntoIterator<Item = &'l Label>,
    alarms: &'l [Alarm],
    group: impl Fn(&Label) -> String,
) -> BTreeMap<String, Counts> {
    let mut groups: BTreeMap<String, Counts> = BTreeMap::new();
    for (labels, alarms) in by_path(labels, alarms).values() {
        for label in labels {
            let counts = groups.entry(group(label)).or_default();
            if label.verdict == Verdict::RightElsewhere {
                let strays = strays(label, labels, alarms).len();
                counts.strays += u32::try_from(strays).unwrap_or(u32::MAX);
            } else {
                let is_found = alarms.iter().any(|alarm| label.is_found_by(alarm));
                counts.add(label.verdict == Verdict::Weak, is_found);
            }
        }
    }
    groups
}

/// A line for each label that was missed and for each false alarm.
pub(super) fn mistakes<'l>(
    labels: impl IntoIterator<Item = &'l Label>,
    alarms: &'l [Alarm],
) -> Vec<String> {
    let mut mistakes = Vec::new();
    for (labels, alarms) in by_path(labels, alarms).values() {
        for label in labels {
            let mut told = |what: &str, line: u32| {
                let class = weakness::name(label.cwe);
                mistakes.push(format!("{what}: {class} in {}:{line}", label.path));
            };
            let line = label.lines.map_or(1, |(first, _)| first);
            let is_found = alarms.iter().any(|alarm| label.is_found_by(alarm));
            match (label.verdict, is_found) {
                (Verdict::Weak, false) => told("missed", line),
                (Verdict::Right, true) => told("false alarm", line),
                (Verdict::RightElsewhere, _) => {
                    for line in strays(label, labels, alarms) {
                        told("false alarm", line);
                    }
                }
                (Verdict::Weak, true) | (Verdict::Right, false) => {}
            }
        }
    }
    mistakes
}

type ByPath<'a> = BTreeMap<&'a str, (Vec<&'a Label>, Vec<&'a Alarm>)>;

fn by_path<'a>(labels: impl IntoIterator<Item = &'a Label>, alarms: &'a [Alarm]) -> ByPath<'a> {
    let mut by_path = ByPath::new();
    for label in labels {
        by_path.entry(&label.path).or_default().0.push(label);
    }
    for alarm in alarms {
        if let Some((_, here)) = by_path.get_mut(alarm.path.as_str()) {
            here.push(alarm);
        }
    }
    by_path
}

/// The lines of a file that are called wrong and that `labels` do not call so.
fn strays(whole: &Label, labels: &[&Label], alarms: &[&Alarm]) -> BTreeSet<u32> {
    let is_stray = |alarm: &&&Alarm| {
        let weak = |label: &&&Label| label.verdict == Verdict::Weak;
        let mut known = labels.iter().filter(weak);
        whole.is_found_by(alarm) && !known.any(|label| label.is_found_by(alarm))
    };
    let strays = alarms.iter().filter(is_stray);
    strays.map(|alarm| alarm.lines.0).collect()
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
        share(self.hits, self.alarms + self.strays)
    }

    pub(super) fn recall(self) -> Option<f64> {
        share(self.hits, self.misses)
    }

    pub(super) fn f1(self) -> Option<f64> {
        let wrong = self.misses + self.alarms + self.strays;
        let all = 2 * self.hits + wrong;
        (all > 0).then(|| f64::from(2 * self.hits) / f64::from(all))
    }

    /// How much better than guessing: recall less the share of right code that
    /// is called wrong, where it is known how much right code there is.
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
            verdict: Verdict::from_label(is_weak),
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
                rests: 1,
                strays: 0
            }
        );
        assert_eq!(ratio(counts.precision()), "0.50");
        assert_eq!(ratio(counts.f1()), "0.50");
        assert_eq!(signed(counts.youden()), "+0.00");
    }

    #[test]
    fn where_all_is_labelled_the_rest_is_wrong() {
        let whole = Label {
            lines: None,
            verdict: Verdict::RightElsewhere,
            ..label(0, false)
        };
        // Two alarms are about one line, and one is about something else.
        let alarms = [
            alarm(2, 2, 89),
            alarm(8, 8, 89),
            alarm(8, 9, 564),
            alarm(9, 9, 79),
        ];
        let counts = counted(&[label(1, true), whole], &alarms);
        assert_eq!((counts.hits, counts.strays), (1, 1));
        assert_eq!(ratio(counts.precision()), "0.50");
        assert_eq!(signed(counts.youden()), "–");
    }

    #[test]
    fn mistakes_are_listed() {
        let whole = Label {
            lines: None,
            verdict: Verdict::RightElsewhere,
            ..label(0, false)
        };
        let labels = [label(1, true), whole];
        let alarms = [alarm(30, 30, 89)];
        insta::assert_snapshot!(mistakes(&labels, &alarms).join("\n"), @"
        missed: SQL and NoSQL injection in a.py:1
        false alarm: SQL and NoSQL injection in a.py:30
        ");
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
