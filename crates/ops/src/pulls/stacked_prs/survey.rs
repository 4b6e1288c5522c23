//! All that is known of a stack and of what there is to do about it, for the
//! tool that tells and for the one that acts.

use std::collections::BTreeMap;

use baton_host::git::{GitError, LogRange, Oid, Signature};
use baton_protocol::{PrReference, Repository, short};
use baton_remote::github::Fact;
use baton_remote::github::questions::stacked_pair::{StackEnd, StackedPair};

use super::super::context::PullContext;
use super::super::objects::{NeededCommit, Objects, ObjectsError};
use super::super::restack::MoveLog;
use super::fork_point::{self, Ends, ForkPoint};
use super::history::{self, History};
use super::landing::{self, Landing};
use super::members::{Member, Stack, Standing};
use super::rehearsal::Rehearsal;
use super::reverts::Revert;
use crate::error::OpError;

/// Pull requests that are moved in one go. A stack that is higher is a
/// mistake in the branches.
pub(super) const MAX_MOVES: usize = 30;

/// A commit that is only rehearsed has no person's name on it.
pub(super) fn anonymous() -> Signature {
    Signature {
        name: "rehearsal".to_owned(),
        email: "rehearsal@invalid".to_owned(),
        time: 0,
        zone: "+0000".to_owned(),
    }
}

/// What is asked.
pub(in super::super) struct Question<'a> {
    pub(in super::super) base_pr: &'a str,
    pub(in super::super) dependent_pr: &'a str,
    pub(in super::super) onto_base: Option<&'a str>,
    /// The last commit that is not the dependent one's own.
    pub(in super::super) cut: Option<&'a str>,
    /// Whether to merge what is below, where that is said.
    pub(in super::super) merge: Option<bool>,
}

pub(in super::super) struct Survey {
    pub(in super::super) repository: Repository,
    pub(in super::super) base: Member,
    pub(in super::super) dependent: Member,
    pub(in super::super) stack: Stack,
    pub(in super::super) relation: Relation,
    /// How the base pull request came into the branch that it went to.
    pub(in super::super) landing: Option<Landing>,
    /// The branch that the base pull request goes or went to.
    pub(in super::super) target: Target,
    /// What the lowest one that is moved is put on; absent where nothing is
    /// stacked.
    pub(in super::super) ground: Option<Ground>,
    pub(in super::super) moves: Vec<Move>,
    /// What a rebase without `--onto` gives for the first of them.
    pub(in super::super) plain: Option<Rehearsal>,
    /// Where the dependent one's own work begins.
    pub(in super::super) own_from: Option<ForkPoint>,
    pub(in super::super) objects: Objects,
    /// `https://github.com`.
    pub(in super::super) web_url: String,
    pub(in super::super) notes: Vec<String>,
    /// Where the branches were before, by number.
    pub(super) histories: BTreeMap<u32, History>,
    pub(super) cut: Option<Oid>,
    pub(super) merge: Option<bool>,
    /// What was taken out of the branch again after the base pull request came into it.
    pub(super) reverts: Vec<Revert>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Target {
    pub(in super::super) branch: String,
    pub(in super::super) tip: String,
    pub(in super::super) is_gone: bool,
}

/// How the two stand to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Relation {
    /// The dependent one goes to the branch of the other.
    Direct,
    /// There are others in between.
    Through(Vec<u32>),
    /// Only its commits show it.
    ByCommits,
    /// The other way round.
    Reversed,
    Unrelated,
}

impl Relation {
    pub(in super::super) fn is_stacked(&self) -> bool {
        match self {
            Self::Direct | Self::Through(_) | Self::ByCommits => true,
            Self::Reversed | Self::Unrelated => false,
        }
    }
}

/// What commits are put on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Ground {
    pub(in super::super) commit: String,
    /// The branch, or whatever the caller named.
    pub(in super::super) label: String,
    /// The ref to fetch it by.
    pub(in super::super) reference: String,
}

/// One pull request that has to be, or may be, put on something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Move {
    pub(in super::super) member: Member,
    pub(in super::super) fork_point: ForkPoint,
    pub(in super::super) onto: Onto,
    pub(in super::super) rehearsal: Rehearsal,
    /// What is below is merged into it; else its commits are put on that.
    pub(in super::super) by_merge: bool,
    /// What would not be as it was, by the rehearsal.
    pub(in super::super) objections: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Onto {
    Ground,
    /// A pull request that stays where it is.
    Standing(Member),
    /// One that is moved itself.
    Moved(u32),
}

