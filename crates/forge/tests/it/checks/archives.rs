//! Downloads, and what is in them.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};

use serde_json::{Value, json};
use zip::ZipArchive;

use crate::world::{Client, World};

/// The files of a zip and their contents.
pub(crate) fn unpack(bytes: &[u8]) -> BTreeMap<String, String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut files = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        files.insert(file.name().unwrap().into_owned(), text);
    }
    files
}

/// The files behind a redirect.
#[track_caller]
pub(crate) fn download(client: &Client, path: &str) -> BTreeMap<String, String> {
    let redirect = client.get(path).expect(302);
    let location = redirect.header("location").unwrap();
    let answer = client.without_token().follow(location).expect(200);
    assert_eq!(answer.header("content-type"), Some("application/zip"));
    unpack(&answer.body)
}

fn fed_run(world: &World) -> (Client, Value) {
    let sha = world.checkout().head();
    let client = world.client("ci-bot");
    let body = json!({ "workflow": "CI", "head_sha": sha, "jobs": [{ "name": "test" }] });
    let run = client
        .post("/_forge/repos/octo/demo/actions/runs", &body)
        .expect(201)
        .json();
    (client, run)
}

#[test]
fn an_artifact_comes_back_as_it_was_given() {
    let world = World::start();
    let (client, run) = fed_run(&world);
    let artifacts = format!(
        "/_forge/repos/octo/demo/actions/runs/{}/artifacts",
        run["id"]
    );
    let upload = |query: &str, content: &[u8]| {
        client.send("POST", &format!("{artifacts}?{query}"), Some(content))
    };
    let report = b"<testsuites/>";
    let kept = upload("name=junit&file=report.xml", report)
        .expect(201)
        .json();
    assert_eq!(kept["name"], "junit");
    assert_eq!(kept["expired"], false);
    upload("name=log", b"one line").expect(201);

    let listed = client.get(&format!(
        "/repos/octo/demo/actions/runs/{}/artifacts",
        run["id"]
    ));
    let listed = listed.expect(200).json();
    assert_eq!(listed["total_count"], 2);
    assert_eq!(listed["artifacts"][0], kept);
    let one = format!("/repos/octo/demo/actions/artifacts/{}", kept["id"]);
    assert_eq!(client.get(&one).expect(200).json(), kept);

    let files = download(&client, &format!("{one}/zip"));
    assert_eq!(files["report.xml"], "<testsuites/>");
    assert_eq!(files.len(), 1);

    upload("name=a%2Fb", b"x").expect(422);
}

#[test]
fn a_download_needs_its_signature() {
    let world = World::start();
    let (client, run) = fed_run(&world);
    let path = format!("/repos/octo/demo/actions/runs/{}/logs", run["id"]);
    world.anonymous().get(&path).expect(401);
    let redirect = client.get(&path).expect(302);
    let location = redirect.header("location").unwrap();
    let anonymous = world.anonymous();
    anonymous.follow(location).expect(200);
    // Another run, another time, another signature.
    anonymous
        .follow(&location.replace("/run-1-", "/run-2-"))
        .expect(403);
    anonymous
        .follow(&location.replace("expires=1", "expires=2"))
        .expect(403);
    let end = location.len() - 2;
    anonymous
        .follow(&format!("{}zz", &location[..end]))
        .expect(403);
}
