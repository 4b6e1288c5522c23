//! In which order the open pull requests of a branch can be merged.
//!
//! Every pair is merged in the object store. Of those that fit together, as many as possible come
//! first, and that order is merged once more as a whole: what the plan says is what git did.

use baton_host::git::{Git, GitError, MergeTree, NewCommit, Oid, Signature};
use baton_protocol::Repository;
use baton_protocol::tools::plan_merges::{
    ConflictingPair, MergeNeed, PlanMergesInput, PlanMergesOutput, PlannedBase, PlannedMerge,
};
use baton_remote::github::questions::open_pulls::OpenPull;

use super::context::PullContext;
use super::objects::{NeededCommit, Objects};
use super::stacked_prs::rehearsal::files;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

pub struct PlanMerges;

impl Operation for PlanMerges {
    const META: Meta = Meta {
        name: "plan_merges",
        title: "Plan merges",
        about: "In which order to merge the open pull requests",
        description: "Finds the order in which most open pull requests of a branch merge one after the other as they \
            are. Merges every pair and then the whole order with real git, without touching a branch. Tells which \
            pull requests conflict with each other, in which files, and which have to be brought up to date, and why. \
            Call it when several pull requests wait for their merge.",
        input: "plan_merges.input",
        output: "plan_merges.output",
        effects: Effects::READ_REMOTE,
        may_last: operation::never,
    };
    type Input = PlanMergesInput;
    type Output = PlanMergesOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let named: Vec<&str> = input.repository.as_deref().into_iter().collect();
        let cx = cx.pulls(&named).await?;
        cx.until_cancelled(plan(&cx, &input)).await
    }
}

async fn plan(cx: &PullContext, input: &PlanMergesInput) -> Result<PlanMergesOutput, OpError> {
    let repository = cx.repository(input.repository.as_deref())?;
    let open = cx.open_pulls(&repository).await?;
    let Some(branch) = input.base.clone().or(open.default_branch) else {
        return Err(OpError::logical(
            format!("{repository} has no default branch"),
            "Name a branch in `base`.",
        ));
    };
    let Some(tip) = cx.github.branch_head(&repository, &branch).await? else {
        return Err(OpError::logical(
            format!("{repository} has no branch `{branch}`"),
            "Name a branch that exists in `base`.",
        ));
    };
    let mut notes = Vec::new();
    let mut pulls = open.pulls;
    pulls.retain(|pull| pull.base_ref_name == branch);
    let limit = usize::try_from(input.limit).unwrap_or(usize::MAX);
    if pulls.len() > limit || open.truncated {
        notes.push(format!(
            "There are more than the {limit} oldest, which were planned."
        ));
        pulls.truncate(limit);
    }
    if !open.unreadable.is_empty() {
        notes.push("Some pull requests could not be read.".to_owned());
    }
    let objects = cx.objects(&repository).await?;
    have(&objects, &pulls, &branch, tip.as_str()).await?;
    cx.tell("merging every pair");
    let rehearsed = Rehearsed::new(&objects.git, &pulls, tip.clone()).await?;
    let chosen = largest(&rehearsed.fits);
    let order = rehearsed.order(&chosen).await?;
    let planned: Vec<PlannedMerge> = order
        .iter()
        .map(|step| step.planned(&repository, &pulls))
        .collect();
    let as_they_are = planned
        .iter()
        .filter(|one| one.needs == MergeNeed::Nothing)
        .count();
    Ok(PlanMergesOutput {
        conflicts: rehearsed.conflicts(&repository),
        repository: repository.to_string(),
        base: PlannedBase {
            branch,
            commit: tip.to_string(),
        },
        need_work: (planned.len() - as_they_are) as u64,
        land_as_they_are: as_they_are as u64,
        order: planned,
        message: (!notes.is_empty()).then(|| notes.join(" ")),
    })
}

async fn have(
    objects: &Objects,
    pulls: &[OpenPull],
    branch: &str,
    tip: &str,
) -> Result<(), OpError> {
    let heads = pulls
        .iter()
        .map(|pull| NeededCommit::head_of(pull.number, pull.head_ref_oid.as_str()));
    let wanted: Vec<NeededCommit> = heads.chain([NeededCommit::branch(branch, tip)]).collect();
    Ok(objects.have(&wanted).await?)
}

