//! Evaluates assignments.

use std::rc::Rc;

use super::operator::combined;
use super::origin::{Note, Origin, Root};
use super::value::Value;
use super::walk::{MAX_PATH_LEN, Walker};
use crate::ir::{Const, ExprId, ExprKind, Op, Span};

impl<'s> Walker<'_, 's, '_, '_> {
    pub(super) fn assign(
        &mut self,
        target: ExprId,
        value: Option<ExprId>,
        op: Option<Op>,
        type_text: Option<&'s str>,
    ) -> Value {
        let Some(value_id) = value else {
            let unset = self.declared(Value::default(), type_text);
            self.bind(target, unset, None);
            return Value::default();
        };
        let known = self.assigned.take();
        let (value_id, known) = match self.unit.expr(value_id) {
            ExprKind::Again(of) => (*of, known.filter(|(known, _)| known == of)),
            _ => (value_id, None),
        };
        let mut value = match known {
            Some((_, value)) => value,
            None => self.eval(value_id),
        };
        self.assigned = Some((value_id, value.clone()));
        if let Some(op) = op {
            let old = self.eval(target);
            value = combined(op, &old, &value);
        }
        if let Some(name) = self.assigned_name(target) {
            if op.is_none() {
                self.check_literal(name, &value, value_id);
            }
            let found = self.check_named(name, &value, target);
            value = value.cleaned(found);
        }
        self.bind(target, value.clone(), type_text);
        if let ExprKind::Name(name) = self.unit.expr(target) {
            let question = Some(value_id).filter(|id| op.is_none() && self.is_question(*id));
            self.scope.answer(name, question);
        }
        value
    }

    /// Whether an expression may be asked about later by the name of its result.
    fn is_question(&self, id: ExprId) -> bool {
        matches!(
            self.unit.expr(id),
            ExprKind::Binary(..) | ExprKind::Not(_) | ExprKind::Call { .. } | ExprKind::Index(..)
        )
    }

    pub(super) fn assigned_name(&self, target: ExprId) -> Option<&'s str> {
        match self.unit.expr(target) {
            ExprKind::Name(name) | ExprKind::Field(_, name) => Some(name),
            ExprKind::Index(_, key) => match self.unit.expr(*key) {
                ExprKind::Const(Const::Str(_)) => Some(
                    self.unit
                        .text_of(*key)
                        .trim_matches(|c| matches!(c, '"' | '\'' | '`' | ':')),
                ),
                _ => None,
            },
            _ => None,
        }
    }

    /// Gives a value to the left side of an assignment.
    pub(super) fn bind(&mut self, target: ExprId, value: Value, type_text: Option<&'s str>) {
        let unit = self.unit;
        let span = unit.span(target);
        match unit.expr(target) {
            ExprKind::Name(name) => {
                let mut value = self.declared(value, type_text);
                if !value.taint.is_none() {
                    value.taint = value.taint.step(Note::Assigned, span);
                }
                if name.starts_with('@') {
                    self.keep_field(name, &value);
                }
                self.scope.variables.insert(name, value);
            }
            ExprKind::Cast(type_text, inner) => self.bind(*inner, value, Some(type_text)),
            ExprKind::Assign { target, .. } => self.bind(*target, value, type_text),
            ExprKind::Field(base, name) => {
                let base_value = self.eval(*base);
                self.check_assigned(base_value.path.as_deref(), name, &value, target);
                if matches!(unit.expr(*base), ExprKind::Name("this" | "self")) {
                    self.keep_field(name, &value);
                }
                self.put(*base, base_value, Some(name), value);
            }
            ExprKind::Index(base, key) => {
                let key_value = self.eval(*key);
                self.check_polluted(*base, &key_value, target);
                let base_value = self.eval(*base);
                let name = key_value.constant_text();
                if let Some(name) = &name {
                    self.check_assigned(base_value.path.as_deref(), name, &value, target);
                }
                self.check_stored(*base, &base_value, &key_value, &value);
                self.put(*base, base_value, name.as_deref(), value);
            }
            ExprKind::List(targets) => {
                for (index, target) in targets.iter().enumerate() {
                    let index = i64::try_from(index).unwrap_or(i64::MAX);
                    let part = value.element(&Value::constant(Const::Int(index)));
                    self.bind(*target, part, None);
                }
            }
            ExprKind::Map(pairs) => {
                for (key, target) in pairs {
                    let key = self.eval(*key);
                    let part = match &key.constant {
                        Some(Const::Str(name)) => {
                            let name = Rc::clone(name);
                            self.read_named(&value, &name, span)
                        }
                        _ => value.clone(),
                    };
                    self.bind(*target, part, None);
                }
            }
            ExprKind::Opaque(targets) | ExprKind::Block(targets) => {
                for target in targets {
                    self.bind(*target, value.clone(), None);
                }
            }
            _ => {}
        }
    }

    /// `const { query } = req` reads the same field as `req.query`.
    pub(super) fn read_named(&mut self, value: &Value, name: &str, span: Span) -> Value {
        if let Some(part) = value.part(name) {
            return part.clone();
        }
        let mut part = Value::tainted(value.taint.clone());
        if let Some(path) = value.path.as_ref().filter(|path| path.len() < MAX_PATH_LEN) {
            part.path = Some(Rc::from(format!("{path}.{name}")));
            if let Some(known) = self.known_field(&part, span) {
                return known;
            }
        }
        part
    }

    /// Remembers a field that holds something from outside for other methods.
    fn keep_field(&mut self, name: &'s str, value: &Value) {
        let taint = value.deep_taint();
        let is_source = |origin: &Origin| matches!(origin.root, Root::Source { .. });
        if taint.origins().iter().any(is_source) {
            self.fields.insert(name, value.clone());
        }
    }

    /// Puts a part into what an expression names.
    pub(super) fn put(
        &mut self,
        holder: ExprId,
        holder_value: Value,
        name: Option<&str>,
        part: Value,
    ) {
        let changed = match name {
            Some(name) => holder_value.with_part(name, part),
            None => holder_value.with_taint(&part.deep_taint()),
        };
        self.update(holder, changed);
    }

    /// What an expression names has become another value.
    pub(super) fn update(&mut self, place: ExprId, value: Value) {
        match self.unit.expr(place) {
            ExprKind::Name(name) => {
                self.scope.variables.insert(name, value);
            }
            ExprKind::Field(base, name) => {
                let base_value = self.eval(*base);
                self.update(*base, base_value.with_part(name, value));
            }
            ExprKind::Index(base, _) => {
                let base_value = self.eval(*base);
                self.update(*base, base_value.with_taint(&value.deep_taint()));
            }
            _ => {}
        }
    }
}
