//! Runs all checks on changed files.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::thread;

use crate::budget::{Budget, StopFlag};
use crate::explained::Fixed;
use crate::finding::{Finding, Kind, Place, Severity};
use crate::language::Language;
use crate::pattern;
use crate::quality;
use crate::report::{self, Reporter};
use crate::sarif;
use crate::secrets;
use crate::source::{Source, Text, Unread};
use crate::suppress;
use crate::taint;
use crate::tamper;
use crate::tree_index::TreeIndex;

/// Threads are given room for the deepest nesting that is followed.
const STACK: usize = 8 << 20;

/// A larger file was generated, and a note about it is enough.
const WRITTEN_BY_HAND: usize = 256 << 10;

/// A small file that cannot be followed may have been made so to hide something.
pub(crate) const NOT_REVIEWED: Fixed = Fixed {
    id: "review/too-involved",
    class: "not-reviewed",
    kind: Kind::Quality,
    severity: Severity::Medium,
    what: "File that is too involved to be reviewed",
    why: "what is wrong in it may not have been found, and people cannot follow it either",
    remedy: "Split it, or nest it less deeply.",
};

/// A file of the change, before and after it.
#[derive(Debug, Clone)]
pub struct ChangedFile<'a> {
    /// Relative to the repository, with forward slashes.
    pub path: &'a str,
    /// `None` when the file is new.
    pub before: Option<&'a [u8]>,
    /// `None` when the file was deleted.
    pub after: Option<&'a [u8]>,
    pub touched: Touched,
}

/// Which lines of the file after the change belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touched {
    All,
    /// Ranges of lines, counted from one.
    Lines(Vec<RangeInclusive<u32>>),
}

impl Touched {
    pub fn contains(&self, line: u32) -> bool {
        match self {
            Self::All => true,
            Self::Lines(ranges) => ranges.iter().any(|range| range.contains(&line)),
        }
    }

    fn overlaps(&self, first: u32, last: u32) -> bool {
        match self {
            Self::All => true,
            Self::Lines(ranges) => ranges
                .iter()
                .any(|range| *range.start() <= last && first <= *range.end()),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Options {
    /// Findings below it are left out.
    pub threshold: Severity,
    /// Also on lines that the change did not touch.
    pub everywhere: bool,
    /// The files are a change to a base. Comments that it brings along accept
    /// none of its findings; those that were there before do.
    pub is_change: bool,
    /// How many threads may work; one is enough for a handful of files.
    pub threads: usize,
    /// Ends the review when it is set.
    pub stop: StopFlag,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threshold: Severity::Medium,
            everywhere: false,
            is_change: false,
            threads: 1,
            stop: StopFlag::default(),
        }
    }
}

/// Everything that a review reports about a change.
#[derive(Debug, Default)]
pub struct Review {
    /// In the order of the files, then by line.
    pub findings: Vec<Finding>,
    pub notes: Vec<Note>,
    pub unused_suppressions: Vec<UnusedSuppression>,
    /// What it cost, in units that are the same on every machine; bounded by a constant and the
    /// size of the files.
    pub work: u64,
}

/// A file that was not reviewed, or not to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub path: String,
    pub reason: Unread,
}

/// A suppression comment that suppresses nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedSuppression {
    pub path: String,
    pub line: u32,
    pub rule: String,
}

