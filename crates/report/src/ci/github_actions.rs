//! Reads the raw log of a GitHub Actions job, and of Azure Pipelines, whose
//! agent the runner descends from.
//!
//! A step begins with a group that repeats its script. The script is not output
//! and may contain anything:
//! ```text
//! 2026-03-01T08:15:42.1234567Z ##[group]Run npm test
//! 2026-03-01T08:15:42.1234567Z <ESC>[36;1mnpm test<ESC>[0m
//! 2026-03-01T08:15:42.1234567Z shell: /usr/bin/bash -e {0}
//! 2026-03-01T08:15:42.1234567Z ##[endgroup]
//! ```
//! The program's output follows. It may open groups of its own. If the program
//! failed, `##[error]Process completed with exit code 1.` comes last. The end of
//! a successful step is not marked; the next step just begins.

use super::{Unwrapped, timestamp, without_bom, without_leading_colours};
use crate::lines::cleaned;

#[derive(Default)]
pub(super) struct GithubActions {
    place: Place,
    step: StepKind,
    /// The title of the group that may begin a step.
    title: Vec<u8>,
    /// At least one step certainly failed.
    a_step_failed: bool,
    /// The last line of the step so far was `##[error]`.
    ended_in_error: bool,
    /// The caller knows where steps begin.
    steps_are_known: bool,
}

#[derive(Default)]
enum Place {
    #[default]
    Output,
    /// `##[group]Run …` was the line before this one.
    BelowTitle,
    /// In the script that the step's header repeats.
    Script,
    /// After the script: shell, inputs, environment.
    Settings,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum StepKind {
    #[default]
    None,
    Script,
    Action,
}

pub(super) fn recognises(line: &[u8]) -> bool {
    timestamp::after_instant(line).is_some()
}

/// Messages by which the shell or the runner itself reports that the step
/// failed. Any other `##[error]` may be an annotation by a program.
const VERDICTS: [&[u8]; 10] = [
    b"Process completed with exit code ",
    b"The operation was canceled.",
    b"The action '",
    b"The process '",
    b"The job running on runner ",
    b"The runner has received a shutdown signal",
    b"Docker run failed with exit code ",
    b"Bash exited with code ",
    b"PowerShell exited with code ",
    b"Cmd.exe exited with code ",
];

impl GithubActions {
    /// For logs that name each line's step in another way.
    pub(super) fn with_known_steps() -> Self {
        Self {
            steps_are_known: true,
            ..Self::default()
        }
    }

