//! The walk over statements and expressions.

use std::collections::HashMap;
use std::rc::Rc;

use super::fold;
use super::scope::Scope;
use super::tables::{Effect, Matcher, Tables, last_word, path_matches};
use super::value::{Classes, Note, Taint, Value};
use crate::ir::{Arm, Block, Const, ExprId, ExprKind, FunctionId, Op, Span, Unit};
use crate::report::Reporter;
use crate::rules::format::{Origin, Parameter};

/// Expressions walked in one file at most. A large file has some ten thousand,
/// and loops and helpers are walked twice.
const BUDGET: u32 = 600_000;

/// Loops inside this many others are walked once rather than twice.
const DEEP_LOOPS: u32 = 2;

/// Longer paths name nothing that a rule knows.
const LONGEST_PATH: usize = 200;

/// What callers need to know of a function.
#[derive(Default, Clone)]
pub(super) struct Summary {
    pub(super) state: State,
    pub(super) returns: Value,
    /// Parameters that reach a sink.
    pub(super) sinks: Vec<super::sink::Reached>,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    New,
    Walking,
    Done,
}

pub(super) struct Walker<'u, 's, 't, 'a> {
    pub(super) unit: &'u Unit<'s>,
    pub(super) tables: &'static Tables,
    pub(super) reporter: &'u mut Reporter<'t, 'a>,
    pub(super) scope: Scope<'s>,
    /// What is known at the end of the file, for the functions in it.
    pub(super) globals: HashMap<&'s str, Value>,
    pub(super) summaries: Vec<Summary>,
    pub(super) by_name: HashMap<&'s str, Vec<FunctionId>>,
    /// Functions that were given to a framework, and what that makes of their parameters.
    pub(super) handlers: HashMap<FunctionId, Vec<&'static Parameter>>,
    pub(super) function: FunctionId,
    returned: Option<Value>,
    exits: Vec<Scope<'s>>,
    loops: u32,
    /// Nothing is reported while a loop is walked to learn what it changes.
    pub(super) silent: bool,
    only_statements: bool,
    budget: u32,
}

impl<'u, 's, 't, 'a> Walker<'u, 's, 't, 'a> {
    pub(super) fn new(
        unit: &'u Unit<'s>,
        tables: &'static Tables,
        reporter: &'u mut Reporter<'t, 'a>,
    ) -> Self {
        let mut by_name: HashMap<&'s str, Vec<FunctionId>> = HashMap::new();
        for (index, function) in (0u32..).zip(&unit.functions).skip(1) {
            if !function.name.is_empty() {
                by_name
                    .entry(function.name)
                    .or_default()
                    .push(FunctionId(index));
            }
        }
        Self {
            unit,
            tables,
            reporter,
            scope: Scope::default(),
            globals: HashMap::new(),
            summaries: vec![Summary::default(); unit.functions.len()],
            by_name,
            handlers: HashMap::new(),
            function: FunctionId(0),
            returned: None,
            exits: Vec::new(),
            loops: 0,
            silent: false,
            only_statements: false,
            budget: BUDGET,
        }
    }

