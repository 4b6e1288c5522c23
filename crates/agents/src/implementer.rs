use baton_engine::StepResult;

use crate::Errand;

pub(crate) async fn implement(_errand: &Errand<'_>) -> StepResult {
    unimplemented!()
}

pub(crate) async fn publish(_errand: &Errand<'_>) -> StepResult {
    unimplemented!()
}
