//! Passwords and keys that are logged.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::language::Language;
use crate::syntax::{field, text_of};

pub(super) const CHECK: Check = Check {
    name: "secret-in-log",
    kinds: &[
        "call",
        "call_expression",
        "method_invocation",
        "macro_invocation",
    ],
    look: logged,
};

fn logged(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let text = context.text;
    if node.kind() == "macro_invocation" {
        let name = field(node, "macro", text)?;
        let tokens = node.child(2).filter(|_| is_log_macro(name))?;
        return reveals_secret_in_macro(tokens, text).then(|| node.byte_range());
    }
    let arguments = node.child_by_field_name("arguments")?;
    (is_log_call(node, context) && reveals_secret(arguments, text)).then(|| node.byte_range())
}

fn is_log_macro(name: &str) -> bool {
    let last = name.rsplit("::").next().unwrap_or(name);
    matches!(
        last,
        "trace" | "debug" | "info" | "warn" | "error" | "log" | "event"
    )
}

/// `logger.info(…)`, `log.Printf(…)`, `console.log(…)`.
fn is_log_call(call: Node<'_>, context: &Context<'_>) -> bool {
    let text = context.text;
    let callee = match (context.language, call.kind()) {
        (Language::Ruby, _) => method_of(call, "receiver", "method", text),
        (Language::Java, _) => method_of(call, "object", "name", text),
        _ => field(call, "function", text)
            .and_then(|function| function.rsplit_once('.'))
            .map(|(receiver, method)| (receiver, method.trim())),
    };
    let Some((receiver, method)) = callee else {
        return false;
    };
    let holder = receiver.rsplit(['.', ':']).next().unwrap_or(receiver);
    let holder = holder.trim_start_matches('@').trim_end_matches("()");
    let holder = holder.to_ascii_lowercase();
    let is_logger = matches!(
        holder.as_str(),
        "log" | "console" | "logging" | "slog" | "klog" | "glog" | "zap" | "sugar"
    ) || ["logger", "logrus"]
        .iter()
        .any(|word| holder.ends_with(word));
    is_logger && is_log_method(method)
}

fn method_of<'t>(
    call: Node<'_>,
    receiver: &str,
    method: &str,
    text: &'t str,
) -> Option<(&'t str, &'t str)> {
    Some((field(call, receiver, text)?, field(call, method, text)?))
}

fn is_log_method(method: &str) -> bool {
    let lower = method.to_ascii_lowercase();
    let bare = ["context", "ln", "f", "w"]
        .iter()
        .find_map(|suffix| lower.strip_suffix(suffix).filter(|bare| bare.len() > 2))
        .unwrap_or(&lower);
    let is_level = |name: &str| {
        matches!(
            name,
            "log"
                | "trace"
                | "debug"
                | "info"
                | "notice"
                | "warn"
                | "warning"
                | "error"
                | "severe"
                | "fatal"
                | "panic"
                | "critical"
                | "exception"
                | "print"
        )
    };
    is_level(bare) || is_level(&lower)
}

/// Whether one of the values that are passed is a secret by its name. Code that
/// counts, compares or hides a secret does not reveal it.
pub(super) fn reveals_secret(arguments: Node<'_>, text: &str) -> bool {
    let mut open = vec![arguments];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" | "instance_variable" => {
                if names_secret(text_of(node, text)) {
                    return true;
                }
            }
            // The last name decides what it is: `password.length` is not a password.
            "attribute" | "member_expression" | "selector_expression" | "field_access" => {
                let last = ["attribute", "property", "field"]
                    .iter()
                    .find_map(|name| field(node, name, text));
                if last.is_some_and(names_secret) {
                    return true;
                }
            }
            "call" | "call_expression" | "method_invocation" => match passes_on(node, text) {
                Passed::Secret => return true,
                Passed::Nothing => {}
                Passed::Parts => push_children(node, &mut open),
            },
            "binary_operator" | "binary_expression" | "binary" => {
                let operator = field(node, "operator", text);
                if matches!(operator, Some("+" | "%")) {
                    push_children(node, &mut open);
                }
            }
            // Only the results of a conditional, not its condition.
            "conditional_expression" | "ternary_expression" | "conditional" => {
                // In Python it is in the middle and has no name.
                let named = node.child_by_field_name("condition");
                let asked = named.or_else(|| node.named_child(1));
                push_children(node, &mut open);
                open.retain(|child| Some(*child) != asked);
            }
            "keyword_argument" | "pair" | "keyed_element" => {
                let last = node.named_child_count().checked_sub(1);
                let last = last.and_then(|last| u32::try_from(last).ok());
                open.extend(last.and_then(|last| node.named_child(last)));
            }
            "comparison_operator"
            | "boolean_operator"
            | "not_operator"
            | "unary_expression"
            | "unary"
            | "lambda"
            | "arrow_function"
            | "function_expression"
            | "func_literal"
            | "lambda_expression"
            | "block"
            | "do_block"
            | "subscript"
            | "subscript_expression"
            | "element_reference"
            | "index_expression" => {}
            _ => push_children(node, &mut open),
        }
    }
    false
}

