use baton_testkit::github::GraphQl;
use serde_json::{Value, json};

use super::{contract, shown};

fn schema() -> Option<&'static GraphQl> {
    contract().map(|contract| &contract.graphql)
}

const PULL: &str = r"
query Pull($owner: String!, $name: String!, $number: Int!, $cursor: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      __typename
      title
      headRefOid
      state
      isDraft
      createdAt
      mergedAt
      url
      author { login ... on User { name } }
      reviewThreads(first: 50, after: $cursor) {
        totalCount
        pageInfo { hasNextPage endCursor }
        nodes { id isResolved }
      }
      commits(last: 1) { nodes { ...head } }
    }
  }
}
fragment head on PullRequestCommit { commit { oid statusCheckRollup { contexts(first: 10) { nodes {
  __typename
  ... on CheckRun { name conclusion }
  ... on StatusContext { context state }
} } } } }
";

fn pull_data() -> Value {
    json!({ "data": { "repository": { "pullRequest": {
        "__typename": "PullRequest",
        "title": "A change",
        "headRefOid": "1111111111111111111111111111111111111111",
        "state": "OPEN",
        "isDraft": false,
        "createdAt": "2026-01-31T12:00:00Z",
        "mergedAt": null,
        "url": "https://github.com/octo/demo/pull/1",
        "author": { "login": "octo", "name": null },
        "reviewThreads": {
            "totalCount": 1,
            "pageInfo": { "hasNextPage": false, "endCursor": null },
            "nodes": [{ "id": "PRRT_1", "isResolved": false }],
        },
        "commits": { "nodes": [{ "commit": {
            "oid": "1111111111111111111111111111111111111111",
            "statusCheckRollup": { "contexts": { "nodes": [
                { "__typename": "CheckRun", "name": "build", "conclusion": "SUCCESS" },
                { "__typename": "StatusContext", "context": "ci", "state": "PENDING" },
            ] } },
        } }] },
    } } } })
}

/// The problems of a request, one in a line; nothing where there is no schema to check with.
macro_rules! problems {
    ($request:expr, @$expected:literal) => {
        if let Some(schema) = schema() {
            insta::assert_snapshot!(shown(&schema.check_request(&$request)), @$expected);
        }
    };
}

fn request(document: &str) -> Value {
    json!({ "query": document })
}

/// The answer with the value at `pointer` replaced, or taken away.
fn changed(pointer: &str, value: Option<Value>) -> Value {
    let mut answer = pull_data();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let object = answer.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => drop(object.insert(key.to_owned(), value)),
        None => drop(object.remove(key).unwrap()),
    }
    answer
}

fn answer_problems(answer: &Value) -> Option<String> {
    let schema = schema()?;
    Some(shown(&schema.check_response(&request(PULL), answer)))
}

#[test]
fn a_sound_request_and_its_answer_pass() {
    problems!(request(PULL), @"");
    assert_eq!(answer_problems(&pull_data()).unwrap_or_default(), "");
}

#[test]
fn a_misspelt_field_is_found() {
    problems!(request("{ viewer { logn } }"), @"graphql, document, /viewer/logn: type `User` has no field `logn`");
    problems!(request("{ viewer { name: logn } }"), @"graphql, document, /viewer/name: type `User` has no field `logn`");
    problems!(
        request("query Q { node(id: \"x\") { ... on PullRequest { ...f } } } fragment f on PullRequest { titel }"),
        @"graphql Q, document, /node/titel: type `PullRequest` has no field `titel`"
    );
}

#[test]
fn fields_are_chosen_of_objects_and_only_of_objects() {
    problems!(request("{ viewer }"), @"graphql, document, /viewer: `viewer` is a `User`, of which fields have to be chosen");
    problems!(request("{ viewer { login { x } } }"), @"graphql, document, /viewer/login: `login` is a `String`, which has no fields");
}

