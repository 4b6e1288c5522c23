//! Reads the log of a GitLab job: sections, and each command of the script in
//! green.
//!
//! ```text
//! section_start:1772352942:step_script\r<ESC>[0K…
//! <ESC>[32;1m$ npm test<ESC>[0;m
//! …
//! section_end:1772352960:step_script\r<ESC>[0K
//! <ESC>[31;1mERROR: Job failed: exit code 1
//! ```

use memchr::{memchr, memmem};

use super::{Unwrapped, timestamp, without_leading_colours};

#[derive(Default)]
pub(super) struct Gitlab {
    /// In a section of the runner itself, or in the commands that clean up after
    /// the job.
    in_runner_section: bool,
}

/// Sections in which the job's own commands do not run.
const RUNNER_SECTIONS: [&[u8]; 11] = [
    b"prepare_executor",
    b"prepare_script",
    b"resolve_secrets",
    b"get_sources",
    b"restore_cache",
    b"download_artifacts",
    b"after_script",
    b"archive_cache",
    b"archive_cache_on_failure",
    b"upload_artifacts_on_failure",
    b"cleanup_file_variables",
];

pub(super) fn recognises(line: &[u8]) -> bool {
    let bare = without_leading_colours(without_time(line));
    bare.starts_with(b"section_start:") || bare.starts_with(b"Running with gitlab-runner ")
}

impl Gitlab {
    pub(super) fn line(&mut self, line: &[u8], each: &mut impl FnMut(Unwrapped<'_>)) {
        let mut text = without_time(line);
        // A marker directly follows the last line of output if that has no line
        // break, or another marker.
        while let Some(at) = memmem::find(text, b"section_") {
            let Some(marker) = Marker::read(&text[at..]) else {
                break;
            };
            let before = &text[..at];
            if !without_leading_colours(before).is_empty() {
                self.plain(before, each);
            }
            self.in_runner_section = marker.starts && RUNNER_SECTIONS.contains(&marker.section);
            text = without_leading_colours(marker.rest);
            if text.is_empty() {
                return;
            }
        }
        self.plain(text, each);
    }

    fn plain(&mut self, text: &[u8], each: &mut impl FnMut(Unwrapped<'_>)) {
        if text.first() == Some(&0x1b) {
            let bare = without_leading_colours(text);
            if bare.starts_with(b"ERROR: Job failed") {
                each(Unwrapped::StepFailed);
                return;
            }
            if !self.in_runner_section
                && text.starts_with(b"\x1b[32;1m")
                && let Some(command) = bare.strip_prefix(b"$ ")
            {
                let end = memchr(0x1b, command).unwrap_or(command.len());
                each(Unwrapped::Step(command[..end].trim_ascii_end()));
                return;
            }
        } else if text.starts_with(b"ERROR: Job failed: ") {
            each(Unwrapped::StepFailed);
            return;
        }
        if !self.in_runner_section {
            each(Unwrapped::Output(text));
        }
    }
}

/// `section_start:1772352942:name[collapsed=true]\r<ESC>[0K`, then a title.
struct Marker<'a> {
    starts: bool,
    section: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Marker<'a> {
    fn read(text: &'a [u8]) -> Option<Self> {
        let (starts, rest) = match text.strip_prefix(b"section_start:") {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix(b"section_end:")?),
        };
        let colon = memchr(b':', rest)?;
        let (time, rest) = (&rest[..colon], &rest[colon + 1..]);
        if time.is_empty() || !time.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let end = rest
            .iter()
            .position(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-' | b'.'))
            .unwrap_or(rest.len());
        let (section, mut rest) = rest.split_at(end);
        if rest.first() == Some(&b'[') {
            let end = memchr(b']', rest).unwrap_or(0);
            rest = &rest[end + 1..];
        }
        let rest = rest.strip_prefix(b"\r").unwrap_or(rest);
        Some(Self {
            starts,
            section,
            rest,
        })
    }
}

/// Removes `2026-03-01T08:15:42.123456Z 00O `: the time, the stream's number and
/// kind, and `+` instead of a space if the line continues the previous one.
fn without_time(line: &[u8]) -> &[u8] {
    match timestamp::after_instant(line) {
        Some([a, b, b'O' | b'E', b' ' | b'+', text @ ..])
            if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() =>
        {
            text
        }
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use crate::ci::tests::unwrapped;

    #[test]
    fn each_command_is_a_step() {
        let log = "Running with gitlab-runner 18.0.0 (abcdef)\n\
            \u{1b}[0Ksection_start:1772352942:prepare_executor\r\u{1b}[0K\u{1b}[36;1mPreparing\u{1b}[0;m\n\
            Using Docker executor\n\
            section_end:1772352943:prepare_executor\r\u{1b}[0Ksection_start:1772352943:step_script[hide_duration=true]\r\u{1b}[0KExecuting \"step_script\"\n\
            \u{1b}[32;1m$ npm ci\u{1b}[0;m\nadded 1 package\n\
            \u{1b}[32;1m$ npm test\u{1b}[0;m\n1 failed\nsection_start: no marker\n\
            no line breaksection_end:1772352960:step_script\r\u{1b}[0K\n\
            section_start:1772352960:after_script\r\u{1b}[0KRunning after_script\n\u{1b}[32;1m$ rm x\u{1b}[0;m\n\
            section_end:1772352961:after_script\r\u{1b}[0K\n\
            \u{1b}[31;1mERROR: Job failed: exit code 1\n";
        let expected = unwrapped(log);
        insta::assert_snapshot!(expected, @r#"
        | Running with gitlab-runner 18.0.0 (abcdef)
        | Executing "step_script"
        > npm ci
        | added 1 package
        > npm test
        | 1 failed
        | section_start: no marker
        | no line break
        !
        "#);
        let stamp = |line| format!("2026-03-01T08:15:42.123456Z 01O {line}");
        let stamped: Vec<String> = log.lines().map(stamp).collect();
        assert_eq!(unwrapped(&stamped.join("\n")), expected);
    }
}