fn push_children<'t>(node: Node<'t>, open: &mut Vec<Node<'t>>) {
    let mut cursor = node.walk();
    open.extend(node.named_children(&mut cursor));
}

enum Passed {
    Secret,
    Parts,
    Nothing,
}

/// What a call inside the arguments makes of what it is given.
fn passes_on(call: Node<'_>, text: &str) -> Passed {
    let name = ["function", "method", "name"]
        .iter()
        .find_map(|name| field(call, name, text))
        .unwrap_or_default();
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    let lower = last.to_ascii_lowercase();
    let hides = [
        "hash", "mask", "redact", "encrypt", "digest", "length", "size", "sha256", "hmac",
        "sanitiz", "obfuscat", "hide", "typeof", "valid", "check", "verify",
    ];
    let asks = words(last).first().is_some_and(|first| {
        matches!(
            first.as_str(),
            "is" | "has" | "len" | "type" | "bool" | "count"
        )
    });
    if asks || hides.iter().any(|word| lower.contains(word)) {
        return Passed::Nothing;
    }
    if lower.starts_with("get") && names_secret(&last[3..]) {
        return Passed::Secret;
    }
    Passed::Parts
}

/// A macro's arguments are no more than tokens, and its text may name variables.
fn reveals_secret_in_macro(tokens: Node<'_>, text: &str) -> bool {
    let mut cursor = tokens.walk();
    let children: Vec<Node<'_>> = tokens.children(&mut cursor).collect();
    children.iter().enumerate().any(|(at, child)| {
        let next = children.get(at + 1).map(|next| text_of(*next, text));
        match child.kind() {
            "identifier" => {
                // What is asked of it is something else, unless that only lends it.
                let after = children.get(at + 2).map(|after| text_of(*after, text));
                let lent = matches!(
                    after,
                    Some("as_str" | "clone" | "to_string" | "expose_secret")
                );
                let whole = !matches!(next, Some("." | "::" | "=" | "(" | "!")) || lent;
                whole && names_secret(text_of(*child, text))
            }
            "string_literal" => text_of(*child, text)
                .split('{')
                .skip(1)
                .filter_map(|rest| rest.split(['}', ':']).next())
                .any(names_secret),
            _ => false,
        }
    })
}

/// `db_password` and `apiKey`, but neither `passwordHash` nor `has_password`.
fn names_secret(name: &str) -> bool {
    const SECRETS: [&str; 12] = [
        "password",
        "passwd",
        "passphrase",
        "secretkey",
        "apikey",
        "privatekey",
        "accesstoken",
        "authtoken",
        "refreshtoken",
        "clientsecret",
        "creditcard",
        "creditcardnumber",
    ];
    let words = words(name.trim_start_matches('@'));
    let asks = |word: &String| {
        matches!(
            word.as_str(),
            "has"
                | "is"
                | "no"
                | "need"
                | "needs"
                | "missing"
                | "invalid"
                | "reset"
                | "forgot"
                | "change"
                | "wrong"
        )
    };
    // `hashed_password` and similar.
    let is_harmless = words.first().is_some_and(asks)
        || words
            .iter()
            .any(|word| word.ends_with("ed") || matches!(word.as_str(), "hash" | "mask"));
    let plain = words.concat();
    !is_harmless && SECRETS.iter().any(|secret| plain.ends_with(secret))
}

/// `dbPassword` and `DB_PASSWORD` are `db` and `password`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        if letter == '_' || (letter.is_uppercase() && was_small) {
            words.push(String::new());
        }
        was_small = letter.is_lowercase();
        if let (true, Some(word)) = (letter != '_', words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
