//! Writes a large log to measure the reader with: `ci_log KIND MEGABYTES FILE`.
//!
//! `mixed` is the raw log of a GitHub Actions job that builds far more than it
//! tests: noise, and between it the captured cases of this crate. The other
//! kinds are one endless run of one framework each, as it prints itself, in
//! which every test passes but the last. The same arguments always give the
//! same bytes.
#![expect(
    clippy::disallowed_methods,
    reason = "a tool for measuring, not part of the library"
)]

mod noise;
mod runs;

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use noise::Noise;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [kind, megabytes, file] = &arguments[..] else {
        return Err("usage: ci_log KIND MEGABYTES FILE".into());
    };
    let mut log = Log {
        file: BufWriter::new(File::create(file)?),
        written: 0,
        room: megabytes.parse::<u64>()? * 1_000_000,
    };
    match (kind.as_str(), runs::run(kind)) {
        ("mixed", _) => mixed(&mut log)?,
        (_, Some(run)) => run.write(&mut log)?,
        _ => return Err(format!("no kind {kind:?}: mixed, {}", runs::names()).into()),
    }
    Ok(log.file.flush()?)
}

/// The file, and how much more of it is wanted.
struct Log {
    file: BufWriter<File>,
    written: u64,
    room: u64,
}

impl Log {
    fn is_full(&self) -> bool {
        self.written >= self.room
    }

    fn line(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        for part in parts {
            self.file.write_all(part)?;
            self.written += part.len() as u64;
        }
        self.written += 1;
        self.file.write_all(b"\n")
    }
}

/// Noise between two captured cases, in lines: the cases are then a few
/// hundredths of the log.
const NOISE: u32 = 2_000;

fn mixed(log: &mut Log) -> Result<(), Box<dyn Error>> {
    let cases = cases()?;
    let mut clock = Clock::default();
    let mut noise = Noise::default();
    for number in 1_u32.. {
        let case = &cases[number as usize % cases.len()];
        header(log, &mut clock, number)?;
        for _ in 0..NOISE {
            noise.line(|line| log.line(&[clock.stamp(), line]))?;
            if log.is_full() {
                return Ok(());
            }
        }
        for line in case.split(|byte| *byte == b'\n') {
            log.line(&[clock.stamp(), line])?;
        }
    }
    Ok(())
}

/// What the runner writes where a step begins.
fn header(log: &mut Log, clock: &mut Clock, number: u32) -> io::Result<()> {
    for line in [
        &format!("##[group]Run make part-{number}"),
        &format!("\u{1b}[36;1mmake part-{number}\u{1b}[0m"),
        "shell: /usr/bin/bash -e {0}",
        "##[endgroup]",
    ] {
        log.line(&[clock.stamp(), line.as_bytes()])?;
    }
    Ok(())
}

/// The text that this crate is tested with, in a fixed order.
fn cases() -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cases")];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("output.txt") {
                files.push(path);
            }
        }
    }
    files.sort();
    let texts: Result<Vec<_>, _> = files.into_iter().map(fs::read).collect();
    Ok(texts?)
}

/// The time before every line, a little later each time.
struct Clock {
    ticks: u64,
    text: Vec<u8>,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            ticks: 0,
            text: b"2026-03-01T08:00:00.0000000Z ".to_vec(),
        }
    }
}

impl Clock {
    fn stamp(&mut self) -> &[u8] {
        // Tenths of microseconds: a line in every two milliseconds.
        self.ticks += 21_347;
        let mut rest = self.ticks;
        // From the right: seven digits of a fraction, seconds, minutes.
        for (place, base) in [
            (26, 10),
            (25, 10),
            (24, 10),
            (23, 10),
            (22, 10),
            (21, 10),
            (20, 10),
            (18, 10),
            (17, 6),
            (15, 10),
            (14, 6),
        ] {
            self.text[place] = b'0' + u8::try_from(rest % base).unwrap_or_default();
            rest /= base;
        }
        &self.text
    }
}
