//! Calls that stop the whole event loop.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::engine::is_test_path;
use crate::language::Language;
use crate::syntax::{field, text_of};

pub(super) const CHECK: Check = Check {
    name: "blocking-in-async",
    kinds: &["call", "call_expression"],
    look,
};

fn look(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let function = field(node, "function", context.text)?;
    let blocks = match context.language {
        Language::Python => {
            matches!(
                function,
                "time.sleep"
                    | "requests.get"
                    | "requests.post"
                    | "requests.put"
                    | "requests.delete"
                    | "requests.patch"
                    | "requests.request"
                    | "urllib.request.urlopen"
                    | "subprocess.run"
                    | "subprocess.check_output"
                    | "subprocess.check_call"
                    | "os.system"
            )
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            matches!(
                function,
                "execSync"
                    | "child_process.execSync"
                    | "spawnSync"
                    | "child_process.spawnSync"
                    | "Atomics.wait"
            ) || reads_in_one_go(function, context)
        }
        Language::Rust => {
            matches!(
                function,
                "thread::sleep"
                    | "std::thread::sleep"
                    | "std::fs::read_to_string"
                    | "std::fs::read"
                    | "std::fs::write"
            ) || function.starts_with("reqwest::blocking")
        }
        Language::Go | Language::Ruby | Language::Java => false,
    };
    if !blocks || is_test_path(context.path) {
        return None;
    }
    if context.is_inline_test(node) {
        return None;
    }
    let around = context.index.function_around(node)?;
    // Only the nearest function counts: a closure may run on another thread.
    let head = text_of(around, context.text);
    let head = &head[..head.find(['(', '{']).unwrap_or(head.len())];
    head.split_whitespace()
        .any(|word| word == "async")
        .then(|| node.byte_range())
}

/// Whole files and slow derivations of keys, where others are served meanwhile:
/// a command line tool serves no one else.
fn reads_in_one_go(function: &str, context: &Context<'_>) -> bool {
    let name = function.rsplit('.').next().unwrap_or(function);
    let slow = matches!(
        name,
        "readFileSync"
            | "writeFileSync"
            | "appendFileSync"
            | "copyFileSync"
            | "cpSync"
            | "rmSync"
            | "readdirSync"
            | "pbkdf2Sync"
            | "scryptSync"
            | "gzipSync"
            | "gunzipSync"
            | "brotliCompressSync"
            | "execFileSync"
    );
    let is_tool = || {
        context.text.starts_with("#!")
            || context.text.contains("process.argv")
            || context.text.contains("process.exit(")
            || context.path.contains(".config.")
            || context.path.split('/').any(|part| {
                let stem = part.split('.').next().unwrap_or(part);
                matches!(
                    stem,
                    "bin"
                        | "cli"
                        | "scripts"
                        | "tools"
                        | "build"
                        | "tasks"
                        | "gulpfile"
                        | "Gruntfile"
                )
            })
    };
    slow && context.budget.search(context.text.len()) && !is_tool()
}