pub(in super::super) async fn survey(
    cx: &PullContext,
    question: &Question<'_>,
) -> Result<Survey, OpError> {
    let (base, dependent) = references(cx, question)?;
    let repository = base.repository().clone();
    cx.tell("reading the pull requests");
    let (pair, native) = tokio::join!(
        cx.github
            .stacked_pair(&repository, base.number(), dependent.number()),
        cx.github.native_stack(&repository, dependent.number()),
    );
    let (mut pair, native) = (pair?, Fact::from_answer(native)?);
    cx.withhold_titles(&repository, &mut pair.open).await?;
    let mut notes = Vec::new();
    if let Some(why) = native.unreadable() {
        notes.push(format!(
            "Whether the forge itself has them as a stack is not known: {}.",
            why.reason
        ));
    }
    let native: Vec<Member> = native
        .known()
        .into_iter()
        .flatten()
        .flat_map(|stack| &stack.pull_requests)
        .map(Member::from)
        .collect();
    let ends = [
        Member::from(&pair.base.pull),
        Member::from(&pair.dependent.pull),
    ];
    let stack = Stack::discover(ends.clone(), pair.open.iter().map(Member::from), &native);
    let [base, dependent] = ends;
    let mut survey = Survey {
        target: target(&pair.base),
        objects: cx.objects(&repository).await?,
        relation: Relation::Unrelated,
        landing: None,
        ground: None,
        moves: Vec::new(),
        plain: None,
        own_from: None,
        web_url: cx.workplace.web_url.clone(),
        notes,
        histories: BTreeMap::new(),
        cut: None,
        merge: question.merge,
        reverts: Vec::new(),
        repository,
        base,
        dependent,
        stack,
    };
    if pair.truncated {
        let note = "There are more open pull requests than were read; the stack may be larger.";
        survey.notes.push(note.to_owned());
    }
    cx.tell("looking at the commits");
    survey.fetch(&pair).await?;
    survey.look(cx, &pair, question).await?;
    Ok(survey)
}

fn references(
    cx: &PullContext,
    question: &Question<'_>,
) -> Result<(PrReference, PrReference), OpError> {
    let base = cx.reference(question.base_pr)?;
    let dependent = cx.reference(question.dependent_pr)?;
    let (one, other) = (base.repository(), dependent.repository());
    if !one.to_string().eq_ignore_ascii_case(&other.to_string()) {
        return Err(OpError::logical(
            format!("{base} and {dependent} are in different repositories"),
            "Only pull requests of one repository can stand on one another; those from forks are numbered \
             in the repository that they go to.",
        ));
    }
    if base.number() == dependent.number() {
        return Err(OpError::logical(
            format!("{base} cannot stand on itself"),
            "Name the lower pull request as base_pr and the upper one as dependent_pr.",
        ));
    }
    Ok((base, dependent))
}

fn target(base: &StackEnd) -> Target {
    let recorded = base.pull.base_ref_oid.as_str();
    Target {
        branch: base.pull.base_ref_name.clone(),
        tip: base
            .base_tip
            .as_ref()
            .map_or(recorded, |tip| tip.as_str())
            .to_owned(),
        is_gone: base.base_tip.is_none(),
    }
}

impl Survey {
    async fn fetch(&self, pair: &StackedPair) -> Result<(), ObjectsError> {
        let mut wanted = vec![
            NeededCommit::head_of(self.base.number, &self.base.head),
            NeededCommit::head_of(self.dependent.number, &self.dependent.head),
            NeededCommit::branch(&self.target.branch, &self.target.tip),
        ];
        if let Some(merge) = &pair.base.merge_commit {
            wanted.push(NeededCommit::branch(
                &self.target.branch,
                merge.oid.as_str(),
            ));
        }
        self.objects.have(&wanted).await
    }

