//! Pushes, leases and rejections.

use baton_host::git::{
    AtomicPushOutcome, BranchPush, GitError, Lease, Oid, Push, PushOutcome, Rejection,
    RemoteErrorKind,
};
use baton_testkit::{Repo, Sandbox};

use super::{message, open, trusting};

fn to_topic(lease: Option<Lease<'_>>) -> Push<'_> {
    Push {
        remote: "origin",
        source: "HEAD",
        branch: "topic",
        lease,
    }
}

fn rejection(outcome: PushOutcome) -> (Rejection, String) {
    match outcome {
        PushOutcome::Rejected { reason, message } => (reason, message),
        other => panic!("not rejected: {other:?}"),
    }
}

/// Two repositories with the same remote, which has a branch `topic` with two
/// commits.
fn two_writers(sandbox: &Sandbox) -> (Repo<'_>, Repo<'_>, Repo<'_>) {
    let repo = sandbox.repo("project");
    repo.commit("First");
    let remote = repo.add_remote("origin");
    repo.branch("topic");
    repo.commit("On topic");
    repo.git(&["push", "--quiet", "origin", "topic"]);
    let other = remote.clone_to("other", &["--branch=topic"]);
    (repo, other, remote)
}

#[tokio::test]
async fn a_branch_is_made_moved_and_left() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit("First");
    let remote = repo.add_remote("origin");
    let git = trusting(&sandbox, &repo).await;

    let first = git.commit("HEAD").await.unwrap();
    assert_eq!(
        git.push(to_topic(None)).await.unwrap(),
        PushOutcome::Pushed {
            commit: first.clone(),
            created: true,
            forced: false
        }
    );
    assert_eq!(
        git.push(to_topic(None)).await.unwrap(),
        PushOutcome::UpToDate { commit: first }
    );
    let second = repo.commit("Second");
    assert_eq!(
        git.push(to_topic(None)).await.unwrap(),
        PushOutcome::Pushed {
            commit: Oid::parse(&second).unwrap(),
            created: false,
            forced: false
        }
    );
    assert_eq!(remote.git(&["rev-parse", "topic"]), second);
}

#[tokio::test]
async fn what_others_have_pushed_is_not_overwritten() {
    let sandbox = Sandbox::new();
    let (repo, other, remote) = two_writers(&sandbox);
    let theirs = other.commit("From the other");
    other.git(&["push", "--quiet", "origin", "topic"]);
    repo.commit("From here");
    // A setting that forces must not force us.
    repo.git(&["config", "remote.origin.push", "+refs/heads/*:refs/heads/*"]);
    let git = trusting(&sandbox, &repo).await;

    let (reason, message) = rejection(git.push(to_topic(None)).await.unwrap());
    assert_eq!(reason, Rejection::NonFastForward);
    assert!(message.contains("failed to push some refs"), "{message}");
    git.fetch("origin", &[]).await.unwrap();
    let (reason, _) = rejection(git.push(to_topic(None)).await.unwrap());
    assert_eq!(
        reason,
        Rejection::NonFastForward,
        "also when it is known here"
    );
    assert_eq!(remote.git(&["rev-parse", "topic"]), theirs);
}

#[tokio::test]
async fn a_lease_replaces_only_what_it_names() {
    let sandbox = Sandbox::new();
    let (repo, other, remote) = two_writers(&sandbox);
    let git = trusting(&sandbox, &repo).await;
    let expected = git.commit("HEAD").await.unwrap();
    repo.git(&[
        "commit",
        "--quiet",
        "--amend",
        "--allow-empty",
        "--message",
        "On topic, again",
    ]);
    let theirs = other.commit("From the other");
    other.git(&["push", "--quiet", "origin", "topic"]);
    // To have fetched is not to have seen: the lease names what was seen.
    git.fetch("origin", &[]).await.unwrap();

    let (reason, _) = rejection(
        git.push(to_topic(Some(Lease::At(&expected))))
            .await
            .unwrap(),
    );
    assert_eq!(reason, Rejection::StaleLease);
    let (reason, _) = rejection(git.push(to_topic(Some(Lease::Absent))).await.unwrap());
    assert_eq!(reason, Rejection::StaleLease);
    assert_eq!(remote.git(&["rev-parse", "topic"]), theirs);

    let seen = git
        .branch_on_remote("origin", "topic")
        .await
        .unwrap()
        .unwrap();
    let outcome = git.push(to_topic(Some(Lease::At(&seen)))).await.unwrap();
    assert!(
        matches!(outcome, PushOutcome::Pushed { forced: true, .. }),
        "{outcome:?}"
    );
    assert_eq!(remote.git(&["rev-parse", "topic"]), repo.head());
}

#[tokio::test]
async fn a_lease_on_nothing_makes_a_branch() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit("First");
    repo.add_remote("origin");
    let git = trusting(&sandbox, &repo).await;
    let outcome = git.push(to_topic(Some(Lease::Absent))).await.unwrap();
    assert!(matches!(outcome, PushOutcome::Pushed { created: true, .. }));
}

