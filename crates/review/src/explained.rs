//! Explains every rule of the engine: rule files, formats of secrets,
//! tampering, and the few about a change as a whole.

use crate::finding::{Kind, Severity};
use crate::{engine, quality, rules, secrets, suppress, tamper};

/// A rule as it is explained to the reader of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// As findings have it.
    pub id: String,
    pub kind: Kind,
    pub class: String,
    pub cwe: Option<u32>,
    /// Unless the place overrides it.
    pub severity: Severity,
    pub what: String,
    pub why: String,
    pub remedy: String,
    /// Code that it finds.
    pub bad: Vec<String>,
    /// Code that it does not.
    pub good: Vec<String>,
}

/// Every rule that a finding of the engine can have, in the order of their ids.
pub fn every_explanation() -> Vec<Explained> {
    let mut all: Vec<Explained> = rules::every_rule().into_iter().map(explain_rule).collect();
    all.extend(secrets::explained());
    all.extend(tamper::explained());
    all.push(quality::UNTESTED.explained());
    all.push(suppress::WITHOUT_REASON.explained());
    all.push(engine::NOT_REVIEWED.explained());
    all.sort_by(|a, b| a.id.cmp(&b.id));
    all
}

/// A rule whose texts are always the same.
pub(crate) struct Fixed {
    pub(crate) id: &'static str,
    pub(crate) class: &'static str,
    pub(crate) kind: Kind,
    pub(crate) severity: Severity,
    pub(crate) what: &'static str,
    pub(crate) why: &'static str,
    pub(crate) remedy: &'static str,
}

impl Fixed {
    pub(crate) fn explained(&self) -> Explained {
        Explained {
            id: self.id.to_owned(),
            kind: self.kind,
            class: self.class.to_owned(),
            cwe: None,
            severity: self.severity,
            what: self.what.to_owned(),
            why: self.why.to_owned(),
            remedy: self.remedy.to_owned(),
            bad: Vec::new(),
            good: Vec::new(),
        }
    }
}

fn explain_rule(rule: rules::Rule) -> Explained {
    let code = |examples: Vec<rules::format::Example>| {
        let codes = examples.into_iter().map(|example| example.code);
        codes.collect()
    };
    Explained {
        id: rule.id,
        kind: rule.kind,
        class: rule.class,
        cwe: rule.cwe,
        severity: rule.severity,
        what: rule.what,
        why: rule.why,
        remedy: rule.remedy,
        bad: code(rule.file.bad),
        good: code(rule.file.good),
    }
}
