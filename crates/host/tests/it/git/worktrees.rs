//! Worktrees are listed, added and removed.

use std::fs;

use baton_host::git::{Checkout, GitError, Oid, WorktreeHead};
use baton_testkit::Sandbox;

use super::{git, message, open_bare};

#[tokio::test]
async fn worktrees_come_and_go() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit("First");
    repo.git(&["branch", "existing"]);
    let git = git(&sandbox, &repo).await;
    let head = git.commit("HEAD").await.unwrap();
    let (new, old, loose) = (
        sandbox.path("work\ntrees/new one"),
        sandbox.path("old"),
        sandbox.path("loose"),
    );
    let checkout = Checkout::NewBranch {
        name: "fix/issue-7",
        start: "main",
    };
    git.add_worktree(&new, checkout).await.unwrap();
    git.add_worktree(&old, Checkout::Branch("existing"))
        .await
        .unwrap();
    git.add_worktree(&loose, Checkout::Detached("main"))
        .await
        .unwrap();
    repo.git(&[
        "worktree",
        "lock",
        "--reason",
        "in use",
        loose.to_str().unwrap(),
    ]);

    let found = git.worktrees().await.unwrap();
    let branch = |name: &str| WorktreeHead::Branch {
        name: name.to_owned(),
        commit: head.clone(),
    };
    assert_eq!(found.len(), 4);
    assert_eq!(
        (&found[0].path, &found[0].head),
        (&repo.path().to_owned(), &branch("main"))
    );
    let at = |path| {
        found
            .iter()
            .find(|worktree| &worktree.path == path)
            .unwrap()
    };
    assert_eq!(at(&new).head, branch("fix/issue-7"));
    assert_eq!(at(&old).head, branch("existing"));
    assert_eq!(
        at(&loose).head,
        WorktreeHead::Detached {
            commit: head.clone()
        }
    );
    assert_eq!(at(&loose).locked.as_deref(), Some("in use"));
    assert_eq!(at(&old).locked, None);

    fs::write(old.join("unsaved.txt"), "work").unwrap();
    let error = git.remove_worktree(&old).await.unwrap_err();
    insta::assert_snapshot!(message(&sandbox, &error), @r"
    cannot remove the worktree at [root]/old: git exited with code 1; commit or remove its changes first
    git said: it contains modified or untracked files
    ");
    git.discard_worktree(&old).await.unwrap();
    git.remove_worktree(&new).await.unwrap();
    assert!(!old.exists() && !new.exists());

    repo.git(&["worktree", "unlock", loose.to_str().unwrap()]);
    fs::remove_dir_all(&loose).unwrap();
    let found = git.worktrees().await.unwrap();
    assert!(found[1].prunable.is_some());
    git.prune_worktrees().await.unwrap();
    assert_eq!(git.worktrees().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_branch_has_one_worktree() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit("First");
    let git = git(&sandbox, &repo).await;
    let error = git
        .add_worktree(&sandbox.path("second"), Checkout::Branch("main"))
        .await
        .unwrap_err();
    insta::assert_snapshot!(message(&sandbox, &error), @r"
    cannot add a worktree at [root]/second: git exited with code 128; use the worktree that has the branch, or another branch
    git said: fatal: 'main' is already used by worktree at '[root]/project'
    ");
}

#[tokio::test]
async fn a_branch_is_not_guessed_from_a_remote() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit("First");
    repo.git(&["branch", "only-there"]);
    let clone = repo.clone_to("clone", &[]);
    let git = git(&sandbox, &clone).await;
    let error = git
        .add_worktree(&sandbox.path("guess"), Checkout::Branch("only-there"))
        .await
        .unwrap_err();
    assert!(matches!(error, GitError::NoSuch { .. }));
    git.add_worktree(
        &sandbox.path("guess"),
        Checkout::NewBranch {
            name: "mine",
            start: "origin/only-there",
        },
    )
    .await
    .unwrap();
    let branches = git.branches().await.unwrap();
    let mine = branches
        .iter()
        .find(|branch| branch.name == "mine")
        .unwrap();
    assert_eq!(mine.upstream, None);
}

#[tokio::test]
async fn hostile_names_make_no_worktree() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit("First");
    let git = git(&sandbox, &repo).await;
    for name in ["--force", "-d", "a b", "HEAD", ""] {
        let checkout = Checkout::NewBranch {
            name,
            start: "main",
        };
        let error = git
            .add_worktree(&sandbox.path("x"), checkout)
            .await
            .unwrap_err();
        assert!(matches!(error, GitError::BadName { .. }), "{name}");
    }
    // As a path, a leading dash is only a path.
    let git = git.at(repo.path());
    git.add_worktree("-x".as_ref(), Checkout::Detached("main"))
        .await
        .unwrap();
    assert!(repo.path().join("-x").is_dir());
}

#[tokio::test]
async fn an_unborn_repository_has_one_worktree() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let bare = sandbox.bare_repo("bare.git");
    let found = git(&sandbox, &repo).await.worktrees().await.unwrap();
    assert_eq!(
        found[0].head,
        WorktreeHead::Unborn {
            name: "main".to_owned()
        }
    );
    let found = open_bare(&sandbox, bare.path())
        .await
        .worktrees()
        .await
        .unwrap();
    assert_eq!(found[0].head, WorktreeHead::Bare);
}

#[tokio::test]
async fn files_follow_a_branch_that_was_moved() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let old = Oid::parse(&repo.commit_file("a.txt", "old\n", "Old")).unwrap();
    repo.write("gone.txt", "");
    let new = Oid::parse(&repo.commit_file("a.txt", "new\n", "New")).unwrap();
    repo.git(&["reset", "--quiet", "--hard", old.as_str()]);
    let git = git(&sandbox, &repo).await;

    repo.write("a.txt", "mine\n");
    assert!(!git.can_switch_content(&old, &new).await.unwrap());
    repo.write("a.txt", "old\n");
    repo.write("untracked.txt", "mine\n");
    assert!(git.can_switch_content(&old, &new).await.unwrap());
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? untracked.txt");

    repo.git(&["update-ref", "refs/heads/main", new.as_str()]);
    git.switch_content(&old, &new).await.unwrap();
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? untracked.txt");
    assert_eq!(
        fs::read_to_string(repo.path().join("a.txt")).unwrap(),
        "new\n"
    );
}
