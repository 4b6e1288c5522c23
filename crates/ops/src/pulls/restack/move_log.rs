//! Where it is noted what is moved.

use std::path::Path;
use std::sync::Arc;

use baton_host::git::Oid;
use baton_protocol::Repository;
use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use baton_state::ref_moves::{KeptMove, MoveStage, RefMoves};
use baton_state::{State, StateError};
use jiff::Timestamp;

use super::super::context::PullContext;
use super::refs::Place;
use crate::blocking::blocking;
use crate::error::{Fault, OpError};

/// Moves of one branch that are looked at.
const MAX_RECORDS: u32 = 50;

/// SQLite blocks, so each call has a thread.
pub(in super::super) struct MoveLog {
    folder: Arc<Path>,
}

impl MoveLog {
    pub(in super::super) fn open(cx: &PullContext) -> Result<Self, OpError> {
        match &cx.state {
            Some(folder) => Ok(Self {
                folder: folder.as_path().into(),
            }),
            None => Err(OpError::local(
                "there is no folder to note in what is moved",
                "Set state.dir to a folder that can be written.",
            )),
        }
    }

    pub(super) async fn find(&self, key: String) -> Result<Option<RefMoves>, OpError> {
        self.with(move |state| state.ref_moves(&key)).await
    }

    pub(super) async fn latest(&self, about: String) -> Result<Option<RefMoves>, OpError> {
        self.with(move |state| state.latest_ref_moves(&about)).await
    }

    pub(super) async fn begin(
        &self,
        key: String,
        about: String,
        moves: Vec<KeptMove>,
    ) -> Result<Option<RefMoves>, OpError> {
        let now = Timestamp::now();
        self.with(move |state| state.begin_ref_moves(&key, &about, &moves, now))
            .await
    }

    pub(super) async fn set(&self, key: String, stage: MoveStage) -> Result<(), OpError> {
        self.with(move |state| state.set_ref_moves_stage(&key, stage))
            .await
    }

    /// Where a branch of the forge was before and after it was moved, the newest first.
    pub(in super::super) async fn former_heads(
        &self,
        repository: &Repository,
        branch: &str,
    ) -> Result<Vec<Oid>, OpError> {
        let place = Place::Forge(repository.clone()).kept();
        let name = format!("refs/heads/{branch}");
        let found = self
            .with(move |state| state.former_values(&place, &name, MAX_RECORDS))
            .await?;
        Ok(found
            .iter()
            .filter_map(|commit| Oid::parse(commit))
            .collect())
    }

    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut State) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, OpError> {
        let folder = self.folder.clone();
        let done = blocking(move || work(&mut State::open(&folder)?)).await?;
        done.map_err(|error| {
            let response = ErrorResponse::new(ErrorCategory::User, error.to_string());
            OpError::new(Fault::Local, response)
        })
    }
}
