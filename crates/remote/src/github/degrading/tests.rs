//! Documents with fields taken out of them.

use baton_testkit::github::Contract;
use baton_testkit::missing;
use serde_json::{Value, json};

use super::outline::{Kind, Selection, parse};
use super::{Cuts, left_out, refused, without};
use crate::github::DOCUMENTS;
use crate::github::graphql::{GraphQlProblem, ProblemKind};

const TEXT: &str = "query Q($n: Int!, $m: Int!) {
  repository(id: $n) {
    name
    requests(first: $m) {
      nodes {
        reviewer {
          ... on Actor { login }
          ... on Team { slug }
        }
      }
    }
    author { ...Person }
  }
}

fragment Person on Actor {
  login
}
";

fn problem(kind: ProblemKind, path: &str, place: Option<(usize, usize)>) -> GraphQlProblem {
    let locations = place.map(|(line, column)| json!({ "line": line, "column": column }));
    GraphQlProblem {
        kind,
        message: "no".to_owned(),
        path: path.to_owned(),
        scopes: None,
        locations: serde_json::from_value(Value::from_iter(locations)).unwrap(),
    }
}

/// What is cut, and what the rest is.
fn cut(problem: GraphQlProblem, data: Option<&Value>) -> (Vec<String>, String) {
    let cuts = refused(TEXT, data, &[problem]);
    let paths = left_out(TEXT, &cuts).into_iter().map(|one| one.path);
    let rest = without(TEXT, &cuts).unwrap_or_default();
    let words: Vec<&str> = rest.split_whitespace().collect();
    (paths.collect(), words.join(" "))
}

#[test]
fn a_refused_field_is_found_by_its_place_and_by_its_path() {
    let scopes = || ProblemKind::InsufficientScopes;
    let rest = "query Q($n: Int!, $m: Int!) { repository(id: $n) { name requests(first: $m) { nodes { reviewer { \
        ... on Actor { login } } } } author { ...Person } } } fragment Person on Actor { login }";
    let by_place = cut(problem(scopes(), "", Some((8, 25))), None);
    let path = "repository.requests.nodes.reviewer.slug".to_owned();
    assert_eq!(by_place, (vec![path.clone()], rest.to_owned()));
    for named in [
        "repository.requests.nodes.3.reviewer.slug",
        "query Q.repository.requests.nodes.reviewer.... on Team.slug",
    ] {
        assert_eq!(
            cut(problem(scopes(), named, None), None),
            by_place,
            "{named}"
        );
    }
}

#[test]
fn what_served_only_the_field_goes_with_it() {
    let unknown = || ProblemKind::UnknownToServer;
    let (_, rest) = cut(problem(unknown(), "", Some((4, 5))), None);
    assert_eq!(
        rest,
        "query Q($n: Int!, ) { repository(id: $n) { name author { ...Person } } } \
         fragment Person on Actor { login }"
    );
    // A field of a fragment is missing wherever the fragment is used.
    let (paths, rest) = cut(problem(unknown(), "fragment Person.login", None), None);
    assert_eq!(paths, ["repository.author.login"]);
    assert!(
        !rest.contains("Person") && !rest.contains("author"),
        "{rest}"
    );
}

#[test]
fn nothing_is_cut_where_the_rest_is_there_already() {
    let refusal = || problem(ProblemKind::Forbidden, "repository.requests", None);
    let alone = json!({ "repository": { "name": "x", "requests": null } });
    assert!(refused(TEXT, Some(&alone), &[refusal()]).is_empty());
    let lost = json!({ "repository": null });
    assert_eq!(refused(TEXT, Some(&lost), &[refusal()]).len(), 1);
    // The whole answer, another kind of problem, and a place that is none.
    for other in [
        problem(ProblemKind::Forbidden, "repository", None),
        problem(ProblemKind::Forbidden, "", Some((2, 3))),
        problem(ProblemKind::NotFound, "repository.requests", None),
        problem(ProblemKind::ServerError, "", Some((4, 5))),
        problem(ProblemKind::Forbidden, "", Some((400, 5))),
        problem(ProblemKind::Forbidden, "no.such.path", None),
    ] {
        assert!(
            refused(TEXT, None, std::slice::from_ref(&other)).is_empty(),
            "{other:?}"
        );
    }
}

#[test]
fn places_stay_where_they_are() {
    let first = refused(
        TEXT,
        None,
        &[problem(ProblemKind::UnknownToServer, "", Some((4, 5)))],
    );
    let rest = without(TEXT, &first).unwrap();
    assert_eq!(rest.len(), TEXT.len());
    assert_eq!(rest.find("author"), TEXT.find("author"));
}

fn fields(set: &[Selection<'_>], found: &mut Vec<usize>) {
    for one in set {
        if one.kind != Kind::Field("__typename") {
            found.push(one.span.start);
        }
        fields(&one.set, found);
    }
}

/// Whatever single field a server refuses, the rest of the question is one that GitHub accepts.
#[test]
fn every_document_without_any_field_fits_the_schema() {
    let Some(contract) = Contract::find() else {
        return missing("github");
    };
    let mut tried = 0;
    for (name, text) in DOCUMENTS.iter().filter(|(_, text)| text.contains("query ")) {
        assert!(text.is_ascii(), "{name}: columns are bytes");
        let mut places = Vec::new();
        for definition in parse(text).unwrap() {
            fields(&definition.set, &mut places);
        }
        for place in places {
            let refusal = problem(ProblemKind::UnknownToServer, "", None);
            let Some(rest) = without(text, &Cuts::from([(place, refusal)])) else {
                continue;
            };
            tried += 1;
            let problems = contract.graphql.check_document(&rest);
            assert!(
                problems.is_empty(),
                "{name} at {place}: {problems:#?}\n{rest}"
            );
        }
    }
    assert!(tried > 400, "only {tried} were tried");
}
