//! Who has to move, where to, and what that gives: rehearsed in the object store.

use baton_host::git::GitError;

use super::super::context::PullContext;
use super::super::objects::NeededCommit;
use super::fork_point::ForkPoint;
use super::members::Member;
use super::rehearsal::{self, Rehearsal};
use super::survey::{MAX_MOVES, Move, Onto, Survey, anonymous};
use super::{merging, proof};
use crate::error::OpError;

impl Survey {
    /// Goes up from the lowest one above the base, and notes who has to move.
    pub(super) async fn plan(&mut self, cx: &PullContext) -> Result<(), OpError> {
        let way = self.stack.way_up(self.base.number, self.dependent.number);
        let lowest = way
            .and_then(|way| way.first().copied())
            .unwrap_or(self.dependent.number);
        let mut upwards = self.stack.upwards_of(lowest);
        if upwards.len() > MAX_MOVES {
            self.notes.push(format!(
                "{} pull requests stand on #{}; the plan has the lowest {MAX_MOVES}.",
                upwards.len(),
                self.base.number
            ));
            upwards.truncate(MAX_MOVES);
        }
        let members: Vec<Member> = upwards
            .iter()
            .filter_map(|&number| self.stack.member(number).cloned())
            .collect();
        let wanted: Vec<NeededCommit> = members
            .iter()
            .map(|member| NeededCommit::head_of(member.number, &member.head))
            .collect();
        self.objects.have(&wanted).await?;
        for member in members {
            cx.tell(&format!("rehearsing the rebase of #{}", member.number));
            if let Some(one) = self.plan_one(member, lowest).await? {
                self.moves.push(one);
            }
        }
        self.rehearse_plain().await?;
        Ok(())
    }

    /// `None` for one that can stay.
    async fn plan_one(&self, member: Member, lowest: u32) -> Result<Option<Move>, OpError> {
        let below = if member.number == lowest {
            &self.base
        } else {
            self.stack.below(member.number).unwrap_or(&self.base)
        };
        let moved = self
            .moves
            .iter()
            .find(|one| one.member.number == below.number);
        let onto = match moved {
            Some(_) => Onto::Moved(below.number),
            None if member.number == lowest => Onto::Ground,
            None => Onto::Standing(below.clone()),
        };
        let found = self.fork_point_between(below, &member).await?;
        if self.is_in_place(&member, &onto, found.as_ref()).await? {
            return Ok(None);
        }
        let Some(fork_point) = found else {
            return Err(OpError::logical(
                format!(
                    "{0}#{1} and {0}#{2} have no commit in common",
                    self.repository, below.number, member.number
                ),
                "A branch without common history cannot be rebased; check where it came from.",
            ));
        };
        let mut one = Move {
            by_merge: self.merge.unwrap_or(!fork_point.merges.is_empty()),
            rehearsal: Rehearsal::NotReached,
            objections: Vec::new(),
            member,
            fork_point,
            onto,
        };
        one.rehearsal = self.rehearse(&one).await?;
        one.objections = self.prove(&one).await?;
        Ok(Some(one))
    }

    /// What would not be as it was.
    async fn prove(&self, one: &Move) -> Result<Vec<String>, GitError> {
        let (Rehearsal::Clean { tip, commits }, Some(ground)) =
            (&one.rehearsal, self.new_ground(&one.onto))
        else {
            return Ok(Vec::new());
        };
        proof::objections(&self.objects.git, one, &ground, tip.as_str(), commits).await
    }

    /// Whether it has all that it is to stand on, and stands on nothing else.
    async fn is_in_place(
        &self,
        member: &Member,
        onto: &Onto,
        found: Option<&ForkPoint>,
    ) -> Result<bool, GitError> {
        // What was taken away below is still in it.
        let has_left_over = found.is_some_and(|found| !found.left_out.is_empty());
        match onto {
            Onto::Moved(_) => Ok(false),
            Onto::Standing(_) if has_left_over => Ok(false),
            Onto::Ground if has_left_over && self.landing.is_none() => Ok(false),
            Onto::Standing(below) => self.contains(&below.head, &member.head).await,
            // A person has to say what becomes of the commits below.
            Onto::Ground if !self.base.standing.is_open() && self.landing.is_none() => Ok(false),
            Onto::Ground => {
                let landed = self
                    .landing
                    .as_ref()
                    .and_then(|landing| landing.commit.as_ref());
                match (&self.ground, landed) {
                    (_, Some(commit)) => self.contains(commit.as_str(), &member.head).await,
                    (Some(ground), None) => self.contains(&ground.commit, &member.head).await,
                    (None, None) => Ok(true),
                }
            }
        }
    }

    async fn rehearse(&self, one: &Move) -> Result<Rehearsal, GitError> {
        let Some(ground) = self.new_ground(&one.onto) else {
            return Ok(Rehearsal::NotReached);
        };
        let git = &self.objects.git;
        if one.by_merge {
            let message = merging::message(self, one);
            return merging::rehearse(git, one, &ground, &message, &anonymous()).await;
        }
        rehearsal::play(
            git,
            &one.fork_point,
            &one.member.head,
            &ground,
            &anonymous(),
        )
        .await
    }

    /// The commit that it is put on, as far as the rehearsal got.
    pub(in super::super) fn new_ground(&self, onto: &Onto) -> Option<String> {
        match onto {
            Onto::Ground => self.ground.as_ref().map(|ground| ground.commit.clone()),
            Onto::Standing(below) => Some(below.head.clone()),
            Onto::Moved(number) => {
                let below = self.moves.iter().find(|one| one.member.number == *number)?;
                below.rehearsal.tip().map(|tip| tip.as_str().to_owned())
            }
        }
    }

    async fn rehearse_plain(&mut self) -> Result<(), GitError> {
        let Some(first) = self.moves.first() else {
            return Ok(());
        };
        let Some(ground) = self.new_ground(&first.onto) else {
            return Ok(());
        };
        let git = &self.objects.git;
        let plain = rehearsal::play_plain(git, &first.member.head, &ground, &anonymous()).await?;
        self.plain = Some(plain);
        Ok(())
    }
}
