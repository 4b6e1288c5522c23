//! Two pull requests, one on top of the other: what changed below, and how to
//! bring the upper one, and all that stand on it, up to date.
//!
//! No metadata of any tool is needed: branches say what stands on what,
//! commits say whose work is whose, and git itself rehearses the rebase.

mod certainty;
mod commands;
mod drawing;
mod fork_point;
mod history;
mod landing;
mod members;
mod merged_branch;
pub(super) mod merging;
mod planning;
pub(super) mod proof;
pub(super) mod rehearsal;
mod reverts;
mod sameness;
mod strategy;
mod survey;

use baton_host::git::LogEntry;
use baton_protocol::tools::RiskLevel;
use baton_protocol::tools::manage_stacked_prs::{
    Automation, AutomationStatus, BaseLanding, ChangeSummary, LandingWay, ManageStackedPrsInput,
    ManageStackedPrsOutput, StackCommit, StackInfo, StackMember, StackSummary,
};
use jiff::Timestamp;

use super::context::PullContext;
use super::pages::Page;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};
use commands::CommandOptions;
use landing::commits;

pub(super) use commands::new_base;
pub(super) use landing::range;
pub(super) use members::Member;
pub(super) use rehearsal::Rehearsal;
pub(super) use strategy::{first_words, question as open_question};
pub(super) use survey::{Move, Onto, Question, Survey, survey};

pub struct ManageStackedPrs;

impl Operation for ManageStackedPrs {
    const META: Meta = Meta {
        name: "manage_stacked_prs",
        title: "Manage stacked pull requests",
        about: "Bring a pull request up to date with the one below it",
        description: "Looks at two pull requests of which one stands on the other, and at the whole stack around \
            them. Tells what changed below, whether and how the lower one was merged (squash, merge or rebase, with \
            the evidence), which commits are the upper one's own, and what conflicts a rebase really has. Gives the \
            commands that bring the stack up to date. Call it when a pull request below was merged or pushed to.",
        input: "manage_stacked_prs.input",
        output: "manage_stacked_prs.output",
        effects: Effects::READ_REMOTE,
        may_last: operation::never,
    };
    type Input = ManageStackedPrsInput;
    type Output = ManageStackedPrsOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.base_pr, &input.dependent_pr]).await?;
        cx.until_cancelled(manage(&cx, &input)).await
    }
}

const COMMANDS_A_PAGE: usize = 5;
const MAX_COMMITS_SHOWN: usize = 20;
/// Commits are counted up to here.
const MAX_COMMITS: usize = 1000;
const MAX_FILES: usize = 100;

async fn manage(
    cx: &PullContext,
    input: &ManageStackedPrsInput,
) -> Result<ManageStackedPrsOutput, OpError> {
    let page = Page::new(
        &cx.cursors,
        ManageStackedPrs::META.name,
        input,
        input.cursor.as_deref(),
        COMMANDS_A_PAGE,
    )?;
    let question = Question {
        base_pr: &input.base_pr,
        dependent_pr: &input.dependent_pr,
        onto_base: input.onto_base.as_deref(),
        cut: input.cut.as_deref(),
        merge: input.merge,
    };
    let survey = survey(cx, &question).await?;
    let strategy = strategy::recommend(&survey, input.use_onto);
    let question = open_question(&survey);
    let auto_fix = input.auto_fix;
    let commands = if question.is_some() {
        commands::to_look(&survey)
    } else {
        let options = CommandOptions {
            kind: strategy.recommended,
            auto_fix,
            max_iterations: input.max_iterations,
        };
        commands::build(&survey, options)
    };
    let (commands, next_cursor) = page.cut(&cx.cursors, commands);
    let landing = survey.landing.as_ref();
    Ok(ManageStackedPrsOutput {
        base_pr: format!("{}#{}", survey.repository, survey.base.number),
        dependent_pr: format!("{}#{}", survey.repository, survey.dependent.number),
        is_stacked: survey.relation.is_stacked(),
        stack_info: stack_info(&survey),
        changes_detected: !survey.moves.is_empty(),
        change_summary: changes(&survey).await?,
        upstream_merge_detected: landing.is_some()
            || survey.base.standing == members::Standing::Merged,
        squash_merge: landing.is_some_and(|landing| landing.way == LandingWay::Squash),
        last_upstream_commit: survey
            .own_from
            .as_ref()
            .map(|fork_point| fork_point.commit.to_string()),
        summary: summary(&survey, question.is_some(), &strategy.reason),
        rebase_strategy: strategy,
        commands,
        next_cursor,
        automation: Automation {
            enabled: auto_fix,
            current_step: None,
            status: AutomationStatus::NotStarted,
            error: None,
        },
        landing: landing.map(|landing| BaseLanding {
            way: landing.way,
            commit: landing.commit.as_ref().map(ToString::to_string),
            proof: landing.proof,
            evidence: landing.evidence.clone(),
        }),
        stack: members(&survey),
    })
}

