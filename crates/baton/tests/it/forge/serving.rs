use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::thread;
use std::time::{Duration, Instant};

use baton_testkit::Sandbox;

use super::{Serving, line};
use crate::command::baton;
use crate::processes::is_running;

/// Longer than anything takes: a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_mins(1);

#[test]
fn it_serves_until_it_is_interrupted() {
    let sandbox = Sandbox::new();
    let serving = Serving::start(&sandbox, &[]);
    // Set-up works while it serves.
    line(&sandbox, &["forge", "user", "octo", "--data", "forge"]);
    let token = line(&sandbox, &["forge", "token", "octo", "--data", "forge"]);
    let answer = serving.get("/api/v3/user", &token);
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains(r#""login":"octo""#), "{answer}");
    let gone = ["forge", "token", "--revoke", &token, "--data", "forge"];
    assert_eq!(line(&sandbox, &gone), "");
    let answer = serving.get("/api/v3/user", &token);
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");

    let host = serving.host.clone();
    let root = sandbox.root().to_string_lossy().into_owned();
    let (code, said) = serving.stop();
    assert_eq!(code, Some(130));
    let said = said.replace(&host, "[host]").replace(&root, "[sandbox]");
    insta::assert_snapshot!(said, @"
    The forge's data is in [sandbox]/work/forge. Ctrl-C stops it.

    Nobody is here yet. In another terminal:
      baton forge user octo
      baton forge repo add octo/demo PATH-OF-A-GIT-REPOSITORY

    With a token from `baton forge token LOGIN`:
    baton  export BATON_GITHUB_API_URL=http://[host]/api/v3 GITHUB_TOKEN=TOKEN
    gh     GH_HOST=github.localhost GH_TOKEN=TOKEN HTTP_PROXY=http://[host] gh …
    git    git clone http://TOKEN@[host]/OWNER/NAME.git
    page   http://[host]
    The forge has stopped.
    ");
    assert!(std::net::TcpStream::connect(host).is_err());
}

#[test]
fn what_it_serves_is_still_there_after_a_restart() {
    let sandbox = Sandbox::new();
    line(&sandbox, &["forge", "user", "octo", "--data", "forge"]);
    let token = line(&sandbox, &["forge", "token", "octo", "--data", "forge"]);
    for _ in 0..2 {
        let serving = Serving::start(&sandbox, &["--github-limits"]);
        let answer = serving.get("/user", &token);
        assert!(answer.contains("x-ratelimit-limit: 5000\r\n"), "{answer}");
        assert_eq!(serving.stop().0, Some(130));
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.folder("work").join("file"), "").unwrap();
    insta::assert_snapshot!(
        baton(&sandbox).run(&["forge", "serve", "--listen", "127.0.0.1:0", "--data", "file/below"]),
        @"
    exit 3
    -- stderr
    error: cannot start the forge
      cannot use the forge's data folder [sandbox]/work/file/below
      Not a directory (os error 20)
    hint: Name a new folder, or one that is yours alone, with --data.
    "
    );
    insta::assert_snapshot!(
        baton(&sandbox).run(&["forge", "token", "octo", "--data", "file/below"]),
        @"
    exit 3
    -- stderr
    error: cannot open the forge
      cannot use the forge's data folder [sandbox]/work/file/below
      Not a directory (os error 20)
    hint: Name a new folder, or one that is yours alone, with --data.
    "
    );
}

#[test]
fn a_folder_is_served_once() {
    let sandbox = Sandbox::new();
    let _serving = Serving::start(&sandbox, &[]);
    insta::assert_snapshot!(
        baton(&sandbox).run(&["forge", "serve", "--listen", "127.0.0.1:0", "--data", "forge"]),
        @"
    exit 3
    -- stderr
    error: cannot start the forge
      another forge serves the data folder [sandbox]/work/forge
    hint: Stop the other forge, or name another folder with --data.
    "
    );
}

#[test]
fn an_address_that_is_taken_is_told() {
    let sandbox = Sandbox::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let answer = baton(&sandbox).run(&["forge", "serve", "--listen", &address]);
    insta::assert_snapshot!(answer.to_string().replace(&address, "[address]"), @"
    exit 3
    -- stderr
    error: cannot start the forge
      cannot listen on [address]
      Address already in use (os error 98)
    hint: Choose another address with --listen; 127.0.0.1:0 takes a free port.
    ");
}

#[test]
fn it_answers_for_its_own_names_and_those_it_is_given() {
    let sandbox = Sandbox::new();
    let serving = Serving::start(&sandbox, &["--host", "forge.example"]);
    for (host, status) in [
        ("evil.example", "421 Misdirected Request"),
        ("forge.example", "200 OK"),
        ("localhost:80", "200 OK"),
    ] {
        let answer = serving.get_as(host, "/meta", "");
        let expected = format!("HTTP/1.1 {status}\r\n");
        assert!(answer.starts_with(&expected), "{host}: {answer}");
    }
}

#[test]
fn its_data_is_closed_to_others_wherever_it_lies() {
    let sandbox = Sandbox::new();
    let mode = |name: &str| {
        let path = sandbox.folder("work").join(name);
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    };
    line(&sandbox, &["forge", "user", "octo", "--data", "forge"]);
    assert_eq!(mode("forge"), 0o700);
    assert_eq!(mode("forge/forge.sqlite3"), 0o600);
    fs::set_permissions(
        sandbox.folder("work").join("forge"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    let _serving = Serving::start(&sandbox, &[]);
    assert_eq!(mode("forge"), 0o700);
}

/// A job does its work with git, files and temporary files, and reaches nothing
/// else of the user who serves the forge; what it leaves behind ends with it.
#[test]
#[cfg(target_os = "linux")]
fn jobs_run_in_the_sandbox() {
    let mut sandbox = Sandbox::new();
    for tool in ["grep", "ls", "mktemp", "setsid", "sleep"] {
        sandbox.link_tool(tool);
    }
    let mark = format!("86397.{}", std::process::id());
    sandbox.write("home/.ssh/id_ed25519", "key");
    let (home, data) = (sandbox.home(), sandbox.folder("work").join("forge"));
    let script = format!(
        "set -e\n\
         git log --oneline | grep -q Ask\n\
         echo fine > made.txt; mktemp > /dev/null; echo x > \"$RUNNER_TEMP/x\"; echo x > \"$HOME/x\"\n\
         ! test -e {home}/.ssh/id_ed25519\n\
         ! test -e {data}/forge.sqlite3\n\
         ! ls {data}/repositories/*/HEAD\n\
         ! grep -qs GITHUB_TOKEN /proc/$PPID/environ\n\
         (setsid sleep {mark} &)\n",
        home = home.display(),
        data = data.display(),
    );
    line(&sandbox, &["forge", "user", "octo", "--data", "forge"]);
    let token = line(&sandbox, &["forge", "token", "octo", "--data", "forge"]);
    let add = [
        "forge",
        "repo",
        "add",
        "octo/demo",
        "--pushed-checks",
        "--data",
        "forge",
    ];
    line(&sandbox, &add);
    let serving = Serving::start(&sandbox, &[]);
    let repo = sandbox.repo("checkout");
    repo.write("check.sh", script);
    repo.write(
        ".baton/forge-checks.toml",
        "[[jobs]]\nname = 'test'\ncommand = 'sh check.sh'\n",
    );
    repo.commit("Ask for checks");
    let url = format!("http://{token}@{}/octo/demo.git", serving.host);
    repo.git(&["push", "--quiet", &url, "HEAD:refs/heads/main"]);
    let started = Instant::now();
    let ended = loop {
        let path = "/repos/octo/demo/actions/runs?status=completed";
        let ended = serving.get(path, &token);
        if ended.contains(r#""status":"completed""#) {
            break ended;
        }
        assert!(started.elapsed() < PATIENCE, "{ended}");
        thread::sleep(Duration::from_millis(20));
    };
    let log = fs::read_to_string(data.join("actions/1/logs/1/3.txt")).unwrap();
    assert!(ended.contains(r#""conclusion":"success""#), "{log}");
    assert!(log.contains("left processes behind"), "{log}");
    assert!(!is_running(&mark));
}

/// The whole way, from the options to what a pushed commit executes.
#[test]
fn pushed_checks_run_where_they_were_switched_on_with_what_they_are_given() {
    let mut sandbox = Sandbox::new();
    sandbox.set("DATABASE_URL", "postgres://secret");
    sandbox.set("TOOLS", "/opt/tools");
    line(&sandbox, &["forge", "user", "octo", "--data", "forge"]);
    let token = line(&sandbox, &["forge", "token", "octo", "--data", "forge"]);
    let add = ["forge", "repo", "add", "octo/demo", "--data", "forge"];
    line(&sandbox, &add);
    let job_env = ["--job-env", "TOOLS", "--job-env", "LEVEL=3"];
    let serving = Serving::start(&sandbox, &job_env);
    let repo = sandbox.repo("checkout");
    repo.write(
        ".baton/forge-checks.toml",
        "[[jobs]]\nname = 'test'\ncommand = 'test \"$DATABASE_URL$TOOLS$LEVEL\" = /opt/tools3'\n",
    );
    repo.commit("Ask for checks");
    let url = format!("http://{token}@{}/octo/demo.git", serving.host);
    let runs = |branch: &str| {
        let path = format!("/repos/octo/demo/actions/runs?status=completed&branch={branch}");
        serving.get(&path, &token)
    };
    repo.git(&["push", "--quiet", &url, "HEAD:refs/heads/off"]);
    assert!(runs("off").contains(r#""conclusion":"skipped""#));
    let switch = ["forge", "repo", "pushed-checks", "octo/demo", "on"];
    line(&sandbox, &[&switch[..], &["--data", "forge"]].concat());
    repo.git(&["push", "--quiet", &url, "HEAD:refs/heads/on"]);
    let started = Instant::now();
    while !runs("on").contains(r#""conclusion":"success""#) {
        assert!(started.elapsed() < PATIENCE, "{}", runs("on"));
        thread::sleep(Duration::from_millis(20));
    }
}
