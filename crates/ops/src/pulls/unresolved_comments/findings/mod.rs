//! Remarks about lines of the code that stand inside a longer text.
//!
//! Review bots put what they cannot, or would rather not, post as threads into
//! the text of a review: folded sections per file, lists of places. Reviewers
//! who write by mail or in a hurry do the same. What is told here by the shape
//! of the text, by any author; the text itself stays as it is.

mod anchor;
mod sections;

use baton_protocol::tools::find_unresolved_comments::CommentFinding;

use self::anchor::Lines;
use self::sections::{Sections, Token};
use super::{excerpt, severity};

/// Longer texts are read so far. GitHub's own limit is a quarter of it.
const MAX_TEXT_LEN: usize = 256 << 10;

pub(super) fn parse(text: &str) -> Vec<CommentFinding> {
    let mut scan = Scan::default();
    let end = text.floor_char_boundary(MAX_TEXT_LEN);
    for line in text[..end].lines() {
        scan.line(unquoted(line));
    }
    scan.close();
    scan.found
}

/// Sections often stand in a quotation.
fn unquoted(mut line: &str) -> &str {
    while let Some(rest) = line.trim_start().strip_prefix('>') {
        line = rest.strip_prefix(' ').unwrap_or(rest);
    }
    line
}

#[derive(Default)]
struct Scan {
    sections: Sections,
    /// In a block of code, which ends with this.
    fence: Option<&'static str>,
    open: Option<Open>,
    /// The lines of the list item that we are in, for an address further down.
    item: Vec<String>,
    found: Vec<CommentFinding>,
}

/// A remark whose end has not been seen.
struct Open {
    path: String,
    lines: Option<Lines>,
    category: Option<String>,
    text: Vec<String>,
    /// How deep in sections it began.
    depth: usize,
    /// It is an item of a list that has the address of its place in it.
    is_item: bool,
}

impl Scan {
    fn line(&mut self, line: &str) {
        if self.in_code(line) {
            if !self.sections.is_ignored() {
                self.keep(line);
            }
            return;
        }
        let mut words = String::new();
        for token in sections::tokens(line) {
            if let Token::Text(text) = token {
                if self.sections.take_name(text) {
                    continue;
                }
                words += text;
                continue;
            }
            self.sections.take(&token);
            if self
                .open
                .as_ref()
                .is_some_and(|open| open.depth > self.sections.depth())
            {
                self.keep(&words);
                words.clear();
                self.close();
            }
        }
        if !self.sections.is_ignored() {
            self.words(&words);
        }
    }

    /// Whether the line belongs to a block of code.
    fn in_code(&mut self, line: &str) -> bool {
        let line = line.trim_start();
        let fence = ["```", "~~~"]
            .into_iter()
            .find(|fence| line.starts_with(fence));
        match (self.fence, fence) {
            (None, None) => false,
            (None, Some(fence)) => {
                self.fence = Some(fence);
                true
            }
            (Some(open), now) => {
                if now == Some(open) {
                    self.fence = None;
                }
                true
            }
        }
    }

    fn words(&mut self, line: &str) {
        let trimmed = line.trim();
        if self.open.as_ref().is_some_and(|open| open.is_item) && anchor::begins_item(trimmed) {
            self.close();
        }
        if let Some(path) = self.sections.file()
            && let Some((lines, rest)) = anchor::lines_at_start(trimmed)
        {
            let path = path.to_owned();
            self.begin(path, Some(lines), rest);
        } else if let Some((path, lines, rest)) = anchor::place_at_start(trimmed) {
            self.begin(path.to_owned(), Some(lines), rest);
        } else if self.open.is_none()
            && let Some((path, lines)) = anchor::permalink_in(trimmed)
        {
            let item = std::mem::take(&mut self.item);
            self.begin(path, lines, &item.join("\n"));
            self.keep(trimmed);
            if let Some(open) = &mut self.open {
                open.is_item = true;
            }
        } else if self.ends_here(trimmed) {
            self.close();
            self.item.clear();
        } else {
            self.keep(line);
            self.note_item(trimmed);
        }
    }

    /// A rule or a heading ends a remark; in a list and outside of sections,
    /// where anything may follow, so does an empty line.
    fn ends_here(&self, line: &str) -> bool {
        let is_rule = line.len() >= 3 && line.bytes().all(|byte| byte == b'-');
        let is_heading = line.starts_with('#');
        let is_loose = |open: &Open| open.is_item || self.sections.depth() == 0;
        let is_over = line.is_empty() && self.open.as_ref().is_some_and(is_loose);
        is_rule || is_heading || is_over
    }

    fn note_item(&mut self, line: &str) {
        if anchor::begins_item(line) {
            self.item.clear();
        } else if self.item.is_empty() {
            return;
        }
        self.item.push(line.to_owned());
    }

    fn begin(&mut self, path: String, lines: Option<Lines>, first: &str) {
        self.close();
        self.item.clear();
        self.open = Some(Open {
            path,
            lines,
            category: self.sections.category(),
            text: vec![first.to_owned()],
            depth: self.sections.depth(),
            is_item: false,
        });
    }

    fn keep(&mut self, line: &str) {
        if let Some(open) = &mut self.open {
            open.text.push(line.trim_end().to_owned());
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        let text = open.text.join("\n");
        let text = text.trim();
        self.found.push(CommentFinding {
            file_path: open.path,
            line_number: open.lines.map(|lines| lines.last),
            start_line: open
                .lines
                .filter(|lines| lines.first != lines.last)
                .map(|lines| lines.first),
            category: open.category,
            title: anchor::bold_in(text),
            severity: severity::parse(text),
            body: excerpt::finding(text),
        });
    }
}

#[cfg(test)]
mod tests;
