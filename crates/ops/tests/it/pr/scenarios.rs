//! Every output example of the contract, produced by a real call.

use std::fmt::Write as _;

use baton_testkit::jira::{FakeJira, TroubleKind};
use baton_testkit::world::World;
use serde_json::json;

use super::{Call, client, play, prepare, pulls, undelivered};

#[test]
fn a_branch_becomes_a_draft() {
    let world = World::start();
    let repo = prepare(&world);
    let answer = play(&world, &repo, Call::default());
    insta::assert_snapshot!(answer.text(), @r#"
    {
      "status": "success",
      "execution_time_ms": 0,
      "pr_url": "http://forge/octo/demo/pull/1",
      "pr_number": 1,
      "jira_status": {
        "linked": false,
        "transitioned": false,
        "current_state": null
      },
      "marked_ready": false,
      "errors": []
    }
    "#);
    let pull = &pulls(&world)[0];
    assert_eq!(pull["draft"], true);
    assert_eq!(pull["title"], "feat: add a topic");
}

/// At most six and four requests are allowed.
#[test]
fn the_full_path_takes_few_requests() {
    let world = World::start();
    let repo = prepare(&world);
    let jira = FakeJira::start(&["In Code Review", "Done"]);
    let mut call = Call::with(&jira);
    call.more["mark_ready"] = json!(true);
    let answer = play(&world, &repo, call);
    insta::assert_snapshot!(answer.text(), @r#"
    {
      "status": "success",
      "execution_time_ms": 0,
      "pr_url": "http://forge/octo/demo/pull/1",
      "pr_number": 1,
      "jira_status": {
        "linked": true,
        "transitioned": true,
        "current_state": "In Code Review"
      },
      "marked_ready": true,
      "errors": []
    }
    "#);
    assert_eq!(answer.details["github_requests"], 3);
    let mut calls = jira.calls();
    // Both reads are under way at once.
    calls[..2].sort();
    insta::assert_snapshot!(calls.join("\n"), @"
    GET /rest/api/2/issue/PROJ-123
    GET /rest/api/2/issue/PROJ-123/transitions
    POST /rest/api/2/issue/PROJ-123/remotelink
    POST /rest/api/2/issue/PROJ-123/transitions
    ");
    let link = jira.inside().links[0].to_string();
    insta::assert_snapshot!(link.replace(&world.web_url(), "http://forge"), @r##"{"globalId":"baton:http://forge/octo/demo/pull/1","application":{"type":"dev.baton","name":"baton"},"relationship":"pull request","object":{"url":"http://forge/octo/demo/pull/1","title":"#1 feat: add a topic"}}"##);
    assert_eq!(pulls(&world)[0]["draft"], false);
}

#[test]
fn no_transition_leads_to_a_review() {
    let world = World::start();
    let repo = prepare(&world);
    let jira = FakeJira::start(&["Done", "In Progress", "Blocked"]);
    insta::assert_snapshot!(play(&world, &repo, Call::with(&jira)).text(), @r#"
    {
      "status": "success",
      "execution_time_ms": 0,
      "pr_url": "http://forge/octo/demo/pull/1",
      "pr_number": 1,
      "jira_status": {
        "linked": true,
        "transitioned": false,
        "current_state": "In Progress",
        "error": "No transition found matching 'Code Review' pattern"
      },
      "marked_ready": false,
      "errors": [
        {
          "type": "jira_transition_failed",
          "message": "Could not transition PROJ-123 to Code Review state",
          "context": {
            "jira_key": "PROJ-123",
            "available_transitions": [
              "Done",
              "In Progress",
              "Blocked"
            ]
          }
        }
      ]
    }
    "#);
}

#[test]
fn jira_is_not_configured() {
    let world = World::start();
    let repo = prepare(&world);
    let call = Call::asking(json!({ "jira_key": "PROJ-123" }));
    insta::assert_snapshot!(play(&world, &repo, call).text(), @r#"
    {
      "status": "success",
      "execution_time_ms": 0,
      "pr_url": "http://forge/octo/demo/pull/1",
      "pr_number": 1,
      "jira_status": {
        "linked": false,
        "transitioned": false,
        "current_state": null,
        "error": "Atlassian MCP not configured"
      },
      "marked_ready": false,
      "errors": [
        {
          "type": "jira_not_configured",
          "message": "Jira integration skipped: Atlassian MCP tools not available. Configure MCP to enable Jira integration.",
          "context": {}
        }
      ]
    }
    "#);
}

#[test]
fn no_such_branch() {
    let world = World::start();
    let repo = prepare(&world);
    let call = Call::asking(json!({ "branch": "feature/nonexistent" }));
    insta::assert_snapshot!(play(&world, &repo, call).text(), @r#"
    {
      "status": "failed",
      "execution_time_ms": 0,
      "pr_url": null,
      "pr_number": null,
      "jira_status": {
        "linked": false,
        "transitioned": false,
        "current_state": null
      },
      "marked_ready": false,
      "errors": [
        {
          "type": "branch_not_found",
          "message": "Branch 'feature/nonexistent' does not exist locally or remotely",
          "context": {
            "branch": "feature/nonexistent",
            "error_output": "error: neither this repository nor the remote 'origin' has a branch 'feature/nonexistent'"
          }
        }
      ]
    }
    "#);
}

#[test]
fn an_open_pull_request_is_refused_or_adopted() {
    let world = World::start();
    let repo = prepare(&world);
    play(&world, &repo, Call::default());
    insta::assert_snapshot!(play(&world, &repo, Call::default()).text(), @r#"
    {
      "status": "failed",
      "execution_time_ms": 0,
      "pr_url": null,
      "pr_number": null,
      "jira_status": {
        "linked": false,
        "transitioned": false,
        "current_state": null
      },
      "marked_ready": false,
      "errors": [
        {
          "type": "pr_creation_failed",
          "message": "Failed to create pull request: A pull request for branch 'topic' already exists",
          "context": {
            "branch": "topic",
            "error_output": "A pull request for branch 'topic' already exists: http://forge/octo/demo/pull/1"
          }
        }
      ]
    }
    "#);
    let call = Call {
        adopt: true,
        ..Call::asking(json!({ "title": "feat: another title" }))
    };
    let adopted = play(&world, &repo, call);
    assert_eq!(adopted.output["pr_number"], 1);
    assert_eq!(adopted.details["creation"], "adopted");
    assert_eq!(pulls(&world)[0]["title"], "feat: another title");
}

#[test]
fn a_short_title() {
    let world = World::start();
    let repo = prepare(&world);
    insta::assert_snapshot!(play(&world, &repo, Call::asking(json!({ "title": "Fix" }))).text(), @r#"
    {
      "status": "failed",
      "execution_time_ms": 0,
      "pr_url": null,
      "pr_number": null,
      "jira_status": {
        "linked": false,
        "transitioned": false,
        "current_state": null
      },
      "marked_ready": false,
      "errors": [
        {
          "type": "validation_error",
          "message": "PR title must be at least 5 characters",
          "context": {
            "field": "title",
            "path": "/title",
            "value": "Fix"
          }
        }
      ]
    }
    "#);
}

#[test]
fn no_such_issue() {
    let world = World::start();
    let repo = prepare(&world);
    let jira = FakeJira::start(&["In Code Review"]);
    let mut call = Call::with(&jira);
    call.more["jira_key"] = json!("PROJ-999");
    insta::assert_snapshot!(play(&world, &repo, call).text(), @r#"
    {
      "status": "success",
      "execution_time_ms": 0,
      "pr_url": "http://forge/octo/demo/pull/1",
      "pr_number": 1,
      "jira_status": {
        "linked": false,
        "transitioned": false,
        "current_state": null,
        "error": "Jira issue PROJ-999 not found"
      },
      "marked_ready": false,
      "errors": [
        {
          "type": "jira_issue_not_found",
          "message": "Jira issue PROJ-999 does not exist or you don't have permission to view it",
          "context": {
            "jira_key": "PROJ-999"
          }
        }
      ]
    }
    "#);
}

#[test]
fn several_transitions_are_a_question() {
    let world = World::start();
    let repo = prepare(&world);
    let jira = FakeJira::start(&["Code Review", "In Code Review"]);
    let asked_no_one = play(&world, &repo, Call::with(&jira));
    insta::assert_snapshot!(asked_no_one.errors(), @r#"
    [
      {
        "type": "jira_transition_ambiguous",
        "message": "Several transitions of PROJ-123 lead to a review; none was taken",
        "context": {
          "jira_key": "PROJ-123",
          "available_transitions": [
            "Code Review",
            "In Code Review"
          ]
        }
      }
    ]
    "#);
    insta::assert_snapshot!(asked_no_one.jira(), @r#"{"linked":true,"transitioned":false,"current_state":"In Progress","error":"Several transitions match: Code Review, In Code Review"}"#);
    let call = Call {
        adopt: true,
        answer: Some('2'),
        ..Call::with(&jira)
    };
    insta::assert_snapshot!(play(&world, &repo, call).jira(), @r#"{"linked":true,"transitioned":true,"current_state":"In Code Review"}"#);
    assert_eq!(jira.inside().moves, ["In Code Review"]);
}

#[test]
fn what_a_transition_wants_filled_in_is_known_before() {
    let world = World::start();
    let repo = prepare(&world);
    let jira = FakeJira::start(&["Code Review"]);
    jira.inside().transitions[0].required = Some("Reviewer".to_owned());
    let answer = play(&world, &repo, Call::with(&jira));
    insta::assert_snapshot!(answer.jira(), @r#"{"linked":true,"transitioned":false,"current_state":"In Progress","error":"Transition 'Code Review' needs fields: Reviewer"}"#);
    assert!(
        !jira
            .calls()
            .iter()
            .any(|call| call.starts_with("POST") && call.ends_with("/transitions"))
    );
}

#[test]
fn an_acronym_of_the_team_is_understood() {
    let world = World::start();
    let repo = prepare(&world);
    let jira = FakeJira::start(&["Peer review", "To CR"]);
    insta::assert_snapshot!(play(&world, &repo, Call::with(&jira)).jira(), @r#"{"linked":true,"transitioned":true,"current_state":"To CR"}"#);
}

#[test]
fn jira_refuses_the_token() {
    let world = World::start();
    let repo = prepare(&world);
    let jira = FakeJira::start(&["Code Review"]);
    let call = Call {
        jira: Some(client(&jira, "wrong")),
        ..Call::with(&jira)
    };
    let answer = play(&world, &repo, call);
    insta::assert_snapshot!(answer.errors(), @r#"
    [
      {
        "type": "jira_authentication_failed",
        "message": "Jira refused the credentials",
        "context": {
          "jira_key": "PROJ-123",
          "error_output": "cannot read PROJ-123: Jira refuses the credentials; check the user name and the API token of Jira, and that the token has not expired"
        }
      }
    ]
    "#);
    insta::assert_snapshot!(answer.jira(), @r#"{"linked":false,"transitioned":false,"current_state":null,"error":"cannot read PROJ-123: Jira refuses the credentials"}"#);
}

#[test]
fn without_remote_links_there_is_one_comment() {
    let world = World::start();
    let repo = prepare(&world);
    let jira = FakeJira::start(&["Code Review"]);
    jira.inside().has_remote_links = false;
    let answer = play(&world, &repo, Call::with(&jira));
    assert_eq!(answer.details["link"], "comment");
    insta::assert_snapshot!(answer.jira(), @r#"{"linked":true,"transitioned":true,"current_state":"Code Review"}"#);
    let body = jira.inside().comments[0]["body"].to_string();
    insta::assert_snapshot!(body.replace(&world.web_url(), "http://forge"), @r#""Pull Request: http://forge/octo/demo/pull/1""#);
    let call = Call {
        adopt: true,
        ..Call::with(&jira)
    };
    assert_eq!(play(&world, &repo, call).details["link"], "already");
    assert_eq!(jira.inside().comments.len(), 1);
}

#[test]
fn a_transition_that_vanishes_is_a_warning() {
    let world = World::start();
    let repo = prepare(&world);
    let jira = FakeJira::start(&["Code Review"]);
    let gone = json!({ "errorMessages": ["It is not valid for the current state."], "errors": {} });
    jira.trouble("POST", "/transitions", 9, TroubleKind::status(400, &gone));
    let answer = play(&world, &repo, Call::with(&jira));
    insta::assert_snapshot!(answer.jira(), @r#"{"linked":true,"transitioned":false,"current_state":"In Progress","error":"cannot move PROJ-123: Jira refuses: It is not valid for the current state."}"#);
    insta::assert_snapshot!(answer.reason(), @"jira_transition_failed: Could not transition PROJ-123 to Code Review state");
}

/// The answer of a call that was cut off before anybody had it.
#[test]
fn an_answer_that_no_one_had_is_given_again() {
    let world = World::start();
    let repo = prepare(&world);
    let jira = FakeJira::start(&["Code Review"]);
    let first = undelivered(&world, &repo, Call::with(&jira));
    let again = play(&world, &repo, Call::with(&jira));
    assert_eq!(again.output["pr_number"], json!(first.output.pr_number));
    assert_eq!(
        again.output["jira_status"],
        serde_json::to_value(&first.output.jira_status).unwrap()
    );
    assert_eq!(again.details["creation"], "resumed");
    let inside = jira.inside();
    assert_eq!((inside.moves.len(), inside.links.len()), (1, 1));
    assert_eq!(pulls(&world).len(), 1);
}

/// `draft` and `mark_ready` in all combinations.
#[test]
fn ready_is_what_was_asked_for_and_is_so() {
    let world = World::start();
    let repo = world.checkout();
    let mut table = String::new();
    for (draft, mark_ready) in [(true, false), (true, true), (false, false), (false, true)] {
        let branch = format!("topic-{draft}-{mark_ready}");
        super::add_branch(&repo, &branch);
        let call =
            Call::asking(json!({ "branch": branch, "draft": draft, "mark_ready": mark_ready }));
        let answer = play(&world, &repo, call);
        let is_draft = &pulls(&world)[0]["draft"];
        let marked_ready = &answer.output["marked_ready"];
        let requests = &answer.details["github_requests"];
        writeln!(
            table,
            "draft {draft}, mark_ready {mark_ready}: is a draft {is_draft}, marked_ready {marked_ready}, {requests} requests"
        )
        .unwrap();
    }
    insta::assert_snapshot!(table, @"
    draft true, mark_ready false: is a draft true, marked_ready false, 2 requests
    draft true, mark_ready true: is a draft false, marked_ready true, 3 requests
    draft false, mark_ready false: is a draft false, marked_ready false, 2 requests
    draft false, mark_ready true: is a draft false, marked_ready true, 2 requests
    ");
}
