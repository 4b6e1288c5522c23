//! Finds the fields that a server refuses in a document, and takes them out of it.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;

use super::outline::{Definition, Kind, Selection, parse};
use crate::github::graphql::{GraphQlProblem, ProblemKind};

/// A place in a document, as servers name it. Both numbers count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(in crate::github) struct Location {
    line: usize,
    column: usize,
}

/// The fields to leave out, by where they begin in the document, each with why.
pub(in crate::github) type Cuts = BTreeMap<usize, GraphQlProblem>;

/// The fields of a document that an answer says are refused, where that took more away than the
/// fields themselves: a value that must not be `null` takes along what it is part of.
pub(in crate::github) fn refused(
    text: &str,
    data: Option<&Value>,
    problems: &[GraphQlProblem],
) -> Cuts {
    let Some(document) = parse(text) else {
        return Cuts::new();
    };
    let mut cuts = Cuts::new();
    for problem in problems {
        if !is_about_a_field(&problem.kind) || data.is_some_and(|data| is_left(data, &problem.path))
        {
            continue;
        }
        for start in places(text, &document, problem) {
            cuts.entry(start).or_insert_with(|| problem.clone());
        }
    }
    cuts
}

fn is_about_a_field(kind: &ProblemKind) -> bool {
    match kind {
        ProblemKind::Forbidden
        | ProblemKind::SamlFailure
        | ProblemKind::InsufficientScopes
        | ProblemKind::UnknownToServer => true,
        ProblemKind::NotFound
        | ProblemKind::RateLimited
        | ProblemKind::Unprocessable
        | ProblemKind::TooManyNodes
        | ProblemKind::ServerError
        | ProblemKind::Other(_) => false,
    }
}

/// The refused value is a `null` of its own, and everything beside it is there.
fn is_left(data: &Value, path: &str) -> bool {
    if path.is_empty() {
        return false;
    }
    let mut at = data;
    for part in path.split('.') {
        let inner = match part.parse::<usize>() {
            Ok(index) if at.is_array() => at.get(index),
            _ => at.get(part),
        };
        match inner {
            Some(inner) => at = inner,
            None => return false,
        }
    }
    true
}

