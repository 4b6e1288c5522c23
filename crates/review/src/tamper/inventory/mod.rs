//! Lists the tests of a file: their names, whether they run, what they assert.

mod go;
mod java;
mod javascript;
mod python;
mod ruby;
mod rust;

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::Node;

use super::assertion::Assertion;
use crate::budget::Budget;
use crate::language::Language;
use crate::source::{Source, Text};
use crate::syntax::{line_of, text_of};
use crate::tree_index::TreeIndex;

/// Ancestors of a skip that are looked at for a condition.
const MAX_ANCESTORS: usize = 60;

/// A longer text adds nothing about what is tested.
const MAX_TOKEN_LEN: usize = 200;

/// All that matters of a file here.
#[derive(Debug, Default)]
pub(super) struct Inventory {
    pub(super) cases: Vec<Case>,
    /// Functions that assert without being tests, which tests may call.
    pub(super) checks: HashSet<String>,
    /// Assertions of the whole file, tests or not.
    pub(super) assertions: Vec<Assertion>,
    /// Names of functions, methods and types.
    pub(super) definitions: HashSet<String>,
}

/// One test.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Case {
    pub(super) name: String,
    /// The suites around it, outermost first.
    pub(super) suites: Vec<String>,
    pub(super) line: u32,
    pub(super) marks: Marks,
    pub(super) assertions: Vec<Assertion>,
    /// Identifiers and literals of its body: what it is about.
    pub(super) words: HashSet<String>,
    /// Loops in its body: the same assertions for many values.
    pub(super) loops: usize,
    /// A `return` before an assertion.
    pub(super) returns_early: Option<u32>,
}

/// How a test or a suite is marked to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) skipped: Option<Skip>,
    /// Only marked tests are run.
    pub(super) focused: Option<u32>,
    /// It counts as passed when it fails.
    pub(super) expected_to_fail: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Skip {
    pub(super) line: u32,
    pub(super) conditional: bool,
}

/// What a node is, in the eyes of a language.
pub(super) enum Item {
    Suite(String, Marks),
    Case(String, Marks),
    /// A function or type; what it contains may be asserted for others.
    Definition(String),
    /// In the body of a test: it ends here, perhaps under a condition.
    Skip,
    Assertion,
    /// A condition under which the test fails, and where that ends.
    FailsIf(Range<usize>),
}

/// Reads the file's tests. What cannot be parsed has none.
pub(super) fn parse(path: &str, bytes: &[u8], budget: &Budget) -> Inventory {
    let Some(language) = Language::from_path(path) else {
        return Inventory::default();
    };
    let source = Text::new(path, bytes).and_then(|text| Source::parse(text, language, budget));
    match source {
        Ok(source) => {
            let index = TreeIndex::new(&source.tree, budget);
            Walk::new(&source, &index).inventory()
        }
        Err(_) => Inventory::default(),
    }
}

fn recognise(node: Node<'_>, source: &Source<'_>, index: &TreeIndex<'_>) -> Option<Item> {
    let text = source.text.text;
    match source.language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            javascript::recognise(node, text)
        }
        Language::Python => python::recognise(node, text, index),
        Language::Go => go::recognise(node, text),
        Language::Rust => rust::recognise(node, text, index),
        Language::Ruby => ruby::recognise(node, text, index),
        Language::Java => java::recognise(node, text),
    }
}

/// An open suite, test or function while the tree is walked.
struct Frame {
    end: usize,
    kind: FrameKind,
}

enum FrameKind {
    Suite(String, Marks),
    /// The index of the test.
    Case(usize),
    Definition(String),
}

struct Walk<'s, 'a> {
    source: &'s Source<'a>,
    index: &'s TreeIndex<'s>,
    frames: Vec<Frame>,
    /// Inside an assertion until here; what is nested belongs to it.
    asserted_until: usize,
    inventory: Inventory,
}

impl<'s, 'a> Walk<'s, 'a> {
    fn new(source: &'s Source<'a>, index: &'s TreeIndex<'s>) -> Self {
        Self {
            source,
            index,
            frames: Vec::new(),
            asserted_until: 0,
            inventory: Inventory::default(),
        }
    }