/// Every pull request merged by itself, and every pair of them.
struct Rehearsed<'a> {
    git: &'a Git,
    pulls: &'a [OpenPull],
    tip: Oid,
    /// Files in conflict with the base branch, by index; absent where it merges.
    alone: Vec<Option<Vec<String>>>,
    pairs: Vec<(usize, usize, Vec<String>)>,
    /// Whether two merge one after the other. One that does not merge alone fits with none.
    fits: Vec<Vec<bool>>,
}

/// A pull request in its turn.
struct Step {
    pull: usize,
    needs: MergeNeed,
    files: Vec<String>,
    because_of: Vec<u32>,
}

impl<'a> Rehearsed<'a> {
    async fn new(git: &'a Git, pulls: &'a [OpenPull], tip: Oid) -> Result<Self, GitError> {
        let count = pulls.len();
        let mut rehearsed = Self {
            git,
            pulls,
            alone: Vec::new(),
            pairs: Vec::new(),
            fits: vec![vec![false; count]; count],
            tip,
        };
        let mut merged: Vec<Option<Oid>> = Vec::new();
        for pull in pulls {
            match merge(git, &rehearsed.tip, pull).await? {
                Merged::Clean(commit) => {
                    merged.push(Some(commit));
                    rehearsed.alone.push(None);
                }
                Merged::Conflict(files) => {
                    merged.push(None);
                    rehearsed.alone.push(Some(files));
                }
            }
        }
        for (one, first) in merged.iter().enumerate() {
            let Some(first) = first else {
                continue;
            };
            rehearsed.fits[one][one] = true;
            for (other, second) in merged.iter().enumerate().skip(one + 1) {
                if second.is_none() {
                    continue;
                }
                match merge(git, first, &pulls[other]).await? {
                    Merged::Clean(_) => {
                        rehearsed.fits[one][other] = true;
                        rehearsed.fits[other][one] = true;
                    }
                    Merged::Conflict(files) => rehearsed.pairs.push((one, other, files)),
                }
            }
        }
        Ok(rehearsed)
    }

    /// Merges the chosen ones in their order, then tries the others on top of them.
    async fn order(&self, chosen: &[usize]) -> Result<Vec<Step>, GitError> {
        let mut tip = self.tip.clone();
        let (mut steps, mut late) = (Vec::new(), Vec::new());
        for &pull in chosen {
            match merge(self.git, &tip, &self.pulls[pull]).await? {
                Merged::Clean(commit) => {
                    tip = commit;
                    steps.push(Step {
                        pull,
                        needs: MergeNeed::Nothing,
                        files: Vec::new(),
                        because_of: Vec::new(),
                    });
                }
                // Pairs fit that three do not.
                Merged::Conflict(_) => late.push(pull),
            }
        }
        late.extend((0..self.pulls.len()).filter(|pull| !chosen.contains(pull)));
        for pull in late {
            let files = match merge(self.git, &tip, &self.pulls[pull]).await? {
                Merged::Clean(commit) => {
                    tip = commit;
                    Vec::new()
                }
                Merged::Conflict(files) => files,
            };
            let step = self.late(pull, files, &steps);
            steps.push(step);
        }
        // What merges as it is needs not wait for what does not.
        steps.sort_by_key(|step| step.needs != MergeNeed::Nothing);
        Ok(steps)
    }

    fn late(&self, pull: usize, files: Vec<String>, before: &[Step]) -> Step {
        let merges = |step: &&Step| step.needs == MergeNeed::Nothing;
        let because_of = before
            .iter()
            .filter(merges)
            .filter(|step| !self.fits[pull][step.pull])
            .map(|step| self.pulls[step.pull].number)
            .collect();
        match &self.alone[pull] {
            Some(now) => Step {
                pull,
                needs: MergeNeed::ResolveNow,
                files: if files.is_empty() { now.clone() } else { files },
                because_of: Vec::new(),
            },
            None => Step {
                pull,
                needs: if files.is_empty() {
                    MergeNeed::Nothing
                } else {
                    MergeNeed::Resolve
                },
                because_of: if files.is_empty() {
                    Vec::new()
                } else {
                    because_of
                },
                files,
            },
        }
    }

