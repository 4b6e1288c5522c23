//! The real `gh` against a server that notes what it is asked.

use baton_testkit::{Gh, Sandbox};

use crate::server::serve_json as serve;

#[test]
fn gh_asks_the_given_server_with_the_given_token() {
    let sandbox = Sandbox::new();
    let (port, asked) = serve(r#"{"full_name":"octo/demo"}"#);
    let Some(gh) = Gh::new(&sandbox, port, "secret") else {
        return;
    };
    let output = gh.run(["api", "repos/octo/demo", "--jq", ".full_name"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "octo/demo\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");

    let asked = asked.recv().unwrap();
    assert_eq!(
        asked.line,
        "GET http://api.github.localhost/repos/octo/demo HTTP/1.1"
    );
    assert!(
        asked
            .headers
            .contains(&"authorization: token secret".to_owned()),
        "{:?}",
        asked.headers
    );
}

#[test]
fn gh_learns_the_repository_from_the_remotes() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.git(&[
        "remote",
        "add",
        "origin",
        "http://github.localhost/octo/demo.git",
    ]);
    let (port, asked) = serve(
        r#"{"data":{"repository":{"pullRequest":{"number":7,"url":"http://github.localhost/octo/demo/pull/7"}}}}"#,
    );
    let Some(gh) = Gh::new(&sandbox, port, "secret") else {
        return;
    };
    let args = ["pr", "view", "7", "--json", "url", "--jq", ".url"];
    assert_eq!(
        gh.text_in(repo.path(), args),
        "http://github.localhost/octo/demo/pull/7\n"
    );
    let asked = asked.recv().unwrap();
    assert_eq!(
        asked.line,
        "POST http://api.github.localhost/graphql HTTP/1.1"
    );
    assert!(
        asked
            .body
            .contains(r#""owner":"octo","pr_number":7,"repo":"demo""#),
        "{}",
        asked.body
    );
}

#[test]
fn gh_reaches_no_other_server() {
    let sandbox = Sandbox::new();
    let (port, asked) = serve("{}");
    let Some(gh) = Gh::new(&sandbox, port, "secret") else {
        return;
    };
    let output = gh.run(["api", "--hostname", "github.com", "user"]);
    assert!(!output.status.success());
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("127.0.0.1:9"), "{message}");
    assert!(asked.try_recv().is_err());
}
