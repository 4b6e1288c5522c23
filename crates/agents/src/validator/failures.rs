use baton_protocol::handoff::ValidationFailure;

use crate::foreign_text::one_line;

/// What fails, for the fixer.
#[derive(Default)]
pub(super) struct Failures(Vec<ValidationFailure>);

/// More than this of one type is told by its first ones.
const MOST_OF_A_TYPE: usize = 20;
const LONGEST: usize = 1_000;

impl Failures {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each once: CI and the checks here often say the same.
    pub(super) fn add(&mut self, kind: &str, description: &str) {
        let failure = ValidationFailure {
            failure_type: kind.parse().expect("types are words of this crate"),
            description: match one_line(description, LONGEST) {
                empty if empty.is_empty() => "it failed and says nothing".to_owned(),
                told => told,
            },
        };
        let of_type = self
            .0
            .iter()
            .filter(|one| one.failure_type == failure.failure_type);
        if of_type.count() < MOST_OF_A_TYPE && !self.0.contains(&failure) {
            self.0.push(failure);
        }
    }

    pub(super) fn into_list(self) -> Vec<ValidationFailure> {
        self.0
    }
}
