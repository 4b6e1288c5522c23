//! Checks that have to pass and that nothing has reported.

use baton_remote::github::Fact;
use jiff::{SignedDuration, Timestamp};

use super::survey::{Survey, sort};
use crate::pulls::ci_check::{CiCheck, CiState, Why};

/// What has to report begins soon after the others have ended.
const TIME_TO_REPORT: SignedDuration = SignedDuration::from_mins(2);

impl Survey {
    /// While other checks are under way the missing ones may yet come, and for
    /// a moment after these have ended; never once no one can push any more.
    pub(super) fn add_missing(&mut self, now: Timestamp) {
        let required = match self.base.as_ref().map(|base| &base.required) {
            Some(Fact::Known(required)) => required.as_slice(),
            // Which is among the survey's doubts.
            Some(Fact::Unreadable(_)) | None => &[],
        };
        let missing: Vec<_> = required
            .iter()
            .filter(|name| self.checks.iter().all(|check| check.name != **name))
            .cloned()
            .collect();
        if missing.is_empty() {
            return;
        }
        let is_finished = !self.checks.iter().any(CiCheck::is_unfinished);
        let is_late = is_finished && self.is_reported() && self.is_quiet(now);
        let state = if is_late || self.is_closed {
            CiState::Failed(Why::NeverReported)
        } else {
            CiState::Waiting
        };
        self.checks.extend(missing.into_iter().map(|name| CiCheck {
            required: true,
            is_reported: false,
            ..CiCheck::new(name, state.clone())
        }));
        sort(&mut self.checks);
    }

    /// The last sign of life is so old that no other is to be expected.
    fn is_quiet(&self, now: Timestamp) -> bool {
        let signs = self.checks.iter();
        let signs = signs.flat_map(|check| [check.started_at, check.completed_at]);
        let last = signs.flatten().max();
        last.is_none_or(|last| now.duration_since(last) >= TIME_TO_REPORT)
    }

    /// Something reports on the commit.
    pub(super) fn is_reported(&self) -> bool {
        self.checks.iter().any(|check| check.is_reported)
    }

    /// Required checks that nothing reports, in words, once nothing else is
    /// under way.
    pub(super) fn told_of_missing(&self) -> Option<String> {
        let (reported, missing): (Vec<&CiCheck>, Vec<&CiCheck>) =
            self.checks.iter().partition(|check| check.is_reported);
        if missing.is_empty() || reported.iter().any(|check| check.is_unfinished()) {
            return None;
        }
        let names: Vec<String> = missing
            .iter()
            .map(|check| format!("`{}`", check.name))
            .collect();
        let checks = if names.len() == 1 { "check" } else { "checks" };
        let fate = if missing.iter().any(|check| check.is_unfinished()) {
            "not reported so far"
        } else {
            "never reported"
        };
        Some(format!("Required {checks} {fate}: {}", names.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use baton_protocol::tools::get_failing_tests::CiStatus;

    use super::*;
    use crate::pulls::failing_tests::base::Base;

    /// A head whose only check ended at noon, of which another is required.
    fn seen(now: &str, is_closed: bool, state: Option<CiState>) -> (CiStatus, bool) {
        let noon = "2026-01-31T12:00:00Z".parse().unwrap();
        let mut survey = Survey {
            number: Some(1),
            is_closed,
            checks: Vec::from_iter(state.map(|state| CiCheck {
                completed_at: Some(noon),
                ..CiCheck::new("test".to_owned(), state)
            })),
            base: Some(Base {
                branch: "main".to_owned(),
                required: Fact::Known(vec!["never-runs".to_owned()]),
                commits: Vec::new(),
                began_at: None,
            }),
            ..Survey::default()
        };
        survey.add_missing(now.parse().unwrap());
        (survey.status(), survey.is_unfinished())
    }

    #[test]
    fn a_missing_check_is_waited_for_only_a_moment() {
        let (soon, later) = ("2026-01-31T12:01:00Z", "2026-01-31T12:02:00Z");
        let passed = || Some(CiState::Passed);
        assert_eq!(seen(soon, false, passed()), (CiStatus::Running, true));
        assert_eq!(seen(later, false, passed()), (CiStatus::Failed, false));
        assert_eq!(
            seen(later, false, Some(CiState::Running)),
            (CiStatus::Running, true)
        );
        assert_eq!(seen(later, false, None), (CiStatus::Pending, true));
        assert_eq!(seen(soon, true, passed()), (CiStatus::Failed, false));
        assert_eq!(seen(soon, true, None), (CiStatus::Failed, false));
    }
}
