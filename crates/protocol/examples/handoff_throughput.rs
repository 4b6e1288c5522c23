//! How fast handoffs are read and written, as one line of JSON.
//!
//! `handoff_throughput FILE` reads the XML document in FILE again and again for
//! about a second, then writes it for as long. `cargo xtask bench` compares the
//! result with other XML readers on the same bytes.

use std::hint::black_box;
use std::time::{Duration, Instant};

use baton_protocol::handoff::Handoff;
use jiff::Timestamp;

type Failure = Box<dyn std::error::Error>;

/// Long enough that the clock and the first calls do not count.
const MEASURED: Duration = Duration::from_secs(1);

fn main() -> Result<(), Failure> {
    let path = std::env::args_os()
        .nth(1)
        .ok_or("usage: handoff_throughput FILE")?;
    let document = read(&path)?;
    let handoff = Handoff::from_xml(&document)?;
    let report = serde_json::json!({
        "bytes": document.len(),
        "read_us": microseconds_each(|| Handoff::from_xml(black_box(&document)).is_ok()),
        "write_us": microseconds_each(|| black_box(&handoff).to_xml(Timestamp::UNIX_EPOCH)),
    });
    #[expect(clippy::print_stdout, reason = "the line is this program's result")]
    {
        println!("{report}");
    }
    Ok(())
}

/// The mean over `MEASURED`.
#[expect(
    clippy::disallowed_methods,
    reason = "a measurement needs the clock that the library must not have"
)]
fn microseconds_each<T>(mut work: impl FnMut() -> T) -> f64 {
    let begin = Instant::now();
    let mut runs = 0_u32;
    while begin.elapsed() < MEASURED {
        black_box(work());
        runs += 1;
    }
    begin.elapsed().as_secs_f64() * 1e6 / f64::from(runs)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the document comes from a file; the library gets its bytes"
)]
fn read(path: &std::ffi::OsStr) -> std::io::Result<Vec<u8>> {
    std::fs::read(path)
}
