//! Whether what came into a branch was taken out of it again.
//!
//! A branch that is put on top of a revert loses the code that it was made on,
//! without any conflict: someone has to say that this is wanted.

use std::collections::BTreeSet;

use baton_host::git::{Git, GitError, LogEntry, Oid};
use baton_protocol::tools::manage_stacked_prs::LandingWay;

use super::landing::{Landing, range};
use super::survey::Survey;

/// Commits of the branch that are looked at.
const MAX_COMPARED_COMMITS: usize = 200;
/// What `git revert` writes before the id.
const SAYS: &str = "This reverts commit ";

/// A commit that took the lower pull request, or a part of it, out again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Revert {
    pub(in super::super) commit: Oid,
    pub(in super::super) subject: String,
}

/// What came in, as patches in both directions and as ids.
struct Landed {
    patches: BTreeSet<Oid>,
    reversed: BTreeSet<Oid>,
    ids: Vec<Oid>,
}

impl Survey {
    pub(super) async fn find_reverts(&self) -> Result<Vec<Revert>, GitError> {
        let (Some(landing), Some(ground)) = (&self.landing, &self.ground) else {
            return Ok(Vec::new());
        };
        let Some(commit) = &landing.commit else {
            return Ok(Vec::new());
        };
        let git = &self.objects.git;
        let mut since = git
            .log(range(commit.as_str(), &ground.commit), MAX_COMPARED_COMMITS)
            .await?;
        since.reverse();
        if since.is_empty() {
            return Ok(Vec::new());
        }
        let landed = Landed::read(git, landing, commit, &self.base.head).await?;
        let patches = git
            .patch_ids(range(commit.as_str(), &ground.commit))
            .await?;
        let mut reverts = Vec::new();
        for entry in &since {
            let patch = patches
                .iter()
                .find(|id| id.commit.as_ref() == Some(&entry.commit));
            landed.follow(&mut reverts, entry, patch.map(|id| &id.patch));
        }
        Ok(reverts)
    }
}

impl Landed {
    async fn read(
        git: &Git,
        landing: &Landing,
        commit: &Oid,
        head: &str,
    ) -> Result<Self, GitError> {
        let mut landed = Self {
            patches: BTreeSet::new(),
            reversed: BTreeSet::new(),
            ids: vec![commit.clone()],
        };
        let before = match landing.way {
            LandingWay::Rebase => format!("{commit}~{}", landing.commits.max(1)),
            _ => format!("{commit}^"),
        };
        landed.add(git, &before, commit.as_str()).await?;
        let single = match landing.way {
            LandingWay::Rebase => {
                git.log(range(&before, commit.as_str()), landing.commits)
                    .await?
            }
            LandingWay::Merge => git.log(range(&before, head), MAX_COMPARED_COMMITS).await?,
            LandingWay::Squash | LandingWay::Unknown => Vec::new(),
        };
        for entry in single.iter().filter(|entry| entry.parents.len() == 1) {
            let parent = entry.parents[0].as_str();
            landed.add(git, parent, entry.commit.as_str()).await?;
            landed.ids.push(entry.commit.clone());
        }
        Ok(landed)
    }

    async fn add(&mut self, git: &Git, from: &str, to: &str) -> Result<(), GitError> {
        self.patches.extend(git.patch_id_between(from, to).await?);
        self.reversed.extend(git.patch_id_between(to, from).await?);
        Ok(())
    }

    /// Takes one more commit of the branch into account, in their order.
    fn follow(&self, reverts: &mut Vec<Revert>, entry: &LogEntry, patch: Option<&Oid>) {
        let of = says(&entry.message);
        let names = |id: &Oid| of.as_deref() == Some(id.as_str());
        let taken_back = reverts.iter().position(|revert| names(&revert.commit));
        if let Some(known) = taken_back {
            reverts.remove(known);
        } else if patch.is_some_and(|patch| self.reversed.contains(patch))
            || self.ids.iter().any(names)
        {
            reverts.push(Revert {
                commit: entry.commit.clone(),
                subject: entry.subject().to_owned(),
            });
        } else if patch.is_some_and(|patch| self.patches.contains(patch)) {
            // Brought in again without a word: the last revert is undone.
            reverts.pop();
        }
    }
}

/// The commit that a message says it reverts.
fn says(message: &str) -> Option<String> {
    let (_, rest) = message.split_once(SAYS)?;
    let id: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
    Oid::parse(&id).map(|id| id.to_string())
}