    fn conflicts(&self, repository: &Repository) -> Vec<ConflictingPair> {
        let named = |pull: usize| format!("{repository}#{}", self.pulls[pull].number);
        self.pairs
            .iter()
            .map(|(one, other, files)| ConflictingPair {
                one: named(*one),
                other: named(*other),
                files: files.clone(),
            })
            .collect()
    }
}

impl Step {
    fn planned(&self, repository: &Repository, pulls: &[OpenPull]) -> PlannedMerge {
        let pull = &pulls[self.pull];
        PlannedMerge {
            pr: format!("{repository}#{}", pull.number),
            title: pull.title.clone(),
            head: pull.head_ref_oid.to_string(),
            draft: pull.is_draft,
            needs: self.needs,
            files: self.files.clone(),
            because_of: self
                .because_of
                .iter()
                .map(|number| format!("{repository}#{number}"))
                .collect(),
        }
    }
}

enum Merged {
    Clean(Oid),
    Conflict(Vec<String>),
}

/// Merges the head of a pull request in the object store; no branch moves.
async fn merge(git: &Git, onto: &Oid, pull: &OpenPull) -> Result<Merged, GitError> {
    let head = &pull.head_ref_oid;
    let merge: MergeTree = git.merge_tree(onto.as_str(), head.as_str()).await?;
    if !merge.clean {
        return Ok(Merged::Conflict(files(&merge)));
    }
    let nameless = Signature {
        name: "rehearsal".to_owned(),
        email: "rehearsal@invalid".to_owned(),
        time: 0,
        zone: "+0000".to_owned(),
    };
    let new = NewCommit {
        tree: &merge.tree,
        parents: &[onto.clone(), head.clone()],
        message: "Rehearsal",
        author: &nameless,
        committer: &nameless,
    };
    git.make_commit(new).await.map(Merged::Clean)
}

/// The most that fit together pairwise, the oldest first. With twenty pull requests there are few
/// enough sets that all that matter are looked at.
fn largest(fits: &[Vec<bool>]) -> Vec<usize> {
    let mut best = Vec::new();
    let all: Vec<usize> = (0..fits.len()).filter(|&one| fits[one][one]).collect();
    grow(fits, &mut Vec::new(), &all, &mut best);
    best
}

fn grow(fits: &[Vec<bool>], chosen: &mut Vec<usize>, rest: &[usize], best: &mut Vec<usize>) {
    if chosen.len() > best.len() {
        best.clone_from(chosen);
    }
    let Some((&next, others)) = rest.split_first() else {
        return;
    };
    if chosen.len() + rest.len() <= best.len() {
        return;
    }
    let fitting: Vec<usize> = others
        .iter()
        .copied()
        .filter(|&other| fits[next][other])
        .collect();
    chosen.push(next);
    grow(fits, chosen, &fitting, best);
    chosen.pop();
    grow(fits, chosen, others, best);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_but(count: usize, conflicts: &[(usize, usize)]) -> Vec<Vec<bool>> {
        let mut fits = vec![vec![true; count]; count];
        for &(one, other) in conflicts {
            fits[one][other] = false;
            fits[other][one] = false;
        }
        fits
    }

    #[test]
    fn as_many_as_possible_are_chosen() {
        assert_eq!(largest(&all_but(3, &[])), [0, 1, 2]);
        // The oldest one is in the way of all others.
        assert_eq!(largest(&all_but(4, &[(0, 1), (0, 2), (0, 3)])), [1, 2, 3]);
        assert_eq!(largest(&all_but(2, &[(0, 1)])), [0]);
        // One that does not merge alone.
        assert_eq!(largest(&all_but(2, &[(0, 0), (0, 1)])), [1]);
        assert_eq!(largest(&[]), Vec::<usize>::new());
        assert_eq!(largest(&all_but(20, &[])).len(), 20);
    }
}
