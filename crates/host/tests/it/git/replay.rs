//! Replays, diffs and blame.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use baton_host::git::{
    ChangeKind, DiffLineKind, FileDiff, GitError, LogRange, RefMove, Replay, Signature,
};
use baton_testkit::Sandbox;

use super::{git, message};

fn committer() -> Signature {
    Signature {
        name: "Restacker".to_owned(),
        email: "restack@example.invalid".to_owned(),
        time: 1_700_000_000,
        zone: "+0000".to_owned(),
    }
}

#[tokio::test]
async fn commits_are_recreated_elsewhere_and_nothing_else_moves() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit_file("base.txt", "base\n", "Base");
    repo.branch("feature");
    let cut = repo.commit_file("below.txt", "below\n", "Below");
    repo.commit_file("one.txt", "one\n", "One\n\nWith a body.");
    repo.commit_file("two.txt", "two\n", "Two");
    repo.checkout("main");
    // What a squashed merge of the first commit leaves on the branch below.
    let squashed = repo.commit_file("below.txt", "below\n", "Below (squashed)");
    let before = repo.git(&["for-each-ref"]);
    let git = git(&sandbox, &repo).await;
    let range = LogRange {
        from: Some(&cut),
        to: "feature",
    };
    let Replay::Done { commits } = git.replay(range, "main", &committer()).await.unwrap() else {
        panic!("it fits");
    };
    assert_eq!(repo.git(&["for-each-ref"]), before);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    let tip = commits[1].to.clone().unwrap();
    let made = git
        .log(
            LogRange {
                from: Some(&squashed),
                to: tip.as_str(),
            },
            9,
        )
        .await
        .unwrap();
    let messages: Vec<_> = made.iter().map(|commit| commit.message.as_str()).collect();
    assert_eq!(messages, ["Two", "One\n\nWith a body."]);
    let originals = git.log(range, 9).await.unwrap();
    assert_eq!(made[0].author, originals[0].author);
    assert_eq!(made[0].committer, committer());
    assert_eq!(
        git.files_at(tip.as_str()).await.unwrap(),
        ["base.txt", "below.txt", "one.txt", "two.txt"].map(PathBuf::from)
    );

    // With the squashed commit replayed too, nothing of it is left.
    let whole = LogRange {
        from: Some("main~1"),
        to: "feature",
    };
    let Replay::Done { commits } = git.replay(whole, "main", &committer()).await.unwrap() else {
        panic!("it fits");
    };
    assert_eq!(commits[0].to, None);
    assert_eq!(commits[2].to.as_ref(), Some(&tip));
}

#[tokio::test]
async fn a_conflict_is_reported_with_its_commit() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit_file("a.txt", "1\n", "Base");
    repo.branch("feature");
    repo.commit_file("b.txt", "b\n", "Fits");
    repo.commit_file("a.txt", "2\n", "Does not");
    repo.checkout("main");
    repo.commit_file("a.txt", "3\n", "Main");
    let git = git(&sandbox, &repo).await;
    let range = LogRange {
        from: Some("main"),
        to: "feature",
    };
    let Replay::Conflict { commits, at, merge } =
        git.replay(range, "main", &committer()).await.unwrap()
    else {
        panic!("it conflicts");
    };
    assert_eq!(commits.len(), 1);
    assert_eq!(at.subject(), "Does not");
    assert_eq!(merge.conflicts[0].path, Path::new("a.txt"));
}

#[tokio::test]
async fn refs_move_together_or_not_at_all() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit_file("a.txt", "1\n", "One");
    let git = git(&sandbox, &repo).await;
    let one = git.commit("HEAD").await.unwrap();
    repo.commit_file("a.txt", "2\n", "Two");
    let two = git.commit("HEAD").await.unwrap();
    repo.git(&["branch", "other", one.as_str()]);
    let to = |name: &str, from, to| RefMove {
        name: format!("refs/heads/{name}"),
        from,
        to,
    };
    let new = to("new", None, Some(one.clone()));
    let other = to("other", Some(one.clone()), Some(two.clone()));
    git.update_refs(&[new.clone(), other], "both")
        .await
        .unwrap();
    assert_eq!(git.commit("other").await.unwrap(), two);
    assert!(repo.git(&["reflog", "other"]).contains("both"));

    let gone = to("new", Some(one.clone()), None);
    let stale = to("other", Some(one.clone()), None);
    let error = git
        .update_refs(&[gone, stale], "neither")
        .await
        .unwrap_err();
    assert!(matches!(error, GitError::Failed { .. }));
    assert_eq!(git.commit("new").await.unwrap(), one);
    assert!(
        message(&sandbox, &error).starts_with("cannot move the refs: git exited with code 128")
    );
}

