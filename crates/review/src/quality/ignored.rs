//! Results without which a call does nothing.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::language::Language;
use crate::syntax::{field, text_of};

pub(super) const CHECK: Check = Check {
    name: "ignored-result",
    kinds: &["expression_statement"],
    look,
};

fn look(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let call = node.named_child(0)?;
    let text = context.text;
    let ignored = match context.language {
        Language::Python => python(call, context),
        Language::JavaScript | Language::TypeScript | Language::Tsx => javascript(call, text),
        Language::Go => go(call, text),
        Language::Java => java(call, text),
        Language::Rust | Language::Ruby => false,
    };
    ignored.then(|| node.byte_range())
}

/// Strings do not change, and `sorted` gives a new list.
fn python(call: Node<'_>, context: &Context<'_>) -> bool {
    let text = context.text;
    let Some(function) = field(call, "function", text).filter(|_| call.kind() == "call") else {
        return false;
    };
    if matches!(function, "sorted" | "reversed") {
        return true;
    }
    let Some((object, method)) = function.rsplit_once('.') else {
        return false;
    };
    let gives_a_string = matches!(
        method,
        "strip"
            | "lstrip"
            | "rstrip"
            | "lower"
            | "upper"
            | "title"
            | "capitalize"
            | "zfill"
            | "casefold"
            | "replace"
            | "format"
    );
    gives_a_string && is_string(call, object, context)
}

/// Other types have methods of these names that change them.
fn is_string(call: Node<'_>, object: &str, context: &Context<'_>) -> bool {
    if object.starts_with(['"', '\'']) {
        return true;
    }
    let Some(function) = context.index.function_around(call) else {
        return false;
    };
    let around = text_of(function, context.text);
    if !context.budget.search(around.len()) {
        return false;
    }
    [
        ": str",
        " = \"",
        " = '",
        " = f\"",
        " = f'",
        " = str(",
        " = input(",
    ]
    .iter()
    .any(|sign| around.contains(&format!("{object}{sign}")))
}

fn javascript(call: Node<'_>, text: &str) -> bool {
    let Some(function) = call
        .child_by_field_name("function")
        .filter(|_| call.kind() == "call_expression")
    else {
        return false;
    };
    let Some(method) = field(function, "property", text) else {
        return false;
    };
    match method {
        "trim" | "trimStart" | "trimEnd" | "toUpperCase" | "toLowerCase" | "padStart"
        | "padEnd" | "substring" => true,
        // Called with a function, they can be meant for its effects; these two cannot.
        "concat" | "slice" => !text_of(function, text).contains("sinon"),
        _ => false,
    }
}

/// An unchecked error of a call whose success everything depends on.
fn go(call: Node<'_>, text: &str) -> bool {
    let Some(function) = field(call, "function", text).filter(|_| call.kind() == "call_expression")
    else {
        return false;
    };
    matches!(
        function,
        "json.Unmarshal"
            | "xml.Unmarshal"
            | "yaml.Unmarshal"
            | "os.WriteFile"
            | "os.Rename"
            | "tx.Commit"
            | "strings.Replace"
            | "strings.ReplaceAll"
            | "strings.TrimSpace"
            | "strings.ToLower"
            | "strings.ToUpper"
            | "fmt.Sprintf"
            | "fmt.Errorf"
            | "errors.New"
    )
}

fn java(call: Node<'_>, text: &str) -> bool {
    let name = field(call, "name", text).filter(|_| call.kind() == "method_invocation");
    matches!(
        name,
        Some("trim" | "toUpperCase" | "toLowerCase" | "substring" | "strip")
    ) || (name == Some("replace") && arguments(call, text).starts_with("(\""))
}

fn arguments<'t>(call: Node<'_>, text: &'t str) -> &'t str {
    field(call, "arguments", text).unwrap_or("")
}
