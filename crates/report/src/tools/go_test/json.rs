//! Reads the lines of `go test -json`.

use std::collections::HashMap;

use serde::Deserialize;

use crate::session::Evidence;

use super::package::{Package, Verdict};
use super::paths::Report;
use crate::json;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Event {
    action: String,
    #[serde(default)]
    package: String,
    #[serde(default)]
    test: String,
    #[serde(default)]
    output: String,
}

impl Event {
    pub(super) fn read(text: &str) -> Option<Self> {
        json::read_line(text).filter(|event: &Self| !event.package.is_empty())
    }
}

/// Packages whose events are being read, possibly several at a time.
#[derive(Default)]
pub(super) struct Packages {
    open: HashMap<String, Open>,
}

#[derive(Default)]
struct Open {
    tests: Package,
    lines: (u64, u64),
    /// The compiler failed before.
    not_built: bool,
}

impl Packages {
    pub(super) fn event(&mut self, event: &Event, number: u64, report: &mut Report) {
        /// No machine tests more packages at a time.
        const MAX_OPEN_PACKAGES: usize = 1_000;
        if !self.open.contains_key(&event.package) && self.open.len() >= MAX_OPEN_PACKAGES {
            return;
        }
        let open = self
            .open
            .entry(event.package.clone())
            .or_insert_with(|| Open {
                lines: (number, number),
                ..Open::default()
            });
        open.lines.1 = number;
        let verdict = match event.action.as_str() {
            "pass" => Verdict::Pass,
            "fail" => Verdict::Fail,
            "skip" => Verdict::Skip,
            "run" => return open.tests.start(&event.test),
            "output" => return open.output(event),
            _ => return,
        };
        if !event.test.is_empty() {
            open.tests.verdict(verdict, &event.test, 0);
        } else if let Some(open) = self.open.remove(&event.package) {
            open.close(&event.package, verdict, report);
        }
    }

    pub(super) fn end(&mut self, report: &mut Report) {
        let mut open: Vec<_> = self.open.drain().collect();
        open.sort_by_key(|(_, open)| open.lines);
        for (package, open) in open {
            let outcome = open.tests.failed(&package);
            if !outcome.broke {
                report.add(&package, outcome, open.lines, Evidence::Fragment);
            }
        }
    }
}

impl Open {
    fn output(&mut self, event: &Event) {
        let text = event.output.trim_end_matches('\n');
        if event.test.is_empty() {
            self.not_built |= text.ends_with("[build failed]") || text.ends_with("[setup failed]");
            self.tests.switch(None);
        } else {
            self.tests.switch(Some(&event.test));
            // A test that printed no line break hides its verdict from Go.
            let passed = format!("--- PASS: {} (", event.test);
            if text.find(&passed).is_some_and(|at| at > 0) {
                self.tests.verdict(Verdict::Pass, &event.test, 0);
                return;
            }
        }
        let is_frame = text.starts_with("=== ") || super::verdict_line(text).is_some();
        if !is_frame && !matches!(text, "PASS" | "FAIL") {
            self.tests.text(text);
        }
    }

    fn close(self, package: &str, verdict: Verdict, report: &mut Report) {
        let outcome = match verdict {
            Verdict::Fail if !self.not_built => self.tests.failed(package),
            _ => self.tests.passed(),
        };
        report.add(package, outcome, self.lines, Evidence::Complete);
    }
}