#[tokio::test]
async fn a_difference_is_read_line_by_line() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.write("we\"ird\tname", "a\nb\nc\n");
    repo.write("moved", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    repo.write("gone", "-- a/gone\n");
    repo.commit("One");
    repo.write("we\"ird\tname", "a\n+++ b/x\nc\n");
    repo.git(&["mv", "moved", "here"]);
    repo.write("here", "1\n2\n3\n4\n5\n6\n7\n8\n9");
    repo.write("binary", b"a\0b");
    repo.remove("gone");
    repo.commit("Two");
    let git = git(&sandbox, &repo).await;
    let diff = git.diff("HEAD~", "HEAD", 1).await.unwrap();
    let rendered: Vec<String> = diff.iter().map(render).collect();
    insta::assert_snapshot!(rendered.join("\n"), @r#"
    binary Added, binary
    gone Deleted
      (1, 1) (0, 0)
      --- a/gone
    here renamed from moved
      (8, 2) (8, 2)
       8
      -9
      +9
      \ No newline at end of file
    we"ird	name Modified
      (1, 3) (1, 3)
       a
      -b
      ++++ b/x
       c
    "#);
    assert_eq!((diff[1].additions(), diff[1].deletions()), (0, 1));
    let blob = git
        .file_at("HEAD", Path::new("we\"ird\tname"))
        .await
        .unwrap();
    assert_eq!(blob.unwrap(), b"a\n+++ b/x\nc\n");
    assert_eq!(git.file_at("HEAD", Path::new("*")).await.unwrap(), None);
}

fn render(file: &FileDiff) -> String {
    let kind = match &file.kind {
        ChangeKind::Renamed { from, .. } => format!("renamed from {}", from.display()),
        kind => format!("{kind:?}"),
    };
    let binary = if file.is_binary { ", binary" } else { "" };
    let mut text = format!("{} {kind}{binary}", file.path.display());
    for hunk in &file.hunks {
        let (old, new) = (
            (hunk.old_start, hunk.old_lines),
            (hunk.new_start, hunk.new_lines),
        );
        write!(text, "\n  {old:?} {new:?}").unwrap();
        for line in &hunk.lines {
            let sign = match line.kind {
                DiffLineKind::Context => ' ',
                DiffLineKind::Added => '+',
                DiffLineKind::Removed => '-',
                DiffLineKind::NoNewline => '\\',
            };
            write!(text, "\n  {sign}{}", line.text).unwrap();
        }
    }
    text
}

#[tokio::test]
async fn lines_have_their_last_writer() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let first = repo.commit_file("a.txt", "1\n2\n3\n", "One");
    let second = repo.commit_file("a.txt", "1\ntwo\n3\n", "Two");
    let git = git(&sandbox, &repo).await;
    let mut blame = git
        .blame("HEAD", Path::new("a.txt"), &[2..=3])
        .await
        .unwrap();
    blame.sort_by_key(|lines| lines.start);
    let lines: Vec<_> = blame
        .iter()
        .map(|lines| (lines.start, lines.count, lines.commit.as_str()))
        .collect();
    assert_eq!(lines, [(2, 1, second.as_str()), (3, 1, first.as_str())]);
    let author = &git
        .log(
            LogRange {
                from: None,
                to: "HEAD",
            },
            1,
        )
        .await
        .unwrap()[0]
        .author;
    assert_eq!(
        (&blame[0].author, &blame[0].email),
        (&author.name, &author.email)
    );
}

#[tokio::test]
async fn a_commit_that_was_made_empty_stays() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let base = repo.commit_file("base.txt", "base\n", "Base");
    repo.branch("feature");
    repo.commit("Run CI again");
    repo.checkout("main");
    repo.commit_file("more.txt", "more\n", "More");
    let git = git(&sandbox, &repo).await;
    let range = LogRange {
        from: Some(&base),
        to: "feature",
    };
    let Replay::Done { commits } = git.replay(range, "main", &committer()).await.unwrap() else {
        panic!("it fits");
    };
    assert!(commits[0].to.is_some());
}

#[tokio::test]
async fn git_knows_who_commits() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let found = git(&sandbox, &repo)
        .await
        .committer()
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (
            found.name.as_str(),
            found.email.as_str(),
            found.zone.as_str()
        ),
        ("Test Author", "author@example.invalid", "+0000")
    );
    assert!(found.time > 1_700_000_000);
}
