//! Regular expressions that hang, and filters that let HTML through.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::backtracking::{Flags, is_exponential};
use crate::language::Language;
use crate::syntax::{field, text_of};

pub(super) const CHECK: Check = Check {
    name: "redos",
    kinds: &[
        "regex",
        "call",
        "call_expression",
        "new_expression",
        "method_invocation",
    ],
    look: hangs,
};

pub(super) const HTML_FILTER: Check = Check {
    name: "html-filter",
    kinds: CHECK.kinds,
    look: misses_tags,
};

/// Bytes of expressions that are checked in one file; people write far less.
pub(super) const MAX_REGEX_BYTES: usize = 40_000;

fn hangs(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let (pattern, flags, place) = expression(node, context)?;
    let left = context.expressions_left.get().checked_sub(pattern.len())?;
    context.expressions_left.set(left);
    is_exponential(&pattern, flags).then_some(place)
}

fn misses_tags(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let (pattern, flags, place) = expression(node, context)?;
    let pattern = pattern.replace("\\/", "/");
    let inline = pattern
        .strip_prefix("(?")
        .and_then(|rest| rest.split(')').next())
        .unwrap_or_default();
    let dot_all = flags.dot_all || inline.contains('s');
    let spans_lines = dot_all || !pattern.contains(".*") && !pattern.contains(".+");
    let misses_scripts = pattern.contains("<script") || pattern.contains("<(script|");
    let misses_scripts = misses_scripts
        && pattern.contains("</")
        && (!(flags.ignore_case || inline.contains('i'))
            || !spans_lines
            || pattern.contains("/script>")
            || pattern.contains("<script(\\s|")
            || pattern.contains("<script( |"));
    let comment = pattern.find("<!--").map(|start| &pattern[start + 4..]);
    let misses_comments =
        comment.is_some_and(|rest| rest.contains('-') && rest.contains('>')) && !spans_lines;
    (misses_scripts || misses_comments).then_some(place)
}

/// An expression that is written out, and where.
fn expression<'s>(
    node: Node<'_>,
    context: &Context<'s>,
) -> Option<(std::borrow::Cow<'s, str>, Flags, Place)> {
    if node.kind() == "regex" {
        let (pattern, flags) = literal(node, context)?;
        return Some((pattern.into(), flags, node.byte_range()));
    }
    let (argument, flags) = given_pattern(node, context)?;
    let pattern = string_content(argument, context)?;
    Some((pattern.into(), flags, argument.byte_range()))
}

/// `/…/i` of JavaScript and Ruby, and `%r{…}`.
fn literal<'s>(node: Node<'_>, context: &Context<'s>) -> Option<(&'s str, Flags)> {
    let whole = &context.text[node.byte_range()];
    let mut inserted = node.walk();
    let is_built = node
        .named_children(&mut inserted)
        .any(|child| child.kind() == "interpolation");
    if is_built {
        return None;
    }
    let (opening, rest) = match whole.strip_prefix("%r") {
        Some(rest) => (rest.chars().next()?, rest),
        None => ('/', whole),
    };
    let closing = match opening {
        '{' => '}',
        '(' => ')',
        '[' => ']',
        '<' => '>',
        other => other,
    };
    let end = rest.rfind(closing).filter(|end| *end > 0)?;
    let words = &rest[end + closing.len_utf8()..];
    let is_ruby = context.language == Language::Ruby;
    let flags = Flags {
        dot_all: words.contains(if is_ruby { 'm' } else { 's' }),
        ignore_case: words.contains('i'),
        verbose: is_ruby && words.contains('x'),
        whole: false,
    };
    Some((&rest[opening.len_utf8()..end], flags))
}

/// The string that a call takes for an expression.
fn given_pattern<'t>(node: Node<'t>, context: &Context<'_>) -> Option<(Node<'t>, Flags)> {
    let text = context.text;
    let arguments = node.child_by_field_name("arguments")?;
    let argument = arguments.named_child(0)?;
    let flags = match context.language {
        Language::Python => python_flags(node, text_of(arguments, text), text)?,
        Language::Ruby => {
            let is_new = matches!(field(node, "method", text), Some("new" | "compile"));
            (is_new && field(node, "receiver", text) == Some("Regexp"))
                .then_some(Flags::default())?
        }
        Language::Java => {
            let name = field(node, "name", text)?;
            let of_pattern = field(node, "object", text) == Some("Pattern");
            let is_pattern = matches!(name, "matches" | "replaceAll" | "replaceFirst" | "split")
                || (of_pattern && name == "compile");
            is_pattern.then_some(Flags {
                whole: name == "matches",
                ..Flags::default()
            })?
        }
        _ => {
            let called = field(node, "constructor", text).or_else(|| field(node, "function", text));
            (called == Some("RegExp")).then_some(Flags::default())?
        }
    };
    Some((argument, flags))
}

/// The flags of a call of Python's `re`, if it is one that takes an expression.
fn python_flags(node: Node<'_>, given: &str, text: &str) -> Option<Flags> {
    let (module, name) = field(node, "function", text)?.rsplit_once('.')?;
    let takes = matches!(
        name,
        "compile"
            | "match"
            | "search"
            | "fullmatch"
            | "sub"
            | "subn"
            | "split"
            | "findall"
            | "finditer"
    );
    (takes && matches!(module, "re" | "regex")).then(|| Flags {
        dot_all: given.contains("DOTALL") || given.contains("re.S"),
        ignore_case: given.contains("IGNORECASE") || given.contains("re.I"),
        verbose: given.contains("VERBOSE") || given.contains("re.X"),
        whole: name == "fullmatch",
    })
}

/// The value of a literal without interpolation.
fn string_content(node: Node<'_>, context: &Context<'_>) -> Option<String> {
    let whole = text_of(node, context.text);
    if !matches!(node.kind(), "string" | "string_literal") {
        return None;
    }
    let start = whole.find(['"', '\''])?;
    let prefix = whole[..start].to_ascii_lowercase();
    let quotes = &whole[start..];
    if prefix.contains('f') || (context.language == Language::Ruby && quotes.contains("#{")) {
        return None;
    }
    let quote = &quotes[..1];
    let long = quote.repeat(3);
    let quote = if quotes.starts_with(&long) {
        &long
    } else {
        quote
    };
    let inside = quotes.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_raw = prefix.contains('r') || (context.language == Language::Ruby && quote == "'");
    Some(if is_raw {
        inside.to_owned()
    } else {
        inside.replace("\\\\", "\\")
    })
}
