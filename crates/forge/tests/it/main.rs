//! A real forge on a free port, asked over HTTP and with the real git.

mod issues;
mod smart_http;
mod users;
mod world;
