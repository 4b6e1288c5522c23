//! Finds code of a shape: a snippet of the language in which `$X` matches any
//! one thing and `$$$X` any number of things.

use std::collections::HashMap;
use std::sync::OnceLock;

use regex::Regex;
use tree_sitter::{Node, Tree, TreeCursor};

use crate::budget::Budget;
use crate::language::Language;
use crate::report::Reporter;
use crate::rules::format::Condition;
use crate::rules::{Rule, RuleSet};
use crate::source::Source;
use crate::taint::says_insecure;
use crate::tree_index::TreeIndex;

/// `$X` is no identifier in most grammars; these are in all of them.
const ONE: &str = "anyone__";
const MANY: &str = "anymany__";

/// Ancestors further up are not checked.
const MAX_ANCESTORS: usize = 200;

/// Reports all that `[[pattern]]` rules for the file's language match.
pub(crate) fn find(source: &Source<'_>, index: &TreeIndex<'_>, reporter: &mut Reporter<'_, '_>) {
    let compiled = Compiled::for_language(source.language);
    if compiled.by_kind.is_empty() {
        return;
    }
    let mut cursor = source.tree.walk();
    let mut ancestors: Vec<u16> = Vec::new();
    loop {
        let node = cursor.node();
        if !source.budget.spend(1) {
            return;
        }
        for shape in compiled.by_kind.get(&node.kind_id()).into_iter().flatten() {
            shape.judge(node, &ancestors, source, index, reporter);
        }
        if cursor.goto_first_child() {
            ancestors.push(node.kind_id());
            continue;
        }
        while !cursor.goto_next_sibling() {
            ancestors.pop();
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The patterns of a grammar by the kind of node they match.
struct Compiled {
    by_kind: HashMap<u16, Vec<Shape>>,
}

impl Compiled {
    fn for_language(language: Language) -> &'static Self {
        static ALL: [OnceLock<Compiled>; 8] = [const { OnceLock::new() }; 8];
        ALL[language as usize].get_or_init(|| Self::new(language))
    }

    fn new(language: Language) -> Self {
        let mut by_kind: HashMap<u16, Vec<Shape>> = HashMap::new();
        for rule in &RuleSet::for_language(language).rules {
            for pattern in &rule.file.pattern {
                let grammar = language.grammar();
                let (part, kind) = if pattern.node.is_empty() {
                    match compile(&pattern.code, language) {
                        Some(part @ Part::Node { kind, .. }) => (part, kind),
                        _ => continue,
                    }
                } else {
                    let kind = grammar.id_for_node_kind(&pattern.node, true);
                    (Part::One("NODE".to_owned()), kind)
                };
                let ids = |names: &[String]| {
                    names
                        .iter()
                        .map(|name| grammar.id_for_node_kind(name, true))
                        .collect()
                };
                by_kind.entry(kind).or_default().push(Shape {
                    part,
                    rule,
                    severity: pattern.severity.unwrap_or(rule.severity),
                    conditions: pattern.conditions.iter().map(Check::new).collect(),
                    inside: ids(&pattern.inside),
                    not_inside: ids(&pattern.not_inside),
                    unless_asked: pattern.unless_asked,
                });
            }
        }
        Self { by_kind }
    }
}

struct Shape {
    part: Part,
    rule: &'static Rule,
    severity: crate::Severity,
    conditions: Vec<Check>,
    inside: Vec<u16>,
    not_inside: Vec<u16>,
    unless_asked: bool,
}

impl Shape {
    fn judge(
        &self,
        node: Node<'_>,
        ancestors: &[u16],
        source: &Source<'_>,
        index: &TreeIndex<'_>,
        reporter: &mut Reporter<'_, '_>,
    ) {
        let near = &ancestors[ancestors.len().saturating_sub(MAX_ANCESTORS)..];
        let is_in = |kinds: &[u16]| near.iter().any(|kind| kinds.contains(kind));
        if (!self.inside.is_empty() && !is_in(&self.inside)) || is_in(&self.not_inside) {
            return;
        }
        let mut found = Bindings::new(source.budget);
        if !self.part.matches(node, source.text.text, &mut found) {
            return;
        }
        if self.conditions.iter().all(|check| check.holds(&found))
            && !(self.unless_asked && is_asked_for(node, source.text.text, index))
        {
            reporter.pattern(self.rule, self.severity, node.byte_range());
        }
    }
}

/// Whether a condition, a case or a name around a place is about leaving
/// security out.
fn is_asked_for(node: Node<'_>, text: &str, index: &TreeIndex<'_>) -> bool {
    let speaks = |at: Node<'_>| {
        let field = match at.kind() {
            "if_statement" | "if_expression" => "condition",
            "expression_case" => "value",
            "short_var_declaration" | "assignment_statement" => "left",
            "var_spec" | "function_declaration" | "method_declaration" | "keyed_element" => "name",
            _ => "",
        };
        let value = at.child_by_field_name(field);
        value.is_some_and(|value| says_insecure(&text[value.byte_range()]))
    };
    speaks(node) || index.ancestors(node).any(speaks)
}

/// A condition with its expressions compiled when first asked.
struct Check {
    name: String,
    matches: Option<(String, OnceLock<Option<Regex>>)>,
    not_matches: Option<(String, OnceLock<Option<Regex>>)>,
}

impl Check {
    fn new(condition: &Condition) -> Self {
        let lazy = |text: &Option<String>| text.clone().map(|text| (text, OnceLock::new()));
        Self {
            name: condition.name.clone().unwrap_or_default(),
            matches: lazy(&condition.matches),
            not_matches: lazy(&condition.not_matches),
        }
    }

    fn holds(&self, found: &Bindings<'_>) -> bool {
        let text = found.text(&self.name).unwrap_or("");
        let is_match = |lazy: &(String, OnceLock<Option<Regex>>)| {
            lazy.1
                .get_or_init(|| Regex::new(&lazy.0).ok())
                .as_ref()
                .is_some_and(|regex| regex.is_match(text))
        };
        self.matches.as_ref().is_none_or(is_match)
            && !self.not_matches.as_ref().is_some_and(is_match)
    }
}

/// What the `$X` of a pattern matched.
struct Bindings<'t> {
    texts: Vec<(String, &'t str)>,
    budget: &'t Budget,
}

impl<'t> Bindings<'t> {
    fn new(budget: &'t Budget) -> Self {
        Self {
            texts: Vec::new(),
            budget,
        }
    }

    fn text(&self, name: &str) -> Option<&'t str> {
        let bound = self.texts.iter().find(|(bound, _)| bound == name);
        bound.map(|(_, text)| *text)
    }

    /// The same name twice must match the same text; `$_` may be anything.
    fn bind(&mut self, name: &str, text: &'t str) -> bool {
        if name == "_" {
            return true;
        }
        if let Some(bound) = self.text(name) {
            bound == text
        } else {
            self.texts.push((name.to_owned(), text));
            true
        }
    }
}

