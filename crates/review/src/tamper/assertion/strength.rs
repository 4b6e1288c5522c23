//! How much an assertion demands.

use super::text::is_literal;

/// How much an assertion demands of its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::tamper) enum Strength {
    /// It cannot fail.
    Nothing,
    /// It is there, it is true.
    Something,
    /// A part, a range, a type.
    Part,
    /// This value and no other.
    Exact,
}

pub(super) fn strength(text: &str, matcher: &str, arguments: &[String]) -> Strength {
    if is_always_true(matcher, arguments) {
        return Strength::Nothing;
    }
    let name = matcher.to_ascii_lowercase();
    let plain = name.strip_prefix("not ").unwrap_or(&name);
    let is_any = |words: &[&str]| words.contains(&plain);
    let has_any = |words: &[&str]| words.iter().any(|word| plain.contains(word));
    let something = is_any(&[
        "assert",
        "asserttrue",
        "assertfalse",
        "assert_not",
        "refute",
        "false",
        "isfalse",
        "tobefalsy",
        "falsy",
        "be_falsey",
        "be_falsy",
        "assertnotnull",
        "assertisnotnone",
        "notnil",
        "ok",
        "true",
        "tobedefined",
        "tobetruthy",
        "truthy",
        "notempty",
        "assertnotempty",
        "be_truthy",
        "be_present",
        "isnotnull",
        "istrue",
        "exist",
        "exists",
        "isnotempty",
        "assert_not_nil",
        "refute_nil",
        "be_an_instance_of",
        "tohavebeencalled",
        "assertdoesnotthrow",
        "noerror",
        "is not",
        "nothrow",
        "anything",
        "assert_called",
        "expect",
    ]) || (name.starts_with("not ")
        && is_any(&[
            "tobenull",
            "tobeundefined",
            "be_nil",
            "tothrow",
            "raise_error",
            "null",
            "undefined",
            "be_empty",
        ]));
    if something || text.contains("expect.anything()") || text.contains("mock.ANY") {
        return Strength::Something;
    }
    let wide_error = [
        "Exception",
        "Throwable",
        "StandardError",
        "BaseException",
        "Error",
    ]
    .iter()
    .any(|wide| {
        arguments
            .iter()
            .any(|argument| argument.trim_end_matches(".class") == *wide)
    });
    let bare_throw = arguments.len() <= 1 && has_any(&["tothrow", "raise_error", "throws"]);
    let part = name.starts_with("not ")
        || is_any(&[
            "in",
            "not in",
            "<",
            ">",
            "<=",
            ">=",
            "!=",
            "!==",
            "=~",
            "instanceof",
            "is_a",
        ])
        || has_any(&[
            "contain", "include", "match", "property", "instance", "greater", "less", "close",
            "almost", "regex", "start", "end_with", "endswith", "assertin", "len", "delta",
            "within", "type", "any",
        ]);
    if part || wide_error || bare_throw {
        return Strength::Part;
    }
    Strength::Exact
}

/// `assertTrue(true)`, `expect(1).toBe(1)`, `assert x == x`.
fn is_always_true(matcher: &str, arguments: &[String]) -> bool {
    let compares = ["==", "===", "equal", "tobe", "eq", "is"]
        .iter()
        .any(|word| matcher.to_ascii_lowercase().contains(word));
    match arguments {
        [only] => {
            matches!(
                only.as_str(),
                "true" | "True" | "1" | "!false" | "not False"
            ) && !matcher.starts_with("not ")
                && !matcher.to_ascii_lowercase().contains("false")
        }
        [left, right, ..] => {
            !matcher.starts_with("not ")
                && compares
                && left == right
                && (is_literal(left) || !left.contains('('))
        }
        [] => false,
    }
}
