//! What is known about the parameters of a function before it is walked.

use super::origin::Taint;
use super::tables::{last_word, path_matches};
use super::types::is_number;
use super::value::Value;
use super::walk::Walker;
use crate::ir::{FunctionId, Span};
use crate::rules::format::{Origin, Parameter};

impl Walker<'_, '_, '_, '_> {
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
                    value.taint = Taint::source(at, rule.origin == Origin::Local);
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

    /// Where a parameter is, as precisely as known.
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

    /// Whether the handler's decorators name routes without a placeholder, so
    /// that the path of a request can be no other than these.
    pub(super) fn has_fixed_route(&self) -> bool {
        let marks = &self.unit.function(self.function).marks;
        let mut routes = marks
            .iter()
            .filter(|mark| mark.split('(').next().is_some_and(is_route))
            .peekable();
        routes.peek().is_some() && routes.all(|mark| !mark.contains(['<', '{']))
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
        let in_function = rule.functions.iter().any(|name| name == function.name);
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
        named || typed || marked || in_function || ((decorated || in_class) && free)
    }
}

/// `app.route` and similar.
fn is_route(decorator: &str) -> bool {
    matches!(
        last_word(decorator),
        "route" | "get" | "post" | "put" | "delete" | "patch"
    )
}

/// `app.route("/x")` is marked with `*.route`, `route` and `app.route`.
pub(super) fn mark_matches(mark: &str, wanted: &str) -> bool {
    let end = mark.find(['(', '<']).unwrap_or(mark.len());
    let path = mark[..end].trim().replace("::", ".");
    match wanted.strip_prefix("*.") {
        Some(last) => path.rsplit_once('.').is_some_and(|(_, word)| word == last),
        None => {
            path == wanted || path_matches(&path, wanted) || path.rsplit('.').next() == Some(wanted)
        }
    }
}
