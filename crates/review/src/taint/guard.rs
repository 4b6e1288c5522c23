//! Conditions that prove a value harmless.

use super::guard_names::{
    CHARACTER_TESTS, MATCHING, MEMBERSHIP, PREFIX_TESTS, is_constant_name, says_valid,
};
use super::harmless::location_classes;
use super::origin::{Classes, Root};
use super::tables::{Effect, NORMAL_PATH, UNQUOTED, class_bit};
use super::value::Shape;
use super::walk::Walker;
use crate::ir::{Arg, Const, ExprId, ExprKind, Op};

/// Conditions nested deeper are not looked into.
const MAX_DEPTH: u32 = 8;

impl<'s> Walker<'_, 's, '_, '_> {
    /// What a condition shows if it holds, or if it does not.
    pub(super) fn apply_guards(&mut self, cond: ExprId, holds: bool) {
        self.guards(cond, holds, 0);
    }

    fn guards(&mut self, cond: ExprId, holds: bool, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        let unit = self.unit;
        match unit.expr(cond) {
            ExprKind::Not(inner) => self.guards(*inner, !holds, depth + 1),
            ExprKind::Binary(Op::And, left, right) if holds => {
                self.guards(*left, true, depth + 1);
                self.guards(*right, true, depth + 1);
            }
            ExprKind::Binary(Op::Or, left, right) if !holds => {
                self.guards(*left, false, depth + 1);
                self.guards(*right, false, depth + 1);
            }
            ExprKind::Binary(op, left, right) => self.comparison(*op, *left, *right, holds),
            ExprKind::Call { callee, args, .. } => self.guarding_call(*callee, args, holds),
            ExprKind::Field(base, name)
                if holds
                    && name.ends_with('?')
                    && CHARACTER_TESTS.contains(&name.trim_end_matches('?')) =>
            {
                self.mark_harmless(*base, Classes::ALL);
            }
            ExprKind::Opaque(parts) | ExprKind::Block(parts) if parts.len() == 1 => {
                self.guards(parts[0], holds, depth + 1);
            }
            // `inside = path.startsWith(root)`, and later `if (!inside)`.
            ExprKind::Name(name) => {
                if let Some(question) = self.scope.question(name) {
                    self.guards(question, holds, depth + 1);
                }
            }
            ExprKind::Index(table, key) if holds && self.is_written_out(*table) => {
                self.mark_harmless(*key, Classes::ALL);
            }
            _ => {}
        }
    }

    fn comparison(&mut self, op: Op, left: ExprId, right: ExprId, holds: bool) {
        let is_constant = |id: ExprId| match self.unit.expr(id) {
            ExprKind::Const(Const::Str(text)) => !text.is_empty(),
            ExprKind::Const(Const::Int(_)) => true,
            ExprKind::Name(name) => is_constant_name(name),
            _ => false,
        };
        match op {
            Op::Eq | Op::Ne => {
                let equal = (op == Op::Eq) == holds;
                // `list.indexOf(x) === -1`, `typeof x === 'number'`.
                for (side, other) in [(left, right), (right, left)] {
                    if !is_constant(other) && !self.is_negative(other) {
                        continue;
                    }
                    match self.unit.expr(side) {
                        ExprKind::Call { callee, args, .. } => {
                            self.compared_call(*callee, args, equal, other);
                        }
                        _ if equal && !self.is_negative(other) => {
                            self.mark_harmless(side, Classes::ALL);
                        }
                        _ => {}
                    }
                }
            }
            Op::In | Op::NotIn => {
                let inside = (op == Op::In) == holds;
                let looks_for_dots = matches!(
                    self.unit.expr(left),
                    ExprKind::Const(Const::Str(text)) if text.contains("..") || &**text == "/"
                );
                if !inside && self.is_quote(left) {
                    self.free_of_quotes(right);
                }
                if looks_for_dots && !inside {
                    self.mark_harmless(right, class_bit("path-traversal"));
                } else if inside && !matches!(self.unit.expr(left), ExprKind::Const(_)) {
                    self.member_of(left, right);
                }
            }
            Op::Match if holds && self.is_anchored(right) => {
                self.mark_harmless(left, Classes::ALL);
            }
            Op::Ge | Op::Gt | Op::Lt | Op::Le => {
                // In either direction, the author thought of a limit.
                for side in [left, right] {
                    if matches!(
                        self.unit.expr(side),
                        ExprKind::Name(_) | ExprKind::Field(..)
                    ) {
                        self.mark_harmless(side, class_bit("resource-exhaustion"));
                    }
                }
                // `list.indexOf(x) >= 0`.
                let inside = matches!(op, Op::Ge | Op::Gt) == holds;
                if let ExprKind::Call { callee, args, .. } = self.unit.expr(left)
                    && let ExprKind::Field(base, "indexOf") = self.unit.expr(*callee)
                    && let (true, [arg]) = (inside, args.as_slice())
                {
                    self.member_of(arg.value, *base);
                }
            }
            _ => {}
        }
    }

    fn is_quote(&self, id: ExprId) -> bool {
        matches!(self.unit.expr(id), ExprKind::Const(Const::Str(text)) if matches!(&**text, "'" | "\""))
    }

    /// A value without quotes cannot end the literal that it is put into, and
    /// one that has them at its ends alone is a literal itself.
    fn free_of_quotes(&mut self, id: ExprId) {
        self.mark_harmless(id, class_bit("xpath-injection").with(UNQUOTED));
        let ExprKind::Index(whole, _) = self.unit.expr(id) else {
            return;
        };
        let is_inner = self.unit.text_of(id).replace(' ', "").ends_with("[1:-1]");
        let checks_ends = self
            .conditions
            .last()
            .is_some_and(|text| text.contains("startswith") && text.contains("endswith"));
        if is_inner && checks_ends {
            self.mark_harmless(*whole, class_bit("code-injection"));
        }
    }

    fn is_negative(&self, id: ExprId) -> bool {
        matches!(self.unit.expr(id), ExprKind::Binary(Op::Sub, _, _))
    }

    /// `f(x) == constant`.
    fn compared_call(&mut self, callee: ExprId, args: &[Arg<'s>], equal: bool, other: ExprId) {
        let unit = self.unit;
        match unit.expr(callee) {
            ExprKind::Name("typeof") if equal => {
                if let (ExprKind::Const(Const::Str(text)), [arg]) = (unit.expr(other), args) {
                    let classes = match &**text {
                        "number" | "boolean" | "bigint" => Classes::ALL,
                        // An object cannot be smuggled in where a string is asked for.
                        "string" => class_bit("nosql-injection"),
                        _ => Classes::NONE,
                    };
                    self.mark_harmless(arg.value, classes);
                }
            }
            ExprKind::Field(base, "indexOf") if !equal && self.is_negative(other) => {
                if let [arg] = args {
                    self.member_of(arg.value, *base);
                }
            }
            // `urlparse(x).netloc == "…"` and the like are fields; `x.getHost()` is a call.
            ExprKind::Field(base, name) if equal => {
                let lower = name.to_lowercase();
                if lower.contains("host") || lower.contains("dirname") || lower.contains("commonp")
                {
                    self.mark_harmless(*base, location_classes());
                    if let [arg, ..] = args {
                        self.mark_harmless(arg.value, location_classes());
                    }
                }
            }
            _ => {}
        }
    }

    fn guarding_call(&mut self, callee: ExprId, args: &[Arg<'s>], holds: bool) {
        let unit = self.unit;
        let (base, name) = match unit.expr(callee) {
            ExprKind::Field(base, name) => (Some(*base), *name),
            ExprKind::Name(name) => (None, *name),
            _ => return,
        };
        let first = args.first().map(|arg| arg.value);
        if PREFIX_TESTS.contains(&name) {
            if holds {
                // `HasPrefix(path, base)` is a function, `path.startsWith(base)` a method.
                let is_function = matches!(name, "HasPrefix" | "IsLocal" | "commonpath");
                if let Some(subject) = if is_function { first } else { base } {
                    let classes = self.proven_by_prefix(subject);
                    self.mark_harmless(subject, classes);
                }
            }
            return;
        }
        if MEMBERSHIP.contains(&name) {
            self.membership(base, args, holds);
            return;
        }
        if let Some((classes, which)) = self.guard_rule(callee) {
            let subject = match which {
                "self" => base,
                _ => which
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| args.get(index))
                    .map(|arg| arg.value),
            };
            if let (true, Some(subject)) = (holds, subject) {
                self.mark_harmless(subject, classes);
            }
            return;
        }
        if CHARACTER_TESTS.contains(&name) {
            if let (true, Some(base)) = (holds, base) {
                self.mark_harmless(base, Classes::ALL);
            }
        } else if name == "equals" && holds {
            for (side, other) in [(base, first), (first, base)] {
                if let (Some(side), Some(other)) = (side, other)
                    && matches!(unit.expr(other), ExprKind::Const(Const::Str(_)))
                {
                    self.mark_harmless(side, Classes::ALL);
                }
            }
        } else if MATCHING.contains(&name) && self.matched(base, name, args, holds) {
        } else if holds && says_valid(name) {
            for arg in args {
                self.mark_harmless(arg.value, Classes::ALL);
            }
            if let (true, Some(base)) = (args.is_empty(), base) {
                self.mark_harmless(base, Classes::ALL);
            }
        }
    }

    /// A path that begins with a folder may still lead out of it by `..`, unless
    /// it was brought to its normal form.
    fn proven_by_prefix(&mut self, subject: ExprId) -> Classes {
        let all = location_classes();
        if !self.tables.knows_normal_paths {
            return all;
        }
        let silent = std::mem::replace(&mut self.silent, true);
        let taint = self.eval(subject).deep_taint();
        self.silent = silent;
        let path = class_bit("path-traversal");
        let normal = class_bit(NORMAL_PATH);
        if taint
            .harmful(path)
            .any(|origin| !origin.clean.contains(normal))
        {
            return Classes(all.0 & !path.0);
        }
        all
    }

    fn guard_rule(&mut self, callee: ExprId) -> Option<(Classes, &'static str)> {
        let info = self.callee(callee);
        self.entries(&info)
            .iter()
            .find_map(|entry| match &entry.effect {
                Effect::Guards(classes, which) => Some((*classes, *which)),
                _ => None,
            })
    }

    fn membership(&mut self, base: Option<ExprId>, args: &[Arg<'s>], holds: bool) {
        let Some(base) = base else {
            return;
        };
        match args {
            [arg] => {
                if let ExprKind::Const(Const::Str(text)) = self.unit.expr(arg.value) {
                    if !holds && (text.contains("..") || &**text == "/") {
                        self.mark_harmless(base, class_bit("path-traversal"));
                    }
                } else if holds {
                    self.member_of(arg.value, base);
                }
            }
            // `slices.Contains(list, x)`, `strings.Contains(x, "..")`.
            [list, arg] => {
                if let ExprKind::Const(Const::Str(text)) = self.unit.expr(arg.value) {
                    if !holds && text.contains("..") {
                        self.mark_harmless(list.value, class_bit("path-traversal"));
                    }
                } else if holds {
                    self.member_of(arg.value, list.value);
                }
            }
            _ => {}
        }
    }

    /// A value in a collection that was not chosen from outside.
    fn member_of(&mut self, value: ExprId, collection: ExprId) {
        let silent = std::mem::replace(&mut self.silent, true);
        let foreign = self
            .eval(collection)
            .deep_taint()
            .origins()
            .iter()
            .any(|origin| matches!(origin.root, Root::Source { .. }));
        self.silent = silent;
        if !foreign {
            self.mark_harmless(value, Classes::ALL);
        }
    }

    /// A table that is a literal in the program: `allowed[x]` holds for its keys alone.
    fn is_written_out(&mut self, table: ExprId) -> bool {
        let silent = std::mem::replace(&mut self.silent, true);
        let value = self.eval(table);
        self.silent = silent;
        matches!(value.shape.as_deref(), Some(Shape::Map(pairs)) if !pairs.is_empty())
            && value.taint.is_none()
    }
}
