//! The errors of the engine.

use std::path::PathBuf;
use std::sync::Arc;

use baton_state::StateError;
use baton_workflow::{FORMAT, IllegalEvent, RunId};

/// Why a run could not be driven or read. No error loses anything: what was
/// journalled stays, and the run can be resumed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    State(#[from] Arc<StateError>),
    #[error("there is no run `{run}`; `baton runs` lists them")]
    NoSuchRun { run: RunId },
    #[error("the run `{run}` has ended; `baton show {run}` says how")]
    Ended { run: RunId },
    #[error("another process drives the run `{run}`; follow it with `baton logs -f {run}`")]
    Busy { run: RunId },
    #[error("another process has taken over the run `{run}`; follow it with `baton logs -f {run}`")]
    Fenced { run: RunId },
    #[error(
        "the run `{run}` was written by a newer baton (format {found}, and this one knows \
         {FORMAT}); update baton"
    )]
    Newer { run: RunId, found: u32 },
    #[error("event {seq} of the run `{run}` cannot be read; start a new run")]
    Unreadable {
        run: RunId,
        seq: u64,
        #[source]
        source: Arc<serde_json::Error>,
    },
    #[error(
        "only people can accept findings and answer, cancel or resume a run, and their key {} cannot be read; run this \
         outside of the run's sandbox, as the user who started the run",
        path.display()
    )]
    OnlyPeople {
        path: PathBuf,
        #[source]
        source: Option<Arc<std::io::Error>>,
    },
    #[error("event {seq} of the run `{run}` is missing; start a new run")]
    Missing { run: RunId, seq: u64 },
    #[error("event {seq} of the run `{run}` does not fit the ones before; start a new run")]
    Inconsistent {
        run: RunId,
        seq: u64,
        #[source]
        source: IllegalEvent,
    },
    #[error("the run `{run}` asks nothing; `baton show {run}` says what it does")]
    NoQuestion { run: RunId },
    #[error("`{choice}` is none of the answers; choose one of: {options}")]
    NoSuchChoice { choice: char, options: String },
    #[error("cannot prepare the folder {}: check that it can be written to", path.display())]
    Folder {
        path: PathBuf,
        #[source]
        source: Arc<std::io::Error>,
    },
    /// The engine was closed while it was being used.
    #[error("the engine has stopped")]
    Stopped,
}
