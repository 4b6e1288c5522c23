//! The automaton of an expression: each place of a character in it is a state,
//! and a state is entered by reading that character.

use super::parse::Tree;
use super::set::Set;

/// Expressions with more places are not judged.
const MAX_PLACES: usize = 180;

/// Parts that are written out, with those that hold no character: repeated groups
/// inside each other multiply.
const MAX_PARTS: usize = 4_000;

/// Repetitions up to this often are written out; more often is without end.
const MAX_COPIES: u32 = 10;

pub(super) struct Automaton {
    /// What is read on entering each state.
    pub(super) read: Vec<Set>,
    /// Where each state leads, and whether in more than one way.
    pub(super) next: Vec<Vec<(usize, bool)>>,
    /// After these the whole expression has matched.
    pub(super) accepts: Vec<bool>,
    /// How many parts were written out so far.
    parts: usize,
}

impl Automaton {
    pub(super) fn new(tree: &Tree, whole: bool) -> Option<Self> {
        let mut automaton = Self {
            read: Vec::new(),
            next: Vec::new(),
            accepts: Vec::new(),
            parts: 0,
        };
        let mut part = automaton.add(tree)?;
        if whole {
            let end = automaton.add(&Tree::One(Set::end()))?;
            part = automaton.join(part, end);
        }
        automaton.accepts = vec![false; automaton.read.len()];
        for last in part.last {
            automaton.accepts[last] = true;
        }
        Some(automaton)
    }

    fn add(&mut self, tree: &Tree) -> Option<Part> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return None;
        }
        match tree {
            Tree::Empty => Some(Part::empty()),
            Tree::One(set) => {
                let place = self.read.len();
                if place >= MAX_PLACES {
                    return None;
                }
                self.read.push(*set);
                self.next.push(Vec::new());
                Some(Part {
                    first: vec![place],
                    last: vec![place],
                    can_be_empty: false,
                })
            }
            Tree::Sequence(parts) => {
                let mut whole = Part::empty();
                for part in parts {
                    let part = self.add(part)?;
                    whole = self.join(whole, part);
                }
                Some(whole)
            }
            Tree::Choice(ways) => {
                let mut whole = Part {
                    can_be_empty: false,
                    ..Part::empty()
                };
                for way in ways {
                    let way = self.add(way)?;
                    whole.first.extend(way.first);
                    whole.last.extend(way.last);
                    whole.can_be_empty |= way.can_be_empty;
                }
                Some(whole)
            }
            Tree::Repeat(inner, least, most) => self.repeat(inner, *least, *most),
        }
    }

    fn repeat(&mut self, inner: &Tree, least: u32, most: Option<u32>) -> Option<Part> {
        let most = most.filter(|most| *most <= MAX_COPIES);
        let least = least.min(most.unwrap_or(3));
        let mut whole = Part::empty();
        // `a+` is one place that leads to itself, not two.
        let copies = if most.is_none() {
            least.saturating_sub(1)
        } else {
            least
        };
        for _ in 0..copies {
            let copy = self.add(inner)?;
            whole = self.join(whole, copy);
        }
        match most {
            None => {
                let mut turn = self.add(inner)?;
                for last in &turn.last {
                    for first in &turn.first {
                        self.lead(*last, *first);
                    }
                }
                turn.can_be_empty |= least == 0;
                whole = self.join(whole, turn);
            }
            Some(most) => {
                for _ in least..most {
                    let mut copy = self.add(inner)?;
                    copy.can_be_empty = true;
                    whole = self.join(whole, copy);
                }
            }
        }
        Some(whole)
    }

    fn join(&mut self, before: Part, after: Part) -> Part {
        for last in &before.last {
            for first in &after.first {
                self.lead(*last, *first);
            }
        }
        let mut first = before.first;
        if before.can_be_empty {
            first.extend(&after.first);
        }
        let mut last = after.last;
        if after.can_be_empty {
            last.extend(&before.last);
        }
        Part {
            first,
            last,
            can_be_empty: before.can_be_empty && after.can_be_empty,
        }
    }

    fn lead(&mut self, from: usize, to: usize) {
        match self.next[from].iter_mut().find(|(known, _)| *known == to) {
            Some((_, twice)) => *twice = true,
            None => self.next[from].push((to, false)),
        }
    }
}

/// A part of the expression: the places it may begin and end with.
struct Part {
    first: Vec<usize>,
    last: Vec<usize>,
    can_be_empty: bool,
}

impl Part {
    fn empty() -> Self {
        Self {
            first: Vec::new(),
            last: Vec::new(),
            can_be_empty: true,
        }
    }
}
