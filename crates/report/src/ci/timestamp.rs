//! Removes the timestamps that runners put before every line.

/// The text after `2026-03-01T08:15:42.1234567Z ` at the beginning of a line, or
/// `None` without such a timestamp. GitHub writes seven digits; copies of a log
/// sometimes have fewer.
pub(super) fn after_instant(line: &[u8]) -> Option<&[u8]> {
    // This is the hot path for logs of millions of lines, so only the separators
    // between the digits are checked.
    if let Some((head, text)) = line.split_first_chunk::<29>()
        && head[28] == b' '
        && head[27] == b'Z'
        && head[19] == b'.'
        && head[10] == b'T'
        && [head[4], head[7]] == *b"--"
        && [head[13], head[16]] == *b"::"
    {
        return Some(text);
    }
    let (head, rest) = line.split_at_checked(20)?;
    if head[4] != b'-' || head[19] != b'.' || !is_date_and_time(head) {
        return None;
    }
    let digits = rest.iter().take(10).position(|byte| *byte == b'Z')?;
    if digits == 0 || !rest[..digits].iter().all(u8::is_ascii_digit) {
        return None;
    }
    match &rest[digits + 1..] {
        // Some editors remove the trailing space from an otherwise empty line.
        [] | [b'\r'] => Some(&[]),
        [b' ', text @ ..] => Some(text),
        _ => None,
    }
}

fn is_date_and_time(head: &[u8]) -> bool {
    head[..19].iter().enumerate().all(|(at, byte)| match at {
        4 | 7 => *byte == b'-',
        10 => *byte == b'T',
        13 | 16 => *byte == b':',
        _ => byte.is_ascii_digit(),
    })
}

#[cfg(test)]
mod tests {
    use super::after_instant;

    #[test]
    fn only_whole_instants_count() {
        let text = |line: &'static str| after_instant(line.as_bytes());
        assert_eq!(text("2026-03-01T08:15:42.1234567Z  x"), Some(&b" x"[..]));
        assert_eq!(text("2026-03-01T08:15:42.123Z x"), Some(&b"x"[..]));
        assert_eq!(text("2026-03-01T08:15:42.1234567Z"), Some(&b""[..]));
        assert_eq!(text("2026-03-01T08:15:42.1234567Z\r"), Some(&b""[..]));
        for line in [
            "",
            "2026-03-01T08:15:42.",
            "2026-03-01T08:15:42.Z x",
            "2026-03-01T08:15:42.1234567Zx",
            "2026-03-01T08:15:42.12e456Z x",
            "2026-03-01 08:15:42.1234567Z x",
            "2026-03-01T08:15:42,1234567Z x",
            "2O26-03-01T08:15:42.123456Z x",
        ] {
            assert_eq!(text(line), None, "{line}");
        }
    }
}
