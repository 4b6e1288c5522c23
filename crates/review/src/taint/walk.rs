//! The walk over a file and its functions.

use std::collections::HashMap;
use std::rc::Rc;

use super::map::Map;
use super::origin::{Classes, Root, Taint};
use super::scope::Scope;
use super::tables::Tables;
use super::unchecked::Unchecked;
use super::value::Value;
use crate::budget::Budget;
use crate::ir::{ExprId, FunctionId, Unit};
use crate::report::Reporter;
use crate::rules::format::Parameter;

/// Nested helper calls are followed this deep.
const MAX_CALL_DEPTH: u32 = 24;

/// Longer paths name nothing that a rule knows.
pub(super) const MAX_PATH_LEN: usize = 200;

/// What callers need to know about a function.
#[derive(Default, Clone)]
pub(super) struct Summary {
    pub(super) state: State,
    pub(super) returns: Value,
    /// Parameters that reach a sink.
    pub(super) sinks: Vec<super::sink::Reached>,
    /// Parameters that are called, and with what.
    pub(super) calls: Vec<(u16, Vec<Taint>)>,
    /// Parameters that are harmless once it has come to its end.
    pub(super) ensures: Vec<(usize, Classes)>,
    /// Parameters that are of another type afterwards.
    pub(super) retyped: Vec<(usize, Rc<str>)>,
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
    pub(super) globals: Map<'s, Value>,
    /// Fields of objects that were given something from outside.
    pub(super) fields: HashMap<&'s str, Value>,
    pub(super) summaries: Vec<Summary>,
    pub(super) by_name: HashMap<&'s str, Vec<FunctionId>>,
    /// Functions that were given to a framework, and what that makes of their parameters.
    pub(super) handlers: HashMap<FunctionId, Vec<&'static Parameter>>,
    pub(super) function: FunctionId,
    pub(super) returned: Option<Value>,
    pub(super) exits: Vec<Scope<'s>>,
    /// The texts of the conditions around, innermost last.
    pub(super) conditions: Vec<&'s str>,
    pub(super) loops: u32,
    /// How many functions are being walked for their callers.
    nested: u32,
    /// Nothing is reported while a loop is walked to learn what it changes.
    pub(super) silent: bool,
    pub(super) only_statements: bool,
    /// What was assigned last, and its value.
    pub(super) assigned: Option<(ExprId, Value)>,
    /// What may still be checked before the function ends.
    pub(super) unchecked: Vec<Unchecked>,
    pub(super) budget: &'u Budget,
}

impl<'u, 's, 't, 'a> Walker<'u, 's, 't, 'a> {
    pub(super) fn new(
        unit: &'u Unit<'s>,
        tables: &'static Tables,
        reporter: &'u mut Reporter<'t, 'a>,
        budget: &'u Budget,
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
            globals: Map::default(),
            fields: HashMap::new(),
            summaries: vec![Summary::default(); unit.functions.len()],
            by_name,
            handlers: HashMap::new(),
            function: FunctionId(0),
            returned: None,
            exits: Vec::new(),
            conditions: Vec::new(),
            loops: 0,
            nested: 0,
            silent: false,
            only_statements: false,
            assigned: None,
            unchecked: Vec::new(),
            budget,
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
        self.report_unchecked();
        self.scope = Scope::default();
        self.each_function();
        if !self.fields.is_empty() {
            // What one method keeps in a field, another may use.
            for (name, value) in std::mem::take(&mut self.fields) {
                self.globals.insert(name, value);
            }
            self.summaries = vec![Summary::default(); self.unit.functions.len()];
            self.each_function();
        }
    }

    fn each_function(&mut self) {
        for index in 1..self.unit.functions.len() {
            let id = FunctionId(u32::try_from(index).unwrap_or(u32::MAX));
            if !self.unit.function(id).nested {
                self.summarize(id);
            }
        }
    }

    pub(super) fn summarize(&mut self, id: FunctionId) {
        if self.summaries[id.0 as usize].state != State::New || self.nested >= MAX_CALL_DEPTH {
            return;
        }
        self.nested += 1;
        let outer = std::mem::take(&mut self.scope);
        let silent = std::mem::replace(&mut self.silent, false);
        self.walk_function(id, None, &[]);
        self.silent = silent;
        self.scope = outer;
        self.nested -= 1;
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
        let conditions = if self.unit.function(id).nested {
            self.conditions.clone()
        } else {
            std::mem::take(&mut self.conditions)
        };
        let loops = std::mem::replace(&mut self.loops, 0);
        self.scope.left = false;
        self.bind_params(id, element, known);
        let function = self.unit.function(id);
        let last = self.block(&function.body);
        if function.implicit_return && !self.scope.left {
            self.give_back(last, None);
        }
        self.report_unchecked();
        if !self.scope.left && self.returned.is_none() {
            self.summaries[index].ensures = self.proven_of_params(id);
        }
        let mut value = self.returned.take().unwrap_or_default();
        if let Some(type_text) = function.returns.filter(|_| value.path.is_none()) {
            value.path = self.type_path(type_text);
            value.typed = value.path.is_some();
        }
        self.returned = returned;
        self.exits = exits;
        self.conditions = conditions;
        self.loops = loops;
        self.function = outer;
        let summary = &mut self.summaries[index];
        summary.state = State::Done;
        summary.returns = value.clone();
        value
    }

    /// What the checks of a function without a result have proven: had one
    /// failed, the end would not have been reached.
    fn proven_of_params(&self, id: FunctionId) -> Vec<(usize, Classes)> {
        let mut proven = Vec::new();
        for (index, param) in self.unit.function(id).params.iter().enumerate() {
            let by_name = self.scope.cleaned_by_guards(param.name);
            let value = self.scope.variables.get(param.name);
            let classes = match value.map(|value| value.taint.origins()) {
                Some([one])
                    if one.root == Root::Param(id, u16::try_from(index).unwrap_or(u16::MAX)) =>
                {
                    one.clean
                }
                _ => by_name,
            };
            if classes != Classes::NONE {
                proven.push((index, classes));
            }
        }
        proven
    }
}
