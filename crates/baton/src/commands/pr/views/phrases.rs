//! Turns of phrase that several views share.

use baton_protocol::tools::RiskLevel;

use crate::terminal::{Line, Style};

pub(super) fn risk(level: RiskLevel) -> Line {
    match level {
        RiskLevel::Low => Line::new().styled(Style::Good, "low risk"),
        RiskLevel::Medium => Line::new().styled(Style::Doubtful, "medium risk"),
        RiskLevel::High => Line::new().styled(Style::Bad, "high risk"),
    }
}

/// `1 test`, `2 tests`.
pub(super) fn counted(count: impl TryInto<u64>, one: &str, many: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `2026-01-31 12:00 UTC` of a time as the API writes it. What is written
/// otherwise stays as it is.
pub(super) fn when(time: &str) -> String {
    match time.strip_suffix('Z').and_then(|time| time.split_once('T')) {
        Some((day, clock)) if clock.is_char_boundary(5) => format!("{day} {} UTC", &clock[..5]),
        _ => time.to_owned(),
    }
}

/// `1 min 30 s`.
pub(super) fn lasting(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{rest} s"),
        (0, _) if rest == 0 => format!("{minutes} min"),
        (0, _) => format!("{minutes} min {rest} s"),
        _ => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_numbers_are_said_as_people_say_them() {
        assert_eq!(counted(1_u64, "file", "files"), "1 file");
        assert_eq!(counted(0_usize, "file", "files"), "0 files");
        assert_eq!(when("2026-01-31T12:00:59Z"), "2026-01-31 12:00 UTC");
        assert_eq!(when("yesterdayTéZ"), "yesterdayTéZ");
        assert_eq!(lasting(59), "59 s");
        assert_eq!(lasting(90), "1 min 30 s");
        assert_eq!(lasting(120), "2 min");
        assert_eq!(lasting(3_700), "1 h 1 min");
    }
}
