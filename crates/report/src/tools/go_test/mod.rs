//! Reads `go test`: plain, verbose and as JSON lines, and the output of
//! gotestsum.

mod gotestsum;
mod json;
mod package;
mod paths;

use memchr::memmem;

use crate::session::{Evidence, Sessions};
use crate::text::{Line, TextReader};
use crate::tools::Tool;

use gotestsum::Summary;
use json::Event;
use package::{Package, Verdict};
use paths::Report;

pub(super) const TOOL: Tool = Tool::text::<GoTest>(
    &[
        "=== RUN ",
        "=== FAIL: ",
        "=== Failed",
        "=== Skipped",
        "--- FAIL: ",
        "--- SKIP: ",
        "ok  \t",
        "FAIL\t",
        "?   \t",
        "panic: ",
        "fatal error: ",
        "WARNING: DATA RACE",
        "DONE ",
        "{\"Time\":\"",
        "{\"Action\":\"",
    ],
    &[],
);

#[derive(Default)]
struct GoTest {
    /// The package whose output is being read.
    package: Option<Package>,
    /// Lines since the last one that only this framework prints.
    idle: u32,
    /// The first line of the package's output.
    first_line: u64,
    json: json::Packages,
    summary: Option<Summary>,
    report: Report,
}

impl TextReader for GoTest {
    fn awake(&self) -> bool {
        self.package.is_some() || self.summary.is_some()
    }

    fn line(&mut self, line: Line<'_>, _: &mut Sessions) {
        // Go marks its own lines when a tool reads them.
        let text = line.text.trim_start_matches('\u{16}');
        if text.starts_with("{\"")
            && let Some(event) = Event::read(text)
        {
            self.json.event(&event, line.number, &mut self.report);
        } else if let Some(summary) = &mut self.summary {
            if summary.line(line, &mut self.report) {
                self.summary = None;
            }
        } else if Summary::begins(text) {
            self.package = None;
            let mut summary = Summary::new(line.number);
            if !summary.line(line, &mut self.report) {
                self.summary = Some(summary);
            }
        } else if !self.package_line(text, line.number) {
            self.in_package(text, line.number);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        if let Some(package) = self.package.take()
            && !package.is_untouched()
        {
            let outcome = package.failed("");
            if !outcome.broke {
                self.report.add(
                    "",
                    outcome,
                    (self.first_line, self.first_line),
                    Evidence::Fragment,
                );
            }
        }
        if let Some(summary) = self.summary.take() {
            summary.cut_off(&mut self.report);
        }
        self.json.end(&mut self.report);
        std::mem::take(&mut self.report).publish(sessions);
        *self = Self::default();
    }
}

impl GoTest {
    /// Returns whether the line is a package's last one.
    fn package_line(&mut self, text: &str, number: u64) -> bool {
        let Some((result, package, note)) = package_line(text) else {
            return false;
        };
        let tests = self.package.take().unwrap_or_default();
        let first = if tests.is_untouched() {
            number
        } else {
            self.first_line
        };
        let outcome = match result {
            PackageResult::Failed
                if note.contains("[build failed]") || note.contains("[setup failed]") =>
            {
                // The compiler's errors explain more.
                Package::default().passed()
            }
            PackageResult::Failed => {
                let mut tests = tests;
                if tests.is_untouched() {
                    tests.switch(None);
                }
                tests.failed(package)
            }
            PackageResult::Ok => tests.passed(),
        };
        self.report
            .add(package, outcome, (first, number), Evidence::Complete);
        // The next package may print before its first test.
        self.package = Some(Package::default());
        self.idle = 0;
        true
    }

    fn in_package(&mut self, text: &str, number: u64) {
        /// After this much output without a line of the framework, another
        /// program is printing.
        const MAX_IDLE_LINES: u32 = 300;
        /// The stacks of a process with many threads are long.
        const MAX_CRASH_LINES: u32 = 20_000;
        let package = self.package.get_or_insert_default();
        if package.is_untouched() {
            self.first_line = number;
        }
        if step(package, text) {
            self.idle = 0;
            return;
        }
        package.text(text);
        self.idle += 1;
        let max = if package.is_crashing() {
            MAX_CRASH_LINES
        } else {
            MAX_IDLE_LINES
        };
        if self.idle > max && package.is_untouched() {
            self.package = None;
            self.idle = 0;
        }
    }
}

/// Handles a line of the framework itself.
fn step(package: &mut Package, text: &str) -> bool {
    if let Some(rest) = text.strip_prefix("=== ")
        && let Some((word, name)) = rest.split_once(' ')
    {
        let name = name.trim();
        match word {
            "RUN" => package.start(name),
            "CONT" | "NAME" => package.switch(Some(name)),
            "PAUSE" => package.switch(None),
            _ => return false,
        }
        return true;
    }
    if matches!(text, "PASS" | "FAIL") {
        package.switch(None);
        return true;
    }
    if package.is_verbose() && text.starts_with("Benchmark") && !text.contains([' ', '\t']) {
        package.start(text);
        return true;
    }
    if let Some((verdict, name, indent)) = verdict_line(text) {
        return package.verdict(verdict, name, indent);
    }
    // If a test printed no line break, the verdict is on its own line.
    if text.starts_with([' ', '\t']) {
        return false;
    }
    let verdict = memmem::find(text.as_bytes(), b"--- ").and_then(|at| text.get(at..));
    match verdict.and_then(verdict_line) {
        Some((verdict, name, _)) => package.verdict(verdict, name, 0),
        None => false,
    }
}

/// `    --- FAIL: TestA/b (0.00s)`
fn verdict_line(text: &str) -> Option<(Verdict, &str, usize)> {
    let trimmed = text.trim_start_matches(' ');
    let rest = trimmed.strip_prefix("--- ")?;
    let (word, rest) = rest.split_once(": ")?;
    let verdict = match word {
        "PASS" => Verdict::Pass,
        "FAIL" => Verdict::Fail,
        "SKIP" => Verdict::Skip,
        _ => return None,
    };
    let name = match rest.rsplit_once(" (") {
        Some((name, time)) if time.ends_with("s)") => name,
        // Benchmarks are reported without their time.
        _ if rest.starts_with("Benchmark") && !rest.contains(' ') => rest,
        _ => return None,
    };
    Some((verdict, name, text.len() - trimmed.len()))
}

enum PackageResult {
    Ok,
    Failed,
}

/// `ok  \tpkg\t0.1s`, `FAIL\tpkg [build failed]`, `?   \tpkg\t[no test files]`:
/// the result, the package and the note.
fn package_line(text: &str) -> Option<(PackageResult, &str, &str)> {
    let (result, rest) = if let Some(rest) = text.strip_prefix("FAIL\t") {
        (PackageResult::Failed, rest)
    } else {
        let rest = text.strip_prefix("ok  \t");
        (
            PackageResult::Ok,
            rest.or_else(|| text.strip_prefix("?   \t"))?,
        )
    };
    let end = rest.find(['\t', ' '])?;
    let (package, note) = rest.split_at(end);
    (!package.is_empty()).then(|| (result, package, note.trim()))
}
