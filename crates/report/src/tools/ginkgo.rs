//! Reads Ginkgo, of Go.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::place;
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Ginkgo>>(
    &[
        "Running Suite: ",
        "[Fail] ",
        "[FAIL] ",
        "[FAILED] ",
        "[PANICKED!] ",
        "[Panic!] ",
        "[It] ",
    ],
    &[],
);

#[derive(Default)]
struct Ginkgo {
    in_summary: bool,
    /// A title of the summary, whose place follows on the next line.
    title: Option<String>,
}

impl Dialect for Ginkgo {
    const FRAMEWORK: &'static str = "ginkgo";

    fn event(&mut self, text: &str) -> Event {
        let bare = text.trim();
        if let Some(title) = self.title.take() {
            let place = place::leading(bare).map(|(file, line, _)| (file.to_owned(), line));
            return Event::Failed(Failure::named(title).at_place(place));
        }
        if text.starts_with("Running Suite: ") {
            self.in_summary = false;
            return Event::Begin;
        }
        if bare.starts_with("Summarizing ") {
            self.in_summary = true;
            return Event::Other;
        }
        if self.in_summary
            && let Some((_, title)) = bare
                .strip_prefix('[')
                .and_then(|text| text.split_once("] "))
        {
            let (title, at) = match title.rsplit_once(' ') {
                Some((title, at)) if place::leading(at).is_some() => (title, Some(at)),
                _ => (title, None),
            };
            let title = without_nodes(title);
            match at.and_then(place::leading) {
                Some((file, line, _)) => {
                    return Event::Failed(Failure::named(title).at(file, Some(line)));
                }
                None => self.title = Some(title),
            }
            return Event::Other;
        }
        if let Some((_, numbers)) = text.split_once("! -- ")
            && let Some(totals) = Totals::read(numbers)
        {
            return Event::Totals(totals);
        }
        // The one Go test that runs the suite.
        if text.starts_with("--- FAIL: ") || text.starts_with("--- PASS: ") || text == "FAIL" {
            return Event::Other;
        }
        Event::Text
    }
}

/// `Cart [It] sums up` is `Cart sums up`, as `--focus` takes it.
fn without_nodes(title: &str) -> String {
    let is_node = |word: &&str| {
        !(word.starts_with('[')
            && word.ends_with(']')
            && matches!(
                &word[1..word.len() - 1],
                "It" | "BeforeEach" | "AfterEach" | "JustBeforeEach" | "BeforeSuite" | "AfterSuite"
            ))
    };
    title
        .split(' ')
        .filter(is_node)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_summary_names_what_failed() {
        let lines = [
            "Running Suite: Shop Suite - /home/dev/app/shop",
            "==============================================",
            "",
            "•",
            "------------------------------",
            "• [FAILED] [0.001 seconds]",
            "Cart with a voucher [It] sums up",
            "/home/dev/app/shop/cart_test.go:14",
            "",
            "  [FAILED] Expected",
            "      <int>: 2",
            "  to equal",
            "      <int>: 3",
            "  In [It] at: /home/dev/app/shop/cart_test.go:15 @ 11/14/23 10:00:00.001",
            "------------------------------",
            "P [PENDING]",
            "Cart is for later",
            "/home/dev/app/shop/cart_test.go:20",
            "------------------------------",
            "•",
            "",
            "Summarizing 1 Failure:",
            "  [FAIL] Cart with a voucher [It] sums up",
            "  /home/dev/app/shop/cart_test.go:15",
            "",
            "Ran 3 of 4 Specs in 0.002 seconds",
            "FAIL! -- 2 Passed | 1 Failed | 1 Pending | 0 Skipped",
            "--- FAIL: TestShop (0.00s)",
            "FAIL",
            "",
            "Ginkgo ran 1 suite in 2.1s",
            "",
            "Test Suite Failed",
        ];
        let report = crate::read(lines.join("\n").as_bytes());
        let counts = report.counts;
        assert_eq!((counts.passed, counts.failed, counts.skipped), (2, 1, 1));
        let failure = &report.failures[0];
        assert_eq!(failure.name, "Cart with a voucher sums up");
        let place = (failure.file.as_deref(), failure.line);
        assert_eq!(place, (Some("/home/dev/app/shop/cart_test.go"), Some(15)));
        assert_eq!(report.failures.len(), 1);
    }
}