    fn inventory(mut self) -> Inventory {
        let mut cursor = self.source.tree.walk();
        loop {
            if !self.source.budget.spend(1) {
                return self.inventory;
            }
            self.enter(cursor.node());
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return self.inventory;
                }
            }
        }
    }

    fn enter(&mut self, node: Node<'_>) {
        while self
            .frames
            .last()
            .is_some_and(|frame| node.start_byte() >= frame.end)
        {
            self.frames.pop();
        }
        if node.child_count() == 0 {
            self.note_word(node);
        }
        if !node.is_named() {
            return;
        }
        self.note_return(node);
        self.note_loop(node);
        let Some(item) = recognise(node, self.source, self.index) else {
            return;
        };
        let end = node.end_byte();
        match item {
            Item::Suite(name, marks) => {
                self.inventory.definitions.insert(name.clone());
                self.push(end, FrameKind::Suite(name, marks));
            }
            Item::Case(name, marks) => self.open_case(node, name, marks),
            Item::Definition(name) => {
                self.inventory.definitions.insert(name.clone());
                self.push(end, FrameKind::Definition(name));
            }
            Item::Skip => self.note_skip(node),
            Item::Assertion => {
                let text = &self.source.text.text[node.byte_range()];
                self.note_assertion(node, Assertion::read(text, line_of(node)));
            }
            Item::FailsIf(condition) => {
                let text = &self.source.text.text[condition];
                self.note_assertion(node, Assertion::unless(text, line_of(node)));
            }
        }
    }

    fn push(&mut self, end: usize, kind: FrameKind) {
        self.frames.push(Frame { end, kind });
    }

    fn open_case(&mut self, node: Node<'_>, name: String, marks: Marks) {
        let mut suites = Vec::new();
        let mut inherited = Marks::default();
        for frame in &self.frames {
            match &frame.kind {
                FrameKind::Suite(suite, marks) => {
                    suites.push(suite.clone());
                    inherited = marks.clone().or(inherited);
                }
                FrameKind::Case(outer) => {
                    suites.push(self.inventory.cases[*outer].name.clone());
                }
                FrameKind::Definition(_) => {}
            }
        }
        let index = self.inventory.cases.len();
        self.inventory.cases.push(Case {
            name,
            suites,
            line: line_of(node),
            marks: marks.or(inherited),
            assertions: Vec::new(),
            words: words_of_attributes(node, self.source.text.text, self.index),
            loops: 0,
            returns_early: None,
        });
        self.push(node.end_byte(), FrameKind::Case(index));
    }

    fn case(&mut self) -> Option<&mut Case> {
        let index = self
            .frames
            .iter()
            .rev()
            .find_map(|frame| match frame.kind {
                FrameKind::Case(index) => Some(index),
                _ => None,
            })?;
        self.inventory.cases.get_mut(index)
    }

    fn note_word(&mut self, node: Node<'_>) {
        let text = &self.source.text.text[node.byte_range()];
        let is_word =
            text.len() <= MAX_TOKEN_LEN && text.bytes().any(|byte| byte.is_ascii_alphanumeric());
        if is_word
            && node.is_named()
            && !node.is_extra()
            && let Some(case) = self.case()
        {
            case.words.insert(text.to_owned());
        }
    }

    fn note_loop(&mut self, node: Node<'_>) {
        let loops = matches!(
            node.kind(),
            "for_statement"
                | "for_in_statement"
                | "for_expression"
                | "enhanced_for_statement"
                | "for"
        );
        if loops && let Some(case) = self.case() {
            case.loops += 1;
        }
    }

    fn note_return(&mut self, node: Node<'_>) {
        if matches!(
            node.kind(),
            "return_statement" | "return_expression" | "return"
        ) && !is_conditional(node, self.index)
            && let Some(case) = self.case()
            && case.assertions.is_empty()
        {
            case.returns_early.get_or_insert(line_of(node));
        }
    }

    fn note_skip(&mut self, node: Node<'_>) {
        let skip = Skip::at(node, is_conditional(node, self.index));
        if let Some(case) = self.case()
            && case
                .marks
                .skipped
                .as_ref()
                .is_none_or(|known| known.conditional)
        {
            case.marks.skipped = Some(skip);
        }
    }

    fn note_assertion(&mut self, node: Node<'_>, assertion: Assertion) {
        if node.start_byte() < self.asserted_until {
            return;
        }
        self.asserted_until = node.end_byte();
        self.inventory.assertions.push(assertion.clone());
        if let Some(case) = self.case() {
            case.assertions.push(assertion);
            return;
        }
        let around = self
            .frames
            .iter()
            .rev()
            .find_map(|frame| match &frame.kind {
                FrameKind::Definition(name) => Some(name.clone()),
                _ => None,
            });
        self.inventory.checks.extend(around);
    }
}

impl Marks {
    /// The inner mark wins.
    fn or(self, outer: Self) -> Self {
        Self {
            skipped: self.skipped.or(outer.skipped),
            focused: self.focused.or(outer.focused),
            expected_to_fail: self.expected_to_fail.or(outer.expected_to_fail),
        }
    }
}

impl Skip {
    pub(super) fn at(node: Node<'_>, conditional: bool) -> Self {
        Self {
            line: line_of(node),
            conditional,
        }
    }
}

fn is_conditional(node: Node<'_>, index: &TreeIndex<'_>) -> bool {
    let mut around = index.parent(node);
    for _ in 0..MAX_ANCESTORS {
        let Some(node) = around else {
            return false;
        };
        match node.kind() {
            "if_statement"
            | "if_expression"
            | "if"
            | "unless"
            | "if_modifier"
            | "unless_modifier"
            | "conditional"
            | "match_expression"
            | "switch_statement"
            | "expression_switch_statement"
            | "case"
            | "when"
            | "for_statement"
            | "while_statement"
            | "try_statement"
            | "catch_clause"
            | "except_clause"
            | "rescue" => return true,
            "function_definition"
            | "function_declaration"
            | "function_item"
            | "method_declaration"
            | "method"
            | "arrow_function"
            | "function_expression"
            | "do_block"
            | "lambda"
            | "func_literal"
            | "closure_expression" => return false,
            _ => around = index.parent(node),
        }
    }
    true
}

/// Rust writes the cases of a table into attributes before the function.
fn words_of_attributes(node: Node<'_>, text: &str, index: &TreeIndex<'_>) -> HashSet<String> {
    let mut words = HashSet::new();
    let before = index.named_before(node);
    for attribute in before.take_while(|before| before.kind() == "attribute_item") {
        let attribute_text = text_of(attribute, text);
        let parts =
            attribute_text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        words.extend(parts.filter(|part| !part.is_empty()).map(str::to_owned));
    }
    words
}

/// The text between the quotes.
fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}
