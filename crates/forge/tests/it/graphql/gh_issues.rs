//! The `gh issue` commands.

use serde_json::{Value, json};

use crate::gh::{Gh, world_with_gh};

#[test]
fn an_issue_from_its_opening_to_its_end() {
    let Some(world) = world_with_gh() else { return };
    let repo = crate::gh::checkout(&world);
    let gh = Gh::new(&world, "octo", repo.path());

    let url = gh.succeeds(&[
        "issue",
        "create",
        "--title",
        "It breaks",
        "--body",
        "Often.",
    ]);
    assert_eq!(url, "http://github.localhost/octo/demo/issues/1\n");
    let url = gh.succeeds(&[
        "issue",
        "create",
        "--title",
        "Label me",
        "--body",
        "",
        "--label",
        "bug",
        "--assignee",
        "@me",
    ]);
    assert_eq!(url, "http://github.localhost/octo/demo/issues/2\n");

    let fields = "number,title,body,state,labels,assignees,author,url,comments";
    let issue = gh.json(&["issue", "view", "2", "--json", fields]);
    assert_eq!(issue["labels"][0]["name"], "bug");
    assert_eq!(issue["assignees"][0]["login"], "octo");
    assert_eq!(issue["author"]["login"], "octo");
    assert_eq!(
        (&issue["state"], &issue["comments"]),
        (&json!("OPEN"), &json!([]))
    );

    let said = gh.succeeds(&["issue", "comment", "1", "--body", "I see it too"]);
    assert_eq!(
        said,
        "http://github.localhost/octo/demo/issues/1#issuecomment-1\n"
    );
    gh.succeeds(&["issue", "comment", "1", "--edit-last", "--body", "I saw it"]);
    let shown = gh.succeeds(&["issue", "view", "1", "--comments"]);
    assert!(shown.contains("I saw it"), "{shown}");
    assert!(
        gh.succeeds(&["issue", "view", "1"])
            .contains("title:\tIt breaks\n")
    );

    gh.succeeds(&[
        "issue",
        "edit",
        "1",
        "--title",
        "It broke",
        "--add-label",
        "bug",
    ]);
    gh.succeeds(&[
        "issue",
        "edit",
        "2",
        "--remove-label",
        "bug",
        "--remove-assignee",
        "@me",
    ]);
    let issue = gh.json(&["issue", "view", "1", "--json", "title,labels"]);
    assert_eq!(issue["title"], "It broke");
    assert_eq!(issue["labels"][0]["name"], "bug");
    let issue = gh.json(&["issue", "view", "2", "--json", "labels,assignees"]);
    assert_eq!(issue, json!({ "labels": [], "assignees": [] }));
}

#[test]
fn an_issue_is_closed_reopened_and_locked() {
    let Some(world) = world_with_gh() else { return };
    let repo = crate::gh::checkout(&world);
    let gh = Gh::new(&world, "octo", repo.path());
    gh.succeeds(&["issue", "create", "--title", "It breaks", "--body", ""]);
    gh.succeeds(&[
        "issue",
        "close",
        "1",
        "--comment",
        "done",
        "--reason",
        "not planned",
    ]);
    let issue = gh.json(&["issue", "view", "1", "--json", "state,closedAt,comments"]);
    assert_eq!(issue["state"], "CLOSED");
    assert_ne!(issue["closedAt"], Value::Null);
    assert_eq!(issue["comments"][0]["body"], "done");
    gh.succeeds(&["issue", "reopen", "1"]);
    let issue = gh.json(&["issue", "view", "1", "--json", "state"]);
    assert_eq!(issue, json!({ "state": "OPEN" }));
    gh.succeeds(&["issue", "lock", "1", "--reason", "resolved"]);
    let complaint = Gh::new(&world, "guest", repo.path()).fails(&[
        "issue",
        "comment",
        "1",
        "--body",
        "Let me in",
    ]);
    assert!(complaint.contains("issue is locked"), "{complaint}");
    gh.succeeds(&["issue", "unlock", "1"]);
}

#[test]
fn issues_are_listed_and_found() {
    let Some(world) = world_with_gh() else { return };
    let repo = crate::gh::checkout(&world);
    let gh = Gh::new(&world, "octo", repo.path());
    for title in ["Crash at night", "Paint it black", "Crash at noon"] {
        gh.succeeds(&["issue", "create", "--title", title, "--body", "@reviewer"]);
    }
    gh.succeeds(&[
        "issue",
        "edit",
        "2",
        "--add-label",
        "enhancement",
        "--add-assignee",
        "@me",
    ]);
    gh.succeeds(&["issue", "close", "3"]);

    let numbers = |args: &[&str]| -> Vec<i64> {
        let all = [&["issue", "list", "--json", "number"], args].concat();
        let list = gh.json(&all);
        let list = list.as_array().unwrap().clone();
        list.iter()
            .map(|issue| issue["number"].as_i64().unwrap())
            .collect()
    };
    assert_eq!(numbers(&[]), [2, 1]);
    assert_eq!(numbers(&["--state", "all"]), [3, 2, 1]);
    assert_eq!(numbers(&["--state", "closed"]), [3]);
    assert_eq!(numbers(&["--state", "all", "--limit", "2"]), [3, 2]);
    assert_eq!(numbers(&["--assignee", "@me"]), [2]);
    assert_eq!(numbers(&["--author", "octo", "--state", "all"]), [3, 2, 1]);
    assert_eq!(numbers(&["--mention", "reviewer"]), [2, 1]);
    assert_eq!(numbers(&["--label", "enhancement"]), [2]);
    assert_eq!(
        numbers(&["--search", "crash in:title", "--state", "all"]),
        [3, 1]
    );
    assert_eq!(numbers(&["--label", "bug"]), [0_i64; 0]);
    assert!(gh.succeeds(&["issue", "list"]).contains("Paint it black"));
    let status = gh.succeeds(&["issue", "status"]);
    assert!(status.contains("Paint it black"), "{status}");
}
