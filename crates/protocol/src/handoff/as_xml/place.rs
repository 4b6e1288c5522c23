//! Where a problem is in a handoff that was read as XML.

use crate::handoff::message;
use crate::{Found, Problem};

/// Whether an element stood in `<data>`, which counts as its parent's level.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Wrapper {
    None,
    Data,
}

/// Where a reader is: a chain up to the root, put into words only for problems.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    Root(&'a str),
    In {
        parent: &'a Place<'a>,
        wrapper: Wrapper,
        name: &'a str,
        /// Which of several, counted from one.
        number: Option<usize>,
    },
    Attribute {
        of: &'a Place<'a>,
        name: &'a str,
    },
}

impl<'a> Place<'a> {
    pub(super) fn child(&'a self, wrapper: Wrapper, name: &'a str) -> Self {
        Self::In {
            parent: self,
            wrapper,
            name,
            number: None,
        }
    }

    pub(super) fn item(&'a self, name: &'a str, number: usize) -> Self {
        Self::In {
            parent: self,
            wrapper: Wrapper::None,
            name,
            number: Some(number),
        }
    }

    pub(super) fn attribute(&'a self, name: &'a str) -> Self {
        Self::Attribute { of: self, name }
    }

    pub(super) fn path(&self) -> String {
        match self {
            Self::Root(name) => format!("/{name}"),
            Self::Attribute { of, name } => format!("{}/@{name}", of.path()),
            Self::In {
                parent,
                wrapper,
                name,
                number,
            } => {
                let mut path = parent.path();
                if *wrapper == Wrapper::Data {
                    path.push_str("/data");
                }
                path.push('/');
                path.push_str(&message::shortened(name));
                if let Some(number) = number {
                    path.push('[');
                    path.push_str(&number.to_string());
                    path.push(']');
                }
                path
            }
        }
    }

    /// The element right below the root that this place belongs to.
    pub(super) fn field(&self) -> String {
        match self {
            Self::Root(_) => String::new(),
            Self::In {
                parent: Place::Root(_),
                name,
                ..
            } => message::shortened(name),
            Self::In { parent, .. } | Self::Attribute { of: parent, .. } => parent.field(),
        }
    }

    pub(super) fn name(&self) -> &'a str {
        match self {
            Self::Root(name) | Self::In { name, .. } | Self::Attribute { name, .. } => name,
        }
    }

    pub(super) fn problem(&self, found: Found, message: String) -> Problem {
        Problem {
            path: self.path(),
            field: self.field(),
            found,
            message,
        }
    }
}
