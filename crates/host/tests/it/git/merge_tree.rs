//! Merges and their conflicts.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use baton_host::git::{GitError, MergeMessageKind, MergeTree};
use baton_testkit::{Repo, Sandbox};

use super::{git, message};

/// Makes a change on two branches from a common base and tries their merge.
async fn merge(
    base: impl Fn(&Repo<'_>),
    ours: impl Fn(&Repo<'_>),
    theirs: impl Fn(&Repo<'_>),
) -> MergeTree {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    base(&repo);
    repo.commit("Base");
    repo.branch("theirs");
    theirs(&repo);
    repo.commit("Theirs");
    repo.checkout("main");
    ours(&repo);
    repo.commit("Ours");
    let head = repo.head();
    let git = git(&sandbox, &repo).await;
    let merged = git.merge_tree("main", "theirs").await.unwrap();
    assert_eq!(repo.head(), head);
    assert_eq!(
        repo.git(&["status", "--porcelain"]),
        "",
        "nothing is touched"
    );
    merged
}

/// Stage and path of each version in conflict, then the kinds of the messages
/// about a conflict.
fn render(merge: &MergeTree) -> String {
    assert!(!merge.clean);
    let files = merge
        .conflicts
        .iter()
        .map(|file| format!("{} {} {}", file.mode, file.stage, file.path.display()));
    let messages = merge
        .messages
        .iter()
        .filter(|message| message.kind.is_conflict())
        .map(|message| {
            let paths: Vec<_> = message
                .paths
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            format!("{:?} {}", message.kind, paths.join(", "))
        });
    files.chain(messages).collect::<Vec<_>>().join("\n")
}

const LONG: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

#[tokio::test]
async fn a_clean_merge() {
    let merged = merge(
        |repo| drop(repo.write("a.txt", LONG)),
        |repo| drop(repo.write("a.txt", LONG.replace('1', "one"))),
        |repo| drop(repo.write("a.txt", LONG.replace('9', "nine"))),
    )
    .await;
    assert!(merged.clean);
    assert_eq!(merged.conflicts, []);
    assert_eq!(merged.messages[0].kind, MergeMessageKind::AutoMerging);
    assert_eq!(merged.messages[0].text, "Auto-merging a.txt");
}

#[tokio::test]
async fn both_changed_the_same_lines() {
    let merged = merge(
        |repo| drop(repo.write("a\nb.txt", "base\n")),
        |repo| drop(repo.write("a\nb.txt", "ours\n")),
        |repo| drop(repo.write("a\nb.txt", "theirs\n")),
    )
    .await;
    insta::assert_snapshot!(render(&merged), @r"
    100644 1 a
    b.txt
    100644 2 a
    b.txt
    100644 3 a
    b.txt
    Contents a
    b.txt
    ");
}

#[tokio::test]
async fn one_changed_and_the_other_deleted() {
    let merged = merge(
        |repo| drop(repo.write("a.txt", "base\n")),
        |repo| drop(repo.write("a.txt", "ours\n")),
        |repo| repo.remove("a.txt"),
    )
    .await;
    insta::assert_snapshot!(render(&merged), @r"
    100644 1 a.txt
    100644 2 a.txt
    ModifyDelete a.txt
    ");
}

#[tokio::test]
async fn both_renamed_differently() {
    let rename = |repo: &Repo<'_>, to: &str| {
        fs::rename(repo.path().join("a.txt"), repo.path().join(to)).unwrap();
    };
    let merged = merge(
        |repo| drop(repo.write("a.txt", LONG)),
        |repo| rename(repo, "ours.txt"),
        |repo| rename(repo, "theirs.txt"),
    )
    .await;
    insta::assert_snapshot!(render(&merged), @r"
    100644 1 a.txt
    100644 2 ours.txt
    100644 3 theirs.txt
    RenameRename a.txt, ours.txt, theirs.txt
    ");
}

#[tokio::test]
async fn one_renamed_and_the_other_deleted() {
    let merged = merge(
        |repo| drop(repo.write("a.txt", LONG)),
        |repo| fs::rename(repo.path().join("a.txt"), repo.path().join("b.txt")).unwrap(),
        |repo| repo.remove("a.txt"),
    )
    .await;
    insta::assert_snapshot!(render(&merged), @r"
    100644 1 b.txt
    100644 2 b.txt
    RenameDelete b.txt, a.txt
    ");
}

#[tokio::test]
async fn both_added_the_same_name() {
    let merged = merge(
        |repo| drop(repo.write("base.txt", "base\n")),
        |repo| drop(repo.write("new.txt", "ours\n")),
        |repo| drop(repo.write("new.txt", "theirs\n")),
    )
    .await;
    insta::assert_snapshot!(render(&merged), @r"
    100644 2 new.txt
    100644 3 new.txt
    Contents new.txt
    ");
}

#[tokio::test]
async fn both_added_the_same_name_with_different_kinds() {
    let merged = merge(
        |repo| drop(repo.write("base.txt", "base\n")),
        |repo| drop(repo.write("new", "ours\n")),
        |repo| std::os::unix::fs::symlink("base.txt", repo.path().join("new")).unwrap(),
    )
    .await;
    insta::assert_snapshot!(render(&merged), @r"
    120000 3 new
    100644 2 new~main
    DistinctModes new, new~main
    ");
}

#[tokio::test]
async fn both_added_with_different_modes() {
    let merged = merge(
        |repo| drop(repo.write("base.txt", "base\n")),
        |repo| drop(repo.write("run.sh", "same\n")),
        |repo| {
            let path = repo.write("run.sh", "same\n");
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        },
    )
    .await;
    insta::assert_snapshot!(render(&merged), @r"
    100644 2 run.sh
    100755 3 run.sh
    Contents run.sh
    ");
}

#[tokio::test]
async fn both_changed_a_binary() {
    let merged = merge(
        |repo| drop(repo.write("a.bin", [0, 1])),
        |repo| drop(repo.write("a.bin", [0, 2])),
        |repo| drop(repo.write("a.bin", [0, 3])),
    )
    .await;
    // git counts it as a conflict of contents too; newer versions say both.
    assert_eq!(merged.conflicts.len(), 3);
    let kinds: Vec<_> = merged
        .messages
        .iter()
        .map(|message| &message.kind)
        .collect();
    assert!(
        kinds.contains(&&MergeMessageKind::Binary) || kinds.contains(&&MergeMessageKind::Contents),
        "{kinds:?}"
    );
}

#[tokio::test]
async fn a_file_is_where_the_other_has_a_folder() {
    let merged = merge(
        |repo| drop(repo.write("base.txt", "base\n")),
        |repo| drop(repo.write("thing", "file\n")),
        |repo| drop(repo.write("thing/inside.txt", "folder\n")),
    )
    .await;
    insta::assert_snapshot!(render(&merged), @r"
    100644 2 thing~main
    FileDirectory thing~main, thing
    ");
}

#[tokio::test]
async fn what_cannot_be_merged_is_an_error() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit("First");
    repo.git(&["checkout", "--quiet", "--orphan", "unrelated"]);
    repo.commit("Other root");
    let git = git(&sandbox, &repo).await;
    let error = git.merge_tree("main", "unrelated").await.unwrap_err();
    insta::assert_snapshot!(message(&sandbox, &error), @r"
    cannot try the merge of unrelated into main: git exited with code 128
    git said: fatal: refusing to merge unrelated histories
    ");
    let error = git.merge_tree("main", "nowhere").await.unwrap_err();
    insta::assert_snapshot!(message(&sandbox, &error), @r"
    cannot try the merge of nowhere into main: git exited with code 1
    git said: merge-tree: nowhere - not something we can merge
    ");
    let error = git.merge_tree("main", "--stdin").await.unwrap_err();
    assert!(matches!(error, GitError::BadName { .. }));
}