    async fn look(
        &mut self,
        cx: &PullContext,
        pair: &StackedPair,
        question: &Question<'_>,
    ) -> Result<(), OpError> {
        self.landing = self.find_landing(pair).await?;
        self.read_histories(cx).await?;
        self.relation = self.find_relation().await?;
        if !self.relation.is_stacked() {
            return Ok(());
        }
        if self.relation == Relation::ByCommits {
            self.stack.put_on(self.dependent.number, self.base.number);
        }
        let ground = self.find_ground(cx, question).await?;
        self.ground = Some(ground);
        self.cut = match question.cut {
            Some(cut) => Some(self.named_cut(cut).await?),
            None => None,
        };
        self.reverts = self.find_reverts().await?;
        if self.dependent.standing.is_open() {
            self.plan(cx).await?;
        }
        self.own_from = self.find_own().await?;
        Ok(())
    }

    async fn find_landing(&self, pair: &StackedPair) -> Result<Option<Landing>, GitError> {
        let git = &self.objects.git;
        let merge = pair.base.merge_commit.as_ref();
        match (self.base.standing, merge) {
            (Standing::Open | Standing::Draft, _) => Ok(None),
            (Standing::Merged, Some(merge)) => {
                landing::by_merge_commit(git, &self.base.head, &merge.oid)
                    .await
                    .map(Some)
            }
            (Standing::Merged | Standing::Closed, _) => {
                landing::by_content(git, &self.base.head, &self.target.tip).await
            }
        }
    }

    async fn find_relation(&self) -> Result<Relation, GitError> {
        let (base, dependent) = (self.base.number, self.dependent.number);
        if let Some(way) = self.stack.way_up(base, dependent) {
            let between = &way[..way.len() - 1];
            return Ok(if between.is_empty() {
                Relation::Direct
            } else {
                Relation::Through(between.to_vec())
            });
        }
        if self.stack.way_up(dependent, base).is_some() {
            return Ok(Relation::Reversed);
        }
        let fork_point = self.fork_point_between(&self.base, &self.dependent).await?;
        let stands_on = fork_point.is_some_and(|fork_point| fork_point.below > 0);
        // A branch that has the merge itself stands on the branch, like all others.
        let landed = self
            .landing
            .as_ref()
            .and_then(|landing| landing.commit.as_ref());
        let has_landing = match landed {
            Some(commit) => self.contains(commit.as_str(), &self.dependent.head).await?,
            None => false,
        };
        Ok(if stands_on && !has_landing {
            Relation::ByCommits
        } else {
            Relation::Unrelated
        })
    }

    async fn find_own(&self) -> Result<Option<ForkPoint>, GitError> {
        let number = self.dependent.number;
        if let Some(one) = self.moves.iter().find(|one| one.member.number == number) {
            return Ok(Some(one.fork_point.clone()));
        }
        // The commits of others are here only when there was something to plan.
        let below = match self.stack.below(number) {
            Some(below) if self.dependent.standing.is_open() => below,
            _ => &self.base,
        };
        self.fork_point_between(below, &self.dependent).await
    }

    pub(super) async fn contains(&self, commit: &str, head: &str) -> Result<bool, GitError> {
        self.objects.git.is_ancestor(commit, head).await
    }

    /// What both pull requests were made on.
    async fn floor(&self) -> Result<String, GitError> {
        let landed = self
            .landing
            .as_ref()
            .and_then(|landing| landing.commit.as_ref());
        if let Some(commit) = landed {
            let range = LogRange {
                from: None,
                to: commit.as_str(),
            };
            let entry = self.objects.git.log(range, 1).await?.pop();
            if let Some(parent) = entry.and_then(|entry| entry.parents.into_iter().next()) {
                return Ok(parent.as_str().to_owned());
            }
        }
        Ok(self.target.tip.clone())
    }

    pub(super) async fn fork_point_between(
        &self,
        lower: &Member,
        upper: &Member,
    ) -> Result<Option<ForkPoint>, GitError> {
        let floor = self.floor().await?;
        let unread = History::default();
        let ends = Ends {
            lower: &lower.head,
            upper: &upper.head,
            floor: &floor,
            history: self.histories.get(&lower.number).unwrap_or(&unread),
            opened_at: self
                .histories
                .get(&upper.number)
                .and_then(|history| history.opened_at),
        };
        let git = &self.objects.git;
        let found = fork_point::find(git, ends).await?;
        match &self.cut {
            Some(cut) if upper.number == self.dependent.number => {
                ForkPoint::at(git, &ends, cut, found.as_ref())
                    .await
                    .map(Some)
            }
            _ => Ok(found),
        }
    }

