//! Lowers syntax trees to the small language of [`crate::ir`].
//!
//! Each language has one file with one function, `lower`, that takes any node.
//! What they share is here. Kinds of nodes that a language's file does not name
//! become [`ExprKind::Opaque`]: their parts are still walked.

mod go;
mod java;
mod javascript;
mod python;
mod ruby;
mod rust;
mod text;

use std::rc::Rc;

use tree_sitter::Node;

use crate::budget::Budget;
use crate::ir::{Arg, Block, Class, Const, ExprId, ExprKind, Function, FunctionId, Op, Span, Unit};
use crate::language::Language;
use crate::source::Source;
use crate::tree_index::TreeIndex;

pub(crate) use javascript::module_path;

/// Code nested deeper is not followed; people do not write it.
const MAX_DEPTH: u32 = 250;

/// The file in the small language.
pub(crate) fn lower<'s>(source: &'s Source<'_>, index: &'s TreeIndex<'s>) -> Unit<'s> {
    let dispatch = match source.language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => javascript::lower,
        Language::Python => python::lower,
        Language::Go => go::lower,
        Language::Rust => rust::lower,
        Language::Ruby => ruby::lower,
        Language::Java => java::lower,
    };
    let mut lower = Lower {
        unit: Unit {
            text: source.text.text,
            is_complete: true,
            ..Unit::default()
        },
        dispatch,
        index,
        budget: source.budget,
        nested: 0,
        in_function: false,
        class: None,
    };
    lower.unit.functions.push(Function::default());
    let body = lower.block(source.tree.root_node());
    lower.unit.functions[0].body = body;
    lower.unit
}

type Dispatch = for<'s> fn(&mut Lower<'s>, Node<'_>) -> ExprId;

pub(crate) struct Lower<'s> {
    unit: Unit<'s>,
    dispatch: Dispatch,
    index: &'s TreeIndex<'s>,
    budget: &'s Budget,
    nested: u32,
    in_function: bool,
    class: Option<&'s str>,
}

