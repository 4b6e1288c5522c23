//! Evaluates calls: the callee, its arguments and the result.

use std::rc::Rc;

use super::args::Args;
use super::builtin;
use super::callee::Callee;
use super::origin::{Classes, Taint};
use super::result::moved;
use super::tables::{Effect, Entry, class_bit, last_word};
use super::value::Value;
use super::walk::Walker;
use crate::ir::{Arg, ExprId, ExprKind, Span};
use crate::rules::format::{Origin, Parameter};

/// What rules say of a call.
#[derive(Default)]
pub(super) struct Known {
    source: Option<(Origin, Classes)>,
    becomes: Option<&'static str>,
    returns: Option<&'static str>,
    clean: Option<Classes>,
    decodes: bool,
    pub(super) moves: Vec<(&'static [String], &'static str)>,
    fills: Vec<(&'static [String], Origin)>,
    handlers: Vec<&'static Parameter>,
}

impl<'s> Walker<'_, 's, '_, '_> {
    pub(super) fn call(
        &mut self,
        id: ExprId,
        callee_id: ExprId,
        args: &[Arg<'s>],
        new: bool,
    ) -> Value {
        let callee = self.callee(callee_id);
        let mut known = Known::default();
        let entries = self.entries(&callee);
        Self::handlers_of(&entries, &mut known);
        let hands_on = !entries
            .iter()
            .any(|entry| matches!(entry.effect, Effect::Propagates([], "result")));
        // In Ruby a field is read by a call without arguments.
        if let (true, Some(path)) = (args.is_empty(), &callee.path) {
            let named = Value::path(Rc::clone(path));
            if let Some(field) = self.known_field(&named, self.unit.span(id)) {
                return field;
            }
        }
        let args = self.arguments(&callee, args, &known.handlers, hands_on);
        self.consult(&callee, &args, id, &entries, &mut known);
        self.keep_called(callee_id, &args);
        if builtin::never_returns(&callee) {
            self.scope.left = true;
        }
        for (name, value, value_id) in &args.list {
            if let Some(name) = name {
                self.check_literal(name, value, *value_id);
                self.check_named(name, value, *value_id);
            }
        }
        self.apply_moves(&callee, &args, &known, id);
        let mut value = self.result(&callee, &args, &known, id, new);
        if let Some((origin, harmless)) = known.source {
            let local = origin == Origin::Local;
            let source = Taint::source_but_for(self.unit.span(id), local, harmless);
            // What is drawn at random from input is still input.
            let is_input = harmless.contains(Classes::not_of_input());
            value.taint = if is_input {
                source
            } else {
                value.deep_taint().union(&source)
            };
        }
        if let Some(classes) = known.clean {
            value.taint = value.deep_taint().cleaned(classes);
            value.shape = None;
        }
        if callee.function.is_none() && builtin::escapes_html(callee.name) {
            value.taint = value.deep_taint().cleaned(class_bit("xss"));
        }
        if known.decodes {
            value.taint = value.deep_taint().decoded();
        }
        if let (Some(type_name), Some((place, _))) = (known.becomes, &callee.receiver) {
            self.retype(*place, type_name);
        }
        if let Some(type_name) = known.returns {
            value.path = match type_name {
                "=" => callee.receiver.and_then(|(_, receiver)| receiver.path),
                // What wraps a function is called like it.
                "0" => args.positional(0).and_then(|wrapped| wrapped.path.clone()),
                _ => Some(type_name.into()),
            };
            value.typed = true;
        }
        value
    }

    /// What an expression names is of another type from here on.
    fn retype(&mut self, place: ExprId, type_name: &'static str) {
        let silent = std::mem::replace(&mut self.silent, true);
        let mut value = self.eval(place);
        self.silent = silent;
        let before = value.path.as_deref().map_or("", last_word);
        let type_path: Rc<str> = type_name.replace('=', before).into();
        self.keep_retyped(place, &type_path);
        value.path = Some(type_path);
        value.typed = true;
        self.update(place, value);
    }

    /// Remembers for callers what became of a parameter.
    fn keep_retyped(&mut self, place: ExprId, type_path: &Rc<str>) {
        let ExprKind::Name(name) = self.unit.expr(place) else {
            return;
        };
        let params = &self.unit.function(self.function).params;
        if let Some(index) = params.iter().position(|param| param.name == *name) {
            let retyped = &mut self.summaries[self.function.0 as usize].retyped;
            retyped.retain(|(known, _)| *known != index);
            retyped.push((index, Rc::clone(type_path)));
        }
    }

    fn handlers_of(entries: &[&'static Entry], known: &mut Known) {
        for entry in entries {
            if let Effect::Handler(parameter) = &entry.effect {
                known.handlers.push(parameter);
            }
        }
    }

    /// Functions among the arguments are walked last, with what the receiver
    /// and the other arguments may hand to them, if the call hands on any of it.
    fn arguments(
        &mut self,
        callee: &Callee<'s>,
        args: &[Arg<'s>],
        handlers: &[&'static Parameter],
        hands_on: bool,
    ) -> Args<'s> {
        let unit = self.unit;
        let mut list: Vec<(Option<&'s str>, Value, ExprId)> = Vec::with_capacity(args.len());
        for arg in args {
            let value = if let ExprKind::Lambda(function) = unit.expr(arg.value) {
                Value {
                    function: Some(*function),
                    ..Value::default()
                }
            } else {
                let value = self.eval(arg.value);
                self.given_function(value, arg.value)
            };
            list.push((arg.name, value, arg.value));
        }
        let texts = args
            .iter()
            .filter(|arg| arg.name.is_none())
            .map(|arg| unit.text_of(arg.value))
            .collect();
        let mut args = Args {
            list,
            texts,
            receiver: callee.receiver.as_ref().map(|(_, value)| value.clone()),
        };
        let mut given: Option<Value> = None;
        for index in 0..args.list.len() {
            let (_, value, id) = &args.list[index];
            let Some(function) = value.function else {
                continue;
            };
            if matches!(unit.expr(*id), ExprKind::Lambda(_)) {
                let given = given.get_or_insert_with(|| {
                    if !hands_on {
                        return Value::default();
                    }
                    let receiver = callee.receiver.as_ref();
                    let taint = receiver
                        .map(|(_, value)| value.deep_taint())
                        .unwrap_or_default();
                    Value::tainted(taint.union(&args.taint()))
                });
                let element = (!hands_on || !given.taint.is_none()).then(|| given.clone());
                let returned = self.inner_function(function, element.as_ref(), handlers);
                args.list[index].1.taint = returned.deep_taint();
            } else if !handlers.is_empty() {
                self.handlers
                    .entry(function)
                    .or_default()
                    .extend(handlers.iter().copied());
            }
        }
        args
    }

    fn consult(
        &mut self,
        callee: &Callee<'s>,
        args: &Args<'s>,
        id: ExprId,
        entries: &[&'static Entry],
        known: &mut Known,
    ) {
        for entry in entries {
            match &entry.effect {
                Effect::Source(origin, harmless) => known.source = Some((*origin, *harmless)),
                Effect::Becomes(type_name, checks) => {
                    if args.satisfy(checks) {
                        known.becomes = Some(type_name);
                    }
                }
                Effect::Fills(which, origin) => known.fills.push((which, *origin)),
                Effect::Returns(type_name, checks) => {
                    if args.satisfy(checks) {
                        known.returns = Some(type_name);
                    }
                }
                Effect::Propagates(from, to) => known.moves.push((from, to)),
                Effect::Decodes => known.decodes = true,
                Effect::Sanitizes(classes, checks) => {
                    if args.satisfy(checks) {
                        known.clean = Some(known.clean.unwrap_or_default().with(*classes));
                    }
                }
                Effect::Sink(sink) => self.check_sink(sink, callee, args, id),
                Effect::Wrong(wrong) => {
                    let at = self.call_span(id);
                    if !self.silent && args.satisfy(&wrong.checks) && !self.is_excused(wrong, at) {
                        self.reporter
                            .pattern(wrong.rule, wrong.severity, at.range());
                    }
                }
                Effect::Guards(..) | Effect::Handler(_) | Effect::Routed(_) => {}
            }
        }
    }

    /// The place of a call: in a chain over several lines it is the line of the
    /// method, not the start of the chain.
    pub(super) fn call_span(&self, id: ExprId) -> Span {
        let whole = self.unit.span(id);
        let ExprKind::Call { callee, .. } = self.unit.expr(id) else {
            return whole;
        };
        let ExprKind::Field(base, _) = self.unit.expr(*callee) else {
            return whole;
        };
        let receiver = self.unit.span(*base);
        let after = Span {
            start: receiver.end.max(whole.start),
            end: whole.end.max(receiver.end),
        };
        let rest = &self.unit.text[after.range()];
        let gap = rest.len() - rest.trim_start().len();
        if !rest[..gap].contains('\n') {
            return whole;
        }
        Span {
            start: after.start + u32::try_from(gap).unwrap_or(0),
            end: after.end,
        }
    }

    /// What a call writes into its receiver and its arguments.
    fn apply_moves(&mut self, callee: &Callee<'s>, args: &Args<'s>, known: &Known, id: ExprId) {
        let span = self.unit.span(id);
        for (which, origin) in &known.fills {
            let taint = Taint::source(span, *origin == Origin::Local);
            for (value, arg) in args.select(which) {
                let filled = value.clone().with_taint(&taint);
                self.update(arg, filled);
            }
        }
        for (from, to) in &known.moves {
            let taint = moved(callee, args, from);
            match (*to, &callee.receiver) {
                ("result", _) => {}
                ("self", Some((place, value))) => {
                    let changed = value.clone().with_taint(&taint);
                    self.update(*place, changed);
                }
                _ => {
                    for (value, arg) in args.select(&[(*to).to_owned()]) {
                        let changed = value.clone().with_taint(&taint);
                        self.update(arg, changed);
                    }
                }
            }
        }
    }
}
