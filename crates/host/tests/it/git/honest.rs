//! Repositories of unusual forms, which work like all others.

use std::fs;

use baton_host::git::{Call, Checkout, GitError, Head};
use baton_testkit::Sandbox;

use super::{git, open};

#[tokio::test]
async fn filters_of_the_user_act() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit_file(".gitattributes", "*.txt filter=upper\n", "First");
    repo.write("a.txt", "text\n");
    let git = git(&sandbox, &repo).await;
    let without = git.working_tree().await.unwrap();
    repo.git(&["config", "--global", "filter.upper.clean", "tr a-z A-Z"]);
    assert_ne!(git.working_tree().await.unwrap(), without);
}

#[tokio::test]
async fn a_search_ends_where_the_user_says() {
    let mut sandbox = Sandbox::new();
    let path = sandbox.repo("project").path().to_owned();
    let deep = sandbox.folder("project/deep/er");
    sandbox.set("GIT_CEILING_DIRECTORIES", sandbox.path("project"));
    let error = open(&sandbox, &deep).await.facts().await.unwrap_err();
    assert!(matches!(error, GitError::NotARepository { .. }));
    assert!(open(&sandbox, &path).await.facts().await.is_ok());
}

/// Forms of honest repositories, each made with options of `git init`.
#[tokio::test]
async fn honest_repositories_of_all_forms_work() {
    for options in [
        &["--object-format=sha256"][..],
        &["--ref-format=reftable"],
        &["--separate-git-dir=../elsewhere dir"],
    ] {
        let sandbox = Sandbox::new();
        let folder = sandbox.folder("with space\nand break");
        let run = |args: &[&str]| sandbox.run(&folder, "git", args);
        run(&[&["init", "--quiet", "--initial-branch=main"], options].concat());
        let git = open(&sandbox, &folder).await;
        assert!(matches!(git.head().await.unwrap(), Head::Unborn { .. }));
        fs::write(folder.join("file"), "one\n").unwrap();
        run(&["add", "file"]);
        run(&["commit", "--quiet", "--message", "First"]);
        let first = git.commit("HEAD").await.unwrap();
        assert_eq!(
            git.working_tree().await.unwrap(),
            git.tree("HEAD").await.unwrap()
        );

        let worktree = sandbox.path("side tree");
        let checkout = Checkout::NewBranch {
            name: "side",
            start: "HEAD",
        };
        git.add_worktree(&worktree, checkout).await.unwrap();
        let worktrees = git.worktrees().await.unwrap();
        assert_eq!(worktrees.len(), 2, "{options:?}");
        let side = git.at(&worktree);
        assert_eq!(side.worktrees().await.unwrap(), worktrees);
        assert_eq!(
            side.facts().await.unwrap().top_level,
            Some(worktree.clone())
        );
        assert_eq!(fs::read_to_string(worktree.join("file")).unwrap(), "one\n");
        fs::write(worktree.join("file"), "two\n").unwrap();
        let commit =
            Call::write("commit").args(["commit", "--quiet", "--all", "--message", "Second"]);
        side.call(commit).await.unwrap().success().unwrap();
        // The user's own git sees all of it.
        let log = run(&["log", "--format=%s", "side"]).stdout;
        assert_eq!(String::from_utf8_lossy(&log), "Second\nFirst\n");
        fs::write(worktree.join("new"), "").unwrap();
        let error = git.remove_worktree(&worktree).await.unwrap_err();
        assert!(
            error.to_string().contains("modified or untracked"),
            "{error}"
        );
        side.put_back(&first).await.unwrap();
        git.remove_worktree(&worktree).await.unwrap();
        assert_eq!(git.worktrees().await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn refs_are_written_to_the_repository_itself() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit("First");
    repo.git(&["branch", "side"]);
    repo.git(&["pack-refs", "--all"]);
    let git = git(&sandbox, &repo).await;
    let call = |args: &[&str]| {
        let call = Call::write("change refs").args(args.iter().copied());
        git.call(call)
    };
    call(&["branch", "made"]).await.unwrap().success().unwrap();
    call(&["branch", "-D", "side"])
        .await
        .unwrap()
        .success()
        .unwrap();
    call(&["pack-refs", "--all"])
        .await
        .unwrap()
        .success()
        .unwrap();
    let branches = repo.git(&["branch", "--format=%(refname:short)"]);
    assert_eq!(branches, "made\nmain");
    let packed = fs::symlink_metadata(repo.path().join(".git/packed-refs")).unwrap();
    assert!(packed.is_file());
}

#[tokio::test]
async fn a_sparse_checkout_stays_sparse() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.write("in/file", "x");
    repo.write("out/file", "x");
    repo.commit("First");
    repo.git(&["sparse-checkout", "set", "in"]);
    let git = git(&sandbox, &repo).await;
    assert_eq!(
        git.working_tree().await.unwrap(),
        git.tree("HEAD").await.unwrap()
    );
    let head = git.commit("HEAD").await.unwrap();
    git.put_back(&head).await.unwrap();
    assert!(!repo.path().join("out").exists());

    let worktree = sandbox.path("worktree");
    let checkout = Checkout::Detached("HEAD");
    git.add_worktree(&worktree, checkout).await.unwrap();
    let there = git.at(&worktree);
    there.put_back(&head).await.unwrap();
    assert!(worktree.join("in/file").exists() && !worktree.join("out").exists());
}

#[tokio::test]
async fn a_worktree_outlives_the_git_that_made_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit_file("file", "one\n", "First");
    let worktree = sandbox.path("worktree");
    let checkout = Checkout::Detached("HEAD");
    let git = git(&sandbox, &repo).await;
    git.add_worktree(&worktree, checkout).await.unwrap();
    drop(git);
    let log = sandbox
        .run(&worktree, "git", &["log", "--format=%s"])
        .stdout;
    assert_eq!(String::from_utf8_lossy(&log), "First\n");
    let status = sandbox.run(&worktree, "git", &["status", "--porcelain"]);
    assert_eq!(status.stdout, b"");
    repo.git(&["worktree", "remove", worktree.to_str().unwrap()]);
}

#[tokio::test]
async fn a_bare_repository_has_worktrees() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit_file("file", "one\n", "First");
    let folder = sandbox.path("bare.git");
    let git = git(&sandbox, &repo).await;
    git.init_bare(&folder).await.unwrap();
    let bare = git.at_bare(&folder);
    let source = repo.path().to_str().unwrap();
    bare.fetch_objects(source, &["refs/heads/main"])
        .await
        .unwrap();
    let worktree = sandbox.path("worktree");
    let head = repo.head();
    let checkout = Checkout::Detached(&head);
    bare.add_worktree(&worktree, checkout).await.unwrap();
    let facts = git.at(&worktree).facts().await.unwrap();
    assert_eq!(facts.common_dir, folder);
    assert!(!facts.bare && worktree.join("file").exists());
}