/// Judges each file by itself.
pub fn review(files: &[ChangedFile<'_>], options: &Options) -> Review {
    review_with(files, &[], options)
}

/// The same, together with what other scanners found in these files: reported
/// once where both found it, and subject to the same comments, lines and
/// threshold.
pub fn review_with(files: &[ChangedFile<'_>], others: &[Finding], options: &Options) -> Review {
    let mut whole = Review::default();
    for part in each_file(files, others, options) {
        whole.findings.extend(part.findings);
        whole.notes.extend(part.notes);
        whole.unused_suppressions.extend(part.unused_suppressions);
        whole.work += part.work;
    }
    if options.stop.is_set() {
        // Checks that compare files with each other need all of them.
        return whole;
    }
    let untested = quality::untested(files).into_iter();
    whole
        .findings
        .extend(untested.filter(|finding| finding.severity >= options.threshold));
    // What was weakened may be gone from the file, so no line has to be touched.
    let tampering = tamper::findings(files, options.is_change, &options.stop);
    whole.work += tampering.work;
    for note in tampering.notes {
        if !whole
            .notes
            .iter()
            .any(|known| known.path == note.path && known.reason == note.reason)
        {
            whole.notes.push(note);
        }
    }
    whole.findings.extend(
        tampering
            .findings
            .into_iter()
            .filter(|finding| finding.severity >= options.threshold),
    );
    whole
}

fn each_file(files: &[ChangedFile<'_>], others: &[Finding], options: &Options) -> Vec<Review> {
    let threads = options.threads.clamp(1, files.len().max(1));
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .filter_map(|worker| {
                thread::Builder::new()
                    .stack_size(STACK)
                    .spawn_scoped(scope, move || {
                        let mine = files.iter().enumerate().skip(worker).step_by(threads);
                        mine.map(|(at, file)| (at, review_file(file, others, options)))
                            .collect::<Vec<_>>()
                    })
                    .ok()
            })
            .collect();
        let mut parts: Vec<_> = workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a review does not panic"))
            .collect();
        parts.sort_by_key(|(at, _)| *at);
        parts.into_iter().map(|(_, part)| part).collect()
    })
}

fn review_file(file: &ChangedFile<'_>, others: &[Finding], options: &Options) -> Review {
    let mut review = Review::default();
    if options.stop.is_set() {
        review.notes.push(Note {
            path: file.path.to_owned(),
            reason: Unread::Stopped,
        });
        return review;
    }
    let Some(after) = file.after else {
        return review;
    };
    let before = file.before.map_or(0, <[u8]>::len);
    let budget = Budget::for_bytes(after.len() + before, &options.stop);
    inspect_into(&mut review, file, after, &budget);
    let others = others.iter().filter(|other| other.place.path == file.path);
    sarif::merge(&mut review.findings, with_excerpts(others, after));
    review.work = budget.spent();
    admit(review, file, after, options)
}

/// What the engine itself finds, and why it could not look.
fn inspect_into(review: &mut Review, file: &ChangedFile<'_>, after: &[u8], budget: &Budget) {
    let note = |reason| Note {
        path: file.path.to_owned(),
        reason,
    };
    match inspect(file, after, budget) {
        Ok(Inspected {
            findings,
            complete,
            broken_at,
        }) => {
            review.findings = findings;
            if !complete && budget.ended().is_none() {
                review.notes.push(note(Unread::TooInvolved));
            }
            let broken = broken_at.map(|line| note(Unread::SyntaxError { line }));
            review.notes.extend(broken);
        }
        // Reported below, together with the cost of the search for secrets.
        Err(Unread::TooInvolved | Unread::Stopped) => {}
        Err(reason) => review.notes.push(note(reason)),
    }
    let secrets = secrets::findings(file.path, after, budget);
    review.notes.extend(budget.ended().map(note));
    if budget.ended() == Some(Unread::TooInvolved) && after.len() <= WRITTEN_BY_HAND {
        review.findings.push(not_reviewed(file.path, after));
    }
    // A finding that names the provider is more specific than one that names a variable.
    review.findings.retain(|finding| {
        let known = |secret: &Finding| secret.place.start_line == finding.place.start_line;
        finding.class != secrets::CLASS || !secrets.iter().any(known)
    });
    review.findings.extend(secrets);
}

fn not_reviewed(path: &str, after: &[u8]) -> Finding {
    let lines = memchr::memchr_iter(b'\n', after).count();
    let mut finding = [Finding {
        rule: NOT_REVIEWED.id.to_owned(),
        kind: NOT_REVIEWED.kind,
        class: NOT_REVIEWED.class.to_owned(),
        cwe: None,
        severity: NOT_REVIEWED.severity,
        place: Place {
            path: path.to_owned(),
            start_line: 1,
            start_column: 1,
            end_line: u32::try_from(lines.max(1)).unwrap_or(u32::MAX),
            end_column: 1,
        },
        what: NOT_REVIEWED.what.to_owned(),
        why: NOT_REVIEWED.why.to_owned(),
        remedy: NOT_REVIEWED.remedy.to_owned(),
        trace: Vec::new(),
        excerpt: String::new(),
        fingerprint: String::new(),
    }];
    report::fingerprint(&mut finding);
    let [finding] = finding;
    finding
}

/// Not all scanners include the line that a finding is about, and its words
/// distinguish one finding of a rule from the next.
fn with_excerpts<'f>(others: impl Iterator<Item = &'f Finding>, after: &[u8]) -> Vec<Finding> {
    let mut others: Vec<Finding> = others.cloned().collect();
    if others.is_empty() {
        return others;
    }
    let text = String::from_utf8_lossy(after);
    let lines: Vec<&str> = text.lines().collect();
    for other in &mut others {
        let index = usize::try_from(other.place.start_line).map_or(0, |line| line.max(1) - 1);
        let line = lines.get(index).copied().unwrap_or_default();
        other.excerpt = if other.class == secrets::CLASS {
            secrets::hidden(&report::excerpt(line))
        } else {
            report::excerpt(line)
        };
    }
    others.sort_by(|a, b| (&a.place, &a.rule).cmp(&(&b.place, &b.rule)));
    report::fingerprint(&mut others);
    others
}

