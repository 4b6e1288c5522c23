//! One format per file, all of the same shape: triggers, a state machine, and
//! captured output with what must be read from it in `tests/it/cases`.

mod doctest;
mod mypy;
mod pytest;
mod python_formatters;
mod python_lint;
mod python_traceback;
mod unittest;

use crate::format::Format;

/// Every text format, in the order in which they see a line.
pub(crate) fn all() -> Vec<Box<dyn Format>> {
    vec![
        Box::new(pytest::Pytest::default()),
        Box::new(unittest::Unittest::default()),
        Box::new(doctest::Doctest::default()),
        Box::new(mypy::Mypy::default()),
        Box::new(python_lint::PythonLint::default()),
        Box::new(python_formatters::PythonFormatters::default()),
    ]
}
