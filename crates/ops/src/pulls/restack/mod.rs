//! Puts a stack of pull requests on what is below it now.
//!
//! The commits are recreated in the object store and compared with the old
//! ones; only when every patch is what it was does a ref move, and then all of
//! them do. What moved is noted before, so that it can be taken back.

mod listing;
mod making;
mod move_log;
mod refs;
mod refusals;

use baton_host::cmd::quote;
use baton_protocol::PrReference;
use baton_protocol::short;
use baton_protocol::tools::restack::{RestackInput, RestackOutput, RestackStatus, RestackedPr};
use baton_state::ref_moves::{KeptMove, MoveStage, RefMoves};

use super::context::PullContext;
use super::objects::{NeededCommit, Objects};
use super::stacked_prs::{self, Question, Survey};
use crate::context::Context;
use crate::error::{Fault, OpError};
use crate::operation::{self, Effects, Meta, Operation};
pub(super) use move_log::MoveLog;
use refs::{Moving, Place};

pub struct Restack;

impl Operation for Restack {
    const META: Meta = Meta {
        name: "restack",
        title: "Restack pull requests",
        about: "Rebase a stack, or undo it",
        description: "Moves a pull request, and all that stand on it, onto what is below it now: after the lower one \
            was merged (also by squash) or pushed to, also by force. Acts only when every commit keeps its own patch, nothing \
            comes back that was dropped below, and there are no conflicts; then all branches move together, here and \
            on the forge. `merge` merges instead, without a push by force; `cut` says where the own commits begin. `undo` puts every ref back; `dry_run` \
            changes nothing. When it refuses, manage_stacked_prs has the commands to do it by hand.",
        input: "restack.input",
        output: "restack.output",
        effects: Effects::DESTRUCTIVE,
        may_last: operation::never,
    };
    type Input = RestackInput;
    type Output = RestackOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.base_pr, &input.dependent_pr]).await?;
        cx.until_cancelled(async {
            if input.undo {
                Box::pin(undo(&cx, &input)).await
            } else {
                Box::pin(restack(&cx, &input)).await
            }
        })
        .await
    }
}

/// Moves the dependent pull request, and all that stand on it, onto what is below it now.
pub(super) async fn restack(
    cx: &PullContext,
    input: &RestackInput,
) -> Result<RestackOutput, OpError> {
    let move_log = MoveLog::open(cx)?;
    let pair = pair(cx, input)?;
    let about = about(&pair);
    let known = match &input.key {
        Some(key) => move_log.find(key.clone()).await?,
        // What was interrupted comes first.
        None => move_log
            .latest(about.clone())
            .await?
            .filter(|known| known.stage == MoveStage::Begun),
    };
    if let Some(known) = known
        && let Some(output) = known_before(cx, &pair, &move_log, known, input.key.is_some()).await?
    {
        return Ok(output);
    }
    let question = Question {
        base_pr: &input.base_pr,
        dependent_pr: &input.dependent_pr,
        onto_base: input.onto_base.as_deref(),
        cut: input.cut.as_deref(),
        merge: input.merge,
    };
    let survey = stacked_prs::survey(cx, &question).await?;
    if !survey.relation.is_stacked() || !survey.dependent.standing.is_open() {
        // After a restack onto the branch below, the two are no stack any more.
        if let Some(known) = move_log.latest(about.clone()).await?
            && let Some(output) =
                known_before(cx, &pair, &move_log, known, input.key.is_some()).await?
        {
            return Ok(output);
        }
        return Err(refusals::not_stacked(&survey));
    }
    if let Some(question) = stacked_prs::open_question(&survey) {
        return Err(OpError::logical(
            question,
            "Decide it: say in `cut` which commit is the last one that is not its own, or use the commands of \
             manage_stacked_prs.",
        ));
    }
    let new_base = stacked_prs::new_base(&survey);
    if survey.moves.is_empty() && new_base.is_none() {
        let mut output = answer(&pair, RestackStatus::NothingToDo, Vec::new());
        output.message = format!("#{} has all that it stands on.", survey.dependent.number);
        return Ok(output);
    }
    let made = making::make(cx, &survey).await?;
    let new_base = new_base.map(|(member, to)| (member.clone(), to.to_owned()));
    let moves = listing::moves(&survey, &made, new_base).await?;
    let mut output = answer(&pair, RestackStatus::Rehearsed, made);
    output.moves = moves.iter().filter_map(Moving::told).collect();
    output.message = sentence(&survey);
    if input.dry_run {
        output
            .message
            .push_str(" The ids of new commits are known only after the real run.");
        return Ok(output);
    }
    let key = input.key.clone().unwrap_or_else(|| key_of(&survey, &moves));
    let kept: Vec<KeptMove> = moves.iter().map(Moving::kept).collect();
    if let Some(known) = move_log
        .begin(key.clone(), about.clone(), kept.clone())
        .await?
    {
        if let Some(output) = known_before(cx, &pair, &move_log, known, input.key.is_some()).await?
        {
            return Ok(output);
        }
        move_log.begin(key.clone(), about, kept).await?;
    }
    let done = refs::move_all(cx, &survey.objects, &survey.repository, &moves).await;
    // What was refused has moved nothing; what broke may have, and stays begun.
    if let Err(OpError::Failed {
        fault: Fault::Caller,
        ..
    }) = &done
    {
        move_log.set(key.clone(), MoveStage::Undone).await?;
    }
    done?;
    move_log.set(key.clone(), MoveStage::Done).await?;
    output.status = RestackStatus::Restacked;
    output.undo_command = Some(undo_command(&pair));
    output.key = Some(key);
    Ok(output)
}