impl<'s> Lower<'s> {
    fn text(&self, node: Node<'_>) -> &'s str {
        &self.unit.text[node.byte_range()]
    }

    fn add(&mut self, kind: ExprKind<'s>, node: Node<'_>) -> ExprId {
        let id = u32::try_from(self.unit.exprs.len()).expect("files are below a megabyte");
        self.unit.exprs.push((kind, span(node)));
        ExprId(id)
    }

    /// Any node, unless it is nested too deep.
    fn node(&mut self, node: Node<'_>) -> ExprId {
        let in_depth = self.nested < MAX_DEPTH;
        self.unit.is_complete &= in_depth;
        if !in_depth || !self.budget.spend(1) {
            return self.add(ExprKind::Opaque(Vec::new()), node);
        }
        self.nested += 1;
        let id = (self.dispatch)(self, node);
        self.nested -= 1;
        id
    }

    /// The node of a field, or nothing.
    fn maybe(&mut self, node: Node<'_>, field: &str) -> Option<ExprId> {
        node.child_by_field_name(field).map(|node| self.node(node))
    }

    /// The node of a field; in broken code it may be missing.
    fn field(&mut self, node: Node<'_>, field: &str) -> ExprId {
        match self.maybe(node, field) {
            Some(id) => id,
            None => self.add(ExprKind::Opaque(Vec::new()), node),
        }
    }

    fn field_text(&self, node: Node<'_>, field: &str) -> Option<&'s str> {
        node.child_by_field_name(field).map(|node| self.text(node))
    }

    /// The content of a wrapper such as parentheses.
    fn inner(&mut self, node: Node<'_>) -> ExprId {
        let inner = children(node).into_iter().next();
        match inner {
            Some(inner) => self.node(inner),
            None => self.add(ExprKind::Opaque(Vec::new()), node),
        }
    }

    fn all(&mut self, nodes: Vec<Node<'_>>) -> Vec<ExprId> {
        nodes.into_iter().map(|node| self.node(node)).collect()
    }

    /// The children as statements.
    fn block(&mut self, node: Node<'_>) -> Block {
        self.all(children(node))
    }

    /// The children of a field's node as statements; a field that is a single
    /// statement is one.
    fn body(&mut self, node: Node<'_>, field: &str, blocks: &[&str]) -> Block {
        match node.child_by_field_name(field) {
            Some(body) if blocks.contains(&body.kind()) => self.block(body),
            Some(body) => vec![self.node(body)],
            None => Vec::new(),
        }
    }

    /// What ends a function, with the value after its keyword if there is one.
    fn leave(&mut self, node: Node<'_>, kind: fn(Option<ExprId>) -> ExprKind<'s>) -> ExprId {
        let value = children(node).first().map(|value| self.node(*value));
        self.add(kind(value), node)
    }

    fn opaque(&mut self, node: Node<'_>) -> ExprId {
        let parts = self.block(node);
        self.add(ExprKind::Opaque(parts), node)
    }

    fn name(&mut self, node: Node<'_>) -> ExprId {
        let text = self.text(node);
        self.add(ExprKind::Name(text), node)
    }

    fn string(&mut self, text: &str, node: Node<'_>) -> ExprId {
        self.add(ExprKind::Const(Const::Str(Rc::from(text))), node)
    }

    fn constant(&mut self, value: Const, node: Node<'_>) -> ExprId {
        self.add(ExprKind::Const(value), node)
    }

    fn integer(&mut self, node: Node<'_>) -> ExprId {
        let value = text::integer(self.text(node)).map_or(Const::Number, Const::Int);
        self.constant(value, node)
    }

    /// A string whose parts are `content` kinds, escapes and things to be inserted.
    fn built_string(&mut self, node: Node<'_>, content: &[&str], inserted: &[&str]) -> ExprId {
        let mut parts = Vec::new();
        let mut constant = String::new();
        for child in children(node) {
            if inserted.contains(&child.kind()) {
                if !constant.is_empty() {
                    parts.push(self.string(&constant, node));
                    constant.clear();
                }
                parts.push(self.inner(child));
            } else if child.kind() == "escape_sequence" {
                constant.push_str(&text::unescape(self.text(child)));
            } else if content.contains(&child.kind()) {
                self.push_content(child, &mut constant);
            }
        }
        if parts.is_empty() {
            return self.string(&constant, node);
        }
        if !constant.is_empty() {
            parts.push(self.string(&constant, node));
        }
        self.add(ExprKind::Build(parts), node)
    }

    /// Some grammars put the escapes inside the content, others beside it.
    fn push_content(&self, content: Node<'_>, constant: &mut String) {
        let mut at = content.start_byte();
        for escape in children_of_kind(content, "escape_sequence") {
            constant.push_str(&self.unit.text[at..escape.start_byte()]);
            constant.push_str(&text::unescape(self.text(escape)));
            at = escape.end_byte();
        }
        constant.push_str(&self.unit.text[at..content.end_byte()]);
    }

    /// `a + b + c` is nested to the left as often as it has parts, so that side
    /// is followed in a loop.
    fn binary(&mut self, node: Node<'_>) -> ExprId {
        let mut spine = vec![node];
        let mut left = node.child_by_field_name("left");
        while let Some(inner) = left {
            if inner.kind() != node.kind() {
                break;
            }
            spine.push(inner);
            left = inner.child_by_field_name("left");
        }
        let mut result = match left {
            Some(left) => self.node(left),
            None => self.add(ExprKind::Opaque(Vec::new()), node),
        };
        for node in spine.into_iter().rev() {
            let op = Op::parse(self.field_text(node, "operator").unwrap_or_default());
            let right = self.field(node, "right");
            result = self.add(ExprKind::Binary(op, result, right), node);
        }
        result
    }

    fn assign(
        &mut self,
        node: Node<'_>,
        target: ExprId,
        value: Option<ExprId>,
        type_text: Option<&'s str>,
    ) -> ExprId {
        self.add(
            ExprKind::Assign {
                target,
                value,
                op: None,
                type_text,
            },
            node,
        )
    }

    /// `left op= right`.
    fn augmented(&mut self, node: Node<'_>) -> ExprId {
        let target = self.field(node, "left");
        let value = Some(self.field(node, "right"));
        let op = Some(Op::parse(
            self.field_text(node, "operator").unwrap_or_default(),
        ));
        self.add(
            ExprKind::Assign {
                target,
                value,
                op,
                type_text: None,
            },
            node,
        )
    }

    fn call(&mut self, node: Node<'_>, callee: ExprId, args: Vec<Arg<'s>>) -> ExprId {
        self.add(
            ExprKind::Call {
                callee,
                args,
                new: false,
            },
            node,
        )
    }

    /// A call of something that is not written as one, such as a backtick command.
    fn call_named(&mut self, node: Node<'_>, name: &'static str, args: Vec<ExprId>) -> ExprId {
        let callee = self.add(ExprKind::Name(name), node);
        let args = args.into_iter().map(Arg::plain).collect();
        self.call(node, callee, args)
    }

    /// What a handler of errors calls the error, given a value that rules know.
    fn caught(&mut self, node: Node<'_>, target: ExprId) -> ExprId {
        let error = self.call_named(node, "caught", Vec::new());
        self.assign(node, target, Some(error), None)
    }

    fn if_else(&mut self, node: Node<'_>, cond: ExprId, then: Block, other: Block) -> ExprId {
        self.add(ExprKind::If { cond, then, other }, node)
    }

    fn loop_over(
        &mut self,
        node: Node<'_>,
        bind: Option<(ExprId, ExprId)>,
        cond: Option<ExprId>,
        body: Block,
    ) -> ExprId {
        self.add(ExprKind::Loop { bind, cond, body }, node)
    }

    fn not(&mut self, node: Node<'_>, inner: ExprId) -> ExprId {
        self.add(ExprKind::Not(inner), node)
    }

    /// Lowers what is inside a function's body; nested functions know it.
    fn function(
        &mut self,
        node: Node<'_>,
        mut function: Function<'s>,
        body: impl FnOnce(&mut Self) -> Block,
    ) -> FunctionId {
        function.nested = self.in_function;
        function.class = self.class;
        function.span = span(node);
        let id = FunctionId(
            u32::try_from(self.unit.functions.len()).expect("files are below a megabyte"),
        );
        self.unit.functions.push(function);
        let outer = std::mem::replace(&mut self.in_function, true);
        let body = body(self);
        self.in_function = outer;
        self.unit.functions[id.0 as usize].body = body;
        id
    }

    /// Lowers what is inside a class.
    fn class(
        &mut self,
        name: &'s str,
        marks: Vec<&'s str>,
        body: impl FnOnce(&mut Self) -> Block,
    ) -> Block {
        self.unit.classes.insert(name, Class { marks });
        let outer = self.class.replace(name);
        let in_function = std::mem::replace(&mut self.in_function, false);
        let body = body(self);
        self.class = outer;
        self.in_function = in_function;
        body
    }

    fn knows_import(&self, name: &str) -> bool {
        self.unit.imports.contains_key(name)
    }

    fn import(&mut self, name: &'s str, path: String) {
        self.unit.imports.insert(name, path);
    }
}

impl Arg<'_> {
    fn plain(value: ExprId) -> Self {
        Self { name: None, value }
    }
}

fn span(node: Node<'_>) -> Span {
    Span {
        start: u32::try_from(node.start_byte()).unwrap_or(u32::MAX),
        end: u32::try_from(node.end_byte()).unwrap_or(u32::MAX),
    }
}

/// Named children that are no comments.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !child.is_extra() || child.kind() == "heredoc_body")
        .collect()
}

/// The named children of one kind.
fn children_of_kind<'t>(node: Node<'t>, kind: &str) -> Vec<Node<'t>> {
    children(node)
        .into_iter()
        .filter(|child| child.kind() == kind)
        .collect()
}

/// All nodes of a field that may be repeated.
fn fields<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor)
        .filter(Node::is_named)
        .collect()
}
