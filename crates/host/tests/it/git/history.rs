//! Revisions, logs, range diffs and patch ids.

use baton_host::git::{GitError, LogRange, Oid, PairStatus};
use baton_testkit::Sandbox;

use super::{git, message};

#[tokio::test]
async fn revisions_are_found_or_not() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let first = repo.commit_file("a.txt", "one\n", "First");
    let second = repo.commit_file("a.txt", "two\n", "Second");
    repo.git(&["tag", "-m", "a tag", "v1", &first]);
    let git = git(&sandbox, &repo).await;

    assert_eq!(git.commit("HEAD").await.unwrap().as_str(), second);
    assert_eq!(git.commit("main~1").await.unwrap().as_str(), first);
    assert_eq!(git.commit("v1").await.unwrap().as_str(), first);
    assert_eq!(git.find_commit("nowhere").await.unwrap(), None);
    assert_eq!(git.find_commit("main:a.txt").await.unwrap(), None);
    let error = git.commit("nowhere").await.unwrap_err();
    insta::assert_snapshot!(error, @"there is no commit `nowhere` in this repository; fetch first or check the name");
    let error = git.commit("--git-dir").await.unwrap_err();
    assert!(matches!(error, GitError::BadName { .. }));
}

#[tokio::test]
async fn common_history() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let base = repo.commit("Base");
    repo.branch("topic");
    repo.commit("On topic");
    repo.checkout("main");
    repo.commit("On main");
    repo.git(&["checkout", "--quiet", "--orphan", "unrelated"]);
    repo.commit("Other root");
    let git = git(&sandbox, &repo).await;

    let found = git.merge_base("main", "topic").await.unwrap().unwrap();
    assert_eq!(found.as_str(), base);
    assert_eq!(git.merge_base("main", "unrelated").await.unwrap(), None);
    assert!(git.is_ancestor(&base, "topic").await.unwrap());
    assert!(git.is_ancestor("topic", "topic").await.unwrap());
    assert!(!git.is_ancestor("topic", "main").await.unwrap());
    let error = git.merge_base("main", "nowhere").await.unwrap_err();
    insta::assert_snapshot!(message(&sandbox, &error), @r"
    cannot find the merge base of main and nowhere: git exited with code 128
    git said: fatal: Not a valid object name nowhere
    ");
}

#[tokio::test]
async fn the_log_is_bounded_and_exact() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let first = repo.commit("First");
    repo.branch("topic");
    let topic = repo.commit("On topic\n\nWith a body\nof two lines: ünïcödé.\n");
    repo.checkout("main");
    let second = repo.commit("Second");
    let merge = repo.merge("topic");
    repo.git(&["config", "log.showSignature", "true"]);
    repo.git(&["config", "color.ui", "always"]);
    let git = git(&sandbox, &repo).await;

    let all = git
        .log(
            LogRange {
                from: None,
                to: "main",
            },
            100,
        )
        .await
        .unwrap();
    assert_eq!(all.len(), 4);
    assert_eq!(all[0].commit.as_str(), merge);
    let parents: Vec<_> = all[0].parents.iter().map(Oid::as_str).collect();
    assert_eq!(parents, [&second, &topic]);
    assert!(all[3].parents.is_empty());
    let entry = all
        .iter()
        .find(|entry| entry.commit.as_str() == topic)
        .unwrap();
    assert_eq!(entry.subject(), "On topic");
    assert_eq!(
        entry.message,
        "On topic\n\nWith a body\nof two lines: ünïcödé."
    );
    assert_eq!(entry.author.name, "Test Author");
    assert_eq!(entry.author.email, "author@example.invalid");
    assert_eq!(entry.committer.time, 1_700_000_060);

    let range = LogRange {
        from: Some(&first),
        to: "topic",
    };
    let newer = git.log(range, 100).await.unwrap();
    assert_eq!(newer.len(), 1);
    let bounded = git
        .log(
            LogRange {
                from: None,
                to: "main",
            },
            2,
        )
        .await
        .unwrap();
    assert_eq!(bounded.len(), 2);
    let error = git
        .log(
            LogRange {
                from: Some("--all"),
                to: "main",
            },
            2,
        )
        .await
        .unwrap_err();
    assert!(matches!(error, GitError::BadName { .. }));
}

