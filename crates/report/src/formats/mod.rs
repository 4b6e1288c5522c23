//! One format per file, all of the same shape: triggers, a state machine, and
//! captured output with what must be read from it in `tests/it/cases`.

mod junit_in_text;
mod unittest;

use crate::format::Format;

/// Every text format, in the order in which they see a line.
pub(crate) fn all() -> Vec<Box<dyn Format>> {
    vec![
        Box::new(junit_in_text::JunitInText::default()),
        Box::new(unittest::Unittest::default()),
    ]
}