/// The same was asked for before: what is left of it is done, and told again.
/// `None` where it was begun and nothing has come of it: then it begins again.
async fn known_before(
    cx: &PullContext,
    pair: &[PrReference; 2],
    move_log: &MoveLog,
    known: RefMoves,
    has_own_key: bool,
) -> Result<Option<RestackOutput>, OpError> {
    let repository = pair[0].repository().clone();
    let moves: Vec<Moving> = known.moves.into_iter().filter_map(Moving::read).collect();
    let (status, message) = match known.stage {
        MoveStage::Done => (RestackStatus::Restacked, "This was done before."),
        MoveStage::Undone => (
            RestackStatus::Undone,
            "This was done before, and taken back.",
        ),
        MoveStage::Begun => (
            RestackStatus::Restacked,
            "This was begun before; the rest is done now.",
        ),
    };
    // Someone moved a branch back since. A key of the caller's own is done once all the same.
    if known.stage == MoveStage::Done && !has_own_key && !refs::are_pushed(cx, &moves).await? {
        move_log.set(known.key, MoveStage::Undone).await?;
        return Ok(None);
    }
    if known.stage == MoveStage::Begun {
        if !refs::are_pushed(cx, &moves).await? {
            move_log.set(known.key, MoveStage::Undone).await?;
            return Ok(None);
        }
        let objects = cx.objects(&repository).await?;
        have(&objects, &moves).await?;
        refs::move_all(cx, &objects, &repository, &moves).await?;
        move_log.set(known.key.clone(), MoveStage::Done).await?;
    }
    let mut output = answer(pair, status, Vec::new());
    message.clone_into(&mut output.message);
    output.moves = moves.iter().filter_map(Moving::told).collect();
    output.undo_command = Some(undo_command(pair));
    output.key = Some(known.key);
    Ok(Some(output))
}