    /// First the file's own statements for what its variables are, then again
    /// with the functions written in them, then every other function.
    pub(super) fn whole_file(&mut self) {
        let body = &self.unit.functions[0].body;
        self.silent = true;
        self.only_statements = true;
        self.block(body);
        self.only_statements = false;
        self.silent = false;
        self.globals = std::mem::take(&mut self.scope).variables;
        self.block(body);
        self.scope = Scope::default();
        for index in 1..self.unit.functions.len() {
            let id = FunctionId(u32::try_from(index).unwrap_or(u32::MAX));
            if !self.unit.function(id).nested {
                self.summarize(id);
            }
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.budget > 0
    }

    pub(super) fn summarize(&mut self, id: FunctionId) {
        if self.summaries[id.0 as usize].state != State::New {
            return;
        }
        let outer = std::mem::take(&mut self.scope);
        let silent = std::mem::replace(&mut self.silent, false);
        self.walk_function(id, None, &[]);
        self.silent = silent;
        self.scope = outer;
    }

    /// Walks a function in the current scope, which is what it captures.
    pub(super) fn walk_function(
        &mut self,
        id: FunctionId,
        element: Option<&Value>,
        known: &[&'static Parameter],
    ) -> Value {
        let index = id.0 as usize;
        if self.summaries[index].state == State::Walking || self.only_statements {
            return Value::default();
        }
        self.summaries[index].state = State::Walking;
        let outer = std::mem::replace(&mut self.function, id);
        let returned = self.returned.take();
        let exits = std::mem::take(&mut self.exits);
        let loops = std::mem::replace(&mut self.loops, 0);
        self.scope.left = false;
        self.bind_params(id, element, known);
        let function = self.unit.function(id);
        let last = self.block(&function.body);
        if function.implicit_return && !self.scope.left {
            self.give_back(last, None);
        }
        let mut value = self.returned.take().unwrap_or_default();
        if let Some(type_text) = function.returns.filter(|_| value.path.is_none()) {
            value.path = self.type_path(type_text);
            value.typed = value.path.is_some();
        }
        self.returned = returned;
        self.exits = exits;
        self.loops = loops;
        self.function = outer;
        let summary = &mut self.summaries[index];
        summary.state = State::Done;
        summary.returns = value.clone();
        value
    }

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

    pub(super) fn eval(&mut self, id: ExprId) -> Value {
        if self.budget == 0 {
            return Value::default();
        }
        self.budget -= 1;
        let unit = self.unit;
        let span = unit.span(id);
        match unit.expr(id) {
            ExprKind::Const(constant) => Value::constant(constant.clone()),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Field(base, name) => {
                let base = self.eval(*base);
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
            ExprKind::Build(parts) => self.build(parts),
            ExprKind::Binary(op, left, right) => self.binary(*op, *left, *right),
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

    fn statement(&mut self, id: ExprId) -> Value {
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
                    *exit = std::mem::take(exit).join(here);
                }
                self.scope.left = true;
                Value::default()
            }
            _ => Value::default(),
        }
    }

    fn give_back(&mut self, value: Value, at: Option<ExprId>) {
        if let Some(at) = at {
            self.check_returned(&value, at);
        }
        self.returned = Some(match self.returned.take() {
            Some(known) => known.join(&value),
            None => value,
        });
    }

    fn name(&mut self, name: &'s str, span: Span) -> Value {
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
        let value = Value::path(bare);
        self.known_field(&value, span).unwrap_or(value)
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

    fn guarded(&self, mut value: Value, id: ExprId) -> Value {
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
            if path.len() < LONGEST_PATH {
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
                return value.clone();
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
                Effect::Source(origin) => {
                    known.taint = Taint::source(span, *origin == Origin::Local);
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

    fn read_index(&mut self, base: &Value, key: &Value, span: Span) -> Value {
        if let (Some(Const::Str(text)), Some(Const::Int(_))) = (&base.constant, &key.constant)
            && let Some(found) = fold::method(text, "charAt", &[key.constant.as_ref()])
        {
            return Value::constant(found);
        }
        let mut value = base.element(key);
        if value.path.is_none()
            && let (Some(path), Some(name)) = (&base.path, key.text())
            && path.len() + name.len() < LONGEST_PATH
        {
            let named = Value::path(format!("{path}.{name}"));
            if let Some(known) = self.known_field(&named, span) {
                return known;
            }
        }
        if value.shape.is_none() && value.taint.is_none() {
            // A part chosen by somebody from what is constant is still constant.
            value.taint = base.taint.clone();
        }
        value
    }

    fn build(&mut self, parts: &[ExprId]) -> Value {
        let mut value = Value::constant(Const::Str(Rc::from("")));
        for part in parts {
            let part = self.eval(*part);
            value = add(&value, &part);
        }
        value
    }

    fn binary(&mut self, op: Op, left: ExprId, right: ExprId) -> Value {
        let left_value = self.eval(left);
        match (op, &left_value.constant) {
            (Op::And, Some(Const::Bool(false))) | (Op::Or, Some(Const::Bool(true))) => {
                return left_value;
            }
            _ => {}
        }
        if op == Op::And {
            // What stands on the right is only reached if the left holds.
            let outer = self.scope.clone();
            self.apply_guards(left, true);
            let right_value = self.eval(right);
            self.scope.guarded = outer.guarded;
            return combined(op, &left_value, &right_value);
        }
        let right_value = self.eval(right);
        combined(op, &left_value, &right_value)
    }

    fn map(&mut self, pairs: &[(ExprId, ExprId)]) -> Value {
        let mut map = Value::map();
        for (key_id, value_id) in pairs {
            let key = self.eval(*key_id);
            let value = self.eval(*value_id);
            if let Some(name) = key.constant_text() {
                self.check_literal(&name, &value, *value_id);
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
        for (name, theirs) in inner.variables {
            let is_param = self
                .unit
                .function(id)
                .params
                .iter()
                .any(|param| param.name == name);
            if let Some(mine) = self.scope.variables.get_mut(name).filter(|_| !is_param) {
                *mine = mine.join(&theirs);
            }
        }
        value
    }

    fn define(&mut self, id: FunctionId) -> Value {
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

    fn if_else(&mut self, cond: ExprId, then: &Block, other: &Block) -> Value {
        let known = self.eval(cond).constant.as_ref().and_then(fold::truth);
        match known {
            Some(true) => return self.block(then),
            Some(false) => return self.block(other),
            None => {}
        }
        let before = self.scope.clone();
        self.apply_guards(cond, true);
        let then_value = self.block(then);
        let after_then = std::mem::replace(&mut self.scope, before);
        self.apply_guards(cond, false);
        let other_value = self.block(other);
        let after_other = std::mem::take(&mut self.scope);
        let value = match (after_then.left, after_other.left) {
            (true, false) => other_value,
            (false, true) => then_value,
            _ => then_value.join(&other_value),
        };
        self.scope = after_then.join(after_other);
        value
    }

    fn loop_over(&mut self, bind: Option<(ExprId, ExprId)>, cond: Option<ExprId>, body: &Block) {
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
            self.scope = before.clone().join(after);
        }
        self.loop_once(element.as_ref(), cond, body);
        self.loops -= 1;
        let after = std::mem::take(&mut self.scope);
        self.scope = before.join(after);
    }

    fn loop_once(&mut self, element: Option<&(ExprId, Value)>, cond: Option<ExprId>, body: &Block) {
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
        self.scope = here.join(exit);
    }

    fn switch(&mut self, subject: Option<ExprId>, arms: &[Arm]) -> Value {
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
                (Some(falling), true) => falling.join(before.clone()),
                (Some(falling), false) => falling,
                (None, true) => before.clone(),
                (None, false) => continue,
            };
            self.scope = start;
            self.guard_arm(subject, arm);
            let arm_value = self.block(&arm.body);
            result = Some(result.map_or(arm_value.clone(), |known| known.join(&arm_value)));
            let end = std::mem::take(&mut self.scope);
            if arm.falls_through && !end.left && index + 1 < arms.len() {
                falling = Some(end);
            } else {
                after = after.join(end);
            }
        }
        let exit = self.exits.pop().unwrap_or_default();
        self.scope = after.join(exit);
        if !has_default && taken.is_none() {
            let here = std::mem::take(&mut self.scope);
            self.scope = here.join(before);
        }
        result.unwrap_or_default()
    }

    /// The one arm that a constant chooses, if all labels are constant.
    fn taken_arm(&mut self, constant: &Const, arms: &[Arm]) -> Option<usize> {
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
    fn guard_arm(&mut self, subject: Option<ExprId>, arm: &Arm) {
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
            self.shown_harmless(subject, Classes::ALL);
        }
    }

    fn attempt(&mut self, body: &Block, handlers: &[Block], last: &Block) -> Value {
        let before = self.scope.clone();
        let value = self.block(body);
        let after_body = std::mem::take(&mut self.scope);
        let mut middle = after_body.clone();
        middle.left = false;
        let thrown = before.join(middle);
        let mut after = after_body;
        for handler in handlers {
            self.scope = thrown.clone();
            self.block(handler);
            let end = std::mem::take(&mut self.scope);
            after = after.join(end);
        }
        let left = after.left;
        self.scope = after;
        self.scope.left = false;
        self.block(last);
        self.scope.left |= left;
        value
    }

    fn assign(
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
        let mut value = self.eval(value_id);
        if let Some(op) = op {
            let old = self.eval(target);
            value = combined(op, &old, &value);
        } else if let Some(name) = self.assigned_name(target) {
            self.check_literal(name, &value, value_id);
        }
        self.bind(target, value.clone(), type_text);
        value
    }

    fn assigned_name(&self, target: ExprId) -> Option<&'s str> {
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

    /// Gives a value to whatever stands on the left of an assignment.
    pub(super) fn bind(&mut self, target: ExprId, value: Value, type_text: Option<&'s str>) {
        let unit = self.unit;
        let span = unit.span(target);
        match unit.expr(target) {
            ExprKind::Name(name) => {
                let mut value = self.declared(value, type_text);
                if !value.taint.is_none() {
                    value.taint = value.taint.step(Note::Assigned, span);
                }
                self.scope.variables.insert(name, value);
            }
            ExprKind::Cast(type_text, inner) => self.bind(*inner, value, Some(type_text)),
            ExprKind::Assign { target, .. } => self.bind(*target, value, type_text),
            ExprKind::Field(base, name) => {
                let base_value = self.eval(*base);
                self.check_assigned(base_value.path.as_deref(), name, &value, target);
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
    fn read_named(&mut self, value: &Value, name: &str, span: Span) -> Value {
        if let Some(part) = value.part(name) {
            return part.clone();
        }
        let mut part = Value::tainted(value.taint.clone());
        if let Some(path) = value.path.as_ref().filter(|path| path.len() < LONGEST_PATH) {
            part.path = Some(Rc::from(format!("{path}.{name}")));
            if let Some(known) = self.known_field(&part, span) {
                return known;
            }
        }
        part
    }

    /// Puts a part into what an expression names.
    fn put(&mut self, holder: ExprId, holder_value: Value, name: Option<&str>, part: Value) {
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

    /// A value that was declared to be of a type.
    pub(super) fn declared(&mut self, mut value: Value, type_text: Option<&str>) -> Value {
        let Some(type_text) = type_text else {
            return value;
        };
        if is_number(type_text) {
            value.taint = Taint::default();
            return value;
        }
        if (!value.typed || value.path.is_none())
            && let Some(path) = self.type_path(type_text)
        {
            value.path = Some(path);
            value.typed = true;
        }
        value
    }

    /// The path of a type as it is written, with its imports resolved.
    pub(super) fn type_path(&self, text: &str) -> Option<Rc<str>> {
        let bare = bare_type(text);
        if bare.is_empty()
            || matches!(
                bare.as_str(),
                "var" | "any" | "Object" | "String" | "string" | "str"
            )
        {
            return None;
        }
        let first = bare.split('.').next().unwrap_or(&bare);
        match self.unit.imports.get(first) {
            Some(path) if first.len() == bare.len() => Some(path.as_str().into()),
            Some(path) => Some(format!("{path}{}", &bare[first.len()..]).into()),
            None => Some(bare.into()),
        }
    }
}

fn left_scope<'s>() -> Scope<'s> {
    Scope {
        left: true,
        ..Scope::default()
    }
}

/// `&'a mut web::Json<T>` → `web.Json`.
fn bare_type(text: &str) -> String {
    let mut text = text.trim();
    for prefix in [
        "&",
        "*",
        "mut ",
        "dyn ",
        "impl ",
        "final ",
        "readonly ",
        "[]",
    ] {
        text = text.trim_start_matches(prefix).trim_start();
    }
    if let Some(rest) = text.strip_prefix('\'') {
        text = rest.split_once(' ').map_or("", |(_, rest)| rest);
        text = text.trim_start_matches("mut ");
    }
    let end = text
        .find(['<', '[', '|', '(', '{', ' ', ','])
        .unwrap_or(text.len());
    text[..end].replace("::", ".").trim_matches('"').to_owned()
}

/// Types that cannot carry an injection, in any of the languages.
pub(super) fn is_number(text: &str) -> bool {
    let inner = text
        .rsplit_once(['<', '['])
        .map_or(text, |(_, inner)| inner)
        .trim_end_matches(['>', ']', ')', ','])
        .trim_start_matches('(')
        .trim();
    let bare = inner.rsplit(['.', ':']).next().unwrap_or(inner);
    matches!(
        bare,
        "int"
            | "long"
            | "short"
            | "byte"
            | "float"
            | "double"
            | "boolean"
            | "bool"
            | "Integer"
            | "Long"
            | "Short"
            | "Double"
            | "Float"
            | "Boolean"
            | "BigInteger"
            | "BigDecimal"
            | "number"
            | "bigint"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "f32"
            | "f64"
            | "int8"
            | "int16"
            | "int32"
            | "int64"
            | "uint"
            | "uint8"
            | "uint16"
            | "uint32"
            | "uint64"
            | "float32"
            | "float64"
            | "UUID"
            | "Uuid"
            | "Decimal"
            | "datetime"
            | "LocalDate"
            | "LocalDateTime"
            | "Instant"
            | "Date"
            | "Duration"
            | "IpAddr"
            | "ObjectId"
    ) && !text.starts_with("[]")
}

/// Two values joined by an operator.
fn combined(op: Op, left: &Value, right: &Value) -> Value {
    if let (Some(a), Some(b)) = (&left.constant, &right.constant)
        && let Some(folded) = fold::binary(op, a, b)
    {
        return Value::constant(folded);
    }
    match op {
        Op::Add | Op::Rem => add(left, right),
        // One of the two, whichever.
        Op::Or | Op::And => left.join(right),
        Op::Other => Value::tainted(left.deep_taint().union(&right.deep_taint())),
        _ => Value::default(),
    }
}

/// Two strings put together.
fn add(left: &Value, right: &Value) -> Value {
    if let (Some(a), Some(b)) = (&left.constant, &right.constant)
        && let Some(folded) = fold::binary(Op::Add, a, b)
    {
        return Value::constant(folded);
    }
    let is_empty = |value: &Value| value.text() == Some("");
    Value {
        taint: left.deep_taint().union(&right.deep_taint()),
        // An interpolated string of one part is no more than that part.
        built: left.built || right.built || !(is_empty(left) || is_empty(right)),
        path: match (is_empty(left), is_empty(right)) {
            (true, false) => right.path.clone(),
            _ => None,
        },
        ..Value::default()
    }
}
