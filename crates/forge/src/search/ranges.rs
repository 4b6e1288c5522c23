//! `>=5`, `1..3`, `2026-01-31`, `<2026-01-31T12:00:00Z`.

use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// A condition on a column, with its values.
pub(super) struct Range {
    pub(super) sql: String,
    pub(super) values: Vec<String>,
}

/// On a column with times. A day is all of it.
pub(super) fn parse_times(column: &str, value: &str) -> Option<Range> {
    parse(value, column, |text| {
        if let Ok(date) = Date::from_str(text) {
            let start = date.to_zoned(TimeZone::UTC).ok()?.timestamp();
            let end = date.tomorrow().ok()?.to_zoned(TimeZone::UTC).ok()?;
            return Some((start.to_string(), end.timestamp().to_string()));
        }
        let time = Timestamp::from_str(text).ok()?.as_second();
        let start = Timestamp::from_second(time).ok()?;
        let end = Timestamp::from_second(time + 1).ok()?;
        Some((start.to_string(), end.to_string()))
    })
}

/// On an expression with numbers.
pub(super) fn parse_numbers(expression: &str, value: &str) -> Option<Range> {
    let expression = format!("CAST({expression} AS INTEGER)");
    let mut range = parse(value, &expression, |text| {
        let number: i64 = text.parse().ok()?;
        Some((number.to_string(), number.checked_add(1)?.to_string()))
    })?;
    // Values are text; without this they would be compared as such.
    range.sql = range.sql.replace('?', "CAST(? AS INTEGER)");
    Some(range)
}

/// Every value covers the half-open span that `read` gives for it.
fn parse(
    value: &str,
    column: &str,
    read: impl Fn(&str) -> Option<(String, String)>,
) -> Option<Range> {
    let range = |sql: String, values: Vec<String>| Some(Range { sql, values });
    if let Some((from, to)) = value.split_once("..") {
        return match (from, to) {
            ("*", "*") => None,
            ("*", to) => range(format!("{column} < ?"), vec![read(to)?.1]),
            (from, "*") => range(format!("{column} >= ?"), vec![read(from)?.0]),
            (from, to) => range(
                format!("{column} >= ? AND {column} < ?"),
                vec![read(from)?.0, read(to)?.1],
            ),
        };
    }
    if let Some(rest) = value.strip_prefix(">=") {
        return range(format!("{column} >= ?"), vec![read(rest)?.0]);
    }
    if let Some(rest) = value.strip_prefix("<=") {
        return range(format!("{column} < ?"), vec![read(rest)?.1]);
    }
    if let Some(rest) = value.strip_prefix('>') {
        return range(format!("{column} >= ?"), vec![read(rest)?.1]);
    }
    if let Some(rest) = value.strip_prefix('<') {
        return range(format!("{column} < ?"), vec![read(rest)?.0]);
    }
    let (start, end) = read(value)?;
    range(format!("{column} >= ? AND {column} < ?"), vec![start, end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_all_of_it() {
        let shown = |value: &str| {
            parse_times("t", value).map(|range| format!("{} {}", range.sql, range.values.join(" ")))
        };
        let day = "2026-01-31T00:00:00Z";
        let next = "2026-02-01T00:00:00Z";
        assert_eq!(
            shown("2026-01-31"),
            Some(format!("t >= ? AND t < ? {day} {next}"))
        );
        assert_eq!(shown(">2026-01-31"), Some(format!("t >= ? {next}")));
        assert_eq!(shown("<=2026-01-31"), Some(format!("t < ? {next}")));
        assert_eq!(shown("*..2026-01-31"), Some(format!("t < ? {next}")));
        assert_eq!(
            shown("2026-01-31T00:00:00Z..*"),
            Some(format!("t >= ? {day}"))
        );
        assert_eq!(shown("soon"), None);
        assert_eq!(shown("9999-12-31..x"), None);
    }
}