#[tokio::test]
async fn hooks_may_decline() {
    let sandbox = Sandbox::new();
    let (repo, _, remote) = two_writers(&sandbox);
    repo.commit("From here");
    let git = trusting(&sandbox, &repo).await;

    remote.hook("pre-receive", "echo 'tests must pass first' >&2; exit 1");
    let (reason, message) = rejection(git.push(to_topic(None)).await.unwrap());
    assert_eq!(reason, Rejection::HookDeclined);
    assert!(message.contains("tests must pass first"), "{message}");

    remote.hook("pre-receive", "exit 0");
    remote.hook("update", "exit 1");
    let (reason, _) = rejection(git.push(to_topic(None)).await.unwrap());
    assert_eq!(reason, Rejection::HookDeclined);

    remote.hook(
        "update",
        "echo 'error: GH006: Protected branch update failed' >&2; exit 1",
    );
    let (reason, _) = rejection(git.push(to_topic(None)).await.unwrap());
    assert_eq!(reason, Rejection::Protected);

    repo.hook("pre-push", "echo 'lint failed'; exit 1");
    let (reason, message) = rejection(git.push(to_topic(None)).await.unwrap());
    assert_eq!(reason, Rejection::HookDeclined);
    assert!(message.contains("lint failed"), "{message}");
}

#[tokio::test]
async fn a_missing_remote_is_an_error() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit("First");
    let git = trusting(&sandbox, &repo).await;
    let error = git.push(to_topic(None)).await.unwrap_err();
    assert!(matches!(
        error,
        GitError::Remote {
            kind: RemoteErrorKind::NotFound,
            ..
        }
    ));
    insta::assert_snapshot!(message(&sandbox, &error), @r"
    cannot push the branch topic with the remote origin: it does not exist or is not visible; check its URL with `git remote -v`, and that you may see it
    git said: fatal: 'origin' does not appear to be a git repository
    fatal: Could not read from remote repository.
    Please make sure you have the correct access rights
    and the repository exists.
    ");
}

#[tokio::test]
async fn a_source_is_only_ever_a_commit() {
    let sandbox = Sandbox::new();
    let (repo, ..) = two_writers(&sandbox);
    let git = trusting(&sandbox, &repo).await;
    for source in ["+HEAD", "HEAD:refs/heads/main", "nowhere"] {
        let push = Push {
            source,
            ..to_topic(None)
        };
        let error = git.push(push).await.unwrap_err();
        assert!(
            matches!(error, GitError::NoSuch { .. }),
            "{source}: {error}"
        );
    }
    for branch in ["a b", "x:y", "", "+a..b"] {
        let push = Push {
            branch,
            ..to_topic(None)
        };
        let error = git.push(push).await.unwrap_err();
        assert!(
            matches!(error, GitError::BadName { .. }),
            "{branch}: {error}"
        );
    }
}

#[tokio::test]
async fn several_branches_move_together_or_not_at_all() {
    let sandbox = Sandbox::new();
    let (repo, other, remote) = two_writers(&sandbox);
    let git = trusting(&sandbox, &repo).await;
    let at = |name: &str| Oid::parse(&repo.git(&["rev-parse", name])).unwrap();
    let (main, topic) = (at("main"), at("topic"));
    let new = Oid::parse(&repo.commit("Made again")).unwrap();
    let moves = |from_main, from_topic| {
        [("main", from_main), ("topic", from_topic)].map(|(branch, from)| BranchPush {
            branch,
            from,
            to: &new,
        })
    };
    let there = || ["main", "topic"].map(|name| remote.git(&["rev-parse", name]));

    // Another writer was faster with one of them.
    other.commit("Faster");
    other.git(&["push", "--quiet", "origin", "topic"]);
    let before = there();
    let outcome = git
        .push_atomically("origin", &moves(&main, &topic))
        .await
        .unwrap();
    let AtomicPushOutcome::Rejected { branch, reason, .. } = outcome else {
        panic!("it is stale: {outcome:?}");
    };
    assert_eq!(
        (branch.as_deref(), reason),
        (Some("topic"), Rejection::StaleLease)
    );
    assert_eq!(there(), before);

    let topic = Oid::parse(&before[1]).unwrap();
    repo.git(&["fetch", "--quiet", "origin"]);
    let outcome = git
        .push_atomically("origin", &moves(&main, &topic))
        .await
        .unwrap();
    assert_eq!(outcome, AtomicPushOutcome::Pushed);
    assert_eq!(there(), [new.to_string(), new.to_string()]);
}

/// Another process must not see a commit before its files.
#[tokio::test]
async fn what_is_fetched_appears_at_once() {
    let sandbox = Sandbox::new();
    let (repo, other, _remote) = two_writers(&sandbox);
    let commit = other.commit_file("new.txt", "new\n", "From the other");
    other.git(&["push", "--quiet", "origin", "topic"]);
    let git = open(&sandbox, repo.path()).await;
    git.fetch("origin", &[]).await.unwrap();
    let loose = format!(".git/objects/{}/{}", &commit[..2], &commit[2..]);
    assert_eq!(repo.git(&["cat-file", "-t", &commit]), "commit");
    assert!(!repo.path().join(loose).exists(), "it is in a pack");
}