/// Leaves what counts: not accepted by a comment, on touched lines, severe enough.
fn admit(mut review: Review, file: &ChangedFile<'_>, after: &[u8], options: &Options) -> Review {
    for finding in &mut review.findings {
        if let Cow::Owned(masked) = secrets::masked(&finding.excerpt) {
            finding.excerpt = masked;
        }
    }
    if let Ok(text) = str::from_utf8(after) {
        let before = file.before.and_then(|before| str::from_utf8(before).ok());
        let known = match (options.is_change, before) {
            (true, before) => suppress::Known::InBase(before.unwrap_or_default()),
            (false, _) => suppress::Known::All,
        };
        let unused = suppress::apply(file.path, text, known, &mut review.findings);
        review.unused_suppressions = unused;
    }
    review
        .findings
        .retain(|finding| options.everywhere || is_touched(finding, &file.touched));
    review
        .unused_suppressions
        .retain(|unused| options.everywhere || file.touched.contains(unused.line));
    for finding in &mut review.findings {
        if finding.kind == Kind::Security && is_test_path(file.path) {
            // A proven, critical flow stays visible even there.
            finding.severity = finding.severity.lowered().lowered();
        }
    }
    review
        .findings
        .retain(|finding| finding.severity >= options.threshold);
    review
        .findings
        .sort_by(|a, b| (&a.place, &a.rule).cmp(&(&b.place, &b.rule)));
    review
}

struct Inspected {
    findings: Vec<Finding>,
    /// Whether the file was followed to its end.
    complete: bool,
    /// The line of the first syntax error.
    broken_at: Option<u32>,
}

fn inspect(file: &ChangedFile<'_>, bytes: &[u8], budget: &Budget) -> Result<Inspected, Unread> {
    let language = Language::from_path(file.path).ok_or(Unread::UnknownLanguage)?;
    let source = Source::parse(Text::new(file.path, bytes)?, language, budget)?;
    let index = TreeIndex::new(&source.tree, budget);
    let before = file.before.and_then(|before| str::from_utf8(before).ok());
    let mut reporter = Reporter::new(&source.text);
    let complete = taint::find(&source, &index, &mut reporter);
    pattern::find(&source, &index, &mut reporter);
    quality::find(&source, &index, before, &mut reporter);
    Ok(Inspected {
        findings: reporter.finish(),
        complete,
        broken_at: source.broken_at,
    })
}

/// A change is to blame for a flow when it touched either end of it.
fn is_touched(finding: &Finding, touched: &Touched) -> bool {
    let ends = finding.trace.first().map(|step| &step.place);
    ends.into_iter()
        .chain([&finding.place])
        .any(|place| touched.overlaps(place.start_line, place.end_line))
}

