//! Makes findings out of what rules matched, one for each problem.

use std::collections::HashMap;
use std::ops::Range;

use crate::finding::{Finding, Kind, Severity, Step};
use crate::rules::Rule;
use crate::source::Text;

/// Excerpts are for one line of a terminal or a comment.
const MAX_EXCERPT_LEN: usize = 160;

/// A file may have more findings than a person wants to read.
const MAX_FINDINGS: usize = 500;

/// Gathers the findings of one file. Each class is reported once per line, in
/// its most severe form.
pub(crate) struct Reporter<'t, 'a> {
    text: &'t Text<'a>,
    found: HashMap<(String, u32), Finding>,
}

impl<'t, 'a> Reporter<'t, 'a> {
    pub(crate) fn new(text: &'t Text<'a>) -> Self {
        Self {
            text,
            found: HashMap::new(),
        }
    }

    pub(crate) fn text(&self) -> &'t Text<'a> {
        self.text
    }

    /// Something that is wrong by itself.
    pub(crate) fn pattern(&mut self, rule: &Rule, severity: Severity, range: Range<usize>) {
        self.flow(rule, severity, range, Vec::new());
    }

    /// A literal that should not be in the text, and so is not displayed either.
    pub(crate) fn literal(&mut self, rule: &Rule, severity: Severity, range: Range<usize>) {
        let secret = self.text.text.get(range.clone()).unwrap_or_default();
        let start = range.start;
        self.pattern(rule, severity, range);
        let key = (rule.class.clone(), self.text.line_of(start));
        if let Some(finding) = self.found.get_mut(&key) {
            finding.excerpt = finding.excerpt.replace(secret, "\"***\"");
        }
    }

    /// Whether a finding at this byte would be news. Columns and traces are worked out only
    /// then: they take as long as the line is.
    pub(crate) fn takes(&self, rule: &Rule, severity: Severity, start: usize) -> bool {
        let line = self.text.line_of(self.text.text.floor_char_boundary(start));
        match self.found.get(&(rule.class.clone(), line)) {
            Some(known) => known.severity < severity,
            None => self.found.len() < MAX_FINDINGS,
        }
    }

    /// Something that came from somewhere, and how.
    pub(crate) fn flow(
        &mut self,
        rule: &Rule,
        severity: Severity,
        range: Range<usize>,
        trace: Vec<Step>,
    ) {
        if !self.takes(rule, severity, range.start) {
            return;
        }
        let place = self.text.place(range);
        let key = (rule.class.clone(), place.start_line);
        let excerpt = excerpt(self.text.line(place.start_line));
        self.found.insert(
            key,
            Finding {
                rule: rule.id.clone(),
                kind: rule.kind,
                class: rule.class.clone(),
                cwe: rule.cwe,
                severity,
                place,
                what: rule.what.clone(),
                why: rule.why.clone(),
                remedy: rule.remedy.clone(),
                trace,
                excerpt,
                fingerprint: String::new(),
            },
        );
    }

    /// By line, with fingerprints.
    pub(crate) fn finish(self) -> Vec<Finding> {
        let mut findings: Vec<_> = self.found.into_values().collect();
        findings.sort_by(|a, b| (&a.place, &a.rule).cmp(&(&b.place, &b.rule)));
        fingerprint(&mut findings);
        findings
    }
}

/// A line as it is displayed: without its indentation, no longer than fits, and
/// without characters that would steer a terminal.
pub(crate) fn excerpt(line: &str) -> String {
    let visible: String = line
        .trim()
        .chars()
        .filter(|character| !character.is_control())
        .take(MAX_EXCERPT_LEN + 1)
        .collect();
    if visible.chars().count() > MAX_EXCERPT_LEN {
        let cut: String = visible.chars().take(MAX_EXCERPT_LEN).collect();
        return format!("{cut}…");
    }
    visible
}

/// Gives each finding a name made of its rule, its path and the words of its
/// line, numbered where these are the same; no line number takes part, so that
/// code that moves keeps it. Findings must be in the order of their lines.
///
/// Findings about tests and gates are distinguished by their words as well: two
/// tests of a file may lose the same line, and a setting that is gone has none.
pub(crate) fn fingerprint(findings: &mut [Finding]) {
    let mut seen: HashMap<u64, u32> = HashMap::new();
    for finding in findings {
        let mut hash = unnumbered(&finding.rule, &finding.place.path, &finding.excerpt);
        if finding.kind == Kind::Tamper {
            hash.write_words(&finding.what);
        }
        let nth = seen.entry(hash.0).or_default();
        *nth += 1;
        hash.write(&nth.to_string());
        finding.fingerprint = format!("{:016x}", hash.0);
    }
}

/// The fingerprint of evidence that is no finding in a file: a rule, the path or
/// name that it is about, and the words that say what is wrong.
pub fn fingerprint_of(rule: &str, path: &str, words: &str) -> String {
    let mut hash = unnumbered(rule, path, words);
    hash.write("1");
    format!("{:016x}", hash.0)
}

fn unnumbered(rule: &str, path: &str, words: &str) -> Fnv {
    let mut hash = Fnv::new();
    hash.write(rule);
    hash.write(path);
    hash.write_words(words);
    hash
}

/// FNV-1a: the same on every machine and in every version, which is all that
/// is asked of it here.
struct Fnv(u64);

impl Fnv {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn write_words(&mut self, text: &str) {
        for word in text.split_whitespace() {
            self.write(word);
        }
    }

    fn write(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 ^= u64::from(byte);
            self.0 = self.0.wrapping_mul(0x0100_0000_01b3);
        }
    }
}
