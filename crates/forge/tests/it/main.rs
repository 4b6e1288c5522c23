//! A real forge on a free port, asked over HTTP and with the real git.

mod git_data;
mod issues;
mod repositories;
mod search;
mod smart_http;
mod users;
mod world;
