//! Pushes branches, never with an unguarded force.

use super::call::Call;
use super::harden::Trust;
use super::names::{branch_ref, check_remote};
use super::{Git, GitError, Oid, parse};

/// A branch to be pushed. There is no unguarded force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Push<'a> {
    /// Name or URL.
    pub remote: &'a str,
    /// Any revision.
    pub source: &'a str,
    /// The branch on the remote, without `refs/heads/`.
    pub branch: &'a str,
    /// With a lease, history may be replaced, but only what the lease names.
    pub lease: Option<Lease<'a>>,
}

/// One of several branches that are pushed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BranchPush<'a> {
    /// Without `refs/heads/`.
    pub branch: &'a str,
    /// Where it must be, and where it goes.
    pub from: &'a Oid,
    pub to: &'a Oid,
}

/// What became of branches that were pushed together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AtomicPushOutcome {
    /// All are where they were to go.
    Pushed,
    /// None has moved.
    Rejected {
        /// The one that was in the way, where the remote named it.
        branch: Option<String>,
        reason: Rejection,
        /// The output of git and the remote.
        message: String,
    },
}

/// What the remote's branch must be at the moment of the push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease<'a> {
    At(&'a Oid),
    Absent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushOutcome {
    Pushed {
        commit: Oid,
        /// The branch is new on the remote.
        created: bool,
        /// History was replaced.
        forced: bool,
    },
    UpToDate {
        commit: Oid,
    },
    Rejected {
        reason: Rejection,
        /// The output of git and the remote.
        message: String,
    },
}

/// Why a push was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// The remote has commits that the source does not have.
    NonFastForward,
    /// The remote's branch is not at the commit of the lease.
    StaleLease,
    /// A local or remote hook rejected it.
    HookDeclined,
    /// The branch is protected by a rule of the host.
    Protected,
    /// We may not write to the repository.
    Permission,
    /// A file or the whole push is over a limit of the host.
    TooLarge,
    Other,
}

impl Git {
    /// Pushes one branch. A refusal is a result; an error means that the remote
    /// could not be asked.
    pub async fn push(&self, push: Push<'_>) -> Result<PushOutcome, GitError> {
        // The commit itself as the source leaves nothing to be misread: a
        // leading `+` in a refspec, for one, would force.
        let commit = self.commit(push.source).await?;
        let target = branch_ref(push.branch)?;
        let mut call = self
            .push_call(format!("push the branch {}", push.branch))
            .args(["push", "--porcelain", "--no-progress", "--no-follow-tags"]);
        call = match push.lease {
            Some(Lease::At(expected)) => {
                call.arg(format!("--force-with-lease={target}:{expected}"))
            }
            Some(Lease::Absent) => call.arg(format!("--force-with-lease={target}:")),
            // A configured refspec or option must not force either.
            None => call.args(["--no-force", "--no-force-with-lease"]),
        };
        let call = call
            .args(["--end-of-options", check_remote(push.remote)?])
            .arg(format!("{commit}:{target}"));
        let reply = self.call(call).await?;

        let report = parse::push(&reply.stdout);
        let line = report.iter().find(|line| line.target == target);
        let outcome = match line.map(|line| line.flag) {
            Some(parse::PushFlag::UpToDate) => PushOutcome::UpToDate { commit },
            Some(parse::PushFlag::Rejected) => {
                let summary = line.map_or("", |line| &line.summary);
                let reason = parse::rejection(summary, &reply.stderr);
                // Not a rejection: there was no answer.
                if reason == Rejection::Other && parse::is_unanswered(summary) {
                    return Err(reply.remote_failed(push.remote));
                }
                PushOutcome::Rejected {
                    reason,
                    message: reply.stderr,
                }
            }
            Some(flag) if reply.code == 0 => PushOutcome::Pushed {
                commit,
                created: flag == parse::PushFlag::Created,
                forced: flag == parse::PushFlag::Forced,
            },
            _ => match parse::rejection_before_transfer(&reply.stderr) {
                Some(reason) => PushOutcome::Rejected {
                    reason,
                    message: reply.all_output(),
                },
                None => return Err(reply.remote_failed(push.remote)),
            },
        };
        Ok(outcome)
    }

    /// Moves several branches of a remote: all of them, or none when one is
    /// not where it is expected to be.
    pub async fn push_atomically(
        &self,
        remote: &str,
        pushes: &[BranchPush<'_>],
    ) -> Result<AtomicPushOutcome, GitError> {
        let mut call = self
            .push_call("push the branches")
            .args(["push", "--porcelain", "--atomic", "--no-progress"])
            .arg("--no-follow-tags");
        for BranchPush { branch, from, .. } in pushes {
            call = call.arg(format!("--force-with-lease={}:{from}", branch_ref(branch)?));
        }
        call = call.args(["--end-of-options", check_remote(remote)?]);
        for BranchPush { branch, to, .. } in pushes {
            call = call.arg(format!("{to}:{}", branch_ref(branch)?));
        }
        let reply = self.call(call).await?;
        if reply.code == 0 {
            return Ok(AtomicPushOutcome::Pushed);
        }
        let report = parse::push(&reply.stdout);
        // Those that only went down with another one say so.
        let culprit = report.iter().find(|line| {
            line.flag == parse::PushFlag::Rejected && !line.summary.contains("atomic push failed")
        });
        let reason = match culprit {
            Some(line) => parse::rejection(&line.summary, &reply.stderr),
            None => match parse::rejection_before_transfer(&reply.stderr) {
                Some(reason) => reason,
                None => return Err(reply.remote_failed(remote)),
            },
        };
        let branch = culprit.and_then(|line| line.target.strip_prefix("refs/heads/"));
        Ok(AtomicPushOutcome::Rejected {
            branch: branch.map(str::to_owned),
            reason,
            message: reply.all_output(),
        })
    }

    fn push_call(&self, doing: impl Into<String>) -> Call {
        let call = Call::network(doing)
            .args(["-c", "color.push=false", "-c", "color.transport=false"])
            .args(["-c", "color.remote=false", "-c", "color.ui=false"]);
        if self.trust == Trust::Repository {
            return call;
        }
        // The hooks of a repository on this machine run here, and the URL is
        // the repository's word.
        call.args(["-c", "protocol.file.allow=never"])
    }
}
