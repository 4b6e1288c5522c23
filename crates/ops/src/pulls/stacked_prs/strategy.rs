//! Which rebase, and why.

use baton_protocol::tools::manage_stacked_prs::{LandingWay, RebaseKind, RebaseStrategy};

use super::commands;
use super::landing::commits;
use super::rehearsal::Rehearsal;
use super::survey::{Move, Relation, Survey};

/// Whether a person has to decide before anything is rewritten, and what.
pub(in super::super) fn question(survey: &Survey) -> Option<String> {
    let first = survey.moves.first()?;
    let (base, upper) = (survey.base.number, first.member.number);
    // Who says where the own commits begin has decided what becomes of the others.
    let is_decided = survey.cut.is_some() && upper == survey.dependent.number;
    if is_decided {
        return unclear(survey);
    }
    if let Some(revert) = survey.reverts.last() {
        let (branch, short) = (&survey.target.branch, revert.commit.short());
        return Some(format!(
            "#{base} came into `{branch}` and {short} ({}) took it out again: on top of that, #{upper} would be \
             without its code. Bring it back first with `git revert {short}` on `{branch}`; or say in `cut` after \
             which commit the own commits of #{upper} begin, to go on without it or with it as #{upper}'s own.",
            first_words(&revert.subject)
        ));
    }
    if !survey.base.standing.is_open() && survey.landing.is_none() {
        return Some(format!(
            "#{base} is {}, and nothing of it is found in `{}`. Are its commits to stay in #{upper} \
             (regular), or to be left out (--onto)?",
            survey.base.standing.as_str(),
            survey.target.branch
        ));
    }
    if survey
        .landing
        .as_ref()
        .is_some_and(|landing| landing.way == LandingWay::Unknown)
    {
        return Some(format!(
            "It is not known how #{base} was merged. Which commits of #{upper} are its own?"
        ));
    }
    unclear(survey)
}

fn unclear(survey: &Survey) -> Option<String> {
    let unclear = survey.moves.iter().find(|one| !one.fork_point.certain)?;
    let number = unclear.member.number;
    let below = survey.stack.below(number).map(|below| below.number);
    let how = if number == survey.dependent.number {
        "Say the last commit below them in `cut`.".to_owned()
    } else {
        format!(
            "Bring #{number} onto #{} by itself first, with `cut`.",
            below.unwrap_or(survey.base.number)
        )
    };
    Some(format!(
        "Which commits of #{number} are its own? {}. {how}",
        unclear.fork_point.evidence
    ))
}

pub(super) fn recommend(survey: &Survey, use_onto: Option<bool>) -> RebaseStrategy {
    let Some(first) = survey.moves.first() else {
        return RebaseStrategy {
            recommended: RebaseKind::Regular,
            reason: nothing_to_do(survey),
            regular_command: None,
            onto_command: None,
            merge_command: None,
            ai_should_decide: false,
            considerations: notes(survey),
        };
    };
    let is_same = survey.plain.as_ref().and_then(Rehearsal::tip) == first.rehearsal.tip()
        && first.rehearsal.tip().is_some();
    let question = question(survey);
    let (found, reason) = recommended(survey, first, is_same);
    let recommended = match use_onto {
        Some(true) => RebaseKind::Onto,
        Some(false) => RebaseKind::Regular,
        None => found,
    };
    let reason = match (&question, use_onto) {
        (Some(question), _) => question.clone(),
        (None, Some(_)) if recommended != found => format!("As asked for. {reason}"),
        (None, _) => reason,
    };
    let rewritten = survey
        .landing
        .as_ref()
        .is_some_and(|landing| landing.way == LandingWay::Squash);
    let mut considerations = considerations(survey, is_same);
    considerations.extend(notes(survey));
    RebaseStrategy {
        recommended,
        reason,
        regular_command: Some(commands::regular(survey, first)),
        onto_command: Some(commands::onto(survey, first)),
        merge_command: first.by_merge.then(|| commands::merge(survey, first)),
        ai_should_decide: question.is_some() || (is_same && !rewritten && use_onto.is_none()),
        considerations,
    }
}

fn nothing_to_do(survey: &Survey) -> String {
    let (base, dependent) = (survey.base.number, survey.dependent.number);
    match &survey.relation {
        Relation::Unrelated => format!("#{dependent} does not stand on #{base}."),
        Relation::Reversed => {
            format!("#{base} stands on #{dependent}: the two are named the other way round.")
        }
        _ if !survey.dependent.standing.is_open() => {
            format!("#{dependent} is {}.", survey.dependent.standing.as_str())
        }
        _ => format!("#{dependent} has all that it stands on."),
    }
}