async fn undo(cx: &PullContext, input: &RestackInput) -> Result<RestackOutput, OpError> {
    let move_log = MoveLog::open(cx)?;
    let pair = pair(cx, input)?;
    let known = match &input.key {
        Some(key) => move_log.find(key.clone()).await?,
        None => move_log.latest(about(&pair)).await?,
    };
    let Some(known) = known else {
        return Err(OpError::logical(
            "there is no restack of this pair to take back",
            "Only what this tool moved from this machine can be taken back, and only once.",
        ));
    };
    let repository = pair[0].repository().clone();
    let moves: Vec<Moving> = known
        .moves
        .into_iter()
        .filter_map(Moving::read)
        .map(Moving::back)
        .collect();
    if known.stage != MoveStage::Undone {
        let objects = cx.objects(&repository).await?;
        have(&objects, &moves).await?;
        refs::move_all(cx, &objects, &repository, &moves).await?;
        move_log.set(known.key.clone(), MoveStage::Undone).await?;
    }
    let mut output = answer(&pair, RestackStatus::Undone, Vec::new());
    "Every ref is where it was before.".clone_into(&mut output.message);
    output.moves = moves.iter().filter_map(Moving::told).collect();
    output.key = Some(known.key);
    Ok(output)
}

/// The commits that refs are to be moved to, here.
async fn have(objects: &Objects, moves: &[Moving]) -> Result<(), OpError> {
    let wanted: Vec<NeededCommit> = moves
        .iter()
        .filter(|one| matches!(one.place, Place::Forge(_)))
        .filter_map(|one| one.new.clone())
        .map(|commit| NeededCommit {
            reference: commit.clone(),
            commit,
        })
        .collect();
    Ok(objects.have(&wanted).await?)
}

fn answer(
    pair: &[PrReference; 2],
    status: RestackStatus,
    pull_requests: Vec<RestackedPr>,
) -> RestackOutput {
    let [base_pr, dependent_pr] = pair.each_ref().map(named);
    RestackOutput {
        base_pr,
        dependent_pr,
        status,
        message: String::new(),
        pull_requests,
        moves: Vec::new(),
        key: None,
        undo_command: None,
    }
}

fn pair(cx: &PullContext, input: &RestackInput) -> Result<[PrReference; 2], OpError> {
    Ok([
        cx.reference(&input.base_pr)?,
        cx.reference(&input.dependent_pr)?,
    ])
}

fn named(reference: &PrReference) -> String {
    format!("{}#{}", reference.repository(), reference.number())
}

fn sentence(survey: &Survey) -> String {
    let numbers: Vec<String> = survey
        .moves
        .iter()
        .map(|one| format!("#{}", one.member.number))
        .collect();
    let ground = survey.ground.as_ref();
    match (numbers.is_empty(), ground) {
        (false, Some(ground)) => format!(
            "{} on {} ({}).",
            numbers.join(", "),
            ground.label,
            short(&ground.commit)
        ),
        _ => "Only the base branch of the pull request.".to_owned(),
    }
}

/// What the moves belong to, however the caller wrote the references.
fn about(pair: &[PrReference; 2]) -> String {
    let [base, dependent] = pair.each_ref().map(named);
    format!("restack {base} {dependent}")
}

/// The same work has the same key: where the branches are and where they go
/// says what it is. New commits differ in their time alone, so they are left out.
fn key_of(survey: &Survey, moves: &[Moving]) -> String {
    let ground = survey.ground.as_ref().map(|ground| short(&ground.commit));
    let heads: Vec<&str> = moves
        .iter()
        .filter(|one| matches!(one.place, Place::Forge(_)))
        .filter_map(|one| one.old.as_deref())
        .map(short)
        .collect();
    let by_merge = survey.moves.iter().any(|one| one.by_merge);
    format!(
        "restack {}#{}..#{} {} on {}{}",
        survey.repository,
        survey.base.number,
        survey.dependent.number,
        heads.join("+"),
        ground.unwrap_or_default(),
        if by_merge { " by merge" } else { "" }
    )
}

fn undo_command(pair: &[PrReference; 2]) -> String {
    let [base, dependent] = pair.each_ref().map(named).map(quote);
    format!("baton pr restack {base} {dependent} --undo")
}
