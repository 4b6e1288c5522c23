//! Reads shUnit2.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool =
    Tool::text::<Console<Shunit2>>(&["ASSERT:", "shunit2:ERROR ", "test"], &[]);

#[derive(Default)]
struct Shunit2 {
    /// The test that is running, and how many ran and failed.
    test: String,
    tests: u64,
    failed: u64,
}

impl Dialect for Shunit2 {
    const FRAMEWORK: &'static str = "shunit2";

    fn event(&mut self, text: &str) -> Event {
        if is_function(text) {
            text.clone_into(&mut self.test);
            self.tests += 1;
            return Event::Text;
        }
        if let Some(message) = text.strip_prefix("ASSERT:")
            && !self.test.is_empty()
        {
            let name = std::mem::take(&mut self.test);
            self.failed += 1;
            return Event::Failed(Failure::named(name).because(message));
        }
        // The number of failures is that of assertions.
        if (text == "OK" || text.starts_with("FAILED (failures=")) && self.tests > 0 {
            let totals = Totals {
                total: Some(self.tests),
                failed: Some(self.failed),
                ..Totals::default()
            };
            *self = Self::default();
            return Event::End(totals);
        }
        Event::Text
    }
}

/// The name of a test, alone on a line: `testSumsUp`, `test_sums_up`.
fn is_function(text: &str) -> bool {
    let rest = text.strip_prefix("test");
    rest.is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && rest
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}
