//! Repositories that want their own code to be run, each with every call that
//! baton makes.

use std::fs;
use std::path::{Path, PathBuf};

use baton_host::cmd::Environment;
use baton_host::git::{Checkout, Git, GitError, LogRange, Push, PushOutcome, Rejection};
use baton_testkit::{Repo, Sandbox};

use super::{git, message, open, trusting};

/// Every hook that git knows by name.
const HOOKS: [&str; 18] = [
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "post-update",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "prepare-commit-msg",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
];

/// A program that leaves a trace and passes its input on.
struct Trap {
    program: String,
    trace: PathBuf,
}

impl Trap {
    fn set(sandbox: &Sandbox) -> Self {
        let program = sandbox.path("trap");
        let trace = sandbox.path("trapped");
        let script = format!("#!/bin/sh\necho \"$0 $*\" >> {}\ncat\n", trace.display());
        fs::write(&program, script).unwrap();
        make_executable(&program);
        Self {
            program: program.to_str().unwrap().to_owned(),
            trace,
        }
    }

    fn was_sprung(&self) -> bool {
        self.trace.exists()
    }
}

fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A repository with history, attributes that ask for drivers, and a remote.
fn repository(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("project");
    repo.commit_file(
        ".gitattributes",
        "* filter=evil diff=evil merge=evil\n",
        "First",
    );
    repo.commit_file("file", "one\n", "Second");
    repo.add_remote("origin");
    repo.branch("side");
    repo.commit_file("file", "side\n", "On the side");
    repo.checkout("main");
    repo.commit_file("file", "two\n", "Third");
    repo.write("file", "changed\n");
    repo.write("new", "new\n");
    repo
}

/// All that baton asks git for. What fails may fail; nothing else may happen.
async fn use_everything(sandbox: &Sandbox, git: &Git) {
    let _ = git.facts().await;
    let _ = git.branches().await;
    let _ = git.remote_branches().await;
    let _ = git.remotes().await;
    let _ = git.worktrees().await;
    let _ = git.committer().await;
    let range = LogRange {
        from: None,
        to: "HEAD",
    };
    let _ = git.log(range, 10).await;
    let _ = git.patch_ids(range).await;
    let _ = git.diff("HEAD~1", "HEAD", 3).await;
    let _ = git.changed_files("HEAD~1", "HEAD").await;
    let _ = git.range_diff(("HEAD~1", "HEAD"), ("HEAD~1", "side")).await;
    let _ = git.blame("HEAD", Path::new("file"), &[]).await;
    let _ = git.file_at("HEAD", Path::new("file")).await;
    let _ = git.merge_tree("HEAD", "side").await;
    let _ = git.working_tree().await;
    let _ = git.submodules().await;
    if let Ok(snapshot) = git.snapshot().await {
        let _ = snapshot.changes().await;
        let _ = snapshot.diff_from("HEAD", 3).await;
        let _ = snapshot.restore(&[PathBuf::from("file")]).await;
    }
    let worktree = sandbox.path("worktree");
    let _ = git
        .add_worktree(&worktree, Checkout::Detached("HEAD"))
        .await;
    let _ = git.at(&worktree).working_tree().await;
    let _ = git.remove_worktree(&worktree).await;
    let _ = git.discard_worktree(&worktree).await;
    let _ = git.fetch("origin", &[]).await;
    let _ = git.fetch_objects("origin", &["refs/heads/main"]).await;
    let _ = git.branch_on_remote("origin", "main").await;
    let push = Push {
        remote: "origin",
        source: "HEAD",
        branch: "main",
        lease: None,
    };
    let _ = git.push(push).await;
    if let Ok(commit) = git.commit("HEAD").await {
        let _ = git.put_back(&commit).await;
    }
}

