//! How far a check is, and how it ended.

use crate::store::prelude::*;

text_enum! {
    /// Of a check suite, a check run, a workflow run, a job or a step.
    CheckStatus {
        Requested = "requested",
        Waiting = "waiting",
        Pending = "pending",
        Queued = "queued",
        InProgress = "in_progress",
        Completed = "completed",
    }
}

text_enum! {
    /// From worst to best: the first that is found among its runs is a
    /// suite's conclusion.
    Conclusion {
        Failure = "failure",
        StartupFailure = "startup_failure",
        TimedOut = "timed_out",
        Cancelled = "cancelled",
        ActionRequired = "action_required",
        Stale = "stale",
        Success = "success",
        Neutral = "neutral",
        Skipped = "skipped",
    }
}

text_enum! {
    /// Of a commit status.
    StatusState {
        Error = "error",
        Failure = "failure",
        Pending = "pending",
        Success = "success",
    }
}

text_enum! {
    AnnotationLevel {
        Notice = "notice",
        Warning = "warning",
        Failure = "failure",
    }
}

impl Conclusion {
    /// Whether a required check with this conclusion lets a merge through.
    pub(crate) fn passes(self) -> bool {
        match self {
            Self::Success | Self::Neutral | Self::Skipped => true,
            Self::Failure
            | Self::StartupFailure
            | Self::TimedOut
            | Self::Cancelled
            | Self::ActionRequired
            | Self::Stale => false,
        }
    }
}

/// How far something is, and how it ended if it did: the two are told
/// together because only what is completed has a conclusion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Never [`CheckStatus::Completed`].
    Unfinished(CheckStatus),
    Completed(Conclusion),
}

impl Progress {
    pub(crate) const QUEUED: Self = Self::Unfinished(CheckStatus::Queued);
    pub(crate) const IN_PROGRESS: Self = Self::Unfinished(CheckStatus::InProgress);

    pub(crate) fn status(self) -> CheckStatus {
        match self {
            Self::Unfinished(status) => status,
            Self::Completed(_) => CheckStatus::Completed,
        }
    }

    pub(crate) fn conclusion(self) -> Option<Conclusion> {
        match self {
            Self::Unfinished(_) => None,
            Self::Completed(conclusion) => Some(conclusion),
        }
    }

    pub(crate) fn is_completed(self) -> bool {
        matches!(self, Self::Completed(_))
    }

    /// From the columns `status` and `conclusion`.
    pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let conclusion: Option<Conclusion> = row.get("conclusion")?;
        match conclusion {
            Some(conclusion) => Ok(Self::Completed(conclusion)),
            None => Ok(Self::Unfinished(row.get("status")?)),
        }
    }

    /// What follows for the whole from its parts: it is under way as soon as
    /// one part is, and as bad as its worst part. Nothing follows from no
    /// parts.
    pub(crate) fn from_parts(parts: impl IntoIterator<Item = Self>) -> Option<Self> {
        let parts: Vec<Self> = parts.into_iter().collect();
        let conclusions: Option<Vec<Conclusion>> =
            parts.iter().map(|part| part.conclusion()).collect();
        if let Some(conclusions) = conclusions {
            return Conclusion::ALL
                .iter()
                .copied()
                .find(|worst| conclusions.contains(worst))
                .map(Self::Completed);
        }
        let begun = |part: &Self| part.status() == CheckStatus::InProgress || part.is_completed();
        Some(if parts.iter().any(begun) {
            Self::IN_PROGRESS
        } else {
            Self::QUEUED
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_follows_from_its_parts() {
        use Conclusion::{Cancelled, Failure, Neutral, Skipped, Success};
        let of = |parts: &[Progress]| Progress::from_parts(parts.iter().copied());
        let done = Progress::Completed;
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[Progress::QUEUED]), Some(Progress::QUEUED));
        assert_eq!(
            of(&[Progress::QUEUED, done(Success)]),
            Some(Progress::IN_PROGRESS)
        );
        assert_eq!(
            of(&[Progress::QUEUED, Progress::IN_PROGRESS]),
            Some(Progress::IN_PROGRESS)
        );
        assert_eq!(of(&[done(Skipped), done(Success)]), Some(done(Success)));
        assert_eq!(of(&[done(Skipped), done(Neutral)]), Some(done(Neutral)));
        assert_eq!(of(&[done(Success), done(Cancelled)]), Some(done(Cancelled)));
        assert_eq!(of(&[done(Cancelled), done(Failure)]), Some(done(Failure)));
    }
}
