//! What a validation found wrong, as the handoff to the fixer has it.

use baton_host::git::Oid;
use baton_protocol::handoff::ValidationFailure;

use super::kinds;
use crate::foreign_text::one_line;

/// What fails, for the fixer.
#[derive(Default)]
pub(super) struct Failures {
    list: Vec<ValidationFailure>,
    /// The commit of the base that the branch conflicts with.
    base: Option<Oid>,
}

/// More than this of one type is told by its first ones.
const MAX_OF_A_TYPE: usize = 20;
const MAX_LEN: usize = 1_000;

impl Failures {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Each once: CI and the checks here often say the same.
    pub(super) fn add(&mut self, kind: &str, description: &str) {
        let failure = ValidationFailure {
            failure_type: kind.parse().expect("types are words of this crate"),
            description: match one_line(description, MAX_LEN) {
                empty if empty.is_empty() => "it failed and says nothing".to_owned(),
                told => told,
            },
        };
        let of_type = self
            .list
            .iter()
            .filter(|one| one.failure_type == failure.failure_type);
        if of_type.count() < MAX_OF_A_TYPE && !self.list.contains(&failure) {
            self.list.push(failure);
        }
    }

    /// Two conflicts with different commits of the base are told in the same
    /// words, and are no sign that nothing moves.
    pub(super) fn add_conflict(&mut self, base: Oid, description: &str) {
        self.add(kinds::CONFLICT, description);
        self.base = Some(base);
    }

    /// With the commit of the base, where that matters.
    pub(super) fn into_parts(self) -> (Vec<ValidationFailure>, Option<Oid>) {
        (self.list, self.base)
    }
}
