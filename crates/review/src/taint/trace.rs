//! Describes the path of a harmful value, step by step.

use super::origin::{Note, Trail};
use super::walk::Walker;
use crate::finding::{Severity, Step};
use crate::ir::Span;
use crate::rules::Rule;

impl Walker<'_, '_, '_, '_> {
    pub(super) fn report(
        &mut self,
        rule: &Rule,
        severity: Severity,
        local: bool,
        trail: Option<&Trail>,
        at: Span,
        through: Option<Span>,
    ) {
        if self.silent {
            return;
        }
        let severity = if local {
            severity.lowered().min(Severity::Medium)
        } else {
            severity
        };
        if !self.reporter.takes(rule, severity, at.range().start) {
            return;
        }
        let mut steps = self.steps(trail);
        if let Some(through) = through {
            steps.push(self.step(through, "is passed on by"));
        }
        steps.push(self.step(at, "reaches"));
        self.reporter.flow(rule, severity, at.range(), steps);
    }

    fn steps(&self, trail: Option<&Trail>) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = trail;
        while let Some(trail) = at {
            let note = match trail.note {
                Note::Source => "comes from",
                Note::Assigned => "is assigned to",
                Note::Passed => "is passed on by",
            };
            steps.push(self.step(trail.at, note));
            at = trail.before.as_deref();
        }
        steps.reverse();
        steps
    }

    fn step(&self, at: Span, note: &str) -> Step {
        let text = &self.unit.text[at.range()];
        let excerpt = crate::report::excerpt(text.lines().next().unwrap_or_default());
        Step {
            place: self.reporter.text().place(at.range()),
            note: format!("{note} `{excerpt}`"),
        }
    }
}