/// Settings that make git run a program, as `git config` takes them.
fn settings(trap: &str) -> Vec<(&'static str, String)> {
    let plain = trap.to_owned();
    vec![
        ("alias.status", format!("!{trap}")),
        ("core.alternateRefsCommand", plain.clone()),
        ("core.askPass", plain.clone()),
        ("core.editor", plain.clone()),
        ("core.fsmonitor", plain.clone()),
        ("core.gitProxy", plain.clone()),
        ("core.pager", plain.clone()),
        ("core.sshCommand", plain.clone()),
        ("credential.helper", format!("!{trap}")),
        ("diff.evil.command", plain.clone()),
        ("diff.evil.textconv", plain.clone()),
        ("diff.external", plain.clone()),
        ("filter.evil.clean", plain.clone()),
        ("filter.evil.process", plain.clone()),
        ("filter.evil.smudge", plain.clone()),
        ("gpg.program", plain.clone()),
        ("log.showSignature", "true".to_owned()),
        ("merge.evil.driver", plain.clone()),
        ("pager.log", plain.clone()),
        ("remote.origin.receivepack", plain.clone()),
        ("remote.origin.uploadpack", plain.clone()),
        ("remote.origin.vcs", "evil".to_owned()),
        ("trailer.x.command", plain.clone()),
        ("uploadpack.packObjectsHook", plain),
    ]
}

#[tokio::test]
async fn no_setting_of_a_repository_runs_a_program() {
    // In groups, so that a setting which stops git does not hide all others.
    const GROUPS: usize = 4;
    for group in 0..GROUPS {
        let sandbox = Sandbox::new();
        let trap = Trap::set(&sandbox);
        let repo = repository(&sandbox);
        let settings = settings(&trap.program);
        let settings: Vec<_> = settings.iter().skip(group).step_by(GROUPS).collect();
        for (key, value) in &settings {
            repo.git(&["config", key, value]);
        }
        use_everything(&sandbox, &git(&sandbox, &repo).await).await;
        assert!(!trap.was_sprung(), "one of {settings:?}");
    }
}

#[tokio::test]
async fn the_trap_works() {
    let sandbox = Sandbox::new();
    let trap = Trap::set(&sandbox);
    let repo = repository(&sandbox);
    repo.git(&["config", "core.fsmonitor", &trap.program]);
    let git = trusting(&sandbox, &repo).await;
    git.working_tree().await.unwrap();
    assert!(!trap.was_sprung(), "the working tree is hashed without it");
    git.call(baton_host::git::Call::read("look").arg("status"))
        .await
        .unwrap();
    assert!(trap.was_sprung());
}

#[tokio::test]
async fn hooks_run_only_for_who_trusts_them() {
    let sandbox = Sandbox::new();
    let trap = Trap::set(&sandbox);
    let repo = repository(&sandbox);
    let hooks = sandbox.folder("hooks");
    for name in HOOKS {
        for folder in [repo.path().join(".git/hooks"), hooks.clone()] {
            fs::create_dir_all(&folder).unwrap();
            fs::copy(&trap.program, folder.join(name)).unwrap();
        }
    }
    use_everything(&sandbox, &git(&sandbox, &repo).await).await;
    assert!(!trap.was_sprung(), ".git/hooks");
    repo.try_git(&["config", "core.hooksPath", hooks.to_str().unwrap()]);
    fs::remove_file(&trap.trace).unwrap_or_default();
    use_everything(&sandbox, &git(&sandbox, &repo).await).await;
    assert!(!trap.was_sprung(), "core.hooksPath");

    let push = Push {
        remote: "origin",
        source: "HEAD",
        branch: "main",
        lease: None,
    };
    let outcome = trusting(&sandbox, &repo).await.push(push).await;
    assert!(matches!(outcome, Ok(PushOutcome::Pushed { .. })));
    assert!(trap.was_sprung());
}

