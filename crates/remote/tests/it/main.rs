//! Integration tests of `baton-remote`.

mod github;
