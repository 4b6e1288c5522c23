//! Looks for two ways over the same text, and for a text that fails after it.

use std::collections::{HashMap, VecDeque};

use super::automaton::Automaton;
use super::set::{END_OF_TEXT, symbols};

/// Steps that the search may take; what is not found by then is ignored.
const MAX_STEPS: usize = 100_000;

/// The text is repeated this often to see where it leads.
const TURNS: usize = 4;

pub(super) fn can_hang(automaton: &Automaton) -> bool {
    let mut steps = 0;
    let mut seen = vec![false; automaton.read.len()];
    let back = leading_here(automaton);
    for state in 0..automaton.read.len() {
        if seen[state] {
            continue;
        }
        let circle = circle(automaton, &back, state);
        for member in &circle {
            seen[*member] = true;
        }
        if circle.is_empty() {
            continue;
        }
        let search = Search::new(automaton, &circle);
        if let Some((at, text)) = search.repeated_text(&mut steps)
            && can_fail(automaton, at, &text)
        {
            return true;
        }
        if steps > MAX_STEPS {
            return false;
        }
    }
    false
}

/// For each state, those that lead to it.
fn leading_here(automaton: &Automaton) -> Vec<Vec<usize>> {
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); automaton.read.len()];
    for (from, next) in automaton.next.iter().enumerate() {
        for (to, _) in next {
            back[*to].push(from);
        }
    }
    back
}

/// The states that a state leads to and that lead back to it.
fn circle(automaton: &Automaton, back: &[Vec<usize>], state: usize) -> Vec<usize> {
    let count = automaton.read.len();
    let ahead = reach(count, state, |at| {
        automaton.next[at].iter().map(|(to, _)| *to).collect()
    });
    let behind = reach(count, state, |at| back[at].clone());
    (0..count)
        .filter(|other| ahead[*other] && behind[*other])
        .collect()
}

/// What is reached in at least one step.
fn reach(count: usize, start: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<bool> {
    let mut reached = vec![false; count];
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        for to in next(at) {
            if !std::mem::replace(&mut reached[to], true) {
                open.push(to);
            }
        }
    }
    reached
}

type Pair = (usize, usize);

/// Two readers that start from one state and read the same text.
struct Search<'a> {
    automaton: &'a Automaton,
    inside: Vec<bool>,
    start: usize,
}

impl<'a> Search<'a> {
    fn new(automaton: &'a Automaton, circle: &[usize]) -> Self {
        let mut inside = vec![false; automaton.read.len()];
        for state in circle {
            inside[*state] = true;
        }
        Self {
            automaton,
            inside,
            start: circle[0],
        }
    }

    /// Where two readers part and meet again, and the text they read from there
    /// to there.
    fn repeated_text(&self, steps: &mut usize) -> Option<(usize, Vec<usize>)> {
        let start = (self.start, self.start);
        let mut before: HashMap<Pair, Pair> = HashMap::new();
        let mut back: HashMap<Pair, Vec<Pair>> = HashMap::new();
        let mut doubled = None;
        let mut parted = Vec::new();
        let mut open = VecDeque::from([start]);
        while let Some(pair) = open.pop_front() {
            for (next, is_doubled) in self.steps_from(pair) {
                *steps += 1;
                if *steps > MAX_STEPS {
                    return None;
                }
                back.entry(next).or_default().push(pair);
                if is_doubled && doubled.is_none() {
                    doubled = Some((pair, next));
                }
                if next != start && !before.contains_key(&next) {
                    before.insert(next, pair);
                    if next.0 != next.1 {
                        parted.push(next);
                    }
                    open.push_back(next);
                }
            }
        }
        let home = ways_home(start, &back);
        if let Some((from, to)) = doubled {
            // Both ends are on one cycle, so there is a way back.
            let mut pairs = way_to(from, start, &before);
            pairs.push(to);
            pairs.extend(way_home(to, start, &home)?);
            return Some((self.start, self.text(&pairs)?));
        }
        let middle = parted.into_iter().find(|pair| home.contains_key(pair))?;
        let mut pairs = way_to(middle, start, &before);
        pairs.extend(way_home(middle, start, &home)?);
        Some((self.start, self.text(&pairs)?))
    }

    fn steps_from(&self, (one, two): Pair) -> Vec<(Pair, bool)> {
        let automaton = self.automaton;
        let mut steps = Vec::new();
        for (a, a_doubled) in &automaton.next[one] {
            for (b, _) in &automaton.next[two] {
                let stays = self.inside[*a] && self.inside[*b];
                if stays && !automaton.read[*a].shared(automaton.read[*b]).is_empty() {
                    let is_doubled = one == two && a == b && *a_doubled;
                    steps.push(((*a.min(b), *a.max(b)), is_doubled));
                }
            }
        }
        steps
    }

    /// A text that leads through these pairs.
    fn text(&self, pairs: &[Pair]) -> Option<Vec<usize>> {
        pairs
            .iter()
            .map(|(a, b)| {
                self.automaton.read[*a]
                    .shared(self.automaton.read[*b])
                    .any()
            })
            .collect()
    }
}

/// For each pair from which the start is reached, the next one on the way.
fn ways_home(start: Pair, back: &HashMap<Pair, Vec<Pair>>) -> HashMap<Pair, Pair> {
    let mut home = HashMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(pair) = open.pop_front() {
        for from in back.get(&pair).into_iter().flatten() {
            if *from != start && !home.contains_key(from) {
                home.insert(*from, pair);
                open.push_back(*from);
            }
        }
    }
    home
}

/// The pairs after the start up to this one.
fn way_to(pair: Pair, start: Pair, before: &HashMap<Pair, Pair>) -> Vec<Pair> {
    let mut way = Vec::new();
    let mut at = pair;
    while at != start {
        way.push(at);
        match before.get(&at) {
            Some(previous) => at = *previous,
            None => break,
        }
    }
    way.reverse();
    way
}

/// The pairs after this one up to the start.
fn way_home(pair: Pair, start: Pair, home: &HashMap<Pair, Pair>) -> Option<Vec<Pair>> {
    let mut way = Vec::new();
    let mut at = pair;
    while at != start {
        at = *home.get(&at)?;
        way.push(at);
    }
    Some(way)
}

/// Whether the text, repeated, can be followed by something that no way takes.
fn can_fail(automaton: &Automaton, state: usize, text: &[usize]) -> bool {
    let mut states = vec![state];
    if automaton.accepts[state] {
        return false;
    }
    for _ in 0..TURNS {
        for symbol in text {
            states = after(automaton, &states, *symbol);
            if states.iter().any(|state| automaton.accepts[*state]) {
                return false;
            }
        }
    }
    let refused = |states: &[usize]| !states.iter().any(|state| automaton.accepts[*state]);
    symbols().any(|symbol| {
        let then = after(automaton, &states, symbol);
        let end = after(automaton, &then, END_OF_TEXT);
        refused(&then) && refused(&end)
    })
}

fn after(automaton: &Automaton, states: &[usize], symbol: usize) -> Vec<usize> {
    let mut next: Vec<usize> = states
        .iter()
        .flat_map(|state| &automaton.next[*state])
        .map(|(to, _)| *to)
        .filter(|to| automaton.read[*to].has(symbol))
        .collect();
    next.sort_unstable();
    next.dedup();
    next
}
