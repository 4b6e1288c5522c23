//! Evaluates expressions.

use std::rc::Rc;

use super::fold;
use super::origin::{Classes, Taint};
use super::tables::{Effect, Matcher, WEAK_RANDOM, class_bit, last_word, path_matches};
use super::types::is_number;
use super::value::Value;
use super::walk::{MAX_PATH_LEN, Walker};
use crate::ir::{Const, ExprId, ExprKind, FunctionId, Span};
use crate::rules::format::{Origin, Parameter};

/// What it costs to look at one expression once, next to one node of a tree.
const EXPRESSION: usize = 4;

impl<'s> Walker<'_, 's, '_, '_> {
    pub(super) fn eval(&mut self, id: ExprId) -> Value {
        if !self.budget.spend(EXPRESSION) {
            return Value::default();
        }
        let unit = self.unit;
        let span = unit.span(id);
        match unit.expr(id) {
            ExprKind::Const(constant) => Value::constant(constant.clone()),
            ExprKind::Name(name) => {
                let value = self.name(name, span);
                self.if_called_by_name(value, id)
            }
            ExprKind::Field(base, name) => {
                let base = self.holder(*base);
                let value = self.read_field(&base, name, span);
                self.guarded(value, id)
            }
            ExprKind::Index(base, key) => {
                let base = self.eval(*base);
                let key = self.eval(*key);
                let value = self.read_index(&base, &key, span);
                self.guarded(value, id)
            }
            ExprKind::Call { callee, args, new } => {
                let value = self.call(id, *callee, args, *new);
                self.guarded(value, id)
            }
            ExprKind::Again(of) => self.eval(*of),
            ExprKind::Build(parts) => self.build(parts),
            ExprKind::Binary(..) => self.binary_chain(id),
            ExprKind::Not(inner) => {
                let value = self.eval(*inner);
                match value.constant {
                    Some(Const::Bool(value)) => Value::constant(Const::Bool(!value)),
                    _ => Value::default(),
                }
            }
            ExprKind::List(items) => {
                let items = items.iter().map(|item| self.eval(*item)).collect();
                Value::list(items)
            }
            ExprKind::Map(pairs) => self.map(pairs),
            ExprKind::Lambda(function) => {
                self.inner_function(*function, None, &[]);
                Value {
                    function: Some(*function),
                    ..Value::default()
                }
            }
            ExprKind::Define(function) => self.define(*function),
            ExprKind::Opaque(parts) => {
                let mut value = Value::default();
                for part in parts {
                    let part = self.eval(*part);
                    value.taint = value.taint.union(&part.deep_taint());
                }
                value
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::Cast(type_text, inner) => {
                let value = self.eval(*inner);
                self.declared(value, Some(type_text))
            }
            ExprKind::Assign {
                target,
                value,
                op,
                type_text,
            } => self.assign(*target, *value, *op, *type_text),
            _ => self.statement(id),
        }
    }

    pub(super) fn name(&mut self, name: &'s str, span: Span) -> Value {
        if let Some(value) = self.scope.variables.get(name) {
            return value.clone();
        }
        if let Some(value) = self.globals.get(name) {
            return value.clone();
        }
        let bare = name.split('<').next().unwrap_or(name);
        if let Some(path) = self.unit.imports.get(bare) {
            let value = Value::path(path.as_str());
            return self.known_field(&value, span).unwrap_or(value);
        }
        if let Some(id) = self.local_function(name, None) {
            return Value {
                function: Some(id),
                path: Some(name.into()),
                ..Value::default()
            };
        }
        let mut value = Value::path(bare);
        if let Some(known) = self.known_field(&value, span) {
            return known;
        }
        if says_nothing(bare) {
            value.taint = Taint::unknown();
        }
        value
    }

    /// What a field is read from or a method called on. A name without meaning
    /// is then a package or a module, unless it sounds like input.
    pub(super) fn holder(&mut self, id: ExprId) -> Value {
        let mut value = self.eval(id);
        if let ExprKind::Name(name) = self.unit.expr(id)
            && !matches!(
                *name,
                "req" | "request" | "params" | "event" | "input" | "args"
            )
            && value.taint.is_unknown()
        {
            value.taint = Taint::default();
        }
        value
    }

    /// The function of that name, of the class if there are several.
    pub(super) fn local_function(&self, name: &str, class: Option<&str>) -> Option<FunctionId> {
        let all = self.by_name.get(name)?;
        let class = class.or(self.unit.function(self.function).class);
        all.iter()
            .find(|id| self.unit.function(**id).class == class)
            .or_else(|| all.first().filter(|_| all.len() == 1))
            .copied()
    }

    pub(super) fn guarded(&self, mut value: Value, id: ExprId) -> Value {
        if !self.scope.guarded.is_empty() && !value.taint.is_none() {
            let clean = self.scope.cleaned_by_guards(self.unit.text_of(id));
            if clean != Classes::NONE {
                value.taint = value.taint.cleaned(clean);
            }
        }
        value
    }

    pub(super) fn read_field(&mut self, base: &Value, name: &'s str, span: Span) -> Value {
        if let Some(part) = base.part(name) {
            return part.clone();
        }
        let mut value = Value::default();
        if let Some(path) = &base.path {
            if path.len() < MAX_PATH_LEN {
                value.path = Some(Rc::from(format!("{path}.{name}")));
            }
            if let Some(known) = self.known_field(&value, span) {
                return known;
            }
        }
        let is_own = base.path.as_deref().is_none_or(|path| {
            matches!(path, "this" | "self") || self.unit.classes.contains_key(path)
        });
        if is_own {
            if let Some(value) = self.globals.get(name) {
                return self.with_taint_of(value.clone(), base, name);
            }
            if let Some(type_text) = self.unit.field_types.get(name).copied() {
                value = self.declared(value, Some(type_text));
            }
        }
        if !matches!(name, "length" | "size" | "count") {
            value.taint = base.taint.clone();
        }
        value
    }

    /// The value of a class's field, for an object that came from outside.
    fn with_taint_of(&self, mut value: Value, object: &Value, name: &str) -> Value {
        let is_number = self
            .unit
            .field_types
            .get(name)
            .copied()
            .is_some_and(is_number);
        if !object.taint.is_none() && !is_number {
            value.constant = None;
            value.taint = value.taint.union(&object.taint);
        }
        value
    }

    /// A field that rules know: a source, or of a type.
    pub(super) fn known_field(&mut self, value: &Value, span: Span) -> Option<Value> {
        let path = value.path.as_deref()?;
        let entries = self.tables.fields.get(last_word(path))?;
        let mut found = None;
        for entry in entries {
            let Matcher::Path(pattern) = entry.matcher else {
                continue;
            };
            if !path_matches(path, pattern) {
                continue;
            }
            let known: &mut Value = found.get_or_insert_with(|| value.clone());
            match &entry.effect {
                Effect::Source(origin, harmless) => {
                    let local = *origin == Origin::Local;
                    known.taint = Taint::source_but_for(span, local, *harmless);
                }
                Effect::Routed(harmless) if !self.has_fixed_route() => {
                    known.taint = Taint::source_but_for(span, false, *harmless);
                }
                Effect::Returns(type_name, _) => {
                    known.path = Some((*type_name).into());
                    known.typed = true;
                }
                _ => {}
            }
        }
        found
    }

    pub(super) fn read_index(&mut self, base: &Value, key: &Value, span: Span) -> Value {
        if let (Some(Const::Str(text)), Some(Const::Int(_))) = (&base.constant, &key.constant)
            && let Some(found) = fold::method(text, "charAt", &[key.constant.as_ref()])
        {
            return Value::constant(found);
        }
        let mut value = base.element(key);
        if value.path.is_none()
            && let (Some(path), Some(name)) = (&base.path, key.text())
            && path.len() + name.len() < MAX_PATH_LEN
        {
            let named = Value::path(format!("{path}.{name}"));
            if let Some(known) = self.known_field(&named, span) {
                return known;
            }
        }
        if value.shape.is_none() && value.taint.is_none() {
            // A part chosen by input from constants is still constant.
            value.taint = base.taint.clone();
        }
        let weak = class_bit(WEAK_RANDOM);
        if key.taint.harmful(weak).next().is_some() {
            // What a guessable place holds is as guessable.
            value.taint = value.taint.union(&key.taint.cleaned(weak.others()));
        }
        value
    }

    pub(super) fn map(&mut self, pairs: &[(ExprId, ExprId)]) -> Value {
        let mut map = Value::map();
        for (key_id, value_id) in pairs {
            let key = self.eval(*key_id);
            let value = self.eval(*value_id);
            if let Some(name) = key.constant_text() {
                self.check_literal(&name, &value, *value_id);
                self.check_named(&name, &value, *value_id);
                self.check_assigned(None, &name, &value, *value_id);
                map = map.with_part(&name, value);
            } else {
                map.taint = map
                    .taint
                    .union(&value.deep_taint())
                    .union(&key.deep_taint());
            }
        }
        map
    }

    /// A function written here: walked with what it captures.
    pub(super) fn inner_function(
        &mut self,
        id: FunctionId,
        element: Option<&Value>,
        known: &[&'static Parameter],
    ) -> Value {
        if self.only_statements {
            return Value::default();
        }
        let outer = self.scope.clone();
        let value = self.walk_function(id, element, known);
        let inner = std::mem::replace(&mut self.scope, outer);
        // What it changed of the variables around it may have changed.
        let mut around = inner.variables;
        for param in &self.unit.function(id).params {
            if let Some(mine) = self.scope.variables.get(param.name) {
                around.insert(param.name, mine.clone());
            }
        }
        let budget = self.budget;
        let outer = std::mem::take(&mut self.scope.variables);
        self.scope.variables = outer.join_known(around, &mut |mine, theirs| {
            budget.spend(1);
            mine.join(theirs)
        });
        value
    }

    pub(super) fn define(&mut self, id: FunctionId) -> Value {
        let function = self.unit.function(id);
        let value = Value {
            function: Some(id),
            ..Value::default()
        };
        if function.nested {
            self.inner_function(id, None, &[]);
            if !function.name.is_empty() {
                self.scope.variables.insert(function.name, value.clone());
            }
        }
        value
    }
}

/// A variable from elsewhere, whose name does not mark it as a usual part of a
/// statement.
fn says_nothing(name: &str) -> bool {
    const PIECES: [&str; 22] = [
        "table",
        "column",
        "quoted",
        "schema",
        "prefix",
        "sql",
        "placeholder",
        "where",
        "order",
        "query",
        "field",
        "this",
        "self",
        "std",
        "console",
        "process",
        "document",
        "window",
        "db",
        "conn",
        "cursor",
        "client",
    ];
    name.len() > 1
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && !PIECES.iter().any(|piece| name.contains(piece))
}
