//! One format per file, all of the same shape: triggers, a state machine, and
//! captured output with what must be read from it in `tests/it/cases`.

mod go_build;
mod go_output;
mod go_test;
mod json_line;
mod libtest;
mod nextest;
mod rust_output;
mod rustc;
mod rustfmt;
mod unittest;

use crate::format::Format;

/// Every text format, in the order in which they see a line.
pub(crate) fn all() -> Vec<Box<dyn Format>> {
    vec![
        Box::new(unittest::Unittest::default()),
        Box::new(libtest::Libtest::default()),
        Box::new(nextest::Nextest::default()),
        Box::new(rustc::Rustc::default()),
        Box::new(rustfmt::Rustfmt::default()),
        Box::new(go_build::GoBuild::default()),
        Box::new(go_test::GoTest::default()),
    ]
}