fn stack_info(survey: &Survey) -> StackInfo {
    let (base, dependent) = (&survey.base, &survey.dependent);
    let remark = |member: &Member| remark(survey, member);
    let mut lowest = vec![survey.stack.lowest(base.number)];
    if !survey.relation.is_stacked() {
        lowest.push(survey.stack.lowest(dependent.number));
        lowest.dedup();
    }
    let drawings: Vec<String> = lowest
        .into_iter()
        .map(|lowest| {
            let root = survey.stack.member(lowest);
            let root = root.and_then(|member| member.base_branch.as_deref());
            drawing::draw(
                &survey.stack,
                root.unwrap_or(&survey.target.branch),
                lowest,
                remark,
            )
        })
        .collect();
    let dependent_base = dependent.base_branch.clone().unwrap_or_default();
    StackInfo {
        matches: dependent_base == base.head_branch && !base.is_fork,
        base_branch: base.head_branch.clone(),
        dependent_base,
        visualization: drawings.join("\n"),
    }
}

fn remark(survey: &Survey, member: &Member) -> String {
    let mut parts = Vec::new();
    if member.number == survey.base.number {
        parts.push("base".to_owned());
    }
    if member.number == survey.dependent.number {
        parts.push("dependent".to_owned());
    }
    match &survey.landing {
        Some(landing) if member.number == survey.base.number => {
            let way = match landing.way {
                LandingWay::Merge => "merged",
                LandingWay::Squash => "squash-merged",
                LandingWay::Rebase => "rebase-merged",
                LandingWay::Unknown => "merged somehow",
            };
            let commit = landing.commit.as_ref();
            let commit =
                commit.map_or_else(String::new, |commit| format!(" as {}", commit.short()));
            parts.push(format!("{way}{commit}"));
        }
        _ if !member.standing.is_open() || member.standing == members::Standing::Draft => {
            parts.push(member.standing.as_str().to_owned());
        }
        _ => {}
    }
    if let Some(one) = survey
        .moves
        .iter()
        .find(|one| one.member.number == member.number)
    {
        parts.push(format!("{} to move", commits(one.fork_point.own.len())));
    }
    if member.is_fork {
        let fork = member
            .head_repository
            .as_deref()
            .unwrap_or("a fork that is gone");
        parts.push(format!("from {fork}"));
    }
    parts.join(", ")
}

/// What is new below the first one that has to move.
async fn changes(survey: &Survey) -> Result<Option<ChangeSummary>, OpError> {
    let Some(first) = survey.moves.first() else {
        return Ok(None);
    };
    let Some(ground) = survey.new_ground(&first.onto) else {
        return Ok(None);
    };
    let git = &survey.objects.git;
    let new = git
        .log(range(&first.member.head, &ground), MAX_COMMITS)
        .await?;
    let files = git
        .changed_files(first.fork_point.commit.as_str(), &ground)
        .await?;
    let mut conflicts: Vec<String> = survey
        .moves
        .iter()
        .flat_map(|one| one.rehearsal.files())
        .cloned()
        .collect();
    conflicts.sort_unstable();
    conflicts.dedup();
    Ok(Some(ChangeSummary {
        new_commits_in_base: new.len() as u64,
        commits: new.iter().take(MAX_COMMITS_SHOWN).map(commit).collect(),
        files_changed: files
            .iter()
            .take(MAX_FILES)
            .map(|file| file.path.display().to_string())
            .collect(),
        potential_conflicts: conflicts,
    }))
}

