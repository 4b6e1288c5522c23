//! Go.

use tree_sitter::Node;

use super::{Lower, children, fields, of_kind, text};
use crate::ir::{Arg, Arm, Const, ExprId, ExprKind, Function, Op, Param};

const BLOCKS: [&str; 2] = ["block", "statement_list"];

pub(super) fn lower(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "identifier" | "type_identifier" | "field_identifier" | "package_identifier" => {
            l.name(node)
        }
        "interpreted_string_literal" => {
            l.built_string(node, &["interpreted_string_literal_content"], &[])
        }
        "raw_string_literal" => {
            let content = l.text(node).trim_matches('`');
            l.string(content, node)
        }
        "rune_literal" => {
            let content = text::unescape(text::unquoted(l.text(node)));
            l.string(&content, node)
        }
        "int_literal" => l.integer(node),
        "float_literal" | "imaginary_literal" | "iota" => l.constant(Const::Number, node),
        "true" => l.constant(Const::Bool(true), node),
        "false" => l.constant(Const::Bool(false), node),
        "nil" => l.constant(Const::Null, node),
        "parenthesized_expression"
        | "expression_statement"
        | "variadic_argument"
        | "literal_element"
        | "go_statement"
        | "defer_statement" => l.inner(node),
        "selector_expression" => {
            let object = l.field(node, "operand");
            let field = l.field_text(node, "field").unwrap_or_default();
            l.add(ExprKind::Field(object, field), node)
        }
        "qualified_type" => {
            let object = l.field(node, "package");
            let field = l.field_text(node, "name").unwrap_or_default();
            l.add(ExprKind::Field(object, field), node)
        }
        "index_expression" => {
            let object = l.field(node, "operand");
            let index = l.field(node, "index");
            l.add(ExprKind::Index(object, index), node)
        }
        "slice_expression" => l.field(node, "operand"),
        "type_assertion_expression" | "type_conversion_expression" => {
            let value = l.field(node, "operand");
            let type_text = l.field_text(node, "type").unwrap_or_default();
            l.add(ExprKind::Cast(type_text, value), node)
        }
        "binary_expression" => l.binary(node),
        "unary_expression" => {
            let operand = l.field(node, "operand");
            match l.field_text(node, "operator") {
                Some("!") => l.not(node, operand),
                Some("-") => {
                    let zero = l.constant(Const::Int(0), node);
                    l.add(ExprKind::Binary(Op::Sub, zero, operand), node)
                }
                _ => operand,
            }
        }
        "composite_literal" => composite(l, node),
        "literal_value" => literal_value(l, node),
        "call_expression" => {
            let callee = l.field(node, "function");
            let args = node
                .child_by_field_name("arguments")
                .map(|list| l.block(list))
                .unwrap_or_default();
            l.call(node, callee, args.into_iter().map(Arg::plain).collect())
        }
        "func_literal" | "function_declaration" | "method_declaration" => function(l, node),
        "assignment_statement"
        | "short_var_declaration"
        | "var_spec"
        | "const_spec"
        | "inc_statement"
        | "dec_statement" => assignment(l, node),
        "import_declaration" => import(l, node),
        "type_declaration" => type_declaration(l, node),
        "package_clause" | "comment" => l.add(ExprKind::Opaque(Vec::new()), node),
        _ => statement(l, node),
    }
}

/// `T{Name: value}` is a call of `T` with named arguments, so that rules can
/// ask for them; slices and maps are what they are.
fn composite(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let (Some(type_node), Some(body)) = (
        node.child_by_field_name("type"),
        node.child_by_field_name("body"),
    ) else {
        return l.opaque(node);
    };
    if !matches!(
        type_node.kind(),
        "type_identifier" | "qualified_type" | "generic_type"
    ) {
        return literal_value(l, body);
    }
    let callee = l.node(type_node);
    let mut args = Vec::new();
    for element in children(body) {
        if element.kind() == "keyed_element" {
            let name = l.field_text(element, "key");
            let value = l.field(element, "value");
            args.push(Arg { name, value });
        } else {
            args.push(Arg::plain(l.node(element)));
        }
    }
    l.add(
        ExprKind::Call {
            callee,
            args,
            new: true,
        },
        node,
    )
}

