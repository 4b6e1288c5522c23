//! Whether what was found about a branch's own commits is enough to act on.

use baton_host::git::{Git, GitError, LogEntry, Oid};
use jiff::Timestamp;

use super::fork_point::{Below, Ends, is_head};
use super::landing::commits;
use super::sameness::{self, Sameness};
use super::strategy::first_words;

/// A cut that was found, and what it was found by.
pub(super) struct Judged<'a> {
    pub(super) git: &'a Git,
    pub(super) ends: &'a Ends<'a>,
    pub(super) below: &'a Below,
    pub(super) commit: &'a Oid,
    pub(super) own: &'a [LogEntry],
    pub(super) same: &'a [Sameness],
    pub(super) left_out: &'a [LogEntry],
    pub(super) is_mixed: bool,
}

impl Judged<'_> {
    pub(super) async fn evidence(&self) -> Result<String, GitError> {
        if self.commit.as_str() == self.ends.lower {
            let lower = self.git.commit(self.ends.lower).await?;
            return Ok(format!("it contains the head {} below", lower.short()));
        }
        Ok(match (self.same, self.is_mixed) {
            ([], true) => "commits of the one below stand between its own".to_owned(),
            ([], false) => {
                let count = commits(self.below.now.len());
                format!("none of the {count} below is in it")
            }
            (same, false) => sameness::counted(same),
            (same, true) => sameness::counted(same) + "; more of them stand between its own",
        })
    }

    /// Why this is not enough to act on.
    pub(super) async fn doubt(&self) -> Result<Option<String>, GitError> {
        if self.is_mixed {
            return Ok(Some(
                "a rebase cannot take them out of the middle".to_owned(),
            ));
        }
        if self.own.is_empty() {
            return Ok(Some("nothing would be its own".to_owned()));
        }
        if let Some(of_base) = self
            .own
            .iter()
            .find(|entry| self.below.of_base.contains(&entry.commit))
        {
            return Ok(Some(format!(
                "{} was in the base branch before a push by force",
                of_base.commit.short()
            )));
        }
        if let Some(last) = self.left_out.last() {
            return self.doubt_about_leaving_out(last).await;
        }
        Ok(match &self.ends.history.unknown {
            Some(why) if !self.all_below_is_found() => Some(format!(
                "whether the branch below was pushed by force is not known ({why})"
            )),
            _ => self.twin().map(|twin| {
                format!(
                    "{} has the author and date of one below",
                    twin.commit.short()
                )
            }),
        })
    }

    /// Whether what the lower one no longer has was its own and not the upper one's.
    async fn doubt_about_leaving_out(&self, last: &LogEntry) -> Result<Option<String>, GitError> {
        let (git, ends) = (self.git, self.ends);
        if same_content(git, ends.floor, last.commit.as_str(), ends.lower).await? {
            return Ok(None);
        }
        let told = format!(
            "{} ({}) was below once and is there no longer",
            last.commit.short(),
            first_words(last.subject())
        );
        // Whoever made a copy may have wanted to keep it.
        let is_copy = |entry: &LogEntry| !self.below.before_ids.contains(&entry.commit);
        if self.left_out.iter().any(is_copy) {
            return Ok(Some(told));
        }
        if let Some(why) = &ends.history.unknown {
            // It stands on what was the head of the one below, which has gone on differently.
            let was_head = is_head(ends.history, self.commit);
            let went_back = git.is_ancestor(ends.lower, self.commit.as_str()).await?;
            let doubt = format!("{told}; when it went is not known ({why})");
            return Ok((!was_head || went_back).then_some(doubt));
        }
        let left_at = self.left_at(last).await?;
        let (Some(opened_at), Some(left_at)) = (ends.opened_at, left_at) else {
            return Ok(Some(told));
        };
        // A pull request begins with a commit of its own.
        let began_with_own = self
            .own
            .iter()
            .any(|entry| entry.author.time <= opened_at.as_second());
        Ok((opened_at > left_at || !began_with_own).then_some(told))
    }

    /// When the lower one's branch last left the commit behind.
    async fn left_at(&self, last: &LogEntry) -> Result<Option<Timestamp>, GitError> {
        for head in &self.ends.history.heads {
            let Some(left_at) = head.left_at else {
                continue;
            };
            let (last, head) = (last.commit.as_str(), head.commit.as_str());
            if self.git.is_ancestor(last, head).await? {
                return Ok(Some(left_at));
            }
        }
        Ok(None)
    }

    fn all_below_is_found(&self) -> bool {
        let is_there = |same: &&Sameness| !same.is_former();
        self.commit.as_str() == self.ends.lower
            || self.same.iter().filter(is_there).count() >= self.below.now.len().max(1)
    }

    /// An own commit that may be another version of one below that is not found in it.
    fn twin(&self) -> Option<&LogEntry> {
        if self.all_below_is_found() {
            return None;
        }
        self.own.iter().find(|entry| {
            let mut below = self.below.now.iter().chain(&self.below.before);
            below.any(|other| other.author == entry.author)
        })
    }
}

/// Whether two branches make the same change as a whole, in however many commits.
async fn same_content(git: &Git, floor: &str, one: &str, other: &str) -> Result<bool, GitError> {
    let mut whole = Vec::new();
    for tip in [one, other] {
        let Some(fork) = git.merge_base(floor, tip).await? else {
            return Ok(false);
        };
        whole.push(git.patch_id_between(fork.as_str(), tip).await?);
    }
    Ok(whole[0].is_some() && whole[0] == whole[1])
}
