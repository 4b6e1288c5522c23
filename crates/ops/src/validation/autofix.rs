//! The formatter and the linter: check, mend, look again, until it passes or
//! nothing changes any more.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use baton_protocol::detection::{Candidate, FallbackWhen};
use baton_protocol::phase::validation_details::{AttemptPurpose, ToolDetails};

use super::attempt::{self, Attempt, Bench, Verdict};
use super::changed_files::ChangedFiles;
use super::guard::Guard;
use super::outcome::Mended;
use super::tool::Invocation;
use super::{Check, Event};

pub(super) struct Task<'a> {
    pub(super) bench: Bench<'a>,
    pub(super) command: &'a Candidate,
    pub(super) fix: Option<&'a Candidate>,
    pub(super) change: &'a ChangedFiles,
    pub(super) max_retries: u64,
    pub(super) pause: Duration,
}

/// The first attempt, and what is needed to go on.
pub(super) struct First {
    started: Instant,
    invocation: Invocation,
    guard: Option<Guard>,
    last: Attempt,
    details: ToolDetails,
}

impl Task<'_> {
    /// Both steps, for a check that nothing overlaps with.
    pub(super) async fn run(&self) -> Mended {
        let first = self.first().await;
        self.finish(first).await
    }

    /// Looks once, with the first of the commands that is there.
    pub(super) async fn first(&self) -> First {
        let started = Instant::now();
        let bench = self.bench;
        bench.cx.emit(Event::Started {
            check: bench.check,
            command: &self.command.command,
        });
        let mut details = ToolDetails {
            command_reason: Some(self.command.reason.clone()),
            fix_command: self.fix.map(|fix| fix.command.clone()),
            fix_reason: self.fix.map(|fix| fix.reason.clone()),
            ..ToolDetails::default()
        };
        let mut invocation = Invocation::for_candidate(self.command, bench.folder);
        let mut guard = None;
        if !invocation.only_reads {
            guard = Some(Guard::begin(bench.folder, &bench.cx.environment).await);
        }
        let mut last = self.check(&invocation, &mut details).await;
        let fallbacks = self.command.fallbacks.iter();
        for fallback in fallbacks.filter(|fallback| fallback.when == FallbackWhen::NotFound) {
            if last.verdict != Verdict::Missing {
                break;
            }
            let other = Invocation::parse(&fallback.command, bench.folder);
            let attempt = self.check(&other, &mut details).await;
            if attempt.verdict != Verdict::Missing {
                (last, invocation) = (attempt, other);
            }
        }
        First {
            started,
            invocation,
            guard,
            last,
            details,
        }
    }

    /// Whether another attempt is going to be made, with the tree mended before.
    pub(super) fn goes_on_after(&self, first: &First) -> bool {
        first.last.verdict == Verdict::Failed && self.max_retries > 0
    }

    /// Mends and looks again.
    pub(super) async fn finish(&self, first: First) -> Mended {
        let First {
            started,
            invocation,
            mut guard,
            mut last,
            mut details,
        } = first;
        let mut retry_count = 0;
        if last.verdict == Verdict::Failed && self.max_retries > 0 {
            let guard = match &mut guard {
                Some(guard) => guard,
                none => {
                    none.insert(Guard::begin(self.bench.folder, &self.bench.cx.environment).await)
                }
            };
            let mut state = guard.state().await;
            while last.verdict == Verdict::Failed && retry_count < self.max_retries {
                if !self.wait().await {
                    break;
                }
                retry_count += 1;
                self.mend(&mut details).await;
                let next = self.check(&invocation, &mut details).await;
                let state_now = guard.state().await;
                let nothing_changed = state_now == state && next.issues == last.issues;
                (last, state) = (next, state_now);
                if nothing_changed {
                    break;
                }
            }
        }
        let mut rewrote_the_change = false;
        if let Some(guard) = guard {
            let undone = guard.undo_outside(self.change).await;
            details.restored = undone.restored;
            details.created = undone.created;
            details.notes.extend(undone.notes);
            rewrote_the_change = guard.is_changed().await;
        }
        details.tool = invocation.tool.map(|tool| tool.name().to_owned());
        details.diagnostics.clone_from(&last.diagnostics);
        details.missing = last.verdict == Verdict::Missing;
        Mended {
            passed: last.verdict == Verdict::Passed,
            issues: self.told(&last, &invocation),
            retry_count,
            command: invocation.command.clone(),
            elapsed: started.elapsed(),
            details,
            rewrote_the_change,
            last: Some((invocation, last)),
        }
    }

    async fn check(&self, invocation: &Invocation, details: &mut ToolDetails) -> Attempt {
        let run = invocation.on(self.change, self.bench.folder);
        let attempt = attempt::run(self.bench, invocation, &run, AttemptPurpose::Check).await;
        details.attempts.push(attempt.record.clone());
        attempt
    }

    /// Whether it helped is seen by looking again.
    async fn mend(&self, details: &mut ToolDetails) {
        let Some(fix) = self.fix else {
            return;
        };
        self.bench.cx.emit(Event::Autofix {
            check: self.bench.check,
            command: &fix.command,
        });
        let invocation = Invocation::for_candidate(fix, self.bench.folder);
        let run = invocation.on(self.change, self.bench.folder);
        let attempt = attempt::run(self.bench, &invocation, &run, AttemptPurpose::Fix).await;
        details.attempts.push(attempt.record);
    }

    /// False when cancelled meanwhile.
    async fn wait(&self) -> bool {
        self.bench.cx.emit(Event::Waiting {
            check: self.bench.check,
            pause: self.pause,
        });
        tokio::select! {
            () = tokio::time::sleep(self.pause) => true,
            () = self.bench.cancel.cancelled() => false,
        }
    }

    fn told(&self, last: &Attempt, invocation: &Invocation) -> Vec<String> {
        match last.verdict {
            Verdict::Missing => vec![missing(self.bench, invocation)],
            _ => last.issues.clone(),
        }
    }
}

