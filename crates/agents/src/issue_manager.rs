use baton_engine::StepResult;

use crate::Errand;

pub(crate) async fn run(_errand: &Errand<'_>) -> StepResult {
    unimplemented!()
}
