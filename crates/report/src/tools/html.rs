//! Reads the HTML that `RSpec` (`--format html`) and Mocha (`doc`) print. Neither is
//! well-formed, but each element is on a line of its own.

use super::Tool;
use crate::documents::Document;
use crate::session::{self, Evidence, Failure, Session};
use crate::stack::trace;
use crate::xml::unescaped;

pub(super) const RSPEC: Tool = tool("html");
pub(super) const MOCHA: Tool = tool("section");

const fn tool(root: &'static str) -> Tool {
    Tool {
        document: Some(Document::Xml {
            root,
            read: document,
        }),
        ..Tool::NONE
    }
}

#[derive(Default)]
struct Page {
    is_rspec: bool,
    /// The titles of the suites around the current line.
    suites: Vec<String>,
    depth: usize,
    passed: u64,
    skipped: u64,
    /// The name of the failed test, its file and its error.
    open: Option<(String, Option<String>, String)>,
    /// The next line has the file of a test of Mocha.
    has_title: bool,
    failures: Vec<Failure>,
}

fn document(text: &str) -> Vec<Session> {
    let mut page = Page::default();
    for line in text.lines() {
        let bare = line.trim();
        if page.is_rspec || bare.contains("<title>RSpec results</title>") {
            page.is_rspec = true;
            page.rspec(bare);
        } else {
            page.mocha(bare);
        }
    }
    page.close();
    let framework = if page.is_rspec { "rspec" } else { "mocha" };
    let mut session = Session::new(framework, 1);
    session.evidence = Evidence::Complete;
    let failed = page.failures.len() as u64;
    session.counts = session::counts(page.passed, failed, 0, page.skipped);
    page.failures
        .into_iter()
        .for_each(|failure| session.add(failure));
    if session.counts.run == 0 {
        return Vec::new();
    }
    vec![session]
}

impl Page {
    fn rspec(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("<dl style=\"margin-left: ") {
            let pixels = rest
                .split("px")
                .next()
                .and_then(|number| number.parse().ok());
            // Each level is indented by 15 pixels.
            self.depth = pixels.map_or(0, |pixels: usize| pixels / 15);
        } else if line.starts_with("<dt id=\"example_group_") {
            self.suites.truncate(self.depth);
            self.suites.push(content(line));
        } else if line.starts_with("<dd class=\"example passed\"") {
            self.passed += 1;
        } else if line.starts_with("<dd class=\"example not_implemented\"") {
            self.skipped += 1;
        } else if line.starts_with("<span class=\"failed_spec_name\">") {
            self.begin(content(line));
        } else if line == "</dd>" || line.starts_with("<pre class=\"ruby\">") {
            self.close();
        } else {
            self.explain(line);
        }
    }

    fn mocha(&mut self, line: &str) {
        match line {
            "<section class=\"suite\">" => self.close(),
            "</section>" => {
                self.close();
                self.suites.pop();
            }
            _ if line.starts_with("<h1>") => self.suites.push(content(line)),
            _ if line.starts_with("<dt") && self.has_title => {
                // The second one of a test is its file.
                self.has_title = false;
                if let Some((_, file, _)) = &mut self.open {
                    *file = Some(content(line));
                }
            }
            _ if line.starts_with("<dt") => {
                self.close();
                self.has_title = true;
                if line.starts_with("<dt class=\"error\">") {
                    self.begin(content(line));
                } else {
                    self.passed += 1;
                }
            }
            _ => self.explain(line),
        }
    }

    fn begin(&mut self, title: String) {
        self.close();
        let mut parts = self.suites.clone();
        parts.push(title);
        self.open = Some((parts.join(" "), None, String::new()));
    }

    fn explain(&mut self, line: &str) {
        const MAX_BYTES: usize = 16 << 10;
        if let Some((_, _, error)) = &mut self.open
            && error.len() < MAX_BYTES
            && !line.contains("<code>")
        {
            error.push_str(&content(line));
            error.push('\n');
        }
    }

    fn close(&mut self) {
        if let Some((name, file, error)) = self.open.take() {
            let failure = Failure::named(name).because(trace::error("", &error));
            self.failures
                .push(trace::placed(failure, &error, file, None));
        }
    }
}

/// The text of a line without its tags.
fn content(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        // A `<` that opens no tag is text.
        match after.split_once('>') {
            Some((_, after)) => rest = after,
            None => rest = "",
        }
    }
    text.push_str(rest);
    unescaped(&text.replace("&#39;", "'").replace("&quot;", "\""))
}
