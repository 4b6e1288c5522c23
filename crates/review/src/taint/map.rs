//! A map that is copied in constant time, and joined in the time of what differs.
//!
//! What is known of the variables is copied wherever ways part. With a hash map that costs as
//! much as there are variables, and a function of many branches is quadratic.

use std::rc::Rc;

/// Keys by the bits of their hash, lowest first. Copies share all that is the same.
#[derive(Debug, Clone)]
pub(super) struct Map<'s, V>(Tree<'s, V>);

type Tree<'s, V> = Option<Rc<Node<'s, V>>>;

#[derive(Debug, Clone)]
enum Node<'s, V> {
    /// The hash, and more than one key only if they share it.
    Leaf(u64, Vec<(&'s str, V)>),
    Branch([Tree<'s, V>; 2]),
}

impl<V> Default for Map<'_, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'s, V: Clone> Map<'s, V> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn get(&self, key: &str) -> Option<&V> {
        let mut bits = hash(key);
        let mut at = self.0.as_deref();
        loop {
            match at? {
                Node::Branch(sides) => {
                    at = sides[side(bits, 0)].as_deref();
                    bits >>= 1;
                }
                Node::Leaf(_, pairs) => {
                    let pair = pairs.iter().find(|(known, _)| *known == key);
                    return pair.map(|(_, value)| value);
                }
            }
        }
    }

    pub(super) fn insert(&mut self, key: &'s str, value: V) {
        insert(&mut self.0, 0, hash(key), key, value);
    }

    /// What either has; where both have another value, `join` decides.
    pub(super) fn join(self, other: Self, join: &mut impl FnMut(&V, &V) -> V) -> Self {
        Self(merge(
            self.0,
            other.0,
            0,
            &mut |mine, theirs| {
                let mut joined = mine.to_vec();
                for (key, theirs) in theirs {
                    match joined.iter_mut().find(|(known, _)| known == key) {
                        Some((_, mine)) => *mine = join(mine, theirs),
                        None => joined.push((key, theirs.clone())),
                    }
                }
                joined
            },
            Alone::Either,
        ))
    }

    /// The keys of this one, joined with the values that another has for them.
    pub(super) fn join_known(self, other: Self, join: &mut impl FnMut(&V, &V) -> V) -> Self {
        Self(merge(
            self.0,
            other.0,
            0,
            &mut |mine, theirs| {
                let joined = mine.iter().map(|(key, mine)| {
                    let other = theirs.iter().find(|(known, _)| known == key);
                    let value =
                        other.map_or_else(|| mine.clone(), |(_, theirs)| join(mine, theirs));
                    (*key, value)
                });
                joined.collect()
            },
            Alone::Mine,
        ))
    }

    /// What both have, where `keep` agrees.
    pub(super) fn common(self, other: Self, keep: impl Fn(&V, &V) -> bool) -> Self {
        let both = |mine: &[(&'s str, V)], theirs: &[(&'s str, V)]| {
            let is_common = |(key, mine): &&(&'s str, V)| {
                let other = theirs.iter().find(|(known, _)| known == key);
                other.is_some_and(|(_, theirs)| keep(mine, theirs))
            };
            mine.iter().filter(is_common).cloned().collect()
        };
        Self(merge(self.0, other.0, 0, &mut { both }, Alone::Neither))
    }

    /// Replaces all values.
    pub(super) fn change_all(&mut self, change: &mut impl FnMut(&mut V)) {
        change_all(&mut self.0, change);
    }
}

fn change_all<V: Clone>(tree: &mut Tree<'_, V>, change: &mut impl FnMut(&mut V)) {
    match tree.as_mut().map(Rc::make_mut) {
        Some(Node::Leaf(_, pairs)) => pairs.iter_mut().for_each(|(_, value)| change(value)),
        Some(Node::Branch(sides)) => sides.iter_mut().for_each(|side| change_all(side, change)),
        None => {}
    }
}

fn insert<'s, V: Clone>(tree: &mut Tree<'s, V>, depth: u32, hash: u64, key: &'s str, value: V) {
    // Before anything is copied: the other leaf stays the same.
    if matches!(tree.as_deref(), Some(Node::Leaf(known, _)) if *known != hash) {
        *tree = Some(Rc::new(Node::Branch(split(tree.take(), depth))));
    }
    match tree.as_mut().map(Rc::make_mut) {
        None => *tree = Some(Rc::new(Node::Leaf(hash, vec![(key, value)]))),
        Some(Node::Leaf(_, pairs)) => match pairs.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = value,
            None => pairs.push((key, value)),
        },
        Some(Node::Branch(sides)) => {
            insert(&mut sides[side(hash, depth)], depth + 1, hash, key, value);
        }
    }
}

