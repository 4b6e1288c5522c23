//! Which pull requests stand on which.

use std::collections::{BTreeMap, BTreeSet};

use baton_remote::github::NodeId;
use baton_remote::github::enums::PullState;
use baton_remote::github::questions::open_pulls::OpenPull;
use baton_remote::github::resources::stacks::StackedPull;

/// A pull request as one of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Member {
    pub(in super::super) number: u32,
    /// Unknown of those that only the forge's own stack names.
    pub(in super::super) id: Option<NodeId>,
    pub(in super::super) title: String,
    pub(in super::super) standing: Standing,
    pub(in super::super) head_branch: String,
    pub(in super::super) head: String,
    /// Unknown of those that only the forge's own stack names.
    pub(in super::super) base_branch: Option<String>,
    /// The repository of its head; absent when that is gone.
    pub(in super::super) head_repository: Option<String>,
    /// Its head is no branch of the repository that it goes to.
    pub(in super::super) is_fork: bool,
    pub(in super::super) maintainer_can_modify: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Standing {
    Open,
    Draft,
    Merged,
    Closed,
}

impl Standing {
    pub(in super::super) fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::Draft)
    }

    pub(in super::super) fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Draft => "draft",
            Self::Merged => "merged",
            Self::Closed => "closed",
        }
    }
}

impl From<&OpenPull> for Member {
    fn from(pull: &OpenPull) -> Self {
        let standing = match (&pull.state, pull.is_draft) {
            (PullState::Merged, _) => Standing::Merged,
            (PullState::Open, false) => Standing::Open,
            (PullState::Open, true) => Standing::Draft,
            _ => Standing::Closed,
        };
        Self {
            number: pull.number,
            id: Some(pull.id.clone()),
            title: pull.title.clone(),
            standing,
            head_branch: pull.head_ref_name.clone(),
            head: pull.head_ref_oid.as_str().to_owned(),
            base_branch: Some(pull.base_ref_name.clone()),
            head_repository: pull
                .head_repository
                .as_ref()
                .map(|repository| repository.full_name.clone()),
            is_fork: pull.is_cross_repository,
            maintainer_can_modify: pull.maintainer_can_modify,
        }
    }
}

impl From<&StackedPull> for Member {
    fn from(pull: &StackedPull) -> Self {
        let standing = match (&pull.state, pull.merged_at, pull.draft) {
            (PullState::Merged, _, _) | (_, Some(_), _) => Standing::Merged,
            (PullState::Open, None, false) => Standing::Open,
            (PullState::Open, None, true) => Standing::Draft,
            _ => Standing::Closed,
        };
        Self {
            number: pull.number,
            id: None,
            title: String::new(),
            standing,
            head_branch: pull.head.branch.clone(),
            head: pull.head.sha.as_str().to_owned(),
            base_branch: None,
            head_repository: None,
            is_fork: false,
            maintainer_can_modify: false,
        }
    }
}

/// All pull requests that are known, and what each stands on.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Stack {
    members: BTreeMap<u32, Member>,
    /// From the upper one to the lower one.
    below: BTreeMap<u32, u32>,
    /// The one that is asked about.
    dependent: u32,
}

impl Stack {
    /// `pair` is the base and the dependent one, whatever became of them;
    /// `native` is the forge's own stack, from the bottom up.
    pub(in super::super) fn discover(
        pair: [Member; 2],
        open: impl IntoIterator<Item = Member>,
        native: &[Member],
    ) -> Self {
        let (preferred, dependent) = (pair[0].number, pair[1].number);
        let mut members: BTreeMap<u32, Member> = BTreeMap::new();
        for member in pair.into_iter().chain(open).chain(native.iter().cloned()) {
            members.entry(member.number).or_insert(member);
        }
        let mut below = BTreeMap::new();
        for upper in members.values() {
            let is_lower = |lower: &&Member| {
                lower.number != upper.number
                    && !lower.is_fork
                    && upper.base_branch.as_ref() == Some(&lower.head_branch)
                    && (lower.standing.is_open() || lower.number == preferred)
            };
            // Several may have the same head and go to different branches.
            let lower = members
                .values()
                .filter(is_lower)
                .min_by_key(|lower| (lower.number != preferred, lower.number));
            if let Some(lower) = lower {
                below.insert(upper.number, lower.number);
            }
        }
        for pair in native.windows(2) {
            below.insert(pair[1].number, pair[0].number);
        }
        Self {
            members,
            below,
            dependent,
        }
    }