/// A node of a pattern.
enum Part {
    One(String),
    Many(String),
    Leaf { kind: u16, text: String },
    Node { kind: u16, children: Vec<Part> },
}

impl Part {
    fn matches<'t>(&self, node: Node<'_>, text: &'t str, found: &mut Bindings<'t>) -> bool {
        match self {
            Self::One(name) | Self::Many(name) => found.bind(name, &text[node.byte_range()]),
            Self::Leaf {
                kind,
                text: expected,
            } => node.kind_id() == *kind && text[node.byte_range()] == **expected,
            Self::Node { kind, children } => {
                node.kind_id() == *kind
                    && all_match(children, &significant_children(node), text, found)
            }
        }
    }
}

fn all_match<'t>(
    parts: &[Part],
    nodes: &[Node<'_>],
    text: &'t str,
    found: &mut Bindings<'t>,
) -> bool {
    let Some((part, parts_after)) = parts.split_first() else {
        return nodes.is_empty();
    };
    // Two `$$$` try every way to share the nodes.
    if !found.budget.spend(1) {
        return false;
    }
    if let Part::Many(name) = part {
        let bound = found.texts.len();
        return (0..=nodes.len()).any(|taken| {
            found.texts.truncate(bound);
            let range = match (nodes.first(), nodes[..taken].last()) {
                (Some(first), Some(last)) => first.start_byte()..last.end_byte(),
                _ => 0..0,
            };
            found.bind(name, &text[range]) && all_match(parts_after, &nodes[taken..], text, found)
        });
    }
    let Some((node, nodes_after)) = nodes.split_first() else {
        return false;
    };
    part.matches(*node, text, found) && all_match(parts_after, nodes_after, text, found)
}

/// The children that make a difference: no comments, no punctuation.
fn significant_children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor: TreeCursor<'t> = node.walk();
    node.children(&mut cursor)
        .filter(|child| !child.is_extra())
        .filter(|child| {
            child.is_named()
                || !matches!(
                    child.kind(),
                    "(" | ")" | "," | ";" | "{" | "}" | "[" | "]" | ":" | "\n" | "."
                )
        })
        .collect()
}

fn compile(code: &str, language: Language) -> Option<Part> {
    let code = code.trim().replace("$$$", MANY).replace('$', ONE);
    let with_end = format!("{code};");
    let mut parser = language.parser();
    [code, with_end].iter().find_map(|code| {
        let tree: Tree = parser.parse(code, None)?;
        let root = tree.root_node();
        if root.has_error() {
            return None;
        }
        Some(part(innermost(root), code))
    })
}

/// Without the layers that only say "a file with one statement, an expression".
fn innermost(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    loop {
        let is_layer = node.parent().is_none() || node.kind() == "expression_statement";
        match node.named_child(0) {
            Some(child) if is_layer && node.named_child_count() == 1 => node = child,
            _ => return node,
        }
    }
}

fn part(node: Node<'_>, code: &str) -> Part {
    let text = &code[node.byte_range()];
    let is_word = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if let Some(name) = text.strip_prefix(MANY).filter(|name| is_word(name)) {
        return Part::Many(name.to_owned());
    }
    if let Some(name) = text.strip_prefix(ONE).filter(|name| is_word(name)) {
        return Part::One(name.to_owned());
    }
    let children = significant_children(node);
    if children.is_empty() {
        return Part::Leaf {
            kind: node.kind_id(),
            text: text.to_owned(),
        };
    }
    Part::Node {
        kind: node.kind_id(),
        children: children
            .into_iter()
            .map(|child| part(child, code))
            .collect(),
    }
}
