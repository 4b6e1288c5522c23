//! One format per file, all of the same shape: triggers, a state machine, and
//! captured output with what must be read from it in `tests/it/cases`.

mod ant_junit;
mod gradle;
mod java_stack;
mod javac;
mod junit4_console;
mod junit5_console;
mod maven;
mod minitest;
mod rake;
mod rspec;
mod rubocop;
mod ruby_exception;
mod ruby_frames;
mod test_unit;
mod testng;
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
        Box::new(rubocop::Rubocop::default()),
        Box::new(maven::Surefire::default()),
        Box::new(maven::Build::default()),
        Box::new(gradle::Gradle::default()),
        Box::new(junit4_console::Junit4Console::default()),
        Box::new(junit5_console::Junit5Console::default()),
        Box::new(ant_junit::AntJunit::default()),
        Box::new(testng::TestNg::default()),
        Box::new(javac::Javac::default()),
    ]
}
