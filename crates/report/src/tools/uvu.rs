//! Reads uvu.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Uvu>>(&["FAIL  ", "• ", "✘ ", "Total:  "], &[]);

#[derive(Default)]
struct Uvu;

impl Dialect for Uvu {
    const FRAMEWORK: &'static str = "uvu";

    fn event(&mut self, text: &str) -> Event {
        let bare = text.trim();
        if let Some(rest) = text.strip_prefix("   FAIL  ") {
            let title = rest.split_once('"').and_then(|(suite, test)| {
                let title = test.strip_suffix('"')?;
                Some(format!("{} {title}", suite.trim()).trim().to_owned())
            });
            if let Some(title) = title {
                return Event::Failed(Failure::named(title));
            }
        }
        if bare.starts_with("Duration:") {
            return Event::End(Totals::default());
        }
        let is_sum = ["Total: ", "Passed: ", "Skipped: "]
            .iter()
            .any(|label| bare.starts_with(label));
        if is_sum
            && text.starts_with("  ")
            && let Some(totals) = Totals::read(text)
        {
            return Event::Totals(totals);
        }
        if is_tally(bare) {
            return Event::Other;
        }
        Event::Text
    }
}

/// `cart  • ✘ ✘   (1 / 3)`
fn is_tally(text: &str) -> bool {
    let Some((marks, numbers)) = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once("  ("))
    else {
        return false;
    };
    marks.contains(['•', '✘']) && numbers.contains(" / ")
}
