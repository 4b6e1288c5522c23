#![expect(
    clippy::unwrap_used,
    reason = "a test helper that cannot go on fails its test"
)]

mod arbitrary;
mod cases;
mod hostile;
mod round_trips;
mod schemas;
mod templates;
mod words;