/// What to do about a tool that is not there.
pub(super) fn missing(bench: Bench<'_>, invocation: &Invocation) -> String {
    let field = field_of(bench.check);
    let install = match invocation.tool {
        Some(tool) => install_hint(tool),
        None => "Install what it needs",
    };
    let command = &invocation.command;
    let how = match without_interpreter(bench, command) {
        Some(reason) => format!("cannot be started: {reason}"),
        None => "was not found on this machine".to_owned(),
    };
    format!("`{command}` {how}. {install}, or give another `{field}`.")
}

/// What a caller names another command with.
pub(super) fn field_of(check: Check) -> &'static str {
    match check {
        Check::Formatter => "format_command",
        Check::Linter => "lint_command",
        _ => "build_command",
    }
}

/// A script that is there, and what it asks for is not. A shell says the same
/// of it as of a script that is missing.
fn without_interpreter(bench: Bench<'_>, command: &str) -> Option<String> {
    const MAX_LINE_LEN: u64 = 512;
    let program = command.split_whitespace().next()?;
    let script = if program.contains('/') {
        bench.folder.join(program)
    } else {
        bench.cx.environment.find_program(program)?
    };
    let mut start = Vec::new();
    let file = File::open(&script).ok()?;
    file.take(MAX_LINE_LEN).read_to_end(&mut start).ok()?;
    let text = String::from_utf8_lossy(&start);
    let line = text.strip_prefix("#!")?.lines().next()?;
    let interpreter = line.split_whitespace().next()?;
    let is_gone = !Path::new(interpreter).exists();
    is_gone.then(|| {
        let script = script.display();
        format!("{script} asks for the interpreter {interpreter}, which is not there")
    })
}

fn install_hint(tool: baton_report::diagnostics::Tool) -> &'static str {
    use baton_report::diagnostics::Tool;
    match tool {
        Tool::Prettier => "Install it with `npm install --save-dev prettier`",
        Tool::Eslint => "Install it with `npm install --save-dev eslint`",
        Tool::Biome => "Install it with `npm install --save-dev @biomejs/biome`",
        Tool::Tsc => "Install it with `npm install --save-dev typescript`",
        Tool::Black => "Install it with `pip install black`",
        Tool::Ruff | Tool::RuffFormat => "Install it with `pip install ruff`",
        Tool::Mypy => "Install it with `pip install mypy`",
        Tool::Gofmt | Tool::GoVet | Tool::GoBuild => "Install Go from https://go.dev/dl",
        Tool::GolangciLint => "Install it from https://golangci-lint.run",
        Tool::Rustfmt => "Install it with `rustup component add rustfmt`",
        Tool::Clippy => "Install it with `rustup component add clippy`",
        Tool::CargoBuild => "Install Rust from https://rustup.rs",
        Tool::Rubocop => "Install it with `gem install rubocop`",
        Tool::Checkstyle | Tool::Spotless => "Add its plugin to the build",
        Tool::Javac => "Install a JDK",
        Tool::Maven => "Install Maven from https://maven.apache.org",
        Tool::Gradle => "Install Gradle from https://gradle.org",
        Tool::Plain => "Install it with the language's package manager",
    }
}
