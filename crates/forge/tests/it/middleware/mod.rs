//! What every request meets before its handler and every answer after it.

mod conditional;
mod connections;
mod faults;
mod headers;
mod hosts;
mod limits;
mod refusals;
