//! Six lines that say how the checks go, on stderr.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use baton_ops::validation::{Check, CheckStatus, Event};

use crate::terminal::{self, Style, sanitize};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// Six lines that are rewritten.
    Live,
    /// A line for each check when its result is final.
    Lines,
    Nothing,
}

pub(super) struct Show {
    view: View,
    board: Mutex<Board>,
}

struct Board {
    rows: [Row; 6],
    is_drawn: bool,
    drawn_at: Option<Instant>,
}

#[derive(Clone, Default)]
enum Row {
    #[default]
    Waiting,
    Running {
        since: Instant,
        doing: String,
    },
    Done {
        status: CheckStatus,
        problems: usize,
        elapsed: Duration,
    },
}

/// A line that wraps cannot be written over.
const WIDEST: usize = 78;
const REDRAW: Duration = Duration::from_millis(100);

impl Show {
    pub(super) fn new(view: View) -> Self {
        Self {
            view,
            board: Mutex::new(Board {
                rows: Default::default(),
                is_drawn: false,
                drawn_at: None,
            }),
        }
    }

    pub(super) fn event(&self, event: Event<'_>) {
        let mut board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = board.take(event);
        match self.view {
            View::Nothing => {}
            View::Live => board.draw(is_news),
            View::Lines => {
                if let Event::Settled { check } = event {
                    terminal::error_line(&board.line(check));
                }
            }
        }
    }

    pub(super) fn end(&self) {
        if self.view == View::Live {
            let mut board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
            board.draw(true);
        }
    }
}

impl Board {
    /// Whether something is worth showing at once.
    fn take(&mut self, event: Event<'_>) -> bool {
        let (check, row) = match event {
            Event::Started { check, command } => (
                check,
                Row::Running {
                    since: Instant::now(),
                    doing: command.to_owned(),
                },
            ),
            Event::Autofix { check, command } => (
                check,
                Row::Running {
                    since: Instant::now(),
                    doing: format!("mending: {command}"),
                },
            ),
            Event::Finished {
                check,
                status,
                problems,
                elapsed,
            } => (
                check,
                Row::Done {
                    status,
                    problems,
                    elapsed,
                },
            ),
            Event::Settled { .. } | Event::Waiting { .. } | Event::Output { .. } => return false,
        };
        self.rows[check as usize] = row;
        true
    }

    fn draw(&mut self, at_once: bool) {
        let is_due = self.drawn_at.is_none_or(|at| at.elapsed() >= REDRAW);
        if !at_once && !is_due {
            return;
        }
        let mut text = String::new();
        if self.is_drawn {
            // Up to the first of the six.
            text.push_str("\u{1b}[6A");
        }
        for check in Check::ALL {
            writeln!(text, "\u{1b}[2K{}", self.line(check)).expect("a string takes all text");
        }
        let mut stderr = anstream::stderr().lock();
        let _ = stderr.write_all(text.as_bytes());
        let _ = stderr.flush();
        self.is_drawn = true;
        self.drawn_at = Some(Instant::now());
    }

    fn line(&self, check: Check) -> String {
        let name = check.name();
        match &self.rows[check as usize] {
            Row::Waiting => Style::Dim.paint(format!("…       {name}")),
            Row::Running { since, doing } => {
                let doing = sanitize(doing).replace('\n', " ");
                let line = format!(
                    "{:>4.0} s  {name:<16}{doing}",
                    since.elapsed().as_secs_f32()
                );
                line.chars().take(WIDEST).collect()
            }
            Row::Done {
                status,
                problems,
                elapsed,
            } => {
                let word = match status {
                    CheckStatus::Pass => Style::Good.paint("pass   "),
                    CheckStatus::Fail => Style::Bad.paint("FAIL   "),
                    CheckStatus::Skipped => Style::Dim.paint("skipped"),
                };
                let count = match (status, problems) {
                    (CheckStatus::Fail, 1) => "  1 problem".to_owned(),
                    (CheckStatus::Fail, count) if *count > 1 => format!("  {count} problems"),
                    _ => String::new(),
                };
                format!("{word} {name:<16}{:>6.1} s{count}", elapsed.as_secs_f32())
            }
        }
    }
}
