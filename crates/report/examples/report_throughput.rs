//! How fast a log is read, as one line of JSON: `report_throughput FILE`.
//!
//! The file goes through the reader in pieces, as `baton report` reads it. The
//! time is that of the processor, so that other programs on the machine matter
//! little.
#![expect(
    clippy::disallowed_methods,
    reason = "a tool for measuring, not part of the library"
)]

use std::error::Error;
use std::fs::{self, File};
use std::io::Read;

use baton_report::Reader;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os()
        .nth(1)
        .ok_or("usage: report_throughput FILE")?;
    let mut file = File::open(path)?;
    let mut chunk = vec![0; 1 << 18];
    let mut reader = Reader::new();
    let mut bytes = 0;
    let mut nanoseconds = 0;
    loop {
        // Only the reader counts, not the file system.
        let count = file.read(&mut chunk)?;
        let begin = processor_nanoseconds()?;
        if count == 0 {
            break;
        }
        reader.feed(&chunk[..count]);
        nanoseconds += processor_nanoseconds()? - begin;
        bytes += count;
    }
    let report = reader.finish();
    let line = serde_json::json!({
        "bytes": bytes,
        "processor_ms": nanoseconds / 1_000_000,
        "megabytes_per_second": bytes as u64 * 1_000 / nanoseconds.max(1),
        "peak_rss_kib": peak_rss_kib()?,
        "framework": report.framework,
        "run": report.counts.run,
        "failures": report.failures.len(),
    });
    #[expect(clippy::print_stdout, reason = "the line is this program's result")]
    {
        println!("{line}");
    }
    Ok(())
}

fn processor_nanoseconds() -> Result<u64, Box<dyn Error>> {
    let told = fs::read_to_string("/proc/self/schedstat")?;
    Ok(told.split(' ').next().unwrap_or_default().parse()?)
}

fn peak_rss_kib() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = line.ok_or("the system tells no peak of memory")?;
    Ok(peak.trim().trim_end_matches(" kB").parse()?)
}
