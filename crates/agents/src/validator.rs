use baton_engine::StepResult;

use crate::Errand;

pub(crate) async fn validate(_errand: &Errand<'_>) -> StepResult {
    unimplemented!()
}

pub(crate) async fn merge(_errand: &Errand<'_>) -> StepResult {
    unimplemented!()
}
