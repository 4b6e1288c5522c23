//! What the walker knows about a value.

use std::rc::Rc;

use super::origin::{Classes, Taint};
use crate::ir::{Const, FunctionId};

/// Larger collections are not followed element by element.
const MAX_ELEMENTS: usize = 64;

/// Parts within parts are followed this deep; code that puts a collection into
/// itself would otherwise nest without end.
const MAX_DEPTH: u8 = 5;

/// A collection whose parts are known.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    List(Vec<Value>),
    Map(Vec<(Rc<str>, Value)>),
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent facts, and most values have none of them"
)]
#[derive(Debug, Clone, Default)]
pub(super) struct Value {
    /// Of the value itself, and of parts that are not known one by one.
    pub(super) taint: Taint,
    pub(super) constant: Option<Const>,
    /// What it is, as rules name it: `subprocess.run`, `java.sql.Statement`.
    pub(super) path: Option<Rc<str>>,
    /// The path is that of its type.
    pub(super) typed: bool,
    pub(super) shape: Option<Rc<Shape>>,
    pub(super) function: Option<FunctionId>,
    /// A string put together from parts of which not all are constant.
    pub(super) built: bool,
    /// Put together field by field where all can be seen.
    pub(super) literal: bool,
    /// One of several constants.
    pub(super) fixed: bool,
    /// The last character of a string of which not all is known.
    pub(super) last: Option<char>,
    /// How many collections are inside each other.
    pub(super) depth: u8,
}

impl Value {
    pub(super) fn constant(value: Const) -> Self {
        Self {
            constant: Some(value),
            ..Self::default()
        }
    }

    pub(super) fn path(path: impl Into<Rc<str>>) -> Self {
        Self {
            path: Some(path.into()),
            ..Self::default()
        }
    }

    pub(super) fn tainted(taint: Taint) -> Self {
        Self {
            taint,
            ..Self::default()
        }
    }

    pub(super) fn list(items: Vec<Value>) -> Self {
        let mut list = Self {
            shape: Some(Rc::new(Shape::List(Vec::new()))),
            ..Self::default()
        };
        for item in items {
            list = list.with_pushed(item);
        }
        list
    }

    pub(super) fn map() -> Self {
        Self {
            shape: Some(Rc::new(Shape::Map(Vec::new()))),
            ..Self::default()
        }
    }

    /// Fit to be a part of this one, which then is deeper.
    fn take_in(&mut self, part: Value) -> Value {
        let part = if part.depth >= MAX_DEPTH {
            part.any_element()
        } else {
            part
        };
        self.depth = self.depth.max(part.depth + 1);
        part
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.constant {
            Some(Const::Str(text)) => Some(text),
            _ => None,
        }
    }

    pub(super) fn last_character(&self) -> Option<char> {
        self.text()
            .map_or(self.last, |text| text.chars().next_back())
    }

    /// Known as a whole: a constant, or a list of nothing else.
    pub(super) fn is_constant(&self) -> bool {
        match self.shape.as_deref() {
            Some(Shape::List(items)) => {
                self.taint.is_none()
                    && !items.is_empty()
                    && items.iter().all(|item| item.constant.is_some())
            }
            _ => self.constant.is_some(),
        }
    }

    /// Nothing but what is written in the file, even if it is not known which.
    pub(super) fn is_fixed(&self) -> bool {
        self.constant.is_some() || self.fixed
    }

    /// The constant as rules match it.
    pub(super) fn constant_text(&self) -> Option<String> {
        Some(match self.constant.as_ref()? {
            Const::Str(text) | Const::Regex(text) => text.to_string(),
            Const::Int(value) => value.to_string(),
            Const::Bool(value) => value.to_string(),
            Const::Null => "null".to_owned(),
            Const::Number => return None,
        })
    }

    /// Of the value and all its parts.
    pub(super) fn deep_taint(&self) -> Taint {
        let mut taint = self.taint.clone();
        match self.shape.as_deref() {
            Some(Shape::List(items)) => {
                for item in items {
                    taint = taint.union(&item.deep_taint());
                }
            }
            Some(Shape::Map(pairs)) => {
                for (_, value) in pairs {
                    taint = taint.union(&value.deep_taint());
                }
            }
            None => {}
        }
        taint
    }

    /// Some part of the value, whichever.
    pub(super) fn any_element(&self) -> Value {
        Value::tainted(self.deep_taint())
    }

