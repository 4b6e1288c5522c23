//! Lowers Ruby methods, blocks and classes.

use tree_sitter::Node;

use super::super::{Lower, children};
use super::{BLOCKS, block};
use crate::ir::{ExprId, ExprKind, Function, Param};

/// A method, a lambda or a block.
pub(super) fn function(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let params = node
        .child_by_field_name("parameters")
        .map(|list| parameters(l, list))
        .unwrap_or_default();
    let is_method = matches!(node.kind(), "method" | "singleton_method");
    let name = if is_method {
        l.field_text(node, "name").unwrap_or_default()
    } else {
        ""
    };
    let route = route(l, node);
    let function = Function {
        name,
        params,
        marks: route.into_iter().collect(),
        implicit_return: true,
        called_by_name: is_method,
        ..Function::default()
    };
    let id = l.function(node, function, |l| {
        let mut body = match node.child_by_field_name("body") {
            Some(body) if matches!(body.kind(), "block" | "do_block") => body
                .child_by_field_name("body")
                .map(|inner| block(l, inner))
                .unwrap_or_default(),
            Some(body) if BLOCKS.contains(&body.kind()) => block(l, body),
            Some(body) => vec![l.node(body)],
            None => Vec::new(),
        };
        // The answer of a route is what its block gives.
        if let Some(last) = body.last_mut().filter(|_| route.is_some()) {
            let place = children(node).last().copied().unwrap_or(node);
            *last = l.add(ExprKind::Return(Some(*last)), place);
        }
        body
    });
    if is_method {
        l.add(ExprKind::Define(id), node)
    } else {
        l.add(ExprKind::Lambda(id), node)
    }
}

/// The verb of `get "/path" do … end`, where the file is one of Sinatra's.
fn route<'s>(l: &Lower<'s>, node: Node<'_>) -> Option<&'s str> {
    let call = l
        .index
        .parent(node)
        .filter(|call| call.kind() == "call" && call.child_by_field_name("receiver").is_none())?;
    let verb = l.field_text(call, "method")?;
    let path = children(call.child_by_field_name("arguments")?)
        .first()
        .copied()?;
    let is_path = matches!(path.kind(), "string" | "regex");
    let is_verb = matches!(verb, "get" | "post" | "put" | "delete" | "patch");
    let says_sinatra = || {
        ["sinatra", "Sinatra"]
            .iter()
            .any(|name| l.unit.text.contains(name))
    };
    (is_verb && is_path && says_sinatra()).then_some(verb)
}

fn parameters<'s>(l: &mut Lower<'s>, list: Node<'_>) -> Vec<Param<'s>> {
    children(list)
        .into_iter()
        .map(|node| {
            let name = match node.kind() {
                "identifier" => Some(node),
                _ => node.child_by_field_name("name"),
            };
            Param {
                name: name.map(|name| l.text(name)).unwrap_or_default(),
                pattern: (node.kind() == "destructured_parameter").then(|| l.opaque(node)),
                default: l.maybe(node, "value"),
                ..Param::default()
            }
        })
        .collect()
}

pub(super) fn class(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let name = l.field_text(node, "name").unwrap_or_default();
    let marks = l
        .field_text(node, "superclass")
        .map(|text| text.trim_start_matches('<').trim())
        .into_iter()
        .collect();
    let body = l.class(name, marks, |l| {
        node.child_by_field_name("body")
            .map(|body| l.block(body))
            .unwrap_or_default()
    });
    l.add(ExprKind::Block(body), node)
}