    pub(super) fn line(&mut self, line: &[u8], each: &mut impl FnMut(Unwrapped<'_>)) {
        let line = without_bom(line);
        let Some(text) = timestamp::after_instant(line) else {
            // Another line of an annotation or of a setting.
            if matches!(self.place, Place::Output) {
                each(Unwrapped::Output(line));
            }
            return;
        };
        match self.place {
            Place::Output => self.output(text, each),
            Place::BelowTitle => self.below_title(text, each),
            Place::Script | Place::Settings => self.header(text, each),
        }
    }

    pub(super) fn finish(&mut self, each: &mut impl FnMut(Unwrapped<'_>)) {
        self.leave_step(each);
    }

    /// The next lines belong to another step or job.
    pub(super) fn leave_step(&mut self, each: &mut impl FnMut(Unwrapped<'_>)) {
        // An action fails with its own message. If nothing else explains the
        // failure, the last error must be that message.
        if self.step == StepKind::Action && self.ended_in_error && !self.a_step_failed {
            each(Unwrapped::StepFailed);
        }
        self.step = StepKind::None;
        self.place = Place::Output;
        self.ended_in_error = false;
    }

    fn output(&mut self, text: &[u8], each: &mut impl FnMut(Unwrapped<'_>)) {
        match text {
            [b'#', b'#', b'[', command @ ..] => self.command(text, command, each),
            [b'[', b'c', ..] if text.starts_with(b"[command]") => {}
            [b'P', b'o', ..] if text.trim_ascii_end() == b"Post job cleanup." => {
                self.begin(b"Post job cleanup.", StepKind::None, each);
            }
            _ => {
                self.ended_in_error = false;
                each(Unwrapped::Output(text));
            }
        }
    }

    fn command(&mut self, text: &[u8], command: &[u8], each: &mut impl FnMut(Unwrapped<'_>)) {
        let Some(end) = command.iter().take(12).position(|byte| *byte == b']') else {
            each(Unwrapped::Output(text));
            return;
        };
        let (word, message) = (&command[..end], command[end + 1..].trim_ascii_end());
        match word {
            b"error" if is_verdict(message) => {
                self.a_step_failed = true;
                each(Unwrapped::StepFailed);
            }
            // A program made an annotation, or the runner recognised a line of
            // output as one ("problem matcher") and added the prefix.
            b"error" | b"warning" | b"notice" => {
                self.ended_in_error = word == b"error";
                each(Unwrapped::Output(message));
            }
            b"group" if message.starts_with(b"Run ") => {
                // It may become output only when a later line is read.
                self.title = cleaned(message, &mut Vec::new()).to_vec();
                self.place = Place::BelowTitle;
            }
            b"group" => each(Unwrapped::Output(message)),
            b"section" => {
                if let Some(name) = message.strip_prefix(b"Starting: ") {
                    self.begin(name, StepKind::Action, each);
                }
            }
            b"endgroup" | b"debug" | b"command" => {}
            _ => each(Unwrapped::Output(text)),
        }
    }

    /// The first line below `##[group]Run …` shows whether the runner wrote it,
    /// or a program that gave its own group such a title.
    fn below_title(&mut self, text: &[u8], each: &mut impl FnMut(Unwrapped<'_>)) {
        let bare = without_leading_colours(text).trim_ascii_end();
        let command = self.title.get(4..).unwrap_or_default();
        let kind = if bare == b"with:" || bare == b"env:" || bare == b"##[endgroup]" {
            StepKind::Action
        } else if text.starts_with(b"\x1b[36;1m") || bare == command {
            StepKind::Script
        } else {
            self.place = Place::Output;
            let title = std::mem::take(&mut self.title);
            each(Unwrapped::Output(&title));
            self.output(text, each);
            return;
        };
        let title = std::mem::take(&mut self.title);
        if self.steps_are_known {
            self.step = kind;
        } else {
            self.begin(&title, kind, each);
        }
        self.title = title;
        self.place = match kind {
            StepKind::Script => Place::Script,
            _ if bare == b"##[endgroup]" => Place::Output,
            _ => Place::Settings,
        };
    }

    fn header(&mut self, text: &[u8], each: &mut impl FnMut(Unwrapped<'_>)) {
        if text.starts_with(b"##[group]Run ") {
            // The end of the header is missing; do not skip the whole log.
            self.place = Place::Output;
            self.output(text, each);
        } else if text.starts_with(b"shell: ") {
            self.place = Place::Settings;
        } else if text.starts_with(b"##[endgroup]") && matches!(self.place, Place::Settings) {
            // In a log without colours, a script can contain this line too.
            self.place = Place::Output;
        }
    }

    fn begin(&mut self, name: &[u8], kind: StepKind, each: &mut impl FnMut(Unwrapped<'_>)) {
        self.leave_step(each);
        self.step = kind;
        each(Unwrapped::Step(name));
    }
}

fn is_verdict(message: &[u8]) -> bool {
    VERDICTS.iter().any(|verdict| message.starts_with(verdict))
}

#[cfg(test)]
mod tests {
    use crate::ci::tests::unwrapped;

    /// Lines as the runner writes them, each with a timestamp.
    fn stamped(lines: &str) -> String {
        let stamp = |line| format!("2026-03-01T08:15:42.1234567Z {line}\r");
        let stamped: Vec<String> = lines.lines().map(stamp).collect();
        format!("\u{feff}{}\n", stamped.join("\n"))
    }

    #[test]
    fn echoed_scripts_are_not_output() {
        let log = stamped(
            "Current runner version: '2.330.0'\n\
             ##[group]Run echo \"::error::never\"\n\
             \u{1b}[36;1mecho \"::error::never\"\u{1b}[0m\n\
             \u{1b}[36;1mFAILED tests/test_a.py::test_b\u{1b}[0m\n\
             \u{1b}[36;1m##[endgroup]\u{1b}[0m\n\
             shell: /usr/bin/bash -e {0}\n\
             env:\n  CI: true\n\
             ##[endgroup]\n\
             1 passed",
        );
        insta::assert_snapshot!(unwrapped(&log), @r#"
        | Current runner version: '2.330.0'
        > Run echo "::error::never"
        | 1 passed
        "#);
    }

    #[test]
    fn colours_may_be_missing() {
        let log = stamped(
            "##[group]Run make check\nmake check\n##[endgroup]\nmake more\nshell: bash\n##[endgroup]\nok",
        );
        insta::assert_snapshot!(unwrapped(&log), @r"
        > Run make check
        | ok
        ");
    }

    #[test]
    fn annotations_do_not_end_a_step() {
        let log = format!(
            "{}\nExpected: 1\nReceived: 2\n{}",
            stamped(
                "##[group]Run npm t\n\u{1b}[36;1mnpm t\u{1b}[0m\nshell: sh\n##[endgroup]\n\
                 ##[group]Errors in a.test.js\n  inner\n##[endgroup]\n\
                 ##[group]Run of the first shard\nshard\n\
                 ##[debug]x\n[command]/usr/bin/git version\n##[error]expect(received).toBe"
            ),
            stamped(
                "##[warning]  3:7  warning  odd\n##[error]Process completed with exit code 1.\nPost job cleanup.\nbye"
            )
        );
        insta::assert_snapshot!(unwrapped(&log), @r"
        > Run npm t
        | Errors in a.test.js
        |   inner
        | Run of the first shard
        | shard
        | expect(received).toBe
        | 
        | Expected: 1
        | Received: 2
        |   3:7  warning  odd
        !
        > Post job cleanup.
        | bye
        ");
    }

    #[test]
    fn an_action_fails_with_its_last_error() {
        let action = "##[group]Run some/test-action@v2\nwith:\n  a: b\n##[endgroup]\n";
        let script = "##[group]Run ./x\n\u{1b}[36;1m./x\u{1b}[0m\nshell: sh\n##[endgroup]\n";
        let failed = "##[error]Process completed with exit code 7.\n";
        let log = |text: String| unwrapped(&stamped(&text));
        insta::assert_snapshot!(log(format!("{action}##[error]2 tests failed\n{script}ok")), @r"
        > Run some/test-action@v2
        | 2 tests failed
        !
        > Run ./x
        | ok
        ");
        insta::assert_snapshot!(log(format!("{script}{failed}{action}##[error]no upload\n")), @r"
        > Run ./x
        !
        > Run some/test-action@v2
        | no upload
        ");
    }

    #[test]
    fn the_agent_of_azure_names_its_steps() {
        let log = stamped(
            "##[section]Starting: Unit tests\n##[command]/bin/bash x.sh\n1 failed\n\
             ##[error]Bash exited with code '1'.\n##[section]Finishing: Unit tests",
        );
        insta::assert_snapshot!(unwrapped(&log), @r"
        > Unit tests
        | 1 failed
        !
        ");
    }
}
