//! Reads what programs of each language print when a test fails, above all the
//! frames of their stack traces, and selects the place to display.

pub(crate) mod go;
pub(crate) mod java;
pub(crate) mod javascript;
pub(crate) mod python;
pub(crate) mod ruby;
pub(crate) mod rust;
pub(crate) mod trace;
