//! The formats of providers and the search for them.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use memchr::{memchr, memrchr};
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::Hit;
use super::plausible::{self, Demand};
use crate::budget::Budget;
use crate::finding::Severity;

/// How far before a keyword a name or token may begin.
const BEFORE: usize = 120;

/// How far after a keyword a value may end; the longest tokens have some hundred characters.
const AFTER: usize = 900;

/// A window that follows the previous one closer than this is part of it.
const STRIDE: usize = 300;

pub(super) static CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::read(FILES).expect("the tests read the embedded files"));

const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/secret_files.rs"));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    provider: String,
    secret: Vec<Entry>,
}

/// A format as it is in its file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    what: String,
    /// Written exactly so in every secret of the format.
    #[serde(default)]
    keywords: Vec<String>,
    /// The pattern, which begins with the keyword. A group `secret` narrows it.
    token: Option<String>,
    /// The keyword is somewhere in the pattern.
    #[serde(default)]
    within: bool,
    /// The pattern goes over the ends of lines.
    #[serde(default)]
    lines: bool,
    /// Words in the name that a `value` is assigned to, in any case.
    #[serde(default)]
    near: Vec<String>,
    value: Option<String>,
    entropy: Option<f64>,
    severity: Option<Severity>,
    #[serde(rename = "match")]
    matching: Vec<String>,
    quiet: Vec<String>,
}

/// What the secrets of one kind look like.
pub(super) struct Format {
    pub(super) id: String,
    pub(super) what: String,
    pub(super) provider: String,
    pub(super) severity: Severity,
    keywords: Vec<String>,
    shape: Shape,
    source: String,
    demand: Demand,
    /// Compiled when a keyword is first seen: most runs need a handful of formats.
    pattern: OnceLock<Regex>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for the tests"))]
    pub(super) examples: Examples,
}

pub(super) struct Examples {
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for the tests"))]
    pub(super) matching: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for the tests"))]
    pub(super) quiet: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// The match begins with the keyword.
    Anchored {
        lines: bool,
    },
    Within,
    /// A value that is assigned to a name with the keyword in it.
    Near,
}

