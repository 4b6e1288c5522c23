//! Files with syntax errors: where the first one is, and what can be read
//! around it.
//!
//! A parser that recovers often takes everything after an open bracket for its
//! content. Functions do not begin in the middle of one, so the block at the
//! error is left out, and the rest is read again.

use tree_sitter::{Node, Parser, Tree};

use crate::budget::Budget;
use crate::source;
use crate::syntax;

/// Larger files take too long to be read several times.
const MAX_BYTES: usize = 256 << 10;

/// Unfinished typing causes one error, a bad merge a few.
const MAX_BLOCKS: usize = 4;

/// The line of the first error, counted from one.
pub(crate) fn first_error(tree: &Tree, budget: &Budget) -> Option<u32> {
    let root = tree.root_node();
    if !root.has_error() {
        return None;
    }
    let wrong =
        syntax::descendants(root, budget).find(|node| node.is_error() || node.is_missing())?;
    let line = if wrong.is_error() {
        open_bracket(wrong, budget).unwrap_or_else(|| syntax::line_of(wrong))
    } else {
        syntax::line_of(wrong)
    };
    Some(line)
}

/// The tree, or one without the blocks that are broken, whichever has more
/// functions that can be read. Bytes keep their places.
pub(crate) fn with_more_intact(
    parser: &mut Parser,
    text: &str,
    tree: Tree,
    budget: &Budget,
) -> Tree {
    if text.len() > MAX_BYTES {
        return tree;
    }
    let mut best = (intact_functions(&tree, budget), tree);
    let mut blanked = text.as_bytes().to_vec();
    let mut at = first_error(&best.1, budget);
    for _ in 0..MAX_BLOCKS {
        let Some(line) = at else {
            break;
        };
        if !blank_block(&mut blanked, line) {
            break;
        }
        let Some(next) = source::parse(parser, &blanked, budget) else {
            break;
        };
        at = first_error(&next, budget);
        let intact = intact_functions(&next, budget);
        if intact > best.0 {
            best = (intact, next);
        }
    }
    best.1
}

/// Where the innermost bracket of an error is open at its end.
fn open_bracket(error: Node<'_>, budget: &Budget) -> Option<u32> {
    let mut open = Vec::new();
    for node in syntax::descendants(error, budget) {
        match node.kind() {
            "(" | "[" | "{" => open.push(syntax::line_of(node)),
            ")" | "]" | "}" => {
                open.pop();
            }
            _ => {}
        }
    }
    open.pop()
}

fn intact_functions(tree: &Tree, budget: &Budget) -> usize {
    syntax::descendants(tree.root_node(), budget)
        .filter(|node| syntax::is_function(node.kind()) && !node.has_error())
        .count()
}

/// Blanks out the text from the last line without indentation before the error
/// to the next one after it. Returns false if that gains nothing: the block is
/// blank already, or blanks would split characters.
fn blank_block(text: &mut [u8], error_line: u32) -> bool {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(memchr::memchr_iter(b'\n', text).map(|at| at + 1))
        .collect();
    let begins_block = |start: &usize| {
        let first = text.get(*start);
        first.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_@#$\"'".contains(byte))
    };
    let error = (error_line as usize).clamp(1, starts.len());
    let from = starts[..error].iter().rev().find(|at| begins_block(at));
    let to = starts[error..].iter().find(|at| begins_block(at));
    let block = from.copied().unwrap_or(0)..to.copied().unwrap_or(text.len());
    let block = &mut text[block];
    let is_blank = block.iter().all(u8::is_ascii_whitespace);
    if is_blank || !block.is_ascii() {
        return false;
    }
    for byte in block.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
    true
}
