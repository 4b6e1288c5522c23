//! Snapshots of the working tree.

use std::fs;

use baton_testkit::Sandbox;

use super::git;

#[tokio::test]
async fn later_changes_are_listed_and_undone() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("ledger");
    repo.write(".gitignore", "cache\n");
    repo.commit_file("kept.txt", "one\n", "Begin");
    repo.commit_file("odd\nname.txt", "two\n", "Go on");
    // Work that is not committed is remembered, too.
    repo.write("kept.txt", "mine\n");
    repo.write("new.txt", "also mine\n");
    let git = git(&sandbox, &repo).await;
    let snapshot = git.snapshot().await.unwrap();
    assert_eq!(snapshot.changes().await.unwrap(), []);
    assert_eq!(snapshot.tree_now().await.unwrap(), *snapshot.tree());

    repo.write("kept.txt", "rewritten\n");
    repo.write("new.txt", "rewritten\n");
    repo.remove("odd\nname.txt");
    repo.write("made.txt", "made\n");
    repo.write("cache", "ignored\n");
    let changes = snapshot.changes().await.unwrap();
    let listed: Vec<String> = changes
        .iter()
        .map(|file| format!("{:?} {}", file.kind, file.path.display()))
        .collect();
    insta::assert_snapshot!(listed.join("\n").replace("odd\nname", "odd|name"), @r"
    Modified kept.txt
    Added made.txt
    Modified new.txt
    Deleted odd|name.txt
    ");
    let paths: Vec<_> = changes.into_iter().map(|file| file.path).collect();
    snapshot.restore(&paths[..1]).await.unwrap();
    snapshot.restore(&paths[2..]).await.unwrap();
    let content = |name: &str| fs::read_to_string(repo.path().join(name)).unwrap();
    assert_eq!(content("kept.txt"), "mine\n");
    assert_eq!(content("new.txt"), "also mine\n");
    assert_eq!(content("odd\nname.txt"), "two\n");
    assert_eq!(content("made.txt"), "made\n");
    // The repository itself has seen nothing of it.
    assert_eq!(
        repo.git(&["status", "--porcelain"]),
        " M kept.txt\n?? made.txt\n?? new.txt"
    );
}

#[tokio::test]
async fn a_snapshot_is_compared_with_a_commit() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("ledger");
    let base = repo.commit_file("a.txt", "one\ntwo\n", "Begin");
    repo.write("a.txt", "one\n2\nthree\n");
    let git = git(&sandbox, &repo).await;
    let snapshot = git.snapshot().await.unwrap();
    repo.write("a.txt", "later\n");
    let files = snapshot.diff_from(&base, 0).await.unwrap();
    assert_eq!(files.len(), 1);
    let hunk = &files[0].hunks[0];
    assert_eq!((hunk.new_start, hunk.new_lines), (2, 2));
}
