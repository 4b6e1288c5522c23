//! The words in which readers report what is wrong with a field.

use std::fmt;

use super::leaf::Leaf;
use super::vocabulary::Hint;
pub(super) use crate::foreign_text::shortened;

pub(super) fn missing<T: Leaf>(what: fmt::Arguments<'_>) -> String {
    format!("{what} is missing; expected {}", T::form().expected())
}

pub(super) fn empty<T: Leaf>(what: fmt::Arguments<'_>) -> String {
    format!("{what} is empty; expected {}", T::form().expected())
}

pub(super) fn wrong<T: Leaf>(what: fmt::Arguments<'_>, text: &str) -> String {
    format!(
        "{what} is `{}`; expected {}{}",
        shortened(text),
        T::form().expected(),
        Hint(T::hint(text).as_deref())
    )
}

pub(super) fn undeclared_prefix(prefix: &str) -> String {
    format!(
        "the prefix `{0}` is not declared on the element that uses it; add xmlns:{0}=\"…\" there or drop the prefix",
        shortened(prefix)
    )
}
