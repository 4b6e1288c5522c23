//! No call waits for a person, and none is misled by its environment.

use std::time::Duration;

use baton_host::cmd::Environment;
use baton_host::git::{Git, GitError, GitLimits};
use baton_testkit::Sandbox;
use tokio_util::sync::CancellationToken;

use super::{git, message, open};

fn environment(sandbox: &Sandbox) -> Environment {
    sandbox.environment().clone().into_iter().collect()
}

#[tokio::test]
async fn the_variables_of_a_hook_are_not_followed() {
    let mut sandbox = Sandbox::new();
    let other = sandbox.repo("other").commit("Elsewhere");
    let repo_path = {
        let repo = sandbox.repo("project");
        repo.commit("Here");
        repo.path().to_owned()
    };
    sandbox.set("GIT_DIR", sandbox.path("other/.git"));
    sandbox.set("GIT_WORK_TREE", sandbox.path("other"));
    sandbox.set("GIT_INDEX_FILE", sandbox.path("other/.git/index"));
    let git = open(&sandbox, &repo_path).await;
    let facts = git.facts().await.unwrap();
    assert_eq!(facts.top_level, Some(repo_path));
    assert_ne!(facts.head.commit().unwrap().as_str(), other);
}

#[tokio::test]
async fn a_call_is_unattended() {
    let sandbox = Sandbox::new();
    let fake = sandbox.fake(
        "git",
        r#"case "$2" in
            version) echo git version 2.47.0;;
            config) exit 1;;
            *) env > "$HOME/seen"; echo refused >&2; exit 9;;
        esac"#,
    );
    let git = open(&sandbox, &sandbox.root()).await;
    let error = git.fetch("origin", &[]).await.unwrap_err();
    insta::assert_snapshot!(message(&sandbox, &error), @r"
    cannot fetch with the remote origin: git failed; run the same command by hand to see more
    git said: refused
    ");
    let seen = std::fs::read_to_string(sandbox.home().join("seen")).unwrap();
    for line in [
        "GCM_INTERACTIVE=never",
        "GIT_ASKPASS=",
        "GIT_EDITOR=false",
        "GIT_PAGER=cat",
        "GIT_SSH_COMMAND=ssh -o BatchMode=yes",
        "GIT_TERMINAL_PROMPT=0",
        "LC_ALL=C.UTF-8",
        "SSH_ASKPASS_REQUIRE=never",
    ] {
        assert!(seen.lines().any(|seen| seen == line), "{line} in {seen}");
    }
    assert!(!seen.contains("GIT_OPTIONAL_LOCKS"), "fetch may write");
    assert_eq!(fake.calls().last().unwrap()[1], "fetch");
}

#[tokio::test]
async fn a_way_to_run_ssh_that_the_user_chose_is_kept() {
    let mut sandbox = Sandbox::new();
    let repo_path = sandbox.repo("project").path().to_owned();
    let ssh = sandbox.fake("my-ssh", "exit 1").path().to_owned();
    let git = open(&sandbox, &repo_path).await;

    sandbox.run(
        &repo_path,
        "git",
        &[
            "config",
            "--global",
            "core.sshCommand",
            ssh.to_str().unwrap(),
        ],
    );
    git.at(&repo_path)
        .fetch("ssh://example.invalid/x", &[])
        .await
        .unwrap_err();
    let calls = sandbox.path("calls/my-ssh");
    assert!(calls.exists(), "the configured command was used");

    std::fs::remove_file(&calls).unwrap();
    sandbox.run(
        &repo_path,
        "git",
        &["config", "--global", "--unset", "core.sshCommand"],
    );
    sandbox.set("GIT_SSH_COMMAND", &ssh);
    let git = open(&sandbox, &repo_path).await;
    git.fetch("ssh://example.invalid/x", &[]).await.unwrap_err();
    assert!(calls.exists(), "the command of the environment was used");
}

#[tokio::test]
async fn an_old_git_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.fake("git", "echo git version 2.34.1");
    let error = Git::open(sandbox.root(), &environment(&sandbox))
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @"git 2.34.1 is too old: version 2.38.0 or newer is needed");
}

#[tokio::test]
async fn a_missing_git_is_reported() {
    let sandbox = Sandbox::new();
    std::fs::remove_file(sandbox.bin().join("git")).unwrap();
    let error = Git::open(sandbox.root(), &environment(&sandbox))
        .await
        .unwrap_err();
    assert!(matches!(error, GitError::Start { .. }));
    insta::assert_snapshot!(error, @"cannot ask git for its version: git did not start");
}

#[tokio::test]
async fn a_git_that_hangs_is_ended() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let limits = GitLimits {
        local: Duration::from_mins(1),
        network: Duration::from_millis(200),
    };
    repo.git(&["config", "--global", "core.sshCommand", "sleep 600; true"]);
    let git = git(&sandbox, &repo).await.with_limits(limits);
    let error = git.fetch("ssh://example.invalid/x", &[]).await.unwrap_err();
    insta::assert_snapshot!(error, @"cannot fetch: git was ended after 200ms; check the network and locks of the repository, then try again");
}

#[tokio::test]
async fn a_call_can_move_to_another_thread() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let git = git(&sandbox, &repo).await;
    let task = tokio::spawn(async move { git.fetch("nowhere", &[]).await });
    assert!(task.await.unwrap().is_err());
}

#[tokio::test]
async fn a_call_can_be_cancelled() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let cancel = CancellationToken::new();
    cancel.cancel();
    let git = git(&sandbox, &repo).await.with_cancellation(cancel);
    let error = git.facts().await.unwrap_err();
    insta::assert_snapshot!(error, @"cannot look at the repository: cancelled");
}

#[tokio::test]
async fn credentials_are_not_displayed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let git = git(&sandbox, &repo).await;
    let url = "http://user:pass-word@127.0.0.1:1/x.git";
    repo.git(&["remote", "add", "origin", url]);
    for remote in ["origin", url] {
        let error = git.fetch(remote, &[]).await.unwrap_err();
        let message = format!("{error} {error:?}");
        assert!(message.contains("127.0.0.1"), "{message}");
        assert!(!message.contains("pass-word"), "{message}");
    }
    let remotes = git.remotes().await.unwrap();
    assert_eq!(remotes[0].fetch_urls[0].expose(), url);
    insta::assert_snapshot!(remotes[0].fetch_urls[0], @"http://***@127.0.0.1:1/x.git");
    assert!(!format!("{remotes:?}").contains("pass-word"));
}
