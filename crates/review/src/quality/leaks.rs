//! Files, responses and streams that are opened and never closed.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::engine::is_test_path;
use crate::language::Language;
use crate::syntax::{field, text_of};

pub(super) const CHECK: Check = Check {
    name: "resource-leak",
    kinds: &[
        "assignment",
        "short_var_declaration",
        "local_variable_declaration",
        "variable_declarator",
    ],
    look,
};

fn look(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    if is_test_path(context.path) {
        return None;
    }
    let text = context.text;
    let (name, opens) = match context.language {
        Language::Python => {
            let value = field(node, "right", text)?;
            let opens = [
                "open(",
                "io.open(",
                "gzip.open(",
                "zipfile.ZipFile(",
                "tarfile.open(",
                "socket.socket(",
            ]
            .iter()
            .any(|start| value.starts_with(start));
            (field(node, "left", text)?, opens)
        }
        Language::Go => {
            let value = field(node, "right", text)?;
            let opens = [
                "http.Get(",
                "http.Post(",
                "os.Open(",
                "os.Create(",
                "os.OpenFile(",
                "net.Dial(",
            ]
            .iter()
            .any(|start| value.starts_with(start));
            (field(node, "left", text)?.split(',').next()?.trim(), opens)
        }
        Language::Java => {
            let declarator = node.child_by_field_name("declarator")?;
            let value = field(declarator, "value", text)?;
            let opens = [
                "FileInputStream(",
                "FileOutputStream(",
                "FileReader(",
                "FileWriter(",
                "BufferedReader(new FileReader(",
                "RandomAccessFile(",
                "Socket(",
            ]
            .iter()
            .any(|start| {
                value
                    .strip_prefix("new ")
                    .is_some_and(|made| made.starts_with(start))
            });
            (field(declarator, "name", text)?, opens)
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let value = field(node, "value", text)?;
            let declaration = text_of(context.index.parent(node)?, text);
            let opens = opens_in_node(value)
                && context.budget.search(declaration.len())
                && !declaration.contains("using ");
            (field(node, "name", text)?, opens)
        }
        Language::Ruby => {
            let value = node.child_by_field_name("right")?;
            // With a block it is closed at the block's end.
            let opens = value.child_by_field_name("block").is_none()
                && value.kind() == "call"
                && opens_in_ruby(text_of(value, text));
            (field(node, "left", text)?, opens)
        }
        Language::Rust => return None,
    };
    let plain = !name.is_empty()
        && name != "_"
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_');
    if !opens || !plain {
        return None;
    }
    let function = context.index.function_around(node)?;
    let managed = context
        .index
        .ancestors(node)
        .take_while(|around| around.id() != function.id())
        .any(|around| matches!(around.kind(), "resource_specification" | "with_statement"));
    let rest = &text[node.end_byte()..function.end_byte()];
    if managed || !context.budget.search(rest.len()) {
        return None;
    }
    let handed_on = context.language == Language::Ruby && is_named_alone(rest, name);
    (!handed_on && !is_cared_for(rest, name) && !text_of(function, text).contains("ExitStack"))
        .then(|| node.byte_range())
}

fn opens_in_node(value: &str) -> bool {
    let awaited = value.strip_prefix("await ").map(str::trim_start);
    let opened = awaited.is_some_and(|call| {
        [
            "fs.promises.open(",
            "fsPromises.open(",
            "fsp.open(",
            "fs.open(",
            "pool.connect(",
            "pool.getConnection(",
        ]
        .iter()
        .any(|start| {
            call.strip_prefix("this.")
                .unwrap_or(call)
                .starts_with(start)
        })
    });
    opened && value.ends_with(')')
}

fn opens_in_ruby(value: &str) -> bool {
    [
        "File.open(",
        "File.new(",
        "TCPSocket.new(",
        "TCPSocket.open(",
        "UNIXSocket.new(",
        "Zlib::GzipReader.open(",
        "Zlib::GzipWriter.open(",
    ]
    .iter()
    .any(|start| value.starts_with(start))
}

/// Ruby passes and returns things without any sign around them.
fn is_named_alone(rest: &str, name: &str) -> bool {
    let continues = |letter: char| letter.is_alphanumeric() || letter == '_';
    rest.match_indices(name).any(|(start, _)| {
        let before = rest[..start].chars().next_back().unwrap_or(' ');
        let after = &rest[start + name.len()..];
        let word = !continues(before) && !after.starts_with(continues);
        word && !after.starts_with(['.', '&'])
    })
}

/// Closed, or passed to code that may close it.
fn is_cared_for(rest: &str, name: &str) -> bool {
    let mut from = 0;
    while let Some(at) = rest[from..].find(name) {
        let start = from + at;
        let end = start + name.len();
        let before = rest[..start].chars().next_back().unwrap_or(' ');
        let after = rest[end..].chars().next().unwrap_or(' ');
        let continues = |letter: char| letter.is_alphanumeric() || letter == '_';
        let word = !continues(before) && before != '.' && !continues(after);
        if word {
            let lead = rest[..start].trim_end();
            let closed = [
                ".close",
                ".Close",
                ".Body.Close",
                ".shutdown",
                ".detach",
                ".release",
                ".end(",
                ".destroy",
                "&.close",
                "?.close",
                "?.release",
            ]
            .iter()
            .any(|call| rest[end..].starts_with(call));
            let given = lead.ends_with(['(', ',', '=', '{', '[', ':', '&'])
                || lead.ends_with("return")
                || lead.ends_with("yield")
                || lead.ends_with("with")
                || (after == ',' && lead.ends_with("return"));
            // Body of a response that is read: still to be closed, but passed on by name.
            if closed || (given && !matches!(after, '.')) {
                return true;
            }
            if given
                && rest[end..].starts_with(".Body")
                && rest[end..].contains(&format!("{name}.Body.Close"))
            {
                return true;
            }
        }
        from = end;
    }
    false
}
