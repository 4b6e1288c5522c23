//! Literals given to names that rules watch.

use super::guard_names::says_insecure;
use super::value::Value;
use super::walk::Walker;
use crate::ir::{Const, ExprId, ExprKind};

impl Walker<'_, '_, '_, '_> {
    /// Whether the function's name marks it as the less secure way.
    fn is_named_insecure(&self) -> bool {
        says_insecure(self.unit.function(self.function).name)
    }

    /// A literal given to a name that rules watch.
    pub(super) fn check_literal(&mut self, name: &str, value: &Value, id: ExprId) {
        if self.silent || self.tables.literals.is_empty() {
            return;
        }
        if !matches!(
            self.unit.expr(id),
            ExprKind::Const(Const::Str(_) | Const::Bool(_) | Const::Int(_) | Const::Null)
        ) {
            return;
        }
        let Some(constant) = value.constant_text() else {
            return;
        };
        let range = self.unit.span(id).range();
        for literal in &self.tables.literals {
            if literal.holds(name, &constant)
                && (literal.uses.is_empty() || self.mentions(literal.uses))
                && !(literal.unless_asked && (self.is_asked_for() || self.is_named_insecure()))
            {
                self.reporter
                    .literal(literal.rule, literal.severity, range.clone());
            }
        }
    }

    /// Whether the file contains one of the words.
    fn mentions(&self, words: &[String]) -> bool {
        words
            .iter()
            .any(|word| self.unit.text.contains(word.as_str()))
    }
}
