//! Functions that are given to other functions of the same file.

use super::args::Args;
use super::origin::{Root, Taint};
use super::value::Value;
use super::walk::Walker;
use crate::ir::{ExprId, ExprKind, FunctionId, Span};

/// A function that calls more of what it is given is summarized by the first.
const MAX_CALLS: usize = 8;

/// The methods that call an object that represents a function.
const FUNCTIONAL: [&str; 12] = [
    "accept", "apply", "test", "run", "call", "get", "invoke", "execute", "handle", "process",
    "onNext", "perform",
];

impl<'s> Walker<'_, 's, '_, '_> {
    /// `this.check` and `Checker::check` name a method of this file's classes.
    pub(super) fn given_function(&self, mut value: Value, id: ExprId) -> Value {
        if value.function.is_none()
            && let ExprKind::Field(base, name) = self.unit.expr(id)
            && let ExprKind::Name(of) = self.unit.expr(*base)
            && (matches!(*of, "this" | "self") || self.unit.classes.contains_key(of))
        {
            let class = Some(*of).filter(|of| self.unit.classes.contains_key(of));
            value.function = self.local_function(name, class);
        }
        value
    }

    /// Remembers for callers that a parameter was called, and with what.
    pub(super) fn keep_called(&mut self, callee: ExprId, args: &Args<'s>) {
        let name = match self.unit.expr(callee) {
            ExprKind::Name(name) => *name,
            ExprKind::Field(base, method) if FUNCTIONAL.contains(method) => {
                match self.unit.expr(*base) {
                    ExprKind::Name(name) => *name,
                    _ => return,
                }
            }
            _ => return,
        };
        let Some(value) = self.scope.variables.get(name) else {
            return;
        };
        let [one] = value.taint.origins() else {
            return;
        };
        let Root::Param(function, param) = one.root else {
            return;
        };
        let given: Vec<Taint> = args
            .positions()
            .map(|(value, _)| value.deep_taint())
            .collect();
        let calls = &mut self.summaries[function.0 as usize].calls;
        if calls.len() < MAX_CALLS && given.iter().any(|taint| !taint.is_none()) {
            calls.push((param, given));
        }
    }

    /// What a function hands to those it was given reaches the sinks in them.
    pub(super) fn apply_calls(
        &mut self,
        function: FunctionId,
        args: &Args<'s>,
        taints: &[Taint],
        at: Span,
    ) {
        for (param, given) in self.summaries[function.0 as usize].calls.clone() {
            let called = args.positional(usize::from(param));
            let Some(called) = called.and_then(|value| value.function) else {
                continue;
            };
            self.summarize(called);
            let given: Vec<Taint> = given
                .iter()
                .map(|taint| taint.with_arguments(function, taints, at))
                .collect();
            self.apply_sinks(called, &given, at);
        }
    }
}