#[tokio::test]
async fn a_push_runs_no_hook_of_a_repository_on_this_machine() {
    let sandbox = Sandbox::new();
    let trap = Trap::set(&sandbox);
    let repo = repository(&sandbox);
    let hook = sandbox.path("project-origin.git/hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::copy(&trap.program, hook).unwrap();
    let push = Push {
        remote: "origin",
        source: "HEAD",
        branch: "main",
        lease: None,
    };
    let error = git(&sandbox, &repo).await.push(push).await.unwrap_err();
    assert!(error.to_string().contains("'file' not allowed"), "{error}");
    assert!(!trap.was_sprung());
}

#[tokio::test]
async fn included_files_are_not_read() {
    let sandbox = Sandbox::new();
    let trap = Trap::set(&sandbox);
    let repo = repository(&sandbox);
    let more = repo.write("more", format!("[core]\n\tfsmonitor = {}\n", trap.program));
    repo.git(&["config", "include.path", more.to_str().unwrap()]);
    let condition = format!("includeIf.gitdir:{}/.path", repo.path().display());
    repo.git(&["config", &condition, more.to_str().unwrap()]);
    use_everything(&sandbox, &git(&sandbox, &repo).await).await;
    assert!(!trap.was_sprung());
}

#[tokio::test]
async fn the_settings_of_a_worktree_are_judged_too() {
    let sandbox = Sandbox::new();
    let trap = Trap::set(&sandbox);
    let repo = repository(&sandbox);
    repo.git(&["config", "extensions.worktreeConfig", "true"]);
    repo.git(&["config", "--worktree", "user.name", "Only Here"]);
    let own = ["config", "--worktree", "core.fsmonitor"];
    repo.git(&[own[0], own[1], own[2], &trap.program]);
    let git = git(&sandbox, &repo).await;
    let name = baton_host::git::Call::read("ask").args(["config", "user.name"]);
    assert_eq!(git.call(name).await.unwrap().line(), "Only Here");
    use_everything(&sandbox, &git).await;
    assert!(!trap.was_sprung());
}

#[tokio::test]
async fn a_folder_that_looks_like_a_bare_repository_is_a_folder() {
    let sandbox = Sandbox::new();
    let trap = Trap::set(&sandbox);
    let repo = repository(&sandbox);
    let embedded = repo.path().join("docs/example");
    fs::create_dir_all(embedded.join("work")).unwrap();
    repo.git(&["init", "--quiet", "--bare", "docs/example"]);
    let config = embedded.join("config");
    let set = |key: &str, value: &str| {
        repo.git(&["config", "--file", config.to_str().unwrap(), key, value]);
    };
    set("core.worktree", embedded.join("work").to_str().unwrap());
    set("core.bare", "false");
    set("core.fsmonitor", &trap.program);
    set("core.hooksPath", embedded.to_str().unwrap());
    for folder in [&embedded, &embedded.join("refs")] {
        let git = open(&sandbox, folder).await;
        let facts = git.facts().await.unwrap();
        assert_eq!(facts.top_level.as_deref(), Some(repo.path()));
    }
    use_everything(&sandbox, &open(&sandbox, &embedded).await).await;
    assert!(!trap.was_sprung());
}

#[tokio::test]
async fn a_file_that_points_to_a_hostile_repository() {
    let sandbox = Sandbox::new();
    let trap = Trap::set(&sandbox);
    let hostile = repository(&sandbox);
    hostile.git(&["config", "core.fsmonitor", &trap.program]);
    hostile.git(&["config", "core.worktree", "/"]);
    let folder = sandbox.folder("pointing");
    fs::write(folder.join(".git"), "gitdir: ../project/.git\n").unwrap();
    let git = open(&sandbox, &folder).await;
    let facts = git.facts().await.unwrap();
    assert_eq!(facts.top_level, Some(folder));
    use_everything(&sandbox, &git).await;
    assert!(!trap.was_sprung());
}

#[tokio::test]
async fn submodules_run_nothing_and_their_commits_count() {
    let sandbox = Sandbox::new();
    let trap = Trap::set(&sandbox);
    let library = sandbox.repo("library");
    library.commit_file("code", "one\n", "First");
    let repo = repository(&sandbox);
    repo.git(&["add", "--all"]);
    let url = library.path().to_str().unwrap();
    let add = ["submodule", "add", "--quiet", url, "sub dir"];
    repo.git(&[&["-c", "protocol.file.allow=always"][..], &add].concat());
    repo.commit("With a submodule");
    let sub = repo.path().join("sub dir");
    let in_sub = |args: &[&str]| repo.git(&[&["-C", "sub dir"][..], args].concat());
    for (key, value) in settings(&trap.program) {
        in_sub(&["config", key, &value]);
    }
    fs::write(sub.join(".gitattributes"), "* filter=evil\n").unwrap();
    fs::write(sub.join("code"), "two\n").unwrap();
    let git = git(&sandbox, &repo).await;
    let before = git.working_tree().await.unwrap();
    use_everything(&sandbox, &git).await;
    assert!(!trap.was_sprung());

    in_sub(&["config", "--remove-section", "filter.evil"]);
    in_sub(&["config", "--unset", "core.fsmonitor"]);
    in_sub(&["config", "--unset", "core.pager"]);
    in_sub(&["commit", "--quiet", "--all", "--message", "Second"]);
    let after = git.working_tree().await.unwrap();
    assert_ne!(before, after, "its commit is part of the working tree");
    assert_eq!(
        git.submodules().await.unwrap()[0].path,
        Path::new("sub dir")
    );
    // From below, too.
    let below = open(&sandbox, &sub).await;
    assert_eq!(below.facts().await.unwrap().top_level, Some(sub));
}

#[tokio::test]
async fn missing_objects_are_not_fetched_by_a_program() {
    let sandbox = Sandbox::new();
    let trap = Trap::set(&sandbox);
    let repo = repository(&sandbox);
    let blob = repo.git(&["rev-parse", "HEAD:file"]);
    let loose = format!(".git/objects/{}/{}", &blob[..2], &blob[2..]);
    fs::remove_file(repo.path().join(loose)).unwrap();
    repo.git(&["config", "extensions.partialClone", "origin"]);
    repo.git(&["config", "remote.origin.promisor", "true"]);
    let url = format!("ext::{} %S", trap.program);
    repo.git(&["config", "remote.origin.url", &url]);
    repo.git(&["config", "protocol.ext.allow", "always"]);
    let git = git(&sandbox, &repo).await;
    assert!(git.diff("HEAD~1", "HEAD", 3).await.is_err());
    use_everything(&sandbox, &git).await;
    assert!(!trap.was_sprung());
}

#[tokio::test]
async fn what_is_no_regular_file_is_refused() {
    for name in ["config", "HEAD", "packed-refs"] {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("project");
        repo.commit("First");
        let file = repo.path().join(".git").join(name);
        let _ = fs::remove_file(&file);
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        let error = git(&sandbox, &repo).await.facts().await.unwrap_err();
        assert!(
            matches!(error, GitError::Unusable { .. }),
            "{name}: {error}"
        );
        let expected = format!(
            "the repository cannot be used because of [root]/project/.git/{name}: it is not a regular file; repair it, or make a new clone"
        );
        assert_eq!(message(&sandbox, &error), expected);
    }
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let config = repo.path().join(".git/config");
    fs::write(config, " ".repeat(2 << 20)).unwrap();
    let error = git(&sandbox, &repo).await.facts().await.unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
}

#[tokio::test]
async fn nothing_is_left_behind() {
    let mut sandbox = Sandbox::new();
    let temporary = sandbox.folder("temporary");
    sandbox.set("TMPDIR", &temporary);
    let repo = repository(&sandbox);
    let environment: Environment = sandbox.environment().clone().into_iter().collect();
    let git = Git::open(repo.path(), &environment).await.unwrap();
    use_everything(&sandbox, &git).await;
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 1);
    let clone = git.clone();
    drop(git);
    clone.facts().await.unwrap();
    drop(clone);
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}

#[tokio::test]
async fn a_trusted_push_meets_the_hooks_of_the_remote() {
    let sandbox = Sandbox::new();
    let repo = repository(&sandbox);
    repo.hook("pre-push", "exit 1");
    let push = Push {
        remote: "origin",
        source: "HEAD",
        branch: "main",
        lease: None,
    };
    let outcome = trusting(&sandbox, &repo).await.push(push).await.unwrap();
    assert!(matches!(
        outcome,
        PushOutcome::Rejected {
            reason: Rejection::HookDeclined,
            ..
        }
    ));
}
