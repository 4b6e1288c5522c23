//! What is known about the variables at a point of the program.

use super::map::Map;
use super::origin::Classes;
use super::value::Value;
use crate::budget::Budget;
use crate::ir::ExprId;

#[derive(Debug, Clone, Default)]
pub(super) struct Scope<'s> {
    pub(super) variables: Map<'s, Value>,
    /// Expressions, by their text, that a condition has proven harmless.
    pub(super) guarded: Map<'s, Classes>,
    /// Variables that hold the answer to a question, and the question; none since they were
    /// given something else.
    pub(super) answers: Map<'s, Option<ExprId>>,
    /// Nothing after this point is reached.
    pub(super) left: bool,
}

impl<'s> Scope<'s> {
    /// What is known after one of two ways was taken.
    pub(super) fn join(self, other: Self, budget: &Budget) -> Self {
        if self.left {
            return other;
        }
        if other.left {
            return self;
        }
        let mut join = |mine: &Value, theirs: &Value| {
            budget.spend(1);
            if mine.is_same(theirs) {
                return mine.clone();
            }
            mine.join(theirs)
        };
        Self {
            variables: self.variables.join(other.variables, &mut join),
            guarded: self.guarded.common(other.guarded, |_, _| true),
            answers: self
                .answers
                .common(other.answers, |mine, theirs| mine == theirs),
            left: false,
        }
    }

    pub(super) fn cleaned_by_guards(&self, text: &str) -> Classes {
        self.guarded.get(text).copied().unwrap_or(Classes::NONE)
    }

    /// Remembers that an expression was proven harmless.
    pub(super) fn guard(&mut self, text: &'s str, classes: Classes) {
        let all = self.cleaned_by_guards(text).with(classes);
        self.guarded.insert(text, all);
    }

    /// Remembers what a variable is the answer to, and forgets what it was before.
    pub(super) fn answer(&mut self, name: &'s str, question: Option<ExprId>) {
        if question.is_some() || self.answers.get(name).is_some() {
            self.answers.insert(name, question);
        }
    }

    /// What a variable is the answer to.
    pub(super) fn question(&self, name: &str) -> Option<ExprId> {
        self.answers.get(name).copied().flatten()
    }

    /// Marks a variable as harmless.
    pub(super) fn clean(&mut self, name: &'s str, classes: Classes) {
        if let Some(value) = self.variables.get(name) {
            let cleaned = value.clone().cleaned(classes);
            self.variables.insert(name, cleaned);
        }
    }
}
