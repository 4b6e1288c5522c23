//! Reads report files that runners write for other programs: a whole file of XML
//! or JSON.
//!
//! There is one file per format, all of the same shape: `read` takes a document
//! that was identified as that format and returns its sessions. Only the
//! relevant fields are read and kept.

mod ctrf;
mod eslint;
mod golangci;
mod jest;
mod junit;
mod mocha;
mod playwright;
mod pytest_json_report;
mod rspec;
mod sarif;
mod sniff;
mod testng;
mod trace;

use baton_protocol::report::Counts;

use crate::session::{Evidence, Session};
use sniff::Shape;

pub(crate) use junit::{MAX_BYTES as MAX_XML_BYTES, read as read_junit};

/// The sessions of a report file, or `None` if the bytes are not one.
pub(crate) fn read(bytes: &[u8]) -> Option<Vec<Session>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let sessions = match sniff::shape(bytes)? {
        Shape::Junit => junit::read(&String::from_utf8_lossy(bytes))?,
        Shape::Testng => vec![testng::read(&String::from_utf8_lossy(bytes))],
        Shape::Json { object, text } => vec![read_json(object, text)?],
    };
    Some(numbered(sessions))
}

fn read_json(object: sniff::Object, text: &[u8]) -> Option<Session> {
    use sniff::Object;
    let mut session = match object {
        Object::Jest => jest::read(text),
        Object::Mocha => mocha::read(text),
        Object::Rspec => rspec::read(text),
        Object::Ctrf => ctrf::read(text),
        Object::PytestJsonReport => pytest_json_report::read(text),
        Object::Playwright => playwright::read(text),
        Object::Eslint => eslint::read(text),
        Object::Golangci => golangci::read(text),
        Object::Sarif => sarif::read(text),
    }?;
    session.evidence = Evidence::Complete;
    Some(session)
}

/// The first JSON value of a text, ignoring what a wrapper prints after it.
fn first_value<T: serde::de::DeserializeOwned>(text: &[u8]) -> Option<T> {
    serde_json::Deserializer::from_slice(text)
        .into_iter()
        .next()?
        .ok()
}

/// Saturates, because a document may contain any numbers.
fn counts(passed: u64, failed: u64, errors: u64, skipped: u64) -> Counts {
    Counts {
        run: passed.saturating_add(failed).saturating_add(errors),
        passed,
        failed,
        skipped,
        errors,
    }
}

/// Documents have no useful line numbers; the sessions of one must only not
/// appear nested.
fn numbered(mut sessions: Vec<Session>) -> Vec<Session> {
    for (number, session) in (1..).zip(&mut sessions) {
        session.lines = (number, number);
    }
    sessions
}