    pub(in super::super) fn member(&self, number: u32) -> Option<&Member> {
        self.members.get(&number)
    }

    /// For a stack that only the commits show.
    pub(in super::super) fn put_on(&mut self, upper: u32, lower: u32) {
        self.below.insert(upper, lower);
    }

    pub(in super::super) fn below(&self, upper: u32) -> Option<&Member> {
        self.members.get(self.below.get(&upper)?)
    }

    /// Those that stand directly on it and are not done with, by number. Anyone can open a pull request
    /// from a fork onto a branch, and its author keeps it up to date, so that others do not wait for it.
    pub(in super::super) fn above(&self, lower: u32) -> Vec<&Member> {
        let on_it = self.below.iter().filter(|(_, of)| **of == lower);
        on_it
            .filter_map(|(upper, _)| self.members.get(upper))
            .filter(|member| member.standing.is_open())
            .filter(|member| !member.is_fork || member.number == self.dependent)
            .collect()
    }

    /// The way from `lower` up to `upper`: all that come after `lower`. `None`
    /// where there is none.
    pub(in super::super) fn way_up(&self, lower: u32, upper: u32) -> Option<Vec<u32>> {
        let mut way = vec![upper];
        let mut seen = BTreeSet::from([upper]);
        let mut current = upper;
        loop {
            let next = *self.below.get(&current)?;
            if next == lower {
                way.reverse();
                return Some(way);
            }
            // Two that go to each other's branches stand on nothing.
            if !seen.insert(next) {
                return None;
            }
            way.push(next);
            current = next;
        }
    }

    /// It and all that stand on it, each behind the one that it stands on.
    pub(in super::super) fn upwards_of(&self, lowest: u32) -> Vec<u32> {
        let mut found = vec![lowest];
        let mut next = 0;
        while let Some(&number) = found.get(next) {
            for upper in self.above(number) {
                if !found.contains(&upper.number) {
                    found.push(upper.number);
                }
            }
            next += 1;
        }
        found
    }

    /// The lowest one of the stack that this one is in.
    pub(in super::super) fn lowest(&self, number: u32) -> u32 {
        let mut seen = BTreeSet::from([number]);
        let mut current = number;
        while let Some(&next) = self.below.get(&current) {
            if !seen.insert(next) {
                break;
            }
            current = next;
        }
        current
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn member(number: u32, head: &str, base: &str) -> Member {
        Member {
            number,
            id: None,
            title: format!("Change {number}"),
            standing: Standing::Open,
            head_branch: head.to_owned(),
            head: format!("{number:040x}"),
            base_branch: Some(base.to_owned()),
            head_repository: Some("octo/demo".to_owned()),
            is_fork: false,
            maintainer_can_modify: false,
        }
    }

    #[test]
    fn a_stack_is_found_by_its_branches() {
        let pair = [member(1, "a", "main"), member(3, "c", "b")];
        let open = [
            member(2, "b", "a"),
            member(4, "d", "c"),
            member(9, "x", "main"),
        ];
        let stack = Stack::discover(pair, open, &[]);
        assert_eq!(stack.way_up(1, 3), Some(vec![2, 3]));
        assert_eq!(stack.way_up(3, 1), None);
        assert_eq!(stack.upwards_of(2), [2, 3, 4]);
        assert_eq!((stack.lowest(4), stack.lowest(9)), (1, 9));
    }

    #[test]
    fn branches_of_a_fork_and_circles_are_no_stack() {
        let fork = Member {
            is_fork: true,
            ..member(1, "a", "main")
        };
        let stack = Stack::discover([fork, member(2, "b", "a")], [], &[]);
        assert_eq!(stack.way_up(1, 2), None);
        let stack = Stack::discover([member(1, "a", "b"), member(2, "b", "a")], [], &[]);
        assert_eq!(stack.way_up(3, 2), None);
        assert_eq!(stack.upwards_of(1), [1, 2]);
    }

    #[test]
    fn the_forges_own_stack_counts_for_more_than_branches() {
        let merged = Member {
            standing: Standing::Merged,
            base_branch: None,
            ..member(1, "a", "main")
        };
        // The forge has moved it to the branch below since.
        let pair = [member(2, "b", "main"), member(3, "c", "b")];
        let native = [merged, pair[0].clone(), pair[1].clone()];
        let stack = Stack::discover(pair, [], &native);
        assert_eq!(stack.below(2).map(|member| member.number), Some(1));
        assert_eq!(stack.lowest(3), 1);
    }
}
