//! Parents and siblings of nodes without a search.
//!
//! tree-sitter looks for the parent of a node, and for its siblings, from the root down. Each
//! answer costs as much as the node is deep and its ancestors are wide, which makes a walk that
//! asks at every node quadratic.

use std::collections::HashMap;

use tree_sitter::{Node, Tree};

use crate::budget::Budget;
use crate::syntax::is_function;

/// Deeper ancestors are not asked for.
const MAX_ANCESTORS: usize = 200;

/// Means that there is no node.
const NONE: u32 = u32::MAX;

/// The nodes of a tree, numbered in the order of the text.
pub(crate) struct TreeIndex<'t> {
    budget: &'t Budget,
    entries: Vec<Entry<'t>>,
    numbers: HashMap<usize, u32>,
}

struct Entry<'t> {
    node: Node<'t>,
    parent: u32,
    previous: u32,
    next: u32,
    /// One past the number of the last node below this one.
    end: u32,
}

impl<'t> TreeIndex<'t> {
    pub(crate) fn new(tree: &'t Tree, budget: &'t Budget) -> Self {
        let mut index = Self {
            budget,
            entries: Vec::new(),
            numbers: HashMap::new(),
        };
        index.fill(tree);
        index
    }

    pub(crate) fn parent(&self, node: Node<'_>) -> Option<Node<'t>> {
        self.node(self.entry(node)?.parent)
    }

    /// The ancestors from the parent outwards.
    pub(crate) fn ancestors(&self, node: Node<'_>) -> impl Iterator<Item = Node<'t>> {
        std::iter::successors(self.parent(node), |around| self.parent(*around))
            .take(MAX_ANCESTORS)
            .take_while(|_| self.budget.spend(1))
    }

    /// The innermost function around a node.
    pub(crate) fn function_around(&self, node: Node<'_>) -> Option<Node<'t>> {
        self.ancestors(node)
            .find(|around| is_function(around.kind()))
    }

    pub(crate) fn next_sibling(&self, node: Node<'_>) -> Option<Node<'t>> {
        self.node(self.entry(node)?.next)
    }

    pub(crate) fn previous_sibling(&self, node: Node<'_>) -> Option<Node<'t>> {
        self.node(self.entry(node)?.previous)
    }

    /// The named siblings before a node, nearest first.
    pub(crate) fn named_before(&self, node: Node<'_>) -> impl Iterator<Item = Node<'t>> {
        std::iter::successors(self.previous_sibling(node), |sibling| {
            self.previous_sibling(*sibling)
        })
        .take_while(|_| self.budget.spend(1))
        .filter(Node::is_named)
    }

    /// For each node in the order of the text, how many before it are counted, so that the
    /// count below any node is a difference.
    pub(crate) fn running_count(&self, counts: impl Fn(Node<'t>) -> bool) -> Vec<u32> {
        let mut running = vec![0];
        let mut total = 0;
        for entry in &self.entries {
            total += u32::from(counts(entry.node));
            running.push(total);
        }
        running
    }

    /// How many of a running count are the node or below it.
    pub(crate) fn count_below(&self, node: Node<'_>, running: &[u32]) -> usize {
        let Some(&number) = self.numbers.get(&node.id()) else {
            return 0;
        };
        let end = self.entries[number as usize].end;
        (running[end as usize] - running[number as usize]) as usize
    }

    fn node(&self, number: u32) -> Option<Node<'t>> {
        let entry = self.entries.get(number as usize)?;
        Some(entry.node)
    }

    fn entry(&self, node: Node<'_>) -> Option<&Entry<'t>> {
        let number = self.numbers.get(&node.id())?;
        self.entries.get(*number as usize)
    }

    fn fill(&mut self, tree: &'t Tree) {
        let mut cursor = tree.walk();
        let mut open: Vec<u32> = Vec::new();
        let mut previous = NONE;
        loop {
            let parent = open.last().copied().unwrap_or(NONE);
            let number = self.push(cursor.node(), parent, previous);
            // What is open when the budget ends has its end where the table has.
            if !self.budget.spend(1) {
                break;
            }
            if cursor.goto_first_child() {
                open.push(number);
                previous = NONE;
                continue;
            }
            previous = number;
            while !cursor.goto_next_sibling() {
                let Some(done) = open.pop().filter(|_| cursor.goto_parent()) else {
                    return;
                };
                self.close(done);
                previous = done;
            }
        }
        for unfinished in open {
            self.close(unfinished);
        }
    }

    fn push(&mut self, node: Node<'t>, parent: u32, previous: u32) -> u32 {
        let number = u32::try_from(self.entries.len()).unwrap_or(NONE);
        if let Some(before) = self.entries.get_mut(previous as usize) {
            before.next = number;
        }
        self.numbers.insert(node.id(), number);
        self.entries.push(Entry {
            node,
            parent,
            previous,
            next: NONE,
            end: number + 1,
        });
        number
    }

    fn close(&mut self, number: u32) {
        self.entries[number as usize].end = u32::try_from(self.entries.len()).unwrap_or(NONE);
    }
}

#[cfg(test)]
mod tests {
    use super::TreeIndex;
    use crate::budget::Budget;
    use crate::language::Language;
    use crate::syntax::descendants;

    /// The index gives the same answers as the searches it replaces.
    #[test]
    fn answers_like_tree_sitter() {
        let code = "// a\n#[test]\nfn f(a: T) -> u8 { if a.b(1) { g::<T>(|x| x + 1) } else { 2 } }\nmod m {}";
        let budget = Budget::unlimited();
        let tree = Language::Rust
            .parser()
            .parse(code, None)
            .expect("it parses");
        let index = TreeIndex::new(&tree, &budget);
        for node in descendants(tree.root_node(), &budget) {
            assert_eq!(index.parent(node), node.parent());
            assert_eq!(index.previous_sibling(node), node.prev_sibling());
            assert_eq!(index.next_sibling(node), node.next_sibling());
            assert_eq!(index.named_before(node).next(), node.prev_named_sibling());
            let all = index.running_count(|_| true);
            let below = descendants(node, &budget).count();
            assert_eq!(index.count_below(node, &all), below);
        }
    }
}