#[test]
fn arguments_are_known_given_and_of_the_right_type() {
    problems!(request("{ repository(owner: \"octo\") { id } }"), @"graphql, document, /repository: `repository` needs `name`");
    problems!(request("{ repository(owner: 1, name: \"n\", x: 2) { id } }"), @"
    graphql, document, /repository: `1` is no `String!`
    graphql, document, /repository: `repository` takes no `x`
    ");
    problems!(
        request("{ repository(owner: \"o\", name: \"n\") { pullRequests(first: 1, states: [OPEN, SHUT], orderBy: {field: CREATED_AT}) { nodes { id } } } }"),
        @"
    graphql, document, /repository/pullRequests/1: `SHUT` is no `PullRequestState!`
    graphql, document, /repository/pullRequests: `direction` is required
    "
    );
}

#[test]
fn variables_fit_their_places_and_their_values() {
    problems!(
        request("query Q($n: Int, $unused: ID) { repository(owner: $o, name: $n) { id } }"),
        @"
    graphql Q, document, /repository: `$o` is not declared
    graphql Q, document, /repository: `$n` is `Int`, but `String!` is expected
    graphql Q, document: `$unused` is declared but not used
    "
    );
    let close =
        "mutation Close($input: CloseIssueInput!) { closeIssue(input: $input) { issue { id } } }";
    problems!(json!({ "query": close, "variables": { "input": { "issueId": "I_1", "stateReason": "COMPLETED" } } }), @"");
    problems!(
        json!({ "query": close, "variables": { "input": { "issue": "I_1", "stateReason": "DONE" } } }),
        @r#"
    graphql Close, document, /variables/input/issue: `CloseIssueInput` has no field `issue`
    graphql Close, document, /variables/input/stateReason: "DONE" is no value of `IssueClosedStateReason`
    graphql Close, document, /variables/input: `issueId` is required
    "#
    );
    problems!(json!({ "query": close, "variables": {} }), @"graphql Close, document: `$input` is not given");
}

#[test]
fn fragments_have_to_make_sense() {
    problems!(
        request("query Q { viewer { ... on Issue { id } ...no } } fragment lost on User { id } fragment round on User { ...round }"),
        @"
    graphql Q, document, /viewer: a `User` is never a `Issue`
    graphql Q, document, /viewer: there is no fragment `no`
    graphql Q, document: fragment `lost` is not used
    graphql Q, document: fragment `round` is not used
    "
    );
    problems!(
        request("query Q { viewer { ...round } } fragment round on User { id ...round }"),
        @"graphql Q, document, /viewer: fragment `round` contains itself"
    );
}

#[test]
fn one_key_is_one_question() {
    problems!(
        request("{ viewer { a: login a: id repositories(first: 1) { totalCount } repositories(first: 2) { totalCount } } }"),
        @"
    graphql, document, /viewer: `a` is asked for in two ways; give one an alias
    graphql, document, /viewer: `repositories` is asked for in two ways; give one an alias
    "
    );
}

/// The specification forbids it, but GitHub answers it, and `gh` asks it.
#[test]
fn members_of_a_union_may_differ_in_the_type_of_a_field() {
    problems!(
        request("{ repository(owner: \"o\", name: \"n\") { issueOrPullRequest(number: 1) { ... on Issue { state } ... on PullRequest { state } } } }"),
        @""
    );
}

#[test]
fn connections_are_asked_for_a_page() {
    problems!(
        request("{ viewer { repositories { nodes { id } } } }"),
        @"graphql, document, /viewer/repositories: `repositories` is a connection, for which GitHub wants `first` or `last`"
    );
    problems!(request("{ viewer { repositories { totalCount } } }"), @"");
    problems!(
        request("{ viewer { repositories(first: 500) { nodes { id } } } }"),
        @"graphql, document, /viewer/repositories: GitHub gives 1 to 100 nodes at once, not 500"
    );
    let nested = "query Q($n: Int!) { viewer { repositories(first: $n) { nodes { issues(first: $n) { nodes { comments(first: $n) { nodes { id } } } } } } } }";
    problems!(request(nested), @"graphql Q, document: 1010100 nodes are asked for; GitHub gives 500000 at most");
    problems!(json!({ "query": nested, "variables": { "n": 50 } }), @"");
}

#[test]
fn directives_are_checked() {
    problems!(
        request("query Q($s: String!) { viewer { login @include(if: $s) id @skip name @client } }"),
        @"
    graphql Q, document, /viewer: `$s` is `String!`, but `Boolean!` is expected
    graphql Q, document, /viewer: `@skip` needs `if`
    graphql Q, document, /viewer: there is no directive `@client`
    "
    );
}

#[test]
fn what_is_no_document_is_said_to_be_none() {
    let Some(schema) = schema() else {
        return;
    };
    assert_eq!(schema.check_document("{ viewer {").len(), 1);
    assert_eq!(schema.check_document("").len(), 1);
}

#[test]
fn introspection_is_part_of_the_schema() {
    let features = "query PullRequest_fields{PullRequest: __type(name: \"PullRequest\"){fields(includeDeprecated: true){name}}}";
    problems!(request(features), @"");
    if let Some(schema) = schema() {
        let answer = json!({ "data": { "PullRequest": { "fields": [{ "name": "id" }] } } });
        assert_eq!(schema.check_response(&request(features), &answer), []);
    }
}

/// An answer that is wrong in one place, and the one problem it has.
#[test]
fn a_wrong_answer_is_found() {
    let pull = "/data/repository/pullRequest";
    let cases = [
        (format!("{pull}/title"), None),
        (format!("{pull}/title"), Some(Value::Null)),
        (format!("{pull}/title"), Some(json!(1))),
        (format!("{pull}/titel"), Some(json!("x"))),
        (format!("{pull}/state"), Some(json!("open"))),
        (format!("{pull}/createdAt"), Some(json!("yesterday"))),
        (format!("{pull}/headRefOid"), Some(json!("main"))),
        (format!("{pull}/isDraft"), Some(json!("false"))),
        (format!("{pull}/__typename"), Some(json!("Issue"))),
        (format!("{pull}/author"), Some(json!({ "login": 7 }))),
        (format!("{pull}/reviewThreads/nodes"), Some(json!({}))),
        (
            format!("{pull}/commits/nodes"),
            Some(json!([{ "commit": null }])),
        ),
        ("/data/repository".to_owned(), Some(json!([]))),
        ("/errors".to_owned(), Some(json!([]))),
        (
            "/errors".to_owned(),
            Some(json!([{ "type": "NOT_FOUND", "code": 404 }])),
        ),
    ];
    let problems: Vec<_> = cases
        .iter()
        .filter_map(|(pointer, value)| answer_problems(&changed(pointer, value.clone())))
        .collect();
    if schema().is_some() {
        insta::assert_snapshot!(problems.join("\n"), @r#"
    graphql Pull, response, /data/repository/pullRequest/title: it was asked for and is not there
    graphql Pull, response, /data/repository/pullRequest/title: `String!` cannot be null
    graphql Pull, response, /data/repository/pullRequest/title: 1 is no `String`
    graphql Pull, response, /data/repository/pullRequest/titel: no one asked for it
    graphql Pull, response, /data/repository/pullRequest/state: "open" is no value of `PullRequestState`
    graphql Pull, response, /data/repository/pullRequest/createdAt: "yesterday" is no `DateTime`
    graphql Pull, response, /data/repository/pullRequest/headRefOid: "main" is no `GitObjectID`
    graphql Pull, response, /data/repository/pullRequest/isDraft: "false" is no `Boolean`
    graphql Pull, response, /data/repository/pullRequest: a `PullRequest` is never a `Issue`
    graphql Pull, response, /data/repository/pullRequest/author/login: 7 is no `String`
    graphql Pull, response, /data/repository/pullRequest/reviewThreads/nodes: this is no `[PullRequestReviewThread]`
    graphql Pull, response, /data/repository/pullRequest/commits/nodes/0/commit: `Commit!` cannot be null
    graphql Pull, response, /data/repository: this is no `Repository`
    graphql Pull, response, /errors: the list is empty
    graphql Pull, response, /errors/0/message: it is missing
    graphql Pull, response, /errors/0/code: GitHub knows no such field
    "#);
    }
}

#[test]
fn a_union_is_held_to_the_type_that_it_says() {
    let nodes =
        "/data/repository/pullRequest/commits/nodes/0/commit/statusCheckRollup/contexts/nodes";
    let as_other = json!([{ "__typename": "StatusContext", "name": "build", "conclusion": null }]);
    if let Some(problems) = answer_problems(&changed(nodes, Some(as_other))) {
        insta::assert_snapshot!(problems, @"
    graphql Pull, response, /data/repository/pullRequest/commits/nodes/0/commit/statusCheckRollup/contexts/nodes/0/context: it was asked for and is not there
    graphql Pull, response, /data/repository/pullRequest/commits/nodes/0/commit/statusCheckRollup/contexts/nodes/0/state: it was asked for and is not there
    graphql Pull, response, /data/repository/pullRequest/commits/nodes/0/commit/statusCheckRollup/contexts/nodes/0/name: no one asked for it
    graphql Pull, response, /data/repository/pullRequest/commits/nodes/0/commit/statusCheckRollup/contexts/nodes/0/conclusion: no one asked for it
    ");
    }
}

#[test]
fn without_a_type_name_the_best_fit_counts() {
    let Some(schema) = schema() else {
        return;
    };
    let request =
        request("query Q { node(id: \"x\") { id ... on Issue { number } ... on User { login } } }");
    let check =
        |node: Value| shown(&schema.check_response(&request, &json!({ "data": { "node": node } })));
    assert_eq!(check(json!({ "id": "x", "number": 1 })), "");
    assert_eq!(check(json!({ "id": "x", "login": "octo" })), "");
    assert_eq!(check(json!({ "id": "x" })), "");
    insta::assert_snapshot!(check(json!({ "id": "x", "number": "1" })), @r#"graphql Q, response, /data/node/number: "1" is no `Int`"#);
}

#[test]
fn another_schema_is_held_to_it() {
    let Some(schema) = schema() else {
        return;
    };
    let sound = r"
        type Query { viewer: User! user(login: String!): User }
        type User implements Node & Actor { id: ID! login: String! name: String url: URI! }
        interface Node { id: ID! }
        interface Actor { login: String! url: URI! }
        scalar URI
        enum PullRequestState { OPEN MERGED }
        union IssueOrPullRequest = Issue | PullRequest
        type Issue { id: ID! }
        type PullRequest { id: ID! }
        input AddCommentInput { subjectId: ID! body: String! clientMutationId: String }
    ";
    assert_eq!(shown(&schema.check_subset(sound)), "");

    let unsound = r"
        schema { query: Root }
        type Root { viewer: User! }
        type Query { viewer: User user: User search(query: String!): String }
        type User implements Node & Starrable { id: ID! nick: String }
        interface Node { id: ID! }
        interface Starrable { id: ID! }
        enum PullRequestState { OPEN SHUT }
        union IssueOrPullRequest = Issue | User
        type Issue { number: String! }
        input AddCommentInput { subjectId: String! text: String! }
        type URI { x: Int }
        type Forge { id: ID! }
    ";
    insta::assert_snapshot!(shown(&schema.check_subset(unsound)), @"
    schema, query: GitHub's is `Query`, not `Root`
    type AddCommentInput, definition, /subjectId: GitHub's is `ID!`, not `String!`
    type AddCommentInput, definition, /text: GitHub takes no such input
    type AddCommentInput, definition, /body: GitHub requires it
    type Forge, definition: GitHub has no such type
    type Issue, definition, /number: GitHub's is `Int!`, not `String!`
    type IssueOrPullRequest, definition, /User: GitHub has no such member here
    type PullRequestState, definition, /SHUT: GitHub has no such value
    type Query, definition, /viewer: GitHub's is `User!`, not `User`
    type Query, definition, /user/login: GitHub requires it
    type Query, definition, /search: GitHub's is `SearchResultItemConnection!`, not `String`
    type Query, definition, /search/type: GitHub requires it
    type Root, definition: GitHub has no such type
    type URI, definition: GitHub's is a scalar, not an object
    type User, definition, /nick: GitHub has no such field
    type User, definition, /Starrable: GitHub has no such interface here
    ");
}
