//! What a review says about a place in the code, in the words of the handoff.

use baton_protocol::handoff::{BlockingIssue, Choice, Location, Severity};
use baton_review::{Finding, Severity as Grade};
use serde_json::{Value, json};

use crate::foreign_text::{in_markdown, one_line};

/// One comment of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReviewComment {
    pub(crate) severity: Severity,
    pub(crate) path: String,
    /// First and last line after the change; zero for a file as a whole.
    pub(crate) lines: (u32, u32),
    /// The rule or, after the name of the agent that claims it, the sort of problem; of
    /// what a person asks for, the address.
    pub(crate) rule: String,
    pub(crate) what: String,
    pub(crate) why: String,
    pub(crate) remedy: String,
    pub(crate) excerpt: String,
    /// The same for the same problem in every run.
    pub(crate) fingerprint: String,
}

const MAX_EXCERPT: usize = 160;
const MAX_SENTENCE: usize = 600;

impl ReviewComment {
    /// What is at or above the threshold has to be dealt with.
    pub(crate) fn from_finding(finding: &Finding, threshold: Grade) -> Self {
        let severity = match finding.severity {
            grade if grade < threshold => Severity::Suggestion,
            Grade::Critical => Severity::Critical,
            _ => Severity::Important,
        };
        let sentence = |text: &str| one_line(text, MAX_SENTENCE);
        Self {
            severity,
            path: finding.place.path.clone(),
            lines: (finding.place.start_line, finding.place.end_line),
            rule: finding.rule.clone(),
            what: sentence(&finding.what),
            why: sentence(&finding.why),
            remedy: sentence(&finding.remedy),
            excerpt: one_line(&finding.excerpt, MAX_EXCERPT),
            fingerprint: finding.fingerprint.clone(),
        }
    }

    pub(crate) fn is_blocking(&self) -> bool {
        self.severity != Severity::Suggestion
    }

    /// The same for the same problem wherever its line moves, as rounds are
    /// compared by it.
    pub(crate) fn description(&self) -> String {
        let excerpt = match self.excerpt.as_str() {
            "" => String::new(),
            line => format!(": `{}`", line.replace('`', "'")),
        };
        let mut sentences = vec![format!("{}{excerpt}", self.what)];
        for sentence in [&self.why, &self.remedy] {
            if !sentence.is_empty() {
                sentences.push(sentence.clone());
            }
        }
        format!("{} ({})", sentences.join(" – "), self.rule)
    }

    /// Nothing for what is about the change as a whole.
    pub(crate) fn location(&self) -> Option<Location> {
        let location = match (self.path.as_str(), self.lines.0) {
            ("", _) => return None,
            (path, 0) => path.to_owned(),
            (path, line) => format!("{path}:{line}"),
        };
        Some(Location::from(location.as_str()))
    }

    pub(crate) fn issue(&self) -> BlockingIssue {
        BlockingIssue {
            location: self.location(),
            severity: Choice::from(self.severity),
            description: self.description(),
        }
    }

    pub(crate) fn mark(&self) -> FindingMark {
        FindingMark::new(&self.path, &self.description())
    }

    /// What stands in the thread. The line itself is above it.
    pub(crate) fn comment(&self) -> String {
        let mut parts = vec![format!(
            "**{}**: {}",
            self.severity,
            in_markdown(&self.what)
        )];
        let more = [&self.why, &self.remedy].into_iter();
        let more = more.filter(|sentence| !sentence.is_empty());
        parts.extend(more.map(|sentence| in_markdown(sentence)));
        parts.push(format!("`{}`", self.rule.replace('`', "'")));
        parts.push(self.mark().text());
        parts.join("\n\n")
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "severity": self.severity,
            "path": self.path,
            "lines": [self.lines.0, self.lines.1],
            "rule": self.rule,
            "what": self.what,
            "why": self.why,
            "remedy": self.remedy,
            "excerpt": self.excerpt,
            "fingerprint": self.fingerprint,
        })
    }

    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let line = |index: usize| {
            value["lines"][index]
                .as_u64()
                .and_then(|line| line.try_into().ok())
        };
        Some(Self {
            severity: value["severity"].as_str()?.parse().ok()?,
            path: text("path")?,
            lines: (line(0)?, line(1)?),
            rule: text("rule")?,
            what: text("what")?,
            why: text("why")?,
            remedy: text("remedy")?,
            excerpt: text("excerpt")?,
            fingerprint: text("fingerprint")?,
        })
    }
}

/// Says in a thread which comment it is about, in a comment that pages do not
/// show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FindingMark(u64);

const BEFORE: &str = "<!-- baton:finding ";

impl FindingMark {
    pub(crate) fn new(path: &str, description: &str) -> Self {
        // FNV-1a: stands in comments for months, so it must never change.
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in path.bytes().chain([0]).chain(description.trim().bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Self(hash)
    }

    pub(crate) fn from_issue(issue: &BlockingIssue) -> Self {
        let path = issue.location.as_ref().map_or("", Location::path);
        Self::new(path, &issue.description)
    }

    pub(crate) fn name(self) -> String {
        format!("{:016x}", self.0)
    }

    pub(crate) fn text(self) -> String {
        format!("{BEFORE}{} -->", self.name())
    }

    /// The mark that a comment has, if any.
    pub(crate) fn in_comment(body: &str) -> Option<Self> {
        let (_, behind) = body.split_once(BEFORE)?;
        let digits = behind.get(..16)?;
        u64::from_str_radix(digits, 16).ok().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comment() -> ReviewComment {
        ReviewComment {
            severity: Severity::Critical,
            path: "src/users.rs".to_owned(),
            lines: (7, 8),
            rule: "rust/sql-injection".to_owned(),
            what: "SQL statement built from untrusted input".to_owned(),
            why: "anyone who sends the value can read <any> row".to_owned(),
            remedy: "Use placeholders.".to_owned(),
            excerpt: "db.query(&sql)".to_owned(),
            fingerprint: "00".to_owned(),
        }
    }

    #[test]
    fn a_remark_is_known_again_by_its_words() {
        let comment = comment();
        let mut moved = comment.clone();
        moved.lines = (70, 80);
        assert_eq!(moved.mark(), comment.mark());
        assert_eq!(FindingMark::from_issue(&comment.issue()), comment.mark());
        assert_eq!(
            FindingMark::in_comment(&comment.comment()),
            Some(comment.mark())
        );
        assert_eq!(ReviewComment::from_json(&comment.to_json()), Some(comment));
        assert_eq!(FindingMark::in_comment("<!-- baton:finding ä"), None);
    }

    #[test]
    fn words_for_agents_and_for_people() {
        insta::assert_snapshot!(comment().description(), @"SQL statement built from untrusted input: `db.query(&sql)` – anyone who sends the value can read <any> row – Use placeholders. (rust/sql-injection)");
        insta::assert_snapshot!(comment().comment(), @"
        **critical**: SQL statement built from untrusted input

        anyone who sends the value can read &lt;any&gt; row

        Use placeholders.

        `rust/sql-injection`

        <!-- baton:finding 0ceb42e38be4d387 -->
        ");
    }
}
