//! The result of a call.

use std::rc::Rc;

use super::args::Args;
use super::builtin;
use super::call::Known;
use super::callee::Callee;
use super::fold;
use super::matching::compiled;
use super::operator::placed;
use super::origin::Taint;
use super::types::is_number;
use super::value::Value;
use super::walk::{State, Walker};
use crate::ir::{Const, ExprId, FunctionId, Param};

impl<'s> Walker<'_, 's, '_, '_> {
    pub(super) fn result(
        &mut self,
        callee: &Callee<'s>,
        args: &Args<'s>,
        known: &Known,
        id: ExprId,
        new: bool,
    ) -> Value {
        if let Some(function) = callee.function.filter(|_| !new) {
            let value = self.local_call(function, args, id);
            return self.read_by(function, callee, value);
        }
        if callee.path.as_deref() == Some("require")
            && let Some(module) = args.positional(0).and_then(Value::text)
        {
            return Value::path(crate::lower::module_path(module));
        }
        if new {
            return self.constructed(callee, args);
        }
        if let Some(value) = Self::on_constant(callee, args) {
            return value;
        }
        if let Some(value) = self.asked_of_request(callee, args, id) {
            return value;
        }
        if let Some(value) = builtin::method(self, callee, args) {
            return value;
        }
        let to_result: Vec<_> = known
            .moves
            .iter()
            .filter(|(_, to)| *to == "result")
            .collect();
        let mut taint = Taint::default();
        if to_result.is_empty() {
            let receiver = callee.receiver.as_ref();
            taint = receiver
                .map(|(_, value)| value.deep_taint())
                .unwrap_or_default()
                .union(&args.taint());
        }
        if let (true, Some(template)) = (builtin::builds(callee.name), args.positional(0)) {
            // A template whose beginning is fixed.
            let receiver = callee.receiver.as_ref().map(|(_, value)| value);
            let template = receiver
                .filter(|value| value.text().is_some())
                .unwrap_or(template);
            if template.text().is_some() {
                taint = placed(template, taint);
            }
        }
        for (from, _) in to_result {
            taint = taint.union(&moved(callee, args, from));
        }
        if taint.is_none() && says_wrapper(callee.name) && wraps_request(args) {
            taint = Taint::source(self.unit.span(id), false);
        }
        Value {
            taint,
            constant: callee.path.as_deref().and_then(|path| compiled(path, args)),
            built: builtin::builds(callee.name)
                || callee
                    .receiver
                    .as_ref()
                    .is_some_and(|(_, value)| value.built)
                || args.positional(0).is_some_and(|value| value.built),
            path: callee
                .path
                .as_ref()
                .filter(|path| path.len() < 120)
                .map(|path| Rc::from(format!("{path}()"))),
            ..Value::default()
        }
    }

    fn on_constant(callee: &Callee<'s>, args: &Args<'s>) -> Option<Value> {
        let (_, receiver) = callee.receiver.as_ref()?;
        let text = receiver.text()?;
        let constants: Vec<Option<&Const>> = args
            .positions()
            .map(|(value, _)| value.constant.as_ref())
            .collect();
        fold::method(text, callee.name, &constants).map(Value::constant)
    }

    fn constructed(&mut self, callee: &Callee<'s>, args: &Args<'s>) -> Value {
        let path = callee.path.as_deref().unwrap_or_default();
        let mut value = builtin::new_collection(path).unwrap_or_default();
        for (name, arg, _) in &args.list {
            match name {
                Some(name) => value = value.with_part(name, arg.clone()),
                None => value.taint = value.taint.union(&arg.deep_taint()),
            }
        }
        // What wraps a request hands on what it reads from it.
        if wraps_request(args) {
            value.taint = value.taint.union(&Taint::unknown());
        }
        value.built = args.positional(0).is_some_and(|value| value.built);
        if builtin::is_string_builder(path) {
            let start = args.positional(0).map(|value| value.constant.clone());
            value.constant = start.unwrap_or_else(|| Some(Const::Str("".into())));
        }
        value.literal = args.list.iter().all(|(name, ..)| name.is_some());
        value.path = self.type_path(path);
        value.typed = value.path.is_some();
        value
    }

    /// The value of a name, or the result of the method that it calls.
    pub(super) fn if_called_by_name(&mut self, value: Value, id: ExprId) -> Value {
        match value.function {
            Some(function) if self.unit.function(function).called_by_name => {
                self.local_call(function, &Args::default(), id)
            }
            _ => value,
        }
    }

    /// A method without arguments depends on its object: a converted request is
    /// still input, also when it is read by a getter.
    fn read_by(&self, function: FunctionId, callee: &Callee<'s>, value: Value) -> Value {
        let of = self.unit.function(function);
        let is_given = |param: &Param<'_>| {
            let type_text = param
                .type_text
                .map(|text| text.trim_start_matches(['*', '&']));
            !matches!(param.name, "self" | "cls" | "this") && type_text != of.class
        };
        let Some((_, receiver)) = &callee.receiver else {
            return value;
        };
        let is_getter = of.class.is_some() && !of.params.iter().any(is_given);
        if !is_getter || value.constant.is_some() || !value.deep_taint().is_none() {
            return value;
        }
        let taint = receiver.deep_taint();
        match of.returns {
            Some(type_text) if is_number(type_text) => value,
            _ => value.with_taint(&taint),
        }
    }

    fn local_call(&mut self, function: FunctionId, args: &Args<'s>, id: ExprId) -> Value {
        self.summarize(function);
        let index = function.0 as usize;
        if self.summaries[index].state != State::Done {
            return Value::tainted(args.taint());
        }
        let taints: Vec<Taint> = (0usize..)
            .zip(&self.unit.function(function).params)
            .map(|(position, param)| {
                args.positional(position)
                    .or_else(|| args.named(param.name).map(|(value, _)| value))
                    .map(Value::deep_taint)
                    .unwrap_or_default()
            })
            .collect();
        let span = self.unit.span(id);
        self.apply_sinks(function, &taints, span);
        self.apply_calls(function, args, &taints, span);
        for (param, classes) in self.summaries[index].ensures.clone() {
            if let Some((_, place)) = args.positions().nth(param) {
                self.mark_harmless(place, classes);
            }
        }
        for (param, type_path) in self.summaries[index].retyped.clone() {
            if let Some((value, place)) = args.positions().nth(param) {
                let mut value = value.clone();
                value.path = Some(type_path);
                value.typed = true;
                self.update(place, value);
            }
        }
        let returns = self.summaries[index].returns.clone();
        let taint = returns.taint.with_arguments(function, &taints, span);
        let parts = returns.deep_taint().with_arguments(function, &taints, span);
        Value {
            taint: if returns.shape.is_some() {
                parts
            } else {
                taint
            },
            shape: None,
            ..returns
        }
    }
}

pub(super) fn moved(callee: &Callee<'_>, args: &Args<'_>, from: &[String]) -> Taint {
    let mut taint = Taint::default();
    for selector in from {
        if selector == "self" {
            if let Some((_, receiver)) = &callee.receiver {
                taint = taint.union(&receiver.deep_taint());
            }
        } else {
            for (value, _) in args.select(std::slice::from_ref(selector)) {
                taint = taint.union(&value.deep_taint());
            }
        }
    }
    taint
}

/// Whether a request is among the arguments.
fn wraps_request(args: &Args<'_>) -> bool {
    args.list.iter().any(|(_, arg, _)| {
        arg.path.as_deref().is_some_and(|path| {
            (arg.typed && path.ends_with("Request")) || path.ends_with(".request")
        })
    })
}

/// A function that makes something of a request, by its name.
fn says_wrapper(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower.contains("wrap") || lower.ends_with("request")
}
