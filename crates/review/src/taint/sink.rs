//! Where values do harm, and what is said about it.

use super::call::{Args, Callee};
use super::guard::is_constant_name;
use super::tables::{Effect, Matcher, Sink, class_bit, last_word, path_matches};
use super::types::is_number;
use super::value::{Classes, Note, Origin, Root, Shape, Taint, Trail, Value};
use super::walk::Walker;
use crate::finding::{Severity, Step};
use crate::ir::{Const, ExprId, ExprKind, FunctionId, Span};
use crate::rules::Rule;
use crate::rules::format::{Parameter, Unproven};

/// A function with more ways into sinks is summarized by its first ones.
const MOST_REACHED: usize = 32;

/// A parameter that reaches a sink inside its function.
#[derive(Clone)]
pub(super) struct Reached {
    param: u16,
    clean: Classes,
    rule: &'static Rule,
    class: Classes,
    severity: Severity,
    at: Span,
}

impl<'s> Walker<'_, 's, '_, '_> {
    pub(super) fn check_sink(
        &mut self,
        sink: &'static Sink,
        callee: &Callee<'s>,
        args: &Args<'s>,
        id: ExprId,
    ) {
        if !args.satisfy(&sink.checks) {
            return;
        }
        let at = self.call_span(id);
        for selector in sink.args {
            if selector == "self" {
                if let Some((_, receiver)) = &callee.receiver {
                    self.reaches(sink, receiver, at);
                }
                continue;
            }
            for (value, _) in args.select(std::slice::from_ref(selector)) {
                self.reaches(sink, value, at);
            }
        }
    }

    /// An assignment to a field that is a sink.
    pub(super) fn check_assigned(
        &mut self,
        base: Option<&str>,
        field: &str,
        value: &Value,
        id: ExprId,
    ) {
        let Some(entries) = self.tables.assigns.get(field) else {
            return;
        };
        let path = base.map(|base| format!("{base}.{field}"));
        let at = self.unit.span(id);
        for entry in entries {
            let matches = match entry.matcher {
                Matcher::Path(pattern) => path
                    .as_deref()
                    .is_some_and(|path| path_matches(path, pattern)),
                Matcher::Method(_) => true,
            };
            if let (true, Effect::Sink(sink)) = (matches, &entry.effect) {
                self.reaches(sink, value, at);
            }
        }
    }

    /// `object[a][b] = value` with a foreign `a` reaches into what all objects share.
    pub(super) fn check_polluted(&mut self, base: ExprId, key: &Value, id: ExprId) {
        let Some(entries) = self.tables.assigns.get("[][]") else {
            return;
        };
        let ExprKind::Index(_, outer) = self.unit.expr(base) else {
            return;
        };
        let outer = self.eval(*outer);
        let at = self.unit.span(id);
        if outer.taint.is_none() || key.constant.is_some() {
            return;
        }
        for entry in entries {
            if let Effect::Sink(sink) = &entry.effect {
                self.reaches(sink, &outer, at);
            }
        }
    }

    pub(super) fn check_returned(&mut self, value: &Value, id: ExprId) {
        let function = self.unit.function(self.function);
        if function.marks.is_empty() || value.deep_taint().is_none() {
            return;
        }
        let at = self.unit.span(id);
        for (marks, sink) in &self.tables.returned {
            let is_marked = function
                .marks
                .iter()
                .any(|mark| marks.iter().any(|wanted| mark_matches(mark, wanted)));
            // A collection is sent as JSON.
            if is_marked && value.shape.is_none() && !value.typed {
                self.reaches(sink, value, at);
            }
        }
    }

    fn reaches(&mut self, sink: &'static Sink, value: &Value, at: Span) {
        let taint = dangerous_part(sink, value);
        if taint.is_none() || self.is_exempt(sink.unless) {
            return;
        }
        let mut proven: Option<(&Origin, bool)> = None;
        let mut params = Vec::new();
        let mut unknown = false;
        for origin in taint.harmful(sink.class) {
            match origin.root {
                Root::Source { local, .. } => {
                    if local && !local_counts(sink.class) {
                        continue;
                    }
                    if proven.is_none_or(|(_, known)| known && !local) {
                        proven = Some((origin, local));
                    }
                }
                Root::Param(function, index) => params.push((function, index, origin)),
                Root::Unknown => unknown = true,
            }
        }
        for (function, param, origin) in &params {
            self.remember(
                *function,
                Reached {
                    param: *param,
                    clean: origin.clean,
                    rule: sink.rule,
                    class: sink.class,
                    severity: sink.severity,
                    at,
                },
            );
        }
        if let Some((origin, local)) = proven {
            let trail = origin.trail.clone();
            self.report(sink.rule, sink.severity, local, trail.as_deref(), at, None);
            return;
        }
        let suspicious = match sink.unproven {
            Some(Unproven::Built) => value.built,
            Some(Unproven::Dynamic) => true,
            None => false,
        };
        if suspicious && (unknown || !params.is_empty()) && !self.silent {
            let severity = sink.severity.min(Severity::Medium);
            self.reporter.pattern(sink.rule, severity, at.range());
        }
    }

    /// Whether the file contains one of the words.
    fn mentions(&self, words: &[String]) -> bool {
        words
            .iter()
            .any(|word| self.unit.text.contains(word.as_str()))
    }

    /// Whether the function that is being walked contains one of the words.
    pub(super) fn is_exempt(&self, words: &[String]) -> bool {
        let text = match self.function {
            FunctionId(0) => self.unit.text,
            id => &self.unit.text[self.unit.function(id).span.range()],
        };
        words.iter().any(|word| text.contains(word.as_str()))
    }

    fn remember(&mut self, function: FunctionId, reached: Reached) {
        let sinks = &mut self.summaries[function.0 as usize].sinks;
        let known = sinks.iter().any(|known| {
            known.at == reached.at && known.param == reached.param && known.class == reached.class
        });
        if !known && sinks.len() < MOST_REACHED {
            sinks.push(reached);
        }
    }

    /// What was passed to a function reaches the sinks inside it.
    pub(super) fn apply_sinks(&mut self, function: FunctionId, args: &[Taint], at: Span) {
        let sinks = self.summaries[function.0 as usize].sinks.clone();
        for reached in sinks {
            let Some(taint) = args.get(usize::from(reached.param)) else {
                continue;
            };
            let taint = taint.cleaned(reached.clean);
            for origin in taint.harmful(reached.class) {
                match origin.root {
                    Root::Source { local, .. } => {
                        if local && !local_counts(reached.class) {
                            continue;
                        }
                        let trail = origin.trail.clone();
                        self.report(
                            reached.rule,
                            reached.severity,
                            local,
                            trail.as_deref(),
                            reached.at,
                            Some(at),
                        );
                    }
                    Root::Param(outer, param) => self.remember(
                        outer,
                        Reached {
                            param,
                            clean: origin.clean,
                            ..reached.clone()
                        },
                    ),
                    Root::Unknown => {}
                }
            }
        }
    }

    fn report(
        &mut self,
        rule: &Rule,
        severity: Severity,
        local: bool,
        trail: Option<&Trail>,
        at: Span,
        through: Option<Span>,
    ) {
        if self.silent {
            return;
        }
        let severity = if local {
            severity.lowered().min(Severity::Medium)
        } else {
            severity
        };
        let mut steps = self.steps(trail);
        if let Some(through) = through {
            steps.push(self.step(through, "is passed on by"));
        }
        steps.push(self.step(at, "reaches"));
        self.reporter.flow(rule, severity, at.range(), steps);
    }

    fn steps(&self, trail: Option<&Trail>) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = trail;
        while let Some(trail) = at {
            let note = match trail.note {
                Note::Source => "comes from",
                Note::Assigned => "is assigned to",
                Note::Passed => "is passed on by",
            };
            steps.push(self.step(trail.at, note));
            at = trail.before.as_deref();
        }
        steps.reverse();
        steps
    }

    fn step(&self, at: Span, note: &str) -> Step {
        let text = &self.unit.text[at.range()];
        let shown = crate::report::excerpt(text.lines().next().unwrap_or_default());
        Step {
            place: self.reporter.text().place(at.range()),
            note: format!("{note} `{shown}`"),
        }
    }

    /// A literal given to a name that rules watch.
    pub(super) fn check_literal(&mut self, name: &str, value: &Value, id: ExprId) {
        if self.silent || self.tables.literals.is_empty() {
            return;
        }
        if !matches!(
            self.unit.expr(id),
            ExprKind::Const(Const::Str(_) | Const::Bool(_) | Const::Int(_) | Const::Null)
        ) {
            return;
        }
        let Some(constant) = value.constant_text() else {
            return;
        };
        let range = self.unit.span(id).range();
        for literal in &self.tables.literals {
            if literal.holds(name, &constant)
                && (literal.uses.is_empty() || self.mentions(literal.uses))
            {
                self.reporter
                    .literal(literal.rule, literal.severity, range.clone());
            }
        }
    }

    /// Gives the parameters of a function what is known of them.
    pub(super) fn bind_params(
        &mut self,
        id: FunctionId,
        element: Option<&Value>,
        given: &[&'static Parameter],
    ) {
        let unit = self.unit;
        let function = unit.function(id);
        let by_reference = self.handlers.get(&id).cloned().unwrap_or_default();
        for (index, param) in function.params.iter().enumerate() {
            let mut value = match element {
                Some(element) => element.clone(),
                None if matches!(param.name, "self" | "cls" | "this") => Value::path(param.name),
                None => Value::tainted(Taint::param(id, index)),
            };
            // The receiver of a Go method comes last and is no argument.
            if function.class.is_some()
                && param
                    .type_text
                    .is_some_and(|text| Some(text.trim_start_matches('*')) == function.class)
            {
                value = Value::default();
            }
            value = self.declared(value, param.type_text);
            let rules = self.tables.parameters.iter().copied();
            let rules = rules
                .chain(given.iter().copied())
                .chain(by_reference.iter().copied());
            for rule in rules {
                if !self.applies(
                    rule,
                    id,
                    index,
                    given
                        .iter()
                        .chain(&by_reference)
                        .any(|g| std::ptr::eq(*g, rule)),
                ) {
                    continue;
                }
                if let Some(type_name) = &rule.is {
                    value = Value::path(type_name.as_str());
                    value.typed = true;
                }
                if rule.source && !param.type_text.is_some_and(is_number) {
                    let at = self.param_span(id, index);
                    value.taint = Taint::source(at, false);
                }
            }
            if let Some(default) = param.default {
                let default_value = self.eval(default);
                self.check_literal(param.name, &default_value, default);
            }
            match param.pattern {
                Some(pattern) => self.bind(pattern, value, None),
                None => {
                    self.scope.variables.insert(param.name, value);
                }
            }
        }
    }

    /// Where a parameter stands, as well as it is known.
    fn param_span(&self, id: FunctionId, index: usize) -> Span {
        let param = &self.unit.function(id).params[index];
        if let Some(pattern) = param.pattern {
            return self.unit.span(pattern);
        }
        let whole = self.unit.text.as_ptr() as usize;
        let name = param.name.as_ptr() as usize;
        match name.checked_sub(whole) {
            Some(start) if start + param.name.len() <= self.unit.text.len() => Span {
                start: u32::try_from(start).unwrap_or(0),
                end: u32::try_from(start + param.name.len()).unwrap_or(0),
            },
            _ => Span::default(),
        }
    }

    fn applies(&self, rule: &Parameter, id: FunctionId, index: usize, given: bool) -> bool {
        let function = self.unit.function(id);
        let param = &function.params[index];
        if !rule.at.is_empty() && !rule.at.contains(&index) {
            return false;
        }
        if given {
            return rule.names.is_empty() || rule.names.iter().any(|name| name == param.name);
        }
        if matches!(param.name, "self" | "cls" | "this") {
            return false;
        }
        let named = rule.names.iter().any(|name| name == param.name) && param.type_text.is_none();
        let typed = param.type_text.is_some_and(|text| {
            self.type_path(text).is_some_and(|path| {
                rule.types
                    .iter()
                    .any(|wanted| path_matches(&path, wanted) || last_word(&path) == wanted)
            })
        });
        let marked = param.marks.iter().any(|mark| {
            rule.annotations
                .iter()
                .any(|wanted| mark_matches(mark, wanted))
        });
        let decorated = function.marks.iter().any(|mark| {
            rule.decorators
                .iter()
                .any(|wanted| mark_matches(mark, wanted))
        });
        let in_class = !rule.classes.is_empty()
            && function
                .class
                .and_then(|class| self.unit.classes.get(class))
                .is_some_and(|class| {
                    class
                        .marks
                        .iter()
                        .any(|mark| rule.classes.iter().any(|wanted| mark_matches(mark, wanted)))
                });
        let free = param
            .type_text
            .is_none_or(|text| self.type_path(text).is_none() || !rule.source);
        named || typed || marked || ((decorated || in_class) && free)
    }
}