fn recommended(survey: &Survey, first: &Move, is_same: bool) -> (RebaseKind, String) {
    let (base, upper) = (survey.base.number, first.member.number);
    let own = commits(first.fork_point.own.len());
    let target = &survey.target.branch;
    if first.by_merge {
        let reason = format!(
            "#{upper} is kept current by merges: what is below it is merged into it, and its {own} stay as they are, \
             without a push by force."
        );
        return (RebaseKind::Regular, reason);
    }
    let Some(landing) = &survey.landing else {
        if !survey.base.standing.is_open() {
            return (RebaseKind::Regular, String::new());
        }
        return if is_same && first.fork_point.kept {
            let reason =
                format!("What is below #{upper} has new commits; a rebase puts its {own} on them.");
            (RebaseKind::Regular, reason)
        } else {
            let reason = format!(
                "What is below #{upper} was rewritten; --onto puts only its {own} on it and leaves the old ones out."
            );
            (RebaseKind::Onto, reason)
        };
    };
    match landing.way {
        LandingWay::Squash => (
            RebaseKind::Onto,
            format!(
                "#{base} was squash-merged into {target}. --onto leaves its {} out and replays only the {own} of #{upper}.",
                commits(first.fork_point.below)
            ),
        ),
        LandingWay::Rebase => (
            RebaseKind::Onto,
            format!(
                "#{base} was rebased into {target}, so that its commits have other ids there. --onto replays only the {own} of #{upper}."
            ),
        ),
        LandingWay::Merge if !is_same => (
            RebaseKind::Onto,
            format!("#{base} was merged into {target}. --onto replays only the {own} of #{upper}."),
        ),
        LandingWay::Merge => (
            RebaseKind::Regular,
            format!(
                "#{base} was merged into {target} with its own commits, so that a regular rebase replays only the {own} of #{upper}."
            ),
        ),
        LandingWay::Unknown => (RebaseKind::Onto, String::new()),
    }
}

/// Facts to weigh, each found and none guessed.
fn considerations(survey: &Survey, is_same: bool) -> Vec<String> {
    let mut list = Vec::new();
    let base = survey.base.number;
    if let Some(landing) = &survey.landing {
        let way = match landing.way {
            LandingWay::Merge => "merged",
            LandingWay::Squash => "squash-merged",
            LandingWay::Rebase => "rebased",
            LandingWay::Unknown => "merged in an unknown way",
        };
        let evidence = &landing.evidence;
        let count = commits(landing.commits);
        list.push(format!("#{base} ({count}) was {way}: {evidence}."));
    }
    for one in &survey.moves {
        let number = one.member.number;
        list.push(format!(
            "#{number} has {} of its own: {}.",
            one.fork_point.shown(),
            one.fork_point.evidence
        ));
    }
    if let Some(plain) = &survey.plain {
        list.push(format!(
            "A rebase without --onto {}.",
            outcome(plain, is_same)
        ));
    }
    for one in &survey.moves {
        let left_out = one.fork_point.left_out_shown();
        if !left_out.is_empty() {
            list.push(format!(
                "#{} has commits that are below no longer, which are left out: {}.",
                one.member.number,
                left_out.join(", ")
            ));
        }
        for objection in &one.objections {
            list.push(format!(
                "#{} would not be what it was: {objection}.",
                one.member.number
            ));
        }
        if let Some(told) = trouble(one) {
            list.push(told);
        }
        let member = &one.member;
        if member.is_fork && member.head_repository.is_none() {
            list.push(format!(
                "The fork of #{} is gone: its branch cannot be pushed.",
                member.number
            ));
        }
    }
    list
}

fn outcome(plain: &Rehearsal, is_same: bool) -> String {
    match plain {
        Rehearsal::Clean { .. } if is_same => "gives the same commits".to_owned(),
        Rehearsal::Clean { commits: made, .. } => {
            let kept = made.iter().filter(|commit| commit.to.is_some()).count();
            format!(
                "goes through as well, and leaves {} in the pull request",
                commits(kept)
            )
        }
        Rehearsal::Conflict { at, subject, files } => format!(
            "stops at {} ({}) with conflicts in {}",
            at.short(),
            first_words(subject),
            files.join(", ")
        ),
        Rehearsal::HasMerge { commit, .. } => {
            format!("has to flatten the merge commit {}", commit.short())
        }
        Rehearsal::NotReached => "was not rehearsed".to_owned(),
    }
}

fn trouble(one: &Move) -> Option<String> {
    let number = one.member.number;
    match &one.rehearsal {
        Rehearsal::Clean { commits: made, .. } => {
            let dropped = made.iter().filter(|commit| commit.to.is_none()).count();
            (dropped > 0).then(|| {
                format!(
                    "{} of #{number} will vanish, as the change is there already.",
                    commits(dropped)
                )
            })
        }
        Rehearsal::Conflict { at, subject, files } => Some(format!(
            "#{number} conflicts at {} ({}) in {}.",
            at.short(),
            first_words(subject),
            files.join(", ")
        )),
        Rehearsal::HasMerge { commit, files } => Some(format!(
            "#{number} has the merge commit {}, so that its rebase could only be rehearsed as a whole: {}.",
            commit.short(),
            if files.is_empty() {
                "without conflicts".to_owned()
            } else {
                format!("conflicts in {}", files.join(", "))
            }
        )),
        Rehearsal::NotReached => Some(format!(
            "#{number} was not rehearsed, as what is below it has conflicts."
        )),
    }
}

fn notes(survey: &Survey) -> Vec<String> {
    let mut notes = survey.notes.clone();
    for revert in &survey.reverts {
        notes.push(format!(
            "{} ({}) took #{} out of `{}` again.",
            revert.commit.short(),
            first_words(&revert.subject),
            survey.base.number,
            survey.target.branch
        ));
    }
    let unknown = survey
        .histories
        .iter()
        .find_map(|(number, history)| Some((number, history.unknown.as_ref()?)));
    if let Some((number, why)) = unknown
        && survey.relation.is_stacked()
    {
        notes.push(format!(
            "Whether #{number} was pushed by force is not known: {why}."
        ));
    }
    notes
}

/// A subject is as long as its author liked.
pub(in super::super) fn first_words(text: &str) -> String {
    const MAX_LEN: usize = 72;
    let mut words: String = text.chars().take(MAX_LEN).collect();
    if text.chars().nth(MAX_LEN).is_some() {
        words.push('…');
    }
    words
}
