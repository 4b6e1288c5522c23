//! What the forge answers is held to what GitHub publishes: every answer that
//! any test gets through [`Client`](crate::world::Client), and the whole
//! GraphQL schema.

use std::sync::LazyLock;
use std::thread;

use baton_testkit::github::{Contract, Exchange};
use baton_testkit::missing;

use crate::world::Response;

static CONTRACT: LazyLock<Option<Contract>> = LazyLock::new(Contract::find);

/// Tests of these want answers that GitHub would not give.
const MISBEHAVING: &[&str] = &["middleware::faults"];

/// Fails the test when GitHub would not have answered like this.
pub(crate) fn hold(method: &str, path: &str, request: Option<&[u8]>, response: &Response) {
    let test = thread::current();
    let test = test.name().unwrap_or_default();
    if MISBEHAVING.iter().any(|module| test.starts_with(module)) || !is_api(path) {
        return;
    }
    let Some(contract) = CONTRACT.as_ref() else {
        return;
    };
    let (path, query) = match path.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (path, None),
    };
    let exchange = Exchange {
        method: method.to_owned(),
        path: path.to_owned(),
        query,
        request_headers: Vec::new(),
        request_body: request.unwrap_or_default().to_vec(),
        status: response.status,
        response_headers: response.headers.clone(),
        response_body: response.body.clone(),
        // What was packed is unpacked by the tests that look into it.
        complete: response.header("content-encoding").is_none(),
    };
    let mut problems = contract.check_answers(&[exchange]);
    // What is wrong with the question is the test's own business.
    problems.retain(|problem| !matches!(problem.part.as_str(), "request" | "document"));
    assert!(
        problems.is_empty(),
        "GitHub would not answer {method} {path} like this:\n{problems:#?}\n{}",
        response.text()
    );
}

/// What else there is: pages, git, and what only a forge on one's own machine
/// offers.
fn is_api(path: &str) -> bool {
    let roots = [
        "/api/",
        "/graphql",
        "/orgs/",
        "/rate_limit",
        "/repos/",
        "/search/",
        "/user",
    ];
    roots.iter().any(|root| path.starts_with(root))
}

#[test]
fn the_graphql_schema_is_a_part_of_githubs() {
    let Some(contract) = CONTRACT.as_ref() else {
        return missing("github");
    };
    let problems = contract.graphql.check_subset(baton_forge::sdl());
    assert!(problems.is_empty(), "{problems:#?}");
}
