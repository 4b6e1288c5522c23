//! Calls: what is called, with what, and what comes of it.

use std::rc::Rc;

use super::builtin;
use super::fold;
use super::tables::{Check, Effect, Entry, Matcher, last_word, path_matches};
use super::value::{Classes, Taint, Value};
use super::walk::{State, Walker};
use crate::ir::{Arg, Const, ExprId, ExprKind, FunctionId, Span};
use crate::rules::format::{Origin, Parameter, State as Is};

/// A call's arguments, evaluated.
pub(super) struct Args<'s> {
    pub(super) list: Vec<(Option<&'s str>, Value, ExprId)>,
}

impl Args<'_> {
    pub(super) fn positional(&self, index: usize) -> Option<&Value> {
        self.positions().nth(index).map(|(value, _)| value)
    }

    pub(super) fn positions(&self) -> impl Iterator<Item = (&Value, ExprId)> {
        self.list
            .iter()
            .filter(|(name, ..)| name.is_none())
            .map(|(_, value, id)| (value, *id))
    }

    /// A keyword argument, or a key of an object among the arguments.
    pub(super) fn named(&self, name: &str) -> Option<(&Value, ExprId)> {
        let keyword = self
            .list
            .iter()
            .find(|(keyword, ..)| *keyword == Some(name))
            .map(|(_, value, id)| (value, *id));
        keyword.or_else(|| {
            self.list
                .iter()
                .rev()
                .find_map(|(_, value, id)| value.part(name).map(|part| (part, *id)))
        })
    }

    /// The arguments that a rule's selectors name.
    pub(super) fn select<'v>(&'v self, selectors: &[String]) -> Vec<(&'v Value, ExprId)> {
        let mut chosen: Vec<(&'v Value, ExprId)> = Vec::new();
        for selector in selectors {
            if selector == "*" {
                chosen.extend(self.list.iter().map(|(_, value, id)| (value, *id)));
            } else if let Some(from) = selector.strip_suffix("..") {
                let from = from.parse().unwrap_or(0);
                chosen.extend(self.positions().skip(from));
            } else if let Ok(index) = selector.parse::<usize>() {
                chosen.extend(self.positions().nth(index));
            } else {
                chosen.extend(self.named(selector));
            }
        }
        chosen
    }

    fn find(&self, selector: &str) -> Option<&Value> {
        match selector.parse::<usize>() {
            Ok(index) => self.positional(index),
            Err(_) => self.named(selector).map(|(value, _)| value),
        }
    }

    pub(super) fn taint(&self) -> Taint {
        self.list
            .iter()
            .fold(Taint::default(), |all, (_, value, _)| {
                all.union(&value.deep_taint())
            })
    }

    pub(super) fn satisfy(&self, checks: &[Check]) -> bool {
        checks.iter().all(|check| self.satisfies(check))
    }

    fn satisfies(&self, check: &Check) -> bool {
        let value = self.find(check.arg);
        let state = match check.is {
            None => true,
            Some(Is::Absent) => value.is_none(),
            Some(Is::Present) => value.is_some(),
            Some(Is::Constant) => value.is_some_and(Value::is_constant),
            Some(Is::Dynamic) => value.is_some_and(|value| value.constant.is_none()),
            Some(Is::Built) => value.is_some_and(|value| value.built),
        };
        if !state {
            return false;
        }
        if check.matches.is_none() && check.not_matches.is_none() {
            return true;
        }
        let text = value.and_then(|value| value.constant_text().or_else(|| path_text(value)));
        let is_match = check
            .matches
            .as_ref()
            .is_none_or(|regex| text.as_ref().is_some_and(|text| regex.is_match(text)));
        let is_excluded = check
            .not_matches
            .as_ref()
            .is_some_and(|regex| text.as_ref().is_some_and(|text| regex.is_match(text)));
        is_match && !is_excluded
    }
}

/// Names of constants elsewhere can be matched too: `ssl.CERT_NONE`.
fn path_text(value: &Value) -> Option<String> {
    value.path.as_deref().map(str::to_owned)
}

/// What a call calls.
pub(super) struct Callee<'s> {
    pub(super) path: Option<Rc<str>>,
    pub(super) name: &'s str,
    /// The receiver's type or, if it is not known, its name in lower case.
    hint: String,
    pub(super) receiver: Option<(ExprId, Value)>,
    pub(super) function: Option<FunctionId>,
}

