//! Reads `testng-results.xml`.

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::trace::{self, Own};
use crate::session::{Evidence, Failure, Session};

pub(super) fn read(text: &str) -> Session {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    let mut results = Results {
        session: Session::new("testng", 1),
        ..Results::default()
    };
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => results.start(&tag),
            Ok(Event::Empty(tag)) => {
                results.start(&tag);
                results.end(tag.local_name().as_ref());
            }
            Ok(Event::End(tag)) => results.end(tag.local_name().as_ref()),
            Ok(Event::CData(text)) => results.text(&text.xml10_content()),
            Ok(Event::Text(text)) => results.text(&text.xml10_content()),
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    results.session
}

#[derive(Default)]
struct Results {
    session: Session,
    class: String,
    method: Option<Method>,
    /// Which text of the method is being read.
    within: Within,
}

#[derive(Default)]
struct Method {
    name: String,
    /// Configuration methods count only when they fail.
    is_configuration: bool,
    outcome: String,
    message: String,
    trace: String,
    parameters: Vec<String>,
}

#[derive(Default)]
enum Within {
    #[default]
    Nothing,
    Message,
    Trace,
    Parameter,
}

const MAX_TRACE_BYTES: usize = 64 << 10;
const MAX_PARAMETERS: usize = 50;

impl Results {
    fn start(&mut self, tag: &BytesStart<'_>) {
        let attribute = |name: &str| {
            let found = tag
                .html_attributes()
                .flatten()
                .find(|a| a.key.as_ref() == name);
            found.map(|a| {
                quick_xml::escape::unescape(&a.value)
                    .map_or_else(|_| a.value.to_string(), Into::into)
            })
        };
        match tag.local_name().as_ref() {
            "class" => self.class = attribute("name").unwrap_or_default(),
            "test-method" => {
                self.method = Some(Method {
                    name: attribute("name").unwrap_or_default(),
                    is_configuration: attribute("is-config").is_some_and(|text| text == "true"),
                    outcome: attribute("status").unwrap_or_default(),
                    ..Method::default()
                });
            }
            "message" => self.within = Within::Message,
            "full-stacktrace" | "short-stacktrace" => self.within = Within::Trace,
            "value" => self.within = Within::Parameter,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let Some(method) = &mut self.method else {
            return;
        };
        let target = match self.within {
            Within::Nothing => return,
            Within::Message => &mut method.message,
            Within::Trace => &mut method.trace,
            Within::Parameter => {
                if method.parameters.len() < MAX_PARAMETERS && !text.trim().is_empty() {
                    method.parameters.push(text.trim().to_owned());
                }
                return;
            }
        };
        let room = MAX_TRACE_BYTES.saturating_sub(target.len());
        target.push_str(&text[..text.floor_char_boundary(room)]);
    }

    fn end(&mut self, name: &str) {
        match name {
            "test-method" => self.close_method(),
            "message" | "full-stacktrace" | "short-stacktrace" | "value" => {
                self.within = Within::Nothing;
            }
            "testng-results" => self.session.evidence = Evidence::Complete,
            _ => {}
        }
    }

    fn close_method(&mut self) {
        let Some(method) = self.method.take() else {
            return;
        };
        let failed = method.outcome == "FAIL";
        let counts = &mut self.session.counts;
        match method.outcome.as_str() {
            "FAIL" if method.is_configuration => counts.errors += 1,
            _ if method.is_configuration => {}
            "PASS" => counts.passed += 1,
            "SKIP" => counts.skipped += 1,
            _ => counts.failed += 1,
        }
        counts.run = counts.passed + counts.failed + counts.errors;
        if !failed {
            return;
        }
        let mut name = format!("{}.{}", self.class, method.name);
        if !method.parameters.is_empty() {
            name = format!("{name}({})", method.parameters.join(", "));
        }
        let own = Own {
            file: None,
            class: Some(&self.class),
        };
        let mut failure =
            Failure::named(name).because(trace::error(&method.message, &method.trace));
        if let Some((file, line)) = trace::place(&method.trace, own) {
            failure = failure.at(file, Some(line));
        }
        self.session.add(failure);
    }
}
