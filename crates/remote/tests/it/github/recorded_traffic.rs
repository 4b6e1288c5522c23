//! Traffic that was recorded from GitHub itself (npm `@octokit/fixtures`), played
//! back to the client in the order in which it was recorded.

use std::fs;
use std::sync::{Arc, Mutex};

use baton_protocol::Repository;
use baton_remote::github::resources::branch_protection::Protection;
use baton_remote::github::resources::issues::{IssueFilter, NewIssue};
use baton_remote::github::resources::labels::Label;
use baton_remote::github::resources::search::SearchFor;
use baton_remote::github::{Auth, Event, GitHub, Observer, Server};
use baton_remote::http::{Call, Credential, Credentials, Http, Overflow, Path, Safety, Secret};
use baton_testkit::peer;
use serde_json::{Value, json};

use super::server::{Answer, Scripted};
use super::{client, report, settings};

const OWNER: &str = "octokit-fixture-org";

/// A recorded story whose parts are replayed one after the other.
struct Story {
    /// In place of `api.github.com`.
    server: Scripted,
    /// In place of `codeload.github.com`: another origin.
    elsewhere: Scripted,
    parts: Vec<Value>,
    /// What the client has to ask for, in this order, and the body that was recorded.
    expected: Vec<(String, Value)>,
}

impl Story {
    /// `None`, after a loud line, where the recordings are not installed.
    async fn open(name: &str) -> Option<Self> {
        let folder = peer(&format!("github/fixtures/{name}"))?;
        let text = fs::read(folder.join("normalized-fixture.json")).unwrap();
        Some(Self {
            server: Scripted::start().await,
            elsewhere: Scripted::start().await,
            parts: serde_json::from_slice(&text).unwrap(),
            expected: Vec::new(),
        })
    }

    /// The next part of the story is this one of the recording.
    fn part(&mut self, index: usize) {
        let target = self.parts[index]["path"].as_str().unwrap().to_owned();
        self.part_as(index, &target);
    }

    /// The same, where the client writes the target otherwise than those who recorded it.
    fn part_as(&mut self, index: usize, target: &str) {
        let part = self.parts[index].clone();
        let method = part["method"].as_str().unwrap().to_ascii_uppercase();
        let route = format!("{method} {target}");
        let answer = self.answer(&part);
        if part["scope"] == "https://codeload.github.com:443" {
            self.elsewhere.on(&route, answer);
        } else {
            self.server.on(&route, answer);
            let asked = format!("{method} /api/v3{target}");
            self.expected.push((asked, part["body"].clone()));
        }
    }

    fn answer(&self, part: &Value) -> Answer {
        let status = u16::try_from(part["status"].as_u64().unwrap()).unwrap();
        let body = match &part["response"] {
            Value::String(hex) if part["responseIsBinary"] == true => unhex(hex),
            Value::String(text) => text.clone().into_bytes(),
            body => self.moved_here(&body.to_string()).into_bytes(),
        };
        let headers = part["headers"].as_object().unwrap();
        let content_type = headers.get("content-type").and_then(Value::as_str);
        let mut answer = Answer::text(status, content_type.unwrap_or("text/plain"), body);
        for (name, value) in headers {
            // The server frames the body itself, and gives it as it was unpacked.
            if matches!(
                name.as_str(),
                "connection"
                    | "content-length"
                    | "content-type"
                    | "content-encoding"
                    | "transfer-encoding"
            ) {
                continue;
            }
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), ToOwned::to_owned);
            answer = answer.header(name, self.moved_here(&value));
        }
        answer
    }

    /// Addresses of GitHub become ours.
    fn moved_here(&self, text: &str) -> String {
        text.replace("https://api.github.com", &self.server.api_url())
            .replace(
                "https://codeload.github.com",
                &format!("http://{}", self.elsewhere.authority()),
            )
    }

    fn client(&self) -> GitHub {
        client(&self.server)
    }

    /// Everything was asked for, in order, and with all that was recorded.
    fn end(self) {
        let expected: Vec<_> = self
            .expected
            .iter()
            .map(|(asked, _)| asked.clone())
            .collect();
        assert_eq!(self.server.targets(), expected);
        for (seen, (asked, body)) in self.server.seen().iter().zip(&self.expected) {
            for (name, value) in body.as_object().into_iter().flatten() {
                assert_eq!(&seen.body[name], value, "{asked}: {name}");
            }
        }
    }
}

