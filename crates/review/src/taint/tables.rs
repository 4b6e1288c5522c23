//! The rules of a language, arranged by the last word of what they match.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::condition::{Check, Lazy, Literal};
use super::origin::Classes;
use crate::finding::Severity;
use crate::language::Language;
use crate::rules::format::{Origin, Parameter, RuleFile, Unproven};
use crate::rules::{Rule, RuleSet};

/// The classes that values can be tainted for, each a bit of [`Classes`].
const CLASSES: [&str; 25] = [
    "sql-injection",
    "command-injection",
    "code-injection",
    "path-traversal",
    "xss",
    "template-injection",
    "ldap-injection",
    "xpath-injection",
    "log-injection",
    "header-injection",
    "nosql-injection",
    "ssrf",
    "open-redirect",
    "unsafe-deserialization",
    "xxe",
    "prototype-pollution",
    "trust-boundary",
    "regex-injection",
    "format-string",
    "mass-assignment",
    "stack-trace",
    "resource-exhaustion",
    "cors-wildcard",
    WEAK_RANDOM,
    // Not a class of harm: a path of which all `..` were resolved.
    NORMAL_PATH,
];

/// The mark of a path in its normal form, which a check of its beginning needs.
pub(super) const NORMAL_PATH: &str = "normal-path";

/// Its harm is in where the value comes from, not in what it contains.
pub(super) const WEAK_RANDOM: &str = "weak-random";

/// Set for what was encoded, and does no harm until it is decoded again.
pub(super) const ENCODED: Classes = Classes(1 << 30);

/// Set for values that a condition has proven to contain no quotes.
pub(super) const UNQUOTED: Classes = Classes(1 << 29);

/// The bit of a class; "*" is all of them, "text" those for which a number does
/// no harm, and "encoded" those that need characters which an encoding hides.
pub(super) fn class_bit(name: &str) -> Classes {
    match name {
        "*" => return Classes::ALL,
        "text" => {
            let numbers = class_bit("resource-exhaustion").with(class_bit(WEAK_RANDOM));
            return numbers.others();
        }
        "encoded" => {
            let kept = class_bit(WEAK_RANDOM).with(Classes(1 << 31));
            return kept.others();
        }
        _ => {}
    }
    CLASSES
        .iter()
        .position(|class| *class == name)
        .map_or(Classes::NONE, |index| Classes(1 << index))
}

fn classes_of(names: &[String]) -> Classes {
    names
        .iter()
        .fold(Classes::NONE, |all, name| all.with(class_bit(name)))
}

