//! Issues that another one belongs to.

/// The issues that a text says it is part of: `Part of #7`, `parent: #7`. The
/// most are enough.
pub(crate) fn parents(text: &str) -> Vec<u32> {
    const MAX_ENTRIES: usize = 10;
    let mut found = Vec::new();
    for line in text.lines() {
        let lower = line.to_ascii_lowercase();
        let words = lower.trim_start_matches(['-', '*', '>', ' ', '\t']);
        let rest = ["part of", "parent:", "related to", "related:", "belongs to"]
            .iter()
            .find_map(|sign| words.strip_prefix(sign));
        let Some(rest) = rest else {
            continue;
        };
        for piece in rest
            .split([',', ' ', ';'])
            .filter(|piece| !piece.is_empty())
        {
            let digits = piece
                .strip_prefix('#')
                .map(|number| number.trim_end_matches('.'));
            match digits.and_then(|number| number.parse::<u32>().ok()) {
                Some(number) if number > 0 && !found.contains(&number) => found.push(number),
                Some(_) => {}
                None if piece == "and" => {}
                None => break,
            }
        }
    }
    found.truncate(MAX_ENTRIES);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_says_so_is_related() {
        let text = "Closes #3\n\nPart of #7, #8 and #9.\n- related to #10 because of #11\nsee #12\nPart of it.";
        assert_eq!(parents(text), [7, 8, 9, 10]);
        assert!(parents("part of #0, #99999999999, #x").is_empty());
    }
}
