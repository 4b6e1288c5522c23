//! One format per file, all of the same shape: triggers, a state machine, and
//! captured output with what must be read from it in `tests/it/cases`.

mod minitest;
mod rake;
mod rspec;
mod ruby_exception;
mod ruby_frames;
mod test_unit;
mod unittest;

use crate::format::Format;

/// Every text format, in the order in which they see a line.
pub(crate) fn all() -> Vec<Box<dyn Format>> {
    vec![
        Box::new(unittest::Unittest::default()),
        Box::new(rspec::Rspec::default()),
        Box::new(minitest::Minitest::default()),
        Box::new(test_unit::TestUnit::default()),
        Box::new(ruby_exception::RubyException::default()),
        Box::new(rake::Rake::default()),
    ]
}
