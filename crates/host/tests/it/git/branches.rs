//! Local and remote branches.

use baton_host::git::{Ahead, GitError, RemoteErrorKind};
use baton_testkit::Sandbox;

use super::{git, message, open, open_bare};

#[tokio::test]
async fn local_branches_and_what_they_follow() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let first = repo.commit("First");
    repo.add_remote("origin");
    repo.commit("Second");
    repo.commit("Third");
    repo.branch("topic/ä");
    repo.git(&["config", "branch.topic/ä.remote", "origin"]);
    repo.git(&["config", "branch.topic/ä.merge", "refs/heads/never-pushed"]);

    let branches = git(&sandbox, &repo).await.branches().await.unwrap();
    assert_eq!(branches.len(), 2);
    let [main, topic] = &branches[..] else {
        unreachable!("the length was checked")
    };
    assert_eq!(main.name, "main");
    assert!(!main.current);
    let upstream = main.upstream.as_ref().unwrap();
    assert_eq!(upstream.name, "refs/remotes/origin/main");
    assert_eq!(
        upstream.ahead,
        Some(Ahead {
            ahead: 2,
            behind: 0
        })
    );
    assert_eq!(topic.name, "topic/ä");
    assert!(topic.current);
    assert_eq!(topic.upstream.as_ref().unwrap().ahead, None, "it is gone");
    assert_eq!(topic.commit, main.commit);

    let remote_branches = git(&sandbox, &repo).await.remote_branches().await.unwrap();
    assert_eq!(remote_branches.len(), 1);
    assert_eq!(remote_branches[0].name, "origin/main");
    assert_eq!(remote_branches[0].commit.as_str(), first);
}

#[tokio::test]
async fn the_default_branch_of_a_remote_points_to_another() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit("First");
    let clone = repo.clone_to("clone", &[]);
    let branches = git(&sandbox, &clone).await.remote_branches().await.unwrap();
    let head = branches
        .iter()
        .find(|branch| branch.name == "origin/HEAD")
        .unwrap();
    assert_eq!(
        head.symref_target.as_deref(),
        Some("refs/remotes/origin/main")
    );
}

#[tokio::test]
async fn a_branch_is_looked_for_here_and_there() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let commit = repo.commit("First");
    repo.add_remote("origin");
    repo.branch("local-only");
    // The name of this one ends like the full name of another.
    repo.git(&[
        "push",
        "--quiet",
        "origin",
        "HEAD:refs/heads/x/refs/heads/tail",
    ]);
    let git = git(&sandbox, &repo).await;

    assert!(git.branch_exists("main").await.unwrap());
    assert!(git.branch_exists("local-only").await.unwrap());
    assert!(!git.branch_exists("nowhere").await.unwrap());
    let on_remote = git.branch_on_remote("origin", "main").await.unwrap();
    assert_eq!(on_remote.unwrap().as_str(), commit);
    assert_eq!(
        git.branch_on_remote("origin", "local-only").await.unwrap(),
        None
    );
    assert_eq!(git.branch_on_remote("origin", "tail").await.unwrap(), None);
}

#[tokio::test]
async fn a_missing_remote_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let git = git(&sandbox, &repo).await;
    let error = git.branch_on_remote("nowhere", "main").await.unwrap_err();
    assert!(matches!(
        error,
        GitError::Remote {
            kind: RemoteErrorKind::NotFound,
            ..
        }
    ));
    insta::assert_snapshot!(message(&sandbox, &error), @r"
    cannot look for the branch main with the remote nowhere: it does not exist or is not visible; check its URL with `git remote -v`, and that you may see it
    git said: fatal: 'nowhere' does not appear to be a git repository
    fatal: Could not read from remote repository.
    Please make sure you have the correct access rights
    and the repository exists.
    ");
}

