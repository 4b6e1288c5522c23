//! Reads `rspec --format json`.

use serde::Deserialize;

use crate::documents::Document;
use crate::json;
use crate::place::same_file;
use crate::session::{self, Failure, Session};
use crate::stack::trace::{self, Own};

pub(super) const DOCUMENT: Document = Document::Json {
    has: |keys| keys.of_object(&["examples", "summary"]),
    read,
};

#[derive(Deserialize)]
struct Report {
    examples: Vec<Example>,
    summary: Summary,
    messages: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Summary {
    #[serde(rename = "example_count")]
    examples: u64,
    #[serde(rename = "failure_count")]
    failures: u64,
    #[serde(rename = "pending_count", default)]
    pending: u64,
    #[serde(rename = "errors_outside_of_examples_count", default)]
    errors_outside: u64,
}

#[derive(Deserialize)]
struct Example {
    full_description: String,
    status: String,
    file_path: Option<String>,
    line_number: Option<u64>,
    exception: Option<Thrown>,
}

#[derive(Default, Deserialize)]
struct Thrown {
    class: Option<String>,
    message: Option<String>,
    backtrace: Option<Vec<String>>,
}

fn read(text: &[u8]) -> Option<Session> {
    let report: Report = json::first_value(text)?;
    let summary = report.summary;
    let mut session = Session::new("rspec", 1);
    let passed = summary
        .examples
        .saturating_sub(summary.pending)
        .saturating_sub(summary.failures);
    session.counts = session::counts(
        passed,
        summary.failures,
        summary.errors_outside,
        summary.pending,
    );
    for example in report.examples {
        if example.status == "failed" {
            session.add(failure(example));
        }
    }
    let messages = report.messages.unwrap_or_default();
    for error in messages.iter().filter_map(|text| loading_error(text)) {
        session.add(error);
    }
    session.broke = session.counts.errors > 0;
    Some(session)
}

fn failure(example: Example) -> Failure {
    let exception = example.exception.unwrap_or_default();
    let message = exception.message.unwrap_or_default();
    let backtrace = exception.backtrace.unwrap_or_default().join("\n");
    let file = example.file_path;
    let own = Own {
        file: file.as_deref(),
        class: None,
    };
    let is_own = |place: &(String, u64)| {
        let same = |file: &str| same_file(&place.0, file);
        file.as_deref().is_none_or(same)
    };
    // Aggregated failures have their places in the message; a shared example
    // fails in another file than the one that includes it.
    let place = trace::place(&message, own)
        .filter(is_own)
        .or_else(|| trace::place(&backtrace, own));
    let class = exception.class.unwrap_or_default();
    let own_frame = match &place {
        Some((file, line)) => format!("\n# {file}:{line}"),
        None => String::new(),
    };
    let text = if class.is_empty() || class.starts_with("RSpec::") {
        message
    } else {
        format!("{class}: {}", message.trim_start())
    };
    let mut failure =
        Failure::named(example.full_description).because(trace::error("", &(text + &own_frame)));
    failure.line = match &place {
        Some(place) if is_own(place) => Some(place.1),
        _ => example.line_number,
    };
    failure.file = file.or(place.map(|(file, _)| file));
    failure
}

/// `An error occurred while loading ./spec/a_spec.rb.` and what follows.
fn loading_error(message: &str) -> Option<Failure> {
    let message = trace::plain(message);
    let text = message.trim_start();
    let (first, _) = text.split_once('\n').unwrap_or((text, ""));
    let file = first
        .strip_prefix("An error occurred while loading ")?
        .split(" - Did you mean?")
        .next()?
        .trim_end_matches(['.', ' ']);
    Some(
        Failure::named(file)
            .at(file, trace::line_in(file, text))
            .because(trace::error("", text)),
    )
}
