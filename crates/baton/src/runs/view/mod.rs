//! A run as it goes, for a person: one line per step that has ended, and on a
//! terminal one that is rewritten for the step that is under way.

mod summary;

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use baton_workflow::{Ending, Event, Report, State, Status};
use jiff::Timestamp;

pub(crate) use summary::{details, summary};

use super::describe::{dollars, reached};
use crate::terminal::{self, Line, Look, Page, ProgressLine, Style};

/// Where the lines go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watching {
    /// A terminal.
    Live,
    /// A file or a pipe.
    Lines,
    Silent,
}

impl Watching {
    /// Of standard error.
    pub(crate) fn for_stderr() -> Self {
        if io::stderr().is_terminal() {
            Self::Live
        } else {
            Self::Lines
        }
    }
}

/// Shows what happens in a run.
pub(crate) struct View {
    watching: Watching,
    look: Look,
    progress: ProgressLine,
    /// When the step under way began, by its events.
    began: Option<Timestamp>,
    since: Instant,
    activity: String,
    told: Option<Instant>,
    turn: usize,
}

/// Between two lines of activity where each stays.
const PACE: Duration = Duration::from_secs(1);

/// Columns of the longest name of a step.
const STEP_WIDTH: usize = 10;

const SPINNER: [&str; 8] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"];

impl View {
    pub(crate) fn new(watching: Watching, look: Look) -> Self {
        Self {
            watching,
            look,
            progress: ProgressLine::new(look),
            began: None,
            since: Instant::now(),
            activity: String::new(),
            told: None,
            turn: 0,
        }
    }

    /// What the run is about, before anything happens.
    pub(crate) fn open(&self, state: &State) {
        let start = state.start();
        let mut facts = vec![start.goal.repository.clone()];
        facts.extend(super::agent(&start.goal).map(str::to_owned));
        facts.push(mode_word(state).to_owned());
        if let Some(budget) = budget(state) {
            facts.push(budget);
        }
        self.page(|page| {
            page.item(
                0,
                Line::new().styled(Style::Command, "● "),
                Line::new()
                    .styled(Style::Heading, state.run().as_str())
                    .text("  ")
                    .text(first_line(&start.goal.request)),
            );
            page.line(1, Line::new().styled(Style::Dim, facts.join(" · ")));
        });
    }

    /// `state` is the state behind the event.
    pub(crate) fn event(&mut self, event: &Event, state: &State) {
        match event {
            Event::Started { at, .. } => {
                self.began = Some(*at);
                self.since = Instant::now();
                self.activity.clear();
                self.told = None;
            }
            Event::Finished {
                key, at, report, ..
            } => self.finished(key.within_run(), *at, report),
            Event::Failed {
                key, at, failure, ..
            } => {
                let line = Line::new()
                    .styled(Style::Bad, pad(step_name(key.within_run())))
                    .text(&failure.message)
                    .followed_by(self.took(*at));
                self.item("✗", Style::Bad, line);
                match state.status() {
                    Status::At(_) => self.note("It is tried again."),
                    Status::Blocked => self.note("It has to wait, and looks again by itself."),
                    Status::Waiting | Status::Done | Status::Failed | Status::Cancelled => {}
                }
            }
            Event::Answered { answer, .. } => {
                self.note(&format!("Answered: {}", answer.choice));
            }
            Event::CancelRequested { reason, .. } => {
                self.note(&format!("Cancelled: {reason}"));
            }
            Event::Noticed { texts, .. } => {
                for text in texts {
                    self.note(text);
                }
            }
            Event::Created { .. } | Event::Woke { .. } | Event::Asked { .. } => {}
        }
    }

    fn finished(&self, key: &str, at: Timestamp, report: &Report) {
        let name = pad(step_name(key));
        match report {
            Report::Passed { handoff } => {
                let is_setback = !details(handoff).is_empty() && !is_fix(key);
                let (mark, style) = if is_setback {
                    ("!", Style::Doubtful)
                } else {
                    ("✓", Style::Good)
                };
                let line = Line::new()
                    .styled(style, name)
                    .text(summary(handoff))
                    .followed_by(self.took(at));
                self.item(mark, style, line);
                self.page(|page| {
                    for line in details(handoff) {
                        let gap = " ".repeat(STEP_WIDTH);
                        page.item(1, Line::new().text(gap).styled(Style::Dim, "└ "), line);
                    }
                });
            }
            Report::Done => {
                let line = Line::new()
                    .styled(Style::Good, name)
                    .text(done(step_name(key), &self.activity))
                    .followed_by(self.took(at));
                self.item("✓", Style::Good, line);
            }
            Report::Asks { .. } => {}
        }
    }

    /// Something that a step says now. Foreign text.
    pub(crate) fn activity(&mut self, text: &str, state: &State) {
        first_line(text).clone_into(&mut self.activity);
        match self.watching {
            Watching::Live => self.tick(state),
            Watching::Lines => {
                if self.told.is_none_or(|told| told.elapsed() >= PACE) {
                    self.told = Some(Instant::now());
                    let name = state.task().map_or("", |task| task.step.word());
                    self.page(|page| {
                        let line = Line::new()
                            .styled(Style::Dim, pad(name))
                            .styled(Style::Dim, &self.activity);
                        page.item(
                            1,
                            Line::new().styled(Style::Dim, "· "),
                            line.cut(self.look.width.saturating_sub(4)),
                        );
                    });
                }
            }
            Watching::Silent => {}
        }
    }