/// Whether a path is that of test code, by the habits of the seven languages.
pub(crate) fn is_test_path(path: &str) -> bool {
    let mut parts = path.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or(path);
    let folder = parts.any(|part| {
        matches!(
            part,
            "test"
                | "tests"
                | "__tests__"
                | "__mocks__"
                | "spec"
                | "specs"
                | "testdata"
                | "fixtures"
                | "e2e"
        )
    });
    let stem = name.split('.').next().unwrap_or(name);
    folder
        || name.contains(".test.")
        || name.contains(".spec.")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || stem.starts_with("test_")
        || name == "conftest.py"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of each language that keep all parts of a review busy: a flow from a source to a
    /// sink, nesting, calls, a literal that looks like a secret.
    const BUSY: [(&str, &str); 7] = [
        (
            "a.py",
            "def f{n}(request, a):\n    b = request.args.get('x')\n    if a and b:\n        for c in b:\n            eval(c + a)\n    password = 'hunter{n}hunter'\n    return g(b, [a, b])\n",
        ),
        (
            "a.js",
            "function f{n}(req, a) {\n  const b = req.query.x;\n  if (a && b) { for (const c of b) { eval(c + a); } }\n  const password = 'hunter{n}hunter';\n  return g(b, [a, b]);\n}\n",
        ),
        (
            "a.ts",
            "function f{n}(req: Request, a: string): string {\n  const b = req.query.x;\n  if (a && b) { for (const c of b) { eval(c + a); } }\n  return g(b, [a, b]);\n}\n",
        ),
        (
            "a.go",
            "func f{n}(r *http.Request, a string) string {\n\tb := r.FormValue(\"x\")\n\tif a != \"\" {\n\t\tfor _, c := range b {\n\t\t\texec.Command(\"sh\", \"-c\", a+string(c)).Run()\n\t\t}\n\t}\n\treturn g(b, a)\n}\n",
        ),
        (
            "A.java",
            "class A{n} {\n  String f(HttpServletRequest r, String a) throws Exception {\n    String b = r.getParameter(\"x\");\n    if (a != null) { for (char c : b.toCharArray()) { Runtime.getRuntime().exec(a + c); } }\n    return g(b, a);\n  }\n}\n",
        ),
        (
            "a.rb",
            "def f{n}(a)\n  b = params[:x]\n  if a\n    b.each { |c| eval(c + a) }\n  end\n  password = 'hunter{n}hunter'\n  g(b, [a, b])\nend\n",
        ),
        (
            "a.rs",
            "fn f{n}(a: &str) -> String {\n    let b = std::env::args().nth(1).unwrap();\n    if !a.is_empty() {\n        for c in b.chars() { std::process::Command::new(format!(\"{a}{c}\")).spawn().unwrap(); }\n    }\n    g(&b, a)\n}\n",
        ),
    ];

    const FUNCTIONS: u64 = 100;

    /// Work that is asked for after the end, and not done. A pass may go through the rest of the
    /// list of functions, with a question or two for each of them; nothing inside of them goes on,
    /// where there are hundreds of questions for each.
    const MAX_LATE: u64 = 8 * FUNCTIONS;

    /// A stop is noticed at the next question to the budget, and a limit as well: wherever in a
    /// large file it comes, all loops end instead of running on.
    #[test]
    fn the_end_of_the_budget_is_the_end_of_the_work() {
        for (path, code) in BUSY {
            let text: String = (0..FUNCTIONS)
                .map(|number| code.replace("{n}", &number.to_string()))
                .collect();
            let file = ChangedFile {
                path,
                before: None,
                after: Some(text.as_bytes()),
                touched: Touched::All,
            };
            let whole = Budget::ending_after(u64::MAX);
            inspect_into(&mut Review::default(), &file, text.as_bytes(), &whole);
            assert!(whole.spent() > 20 * MAX_LATE, "{path}: {}", whole.spent());
            for part in 0..5 {
                let budget = Budget::ending_after(whole.spent() / 5 * part + 1);
                inspect_into(&mut Review::default(), &file, text.as_bytes(), &budget);
                let late = budget.late();
                assert!(late <= MAX_LATE, "{path}, after {part} fifths: {late}");
            }
        }
    }

    #[test]
    fn no_file_is_begun_after_the_stop() {
        let options = Options::default();
        options.stop.set();
        // Too large to be looked at in vain: the limit of a file grows with its size.
        let text = "x = 1\n".repeat(100_000);
        let files = ["a.py", "b.py"].map(|path| ChangedFile {
            path,
            before: Some(b""),
            after: Some(text.as_bytes()),
            touched: Touched::All,
        });
        let review = review(&files, &options);
        assert_eq!(review.work, 0);
        let paths: Vec<_> = review.notes.iter().map(|note| note.path.as_str()).collect();
        assert_eq!(paths, ["a.py", "b.py"]);
    }
}
