//! What GitHub says of its own API, and traffic recorded from it. Tests read:
//!
//! - `rest.json` and `webhooks.json`: the API description, cut to the operations and
//!   events that `xtask/peers/github/operations.txt` lists
//! - `webhook-examples.json`: GitHub's examples of those events, by event
//! - `schema.graphql`
//! - `fixtures/`: recorded requests and answers, a folder for each story
//!
//! The packages unpack to 400 MB, of which this is a hundredth, so the rest goes.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use super::install;
use super::slice::{self, Kept};
use crate::failure::Failure;

pub(super) const FILES: [&str; 5] = [
    "rest.json",
    "webhooks.json",
    "webhook-examples.json",
    "schema.graphql",
    FIXTURE,
];

/// One file that stands for the folder of fixtures.
const FIXTURE: &str = "fixtures/paginate-issues/normalized-fixture.json";

pub(super) fn install(folder: &Path) -> Result<(), Failure> {
    install::npm_lock(
        include_str!("../../peers/github/package-lock.json"),
        include_str!("../../peers/github/package.json"),
        folder,
    )?;
    let kept = Kept::parse(include_str!("../../peers/github/operations.txt"))?;
    let packages = folder.join("node_modules/@octokit");
    let description = read_json(&packages.join("openapi/generated/api.github.com.json"))?;
    write_json(
        &folder.join("rest.json"),
        &slice::rest(&description, &kept)?,
    )?;
    write_json(
        &folder.join("webhooks.json"),
        &slice::webhooks(&description, &kept)?,
    )?;
    let examples = read_json(&packages.join("webhooks-examples/api.github.com/index.json"))?;
    write_json(
        &folder.join("webhook-examples.json"),
        &examples_of(&examples, &kept),
    )?;
    keep(
        &packages.join("graphql-schema/schema.graphql"),
        &folder.join("schema.graphql"),
    )?;
    keep(
        &packages.join("fixtures/scenarios/api.github.com"),
        &folder.join("fixtures"),
    )?;
    let packages = folder.join("node_modules");
    fs::remove_dir_all(&packages).map_err(Failure::could_not(format_args!(
        "remove {}",
        packages.display()
    )))
}

/// Event name to its example bodies. Not every event has some.
fn examples_of(index: &Value, kept: &Kept) -> Value {
    let events = index.as_array().into_iter().flatten();
    let examples = events.filter_map(|event| {
        let name = event["name"].as_str()?;
        kept.has_event(name)
            .then(|| (name.to_owned(), event["examples"].clone()))
    });
    Value::Object(examples.collect::<Map<_, _>>())
}

fn keep(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::rename(from, to).map_err(Failure::could_not(format_args!(
        "move {} to {}",
        from.display(),
        to.display()
    )))
}

fn read_json(path: &Path) -> Result<Value, Failure> {
    let doing = || format!("read {}", path.display());
    let bytes = fs::read(path).map_err(Failure::could_not(doing()))?;
    serde_json::from_slice(&bytes).map_err(Failure::could_not(doing()))
}

fn write_json(path: &Path, value: &Value) -> Result<(), Failure> {
    install::write(path, &value.to_string())
}
