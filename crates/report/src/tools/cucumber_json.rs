//! Reads the JSON of Cucumber and behave.

use serde::Deserialize;

use super::Tool;
use crate::documents::Document;
use crate::json;
use crate::place;
use crate::session::{self, Failure, Session};

pub(super) const TOOL: Tool = Tool {
    document: Some(Document::Json {
        has: |keys| keys.of_array(&["keyword", "elements"]),
        read: document,
    }),
    ..Tool::NONE
};

#[derive(Deserialize)]
struct Feature {
    uri: Option<String>,
    #[serde(default)]
    elements: Vec<Element>,
}

#[derive(Deserialize)]
struct Element {
    #[serde(default)]
    name: String,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    line: Option<u64>,
    location: Option<String>,
    result: Option<Outcome>,
}

#[derive(Deserialize)]
struct Outcome {
    #[serde(default)]
    status: String,
    error_message: Option<Message>,
}

/// behave writes an array of lines.
#[derive(Deserialize)]
#[serde(untagged)]
enum Message {
    Text(String),
    Lines(Vec<String>),
}

fn document(text: &[u8]) -> Option<Session> {
    let features: Vec<Feature> = json::first_value(text)?;
    let mut session = Session::new("cucumber", 1);
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for feature in &features {
        for scenario in feature
            .elements
            .iter()
            .filter(|one| one.kind != "background")
        {
            let status = |step: &&Step, wanted: &[&str]| {
                let status = step.result.as_ref().map(|result| result.status.as_str());
                wanted.contains(&status.unwrap_or("untested"))
            };
            let broken = |step: &&Step| status(step, &["failed", "error", "ambiguous"]);
            let is_open = |step: &&Step| !status(step, &["passed"]);
            if let Some(step) = scenario.steps.iter().find(broken) {
                failed += 1;
                session.add(failure(feature, scenario, step));
            } else if scenario.steps.iter().any(|step| is_open(&step)) {
                skipped += 1;
            } else {
                passed += 1;
            }
        }
    }
    session.counts = session::counts(passed, failed, 0, skipped);
    Some(session)
}

fn failure(feature: &Feature, scenario: &Element, step: &Step) -> Failure {
    let message = step
        .result
        .as_ref()
        .and_then(|result| result.error_message.as_ref());
    let message = match message {
        Some(Message::Text(text)) => text.clone(),
        Some(Message::Lines(lines)) => lines.join("\n"),
        None => String::new(),
    };
    let failure = Failure::named(scenario.name.as_str()).because(message);
    let place = step.location.as_deref().and_then(place::leading);
    match (place, &feature.uri) {
        (Some((file, line, _)), _) => failure.at(file, Some(line)),
        (None, Some(uri)) => failure.at(uri, step.line),
        (None, None) => failure,
    }
}
