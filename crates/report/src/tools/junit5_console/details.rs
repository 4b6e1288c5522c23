//! Reads the launcher's modes that print each failure where it happens and list
//! none at the end: `verbose`, `flat` and `testfeed`.

use crate::excerpt::Excerpt;
use crate::session::Failure;
use crate::stack::java::Trace;

/// Collects failures from the lines about each test.
#[derive(Default)]
pub(super) struct Details {
    pub(super) failures: Vec<Failure>,
    test: Option<Test>,
    /// The last reported test, whose parent may fail after it.
    parent: Option<String>,
    /// A line that introduces the next lines.
    heading: String,
    block: Option<Block>,
}

/// What is known of a test before it is known to have failed.
struct Test {
    id: String,
    display_name: String,
}

struct Block {
    name: String,
    class: Option<String>,
    method: Option<String>,
    error: Excerpt,
    trace: Trace,
    aborted: bool,
}

const MAX_FAILURES: usize = 10_000;

impl Details {
    pub(super) fn line(&mut self, text: &str) {
        let inner = without_tree(text);
        if let Some(rest) = text.strip_prefix("Finished:") {
            self.close();
            self.test = Test::flat(rest.trim());
        } else if starts_flat_line(text) {
            self.close();
            self.test = None;
        } else if let Some(message) = inner.strip_prefix("=> Exception: ") {
            self.open(message);
        } else if text.ends_with(" :: FAILED") || text.ends_with(" :: ABORTED") {
            self.close();
            self.block = Block::fed(text);
        } else if text.contains(" > ") && text.contains(" :: ") {
            self.close();
        } else {
            self.verbose(text, inner);
        }
    }

    pub(super) fn close(&mut self) {
        if let Some(block) = self.block.take()
            && !block.aborted
            && self.failures.len() < MAX_FAILURES
        {
            self.failures.push(block.failure());
        }
    }

    /// Lines such as `│  │  │     caught: java.lang.AssertionError: no`.
    fn verbose(&mut self, text: &str, inner: &str) {
        if let Some(id) = inner.strip_prefix("uniqueId: ") {
            self.test = Some(Test {
                id: id.to_owned(),
                display_name: std::mem::take(&mut self.heading),
            });
        } else if let Some(id) = inner.strip_prefix("parent: ") {
            self.parent = Some(id.to_owned());
        } else if let Some(message) = inner.strip_prefix("caught: ") {
            self.close();
            if self.test.is_none() {
                self.test = self.parent.take().map(|id| Test {
                    id,
                    display_name: String::new(),
                });
            }
            self.open(message);
        } else if inner.starts_with("duration: ") || inner.starts_with("status: ") {
            self.close();
            self.test = None;
        } else if inner.ends_with(" ms.") && inner.contains(" finished after ") {
            self.close();
        } else if inner.starts_with("tags: ") {
            // This line is between the heading and the text that belongs to it.
        } else if let Some(block) = &mut self.block {
            block.line(if inner.len() < text.len() {
                inner
            } else {
                text
            });
        } else {
            inner.clone_into(&mut self.heading);
        }
    }

    fn open(&mut self, message: &str) {
        if let Some(test) = &self.test {
            let mut block = test.block();
            block.error.push(message);
            block.aborted = is_abortion(message);
            self.block = Some(block);
        }
    }
}

impl Test {
    /// `counts() ([engine:junit-jupiter]/[class:org.a.BTest]/[method:counts()])`
    fn flat(text: &str) -> Option<Self> {
        let (display_name, id) = text.strip_suffix(')')?.split_once(" ([")?;
        Some(Self {
            id: format!("[{id}"),
            display_name: display_name.to_owned(),
        })
    }

    /// The unique identifier contains class and method. For one of several
    /// invocations it only has the number, but the name is printed.
    fn block(&self) -> Block {
        let mut class: Option<String> = None;
        let mut method = None;
        let mut is_invocation = false;
        for part in self.id.split("/[") {
            let part = part.trim_start_matches('[');
            let part = part.strip_suffix(']').unwrap_or(part);
            let Some((kind, value)) = part.split_once(':') else {
                continue;
            };
            match kind {
                "class" | "runner" => class = Some(value.to_owned()),
                "nested-class" => {
                    class = class.map(|class| format!("{class}${value}"));
                }
                "method" | "test-template" | "test-factory" | "test" => {
                    method = value.split('(').next().map(str::to_owned);
                }
                "test-template-invocation" | "dynamic-test" | "dynamic-container" => {
                    is_invocation = true;
                }
                _ => {}
            }
        }
        let mut name = match (&class, &method) {
            (Some(class), Some(method)) => format!("{class}.{method}"),
            (Some(class), None) => class.clone(),
            _ => self.display_name.clone(),
        };
        if is_invocation {
            name = format!("{name} {}", self.display_name);
        }
        Block {
            name,
            class,
            method,
            error: Excerpt::default(),
            trace: Trace::default(),
            aborted: false,
        }
    }
}

impl Block {
    /// `JUnit Jupiter > StockTest > counts() :: FAILED`
    fn fed(text: &str) -> Option<Self> {
        let (path, verdict) = text.rsplit_once(" :: ")?;
        let (_, name) = path.split_once(" > ")?;
        let class = name.split(" > ").next()?;
        let method = name.rsplit(" > ").next()?.split('(').next()?;
        Some(Self {
            name: name.to_owned(),
            class: Some(class.to_owned()),
            method: Some(method.to_owned()),
            error: Excerpt::default(),
            trace: Trace::default(),
            aborted: verdict == "ABORTED",
        })
    }

    fn line(&mut self, text: &str) {
        self.trace
            .line(text, self.class.as_deref(), self.method.as_deref());
        self.error.push(text);
    }

    fn failure(self) -> Failure {
        let failure = Failure::named(self.name).because(self.error.text());
        self.trace.placed(failure, self.class.as_deref())
    }
}

fn is_abortion(message: &str) -> bool {
    message.starts_with("org.opentest4j.TestAbortedException")
        || message.starts_with("org.junit.AssumptionViolatedException")
        || message.starts_with("org.junit.internal.AssumptionViolatedException")
}

fn starts_flat_line(text: &str) -> bool {
    ["Started:", "Skipped:", "Reported:", "Registered:"]
        .iter()
        .any(|start| text.starts_with(start))
        || text == "Test execution finished."
}

/// A line without the tree's branches.
fn without_tree(text: &str) -> &str {
    let branches = |c: char| {
        matches!(
            c,
            '│' | '├' | '└' | '─' | '╷' | '|' | '+' | '\'' | '-' | ' '
        )
    };
    text.trim_start_matches(branches)
}