#[tokio::test]
async fn a_hostile_name_is_only_ever_a_name() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let commit = repo.commit("First");
    repo.add_remote("origin");
    let git = git(&sandbox, &repo).await;
    let names = [
        "--upload-pack=touch${IFS}pwned",
        "-f",
        "$(touch${IFS}pwned)",
        "`touch${IFS}pwned`",
        "a;touch${IFS}pwned",
        "quo'te\"s",
        "ünïcödé/名前",
        "+forced",
        "a&b|c>d",
    ];
    for name in names {
        assert!(!git.branch_exists(name).await.unwrap(), "{name}");
        let full = format!("refs/heads/{name}");
        repo.git(&["update-ref", &full, "HEAD"]);
        assert!(git.branch_exists(name).await.unwrap(), "{name}");
        assert_eq!(git.branch_on_remote("origin", name).await.unwrap(), None);
        repo.git(&["push", "--quiet", "origin", &format!("{full}:{full}")]);
        let found = git.branch_on_remote("origin", name).await.unwrap();
        assert_eq!(found.unwrap().as_str(), commit, "{name}");
    }
    let listed: Vec<_> = git
        .branches()
        .await
        .unwrap()
        .into_iter()
        .map(|b| b.name)
        .collect();
    for name in names {
        assert!(listed.iter().any(|listed| listed == name), "{name}");
    }

    for name in [
        "--upload-pack=touch pwned",
        "a b",
        "x..y",
        "x.lock",
        "/x",
        "x\n",
        "",
    ] {
        let error = git.branch_exists(name).await.unwrap_err();
        assert!(matches!(error, GitError::BadName { .. }), "{name}");
        // git agrees.
        let accepted = repo.try_git(&["check-ref-format", &format!("refs/heads/{name}")]);
        assert!(!accepted.status.success(), "{name}");
    }
    for remote in ["--upload-pack=touch pwned", "-x"] {
        let error = git.branch_on_remote(remote, "main").await.unwrap_err();
        assert!(matches!(error, GitError::BadName { .. }));
        let error = git.fetch(remote, &[]).await.unwrap_err();
        assert!(matches!(error, GitError::BadName { .. }));
        let error = git.fetch("origin", &[remote]).await.unwrap_err();
        assert!(matches!(error, GitError::BadName { .. }));
    }
    assert!(!repo.path().join("pwned").exists());
}

#[tokio::test]
async fn many_may_make_the_same_repository_at_once() {
    let sandbox = Sandbox::new();
    let git = open(&sandbox, &sandbox.root()).await;
    let folder = sandbox.path("clones/own.git");
    let calls = (0..24).map(|_| git.init_bare(&folder));
    for made in futures_util::future::join_all(calls).await {
        made.unwrap();
    }
    let own = open_bare(&sandbox, &folder).await;
    assert!(own.branches().await.unwrap().is_empty());
    let clones = std::fs::read_dir(sandbox.path("clones")).unwrap();
    assert_eq!(clones.count(), 1, "drafts are removed");
}

#[tokio::test]
async fn commits_can_be_had_without_a_trace_in_the_refs() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let first = repo.commit_file("a.txt", "1\n", "One");
    repo.branch("feature");
    let wanted = repo.commit_file("a.txt", "2\n", "Two");
    let git = open(&sandbox, &sandbox.root()).await;
    let folder = sandbox.path("own.git");
    git.init_bare(&folder).await.unwrap();
    git.init_bare(&folder).await.unwrap();
    let own = open_bare(&sandbox, &folder).await;
    let source = repo.path().to_str().unwrap();
    own.fetch_objects(source, &["refs/heads/feature"])
        .await
        .unwrap();
    assert!(own.is_ancestor(&first, &wanted).await.unwrap());
    assert!(own.branches().await.unwrap().is_empty());
    assert!(!folder.join("FETCH_HEAD").exists());
    let error = own.fetch_objects(source, &["refs/heads/none"]).await;
    assert!(matches!(error, Err(GitError::Remote { .. })));
}
