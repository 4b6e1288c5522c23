//! Evaluates operators.

use std::rc::Rc;

use super::fold;
use super::origin::Taint;
use super::tables::class_bit;
use super::value::Value;
use super::walk::Walker;
use crate::ir::{Const, ExprId, ExprKind, Op};

impl Walker<'_, '_, '_, '_> {
    pub(super) fn build(&mut self, parts: &[ExprId]) -> Value {
        let mut value = Value::constant(Const::Str(Rc::from("")));
        for part in parts {
            let part = self.eval(*part);
            value = add(&value, &part);
        }
        value
    }

    /// `a + b + c` is nested to the left as often as it has parts, so that side
    /// is followed in a loop.
    pub(super) fn binary_chain(&mut self, id: ExprId) -> Value {
        let unit = self.unit;
        let mut spine = Vec::new();
        let mut at = id;
        while let ExprKind::Binary(op, left, right) = unit.expr(at) {
            spine.push((*op, *left, *right));
            at = *left;
        }
        let mut value = self.eval(at);
        for (op, left, right) in spine.into_iter().rev() {
            value = self.binary(op, value, left, right);
        }
        value
    }

    fn binary(&mut self, op: Op, left_value: Value, left: ExprId, right: ExprId) -> Value {
        match (op, &left_value.constant) {
            (Op::And, Some(Const::Bool(false))) | (Op::Or, Some(Const::Bool(true))) => {
                return left_value;
            }
            _ => {}
        }
        if op == Op::And {
            // The right side is only reached if the left holds.
            let outer = self.scope.clone();
            self.apply_guards(left, true);
            let right_value = self.eval(right);
            self.scope.guarded = outer.guarded;
            return combined(op, &left_value, &right_value);
        }
        let right_value = self.eval(right);
        combined(op, &left_value, &right_value)
    }
}

/// Two values joined by an operator.
pub(super) fn combined(op: Op, left: &Value, right: &Value) -> Value {
    if let (Some(a), Some(b)) = (&left.constant, &right.constant)
        && let Some(folded) = fold::binary(op, a, b)
    {
        return Value::constant(folded);
    }
    match op {
        Op::Add => add(left, right),
        Op::Rem => formatted(left, right),
        // One of the two, whichever.
        Op::Or | Op::And => left.join(right),
        // `folder / name`.
        Op::Div if left.path.as_deref() == Some("pathlib.Path") => Value {
            path: left.path.clone(),
            typed: true,
            ..add(left, right)
        },
        Op::Sub | Op::Mul | Op::Div => {
            let taint = left.deep_taint().union(&right.deep_taint());
            Value::tainted(taint.cleaned(class_bit("text")))
        }
        Op::Other => Value::tainted(left.deep_taint().union(&right.deep_taint())),
        _ => Value::default(),
    }
}

/// Two strings put together.
pub(super) fn add(left: &Value, right: &Value) -> Value {
    if let (Some(a), Some(b)) = (&left.constant, &right.constant)
        && let Some(folded) = fold::binary(Op::Add, a, b)
    {
        return Value::constant(folded);
    }
    let mut added = appended_taint(left, right.deep_taint());
    if left.last_character().is_some_and(is_quote) {
        added = added.quoted();
    }
    joined(left, right, &added)
}

/// A template, and what is put into its places.
fn formatted(template: &Value, values: &Value) -> Value {
    let added = placed(template, values.deep_taint());
    joined(template, values, &added)
}

/// The taint of what is put into the places of a template.
pub(super) fn placed(template: &Value, added: Taint) -> Taint {
    let added = appended_taint(template, added);
    match template.text() {
        Some(text) if quotes_places(text) => added.quoted(),
        _ => added,
    }
}

/// Whether each place of a template follows a quote.
fn quotes_places(template: &str) -> bool {
    let mut before = ' ';
    let mut places = 0;
    for character in template.chars() {
        if matches!(character, '%' | '{') {
            if !is_quote(before) {
                return false;
            }
            places += 1;
        }
        before = character;
    }
    places > 0
}

fn is_quote(character: char) -> bool {
    matches!(character, '\'' | '"')
}

fn joined(left: &Value, right: &Value, added: &Taint) -> Value {
    let is_empty = |value: &Value| value.text() == Some("");
    Value {
        taint: left.deep_taint().union(added),
        // An interpolated string of one part is no more than that part.
        built: left.built || right.built || !(is_empty(left) || is_empty(right)),
        path: match (is_empty(left), is_empty(right)) {
            (true, false) => right.path.clone(),
            _ => None,
        },
        fixed: left.is_fixed() && right.is_fixed(),
        last: if is_empty(right) {
            left.last_character()
        } else {
            right.last_character()
        },
        ..Value::default()
    }
}

/// The taint of what is appended to the beginning of a string.
pub(super) fn appended_taint(start: &Value, added: Taint) -> Taint {
    if fixes_host(start) {
        return added.cleaned(class_bit("ssrf").with(class_bit("open-redirect")));
    }
    added
}

/// Whether what a string begins with leaves no choice of the host to what
/// follows: a constant with a whole host, a path, or a setting.
fn fixes_host(start: &Value) -> bool {
    let Some(text) = start.text() else {
        let ssrf = class_bit("ssrf");
        return start.constant.is_none() && start.deep_taint().harmful(ssrf).next().is_none();
    };
    // What is put into a place of a template begins there.
    let text = text.split(['{', '%']).next().unwrap_or(text);
    if let Some((scheme, rest)) = text.split_once("//") {
        return scheme.len() <= 6 && rest.contains(['/', '?', '#']) && !rest.starts_with('/');
    }
    text.len() > 1 && text.starts_with('/') && !text.starts_with("/\\")
}
