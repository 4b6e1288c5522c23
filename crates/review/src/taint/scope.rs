//! What is known of the variables at a point of the program.

use std::collections::HashMap;

use super::origin::Classes;
use super::value::Value;
use crate::ir::ExprId;

#[derive(Debug, Clone, Default)]
pub(super) struct Scope<'s> {
    pub(super) variables: HashMap<&'s str, Value>,
    /// Expressions, by their text, that a condition has shown to be harmless.
    pub(super) guarded: Vec<(&'s str, Classes)>,
    /// Variables that hold the answer to a question, and the question.
    pub(super) answers: Vec<(&'s str, ExprId)>,
    /// Nothing after this point is reached.
    pub(super) left: bool,
}

impl<'s> Scope<'s> {
    /// What is known after one of two ways was taken.
    pub(super) fn join(mut self, other: Self) -> Self {
        if self.left {
            return other;
        }
        if other.left {
            return self;
        }
        for (name, theirs) in other.variables {
            match self.variables.get_mut(name) {
                // Most variables are the same on both ways.
                Some(mine) if mine.is_same(&theirs) => {}
                Some(mine) => *mine = mine.join(&theirs),
                None => {
                    self.variables.insert(name, theirs);
                }
            }
        }
        self.guarded
            .retain(|(text, _)| other.guarded.iter().any(|(theirs, _)| theirs == text));
        self.answers.retain(|answer| other.answers.contains(answer));
        self
    }

    pub(super) fn cleaned_by_guards(&self, text: &str) -> Classes {
        self.guarded
            .iter()
            .filter(|(guarded, _)| *guarded == text)
            .fold(Classes::NONE, |all, (_, classes)| all.with(*classes))
    }

    /// Remembers what a variable is the answer to, and forgets what it was before.
    pub(super) fn answer(&mut self, name: &'s str, question: Option<ExprId>) {
        self.answers.retain(|(known, _)| *known != name);
        self.answers
            .extend(question.map(|question| (name, question)));
    }

    /// What a variable is the answer to.
    pub(super) fn question(&self, name: &str) -> Option<ExprId> {
        let answer = self.answers.iter().find(|(known, _)| *known == name);
        answer.map(|(_, question)| *question)
    }

    /// A variable was shown to be harmless.
    pub(super) fn clean(&mut self, name: &'s str, classes: Classes) {
        if let Some(value) = self.variables.get_mut(name) {
            value.taint = value.taint.cleaned(classes);
        }
    }
}
