//! The arguments of a call, and the conditions of rules on them.

use super::condition::Check;
use super::origin::Taint;
use super::value::{Shape, Value};
use crate::ir::ExprId;
use crate::rules::format::State as Is;

/// A call's arguments, evaluated.
#[derive(Default)]
pub(super) struct Args<'s> {
    pub(super) list: Vec<(Option<&'s str>, Value, ExprId)>,
    /// The positional arguments as they are written.
    pub(super) texts: Vec<&'s str>,
    /// What the method is called on.
    pub(super) receiver: Option<Value>,
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
            } else if let Some(from) = selector.strip_suffix("..--") {
                let from = from.parse().unwrap_or(0);
                let is_word = |(value, _): &(&Value, ExprId)| value.text() != Some("--");
                chosen.extend(self.positions().skip(from).take_while(is_word));
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
        if let Some((holder, part)) = selector.split_once('.') {
            let holder = self.find(holder)?;
            return match (holder.shape.as_deref(), part.parse::<usize>()) {
                (Some(Shape::List(items)), Ok(index)) => items.get(index),
                _ => holder.part(part),
            };
        }
        if selector == "self" {
            return self.receiver.as_ref();
        }
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

    /// Whether an argument's text is as a rule asks.
    fn reads_as(&self, check: &Check) -> bool {
        let Some(wanted) = &check.text else {
            return true;
        };
        let text = check.arg.parse::<usize>().ok();
        let text = text.and_then(|index| self.texts.get(index));
        text.is_some_and(|text| wanted.is_match(text))
    }

    fn satisfies(&self, check: &Check) -> bool {
        let value = self.find(check.arg);
        let state = match check.is {
            None => true,
            Some(Is::Absent) => value.is_none(),
            Some(Is::Present) => value.is_some(),
            Some(Is::Constant) => value.is_some_and(Value::is_constant),
            Some(Is::Dynamic) => value.is_some_and(|value| !value.is_fixed()),
            Some(Is::Built) => value.is_some_and(|value| value.built),
            Some(Is::Literal) => value.is_some_and(|value| value.literal),
        };
        if !state || !self.reads_as(check) {
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
