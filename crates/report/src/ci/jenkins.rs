//! Reads the Jenkins console: stages of a pipeline, with or without timestamps,
//! and freestyle builds.
//!
//! ```text
//! [Pipeline] stage
//! [Pipeline] { (Test)
//! [Pipeline] sh
//! + npm test
//! …
//! [Pipeline] // stage
//! [Pipeline] { (Deploy)
//! Stage "Deploy" skipped due to earlier failure(s)
//! …
//! ERROR: script returned exit code 1
//! Finished: FAILURE
//! ```
//! The failure is reported at the very end, so a stage counts only from its
//! first step on: the last stage that ran a step is the one that failed.

use super::{Unwrapped, timestamp};

#[derive(Default)]
pub(super) struct Jenkins {
    /// A stage that has begun but has not run a step yet.
    stage: Vec<u8>,
    a_stage_failed: bool,
}

const PIPELINE: &[u8] = b"[Pipeline] ";

pub(super) fn recognises(line: &[u8]) -> bool {
    let text = without_time(line);
    [
        PIPELINE,
        b"Started by user ",
        b"Started by an SCM change",
        b"Started by timer",
        b"Started by upstream project ",
        b"Running as SYSTEM",
        b"Branch event",
        b"Branch indexing",
        b"Push event to branch ",
        b"Pull request #",
    ]
    .iter()
    .any(|start| text.starts_with(start))
}

impl Jenkins {
    pub(super) fn line(&mut self, line: &[u8], each: &mut impl FnMut(Unwrapped<'_>)) {
        let text = without_time(line);
        match text.first() {
            Some(b'[') if text.starts_with(PIPELINE) => {
                self.pipeline(text[PIPELINE.len()..].trim_ascii_end(), each);
            }
            Some(b'S') if text.starts_with(b"Stage \"") && is_skipped(text) => self.stage.clear(),
            Some(b'E') if text.starts_with(b"ERROR: script returned exit code ") => {
                self.failed(each);
            }
            Some(b'B') if text.starts_with(b"Build step '") && is_marked_as_failure(text) => {
                self.failed(each);
            }
            Some(b'F') if is_failure(text.trim_ascii_end()) => {
                // If a stage was already marked as failed, this is about that
                // stage.
                if !self.a_stage_failed {
                    self.failed(each);
                }
            }
            _ => each(Unwrapped::Output(text)),
        }
    }

    fn failed(&mut self, each: &mut impl FnMut(Unwrapped<'_>)) {
        self.a_stage_failed = true;
        each(Unwrapped::StepFailed);
    }

    fn pipeline(&mut self, text: &[u8], each: &mut impl FnMut(Unwrapped<'_>)) {
        if let Some(name) = stage_name(text) {
            self.stage.clear();
            self.stage.extend(name);
        } else if text.starts_with(b"}") {
            self.stage.clear();
        } else if !self.stage.is_empty()
            && text.first().is_some_and(u8::is_ascii_alphabetic)
            && !matches!(text, b"stage" | b"parallel" | b"node" | b"getContext")
        {
            each(Unwrapped::Step(&self.stage));
            self.stage.clear();
        }
    }
}

/// `{ (Test)` and `{ (Branch: linux)`. What runs after the stages, such as
/// collecting reports, is not a stage: it cleans up after the one that failed.
fn stage_name(text: &[u8]) -> Option<&[u8]> {
    let name = text.strip_prefix(b"{ (")?.strip_suffix(b")")?;
    let name = name.strip_prefix(b"Branch: ").unwrap_or(name);
    (name != b"Declarative: Post Actions").then_some(name)
}

fn is_skipped(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"\" skipped due to ").is_some()
}

fn is_marked_as_failure(text: &[u8]) -> bool {
    text.trim_ascii_end()
        .ends_with(b"' marked build as failure")
}

fn is_failure(text: &[u8]) -> bool {
    text == b"Finished: FAILURE" || text == b"Finished: ABORTED"
}

/// Removes `[2026-03-01T08:15:42.123Z] ` or `08:15:42  `, and the invisible
/// notes that the server puts into its files.
fn without_time(line: &[u8]) -> &[u8] {
    let mut line = line;
    if let Some(note) = line.strip_prefix(b"\x1b[8mha:") {
        let end = memchr::memmem::find(note, b"\x1b[0m");
        line = end.map_or(line, |end| &note[end + 4..]);
    }
    match line {
        [b'[', instant @ ..] if instant.get(24) == Some(&b']') => {
            let is_instant = timestamp::after_instant(&instant[..24]).is_some();
            let text = &instant[25..];
            if is_instant {
                text.strip_prefix(b" ").unwrap_or(text)
            } else {
                line
            }
        }
        _ if is_clock(line) => {
            let text = &line[9..];
            text.strip_prefix(b" ").unwrap_or(text)
        }
        _ => line,
    }
}

/// `08:15:42 ` and more.
fn is_clock(line: &[u8]) -> bool {
    line.len() >= 9
        && line[..9].iter().enumerate().all(|(at, byte)| match at {
            2 | 5 => *byte == b':',
            8 => *byte == b' ',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use crate::ci::tests::unwrapped;

    #[test]
    fn the_last_stage_that_did_anything_failed() {
        let log = "Started by user dev\n\
            [Pipeline] Start of Pipeline\n[Pipeline] node\nRunning on Jenkins in /x\n[Pipeline] {\n\
            [Pipeline] stage\n[Pipeline] { (Build)\n[Pipeline] sh\n+ make\nok\n[Pipeline] }\n[Pipeline] // stage\n\
            [Pipeline] stage\n[Pipeline] { (Test)\n[Pipeline] sh\n+ pytest\n1 failed\n[Pipeline] }\n[Pipeline] // stage\n\
            [Pipeline] stage\n[Pipeline] { (Deploy)\nStage \"Deploy\" skipped due to earlier failure(s)\n[Pipeline] getContext\n[Pipeline] }\n\
            [Pipeline] stage\n[Pipeline] { (Declarative: Post Actions)\n[Pipeline] junit\nRecording test results\n[Pipeline] }\n\
            [Pipeline] End of Pipeline\nERROR: script returned exit code 1\nFinished: FAILURE\n";
        let expected = unwrapped(log);
        insta::assert_snapshot!(expected, @r"
        | Started by user dev
        | Running on Jenkins in /x
        > Build
        | + make
        | ok
        > Test
        | + pytest
        | 1 failed
        | Recording test results
        !
        ");
        for time in ["[2026-03-01T08:15:42.123Z] ", "08:15:42  "] {
            let stamped: Vec<String> = log.lines().map(|l| format!("{time}{l}")).collect();
            assert_eq!(unwrapped(&stamped.join("\n")), expected);
        }
    }

    #[test]
    fn a_freestyle_build_has_no_stages() {
        let log = "Started by timer\n[app] $ /bin/sh -xe /tmp/jenkins1.sh\n[08:00] x\n+ false\n\
            Build step 'Execute shell' marked build as failure\nFinished: FAILURE";
        insta::assert_snapshot!(unwrapped(log), @r"
        | Started by timer
        | [app] $ /bin/sh -xe /tmp/jenkins1.sh
        | [08:00] x
        | + false
        !
        ");
    }
}
