//! The words in which readers report what is wrong with a field.

use std::fmt;

use super::leaf::Leaf;
use super::vocabulary::Hint;
use super::xml::trim_space;
pub(super) use crate::foreign_text::shortened;

pub(super) fn missing<T: Leaf>(what: fmt::Arguments<'_>) -> String {
    absent(what, &T::form().expected())
}

pub(super) fn empty<T: Leaf>(what: fmt::Arguments<'_>) -> String {
    unfit(what, "", &T::form().expected())
}

pub(super) fn wrong<T: Leaf>(what: fmt::Arguments<'_>, text: &str) -> String {
    let message = unfit(what, text, &T::form().expected());
    format!("{message}{}", Hint(T::hint(text).as_deref()))
}

pub(super) fn absent(what: fmt::Arguments<'_>, expected: &str) -> String {
    format!("{what} is missing; expected {expected}")
}

/// Text that is no value of the expected kind.
pub(super) fn unfit(what: fmt::Arguments<'_>, text: &str, expected: &str) -> String {
    if text.trim().is_empty() {
        format!("{what} is empty; expected {expected}")
    } else {
        format!("{what} is `{}`; expected {expected}", shortened(text))
    }
}

pub(super) fn unknown_attribute(element: &str, attribute: &str) -> String {
    format!(
        "<{element}> has an attribute `{}` that it does not know; remove it, or use an element of its own",
        shortened(attribute)
    )
}

pub(super) fn text_only(element: &str, child: &str) -> String {
    format!(
        "<{}> may not stand in <{element}>, which holds text only",
        shortened(child)
    )
}

pub(super) fn elements_only(element: &str, text: &str) -> String {
    format!(
        "<{element}> holds elements only, but there is text in it: `{}`",
        shortened(trim_space(text))
    )
}

pub(super) fn not_an_item(list: &str, item: &str, child: &str) -> String {
    format!(
        "<{}> may not stand in <{list}>; expected <{item}>",
        shortened(child)
    )
}

pub(super) fn undeclared_prefix(prefix: &str) -> String {
    format!(
        "the prefix `{0}` is not declared on the element that uses it; add xmlns:{0}=\"…\" there or drop the prefix",
        shortened(prefix)
    )
}
