//! Reads Go's compiler and `go vet`, alone or before `go test`, and linters that
//! print in the same way: golangci-lint, staticcheck.

mod diagnostic;
mod vet;

use std::collections::HashSet;

use serde::Deserialize;

use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, Session, Sessions};
use crate::text::{Line, TextReader};
use crate::tools::Tool;

use crate::json;
use diagnostic::{Diagnostic, Origin};

pub(super) const TOOL: Tool = Tool {
    diagnostics: &vet::DIAGNOSTICS,
    ..Tool::text::<GoBuild>(
        &["# ", "FAIL\t", "go: ", "=== Errors", "{\"ImportPath\":\""],
        &[".go:"],
    )
};

#[derive(Default)]
struct GoBuild {
    /// One for each run of lines. They are published together, because the
    /// tool's name is only known later.
    sessions: Vec<Session>,
    state: State,
    seen: HashSet<(String, Option<String>, Option<u64>)>,
    /// The tool, if the lines have identified it.
    tool: Option<&'static str>,
    /// Packages whose failure the compiler has explained.
    explained: Vec<String>,
    /// Lines that any tool could have printed, kept until a Go tool is
    /// identified: `go vet` sometimes leaves out the package.
    unclaimed: Vec<(u64, Failure)>,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Below `# package`, or in gotestsum's list of errors.
    Package {
        name: String,
        last: Option<(Failure, Excerpt)>,
    },
    /// A linter's finding; its code follows.
    Finding { last: (Failure, Excerpt) },
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct BuildEvent {
    #[serde(default)]
    action: String,
    #[serde(default)]
    output: String,
}

impl TextReader for GoBuild {
    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, _: &mut Sessions) {
        if line.text.starts_with('{')
            && let Some(event) = json::read_line::<BuildEvent>(line.text)
        {
            if event.action == "build-output" {
                self.tool = Some("go-test");
                let text = event.output.trim_end();
                self.text(text, line.number);
            }
            return;
        }
        // A log may have thousands of these.
        if !self.awake() && line.text.starts_with("go: downloading ") {
            return;
        }
        self.text(line.text, line.number);
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.settle();
        let tool = self.tool;
        for mut session in self.sessions.drain(..) {
            if session.framework == "go-build" {
                session.framework = tool.unwrap_or("go-build");
            }
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl GoBuild {
    fn text(&mut self, text: &str, number: u64) {
        if self.continues(text, number) {
            return;
        }
        if let Some(package) = diagnostic::package_header(text) {
            self.settle();
            if package.starts_with('[') {
                self.tool.get_or_insert("go-vet");
                self.claim(number);
            }
            self.state = State::Package {
                name: package.trim_matches(['[', ']']).to_owned(),
                last: None,
            };
        } else if text == "=== Errors" {
            self.settle();
            self.tool = Some("gotestsum");
            self.state = State::Package {
                name: String::new(),
                last: None,
            };
        } else if let Some(package) = diagnostic::not_built(text) {
            self.not_built(package, text, number);
        } else if let Some(diagnostic) = Diagnostic::read(text) {
            self.diagnostic(&diagnostic, text, number);
        } else {
            self.settle();
            self.state = State::Outside;
            if let Some(failure) = diagnostic::module_error(text) {
                self.add(failure, "go-build", number);
            }
        }
    }

    /// Whether the line continues the previous diagnostic.
    fn continues(&mut self, text: &str, number: u64) -> bool {
        let (State::Package {
            last: Some(last), ..
        }
        | State::Finding { last }) = &mut self.state
        else {
            return false;
        };
        if !text.starts_with(['\t', ' ']) {
            return false;
        }
        last.1.push(text);
        if let Some(session) = self.sessions.last_mut() {
            session.lines.1 = number;
        }
        true
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic<'_>, text: &str, number: u64) {
        let below_package = matches!(self.state, State::Package { .. });
        let origin = diagnostic.origin(below_package);
        self.settle();
        let Some(origin) = origin else {
            self.state = State::Outside;
            self.unclaimed(diagnostic, text, number);
            return;
        };
        if diagnostic.is_vet {
            self.tool.get_or_insert("go-vet");
        }
        let (framework, name) = match origin {
            Origin::Compiler => ("go-build", diagnostic.message),
            Origin::Linter { tool, rule } => (tool, rule),
        };
        self.open(framework, number);
        let failure = Failure::named(name).at(diagnostic.file, Some(diagnostic.line));
        let mut error = Excerpt::default();
        error.push(text);
        match &mut self.state {
            State::Package { name, last } => {
                if self.explained.len() < 1_000 {
                    self.explained.push(name.clone());
                }
                *last = Some((failure, error));
            }
            state => {
                *state = State::Finding {
                    last: (failure, error),
                }
            }
        }
    }

    fn unclaimed(&mut self, diagnostic: &Diagnostic<'_>, text: &str, number: u64) {
        const MAX_UNCLAIMED: usize = 100;
        if diagnostic.has_column && self.unclaimed.len() < MAX_UNCLAIMED {
            let failure = Failure::named(diagnostic.message)
                .at(diagnostic.file, Some(diagnostic.line))
                .because(text);
            self.unclaimed.push((number, failure));
        }
    }

    /// `go vet` was identified: the lines shortly before are its own.
    fn claim(&mut self, number: u64) {
        const NEAR: u64 = 30;
        for (at, failure) in std::mem::take(&mut self.unclaimed) {
            if at + NEAR >= number {
                self.add(failure, "go-build", at);
            }
        }
    }

    /// `FAIL\tpkg [build failed]`: only a failure if the compiler's errors were
    /// not seen.
    fn not_built(&mut self, package: &str, text: &str, number: u64) {
        self.settle();
        self.state = State::Outside;
        self.tool.get_or_insert("go-test");
        if self.tool == Some("go-vet") {
            self.tool = Some("go-test");
        }
        if !self.explained.iter().any(|known| known == package) {
            self.add(Failure::named(package).because(text), "go-build", number);
        }
    }

    fn add(&mut self, failure: Failure, framework: &'static str, number: u64) {
        self.open(framework, number);
        self.keep(failure);
    }

    /// The session that a line belongs to: the last one, if it is near.
    fn open(&mut self, framework: &'static str, number: u64) {
        const GAP: u64 = 5;
        let near = |last: &Session| last.framework == framework && number <= last.lines.1 + GAP;
        if !self.sessions.last().is_some_and(near) {
            let mut session = Session::for_diagnostics(framework, number);
            session.evidence = Evidence::Summary;
            session.broke = true;
            self.sessions.push(session);
        }
        if let Some(session) = self.sessions.last_mut() {
            session.lines.1 = number;
        }
    }

    fn keep(&mut self, failure: Failure) {
        const MAX_REMEMBERED: usize = 10_000;
        let key = (failure.name.clone(), failure.file.clone(), failure.line);
        if self.seen.len() < MAX_REMEMBERED
            && self.seen.insert(key)
            && let Some(session) = self.sessions.last_mut()
        {
            session.add(failure);
        }
    }

    /// The current diagnostic is complete.
    fn settle(&mut self) {
        let last = match &mut self.state {
            State::Outside => None,
            State::Package { last, .. } => last.take(),
            State::Finding { .. } => match std::mem::take(&mut self.state) {
                State::Finding { last } => Some(last),
                _ => None,
            },
        };
        if let Some((failure, error)) = last {
            self.keep(failure.because(error.text()));
        }
    }
}