    async fn read_histories(&mut self, cx: &PullContext) -> Result<(), OpError> {
        let mut numbers = self.stack.upwards_of(self.base.number);
        numbers.truncate(MAX_MOVES + 1);
        if !numbers.contains(&self.dependent.number) {
            numbers.push(self.dependent.number);
        }
        let members: Vec<Member> = numbers
            .iter()
            .filter_map(|number| self.stack.member(*number).cloned())
            .collect();
        let mut records = BTreeMap::new();
        // Without a record there is nothing to add.
        if let Ok(move_log) = MoveLog::open(cx) {
            for member in members.iter().filter(|member| !member.is_fork) {
                let moved = move_log.former_heads(&self.repository, &member.head_branch);
                records.insert(member.number, moved.await.unwrap_or_default());
            }
        }
        let (repository, objects) = (&self.repository, &self.objects);
        self.histories = history::read(cx, repository, objects, &members, &records).await?;
        Ok(())
    }

    /// A commit that a person named as the last one that is not the dependent one's own.
    async fn named_cut(&self, named: &str) -> Result<Oid, OpError> {
        let (git, dependent) = (&self.objects.git, &self.dependent);
        let refused = |why: &str| {
            OpError::logical(
                format!(
                    "`{}` cannot be the cut of #{}: {why}",
                    short(named),
                    dependent.number
                ),
                "Give the id of the last commit of its branch that is not its own; `git log` lists them.",
            )
        };
        let is_id = named.len() >= 7 && named.chars().all(|c| c.is_ascii_hexdigit());
        let found = if is_id {
            git.find_commit(named).await?
        } else {
            None
        };
        let Some(cut) = found else {
            return Err(refused("it is no id of a commit that is here"));
        };
        if cut.as_str() == dependent.head {
            return Err(refused("nothing would be its own"));
        }
        if !self.contains(cut.as_str(), &dependent.head).await? {
            return Err(refused("it is not in its branch"));
        }
        let below = self.stack.below(dependent.number).unwrap_or(&self.base);
        let common = git.merge_base(&below.head, &dependent.head).await?;
        if let Some(common) = common
            && !self.contains(common.as_str(), cut.as_str()).await?
            && below.standing.is_open()
        {
            return Err(refused(&format!(
                "{}, which comes after it, is in #{} as well",
                common.short(),
                below.number
            )));
        }
        Ok(cut)
    }

    async fn find_ground(
        &self,
        cx: &PullContext,
        question: &Question<'_>,
    ) -> Result<Ground, OpError> {
        if let Some(named) = question.onto_base {
            return self.named_ground(cx, named).await;
        }
        if self.base.standing.is_open() {
            return Ok(Ground {
                commit: self.base.head.clone(),
                label: self.base.head_branch.clone(),
                reference: format!("refs/pull/{}/head", self.base.number),
            });
        }
        if self.target.is_gone {
            return Err(OpError::logical(
                format!(
                    "the branch `{}`, which {}#{} went to, is gone",
                    self.target.branch, self.repository, self.base.number
                ),
                "Say in onto_base which branch to put the stack on.",
            ));
        }
        Ok(Ground {
            commit: self.target.tip.clone(),
            label: self.target.branch.clone(),
            reference: format!("refs/heads/{}", self.target.branch),
        })
    }

    async fn named_ground(&self, cx: &PullContext, named: &str) -> Result<Ground, OpError> {
        let repository = &self.repository;
        let branch = cx.github.branch_head(repository, named).await?;
        let (commit, reference) = match branch {
            Some(tip) => (tip.as_str().to_owned(), format!("refs/heads/{named}")),
            None if Oid::parse(named).is_some() => (named.to_owned(), named.to_owned()),
            None => {
                return Err(OpError::logical(
                    format!("{repository} has no branch `{named}`"),
                    "Give onto_base as the name of a branch, or as the whole id of a commit.",
                ));
            }
        };
        let wanted = NeededCommit {
            commit: commit.clone(),
            reference: reference.clone(),
        };
        self.objects.have(&[wanted]).await?;
        Ok(Ground {
            commit,
            label: named.to_owned(),
            reference,
        })
    }
}