fn literal_value(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let elements = children(node);
    let keyed = elements
        .first()
        .is_some_and(|first| first.kind() == "keyed_element");
    if keyed {
        let mut pairs = Vec::new();
        for element in elements {
            let key = l.field(element, "key");
            let value = l.field(element, "value");
            pairs.push((key, value));
        }
        return l.add(ExprKind::Map(pairs), node);
    }
    let items = l.block(node);
    l.add(ExprKind::List(items), node)
}

fn function(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let mut params = node
        .child_by_field_name("parameters")
        .map(|list| parameters(l, list))
        .unwrap_or_default();
    let receiver = node
        .child_by_field_name("receiver")
        .map(|list| parameters(l, list))
        .and_then(|mut list| list.pop());
    let class = receiver
        .as_ref()
        .and_then(|receiver| receiver.type_text)
        .map(|text| text.trim_start_matches('*'));
    // Last, so that the positions of the others are those of a call.
    params.extend(receiver);
    let name = l.field_text(node, "name").unwrap_or_default();
    let function = Function {
        name,
        params,
        returns: l.field_text(node, "result"),
        ..Function::default()
    };
    let outer = std::mem::replace(&mut l.class, class);
    if let Some(class) = class {
        l.unit.classes.entry(class).or_default();
    }
    let id = l.function(node, function, |l| l.body(node, "body", &BLOCKS));
    l.class = outer;
    if node.kind() == "func_literal" {
        l.add(ExprKind::Lambda(id), node)
    } else {
        l.add(ExprKind::Define(id), node)
    }
}

fn parameters<'s>(l: &mut Lower<'s>, list: Node<'_>) -> Vec<Param<'s>> {
    let mut params = Vec::new();
    for declaration in children(list) {
        let type_text = l.field_text(declaration, "type");
        let names = fields(declaration, "name");
        if names.is_empty() {
            params.push(Param {
                type_text,
                ..Param::default()
            });
        }
        for name in names {
            params.push(Param {
                name: l.text(name),
                type_text,
                ..Param::default()
            });
        }
    }
    params
}

fn assignment(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "inc_statement" | "dec_statement" => {
            let target = l.inner(node);
            let one = l.constant(Const::Int(1), node);
            let op = if node.kind() == "inc_statement" {
                Op::Add
            } else {
                Op::Sub
            };
            l.add(
                ExprKind::Assign {
                    target,
                    value: Some(one),
                    op: Some(op),
                    type_text: None,
                },
                node,
            )
        }
        "var_spec" | "const_spec" => {
            let type_text = l.field_text(node, "type");
            let values = node
                .child_by_field_name("value")
                .map(children)
                .unwrap_or_default();
            let names = fields(node, "name");
            pairwise(l, node, &names, &values, type_text)
        }
        _ if node.kind() == "assignment_statement"
            && l.field_text(node, "operator").is_some_and(|op| op != "=") =>
        {
            l.augmented(node)
        }
        _ => {
            let left = node
                .child_by_field_name("left")
                .map(children)
                .unwrap_or_default();
            let right = node
                .child_by_field_name("right")
                .map(children)
                .unwrap_or_default();
            pairwise(l, node, &left, &right, None)
        }
    }
}

/// `a, b := x, y`, or all of one call. What comes second from a call is an error
/// or a yes and no, which carry nothing of interest.
fn pairwise<'s>(
    l: &mut Lower<'s>,
    node: Node<'_>,
    left: &[Node<'_>],
    right: &[Node<'_>],
    type_text: Option<&'s str>,
) -> ExprId {
    let mut all = Vec::new();
    let shared = left.len() > 1 && right.len() == 1;
    for (index, target) in left.iter().enumerate() {
        let name = l.text(*target);
        if shared && index > 0 && (matches!(name, "_" | "ok" | "found") || name.contains("rr")) {
            continue;
        }
        let value = right
            .get(if shared { 0 } else { index })
            .map(|value| l.node(*value));
        let target = l.node(*target);
        all.push(l.assign(node, target, value, type_text));
    }
    if let [one] = all.as_slice() {
        return *one;
    }
    l.add(ExprKind::Block(all), node)
}

fn import(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let mut specs = of_kind(node, "import_spec");
    for list in of_kind(node, "import_spec_list") {
        specs.extend(of_kind(list, "import_spec"));
    }
    for spec in specs {
        let Some(path) = l.field_text(spec, "path").map(text::unquoted) else {
            continue;
        };
        // `github.com/labstack/echo/v4` is used as `echo`.
        let mut parts: Vec<&str> = path.split('/').collect();
        if parts.len() > 1
            && parts.last().is_some_and(|last| {
                last.strip_prefix('v')
                    .is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit()))
            })
        {
            parts.pop();
        }
        let last = parts.last().copied().unwrap_or(path);
        let usual = last.split('.').next().unwrap_or(last);
        let name = l.field_text(spec, "name").unwrap_or(usual);
        l.import(name, parts.join("/"));
    }
    l.add(ExprKind::Opaque(Vec::new()), node)
}

