//! Hashes of working trees, and changed files.

use std::fs;
use std::path::{Path, PathBuf};

use baton_host::git::{ChangeKind, GitError};
use baton_testkit::Sandbox;

use super::{git, open};

#[tokio::test]
async fn the_working_tree_has_the_hash_of_the_commit_it_would_be() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let git = git(&sandbox, &repo).await;
    let empty = git.working_tree().await.unwrap();

    repo.write(".gitignore", "*.log\n");
    repo.write("kept.txt", "one\n");
    repo.write("gone.txt", "two\n");
    let unborn = git.working_tree().await.unwrap();
    assert_ne!(unborn, empty);
    repo.commit("First");
    assert_eq!(git.working_tree().await.unwrap(), unborn);
    assert_eq!(git.tree("HEAD").await.unwrap(), unborn);

    repo.write("kept.txt", "changed\n");
    repo.write("sub/new\nname.txt", "new\n");
    repo.write("noise.log", "ignored\n");
    repo.remove("gone.txt");
    let index_before = fs::read(repo.path().join(".git/index")).unwrap();
    let objects_before = repo.git(&["count-objects"]);
    let status_before = repo.git(&["status", "--porcelain"]);
    let uncommitted = git.working_tree().await.unwrap();
    assert_ne!(uncommitted, unborn);
    assert_eq!(
        fs::read(repo.path().join(".git/index")).unwrap(),
        index_before
    );
    assert_eq!(repo.git(&["count-objects"]), objects_before);
    assert_eq!(repo.git(&["status", "--porcelain"]), status_before);

    repo.commit("Second");
    assert_eq!(git.tree("HEAD").await.unwrap(), uncommitted);
    drop(git);
    assert_eq!(fs::read_dir(sandbox.path("tmp")).unwrap().count(), 0);
}

#[tokio::test]
async fn the_working_tree_is_whole_from_any_folder_and_path() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("odd \"name\"\nof a project");
    repo.commit_file("top.txt", "one\n", "First");
    repo.write("top.txt", "two\n");
    let expected = git(&sandbox, &repo).await.working_tree().await.unwrap();
    let sub = repo.path().join("sub");
    fs::create_dir(&sub).unwrap();
    assert_eq!(
        open(&sandbox, &sub).await.working_tree().await.unwrap(),
        expected
    );
    repo.commit("Second");
    assert_eq!(
        git(&sandbox, &repo).await.tree("HEAD").await.unwrap(),
        expected
    );
}

/// git cannot see by size and time that a file changed right after the index was
/// written; it sees that the two times are equal, and then reads the file.
#[tokio::test]
async fn a_change_at_the_moment_of_the_index_is_seen() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.git(&["config", "core.trustCtime", "false"]);
    repo.git(&["config", "core.checkStat", "minimal"]);
    let set_time = |path: &Path| {
        let moment = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(moment).unwrap();
    };
    let file = repo.write("a.txt", "one\n");
    set_time(&file);
    repo.commit("First");
    set_time(&repo.path().join(".git/index"));
    repo.write("a.txt", "two\n");
    set_time(&file);

    let git = git(&sandbox, &repo).await;
    assert_ne!(
        git.working_tree().await.unwrap(),
        git.tree("HEAD").await.unwrap()
    );
}

#[tokio::test]
async fn a_linked_worktree_has_its_own_content() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit_file("a.txt", "one\n", "First");
    repo.git(&["worktree", "add", "--quiet", "-b", "side", "../side"]);
    sandbox.write("side/a.txt", "other\n");
    let main = git(&sandbox, &repo).await.working_tree().await.unwrap();
    let side = open(&sandbox, &sandbox.path("side"))
        .await
        .working_tree()
        .await
        .unwrap();
    assert_ne!(main, side);
}

#[tokio::test]
async fn changed_files_with_renames() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let long: String = (0..40)
        .map(|n| format!("line {n}\n"))
        .collect::<Vec<_>>()
        .concat();
    repo.write("modified.txt", "a\n");
    repo.write("deleted.txt", "b\n");
    repo.write("old name.txt", &long);
    repo.write("file-or-link", "c\n");
    let from = repo.commit("First");
    repo.write("modified.txt", "aa\n");
    repo.remove("deleted.txt");
    fs::rename(
        repo.path().join("old name.txt"),
        repo.path().join("new\nname.txt"),
    )
    .unwrap();
    repo.write("added/ü.txt", "d\n");
    repo.remove("file-or-link");
    std::os::unix::fs::symlink("target", repo.path().join("file-or-link")).unwrap();
    let to = repo.commit("Second");
    // The user's settings must not matter.
    repo.git(&["config", "diff.renames", "false"]);
    repo.git(&["config", "color.ui", "always"]);

    let git = git(&sandbox, &repo).await;
    let changes: Vec<_> = git
        .changed_files(&from, &to)
        .await
        .unwrap()
        .into_iter()
        .map(|file| (file.path, file.kind))
        .collect();
    let entry = |path: &str, kind| (PathBuf::from(path), kind);
    assert_eq!(
        changes,
        [
            entry("added/ü.txt", ChangeKind::Added),
            entry("deleted.txt", ChangeKind::Deleted),
            entry("file-or-link", ChangeKind::TypeChanged),
            entry("modified.txt", ChangeKind::Modified),
            entry(
                "new\nname.txt",
                ChangeKind::Renamed {
                    from: "old name.txt".into(),
                    similarity: 100
                }
            ),
        ]
    );
    assert_eq!(git.changed_files(&from, &from).await.unwrap(), []);
    let error = git.changed_files("--output=pwned", &to).await.unwrap_err();
    assert!(matches!(error, GitError::BadName { .. }));
    assert!(!Path::new(&repo.path().join("pwned")).exists());
}

#[tokio::test]
async fn the_working_tree_is_put_back_to_a_commit() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.write(".gitignore", "*.log\n");
    repo.write("kept.txt", "one\n");
    let first = repo.commit("First");
    let git = git(&sandbox, &repo).await;
    let commit = git.commit(&first).await.unwrap();

    repo.write("kept.txt", "two\n");
    repo.commit("Second");
    repo.write("kept.txt", "three\n");
    repo.write("new/file.txt", "new\n");
    repo.write("noise.log", "ignored\n");
    git.put_back(&commit).await.unwrap();
    assert_eq!(repo.head(), first);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert!(!repo.path().join("new").exists());
    assert!(repo.path().join("noise.log").exists());
}