/// Where the fields begin that a problem is about: as its locations say, or its path.
fn places(text: &str, document: &[Definition<'_>], problem: &GraphQlProblem) -> Vec<usize> {
    let located = problem.locations.iter();
    let located: Vec<usize> = located
        .filter_map(|location| innermost(document, offset(text, *location)?))
        .collect();
    if located.is_empty() {
        by_path(document, &problem.path)
    } else {
        located
    }
}

fn offset(text: &str, location: Location) -> Option<usize> {
    let line = location.line.checked_sub(1)?;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let offset = start + location.column.checked_sub(1)?;
    (offset < text.len()).then_some(offset)
}

/// The smallest selection around a place. Never what the whole answer is below.
fn innermost(document: &[Definition<'_>], place: usize) -> Option<usize> {
    fn within(set: &[Selection<'_>], place: usize) -> Option<usize> {
        let around = set.iter().find(|one| one.span.contains(&place))?;
        Some(within(&around.set, place).unwrap_or(around.span.start))
    }
    let around = document.iter().find(|one| one.span.contains(&place))?;
    let start = within(&around.set, place)?;
    let is_root = around.is_operation() && around.set.iter().any(|one| one.span.start == start);
    (!is_root).then_some(start)
}

/// The path of a refused value (`repository.pullRequest`), or of a field in the document
/// (`query Q.repository.... on Team.slug`).
fn by_path(document: &[Definition<'_>], path: &str) -> Vec<usize> {
    let titled = document.iter().find_map(|one| {
        let rest = path.strip_prefix(&one.title)?.strip_prefix('.')?;
        Some((one, rest))
    });
    let operation = || Some((document.iter().find(|one| one.is_operation())?, path));
    let Some((definition, path)) = titled.or_else(operation) else {
        return Vec::new();
    };
    // The names of types follow dots of their own.
    let keys = path.split('.').filter(|part| {
        let is_index = part.parse::<usize>().is_ok();
        !part.is_empty() && !is_index && !part.contains(' ')
    });
    let keys: Vec<&str> = keys.collect();
    let mut found = Vec::new();
    if keys.len() > 1 || !definition.is_operation() {
        follow(document, &definition.set, &keys, &mut found);
    }
    found
}

fn follow(
    document: &[Definition<'_>],
    set: &[Selection<'_>],
    keys: &[&str],
    found: &mut Vec<usize>,
) {
    let Some((key, rest)) = keys.split_first() else {
        return;
    };
    for one in set {
        match one.kind {
            Kind::Field(name) if name == *key && rest.is_empty() => found.push(one.span.start),
            Kind::Field(name) if name == *key => follow(document, &one.set, rest, found),
            Kind::Field(_) => {}
            Kind::Inline => follow(document, &one.set, keys, found),
            Kind::Spread(name) => follow(document, fragment(document, name), keys, found),
        }
    }
}

fn fragment<'d, 't>(document: &'d [Definition<'t>], name: &str) -> &'d [Selection<'t>] {
    let mut fragments = document.iter();
    let found = fragments.find(|one| one.title.strip_prefix("fragment ") == Some(name));
    found.map_or(&[], |fragment| &fragment.set)
}

/// The document without these fields, and everything that serves only them. All that is left
/// stays where it is, so that later problems name the places of the original. `None` when nothing
/// is left to ask for.
pub(in crate::github) fn without(text: &str, cuts: &Cuts) -> Option<String> {
    let document = parse(text)?;
    let mut left = Left {
        document: &document,
        cuts,
        removed: Vec::new(),
        fragments: Vec::new(),
        variables: Vec::new(),
    };
    let operation = document.iter().find(|one| one.is_operation())?;
    if !left.keep(&operation.set) {
        return None;
    }
    for definition in document.iter().filter(|one| !one.is_operation()) {
        let name = definition.title.trim_start_matches("fragment ");
        if !left.fragments.contains(&name) {
            left.removed.push(definition.span.clone());
        }
    }
    let unused = operation.variables.iter();
    let unused: Vec<_> = unused
        .filter(|(name, _)| !left.variables.contains(name))
        .collect();
    if !unused.is_empty() && unused.len() == operation.variables.len() {
        left.removed.push(operation.variables_span.clone());
    }
    left.removed
        .extend(unused.iter().map(|(_, span)| span.clone()));
    Some(blanked(text, &left.removed))
}

struct Left<'d, 't> {
    document: &'d [Definition<'t>],
    cuts: &'d Cuts,
    removed: Vec<Range<usize>>,
    fragments: Vec<&'t str>,
    variables: Vec<&'t str>,
}

impl<'t> Left<'_, 't> {
    /// Notes what is kept and what is removed; whether anything is kept.
    fn keep(&mut self, set: &[Selection<'t>]) -> bool {
        let mut is_any_left = false;
        for one in set {
            if self.is_kept(one) {
                is_any_left = true;
                self.variables.extend(&one.uses);
            } else {
                self.removed.push(one.span.clone());
            }
        }
        is_any_left
    }

    fn is_kept(&mut self, one: &Selection<'t>) -> bool {
        if self.cuts.contains_key(&one.span.start) {
            return false;
        }
        match one.kind {
            Kind::Spread(name) => {
                if self.fragments.contains(&name) {
                    return true;
                }
                let document = self.document;
                let is_left = self.keep(fragment(document, name));
                if is_left {
                    self.fragments.push(name);
                }
                is_left
            }
            Kind::Field(_) | Kind::Inline => one.set.is_empty() || self.keep(&one.set),
        }
    }
}

/// With blanks for what is removed.
fn blanked(text: &str, removed: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for byte in removed.iter().cloned().flatten() {
        if bytes[byte] != b'\n' {
            bytes[byte] = b' ';
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The problems of the fields that were left out, each with the place in the answer where its
/// value would be. Indices are left out of these paths.
pub(in crate::github) fn left_out(text: &str, cuts: &Cuts) -> Vec<GraphQlProblem> {
    let document = parse(text).unwrap_or_default();
    let mut found = Vec::new();
    if let Some(operation) = document.iter().find(|one| one.is_operation()) {
        collect(&document, &operation.set, cuts, &mut Vec::new(), &mut found);
    }
    found
}

fn collect<'t>(
    document: &[Definition<'t>],
    set: &[Selection<'t>],
    cuts: &Cuts,
    path: &mut Vec<&'t str>,
    found: &mut Vec<GraphQlProblem>,
) {
    for one in set {
        let own = match one.kind {
            Kind::Field(name) => Some(name),
            Kind::Inline | Kind::Spread(_) => None,
        };
        path.extend(own);
        if let Some(problem) = cuts.get(&one.span.start) {
            found.push(GraphQlProblem {
                path: path.join("."),
                ..problem.clone()
            });
        } else {
            let inner = match one.kind {
                Kind::Spread(name) => fragment(document, name),
                Kind::Field(_) | Kind::Inline => &one.set,
            };
            collect(document, inner, cuts, path, found);
        }
        if own.is_some() {
            path.pop();
        }
    }
}

impl Definition<'_> {
    fn is_operation(&self) -> bool {
        !self.title.starts_with("fragment ")
    }
}