/// How keys that only one of two maps has are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alone {
    Either,
    Mine,
    Neither,
}

/// Both trees at the same depth.
fn merge<'s, V: Clone>(
    mine: Tree<'s, V>,
    theirs: Tree<'s, V>,
    depth: u32,
    both: &mut impl FnMut(&[(&'s str, V)], &[(&'s str, V)]) -> Vec<(&'s str, V)>,
    alone: Alone,
) -> Tree<'s, V> {
    let (one, other) = match (&mine, &theirs) {
        (None, _) => return theirs.filter(|_| alone == Alone::Either),
        (_, None) => return mine.filter(|_| alone != Alone::Neither),
        (Some(one), Some(other)) => (one, other),
    };
    if Rc::ptr_eq(one, other) {
        return mine;
    }
    if let (Node::Leaf(one, mine), Node::Leaf(other, theirs)) = (&**one, &**other)
        && one == other
    {
        let pairs = both(mine, theirs);
        return (!pairs.is_empty()).then(|| Rc::new(Node::Leaf(*one, pairs)));
    }
    let [mine_left, mine_right] = split(mine, depth);
    let [left, right] = split(theirs, depth);
    let left = merge(mine_left, left, depth + 1, both, alone);
    let right = merge(mine_right, right, depth + 1, both, alone);
    (left.is_some() || right.is_some()).then(|| Rc::new(Node::Branch([left, right])))
}

/// The two sides of a tree at a depth.
fn split<V: Clone>(tree: Tree<'_, V>, depth: u32) -> [Tree<'_, V>; 2] {
    match tree.as_deref() {
        Some(Node::Branch(sides)) => sides.clone(),
        Some(Node::Leaf(hash, _)) => match side(*hash, depth) {
            0 => [tree, None],
            _ => [None, tree],
        },
        None => [None, None],
    }
}

fn side(hash: u64, depth: u32) -> usize {
    usize::from(hash >> depth & 1 == 1)
}

/// FNV-1a, with its high bits mixed into the low ones that are used first.
fn hash(key: &str) -> u64 {
    let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::Map;

    fn map(pairs: &[(&'static str, i32)]) -> Map<'static, i32> {
        let mut map = Map::default();
        for (key, value) in pairs {
            map.insert(key, *value);
        }
        map
    }

    #[test]
    fn a_copy_is_not_changed() {
        let names: Vec<String> = (0..500).map(|number| format!("x{number}")).collect();
        let mut map = Map::default();
        let mut known = HashMap::new();
        for (number, name) in names.iter().enumerate() {
            let before = map.clone();
            map.insert(name, number);
            known.insert(name.as_str(), number);
            assert_eq!(before.get(name), None);
        }
        assert!(
            names
                .iter()
                .all(|name| map.get(name) == known.get(name.as_str()))
        );
    }

    #[test]
    fn a_join_asks_only_where_both_differ() {
        let all = map(&[("a", 1), ("b", 2), ("c", 3)]);
        let (mut one, mut other) = (all.clone(), all);
        one.insert("a", 10);
        other.insert("a", 20);
        other.insert("d", 4);
        let mut asked = Vec::new();
        let joined = one.join(other, &mut |mine, theirs| {
            asked.push((*mine, *theirs));
            mine + theirs
        });
        assert_eq!((joined.get("a"), joined.get("d")), (Some(&30), Some(&4)));
        assert_eq!((joined.get("b"), joined.get("e")), (Some(&2), None));
        assert_eq!(
            asked.iter().filter(|(mine, theirs)| mine != theirs).count(),
            1
        );
    }

    #[test]
    fn what_is_common_is_in_both() {
        let one = map(&[("a", 1), ("b", 2), ("c", 3)]);
        let other = map(&[("b", 2), ("c", 4), ("d", 5)]);
        let common = one.common(other, |mine, theirs| mine == theirs);
        assert_eq!((common.get("a"), common.get("b")), (None, Some(&2)));
        assert_eq!((common.get("c"), common.get("d")), (None, None));
    }
}
