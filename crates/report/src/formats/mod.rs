//! Reads text output, one format per file, all of the same shape: triggers, a
//! state machine, and captured output with the expected result in
//! `tests/it/cases`.

mod ant_junit;
mod ava;
mod biome;
mod doctest;
mod eslint;
mod go_build;
mod go_output;
mod go_test;
mod gradle;
mod jasmine;
mod java_stack;
mod javac;
mod javascript_stack;
mod jest;
mod json_line;
mod junit4_console;
mod junit5_console;
mod junit_in_text;
mod libtest;
mod maven;
mod minitest;
mod mocha;
mod mypy;
mod nextest;
mod node_test;
mod prettier;
mod prove;
mod pytest;
mod python_formatters;
mod python_lint;
mod python_traceback;
mod rake;
mod rspec;
mod rubocop;
mod ruby_exception;
mod ruby_frames;
mod rust_output;
mod rustc;
mod rustfmt;
mod tally;
mod tap;
mod test_unit;
mod testng;
mod tsc;
mod unittest;
mod vitest;

use crate::format::Format;

/// Every text format, in the order in which they receive a line.
pub(crate) fn all() -> Vec<Box<dyn Format>> {
    vec![
        Box::new(pytest::Pytest::default()),
        Box::new(unittest::Unittest::default()),
        Box::new(doctest::Doctest::default()),
        Box::new(mypy::Mypy::default()),
        Box::new(python_lint::PythonLint::default()),
        Box::new(python_formatters::PythonFormatters::default()),
        Box::new(jest::Jest::default()),
        Box::new(vitest::Vitest::default()),
        Box::new(mocha::Mocha::default()),
        Box::new(node_test::NodeTest::default()),
        Box::new(tap::Tap::default()),
        Box::new(jasmine::Jasmine::default()),
        Box::new(ava::Ava::default()),
        Box::new(prove::Prove::default()),
        Box::new(tsc::Tsc::default()),
        Box::new(eslint::Eslint::default()),
        Box::new(prettier::Prettier::default()),
        Box::new(biome::Biome::default()),
        Box::new(libtest::Libtest::default()),
        Box::new(nextest::Nextest::default()),
        Box::new(rustc::Rustc::default()),
        Box::new(rustfmt::Rustfmt::default()),
        Box::new(go_build::GoBuild::default()),
        Box::new(go_test::GoTest::default()),
        Box::new(junit_in_text::JunitInText::default()),
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
