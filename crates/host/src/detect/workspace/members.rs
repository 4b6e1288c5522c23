//! Expands the patterns of a workspace file to folders.

use std::collections::BTreeSet;

use baton_protocol::Glob;
use serde_json::Value;

use super::MAX_PACKAGES;
use crate::detect::project_files::{ProjectFiles, inside};

/// Folders that hold other people's packages or build output.
const SKIPPED: [&str; 6] = ["node_modules", "target", ".git", "vendor", ".venv", "dist"];

const MAX_PATTERNS: usize = 1_000;
/// Folders visited while expanding all patterns of a workspace.
const MAX_VISITS: usize = 20_000;
/// How deep `**` descends.
const MAX_DEPTH: usize = 8;

/// The folders that match, sorted and without those that an exclusion (or a
/// pattern starting with `!`) matches. Links are never followed.
pub(super) fn expand(
    files: &ProjectFiles,
    patterns: &[String],
    excluded: &[String],
) -> Vec<String> {
    let mut walk = Walk {
        files,
        visits_left: MAX_VISITS,
        found: BTreeSet::new(),
    };
    let (negated, wanted): (Vec<&String>, Vec<&String>) = patterns
        .iter()
        .take(MAX_PATTERNS)
        .partition(|pattern| pattern.starts_with('!'));
    for pattern in wanted {
        for pattern in alternatives(pattern) {
            if let Some(segments) = segments(&pattern) {
                let segments: Vec<_> = segments.into_iter().map(Segment::parse).collect();
                walk.descend("", &segments, 0);
            }
        }
    }
    let exclusions: Vec<Glob> = negated
        .into_iter()
        .map(|pattern| pattern.trim_start_matches('!'))
        .chain(excluded.iter().take(MAX_PATTERNS).map(String::as_str))
        .flat_map(alternatives)
        .filter_map(|pattern| Glob::fnmatch(&normalised(&pattern)?))
        .collect();
    let mut found = walk.found;
    found.retain(|path| !exclusions.iter().any(|exclusion| exclusion.matches(path)));
    found.into_iter().take(MAX_PACKAGES + 1).collect()
}

/// A relative path inside the project in its plain form: no `./`, no `..`,
/// no doubled or trailing slashes. `None` for anything that leads outside.
pub(super) fn normalised(path: &str) -> Option<String> {
    segments(path).map(|segments| segments.join("/"))
}

/// The strings of a list in a document.
pub(super) fn strings(list: Option<&Value>) -> Vec<String> {
    list.and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .take(MAX_PATTERNS)
        .map(str::to_owned)
        .collect()
}

struct Walk<'a> {
    files: &'a ProjectFiles,
    visits_left: usize,
    found: BTreeSet<String>,
}

impl Walk<'_> {
    fn descend(&mut self, folder: &str, segments: &[Segment], depth: usize) {
        let Some((segment, rest)) = segments.split_first() else {
            if !folder.is_empty() {
                self.found.insert(folder.to_owned());
            }
            return;
        };
        if self.visits_left == 0 || self.found.len() > MAX_PACKAGES {
            return;
        }
        self.visits_left -= 1;
        match segment {
            Segment::Folders => {
                self.descend(folder, rest, depth);
                if depth < MAX_DEPTH {
                    for name in self.files.names_in(folder) {
                        self.enter(folder, &name, segments, depth + 1);
                    }
                }
            }
            Segment::Pattern(pattern) => {
                for name in self.files.names_in(folder) {
                    if pattern.matches(&name) {
                        self.enter(folder, &name, rest, depth);
                    }
                }
            }
            Segment::Name(name) => self.enter(folder, name, rest, depth),
        }
    }

    fn enter(&mut self, folder: &str, name: &str, rest: &[Segment], depth: usize) {
        let path = inside(folder, name);
        if !SKIPPED.contains(&name) && self.files.is_real_folder(&path) {
            self.descend(&path, rest, depth);
        }
    }
}

/// A part of a pattern, between two slashes.
enum Segment {
    /// `**`
    Folders,
    Pattern(Glob),
    Name(String),
}

impl Segment {
    fn parse(segment: String) -> Self {
        if segment == "**" {
            return Self::Folders;
        }
        let pattern = segment
            .contains(['*', '?'])
            .then(|| Glob::fnmatch(&segment));
        match pattern.flatten() {
            Some(pattern) => Self::Pattern(pattern),
            None => Self::Name(segment),
        }
    }
}

fn segments(path: &str) -> Option<Vec<String>> {
    if path.starts_with('/') {
        return None;
    }
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    if parts.contains(&"..") {
        return None;
    }
    Some(parts.into_iter().map(str::to_owned).collect())
}

/// `a/{b,c}` as `a/b` and `a/c`; only one pair of braces, which is all that
/// workspace files use.
fn alternatives(pattern: &str) -> Vec<String> {
    const MAX_EXPANSIONS: usize = 64;
    let expanded = || {
        let (before, rest) = pattern.split_once('{')?;
        let (inner, after) = rest.split_once('}')?;
        Some(
            inner
                .split(',')
                .take(MAX_EXPANSIONS)
                .map(|choice| format!("{before}{choice}{after}"))
                .collect(),
        )
    };
    expanded().unwrap_or_else(|| vec![pattern.to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        assert_eq!(normalised("./a//b/").as_deref(), Some("a/b"));
        assert_eq!(normalised("a/../../b"), None);
        assert_eq!(normalised("/etc"), None);
    }
}
