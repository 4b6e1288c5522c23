//! What happens around the tests.