impl Callee<'_> {
    pub(super) fn matches(&self, matcher: &Matcher) -> bool {
        match matcher {
            Matcher::Path(pattern) => {
                self.path
                    .as_deref()
                    .is_some_and(|path| path_matches(path, pattern))
                    || (self.receiver.is_none() && self.name == *pattern)
            }
            Matcher::Method(on) => {
                self.receiver.is_some()
                    && (on.is_empty() || on.iter().any(|word| self.hint.contains(word.as_str())))
            }
        }
    }
}

/// What rules say of a call.
#[derive(Default)]
struct Known {
    source: Option<Origin>,
    returns: Option<&'static str>,
    clean: Option<Classes>,
    moves: Vec<(&'static [String], &'static str)>,
    fills: Vec<(&'static [String], Origin)>,
    handlers: Vec<&'static Parameter>,
}

impl<'s> Walker<'_, 's, '_, '_> {
    pub(super) fn callee(&mut self, id: ExprId) -> Callee<'s> {
        let unit = self.unit;
        match unit.expr(id) {
            ExprKind::Field(base, name) => {
                let receiver = self.holder(*base);
                let path = match receiver.part(name) {
                    Some(part) => part.path.clone(),
                    None => receiver
                        .path
                        .as_ref()
                        .map(|path| Rc::from(format!("{path}.{name}"))),
                };
                let hint = match &receiver.path {
                    Some(path) if receiver.typed => last_word(path).to_lowercase(),
                    _ => receiver_name(self, *base).to_lowercase(),
                };
                let function = receiver
                    .part(name)
                    .and_then(|part| part.function)
                    .or_else(|| self.method(*base, &receiver, name));
                Callee {
                    path,
                    name,
                    hint,
                    receiver: Some((*base, receiver)),
                    function,
                }
            }
            ExprKind::Name(name) => {
                let value = self.eval(id);
                let name = last_word(name.split('<').next().unwrap_or(name));
                Callee {
                    path: value.path,
                    name,
                    hint: String::new(),
                    receiver: None,
                    function: value.function,
                }
            }
            _ => {
                let value = self.eval(id);
                let path = value.path;
                Callee {
                    name: "",
                    path,
                    hint: String::new(),
                    receiver: None,
                    function: value.function,
                }
            }
        }
    }

    /// What rules say of a call. An imported name may be called otherwise where
    /// it comes from, and rules may know it by either name.
    pub(super) fn entries(&self, callee: &Callee<'s>) -> Vec<&'static Entry> {
        let tables = self.tables;
        let there = callee.path.as_deref().map(last_word);
        let named = tables.calls.get(callee.name);
        let there = there
            .filter(|there| *there != callee.name)
            .and_then(|there| tables.calls.get(there));
        named
            .into_iter()
            .chain(there)
            .flatten()
            .filter(|entry| callee.matches(&entry.matcher))
            .collect()
    }

    /// A method of this file's classes.
    fn method(&self, base: ExprId, receiver: &Value, name: &str) -> Option<FunctionId> {
        let own = matches!(
            self.unit.expr(base),
            ExprKind::Name("this" | "self" | "cls" | "super" | "Self")
        );
        if own {
            return self.local_function(name, None);
        }
        let path = receiver.path.as_deref()?;
        let class = last_word(path.trim_end_matches("()"));
        let class = self
            .unit
            .classes
            .get_key_value(class)
            .map(|(name, _)| *name)?;
        self.by_name
            .get(name)?
            .iter()
            .find(|id| self.unit.function(**id).class == Some(class))
            .copied()
    }

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
        // In Ruby a field is read by a call without arguments.
        if let (true, Some(path)) = (args.is_empty(), &callee.path) {
            let named = Value::path(Rc::clone(path));
            if let Some(field) = self.known_field(&named, self.unit.span(id)) {
                return field;
            }
        }
        let args = self.arguments(&callee, args, &known.handlers);
        self.consult(&callee, &args, id, &entries, &mut known);
        if builtin::never_returns(&callee) {
            self.scope.left = true;
        }
        for (name, value, value_id) in &args.list {
            if let Some(name) = name {
                self.check_literal(name, value, *value_id);
            }
        }
        self.apply_moves(&callee, &args, &known, id);
        let mut value = self.result(&callee, &args, &known, id, new);
        if let Some(origin) = known.source {
            value.taint = Taint::source(self.unit.span(id), origin == Origin::Local);
        }
        if let Some(classes) = known.clean {
            value.taint = value.deep_taint().cleaned(classes);
            value.shape = None;
        }
        if let Some(type_name) = known.returns {
            value.path = if type_name == "=" {
                callee.receiver.and_then(|(_, receiver)| receiver.path)
            } else {
                Some(type_name.into())
            };
            value.typed = true;
        }
        value
    }

    fn handlers_of(entries: &[&'static Entry], known: &mut Known) {
        for entry in entries {
            if let Effect::Handler(parameter) = &entry.effect {
                known.handlers.push(parameter);
            }
        }
    }

    /// Functions among the arguments are walked last, with what the receiver
    /// and the other arguments may hand to them.
    fn arguments(
        &mut self,
        callee: &Callee<'s>,
        args: &[Arg<'s>],
        handlers: &[&'static Parameter],
    ) -> Args<'s> {
        let unit = self.unit;
        let mut list: Vec<(Option<&'s str>, Value, ExprId)> = Vec::with_capacity(args.len());
        for arg in args {
            let value = match unit.expr(arg.value) {
                ExprKind::Lambda(function) => Value {
                    function: Some(*function),
                    ..Value::default()
                },
                _ => self.eval(arg.value),
            };
            list.push((arg.name, value, arg.value));
        }
        let mut args = Args { list };
        let mut given: Option<Value> = None;
        for index in 0..args.list.len() {
            let (_, value, id) = &args.list[index];
            let Some(function) = value.function else {
                continue;
            };
            if matches!(unit.expr(*id), ExprKind::Lambda(_)) {
                let given = given.get_or_insert_with(|| {
                    let receiver = callee.receiver.as_ref();
                    let taint = receiver
                        .map(|(_, value)| value.deep_taint())
                        .unwrap_or_default();
                    Value::tainted(taint.union(&args.taint()))
                });
                let element = (!given.taint.is_none()).then(|| given.clone());
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
                Effect::Source(origin) => known.source = Some(*origin),
                Effect::Fills(which, origin) => known.fills.push((which, *origin)),
                Effect::Returns(type_name, checks) => {
                    if args.satisfy(checks) {
                        known.returns = Some(type_name);
                    }
                }
                Effect::Propagates(from, to) => known.moves.push((from, to)),
                Effect::Sanitizes(classes, checks) => {
                    if args.satisfy(checks) {
                        known.clean = Some(known.clean.unwrap_or_default().with(*classes));
                    }
                }
                Effect::Sink(sink) => self.check_sink(sink, callee, args, id),
                Effect::Wrong(wrong) => {
                    if !self.silent && args.satisfy(&wrong.checks) && !self.is_exempt(wrong.unless)
                    {
                        let range = self.call_span(id).range();
                        self.reporter.pattern(wrong.rule, wrong.severity, range);
                    }
                }
                Effect::Guards(..) | Effect::Handler(_) => {}
            }
        }
    }

    /// Where a call stands: a chain over several lines is told by the line of
    /// the method, not by where the chain begins.
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

    fn result(
        &mut self,
        callee: &Callee<'s>,
        args: &Args<'s>,
        known: &Known,
        id: ExprId,
        new: bool,
    ) -> Value {
        if let Some(function) = callee.function.filter(|_| !new) {
            return self.local_call(function, args, id);
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
        for (from, _) in to_result {
            taint = taint.union(&moved(callee, args, from));
        }
        Value {
            taint,
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
        let wraps_request = args.list.iter().any(|(_, arg, _)| {
            arg.typed
                && arg
                    .path
                    .as_deref()
                    .is_some_and(|path| path.ends_with("Request"))
        });
        if wraps_request {
            value.taint = value.taint.union(&Taint::unknown());
        }
        value.built = args.positional(0).is_some_and(|value| value.built);
        value.path = self.type_path(path);
        value.typed = value.path.is_some();
        value
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

fn moved(callee: &Callee<'_>, args: &Args<'_>, from: &[String]) -> Taint {
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

/// The last name in an expression: `self.db.session` → `session`.
fn receiver_name<'s>(walker: &Walker<'_, 's, '_, '_>, id: ExprId) -> &'s str {
    let mut at = id;
    for _ in 0..4 {
        match walker.unit.expr(at) {
            ExprKind::Name(name) | ExprKind::Field(_, name) => return name,
            ExprKind::Call { callee, .. } => at = *callee,
            ExprKind::Index(base, _) => at = *base,
            _ => return "",
        }
    }
    ""
}
