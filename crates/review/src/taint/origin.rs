//! Where values come from, and what was done to them on the way.

use std::rc::Rc;

use super::tables::{ENCODED, UNQUOTED, WEAK_RANDOM, class_bit};
use crate::ir::{FunctionId, Span};

/// Beyond this many, further origins would not change the finding.
const MAX_ORIGINS: usize = 6;

/// Longer paths are reported by their beginning and their end.
const MAX_STEPS: u8 = 12;

/// A set of the classes of injection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Classes(pub(super) u32);

impl Classes {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ALL: Self = Self(u32::MAX);

    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Classes that input never has: it reveals no secret and is not used as random.
    pub(super) fn not_of_input() -> Self {
        class_bit("stack-trace").with(class_bit(WEAK_RANDOM))
    }

    /// All but these.
    pub(super) const fn others(self) -> Self {
        Self(!self.0)
    }
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// From outside, at this place of the text.
    Source { at: Span, local: bool },
    /// Whatever the caller passes.
    Param(FunctionId, u16),
    /// Not known from this file.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note {
    Source,
    Assigned,
    Passed,
}

/// The path of a value, backwards.
#[derive(Debug)]
pub(super) struct Trail {
    pub(super) at: Span,
    pub(super) note: Note,
    pub(super) before: Option<Rc<Trail>>,
    length: u8,
}

#[derive(Debug, Clone)]
pub(super) struct Origin {
    pub(super) root: Root,
    /// The classes for which it was made harmless on the way.
    pub(super) clean: Classes,
    pub(super) trail: Option<Rc<Trail>>,
}

impl Origin {
    fn step(&self, note: Note, at: Span) -> Self {
        let length = self.trail.as_ref().map_or(0, |trail| trail.length);
        if length >= MAX_STEPS {
            return self.clone();
        }
        Self {
            root: self.root,
            clean: self.clean,
            trail: Some(Rc::new(Trail {
                at,
                note,
                before: self.trail.clone(),
                length: length + 1,
            })),
        }
    }
}

/// All that a value may come from.
#[derive(Debug, Clone, Default)]
pub(super) struct Taint(Option<Rc<Vec<Origin>>>);

impl Taint {
    pub(super) fn source(at: Span, local: bool) -> Self {
        Self::source_but_for(at, local, Classes::not_of_input())
    }

    /// A source that does no harm in some classes.
    pub(super) fn source_but_for(at: Span, local: bool, clean: Classes) -> Self {
        let origin = Origin {
            root: Root::Source { at, local },
            clean,
            trail: None,
        };
        Self(Some(Rc::new(vec![origin.step(Note::Source, at)])))
    }

    pub(super) fn param(function: FunctionId, index: usize) -> Self {
        let index = u16::try_from(index).unwrap_or(u16::MAX);
        Self(Some(Rc::new(vec![Origin {
            root: Root::Param(function, index),
            clean: Classes::NONE,
            trail: None,
        }])))
    }

    pub(super) fn unknown() -> Self {
        Self(Some(Rc::new(vec![Origin {
            root: Root::Unknown,
            clean: Classes::NONE,
            trail: None,
        }])))
    }

    pub(super) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(mine), Some(theirs)) => Rc::ptr_eq(mine, theirs),
            _ => false,
        }
    }

    pub(super) fn is_unknown(&self) -> bool {
        matches!(self.origins(), [one] if one.root == Root::Unknown)
    }

    pub(super) fn origins(&self) -> &[Origin] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Origins that still do harm in a class.
    pub(super) fn harmful(&self, class: Classes) -> impl Iterator<Item = &Origin> {
        let harmful = move |origin: &&Origin| !origin.clean.contains(class);
        self.origins().iter().filter(harmful)
    }

    pub(super) fn union(&self, other: &Self) -> Self {
        let (Some(mine), Some(theirs)) = (&self.0, &other.0) else {
            return if self.is_none() {
                other.clone()
            } else {
                self.clone()
            };
        };
        if Rc::ptr_eq(mine, theirs) {
            return self.clone();
        }
        let mut all: Vec<Origin> = mine.as_ref().clone();
        for origin in theirs.iter() {
            let has_room = all.len() < MAX_ORIGINS;
            match all.iter_mut().find(|known| known.root == origin.root) {
                // Harmless only if it is on both ways.
                Some(known) => known.clean = Classes(known.clean.0 & origin.clean.0),
                None if has_room => all.push(origin.clone()),
                None => {}
            }
        }
        Self(Some(Rc::new(all)))
    }

    fn map(&self, change: impl Fn(&Origin) -> Origin) -> Self {
        let changed = |origins: &Rc<Vec<Origin>>| Rc::new(origins.iter().map(&change).collect());
        Self(self.0.as_ref().map(changed))
    }

    pub(super) fn cleaned(&self, classes: Classes) -> Self {
        if classes == Classes::ALL {
            return Self::default();
        }
        self.map(|origin| Origin {
            clean: origin.clean.with(classes),
            ..origin.clone()
        })
    }

    /// Put between quotes, what has none itself cannot end the text it is in.
    pub(super) fn quoted(&self) -> Self {
        self.map(|origin| {
            let mut origin = origin.clone();
            if origin.clean.contains(UNQUOTED) {
                origin.clean = origin.clean.with(class_bit("sql-injection"));
            }
            origin
        })
    }

    /// What an encoding made harmless does harm again.
    pub(super) fn decoded(&self) -> Self {
        self.map(|origin| {
            let before = match origin.root {
                Root::Source { .. } => Classes::not_of_input(),
                Root::Param(..) | Root::Unknown => Classes::NONE,
            };
            if !origin.clean.contains(ENCODED.with(before)) {
                return origin.clone();
            }
            Origin {
                clean: before,
                ..origin.clone()
            }
        })
    }

    pub(super) fn step(&self, note: Note, at: Span) -> Self {
        self.map(|origin| origin.step(note, at))
    }

    /// Parameters of a function replaced by what was passed for them.
    pub(super) fn with_arguments(&self, function: FunctionId, args: &[Self], at: Span) -> Self {
        let mut result = Self::default();
        for origin in self.origins() {
            let part = match origin.root {
                Root::Param(of, index) if of == function => args
                    .get(usize::from(index))
                    .map(|arg| arg.cleaned_by(origin.clean).step(Note::Passed, at))
                    .unwrap_or_default(),
                _ => Self(Some(Rc::new(vec![origin.clone()]))),
            };
            result = result.union(&part);
        }
        result
    }

    fn cleaned_by(&self, classes: Classes) -> Self {
        if classes == Classes::NONE {
            return self.clone();
        }
        self.cleaned(classes)
    }
}
