//! Evaluates statements: what is known where branches split and join.

use std::rc::Rc;

use super::fold;
use super::origin::Classes;
use super::scope::Scope;
use super::value::Value;
use super::walk::Walker;
use crate::ir::{Arm, Block, Const, ExprId, ExprKind};

/// Loops inside this many others are walked once rather than twice.
const DEEP_LOOPS: u32 = 2;

impl<'s> Walker<'_, 's, '_, '_> {
    pub(super) fn block(&mut self, block: &Block) -> Value {
        let mut last = Value::default();
        for id in block {
            if self.scope.left {
                break;
            }
            last = self.eval(*id);
        }
        last
    }

    pub(super) fn statement(&mut self, id: ExprId) -> Value {
        let unit = self.unit;
        match unit.expr(id) {
            ExprKind::If { cond, then, other } => self.if_else(*cond, then, other),
            ExprKind::Loop { bind, cond, body } => {
                self.loop_over(*bind, *cond, body);
                Value::default()
            }
            ExprKind::Switch { subject, arms } => self.switch(*subject, arms),
            ExprKind::Try {
                body,
                handlers,
                last,
            } => self.attempt(body, handlers, last),
            ExprKind::Return(value) => {
                let returned = value.map(|value| self.eval(value)).unwrap_or_default();
                self.give_back(returned, *value);
                self.scope.left = true;
                Value::default()
            }
            ExprKind::Throw(value) => {
                if let Some(value) = value {
                    self.eval(*value);
                }
                self.scope.left = true;
                Value::default()
            }
            ExprKind::Break | ExprKind::Continue => {
                let here = self.scope.clone();
                if let Some(exit) = self.exits.last_mut() {
                    *exit = std::mem::take(exit).join(here, self.budget);
                }
                self.scope.left = true;
                Value::default()
            }
            _ => Value::default(),
        }
    }

    pub(super) fn give_back(&mut self, mut value: Value, at: Option<ExprId>) {
        if let Some(at) = at {
            self.check_returned(&value, at);
            let name = self.unit.function(self.function).name;
            let found = self.check_named(name, &value, at);
            value = value.cleaned(found);
        }
        self.returned = Some(match self.returned.take() {
            Some(known) => known.join(&value),
            None => value,
        });
    }

    pub(super) fn if_else(&mut self, cond: ExprId, then: &Block, other: &Block) -> Value {
        let known = self.eval(cond).constant.as_ref().and_then(fold::truth);
        match known {
            Some(true) => return self.block(then),
            Some(false) => return self.block(other),
            None => {}
        }
        let before = self.scope.clone();
        self.conditions.push(self.unit.text_of(cond));
        self.apply_guards(cond, true);
        let then_value = self.block(then);
        let after_then = std::mem::replace(&mut self.scope, before);
        self.apply_guards(cond, false);
        let other_value = self.block(other);
        self.conditions.pop();
        let after_other = std::mem::take(&mut self.scope);
        let value = match (after_then.left, after_other.left) {
            (true, false) => other_value,
            (false, true) => then_value,
            _ => then_value.join(&other_value),
        };
        self.scope = after_then.join(after_other, self.budget);
        value
    }

    pub(super) fn loop_over(
        &mut self,
        bind: Option<(ExprId, ExprId)>,
        cond: Option<ExprId>,
        body: &Block,
    ) {
        let element = bind.map(|(target, iterated)| {
            let value = self.eval(iterated);
            (target, value)
        });
        let before = self.scope.clone();
        self.loops += 1;
        if self.loops <= DEEP_LOOPS {
            let silent = std::mem::replace(&mut self.silent, true);
            self.loop_once(element.as_ref(), cond, body);
            self.silent = silent;
            let after = std::mem::take(&mut self.scope);
            self.scope = before.clone().join(after, self.budget);
        }
        self.loop_once(element.as_ref(), cond, body);
        self.loops -= 1;
        let after = std::mem::take(&mut self.scope);
        self.scope = before.join(after, self.budget);
    }

    pub(super) fn loop_once(
        &mut self,
        element: Option<&(ExprId, Value)>,
        cond: Option<ExprId>,
        body: &Block,
    ) {
        if let Some((target, value)) = element {
            let mut one = value.any_element();
            one.path = value
                .path
                .clone()
                .filter(|_| value.typed)
                .map(|path| Rc::from(path.trim_end_matches("[]")));
            one.typed = one.path.is_some();
            self.bind(*target, one, None);
        }
        if let Some(cond) = cond {
            self.eval(cond);
            self.apply_guards(cond, true);
        }
        self.exits.push(left_scope());
        self.block(body);
        let exit = self.exits.pop().unwrap_or_default();
        let here = std::mem::take(&mut self.scope);
        self.scope = here.join(exit, self.budget);
    }

    pub(super) fn switch(&mut self, subject: Option<ExprId>, arms: &[Arm]) -> Value {
        let value = subject
            .map(|subject| self.eval(subject))
            .unwrap_or_default();
        let before = self.scope.clone();
        self.exits.push(left_scope());
        let taken = value
            .constant
            .as_ref()
            .and_then(|constant| self.taken_arm(constant, arms));
        let mut result: Option<Value> = None;
        let mut after = left_scope();
        let mut has_default = false;
        let mut falling: Option<Scope<'s>> = None;
        for (index, arm) in arms.iter().enumerate() {
            has_default |= arm.labels.is_empty();
            let starts = taken.is_none_or(|taken| taken == index);
            let start = match (falling.take(), starts) {
                (Some(falling), true) => falling.join(before.clone(), self.budget),
                (Some(falling), false) => falling,
                (None, true) => before.clone(),
                (None, false) => continue,
            };
            self.scope = start;
            self.guard_arm(subject, arm);
            let labels = arm.labels.iter().map(|label| self.unit.text_of(*label));
            let outside = self.conditions.len();
            self.conditions.extend(labels);
            let arm_value = self.block(&arm.body);
            self.conditions.truncate(outside);
            result = Some(result.map_or(arm_value.clone(), |known| known.join(&arm_value)));
            let end = std::mem::take(&mut self.scope);
            if arm.falls_through && !end.left && index + 1 < arms.len() {
                falling = Some(end);
            } else {
                after = after.join(end, self.budget);
            }
        }
        let exit = self.exits.pop().unwrap_or_default();
        self.scope = after.join(exit, self.budget);
        if !has_default && taken.is_none() {
            let here = std::mem::take(&mut self.scope);
            self.scope = here.join(before, self.budget);
        }
        result.unwrap_or_default()
    }

    /// The one arm that a constant chooses, if all labels are constant.
    pub(super) fn taken_arm(&mut self, constant: &Const, arms: &[Arm]) -> Option<usize> {
        let mut default = None;
        for (index, arm) in arms.iter().enumerate() {
            if arm.labels.is_empty() {
                default = Some(index);
            }
            for label in &arm.labels {
                let label = self.eval(*label).constant?;
                if label == *constant {
                    return Some(index);
                }
            }
        }
        default
    }

    /// In an arm whose labels are constants, the subject is one of them.
    pub(super) fn guard_arm(&mut self, subject: Option<ExprId>, arm: &Arm) {
        let is_constant = |id: &ExprId| {
            matches!(
                self.unit.expr(*id),
                ExprKind::Const(Const::Str(_) | Const::Int(_))
            )
        };
        if let Some(subject) = subject
            && !arm.labels.is_empty()
            && arm.labels.iter().all(is_constant)
        {
            self.mark_harmless(subject, Classes::ALL);
        }
    }

    pub(super) fn attempt(&mut self, body: &Block, handlers: &[Block], last: &Block) -> Value {
        let before = self.scope.clone();
        let value = self.block(body);
        let after_body = std::mem::take(&mut self.scope);
        let mut middle = after_body.clone();
        middle.left = false;
        let thrown = before.join(middle, self.budget);
        let mut after = after_body;
        for handler in handlers {
            self.scope = thrown.clone();
            self.block(handler);
            let end = std::mem::take(&mut self.scope);
            after = after.join(end, self.budget);
        }
        let left = after.left;
        self.scope = after;
        self.scope.left = false;
        self.block(last);
        self.scope.left |= left;
        value
    }
}

pub(super) fn left_scope<'s>() -> Scope<'s> {
    Scope {
        left: true,
        ..Scope::default()
    }
}
