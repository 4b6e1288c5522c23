//! Reads busted, of Lua.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Busted>>(
    &["Failure → ", "Error → ", "Failure -> ", "Error -> "],
    &[" failure"],
);

#[derive(Default)]
struct Busted {
    /// The next line is the name of a test that failed here.
    place: Option<(String, u64)>,
}

impl Dialect for Busted {
    const FRAMEWORK: &'static str = "busted";

    fn event(&mut self, text: &str) -> Event {
        if let Some(place) = self.place.take() {
            return Event::Failed(Failure::named(text).at_place(Some(place)));
        }
        let numbers = text.split(" : ").next().unwrap_or(text);
        if (numbers.contains(" successes / ") || numbers.contains(" success / "))
            && let Some(totals) = Totals::read(numbers)
        {
            return Event::Totals(totals);
        }
        let heading = text.split_once(" → ").or_else(|| text.split_once(" -> "));
        match heading {
            Some(("Failure" | "Error", at)) => {
                self.place = at
                    .split_once(" @ ")
                    .and_then(|(file, line)| Some((file.to_owned(), line.parse().ok()?)));
                Event::Other
            }
            Some(("Pending", _)) => Event::Other,
            _ => Event::Text,
        }
    }
}
