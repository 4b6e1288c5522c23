//! What a person sees while tests run, on stderr.

use std::io::Write as _;
use std::time::{Duration, Instant};

use anstream::adapter::StripBytes;
use baton_ops::testing::Event;
use baton_protocol::phase::testing_details::AttemptScope;
use baton_report::Live;

use crate::terminal::{self, Look, Style, sanitize};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// What the tests print, as they print it.
    Everything,
    /// One line that is rewritten, and failures as they happen.
    Progress,
    Nothing,
}

pub(super) struct Show {
    view: View,
    look: Look,
    strip: StripBytes,
    live: Live,
    started: Instant,
    drawn: Option<Instant>,
}

/// Often enough to look alive, seldom enough to cost nothing.
const REDRAW: Duration = Duration::from_millis(100);

impl Show {
    /// `look` is that of standard error.
    pub(super) fn new(view: View, look: Look) -> Self {
        Self {
            view,
            look,
            strip: StripBytes::new(),
            live: Live::default(),
            started: Instant::now(),
            drawn: None,
        }
    }

    pub(super) fn event(&mut self, event: Event<'_>) {
        match event {
            Event::BuildStarted { command } => self.begin(&format!("$ {command}")),
            Event::AttemptStarted {
                number,
                command,
                scope,
            } => {
                let only = match scope {
                    AttemptScope::WholeSuite if number == 1 => "",
                    AttemptScope::WholeSuite => "  (again)",
                    AttemptScope::FailedTests => "  (only some)",
                };
                self.live = Live::default();
                self.begin(&format!("$ {command}{only}"));
            }
            Event::Output(bytes) => self.output(bytes),
            Event::AttemptFinished(_) => self.end(),
            Event::Waiting { pause, .. } => {
                if !pause.is_zero() && self.view != View::Nothing {
                    terminal::error_line(&format!("waiting {} s", pause.as_secs_f32()));
                }
            }
        }
    }

    /// Leaves the line of progress behind.
    pub(super) fn end(&mut self) {
        if self.drawn.take().is_some() {
            erase();
        }
    }

    fn begin(&mut self, line: &str) {
        self.started = Instant::now();
        if self.view != View::Nothing {
            terminal::error_line(&Style::Heading.paint(sanitize(line)));
        }
    }

    fn output(&mut self, bytes: &[u8]) {
        match self.view {
            View::Nothing => {}
            View::Everything => {
                let mut stderr = std::io::stderr().lock();
                // Tests print what they like; a terminal must not obey it.
                for printable in self.strip.strip_next(bytes) {
                    let _ = stderr.write_all(printable);
                }
            }
            View::Progress => {
                self.live.feed(bytes);
                for name in self.live.take_failures() {
                    self.end();
                    let word = Style::Bad.paint("FAILED");
                    terminal::error_line(&format!("{word} {}", sanitize(&name)));
                }
                if self.look.rewrites && self.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW) {
                    self.draw();
                }
            }
        }
    }

    fn draw(&mut self) {
        let progress = self.live.progress();
        let mut line = format!(
            "{:.0} s  {} passed, {} failed, {} skipped",
            self.started.elapsed().as_secs_f32(),
            progress.passed,
            progress.failed,
            progress.skipped
        );
        if let Some((name, time)) = &progress.slowest {
            line = format!("{line}, slowest {name} ({time:?})");
        }
        let line = self.look.one_line(&line);
        erase();
        let _ = write!(std::io::stderr().lock(), "{line}");
        let _ = std::io::stderr().flush();
        self.drawn = Some(Instant::now());
    }
}

/// Back to the left, and away with what stands there.
fn erase() {
    let _ = write!(std::io::stderr().lock(), "\r\u{1b}[2K");
}
