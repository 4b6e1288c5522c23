//! Exit codes.

/// What the process answers. Other programs rely on these numbers; they are
/// documented in `docs/exit-codes.md` and in `baton --help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done; pass; ready; no conflict; nothing failing.
    Done,
    /// The answer is "no".
    Failed,
    /// Wrong use: a bad flag or bad input.
    WrongUse,
    /// Something is missing here: a tool, a credential, a repository.
    Missing,
    /// A server failed: network, rate limit, server error.
    Remote,
    /// A run cannot go on without an answer.
    NeedsAnswer,
    /// Ctrl-C, or a polite request to stop.
    Interrupted,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::WrongUse => 2,
            Self::Missing => 3,
            Self::Remote => 4,
            Self::NeedsAnswer => 5,
            Self::Interrupted => 130,
        }
    }
}
