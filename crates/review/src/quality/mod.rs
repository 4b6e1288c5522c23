//! Code review: mistakes that compile.
//!
//! A check is code, its rule a file below `rules/quality/` (or `rules/logging/`,
//! where it is about security) that names the check and holds severity, texts
//! and examples. All checks share one walk over the tree, and each is asked only
//! about the kinds of nodes it knows.

mod awaited;
mod blocking;
mod bounds;
mod compared;
mod complexity;
mod defaults;
mod documented;
mod dropped;
mod ignored;
mod leaks;
mod leftovers;
mod logged;
mod polluting;
mod queries;
mod regexes;
mod stored;
mod swallowed;
mod unreachable;
mod untested;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use tree_sitter::Node;

use crate::budget::Budget;
use crate::engine::is_test_path;
use crate::language::Language;
use crate::report::Reporter;
use crate::rules::{Rule, RuleSet};
use crate::source::Source;
use crate::syntax::is_inline_test;
use crate::tree_index::TreeIndex;

pub(crate) use untested::{UNTESTED, untested};

/// What a check sees besides the node.
struct Context<'s> {
    text: &'s str,
    path: &'s str,
    language: Language,
    source: &'s Source<'s>,
    index: &'s TreeIndex<'s>,
    budget: &'s Budget,
    /// The file before the change.
    before: Option<&'s str>,
    /// Names of functions of this file that are asynchronous.
    asynchronous: OnceCell<HashSet<String>>,
    /// Whether this file explains its public items.
    has_habit: OnceCell<bool>,
    /// What is known of merging functions: by their start, key and target.
    merges: RefCell<HashMap<(usize, &'s str, &'s str), bool>>,
    /// A running count of what makes functions hard to follow.
    branches: OnceCell<Vec<u32>>,
    /// The same of each function before the change, by its name.
    branches_before: OnceCell<HashMap<String, usize>>,
    /// How many bytes of regular expressions may still be judged in this file.
    expressions_left: Cell<usize>,
}

impl Context<'_> {
    /// Tests in the same file as the code they test.
    fn is_inline_test(&self, node: Node<'_>) -> bool {
        self.language == Language::Rust && is_inline_test(node, self.text, self.index)
    }
}

/// A place in question.
type Place = Range<usize>;

/// A check: the name its rule uses, the nodes it applies to, what it finds in one.
struct Check {
    name: &'static str,
    kinds: &'static [&'static str],
    look: fn(Node<'_>, &Context<'_>) -> Option<Place>,
}

const CHECKS: [Check; 22] = [
    awaited::CHECK,
    blocking::CHECK,
    bounds::CHECK,
    compared::CHECK,
    compared::IDENTITY,
    complexity::CHECK,
    defaults::CHECK,
    documented::CHECK,
    dropped::CHECK,
    dropped::ON_PURPOSE,
    ignored::CHECK,
    leaks::CHECK,
    leftovers::DEBUGGING,
    leftovers::BARE_TODO,
    logged::CHECK,
    polluting::CHECK,
    queries::CHECK,
    regexes::CHECK,
    regexes::HTML_FILTER,
    stored::CHECK,
    swallowed::CHECK,
    swallowed::ON_PURPOSE,
];

/// Its findings are of blocks, and there may be several in one.
const UNREACHABLE: Check = unreachable::CHECK;

/// Reports what all `check` rules for the file's language find.
pub(crate) fn find(
    source: &Source<'_>,
    index: &TreeIndex<'_>,
    before: Option<&str>,
    reporter: &mut Reporter<'_, '_>,
) {
    let table = Table::for_language(source.language);
    let context = Context {
        text: source.text.text,
        path: source.text.path,
        language: source.language,
        source,
        index,
        budget: source.budget,
        before,
        asynchronous: OnceCell::new(),
        has_habit: OnceCell::new(),
        merges: RefCell::default(),
        branches: OnceCell::new(),
        branches_before: OnceCell::new(),
        expressions_left: Cell::new(regexes::MAX_REGEX_BYTES),
    };
    // Tests, benchmarks and examples are not what users depend on.
    let aside = is_test_path(context.path)
        || context.path.split('/').any(|part| {
            matches!(
                part,
                "bench" | "benches" | "benchmarks" | "examples" | "scripts" | "docs"
            )
        });
    let mut cursor = source.tree.walk();
    loop {
        let node = cursor.node();
        if !source.budget.spend(1) {
            return;
        }
        for (check, rule) in table.checks(node.kind_id()) {
            if let Some(place) = (check.look)(node, &context) {
                let severity = if aside || context.is_inline_test(node) {
                    rule.severity.lowered()
                } else {
                    rule.severity
                };
                reporter.pattern(rule, severity, place);
            }
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// For each kind of node of a grammar, the checks to ask.
struct Table {
    by_kind: Vec<Vec<usize>>,
    checks: Vec<(Check, &'static Rule)>,
}

impl Table {
    fn for_language(language: Language) -> &'static Self {
        static ALL: [OnceLock<Table>; 8] = [const { OnceLock::new() }; 8];
        ALL[language as usize].get_or_init(|| Self::new(language))
    }

    fn new(language: Language) -> Self {
        let rules = &RuleSet::for_language(language).rules;
        let rule_of = |check: &Check| {
            rules
                .iter()
                .find(|rule| rule.file.check.as_deref() == Some(check.name))
        };
        let checks: Vec<(Check, &Rule)> = CHECKS
            .into_iter()
            .chain([UNREACHABLE])
            .filter_map(|check| {
                let rule = rule_of(&check)?;
                Some((check, rule))
            })
            .collect();
        let grammar = language.grammar();
        let by_kind = (0..grammar.node_kind_count())
            .map(|id| {
                let id = u16::try_from(id).unwrap_or(u16::MAX);
                let kind = grammar.node_kind_for_id(id).unwrap_or("");
                let named = grammar.node_kind_is_named(id);
                (0..checks.len())
                    .filter(|index| named && checks[*index].0.kinds.contains(&kind))
                    .collect()
            })
            .collect();
        Self { by_kind, checks }
    }

    fn checks(&self, kind: u16) -> impl Iterator<Item = (&Check, &'static Rule)> {
        let indices = self
            .by_kind
            .get(usize::from(kind))
            .map_or(&[][..], Vec::as_slice);
        indices.iter().map(|index| {
            let (check, rule) = &self.checks[*index];
            (check, *rule)
        })
    }
}