fn commit(entry: &LogEntry) -> StackCommit {
    let date = Timestamp::from_second(entry.author.time).unwrap_or_default();
    StackCommit {
        sha: entry.commit.to_string(),
        message: first_words(entry.subject()),
        author: entry.author.name.clone(),
        date: date.to_string(),
    }
}

fn members(survey: &Survey) -> Vec<StackMember> {
    if !survey.relation.is_stacked() {
        return Vec::new();
    }
    let numbers = survey.stack.upwards_of(survey.base.number);
    numbers
        .into_iter()
        .filter(|number| *number != survey.base.number)
        .filter_map(|number| survey.stack.member(number))
        .map(|member| {
            let one = survey
                .moves
                .iter()
                .find(|one| one.member.number == member.number);
            StackMember {
                pr: format!("{}#{}", survey.repository, member.number),
                title: first_words(&member.title),
                branch: member.head_branch.clone(),
                head: member.head.clone(),
                moves: one.is_some(),
                own_commits: one.map(|one| one.fork_point.own.len() as u64),
                last_commit_below: one.map(|one| one.fork_point.commit.to_string()),
                evidence: one.map(|one| one.fork_point.evidence.clone()),
                potential_conflicts: one
                    .map(|one| one.rehearsal.files().to_vec())
                    .unwrap_or_default(),
                left_out: one
                    .map(|one| one.fork_point.left_out_shown())
                    .unwrap_or_default(),
            }
        })
        .collect()
}

fn summary(survey: &Survey, is_open_question: bool, reason: &str) -> StackSummary {
    let retargets = new_base(survey).is_some();
    let is_merged_whole = survey
        .landing
        .as_ref()
        .is_some_and(|landing| landing.way == LandingWay::Merge);
    // With its own commits below it on the branch, the pull request is right
    // as it is.
    let is_first = |one: &&Move| matches!(one.onto, Onto::Ground);
    let others_follow = survey
        .moves
        .iter()
        .filter(|one| !is_first(one))
        .all(|one| matches!(one.onto, Onto::Moved(_)));
    let may_stay = is_merged_whole && others_follow && !retargets;
    let action_required = retargets || (!survey.moves.is_empty() && !may_stay);
    let reason = match (survey.moves.first(), retargets) {
        (Some(_), _) if may_stay => format!("{reason} It may also stay as it is."),
        (None, true) => format!(
            "#{} still goes to `{}`, which was merged.",
            survey.dependent.number, survey.base.head_branch
        ),
        _ => reason.to_owned(),
    };
    StackSummary {
        action_required,
        reason,
        estimated_total_time: estimate(survey),
        risk_level: risk(survey, is_open_question),
    }
}

/// A minute for each rebase and push, five for each file in conflict.
fn estimate(survey: &Survey) -> String {
    if survey.moves.is_empty() {
        return "none".to_owned();
    }
    let files: usize = survey
        .moves
        .iter()
        .map(|one| one.rehearsal.files().len())
        .sum();
    let minutes = 1 + survey.moves.len() + 5 * files;
    format!("about {minutes} minutes and CI")
}

fn risk(survey: &Survey, is_open_question: bool) -> RiskLevel {
    let is_clean = |one: &Move| matches!(one.rehearsal, Rehearsal::Clean { .. });
    let is_proven = |one: &Move| one.objections.is_empty();
    let is_done = |one: &Move| is_clean(one) && is_proven(one);
    if is_open_question || !survey.moves.iter().all(is_done) {
        return RiskLevel::High;
    }
    // What the forge does not tell may have been taken away below.
    let is_known = |number: u32| {
        let history = survey.histories.get(&number);
        history.is_some_and(|history| history.unknown.is_none())
    };
    let is_plain = |one: &Move| {
        let below = survey.stack.below(one.member.number);
        let below = below.map_or(survey.base.number, |below| below.number);
        !one.member.is_fork && one.fork_point.left_out.is_empty() && is_known(below)
    };
    if survey.moves.len() > 1 || !survey.moves.iter().all(is_plain) {
        return RiskLevel::Medium;
    }
    RiskLevel::Low
}
