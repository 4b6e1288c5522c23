//! GraphQL, as `gh` and baton ask it, over real HTTP.

mod errors;
mod fields;
mod force_pushes;
mod gh_issues;
mod gh_pulls;
mod gh_repositories;
mod issues;
mod merging;
mod nodes;
mod pages;
mod pulls;
mod refs;
mod reviews;

use baton_testkit::Repo;
use serde_json::{Value, json};

use crate::world::{Client, World};

impl Client {
    /// The whole answer, which comes with status 200 whatever is wrong.
    #[track_caller]
    pub(crate) fn graphql(&self, query: &str, variables: &Value) -> Value {
        let body = json!({ "query": query, "variables": variables });
        self.post("/api/graphql", &body).expect(200).json()
    }

    /// The data; there must be no errors.
    #[track_caller]
    pub(crate) fn data(&self, query: &str, variables: &Value) -> Value {
        let mut answer = self.graphql(query, variables);
        assert_eq!(answer["errors"], Value::Null, "{answer:#}");
        answer["data"].take()
    }

    /// `type: message` of every error.
    #[track_caller]
    pub(crate) fn complaints(&self, query: &str, variables: &Value) -> String {
        let answer = self.graphql(query, variables);
        let errors = answer["errors"].as_array().expect("it is refused").iter();
        let lines = errors.map(|error| {
            let kind = error["type"].as_str().unwrap_or("-");
            format!("{kind}: {}", error["message"].as_str().unwrap())
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// What a mutation gave, by its name.
    #[track_caller]
    pub(crate) fn mutate(&self, name: &str, selection: &str, input: &Value) -> Value {
        let mut data = self.data(&mutation(name, selection), &json!({ "input": input }));
        data[name].take()
    }

    /// Why a mutation was refused.
    #[track_caller]
    pub(crate) fn refused(&self, name: &str, input: &Value) -> String {
        let query = mutation(name, "clientMutationId");
        self.complaints(&query, &json!({ "input": input }))
    }
}

fn mutation(name: &str, selection: &str) -> String {
    let (first, rest) = name.split_at(1);
    let input = format!("{}{rest}Input", first.to_ascii_uppercase());
    format!("mutation($input: {input}!) {{ {name}(input: $input) {{ {selection} }} }}")
}

/// `octo/demo` with `main` and `feature`, which has one commit more.
fn two_branches(world: &World) -> Repo<'_> {
    let repo = world.checkout();
    repo.branch("feature");
    repo.checkout("feature");
    repo.commit_file(
        "change.txt",
        "one\ntwo\nthree\n",
        "Change something\n\nFor a reason.",
    );
    repo.git(&["push", "--quiet", "origin", "feature"]);
    repo
}

/// The node id of `octo/demo`.
fn repository_id(client: &Client) -> String {
    let query = "{ repository(owner: \"octo\", name: \"demo\") { id } }";
    text(&client.data(query, &json!({}))["repository"]["id"])
}

fn user_id(client: &Client, login: &str) -> String {
    let query = "query($login: String!) { user(login: $login) { id } }";
    text(&client.data(query, &json!({ "login": login }))["user"]["id"])
}

/// Opens an issue and gives its id.
fn open_issue(client: &Client, title: &str) -> String {
    let input = json!({ "repositoryId": repository_id(client), "title": title });
    let made = client.mutate("createIssue", "issue { id }", &input);
    text(&made["issue"]["id"])
}

/// Opens a pull request from `feature` to `main` and gives its id.
fn open_pull(client: &Client) -> String {
    let input = json!({
        "repositoryId": repository_id(client),
        "baseRefName": "main",
        "headRefName": "feature",
        "title": "Change something",
    });
    let made = client.mutate("createPullRequest", "pullRequest { id }", &input);
    text(&made["pullRequest"]["id"])
}

/// Something of an issue or pull request, by its id.
#[track_caller]
fn of(client: &Client, id: &str, kind: &str, selection: &str) -> Value {
    let query =
        format!("query($id: ID!) {{ node(id: $id) {{ ... on {kind} {{ {selection} }} }} }}");
    client.data(&query, &json!({ "id": id }))["node"].take()
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("a text, not {value}"))
        .to_owned()
}