/// `app.route("/x")` is marked with `*.route`, `route` and `app.route`.
fn mark_matches(mark: &str, wanted: &str) -> bool {
    let end = mark.find(['(', '<']).unwrap_or(mark.len());
    let path = mark[..end].trim().replace("::", ".");
    match wanted.strip_prefix("*.") {
        Some(last) => path.rsplit_once('.').is_some_and(|(_, word)| word == last),
        None => {
            path == wanted || path_matches(&path, wanted) || path.rsplit('.').next() == Some(wanted)
        }
    }
}

/// Input from whoever starts the program only matters where it becomes code.
fn local_counts(class: Classes) -> bool {
    [
        "sql-injection",
        "command-injection",
        "code-injection",
        "unsafe-deserialization",
    ]
    .iter()
    .any(|name| class_bit(name) == class)
}

/// The part of an argument that does the harm.
fn dangerous_part(sink: &Sink, value: &Value) -> Taint {
    if let Some(Const::Str(_)) = &value.constant {
        return Taint::default();
    }
    // A function is called, not read.
    if value.function.is_some() || value.path.as_deref().is_some_and(is_constant_name) {
        return Taint::default();
    }
    if sink.class == class_bit("command-injection")
        && let Some(Shape::List(items)) = value.shape.as_deref()
    {
        // Arguments are passed as they are, unless a shell reads them.
        let program = items.first();
        let is_shell = program.and_then(Value::text).is_some_and(is_shell_name);
        let parts = if is_shell {
            items.as_slice()
        } else {
            &items[..items.len().min(1)]
        };
        return parts.iter().fold(value.taint.clone(), |all, part| {
            all.union(&part.deep_taint())
        });
    }
    if sink.class == class_bit("sql-injection") {
        // A statement, and what is to be put into its places.
        match value.shape.as_deref() {
            Some(Shape::Map(_)) => return value.taint.clone(),
            Some(Shape::List(items)) => {
                let statement = items.first().map(Value::deep_taint).unwrap_or_default();
                return value.taint.union(&statement);
            }
            None => {}
        }
    }
    value.deep_taint()
}

fn is_shell_name(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    matches!(
        name,
        "sh" | "bash"
            | "zsh"
            | "dash"
            | "ksh"
            | "cmd"
            | "cmd.exe"
            | "powershell"
            | "pwsh"
            | "powershell.exe"
    )
}