fn repository(name: &str) -> Repository {
    Repository::new(OWNER, name).unwrap()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

#[tokio::test]
async fn a_list_continues_where_github_links_to() {
    let Some(mut story) = Story::open("paginate-issues").await else {
        return;
    };
    // Its links lead to `/repositories/1000/…`, by number instead of name.
    story.part_as(
        0,
        "/repos/octokit-fixture-org/paginate-issues/issues?state=all&per_page=100",
    );
    for index in 1..5 {
        story.part(index);
    }
    let filter = IssueFilter::default();
    let issues = story
        .client()
        .issues(&repository("paginate-issues"), &filter)
        .await
        .unwrap();
    let numbers: Vec<_> = issues.items.iter().map(|issue| issue.number).collect();
    assert_eq!(numbers, (1..=13).rev().collect::<Vec<_>>());
    assert!(!issues.truncated);
    story.end();
}

#[tokio::test]
async fn what_github_finds_wrong_is_named() {
    let Some(mut story) = Story::open("errors").await else {
        return;
    };
    story.part(0);
    let label = Label {
        name: "foo".to_owned(),
        color: Some("invalid".to_owned()),
        description: None,
    };
    let error = story
        .client()
        .ensure_label(&repository("errors"), &label)
        .await
        .unwrap_err();
    insta::assert_snapshot!(report(&error, &story.server), @"
    cannot make label 'foo' in octokit-fixture-org/errors: GitHub refuses: Validation Failed: color of Label is not valid
    Change what was asked as GitHub says.
    [logical]
    ");
    story.end();
}

#[tokio::test]
async fn a_renamed_repository_is_found_and_reported_as_renamed() {
    let Some(mut story) = Story::open("rename-repository").await else {
        return;
    };
    story.part(1);
    story.part(2);
    let moves = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&moves);
    let observer = Observer::new(move |event| {
        if let Event::RepositoryMoved { repository, .. } = event {
            seen.lock().unwrap().push(repository.to_string());
        }
    });
    let github = GitHub::new(
        &Server::at(&story.server.api_url()),
        Auth::Token(Secret::new("token-of-octo")),
        settings(&story.server),
        observer,
    )
    .unwrap();
    let old = repository("rename-repository");
    let info = github.repository(&old).await.unwrap();
    assert_eq!(
        info.full_name,
        "octokit-fixture-org/rename-repository-newname"
    );
    assert_eq!(*moves.lock().unwrap(), [old.to_string()]);
    story.end();
}

#[tokio::test]
async fn a_change_follows_to_the_new_name_with_its_body() {
    let Some(mut story) = Story::open("rename-repository").await else {
        return;
    };
    story.part(3);
    story.part(4);
    let http = Http::new(settings(&story.server)).unwrap();
    let path = Path::new("/repos/{owner}/{repo}", &[&OWNER, &"rename-repository"]);
    let change = json!({ "name": "rename-repository-newname", "description": "test description" });
    let safety = Safety::Idempotent {
        proof: "the same values can be set again",
    };
    let call = Call::patch(path, safety).json(&change);
    let reply = http.send(&call).await.unwrap();
    let answer: Value = reply.json().unwrap();
    assert_eq!(answer["description"], "test description");
    story.end();
}

#[tokio::test]
async fn an_unprotected_branch_is_distinguished_from_a_hidden_one() {
    let Some(mut story) = Story::open("branch-protection").await else {
        return;
    };
    story.part(0);
    let protection = story
        .client()
        .branch_protection(&repository("branch-protection"), "main")
        .await
        .unwrap();
    assert!(
        matches!(protection, Protection::Unprotected),
        "{protection:?}"
    );
    story.end();
}

#[tokio::test]
async fn statuses_are_one_per_context() {
    let Some(mut story) = Story::open("create-status").await else {
        return;
    };
    let commit = "0000000000000000000000000000000000000001";
    let target =
        format!("/repos/octokit-fixture-org/create-status/commits/{commit}/status?per_page=100");
    story.part_as(3, &target);
    let statuses = story
        .client()
        .commit_statuses(&repository("create-status"), commit)
        .await
        .unwrap();
    let states: Vec<_> = statuses
        .items
        .iter()
        .map(|status| (status.context.as_str(), status.state.as_str()))
        .collect();
    assert_eq!(states, [("example/1", "failure"), ("example/2", "success")]);
    story.end();
}

#[tokio::test]
async fn a_repository_and_its_labels_are_read() {
    let Some(mut story) = Story::open("get-repository").await else {
        return;
    };
    story.part(0);
    let info = story
        .client()
        .repository(&repository("hello-world"))
        .await
        .unwrap();
    assert_eq!(info.full_name, "octokit-fixture-org/hello-world");
    assert_eq!(info.default_branch, "master");
    story.end();

    let mut story = Story::open("labels").await.unwrap();
    story.part_as(0, "/repos/octokit-fixture-org/labels/labels?per_page=100");
    let labels = story.client().labels(&repository("labels")).await.unwrap();
    let names: Vec<_> = labels.items.into_iter().map(|label| label.name).collect();
    insta::assert_snapshot!(names.join(", "), @"bug, documentation, duplicate, enhancement, good first issue, help wanted, invalid, question, wontfix");
    story.end();
}

#[tokio::test]
async fn an_issue_is_opened_and_labelled() {
    let Some(mut story) = Story::open("add-labels-to-issue").await else {
        return;
    };
    story.part(0);
    story.part(1);
    let github = story.client();
    let repository = repository("add-labels-to-issue");
    let new = NewIssue {
        title: "Issue without a label",
        body: "",
        labels: Vec::new(),
    };
    let issue = github.create_issue(&repository, &new).await.unwrap();
    assert_eq!(issue.number, 1);
    let labels = github
        .add_labels(&repository, issue.number, &["Foo", "bAr", "baZ"])
        .await
        .unwrap();
    assert_eq!(labels.len(), 3);
    story.end();
}

#[tokio::test]
async fn a_branch_is_deleted() {
    let Some(mut story) = Story::open("git-refs").await else {
        return;
    };
    // A slash inside a name may be escaped or not.
    story.part_as(
        4,
        "/repos/octokit-fixture-org/git-refs/git/refs/heads%2Ftest",
    );
    story
        .client()
        .delete_branch(&repository("git-refs"), "test")
        .await
        .unwrap();
    story.end();
}

#[tokio::test]
async fn issues_are_searched() {
    let Some(mut story) = Story::open("search-issues").await else {
        return;
    };
    story.part_as(
        0,
        "/search/issues?q=repo%3Aoctokit-fixture-org%2Fsearch-issues+is%3Aissue+%22sesame%22&per_page=100",
    );
    let found = story
        .client()
        .search_issues(
            &repository("search-issues"),
            SearchFor::Issues,
            &["sesame"],
            100,
        )
        .await
        .unwrap();
    assert_eq!((found.total_count, found.items.len()), (2, 2));
    story.end();
}

#[tokio::test]
async fn an_archive_comes_from_elsewhere_and_the_token_stays_here() {
    let Some(mut story) = Story::open("get-archive").await else {
        return;
    };
    story.part(0);
    story.part(1);
    let mut settings = settings(&story.server);
    let credential = Credential::bearer(&Secret::new("token-of-octo")).unwrap();
    settings.credentials = Credentials::Fixed(credential);
    let http = Http::new(settings).unwrap();
    let path = Path::new(
        "/repos/{owner}/{repo}/tarball/{ref}",
        &[&OWNER, &"get-archive", &"main"],
    );
    let mut archive = Vec::new();
    let download = http
        .download(&Call::get(path), &mut archive, Overflow::Refuse)
        .await
        .unwrap();
    assert_eq!(download.reply.status(), 200);
    assert_eq!(archive[..2], [0x1f, 0x8b]);
    let [elsewhere] = story.elsewhere.seen().try_into().unwrap();
    assert!(story.server.seen()[0].headers.contains_key("authorization"));
    assert!(!elsewhere.headers.contains_key("authorization"));
    story.end();
}