    /// Redraws the line of the step under way.
    pub(crate) fn tick(&mut self, state: &State) {
        if self.watching != Watching::Live || !state.is_running() {
            return;
        }
        let Some(task) = state.task() else {
            return;
        };
        self.turn = (self.turn + 1) % SPINNER.len();
        let mut parts = vec![clock(self.since.elapsed())];
        parts.extend(spent(state));
        if !self.activity.is_empty() {
            parts.push(self.activity.clone());
        }
        self.progress.tell(&format!(
            "  {} {}{}",
            SPINNER[self.turn],
            pad(task.step.word()),
            parts.join(" · ")
        ));
    }

    /// Takes the line away.
    pub(crate) fn pause(&self) {
        self.progress.clear();
    }

    /// How it ended.
    pub(crate) fn close(&self, state: &State) {
        let Some(ending) = state.ending() else {
            return;
        };
        self.page(|page| put_ending(page, ending));
    }

    fn item(&self, mark: &str, style: Style, line: Line) {
        self.page(|page| page.item(1, Line::new().styled(style, format!("{mark} ")), line));
    }

    /// A line beside what happens.
    pub(crate) fn note(&self, text: &str) {
        self.page(|page| {
            page.item(
                1,
                Line::new().styled(Style::Dim, "· "),
                Line::new().styled(Style::Dim, text),
            );
        });
    }

    /// How long the step took that ended at this time.
    fn took(&self, at: Timestamp) -> Line {
        let took = self.began.map(|began| at.duration_since(began));
        match took.and_then(|took| Duration::try_from(took).ok()) {
            Some(took) => Line::new().styled(Style::Dim, format!("  {}", lasted(took))),
            None => Line::new(),
        }
    }

    fn page(&self, fill: impl FnOnce(&mut Page)) {
        if self.watching == Watching::Silent {
            return;
        }
        let mut page = Page::new(self.look);
        fill(&mut page);
        let text = page.into_text();
        if !text.is_empty() {
            self.progress.clear();
            terminal::error_line(text.trim_end_matches('\n'));
        }
    }
}

/// How a run ended, in a line or two.
pub(crate) fn put_ending(page: &mut Page, ending: &Ending) {
    let (mark, style, text) = match ending {
        Ending::Closed => (
            "✓ ",
            Style::Good,
            "Merged, and the issue is closed.".to_owned(),
        ),
        Ending::Reached { until, .. } => ("✓ ", Style::Good, reached(*until).to_owned()),
        Ending::Failed { reason, .. } => ("✗ ", Style::Bad, format!("Failed: {reason}")),
        Ending::Cancelled { reason, .. } => ("■ ", Style::Doubtful, format!("Cancelled: {reason}")),
    };
    page.item(0, Line::new().styled(style, mark), text.as_str());
    if let Some(trouble) = ending.left_behind() {
        page.item(
            0,
            Line::new().styled(Style::Hint, "hint: "),
            format!("something was left behind: {trouble}").as_str(),
        );
    }
}

pub(crate) fn mode_word(state: &State) -> &'static str {
    use baton_workflow::Mode;
    match state.start().policy.mode {
        Mode::Autonomous => "autonomous",
        Mode::Semi => "semi-autonomous",
        Mode::Supervised => "supervised",
    }
}

/// What a run may spend.
pub(crate) fn budget(state: &State) -> Option<String> {
    let budget = state.budget();
    let mut parts = Vec::new();
    parts.extend(budget.time.map(lasted));
    parts.extend(budget.turns.map(|turns| format!("{turns} turns")));
    parts.extend(
        budget
            .cost_micros
            .map(|micros| format!("${:.2}", dollars(micros))),
    );
    (!parts.is_empty()).then(|| format!("budget {}", parts.join(", ")))
}

/// What agents have used, where they say.
pub(crate) fn spent(state: &State) -> Option<String> {
    let usage = state.usage();
    let budget = state.budget();
    let mut parts = Vec::new();
    if usage.turns > 0 {
        parts.push(match budget.turns {
            Some(most) => format!("{}/{most} turns", usage.turns),
            None => format!("{} turns", usage.turns),
        });
    }
    if usage.cost_micros > 0 {
        let cost = dollars(usage.cost_micros);
        parts.push(match budget.cost_micros {
            Some(most) => format!("${cost:.2}/${:.2}", dollars(most)),
            None => format!("${cost:.2}"),
        });
    }
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// A span of time as people say it.
pub(crate) fn lasted(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", duration.as_secs_f64()),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

fn clock(duration: Duration) -> String {
    let seconds = duration.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// `004-review` → `review`.
pub(crate) fn step_name(key: &str) -> &str {
    let name = key.split('/').next().unwrap_or(key);
    name.split_once('-').map_or(name, |(_, name)| name)
}

/// What a step has done that passes nothing on; `activity` is what it said last.
fn done<'a>(step: &str, activity: &'a str) -> &'a str {
    match step {
        "implement" => "written, and committed",
        // Only the step knows what was there to be looked at.
        "validate" => activity,
        "clean-up" => "nothing is held any more",
        _ => "",
    }
}

fn is_fix(key: &str) -> bool {
    step_name(key) == "fix"
}

fn pad(name: &str) -> String {
    format!("{name:STEP_WIDTH$}")
}

pub(crate) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
