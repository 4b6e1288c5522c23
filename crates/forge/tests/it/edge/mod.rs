//! What every request meets before its handler and every answer after it.

mod conditional;
mod faults;
mod headers;
mod limits;
mod refusals;
