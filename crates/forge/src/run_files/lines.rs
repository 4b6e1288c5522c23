//! Log lines with their times.

use jiff::Timestamp;

/// GitHub's form: `2026-01-31T12:00:00.1234567Z`.
pub(crate) fn stamp(at: Timestamp) -> String {
    let ticks = at.subsec_nanosecond().max(0) / 100;
    let seconds = Timestamp::from_second(at.as_second()).unwrap_or(Timestamp::UNIX_EPOCH);
    let text = seconds.to_string();
    let whole = text.strip_suffix('Z').unwrap_or(&text);
    format!("{whole}.{ticks:07}Z")
}

/// Text as lines of a log: those that do not say when they were written get
/// the time `at`.
pub(crate) fn stamped(text: &str, at: Timestamp) -> String {
    let now = stamp(at);
    let mut log = String::with_capacity(text.len());
    for line in text.lines() {
        if !has_stamp(line) {
            log.push_str(&now);
            log.push(' ');
        }
        log.push_str(line);
        log.push('\n');
    }
    log
}

fn has_stamp(line: &str) -> bool {
    line.split_once(' ')
        .is_some_and(|(first, _)| first.ends_with('Z') && first.parse::<Timestamp>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_when_they_were_written() {
        let at: Timestamp = "2026-01-31T12:00:00.12345678Z".parse().expect("a time");
        let text = "plain\n2026-01-31T11:59:59.0000000Z early\r\n\nZ Z\n";
        insta::assert_snapshot!(stamped(text, at), @r"
        2026-01-31T12:00:00.1234567Z plain
        2026-01-31T11:59:59.0000000Z early
        2026-01-31T12:00:00.1234567Z 
        2026-01-31T12:00:00.1234567Z Z Z
        ");
    }
}