/// All formats, with one automaton over their keywords.
pub(super) struct Catalogue {
    pub(super) formats: Vec<Format>,
    automaton: AhoCorasick,
    /// For each keyword of the automaton, the formats that have it.
    by_keyword: Vec<Vec<usize>>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum CatalogueError {
    #[error("cannot read the secret formats in {file}")]
    Read {
        file: String,
        source: toml::de::Error,
    },
    #[error("the secret format {id} needs either `keywords` and `token` or `near` and `value`")]
    Shapeless { id: String },
    #[error("cannot build the automaton over the keywords")]
    Automaton(#[from] aho_corasick::BuildError),
}

impl Catalogue {
    fn read(files: &[(&str, &str)]) -> Result<Self, CatalogueError> {
        let mut formats = Vec::new();
        for (file, text) in files {
            let family: Family = toml::from_str(text).map_err(|source| CatalogueError::Read {
                file: (*file).to_owned(),
                source,
            })?;
            for entry in family.secret {
                formats.push(Format::new(&family.provider, entry)?);
            }
        }
        let mut keywords: Vec<String> = Vec::new();
        let mut by_keyword: Vec<Vec<usize>> = Vec::new();
        for (index, format) in formats.iter().enumerate() {
            for keyword in &format.keywords {
                let folded = keyword.to_ascii_lowercase();
                if let Some(known) = keywords.iter().position(|other| *other == folded) {
                    by_keyword[known].push(index);
                } else {
                    keywords.push(folded);
                    by_keyword.push(vec![index]);
                }
            }
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(&keywords)?;
        Ok(Self {
            formats,
            automaton,
            by_keyword,
        })
    }

    pub(super) fn hits(&self, bytes: &[u8], budget: &Budget) -> Vec<Hit> {
        let mut hits = Vec::new();
        let mut searched = vec![0; self.formats.len()];
        for keyword in self.automaton.find_overlapping_iter(bytes) {
            for &index in &self.by_keyword[keyword.pattern().as_usize()] {
                let format = &self.formats[index];
                let searched = &mut searched[index];
                format.search(bytes, keyword.range(), searched, &mut hits, budget);
            }
        }
        hits
    }
}

impl Format {
    fn new(provider: &str, entry: Entry) -> Result<Self, CatalogueError> {
        let (keywords, shape, source) = match (entry.token, entry.value) {
            (Some(token), None) if !entry.keywords.is_empty() => {
                let shape = if entry.within {
                    Shape::Within
                } else {
                    Shape::Anchored { lines: entry.lines }
                };
                (entry.keywords, shape, token)
            }
            (None, Some(value)) if !entry.near.is_empty() => {
                let source = assignment(&entry.near, &value);
                (entry.near, Shape::Near, source)
            }
            _ => return Err(CatalogueError::Shapeless { id: entry.id }),
        };
        Ok(Self {
            id: entry.id,
            what: entry.what,
            provider: provider.to_owned(),
            severity: entry.severity.unwrap_or(Severity::High),
            keywords,
            shape,
            source,
            demand: Demand::for_token(entry.entropy),
            pattern: OnceLock::new(),
            examples: Examples {
                matching: entry.matching,
                quiet: entry.quiet,
            },
        })
    }

    fn pattern(&self) -> &Regex {
        self.pattern.get_or_init(|| {
            let source = match self.shape {
                Shape::Anchored { .. } => format!(r"\A(?:{})", self.source),
                Shape::Within | Shape::Near => self.source.clone(),
            };
            RegexBuilder::new(&source)
                .unicode(false)
                .build()
                .expect("the tests compile every format")
        })
    }

    /// Looks around one keyword. `searched` is how far this format has been looked for.
    fn search(
        &self,
        bytes: &[u8],
        keyword: Range<usize>,
        searched: &mut usize,
        hits: &mut Vec<Hit>,
        budget: &Budget,
    ) {
        if !budget.spend(1) {
            return;
        }
        match self.shape {
            Shape::Anchored { lines } => {
                if keyword.start < *searched || !self.starts_here(bytes, &keyword) {
                    return;
                }
                let end = window_end(bytes, keyword.end, lines);
                budget.spend(end - keyword.start);
                if let Some(hit) = self.judge(bytes, keyword.start..end) {
                    *searched = hit.range.end;
                    hits.push(hit);
                }
            }
            Shape::Within | Shape::Near => {
                if keyword.start + STRIDE < *searched {
                    return;
                }
                let from = window_start(bytes, keyword.start).max(hits_end(hits, &self.id));
                let end = window_end(bytes, keyword.end, false);
                *searched = end;
                let mut from = from;
                while budget.spend(end.saturating_sub(from))
                    && let Some(hit) = self.judge(bytes, from..end)
                {
                    from = hit.range.end;
                    hits.push(hit);
                }
            }
        }
    }

    /// Whether the keyword is written as in the format, at the start of a word.
    fn starts_here(&self, bytes: &[u8], keyword: &Range<usize>) -> bool {
        let written = &bytes[keyword.clone()];
        let exact = self.keywords.iter().any(|own| own.as_bytes() == written);
        let word_before =
            keyword.start > 0 && is_word(bytes[keyword.start - 1]) && is_word(written[0]);
        // Inside text that escapes its line ends, `\n` is no part of the word.
        let escape_before = keyword.start > 1
            && bytes[keyword.start - 2] == b'\\'
            && matches!(bytes[keyword.start - 1], b'n' | b'r' | b't');
        exact && (!word_before || escape_before)
    }

    fn judge(&self, bytes: &[u8], window: Range<usize>) -> Option<Hit> {
        if window.start >= window.end {
            return None;
        }
        let captures = self.pattern().captures(&bytes[window.clone()])?;
        let whole = captures.get(0)?;
        let secret = captures.name("secret").unwrap_or(whole);
        let range = window.start + secret.start()..window.start + secret.end();
        let name = &bytes[window.start + whole.start()..range.start];
        let plausible = match self.shape {
            Shape::Near => plausible::is_secret_name(name),
            Shape::Anchored { .. } | Shape::Within => {
                // A key of many lines goes on where the window cuts it.
                let is_cut =
                    self.shape == Shape::Anchored { lines: true } && range.end == window.end;
                is_cut
                    || secret.end() < whole.end()
                    || bytes.get(range.end).is_none_or(|next| !is_word(*next))
            }
        };
        (plausible && self.demand.met_by(self.body(secret.as_bytes()))).then(|| self.hit(range))
    }

    /// The part of a token that has to be random: without its known prefix.
    fn body<'a>(&self, secret: &'a [u8]) -> &'a [u8] {
        self.keywords
            .iter()
            .find_map(|keyword| secret.strip_prefix(keyword.as_bytes()))
            .unwrap_or(secret)
    }
}

/// Where the last hit of a format ended.
fn hits_end(hits: &[Hit], id: &str) -> usize {
    hits.iter()
        .rev()
        .take(4)
        .find(|hit| hit.rule.strip_prefix("secrets/") == Some(id))
        .map_or(0, |hit| hit.range.end)
}

/// `NAME = "VALUE"` in the many ways of writing it, with one of the words in the name.
fn assignment(words: &[String], value: &str) -> String {
    let words: Vec<_> = words.iter().map(|word| regex::escape(word)).collect();
    let words = words.join("|");
    format!(
        r#"(?i:[a-z0-9_.-]{{0,40}}(?:{words})[a-z0-9_.-]{{0,40}})["'`\]]{{0,2}}\s{{0,3}}(?:: ?[a-zA-Z&<>']{{1,20}}\s{{0,2}})?(?:=>|:=|={{1,3}}|:|,|\()\s{{0,3}}["'`]?(?P<secret>{value})(?:["'`;,\s)\]}}\\<]|$)"#
    )
}

fn window_start(bytes: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(BEFORE);
    memrchr(b'\n', &bytes[from..at]).map_or(from, |newline| from + newline + 1)
}

fn window_end(bytes: &[u8], at: usize, over_lines: bool) -> usize {
    let limit = bytes.len().min(at + AFTER);
    if over_lines {
        return limit;
    }
    memchr(b'\n', &bytes[at..limit]).map_or(limit, |newline| at + newline)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
