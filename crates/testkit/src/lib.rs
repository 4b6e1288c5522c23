//! Development only: a hermetic environment and real git repositories for tests.
