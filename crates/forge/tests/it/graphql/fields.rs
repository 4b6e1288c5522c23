//! Every field that the schema has is answered.

use std::collections::{BTreeMap, HashSet, VecDeque};

use serde_json::{Value, json};

use super::{open_issue, open_pull, two_branches};
use crate::world::{Client, World};

/// What the arguments of a field are given that it cannot do without.
const NEEDED: &[(&str, &str)] = &[
    ("first", "1"),
    ("name", "\"bug\""),
    ("number", "1"),
    ("path", "\"change.txt\""),
    ("pullRequestNumber", "1"),
    ("qualifiedName", "\"refs/heads/main\""),
    ("refPrefix", "\"refs/heads/\""),
    ("expression", "\"feature\""),
];

/// Types that no test can reach: the forge has none of these.
const ABSENT: &[&str] = &[
    "Project",
    "ProjectCard",
    "ProjectCardConnection",
    "ProjectColumn",
    "ProjectV2",
    "ProjectV2Item",
    "Team",
    "Milestone",
];

/// The types of the schema, with fields, arguments and what they give.
fn schema(client: &Client) -> BTreeMap<String, Value> {
    let query = "{ __schema { types { name kind possibleTypes { name } fields { name
        args { name } type { ...T ofType { ...T ofType { ...T ofType { ...T } } } } } } } }
        fragment T on __Type { name kind }";
    let types = client.data(query, &json!({}))["__schema"]["types"].take();
    let types = types.as_array().unwrap().iter();
    types
        .map(|one| (one["name"].as_str().unwrap().to_owned(), one.clone()))
        .collect()
}

fn base_type(ty: &Value) -> (&str, &str) {
    match ty["name"].as_str() {
        Some(name) => (name, ty["kind"].as_str().unwrap()),
        None => base_type(&ty["ofType"]),
    }
}

fn selection(types: &BTreeMap<String, Value>, name: &str) -> String {
    let fields = types[name]["fields"].as_array().unwrap();
    let mut text = String::new();
    for field in fields {
        let arguments: Vec<String> = field["args"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|argument| {
                let name = argument["name"].as_str().unwrap();
                let (_, value) = NEEDED.iter().find(|(known, _)| *known == name)?;
                Some(format!("{name}: {value}"))
            })
            .collect();
        let arguments = if arguments.is_empty() {
            String::new()
        } else {
            format!("({})", arguments.join(", "))
        };
        let (_, kind) = base_type(&field["type"]);
        let inner = match kind {
            "OBJECT" | "INTERFACE" | "UNION" => " { __typename }",
            _ => "",
        };
        text.push_str(&format!(
            "{}{arguments}{inner} ",
            field["name"].as_str().unwrap()
        ));
    }
    text
}

#[test]
fn every_field_of_the_schema_is_answered() {
    let world = World::start();
    let repo = two_branches(&world);
    let octo = world.client("octo");
    open_pull(&octo);
    open_issue(&octo, "Broken");
    for branch in ["main", "feature"] {
        repo.checkout(branch);
        repo.git(&["commit", "--quiet", "--amend", "-m", "Put differently"]);
        repo.git(&["push", "--quiet", "--force", "origin", branch]);
    }
    let sha = repo.head();
    let status = json!({ "state": "success", "context": "bug" });
    octo.post(&format!("/api/v3/repos/octo/demo/statuses/{sha}"), &status)
        .expect(201);
    let check = json!({ "name": "test", "head_sha": sha });
    let bot = world.client("ci-bot");
    bot.post("/api/v3/repos/octo/demo/check-runs", &check)
        .expect(201);
    let review = json!({ "event": "COMMENT", "body": "Hm",
        "comments": [{ "path": "change.txt", "line": 1, "body": "Why?" }] });
    let path = "/api/v3/repos/octo/demo/pulls/1/reviews";
    world.client("reviewer").post(path, &review).expect(200);
    let types = schema(&octo);
    let reached = walk(&octo, &types);
    let objects = types.values().filter(|one| one["kind"] == "OBJECT");
    let names = objects.map(|one| one["name"].as_str().unwrap());
    let missed: Vec<&str> = names
        .filter(|name| !reached.contains(*name) && !ABSENT.contains(name))
        .filter(|name| !name.ends_with("Payload") && !name.ends_with("Edge"))
        .collect();
    insta::assert_snapshot!(missed.join(" "), @"");
}

/// Asks for all fields of every type on the way on which it is reached first.
fn walk(client: &Client, types: &BTreeMap<String, Value>) -> HashSet<String> {
    let mut reached: HashSet<String> = ["Query", "Mutation"].map(str::to_owned).into();
    let start = [
        (
            "Repository",
            "repository(owner: \"octo\", name: \"demo\") { % } viewer { login }",
        ),
        ("RateLimit", "rateLimit { % }"),
        (
            "SearchResultItemConnection",
            "search(query: \"repo:octo/demo\", type: ISSUE, first: 1) { % }",
        ),
    ];
    let mut waiting: VecDeque<_> = start
        .map(|(name, way)| (name.to_owned(), way.to_owned()))
        .into();
    while let Some((name, way)) = waiting.pop_front() {
        if !reached.insert(name.clone()) {
            continue;
        }
        let all = selection(types, &name);
        let query = format!("{{ {} }}", way.replace('%', &all));
        let answer = client.graphql(&query, &json!({}));
        if let Some(errors) = answer["errors"].as_array() {
            let failed = errors.iter().any(|error| {
                let kind = error["type"].as_str();
                !matches!(kind, Some("NOT_FOUND"))
            });
            assert!(!failed, "{name}: {query}\n{answer:#}");
        }
        for field in types[&name]["fields"].as_array().unwrap() {
            let (inner, kind) = base_type(&field["type"]);
            let asked = selection_of(types, &name, field["name"].as_str().unwrap());
            if kind == "OBJECT" {
                let way = way.replace('%', &asked.replace("__typename", "%"));
                waiting.push_back((inner.to_owned(), way));
            } else if kind != "SCALAR" && kind != "ENUM" {
                for possible in types[inner]["possibleTypes"].as_array().unwrap() {
                    let possible = possible["name"].as_str().unwrap();
                    let inline = format!("... on {possible} {{ % }}");
                    let way = way.replace('%', &asked.replace("__typename", &inline));
                    waiting.push_back((possible.to_owned(), way));
                }
            }
        }
    }
    reached
}

/// One field of a type, as `selection` writes it.
fn selection_of(types: &BTreeMap<String, Value>, name: &str, field: &str) -> String {
    let mut one = types[name].clone();
    let fields = one["fields"].as_array_mut().unwrap();
    fields.retain(|known| known["name"] == field);
    let only = BTreeMap::from([(name.to_owned(), one)]);
    selection(&only, name)
}
