//! Resolves what a call calls, by names and types.

use std::rc::Rc;

use super::tables::{Entry, Matcher, last_word, path_matches};
use super::value::Value;
use super::walk::Walker;
use crate::ir::{ExprId, ExprKind, FunctionId};

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
                let value = self.name(name, unit.span(id));
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
}

/// The last name in an expression: `self.db.session` → `session`.
pub(super) fn receiver_name<'s>(walker: &Walker<'_, 's, '_, '_>, id: ExprId) -> &'s str {
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
