//! Sinks: where tainted values do harm.

use super::args::Args;
use super::callee::{Callee, receiver_name};
use super::guard_names::is_constant_name;
use super::origin::{Classes, Origin, Root, Taint};
use super::params::mark_matches;
use super::tables::{Effect, Matcher, Sink, class_bit, path_matches};
use super::value::{Shape, Value};
use super::walk::Walker;
use crate::finding::Severity;
use crate::ir::{Const, ExprId, ExprKind, FunctionId, Span};
use crate::rules::Rule;
use crate::rules::format::Unproven;

/// A function with more ways into sinks is summarized by its first ones.
const MAX_REACHED_SINKS: usize = 32;

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
                match spread(selector, value) {
                    Some(words) => self.reaches(sink, &words, at),
                    None => self.reaches(sink, value, at),
                }
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

    /// A value that is given to a name which describes its use. Returns what
    /// was found, which need not be found again wherever the name is used.
    pub(super) fn check_named(&mut self, name: &str, value: &Value, id: ExprId) -> Classes {
        let mut found = Classes::NONE;
        for (wanted, sink) in &self.tables.named {
            let taint = value.deep_taint();
            let mut harmful = taint.harmful(sink.class);
            if harmful.any(|origin| origin.root != Root::Unknown) && wanted.is_match(name) {
                self.reaches(sink, value, self.unit.span(id));
                found = found.with(sink.class);
            }
        }
        found
    }

    /// `session[key] = value`.
    pub(super) fn check_stored(
        &mut self,
        holder: ExprId,
        holder_value: &Value,
        key: &Value,
        value: &Value,
    ) {
        for (collections, sink) in &self.tables.stored {
            let matches = |wanted: &String| match wanted.strip_prefix('*') {
                Some(part) => receiver_name(self, holder).to_lowercase().contains(part),
                None => holder_value
                    .path
                    .as_deref()
                    .is_some_and(|path| path_matches(path, wanted)),
            };
            if !collections.iter().any(matches) {
                continue;
            }
            for selector in sink.args {
                let stored = if selector == "key" { key } else { value };
                self.reaches(sink, stored, self.unit.span(holder));
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
            let text = self.unit.text_of(id);
            let reads = sink.checks.iter().all(|check| {
                check
                    .text
                    .as_ref()
                    .is_none_or(|wanted| wanted.is_match(text))
            });
            let sent = body_of_answer(value).unwrap_or(value);
            if is_marked && reads && sent.shape.is_none() && !sent.typed {
                self.reaches(sink, sent, at);
            }
        }
    }

    fn reaches(&mut self, sink: &'static Sink, value: &Value, at: Span) {
        if sink.checked_later {
            self.keep_unchecked(sink, value, at);
        } else {
            self.does_harm(sink, value, at);
        }
    }

    pub(super) fn does_harm(&mut self, sink: &'static Sink, value: &Value, at: Span) {
        let taint = dangerous_part(sink, value);
        if taint.is_none() || self.is_spared(sink, at) {
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

    fn remember(&mut self, function: FunctionId, reached: Reached) {
        let sinks = &mut self.summaries[function.0 as usize].sinks;
        let known = sinks.iter().any(|known| {
            known.at == reached.at && known.param == reached.param && known.class == reached.class
        });
        if !known && sinks.len() < MAX_REACHED_SINKS {
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
}

/// Input from the user who starts the program only matters where it becomes code.
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

/// A list with the arguments after the program.
fn spread(selector: &str, value: &Value) -> Option<Value> {
    let Some(Shape::List(items)) = value.shape.as_deref() else {
        return None;
    };
    if !selector.contains("..") || selector.starts_with('0') {
        return None;
    }
    let until = if selector.ends_with("--") { "--" } else { "" };
    let words = items.iter().take_while(|item| item.text() != Some(until));
    let taint = words.fold(value.taint.clone(), |all, item| {
        all.union(&item.deep_taint())
    });
    Some(Value::tainted(taint))
}

/// The part of an argument that does the harm.
fn dangerous_part(sink: &Sink, value: &Value) -> Taint {
    if let Some(Const::Str(_)) = &value.constant {
        return Taint::default();
    }
    // A function is called, not read.
    let is_constant = !value.typed && value.path.as_deref().is_some_and(is_constant_name);
    if value.function.is_some() || is_constant {
        return Taint::default();
    }
    if sink.class == class_bit("command-injection")
        && let Some(Shape::List(items)) = value.shape.as_deref()
    {
        // Arguments are passed as they are, unless a shell reads them.
        let is_shell = is_shell_call(items);
        let parts = if is_shell {
            items.as_slice()
        } else {
            &items[..items.len().min(1)]
        };
        return parts.iter().fold(value.taint.clone(), |all, part| {
            all.union(&part.deep_taint())
        });
    }
    if sink.class == class_bit("xss")
        && let Some(body) = body_of_answer(value)
    {
        return body.deep_taint();
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

/// The first of a body, and a status or headers.
fn body_of_answer(value: &Value) -> Option<&Value> {
    let Some(Shape::List(items)) = value.shape.as_deref() else {
        return None;
    };
    match items.as_slice() {
        [body, second, ..] => {
            let is_status = matches!(second.constant, Some(Const::Int(_)));
            let is_headers = matches!(second.shape.as_deref(), Some(Shape::Map(_)));
            (is_status || is_headers).then_some(body)
        }
        _ => None,
    }
}

/// `sh -c …`, or what differs by the system: one constant or another for the
/// shell, and one or another for its option.
fn is_shell_call(items: &[Value]) -> bool {
    let is_either = |value: &Value| {
        value.constant.is_none() && value.path.is_none() && value.deep_taint().is_none()
    };
    match items {
        [program, option, _, ..] if is_either(program) => {
            is_either(option) || matches!(option.text(), Some("-c" | "/c" | "/C"))
        }
        [program, ..] => program.text().is_some_and(is_shell_name),
        [] => false,
    }
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
