use async_graphql::Object;

use crate::graphql::connection::lists;
use crate::graphql::enums::{CheckConclusionState, CheckStatusState};
use crate::graphql::scalars::{DateTime, int};
use crate::store::workflow_steps::Step;

/// A step of a job.
pub(in crate::graphql) struct CheckStep(pub(super) Step);

lists! {
    CheckSteps: CheckStepConnection, CheckStep;
}

#[Object]
impl CheckStep {
    async fn completed_at(&self) -> Option<DateTime> {
        self.0.completed_at.as_deref().map(DateTime::from)
    }

    async fn conclusion(&self) -> Option<CheckConclusionState> {
        self.0.progress.conclusion().map(Into::into)
    }

    async fn name(&self) -> &str {
        &self.0.name
    }

    async fn number(&self) -> i32 {
        int(self.0.number)
    }

    async fn started_at(&self) -> Option<DateTime> {
        self.0.started_at.as_deref().map(DateTime::from)
    }

    async fn status(&self) -> CheckStatusState {
        self.0.progress.status().into()
    }
}
