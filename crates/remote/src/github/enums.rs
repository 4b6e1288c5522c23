//! GitHub's enums, which it extends now and then.

use super::open_enum::open_enum;

open_enum! {
    /// REST knows no `merged`: a merged pull request is closed there.
    pub enum PullState {
        Open = "open",
        Closed = "closed",
        Merged = "merged",
    }
}

open_enum! {
    pub enum IssueState {
        Open = "open",
        Closed = "closed",
    }
}

open_enum! {
    /// Whether a pull request can be merged without conflicts.
    pub enum Mergeable {
        Mergeable = "MERGEABLE",
        Conflicting = "CONFLICTING",
        /// GitHub computes it in the background: ask again.
        NotKnownYet = "UNKNOWN",
    }
}

open_enum! {
    /// The state of GitHub's merge button.
    pub enum MergeState {
        Behind = "behind",
        Blocked = "blocked",
        Clean = "clean",
        Dirty = "dirty",
        Draft = "draft",
        HasHooks = "has_hooks",
        NotKnownYet = "unknown",
        Unstable = "unstable",
    }
}

open_enum! {
    pub enum MergeMethod {
        Merge = "merge",
        Squash = "squash",
        Rebase = "rebase",
    }
}

open_enum! {
    pub enum CheckStatus {
        Requested = "requested",
        Queued = "queued",
        Pending = "pending",
        Waiting = "waiting",
        InProgress = "in_progress",
        Completed = "completed",
    }
}

open_enum! {
    pub enum CheckConclusion {
        Success = "success",
        Failure = "failure",
        Neutral = "neutral",
        Cancelled = "cancelled",
        Skipped = "skipped",
        TimedOut = "timed_out",
        ActionRequired = "action_required",
        Stale = "stale",
        StartupFailure = "startup_failure",
    }
}

impl CheckConclusion {
    /// Whether a required check with this conclusion allows a merge. An unknown
    /// word does not.
    pub fn lets_through(&self) -> bool {
        matches!(self, Self::Success | Self::Neutral | Self::Skipped)
    }
}

open_enum! {
    /// The state of a commit status, and of all checks of a commit together.
    pub enum StatusState {
        Success = "success",
        Failure = "failure",
        Error = "error",
        Pending = "pending",
        /// Required, and not reported yet.
        Expected = "expected",
    }
}

open_enum! {
    pub enum ReviewState {
        Approved = "APPROVED",
        ChangesRequested = "CHANGES_REQUESTED",
        Commented = "COMMENTED",
        Dismissed = "DISMISSED",
        Pending = "PENDING",
    }
}

open_enum! {
    pub enum ReviewDecision {
        Approved = "APPROVED",
        ChangesRequested = "CHANGES_REQUESTED",
        ReviewRequired = "REVIEW_REQUIRED",
    }
}

open_enum! {
    pub enum AuthorAssociation {
        Owner = "OWNER",
        Member = "MEMBER",
        Collaborator = "COLLABORATOR",
        Contributor = "CONTRIBUTOR",
        FirstTimer = "FIRST_TIMER",
        FirstTimeContributor = "FIRST_TIME_CONTRIBUTOR",
        Mannequin = "MANNEQUIN",
        None = "NONE",
    }
}

open_enum! {
    pub enum FileStatus {
        Added = "added",
        Removed = "removed" | "deleted",
        Modified = "modified",
        Renamed = "renamed",
        Copied = "copied",
        /// The mode or type changed.
        Changed = "changed",
        Unchanged = "unchanged",
    }
}

open_enum! {
    pub enum DiffSide {
        Left = "LEFT",
        Right = "RIGHT",
    }
}

open_enum! {
    pub enum ThreadSubject {
        Line = "LINE",
        File = "FILE",
    }
}

open_enum! {
    pub enum DeploymentState {
        Abandoned = "ABANDONED",
        Active = "ACTIVE",
        Destroyed = "DESTROYED",
        Error = "ERROR",
        Failure = "FAILURE",
        Inactive = "INACTIVE",
        InProgress = "IN_PROGRESS",
        Pending = "PENDING",
        Queued = "QUEUED",
        Success = "SUCCESS",
        Waiting = "WAITING",
    }
}

open_enum! {
    pub enum QueueEntryState {
        Queued = "QUEUED",
        AwaitingChecks = "AWAITING_CHECKS",
        Mergeable = "MERGEABLE",
        Unmergeable = "UNMERGEABLE",
        Locked = "LOCKED",
    }
}

open_enum! {
    pub enum Reaction {
        ThumbsUp = "+1" | "THUMBS_UP",
        ThumbsDown = "-1" | "THUMBS_DOWN",
        Laugh = "laugh",
        Hooray = "hooray",
        Confused = "confused",
        Heart = "heart",
        Rocket = "rocket",
        Eyes = "eyes",
    }
}

open_enum! {
    /// A user's permission in a repository, from least to most.
    pub enum Permission {
        None = "none",
        Read = "read",
        Triage = "triage",
        Write = "write",
        Maintain = "maintain",
        Admin = "admin",
    }
}

impl Permission {
    /// Whether it allows pushing and merging. An unknown word does not.
    pub fn may_write(&self) -> bool {
        matches!(self, Self::Write | Self::Maintain | Self::Admin)
    }
}

open_enum! {
    pub enum AnnotationLevel {
        Notice = "notice",
        Warning = "warning",
        Failure = "failure",
    }
}

open_enum! {
    pub enum Enforcement {
        Active = "active",
        /// Rules are evaluated and reported, and block nothing.
        Evaluate = "evaluate",
        Disabled = "disabled",
    }
}

open_enum! {
    pub enum AccountKind {
        User = "User",
        Bot = "Bot",
        Organization = "Organization",
        Mannequin = "Mannequin",
        EnterpriseUserAccount = "EnterpriseUserAccount",
    }
}