fn type_declaration(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    for spec in of_kind(node, "type_spec") {
        let Some(type_node) = spec.child_by_field_name("type") else {
            continue;
        };
        for list in of_kind(type_node, "field_declaration_list") {
            for field in of_kind(list, "field_declaration") {
                let Some(type_text) = l.field_text(field, "type") else {
                    continue;
                };
                for name in fields(field, "name") {
                    let name = l.text(name);
                    l.unit.field_types.insert(name, type_text);
                }
            }
        }
    }
    l.add(ExprKind::Opaque(Vec::new()), node)
}

fn statement(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "block" | "statement_list" | "labeled_statement" | "var_declaration"
        | "const_declaration" | "var_spec_list" => {
            let body = l.block(node);
            l.add(ExprKind::Block(body), node)
        }
        "if_statement" => {
            let before = l.maybe(node, "initializer");
            let cond = l.field(node, "condition");
            let then = l.body(node, "consequence", &BLOCKS);
            let other = l.body(node, "alternative", &BLOCKS);
            let branch = l.if_else(node, cond, then, other);
            match before {
                Some(before) => l.add(ExprKind::Block(vec![before, branch]), node),
                None => branch,
            }
        }
        "for_statement" => for_statement(l, node),
        "expression_switch_statement" | "type_switch_statement" | "select_statement" => {
            switch(l, node)
        }
        "return_statement" => {
            // An error beside the value says nothing about it.
            let list = children(node).first().copied();
            let value = list
                .and_then(|list| children(list).first().copied())
                .map(|value| l.node(value));
            l.add(ExprKind::Return(value), node)
        }
        "break_statement" => l.add(ExprKind::Break, node),
        "continue_statement" => l.add(ExprKind::Continue, node),
        _ => l.opaque(node),
    }
}

fn for_statement(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let mut before = Vec::new();
    let mut after = Vec::new();
    let mut bind = None;
    let mut cond = None;
    for head in children(node) {
        match head.kind() {
            "block" => {}
            "for_clause" => {
                before.extend(l.maybe(head, "initializer"));
                cond = l.maybe(head, "condition");
                after.extend(l.maybe(head, "update"));
            }
            "range_clause" => {
                let targets = head
                    .child_by_field_name("left")
                    .map(children)
                    .unwrap_or_default();
                let value = l.field(head, "right");
                let target = match targets.as_slice() {
                    [_, element, ..] => l.node(*element),
                    _ => l.add(ExprKind::Opaque(Vec::new()), head),
                };
                bind = Some((target, value));
            }
            _ => cond = Some(l.node(head)),
        }
    }
    let mut body = l.body(node, "body", &BLOCKS);
    body.extend(after);
    before.push(l.loop_over(node, bind, cond, body));
    l.add(ExprKind::Block(before), node)
}

fn switch(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let mut all: Vec<_> = l.maybe(node, "initializer").into_iter().collect();
    let subject = l.maybe(node, "value");
    if let (Some(alias), Some(subject)) = (l.maybe(node, "alias"), subject) {
        all.push(l.assign(node, alias, Some(subject), None));
    }
    let mut arms = Vec::new();
    for case in children(node) {
        let labels = match case.kind() {
            "expression_case" => case
                .child_by_field_name("value")
                .map(|values| l.block(values))
                .unwrap_or_default(),
            "type_case" => vec![l.add(ExprKind::Opaque(Vec::new()), case)],
            "communication_case" => {
                let value = l.field(case, "communication");
                vec![l.add(ExprKind::Opaque(vec![value]), case)]
            }
            "default_case" => Vec::new(),
            _ => continue,
        };
        let body = of_kind(case, "statement_list")
            .into_iter()
            .flat_map(|list| l.block(list))
            .collect();
        arms.push(Arm {
            labels,
            body,
            falls_through: false,
        });
    }
    let is_expression = node.kind() == "expression_switch_statement";
    all.push(l.add(
        ExprKind::Switch {
            subject: subject.filter(|_| is_expression),
            arms,
        },
        node,
    ));
    l.add(ExprKind::Block(all), node)
}
