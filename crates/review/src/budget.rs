//! Limits the work on one file, and stops it when the review is cancelled.
//!
//! Work is counted rather than timed: this crate knows no clock, and a count is the same on
//! every machine. One unit is about one node of a syntax tree looked at once.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::source::Unread;

/// Rules, tables and a small file cost about this much, whatever the file is.
const BASE: u64 = 2_000_000;

/// Ordinary code costs below fifty units for each byte.
const PER_BYTE: u64 = 400;

/// The flag is looked at this often, which is well below a millisecond.
const BETWEEN_LOOKS: u64 = 1_024;

/// Asks a review to end. The caller sets it at its deadline, or when it is cancelled; what has
/// not been reviewed by then is named in the notes.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The work that may still be done for one file.
#[derive(Debug)]
pub(crate) struct Budget {
    stop: StopFlag,
    limit: u64,
    spent: Cell<u64>,
    next_look: Cell<u64>,
    ended: Cell<Option<Unread>>,
    /// How often work was asked for that was no longer to be done.
    #[cfg(test)]
    late: Cell<u64>,
}

impl Budget {
    pub(crate) fn for_bytes(bytes: usize, stop: &StopFlag) -> Self {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        Self::new(BASE.saturating_add(bytes.saturating_mul(PER_BYTE)), stop)
    }

    /// For texts whose length is bounded by the caller.
    pub(crate) fn unlimited() -> Self {
        Self::new(u64::MAX, &StopFlag::default())
    }

    fn new(limit: u64, stop: &StopFlag) -> Self {
        Self {
            stop: stop.clone(),
            limit,
            spent: Cell::new(0),
            next_look: Cell::new(0),
            ended: Cell::new(None),
            #[cfg(test)]
            late: Cell::new(0),
        }
    }

    #[cfg(test)]
    pub(crate) fn ending_after(limit: u64) -> Self {
        Self::new(limit, &StopFlag::default())
    }

    #[cfg(test)]
    pub(crate) fn late(&self) -> u64 {
        self.late.get()
    }

    /// Counts some work. False once no more may be done: the caller returns what it has.
    pub(crate) fn spend(&self, work: usize) -> bool {
        if self.ended.get().is_some() {
            #[cfg(test)]
            self.late.set(self.late.get() + 1);
            return false;
        }
        let spent = self.spent.get().saturating_add(work as u64);
        self.spent.set(spent);
        if spent > self.limit {
            self.ended.set(Some(Unread::TooInvolved));
        } else if spent >= self.next_look.get() {
            self.next_look.set(spent.saturating_add(BETWEEN_LOOKS));
            if self.stop.is_set() {
                self.ended.set(Some(Unread::Stopped));
            }
        }
        self.ended.get().is_none()
    }

    /// The same for a search through text, which is much cheaper than a walk over nodes.
    pub(crate) fn search(&self, bytes: usize) -> bool {
        self.spend(1 + bytes / 64)
    }

    pub(crate) fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Why the work ended early, if it did.
    pub(crate) fn ended(&self) -> Option<Unread> {
        self.ended.get()
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, StopFlag};
    use crate::source::Unread;

    #[test]
    fn work_ends_at_the_limit() {
        let budget = Budget::new(10, &StopFlag::default());
        assert!(budget.spend(10));
        assert_eq!(budget.ended(), None);
        assert!(!budget.spend(1));
        assert_eq!(budget.ended(), Some(Unread::TooInvolved));
    }

    #[test]
    fn work_ends_when_the_flag_is_set() {
        let stop = StopFlag::default();
        let budget = Budget::for_bytes(1, &stop);
        assert!(budget.spend(1));
        stop.set();
        assert!((0..2_000).any(|_| !budget.spend(1)));
        assert_eq!(budget.ended(), Some(Unread::Stopped));
    }
}
