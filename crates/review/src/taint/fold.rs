//! Arithmetic on constants, so that branches that are never taken are not walked.

use std::rc::Rc;

use crate::ir::{Const, Op};

/// Longer constants are of no use to any rule.
const MAX_CONSTANT_LEN: usize = 4_000;

pub(super) fn binary(op: Op, left: &Const, right: &Const) -> Option<Const> {
    match (left, right) {
        (Const::Int(a), Const::Int(b)) => integers(op, *a, *b),
        (Const::Bool(a), Const::Bool(b)) => match op {
            Op::And => Some(Const::Bool(*a && *b)),
            Op::Or => Some(Const::Bool(*a || *b)),
            Op::Eq => Some(Const::Bool(a == b)),
            Op::Ne => Some(Const::Bool(a != b)),
            _ => None,
        },
        (Const::Null, Const::Null) => match op {
            Op::Eq => Some(Const::Bool(true)),
            Op::Ne => Some(Const::Bool(false)),
            _ => None,
        },
        (Const::Str(a), Const::Str(b)) => match op {
            Op::Add => text(a, b),
            Op::Eq => Some(Const::Bool(a == b)),
            Op::Ne => Some(Const::Bool(a != b)),
            Op::In => Some(Const::Bool(b.contains(&**a))),
            Op::NotIn => Some(Const::Bool(!b.contains(&**a))),
            _ => None,
        },
        (Const::Str(a), Const::Int(b)) if op == Op::Add => text(a, &b.to_string()),
        (Const::Int(a), Const::Str(b)) if op == Op::Add => text(&a.to_string(), b),
        _ => None,
    }
}

fn text(a: &str, b: &str) -> Option<Const> {
    (a.len() + b.len() <= MAX_CONSTANT_LEN).then(|| Const::Str(Rc::from([a, b].concat())))
}

fn integers(op: Op, a: i64, b: i64) -> Option<Const> {
    Some(match op {
        Op::Add => Const::Int(a.checked_add(b)?),
        Op::Sub => Const::Int(a.checked_sub(b)?),
        Op::Mul => Const::Int(a.checked_mul(b)?),
        Op::Div => Const::Int(a.checked_div(b)?),
        Op::Rem => Const::Int(a.checked_rem(b)?),
        Op::Eq => Const::Bool(a == b),
        Op::Ne => Const::Bool(a != b),
        Op::Lt => Const::Bool(a < b),
        Op::Le => Const::Bool(a <= b),
        Op::Gt => Const::Bool(a > b),
        Op::Ge => Const::Bool(a >= b),
        _ => return None,
    })
}

/// A method on a constant string.
pub(super) fn method(receiver: &str, name: &str, args: &[Option<&Const>]) -> Option<Const> {
    match (name, args) {
        ("charAt" | "at", [Some(Const::Int(index))]) => {
            let index = usize::try_from(*index).ok()?;
            let found = receiver.chars().nth(index)?;
            Some(Const::Str(Rc::from(found.to_string())))
        }
        ("equals" | "eql?", [Some(Const::Str(other))]) => Some(Const::Bool(*receiver == **other)),
        ("equalsIgnoreCase", [Some(Const::Str(other))]) => {
            Some(Const::Bool(receiver.eq_ignore_ascii_case(other)))
        }
        (
            "startsWith" | "startswith" | "starts_with" | "start_with?",
            [Some(Const::Str(other))],
        ) => Some(Const::Bool(receiver.starts_with(&**other))),
        ("contains" | "includes" | "include?", [Some(Const::Str(other))]) => {
            Some(Const::Bool(receiver.contains(&**other)))
        }
        ("length" | "len", []) => i64::try_from(receiver.chars().count()).ok().map(Const::Int),
        (
            "toString" | "to_string" | "to_s" | "to_owned" | "trim" | "strip" | "as_str" | "into"
            | "clone" | "intern",
            [],
        ) => Some(Const::Str(Rc::from(receiver.trim()))),
        ("getBytes" | "as_bytes" | "bytes" | "encode" | "into_bytes", [] | [_]) => {
            Some(Const::Str(Rc::from(receiver)))
        }
        ("toLowerCase" | "lower" | "downcase" | "to_lowercase", []) => {
            Some(Const::Str(Rc::from(receiver.to_lowercase())))
        }
        ("toUpperCase" | "upper" | "upcase" | "to_uppercase", []) => {
            Some(Const::Str(Rc::from(receiver.to_uppercase())))
        }
        ("concat", [Some(Const::Str(other))]) => text(receiver, other),
        _ => None,
    }
}

/// Whether a condition is known.
pub(super) fn truth(constant: &Const) -> Option<bool> {
    match constant {
        Const::Bool(value) => Some(*value),
        _ => None,
    }
}
