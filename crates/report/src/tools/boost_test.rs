//! Reads Boost.Test.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<BoostTest>>(&["Running ", "*** "], &[]);

#[derive(Default)]
struct BoostTest;

impl Dialect for BoostTest {
    const FRAMEWORK: &'static str = "boost-test";

    fn event(&mut self, text: &str) -> Event {
        if text.starts_with("Running ")
            && (text.ends_with(" test cases...") || text.ends_with(" test case..."))
        {
            let total = text
                .split(' ')
                .nth(1)
                .and_then(|number| number.parse().ok());
            return Event::Totals(Totals {
                total,
                ..Totals::default()
            });
        }
        if let Some((at, rest)) = text.split_once("error: in \"")
            && let Some((name, message)) = rest.split_once('"')
        {
            let mut failure = Failure::named(name).because(message.trim_start_matches([':', ' ']));
            if let Some((file, line)) = at
                .trim()
                .strip_suffix("):")
                .and_then(|at| at.rsplit_once('('))
                && let Ok(line) = line.parse()
            {
                failure = failure.at(file, Some(line));
            }
            return Event::Failed(failure);
        }
        if text.starts_with("*** ")
            && (text.contains("detected in the test ") || text.contains("No errors detected"))
        {
            return Event::End(Totals::default());
        }
        Event::Text
    }
}
