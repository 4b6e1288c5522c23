//! An answer of a person to a run's question. Who accepts what the evidence
//! speaks against, and says why, accepts it for the repository.

use baton_engine::{Acceptance, AcceptanceWriter, Engine};
use baton_workflow::{ACCEPT, Answer, RunId};
use tokio_util::sync::CancellationToken;

use super::{checkout, failed, state_folder};
use crate::acceptances::{self, Expiry, Grounds, MAX_REASON};
use crate::error::CommandError;
use crate::session::Session;

/// Answers the question that the run asks now. What is recorded for the
/// repository is returned; it is on the disk before the run goes on.
pub(crate) async fn answer(
    engine: &Engine,
    run: &RunId,
    answer: Answer,
    expiry: Expiry,
    session: &Session,
    cancel: &CancellationToken,
) -> Result<Vec<Acceptance>, CommandError> {
    let state = engine.state(run).await.map_err(|error| failed(&error))?;
    let reason = answer.comment.as_deref().unwrap_or_default().trim();
    let question = state.question().filter(|question| {
        answer.choice == ACCEPT && question.can_be_accepted() && !question.objections.is_empty()
    });
    let (Some(question), false) = (question, reason.is_empty()) else {
        let answered = engine.answer(run, answer).await;
        return answered
            .map(|()| Vec::new())
            .map_err(|error| failed(&error));
    };
    let goal = &state.start().goal;
    let repository = acceptances::identity_of_run(goal).ok_or_else(|| {
        CommandError::missing(format!(
            "the run {run} does not say which repository it is about"
        ))
        .hint("Answer without a comment; then nothing is recorded beyond the run.")
    })?;
    let folder = match checkout(goal) {
        Some(folder) => folder.to_path_buf(),
        None => Session::working_directory()?,
    };
    let grounds = Grounds {
        reason: &reason[..reason.floor_char_boundary(MAX_REASON)],
        author: acceptances::author(&folder, session, cancel).await,
        expiry,
    };
    let accepted = grounds.accept(&question.objections)?;
    let writer = AcceptanceWriter::open(&state_folder(session)?).map_err(|error| failed(&error))?;
    writer
        .record(&repository, &accepted)
        .map_err(|error| failed(&error))?;
    let answered = engine.answer_question(run, &question.key, answer).await;
    if !answered.map_err(|error| failed(&error))? {
        return Err(CommandError::wrong_use(format!(
            "it is accepted for {repository}, but the run does not ask about it any more"
        ))
        .hint(format!("`baton show {run}` says what it does.")));
    }
    Ok(accepted)
}
