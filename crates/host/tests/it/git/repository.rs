//! Facts about repositories of all kinds.

use baton_host::git::{GitError, Head};
use baton_testkit::Sandbox;

use super::{git, message, open, open_bare};

#[tokio::test]
async fn a_plain_repository() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let commit = repo.commit("First");
    let folder = sandbox.folder("project/deep/er");
    let facts = open(&sandbox, &folder).await.facts().await.unwrap();
    assert_eq!(facts.top_level.as_deref(), Some(repo.path()));
    assert_eq!(facts.git_dir, repo.path().join(".git"));
    assert_eq!(facts.common_dir, facts.git_dir);
    assert!(!facts.bare && !facts.shallow && !facts.linked_worktree);
    assert_eq!(facts.head.branch(), Some("main"));
    assert_eq!(facts.head.commit().unwrap().as_str(), commit);
}

#[tokio::test]
async fn a_path_may_have_line_breaks() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("two\nlines");
    let facts = git(&sandbox, &repo).await.facts().await.unwrap();
    assert_eq!(facts.top_level.as_deref(), Some(repo.path()));
    assert_eq!(facts.git_dir, repo.path().join(".git"));
}

#[tokio::test]
async fn an_unborn_branch() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let head = git(&sandbox, &repo).await.head().await.unwrap();
    assert_eq!(
        head,
        Head::Unborn {
            name: "main".to_owned()
        }
    );
}

#[tokio::test]
async fn a_detached_head() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let commit = repo.commit("First");
    repo.commit("Second");
    repo.checkout("HEAD~1");
    let head = git(&sandbox, &repo).await.head().await.unwrap();
    assert_eq!(head.branch(), None);
    assert_eq!(head.commit().unwrap().as_str(), commit);
}

#[tokio::test]
async fn a_bare_repository() {
    let sandbox = Sandbox::new();
    let repo = sandbox.bare_repo("bare.git");
    let git = open_bare(&sandbox, repo.path()).await;
    let facts = git.facts().await.unwrap();
    assert!(facts.bare);
    assert_eq!(facts.top_level, None);
    assert_eq!(facts.git_dir, repo.path());
    assert_eq!(facts.common_dir, repo.path());
}

#[tokio::test]
async fn a_shallow_clone() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit("First");
    repo.commit("Second");
    let clone = repo.clone_to("clone", &["--depth=1"]);
    assert!(git(&sandbox, &clone).await.facts().await.unwrap().shallow);
}

#[tokio::test]
async fn a_linked_worktree() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit("First");
    repo.git(&["worktree", "add", "--quiet", "-b", "side", "../side"]);
    let facts = open(&sandbox, &sandbox.path("side"))
        .await
        .facts()
        .await
        .unwrap();
    assert!(facts.linked_worktree);
    assert_eq!(facts.common_dir, repo.path().join(".git"));
    assert_eq!(facts.top_level, Some(sandbox.path("side")));
    assert_eq!(facts.head.branch(), Some("side"));
}

#[tokio::test]
async fn a_folder_without_repository() {
    let sandbox = Sandbox::new();
    let git = open(&sandbox, &sandbox.home()).await;
    let error = git.facts().await.unwrap_err();
    assert!(matches!(error, GitError::NotARepository { .. }));
    insta::assert_snapshot!(message(&sandbox, &error), @"[root]/home is not in a git repository; run `git init` there or choose another folder");
}

#[tokio::test]
async fn remotes_as_written_and_as_used() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let before = git(&sandbox, &repo).await;
    assert_eq!(before.remotes().await.unwrap(), []);

    repo.git(&["remote", "add", "origin", "short:team/project"]);
    repo.git(&["remote", "add", "my.fork", "https://example.invalid/fork"]);
    repo.git(&["remote", "set-url", "--push", "my.fork", "short:me/project"]);
    repo.git(&[
        "config",
        "--global",
        "url.https://example.invalid/.insteadOf",
        "short:",
    ]);
    repo.git(&[
        "config",
        "--global",
        "url.ssh://git@example.invalid/.pushInsteadOf",
        "https://example.invalid/",
    ]);
    let rendered: Vec<_> = git(&sandbox, &repo)
        .await
        .remotes()
        .await
        .unwrap()
        .into_iter()
        .map(|remote| {
            let join = |urls: Vec<baton_host::git::RemoteUrl>| {
                urls.iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            format!(
                "{}: fetch {} ({}), push {} ({})",
                remote.name,
                join(remote.fetch_urls),
                join(remote.effective_fetch_urls),
                join(remote.push_urls),
                join(remote.effective_push_urls),
            )
        })
        .collect();
    insta::assert_snapshot!(rendered.join("\n"), @r"
    my.fork: fetch https://example.invalid/fork (https://example.invalid/fork), push short:me/project (https://example.invalid/me/project)
    origin: fetch short:team/project (https://example.invalid/team/project), push  (https://example.invalid/team/project)
    ");
}