/// What a call is matched by.
pub(super) enum Matcher {
    Path(&'static str),
    /// Any receiver whose name contains one of these; any at all if empty.
    Method(&'static [String]),
}

pub(super) enum Effect {
    Source(Origin, Classes),
    /// A source in handlers whose route leaves something open.
    Routed(Classes),
    Decodes,
    Fills(&'static [String], Origin),
    Becomes(&'static str, Vec<Check>),
    Returns(&'static str, Vec<Check>),
    Propagates(&'static [String], &'static str),
    Sanitizes(Classes, Vec<Check>),
    Guards(Classes, &'static str),
    Sink(Sink),
    Wrong(Wrong),
    Handler(&'static Parameter),
}

/// A call that is wrong by itself.
pub(super) struct Wrong {
    pub(super) rule: &'static Rule,
    pub(super) severity: Severity,
    pub(super) checks: Vec<Check>,
    pub(super) unless: &'static [String],
    pub(super) unless_asked: bool,
    pub(super) requires: Option<Lazy>,
    pub(super) within: Option<Lazy>,
}

pub(super) struct Sink {
    pub(super) rule: &'static Rule,
    pub(super) class: Classes,
    pub(super) args: &'static [String],
    pub(super) checks: Vec<Check>,
    pub(super) unproven: Option<Unproven>,
    pub(super) unless: &'static [String],
    pub(super) despite: &'static [String],
    pub(super) severity: Severity,
    pub(super) checked_later: bool,
}

pub(super) struct Entry {
    pub(super) matcher: Matcher,
    pub(super) effect: Effect,
}

#[derive(Default)]
pub(super) struct Tables {
    pub(super) calls: HashMap<&'static str, Vec<Entry>>,
    /// Reading a field: sources and types.
    pub(super) fields: HashMap<&'static str, Vec<Entry>>,
    /// Assigning to a field: sinks.
    pub(super) assigns: HashMap<&'static str, Vec<Entry>>,
    pub(super) parameters: Vec<&'static Parameter>,
    pub(super) literals: Vec<Literal>,
    /// Whether the language's rules list the calls that normalize paths.
    pub(super) knows_normal_paths: bool,
    /// Returning from functions with one of the marks.
    pub(super) returned: Vec<(&'static [String], Sink)>,
    /// Giving a value to a name.
    pub(super) named: Vec<(Lazy, Sink)>,
    /// Storing a value, or a key, in a collection.
    pub(super) stored: Vec<(&'static [String], Sink)>,
}

impl Tables {
    pub(super) fn for_language(language: Language) -> &'static Self {
        static ALL: [OnceLock<Tables>; 8] = [const { OnceLock::new() }; 8];
        ALL[language as usize].get_or_init(|| {
            let mut tables = Self::default();
            let set = RuleSet::for_language(language);
            for file in &set.tables {
                tables.add_file(file, None);
            }
            for rule in &set.rules {
                tables.add_file(&rule.file, Some(rule));
            }
            tables
        })
    }

    fn add_file(&mut self, file: &'static RuleFile, rule: Option<&'static Rule>) {
        self.add_sources(file);
        for parameter in &file.parameter {
            if parameter.given_to.is_empty() {
                self.parameters.push(parameter);
            }
            let effect = || Effect::Handler(parameter);
            for path in &parameter.given_to {
                match path.strip_prefix("*.") {
                    Some(method) => push(&mut self.calls, method, Matcher::Method(&[]), effect()),
                    None => push(&mut self.calls, path, Matcher::Path(path), effect()),
                }
            }
        }
        for returns in &file.returns {
            let effect = || Effect::Returns(&returns.type_name, Check::all(&returns.conditions));
            add(
                &mut self.calls,
                &returns.calls,
                &returns.methods,
                &returns.on,
                effect,
            );
            add(&mut self.fields, &returns.fields, &[], &[], effect);
        }
        for becomes in &file.becomes {
            let effect = || Effect::Becomes(&becomes.type_name, Check::all(&becomes.conditions));
            add(
                &mut self.calls,
                &becomes.calls,
                &becomes.methods,
                &becomes.on,
                effect,
            );
        }
        for propagator in &file.propagator {
            let effect = || {
                if propagator.decodes {
                    Effect::Decodes
                } else {
                    Effect::Propagates(&propagator.from, &propagator.to)
                }
            };
            add(
                &mut self.calls,
                &propagator.calls,
                &propagator.methods,
                &propagator.on,
                effect,
            );
        }
        for sanitizer in &file.sanitizer {
            let mut classes = classes_of(&sanitizer.classes);
            self.knows_normal_paths |= sanitizer.classes.iter().any(|class| class == NORMAL_PATH);
            if let (true, Some(rule)) = (sanitizer.classes.is_empty(), rule) {
                classes = class_bit(&rule.class);
            }
            let effect = || match &sanitizer.guards {
                Some(arg) => Effect::Guards(classes, arg),
                None => Effect::Sanitizes(classes, Check::all(&sanitizer.conditions)),
            };
            add(
                &mut self.calls,
                &sanitizer.calls,
                &sanitizer.methods,
                &sanitizer.on,
                effect,
            );
        }
        if let Some(rule) = rule {
            self.add_rule(file, rule);
        }
    }

    fn add_sources(&mut self, file: &'static RuleFile) {
        for source in &file.source {
            let harmless = match source.only_for.as_slice() {
                [] => classes_of(&source.not_for).with(Classes::not_of_input()),
                only => classes_of(only).others(),
            };
            let effect = || {
                if source.from_route {
                    Effect::Routed(harmless)
                } else {
                    Effect::Source(source.origin, harmless)
                }
            };
            if source.fills.is_empty() {
                add(
                    &mut self.calls,
                    &source.calls,
                    &source.methods,
                    &source.on,
                    effect,
                );
            } else {
                let effect = || Effect::Fills(&source.fills, source.origin);
                add(
                    &mut self.calls,
                    &source.calls,
                    &source.methods,
                    &source.on,
                    effect,
                );
            }
            add(&mut self.fields, &source.fields, &[], &[], effect);
        }
    }

    fn add_rule(&mut self, file: &'static RuleFile, rule: &'static Rule) {
        for sink in &file.sink {
            let compiled = || Sink {
                rule,
                class: class_bit(&rule.class),
                args: &sink.args,
                checks: Check::all(&sink.conditions),
                unproven: sink.unproven,
                unless: &sink.unless,
                despite: &sink.despite,
                severity: sink.severity.unwrap_or(rule.severity),
                checked_later: sink.checked_later,
            };
            let effect = || Effect::Sink(compiled());
            add(
                &mut self.calls,
                &sink.calls,
                &sink.methods,
                &sink.on,
                effect,
            );
            for path in &sink.assigns {
                match path.strip_prefix("*.") {
                    Some(field) => push(&mut self.assigns, field, Matcher::Method(&[]), effect()),
                    None => push(&mut self.assigns, path, Matcher::Path(path), effect()),
                }
            }
            if !sink.returned_from.is_empty() {
                self.returned.push((&sink.returned_from, compiled()));
            }
            if let Some(name) = &sink.named {
                self.named.push((Lazy::new(name), compiled()));
            }
            if !sink.stored_in.is_empty() {
                self.stored.push((&sink.stored_in, compiled()));
            }
        }
        for call in &file.call {
            let effect = || {
                Effect::Wrong(Wrong {
                    rule,
                    severity: call.severity.unwrap_or(rule.severity),
                    checks: Check::all(&call.conditions),
                    unless: &call.unless,
                    unless_asked: call.unless_asked,
                    requires: call.requires.as_deref().map(Lazy::new),
                    within: call.within.as_deref().map(Lazy::new),
                })
            };
            add(
                &mut self.calls,
                &call.calls,
                &call.methods,
                &call.on,
                effect,
            );
        }
        for assign in &file.assign {
            self.literals.push(Literal::new(rule, assign));
        }
    }
}

fn add(
    index: &mut HashMap<&'static str, Vec<Entry>>,
    paths: &'static [String],
    methods: &'static [String],
    on: &'static [String],
    effect: impl Fn() -> Effect,
) {
    for path in paths {
        push(index, path, Matcher::Path(path), effect());
    }
    for method in methods {
        push(index, method, Matcher::Method(on), effect());
    }
}

fn push(
    index: &mut HashMap<&'static str, Vec<Entry>>,
    path: &'static str,
    matcher: Matcher,
    effect: Effect,
) {
    index
        .entry(last_word(path))
        .or_default()
        .push(Entry { matcher, effect });
}

/// `os.path.join` → `join`.
pub(super) fn last_word(path: &str) -> &str {
    path.rsplit(['.', '/']).next().unwrap_or(path)
}

/// Whether a path is the one a rule names, or ends with it.
pub(super) fn path_matches(path: &str, pattern: &str) -> bool {
    if path == pattern {
        return true;
    }
    pattern.contains('.')
        && path
            .strip_suffix(pattern)
            .is_some_and(|before| before.ends_with(['.', '/']))
}