#[tokio::test]
async fn two_versions_of_a_series_are_compared() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let base = repo.commit_file("base.txt", "base\n", "Base");
    let lines = |count: usize| "line\n".repeat(count);
    repo.branch("old");
    let same = repo.commit_file("same.txt", lines(20), "Stays the same");
    let changed = repo.commit_file("changed.txt", lines(20), "Is changed");
    let dropped = repo.commit_file("dropped.txt", "only here\n", "Is dropped");
    repo.checkout("main");
    repo.commit_file("base.txt", "moved on\n", "Main moves on");
    repo.branch("new");
    repo.git(&["cherry-pick", &same]);
    let still_same = repo.head();
    let changed_now = repo.commit_file("changed.txt", lines(20) + "more\n", "Is changed");
    let added = repo.commit_file("added.txt", "quite\ndifferent\n", "Is added");
    repo.git(&["config", "color.ui", "always"]);

    let git = git(&sandbox, &repo).await;
    let pairs = git
        .range_diff((&base, "old"), ("main", "new"))
        .await
        .unwrap();
    let rendered: Vec<_> = pairs
        .iter()
        .map(|pair| {
            let id = |side: &Option<(u64, Oid)>| {
                side.as_ref().map(|(number, id)| (*number, id.to_string()))
            };
            (
                pair.status,
                id(&pair.old),
                id(&pair.new),
                pair.subject.as_str(),
            )
        })
        .collect();
    assert_eq!(
        rendered,
        [
            (
                PairStatus::Same,
                Some((1, same)),
                Some((1, still_same)),
                "Stays the same"
            ),
            (
                PairStatus::Changed,
                Some((2, changed)),
                Some((2, changed_now)),
                "Is changed"
            ),
            (PairStatus::OnlyOld, Some((3, dropped)), None, "Is dropped"),
            (PairStatus::OnlyNew, None, Some((3, added)), "Is added"),
        ]
    );
}

#[tokio::test]
async fn the_same_change_has_the_same_patch_id() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let base = repo.commit_file("base.txt", "base\n", "Base");
    repo.branch("topic");
    let one = repo.commit_file("one.txt", "one\n", "One");
    let two = repo.commit_file("two.bin", [0, 1, 2, 255], "Two");
    repo.checkout("main");
    repo.commit_file("base.txt", "moved on\n", "Main moves on");
    repo.git(&["cherry-pick", &one]);
    let picked = repo.head();
    repo.git(&["merge", "--squash", "--quiet", "topic"]);
    let squashed = repo.commit("Squashed");
    let git = git(&sandbox, &repo).await;

    let of_one = git.patch_id_of_commit(&one).await.unwrap().unwrap();
    assert_eq!(
        git.patch_id_of_commit(&picked).await.unwrap().unwrap(),
        of_one
    );
    let range = LogRange {
        from: Some(&base),
        to: "topic",
    };
    let ids = git.patch_ids(range).await.unwrap();
    let commits: Vec<_> = ids
        .iter()
        .map(|id| id.commit.clone().unwrap().to_string())
        .collect();
    assert_eq!(commits, [two.clone(), one.clone()]);
    assert_eq!(ids[1].patch, of_one);

    let of_two = git.patch_id_between(&one, &two).await.unwrap();
    assert_eq!(git.patch_id_of_commit(&squashed).await.unwrap(), of_two);
    assert_eq!(git.patch_id_between(&one, &one).await.unwrap(), None);
    let root = git.patch_id_of_commit(&base).await.unwrap();
    assert!(root.is_some());
}

#[tokio::test]
async fn fetching_brings_new_commits() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit("First");
    let clone = repo.clone_to("clone", &[]);
    let second = repo.commit("Second");
    repo.branch("side");
    let third = repo.commit("Third");
    let git = git(&sandbox, &clone).await;
    git.fetch("origin", &["+refs/heads/main:refs/remotes/origin/main"])
        .await
        .unwrap();
    assert_eq!(git.commit("origin/main").await.unwrap().as_str(), second);
    assert_eq!(git.find_commit("origin/side").await.unwrap(), None);
    git.fetch("origin", &[]).await.unwrap();
    assert_eq!(git.commit("origin/side").await.unwrap().as_str(), third);

    let error = git
        .fetch("origin", &["refs/heads/nothing"])
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @r"
    cannot fetch with the remote origin: it does not exist or is not visible; check its URL with `git remote -v`, and that you may see it
    git said: fatal: couldn't find remote ref refs/heads/nothing
    ");
}
