//! Parses summary lines that pair numbers with labels:
//! `2 failed, 1 passed, 3 total`, `8 failed | 3 passed (11)`.

/// The number before `label`; zero if the line does not contain it.
pub(crate) fn count(text: &str, label: &str) -> u64 {
    let mut previous = "";
    for word in text.split([' ', ',', '|']).filter(|word| !word.is_empty()) {
        if word == label
            && let Ok(number) = previous.parse()
        {
            return number;
        }
        previous = word;
    }
    0
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_before_labels() {
        let text = "Tests  8 failed | 3 passed | 1 todo (12)";
        assert_eq!(super::count(text, "failed"), 8);
        assert_eq!(super::count(text, "todo"), 1);
        assert_eq!(super::count(text, "skipped"), 0);
        assert_eq!(super::count("Tests: 2 failed, 3 total", "failed"), 2);
    }
}
