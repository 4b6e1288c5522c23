//! Conditions of rules, with their expressions compiled on first use.

use std::sync::OnceLock;

use regex::Regex;

use crate::finding::Severity;
use crate::rules::Rule;
use crate::rules::format::{Assign, Condition, State};

/// A rule about names and the literals they are given.
pub(super) struct Literal {
    pub(super) rule: &'static Rule,
    pub(super) severity: Severity,
    pub(super) uses: &'static [String],
    pub(super) unless_asked: bool,
    name: Lazy,
    matches: Option<Lazy>,
    not_matches: Option<Lazy>,
}

impl Literal {
    pub(super) fn new(rule: &'static Rule, assign: &'static Assign) -> Self {
        Self {
            rule,
            severity: assign.severity.unwrap_or(rule.severity),
            uses: &assign.uses,
            unless_asked: assign.unless_asked,
            name: Lazy::new(&assign.name),
            matches: assign.matches.as_deref().map(Lazy::new),
            not_matches: assign.not_matches.as_deref().map(Lazy::new),
        }
    }

    pub(super) fn holds(&self, name: &str, constant: &str) -> bool {
        self.name.is_match(name)
            && self
                .matches
                .as_ref()
                .is_none_or(|regex| regex.is_match(constant))
            && !self
                .not_matches
                .as_ref()
                .is_some_and(|regex| regex.is_match(constant))
    }
}

/// A regular expression that is compiled when it is first asked.
pub(super) struct Lazy {
    text: &'static str,
    regex: OnceLock<Option<Regex>>,
}

impl Lazy {
    pub(super) fn new(text: &'static str) -> Self {
        Self {
            text,
            regex: OnceLock::new(),
        }
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex
            .get_or_init(|| Regex::new(self.text).ok())
            .as_ref()
            .is_some_and(|regex| regex.is_match(text))
    }
}

/// A condition on an argument.
pub(super) struct Check {
    pub(super) arg: &'static str,
    pub(super) is: Option<State>,
    pub(super) matches: Option<Lazy>,
    pub(super) not_matches: Option<Lazy>,
    pub(super) text: Option<Lazy>,
}

impl Check {
    pub(super) fn all(conditions: &'static [Condition]) -> Vec<Self> {
        let one = |condition: &'static Condition| Self {
            arg: condition.arg.as_deref().unwrap_or("0"),
            is: condition.is,
            matches: condition.matches.as_deref().map(Lazy::new),
            not_matches: condition.not_matches.as_deref().map(Lazy::new),
            text: condition.text.as_deref().map(Lazy::new),
        };
        conditions.iter().map(one).collect()
    }
}
