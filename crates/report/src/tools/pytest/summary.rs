//! Parses the lines of "short test summary info".

use super::block::{Block, Kind};
use crate::place;

/// `FAILED tests/test_a.py::test_x - ValueError: no`
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    /// The text after the kind: the test, and possibly a message.
    rest: String,
    /// `[message] (i=1)` of a subtest.
    subtest: Option<String>,
}

/// What a line of the summary is.
pub(super) enum Reading {
    Failure(Entry),
    /// A test that did not fail.
    Other,
    /// Not the beginning of an entry: more of a message.
    Text,
}

impl Entry {
    /// The test's id and the message, if there is one. Both may contain ` - `;
    /// the titles of the blocks show where the id ends. `one_kind` is true if
    /// all failures have the same label.
    pub(super) fn split(&self, blocks: &[Block], one_kind: bool) -> (String, Option<usize>, &str) {
        let mut cuts: Vec<usize> = self.rest.match_indices(" - ").map(|(at, _)| at).collect();
        cuts.truncate(16);
        cuts.push(self.rest.len());
        for &cut in &cuts {
            let (node, message) = self.rest.split_at(cut);
            if let Some(block) = self.find(node, blocks, one_kind) {
                return (self.named(node), Some(block), tail(message));
            }
        }
        let depth = |text: &str| text.matches('[').count() <= text.matches(']').count();
        let cut = cuts
            .iter()
            .copied()
            .find(|&cut| self.rest.get(..cut).is_some_and(depth))
            .unwrap_or(self.rest.len());
        let (node, message) = self.rest.split_at(cut);
        (self.named(node), None, tail(message))
    }

    fn named(&self, node: &str) -> String {
        match &self.subtest {
            Some(subtest) => format!("{node} {subtest}"),
            None => node.to_owned(),
        }
    }

    /// The block of this failure. Tests of the same name are distinguished by
    /// their files, and otherwise by the order, which is the same in both.
    fn find(&self, node: &str, blocks: &[Block], one_kind: bool) -> Option<usize> {
        let title = self.named(&title_of(node));
        let file = file_of(node);
        let fits = |block: &Block, kind: bool| {
            !block.claimed
                && (block.kind == self.kind) == kind
                && (block.title == title || block.title.strip_prefix("[doctest] ") == Some(&title))
        };
        let best = |kind: bool| {
            let mut same = blocks.iter().enumerate().filter(|(_, b)| fits(b, kind));
            same.clone()
                .find(|(_, b)| b.frames.in_file(file).is_some())
                .or_else(|| same.next())
                .map(|(index, _)| index)
        };
        // The title of a crashed worker's block is the file.
        let crashed = || {
            blocks.iter().position(|block| {
                !block.claimed && block.title == file && block.error.contains(&format!("'{node}'"))
            })
        };
        best(true)
            .or_else(|| best(false).filter(|_| one_kind))
            .or_else(crashed)
    }
}

pub(super) fn read(line: &str) -> Reading {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "FAILED" | "ERROR" if looks_like_a_test(rest) => {
            let kind = match word {
                "FAILED" => Kind::Failed,
                _ => Kind::Error,
            };
            Reading::Failure(Entry {
                kind,
                rest: rest.trim_start().to_owned(),
                subtest: None,
            })
        }
        "PASSED" | "XFAIL" | "XPASS" | "SKIPPED" | "RERUN" => Reading::Other,
        _ if word.starts_with("SUBPASS") || word.starts_with("SUBSKIP") => Reading::Other,
        _ => subtest(line).map_or(Reading::Text, Reading::Failure),
    }
}

/// The file of a test's id.
pub(super) fn file_of(node: &str) -> &str {
    node.split_once("::").map_or(node, |(file, _)| file)
}

/// The title of a test's block: `a.py::T::test_x[1::2]` has `T.test_x[1::2]`.
pub(super) fn title_of(node: &str) -> String {
    let Some((_, rest)) = node.split_once("::") else {
        return node.to_owned();
    };
    let (name, parameters) = rest.split_at(rest.find('[').unwrap_or(rest.len()));
    format!("{}{parameters}", name.replace("::", "."))
}

/// The id of a test of which only block and file are known.
pub(super) fn node_of(file: &str, title: &str) -> String {
    let title = title.strip_prefix("[doctest] ").unwrap_or(title);
    let (name, rest) = title.split_at(title.find(['[', ' ']).unwrap_or(title.len()));
    format!("{file}::{}{rest}", name.replace('.', "::"))
}

/// `SUBFAILED[part] (i=1) a.py::test_x - no`, and `[part] (i=1) SUBFAIL a.py::…`
/// of the older plugin.
fn subtest(line: &str) -> Option<Entry> {
    let (subtest, rest) = if let Some(rest) = line.strip_prefix("SUBFAILED") {
        let path_end = rest.find("::")?;
        let path_start = rest.get(..path_end)?.rfind(' ')?;
        rest.split_at(path_start)
    } else {
        line.split_once(" SUBFAIL ")?
    };
    looks_like_a_test(rest.trim_start()).then(|| Entry {
        kind: Kind::Failed,
        rest: rest.trim_start().to_owned(),
        subtest: Some(subtest.trim().to_owned()),
    })
}

fn looks_like_a_test(rest: &str) -> bool {
    let node = rest.split_once(" - ").map_or(rest, |(node, _)| node);
    node.contains("::") || place::looks_like_a_file(node) || node.contains('/')
}

fn tail(message: &str) -> &str {
    message.strip_prefix(" - ").unwrap_or(message)
}