    pub(super) fn element(&self, key: &Value) -> Value {
        match (self.shape.as_deref(), &key.constant) {
            (Some(Shape::List(items)), Some(Const::Int(index))) => {
                let index = if *index < 0 {
                    items
                        .len()
                        .checked_sub(usize::try_from(-index).unwrap_or(usize::MAX))
                } else {
                    usize::try_from(*index).ok()
                };
                match index.and_then(|index| items.get(index)) {
                    Some(item) => item.clone(),
                    None => Value::tainted(self.taint.clone()),
                }
            }
            (Some(Shape::Map(pairs)), Some(_)) => {
                let wanted = key.constant_text();
                pairs
                    .iter()
                    .find(|(name, _)| Some(&**name) == wanted.as_deref())
                    .map_or_else(
                        || Value::tainted(self.taint.clone()),
                        |(_, value)| value.clone(),
                    )
            }
            _ => self.any_element(),
        }
    }

    /// Whether a name is a known part.
    pub(super) fn part(&self, name: &str) -> Option<&Value> {
        match self.shape.as_deref() {
            Some(Shape::Map(pairs)) => pairs
                .iter()
                .find(|(key, _)| &**key == name)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    #[must_use]
    pub(super) fn with_part(mut self, name: &str, value: Value) -> Self {
        let value = self.take_in(value);
        let mut pairs = match self.shape.as_deref() {
            Some(Shape::Map(pairs)) => pairs.clone(),
            Some(Shape::List(_)) => {
                self.taint = self.taint.union(&value.deep_taint());
                return self;
            }
            None => Vec::new(),
        };
        let has_room = pairs.len() < MAX_ELEMENTS;
        match pairs.iter_mut().find(|(key, _)| &**key == name) {
            Some((_, known)) => *known = value,
            None if has_room => pairs.push((name.into(), value)),
            None => self.taint = self.taint.union(&value.deep_taint()),
        }
        self.shape = Some(Rc::new(Shape::Map(pairs)));
        self
    }

    #[must_use]
    pub(super) fn with_pushed(mut self, value: Value) -> Self {
        match self.shape.as_deref() {
            Some(Shape::List(items)) if items.len() < MAX_ELEMENTS => {
                let mut items = items.clone();
                items.push(self.take_in(value));
                self.shape = Some(Rc::new(Shape::List(items)));
            }
            _ => self.taint = self.taint.union(&value.deep_taint()),
        }
        self
    }

    /// The value itself, not its parts, made harmless for some classes.
    #[must_use]
    pub(super) fn cleaned(mut self, classes: Classes) -> Self {
        if classes != Classes::NONE {
            self.taint = self.taint.cleaned(classes);
        }
        self
    }

    #[must_use]
    pub(super) fn with_taint(mut self, taint: &Taint) -> Self {
        self.taint = self.taint.union(taint);
        self
    }

    /// Whether two values are known to be one, without looking into them.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let same_shape = match (&self.shape, &other.shape) {
            (None, None) => true,
            (Some(mine), Some(theirs)) => Rc::ptr_eq(mine, theirs),
            _ => false,
        };
        same_shape
            && self.taint.is_same(&other.taint)
            && self.constant == other.constant
            && self.path == other.path
            && self.function == other.function
            && self.built == other.built
    }

    /// What it is after one of two ways was taken.
    pub(super) fn join(&self, other: &Self) -> Self {
        let shape = match (&self.shape, &other.shape) {
            (Some(a), Some(b)) if Rc::ptr_eq(a, b) => Some(a.clone()),
            (Some(a), Some(b)) => join_shapes(a, b),
            // One way gave a collection, the other nothing of interest.
            (Some(one), None) if other.taint.is_none() => Some(one.clone()),
            (None, Some(one)) if self.taint.is_none() => Some(one.clone()),
            _ => None,
        };
        let taint = if shape.is_some() {
            self.taint.union(&other.taint)
        } else {
            self.deep_taint().union(&other.deep_taint())
        };
        Self {
            taint,
            constant: if self.constant == other.constant {
                self.constant.clone()
            } else {
                None
            },
            path: self.path.clone().or_else(|| other.path.clone()),
            typed: self.typed || other.typed,
            shape,
            function: self.function.or(other.function),
            built: self.built || other.built,
            literal: self.literal && other.literal,
            fixed: self.is_fixed() && other.is_fixed(),
            last: self.last.filter(|last| other.last == Some(*last)),
            depth: self.depth.max(other.depth),
        }
    }
}

fn join_shapes(a: &Shape, b: &Shape) -> Option<Rc<Shape>> {
    match (a, b) {
        (Shape::List(a), Shape::List(b)) if a.len() == b.len() => {
            let joined = a.iter().zip(b).map(|(a, b)| a.join(b)).collect();
            Some(Rc::new(Shape::List(joined)))
        }
        (Shape::Map(a), Shape::Map(b)) => {
            let mut joined = a.clone();
            for (key, value) in b {
                match joined.iter_mut().find(|(known, _)| known == key) {
                    Some((_, known)) => *known = known.join(value),
                    None => joined.push((key.clone(), value.clone())),
                }
            }
            Some(Rc::new(Shape::Map(joined)))
        }
        _ => None,
    }
}
