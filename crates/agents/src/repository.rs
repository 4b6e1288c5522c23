//! The repositories of a run.
//!
//! The run's own repository lies in its private folder. Only baton writes to it,
//! and everything that baton does with the work (commits, diffs, pushes) goes
//! through it. The folder `.git` of the worktree is a copy for the coding agent
//! and the project's commands. baton never runs git with it while others can
//! write to it: it takes the branch's commits out of it and throws it away.

use std::fs;
use std::path::{Path, PathBuf};

use baton_host::git::{self, Borrower, Call, Git, Oid};

use crate::AgentStep;
use crate::claim::{self, Claim};
use crate::step_error::StepError;
use crate::foreign_text::one_line;

/// The folder of the run's own repository.
pub(crate) fn path(step: &AgentStep<'_>) -> PathBuf {
    claim::private_folder(&step.place.checkout, step.call.run()).join("repository")
}

pub(crate) fn exists(step: &AgentStep<'_>) -> bool {
    path(step).join("HEAD").exists()
}

/// git for the worktree of a run, with the run's own repository.
pub(crate) async fn open(step: &AgentStep<'_>, worktree: &Path) -> Result<Git, StepError> {
    let place = step.place;
    let git = Git::open_separate(&path(step), worktree, &place.git_environment).await?;
    Ok(git
        .with_login(place.workplace.authorization.clone())
        .with_cancellation(step.context.cancel.clone()))
}

/// Makes repository and worktree, unless they are there.
pub(crate) async fn ensure(
    step: &AgentStep<'_>,
    checkout: &Git,
    claim: &Claim,
) -> Result<Git, StepError> {
    let (folder, worktree) = (path(step), claim.path(&step.place.checkout));
    let file = |doing: &str, path: &Path, error: &std::io::Error| {
        StepError::file(format_args!("{doing} {}", path.display()), error)
    };
    let is_new = !folder.join("HEAD").exists();
    if is_new {
        git::remove_all(&folder).map_err(|error| file("remove", &folder, &error))?;
        fs::create_dir_all(&folder).map_err(|error| file("make", &folder, &error))?;
        checkout
            .make_borrower(Borrower {
                folder: &folder,
                branch: &claim.branch,
                commit: &claim.begun,
                without_logins: false,
            })
            .await?;
    }
    fs::create_dir_all(&worktree).map_err(|error| file("make", &worktree, &error))?;
    let git = open(step, &worktree).await?;
    // No one has worked on it: whatever differs was left by a process that died.
    if git.commit("HEAD").await? == claim.begun {
        let settled = is_new || !worktree.join(".git").exists();
        if settled {
            step
                .context
                .say(&format!("making a worktree at {}", worktree.display()));
        }
        git::remove_all(&worktree.join(".git"))
            .map_err(|error| file("remove", &worktree, &error))?;
        git.put_back(&claim.begun).await?;
    }
    let copy = Copy {
        git: &git,
        private: claim::private_folder(&step.place.checkout, step.call.run()),
        worktree: &worktree,
        branch: &claim.branch,
    };
    copy.renew().await?;
    Ok(git)
}

/// The copy of the run's own repository in its worktree.
pub(crate) struct Copy<'a> {
    pub(crate) git: &'a Git,
    pub(crate) private: PathBuf,
    pub(crate) worktree: &'a Path,
    pub(crate) branch: &'a str,
}

impl Copy<'_> {
    /// Replaces it by one that is as the run's own repository is now.
    pub(crate) async fn renew(&self) -> Result<(), StepError> {
        let folder = self.folder();
        git::remove_all(&folder)
            .map_err(|error| StepError::file(format_args!("remove {}", folder.display()), &error))?;
        let commit = self.git.commit("HEAD").await?;
        let borrower = Borrower {
            folder: &folder,
            branch: self.branch,
            commit: &commit,
            without_logins: true,
        };
        self.git.make_borrower(borrower).await?;
        for name in [CONFIG, ALTERNATES] {
            fs::copy(folder.join(name), self.kept(name))
                .map_err(|error| StepError::file("keep how the copy was made", &error))?;
        }
        Ok(())
    }

    /// Takes over what was committed to it. Names what else was done to it.
    pub(crate) async fn take_commits(&self, begun: &Oid) -> Result<Vec<String>, StepError> {
        let (git, copy) = (self.git, self.folder());
        if !git::is_real_folder(&copy) || !git::is_real_folder(&copy.join("objects/info")) {
            return Ok(vec![
                "replaced its repository, which was thrown away".to_owned(),
            ]);
        }
        let mut noticed = Vec::new();
        let config = fs::read(self.kept(CONFIG)).unwrap_or_default();
        let planted = git::planted(&copy, &config);
        if !planted.is_empty() {
            let names: Vec<String> = planted.iter().map(|name| one_line(name, 80)).collect();
            noticed.push(format!(
                "changed its repository ({}), which was thrown away",
                names.join(", ")
            ));
        }
        // While the base is merged, what the agent commits is no part of it.
        let is_merging = git.find_commit("MERGE_HEAD").await?.is_some();
        let head = git.commit("HEAD").await?;
        if is_merging {
            return Ok(noticed);
        }
        let is_new = |commit: &Oid| *commit != head;
        let on_branch = Git::branch_in_untrusted(&copy, self.branch)?.filter(is_new);
        // A name that is none of a branch is no one's work.
        let elsewhere = Git::head_in_untrusted(&copy).ok().flatten().filter(is_new);
        match (on_branch, elsewhere) {
            (Some(commit), _) => {
                // History that was replaced is not taken over; the files stay.
                self.take(&commit, &head, begun).await?;
            }
            (None, Some(commit)) if !self.take(&commit, &head, begun).await? => {
                let branch = self.branch;
                return Err(StepError::unproven(format!(
                    "the agent left the branch {branch} and its work is not on it; work on {branch} only"
                )));
            }
            _ => {}
        }
        Ok(noticed)
    }

    /// `false` where the commit does not stand on the one that the run began
    /// with.
    async fn take(&self, commit: &Oid, head: &Oid, begun: &Oid) -> Result<bool, StepError> {
        let (git, copy) = (self.git, self.folder());
        // It may have been made to lead to objects of others.
        let alternates = copy.join(ALTERNATES);
        git::remove_all(&alternates)
            .and_then(|()| fs::copy(self.kept(ALTERNATES), &alternates))
            .map_err(|error| StepError::file("put back the alternates", &error))?;
        git.take_objects(&copy.join("objects"), commit, begun)
            .await?;
        let taken = git.commit(commit.as_str()).await?;
        if !git.is_ancestor(begun.as_str(), taken.as_str()).await? {
            return Ok(false);
        }
        let reference = format!("refs/heads/{}", self.branch);
        let take = Call::write("take over the commits").args([
            "update-ref",
            &reference,
            taken.as_str(),
            head.as_str(),
        ]);
        git.call(take).await?.success()?;
        let index = Call::write("follow the commits").args(["reset", "--quiet"]);
        git.call(index).await?.success()?;
        Ok(true)
    }

    fn folder(&self) -> PathBuf {
        self.worktree.join(".git")
    }

    /// How a file of the copy was when it was made.
    fn kept(&self, name: &str) -> PathBuf {
        self.private.join(name.replace('/', "-"))
    }
}

const CONFIG: &str = "config";
const ALTERNATES: &str = "objects/info/alternates";
