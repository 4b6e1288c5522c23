//! Words of a request or an issue, as far as they say what it is about.

/// Words that stand in every text.
const EMPTY: &[&str] = &[
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been",
    "but", "by", "can", "could", "do", "does", "for", "from", "get", "has", "have", "how", "i",
    "if", "in", "into", "is", "it", "its", "just", "like", "me", "more", "must", "my", "need",
    "needs", "no", "not", "of", "on", "one", "only", "or", "our", "please", "shall", "should",
    "so", "some", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "too", "up", "us", "use", "want", "was", "we", "when", "where", "which",
    "while", "will", "with", "would", "you", "your",
];

/// Words that say what kind of work it is, or nothing at all, but not what about.
const GENERAL: &[&str] = &[
    "add",
    "app",
    "application",
    "better",
    "broken",
    "bug",
    "change",
    "clean",
    "code",
    "create",
    "everything",
    "feature",
    "fix",
    "handle",
    "help",
    "implement",
    "improve",
    "issue",
    "make",
    "new",
    "nice",
    "problem",
    "project",
    "refactor",
    "remove",
    "something",
    "stuff",
    "support",
    "thing",
    "things",
    "update",
    "work",
    "working",
    "works",
];

/// Lower-case words without what stands in every text.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !EMPTY.contains(&word.as_str()))
}

/// How many words say what a text is about. Scripts without spaces have about
/// one word in two characters.
pub(super) fn specific(text: &str) -> usize {
    let mut seen: Vec<String> = Vec::new();
    let mut count = 0;
    for word in words(text) {
        if GENERAL.contains(&word.as_str()) || seen.contains(&word) {
            continue;
        }
        let is_spaceless = |c: char| matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{3040}'..='\u{9fff}');
        count += if word.contains(is_spaceless) {
            word.chars().count().div_ceil(2)
        } else {
            1
        };
        seen.push(word);
    }
    count
}

/// The same word in another form counts as the same.
pub(super) fn stem(word: &str) -> &str {
    for ending in ["ings", "ing", "ed", "es", "s"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.chars().count() >= 3
        {
            return stem;
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_something_or_it_does_not() {
        for vague in [
            "",
            "fix it",
            "Fix the bug please",
            "make it work",
            "Improve everything!!",
            "fix login",
        ] {
            assert!(specific(vague) < 2, "{vague}");
        }
        for clear in [
            "Add dark mode",
            "Fix typo in README",
            "Add rate limiting to the login endpoint",
            "修复登录页面",
        ] {
            assert!(specific(clear) >= 2, "{clear}");
        }
    }

    #[test]
    fn forms_of_a_word_are_one_word() {
        assert_eq!(stem("limiting"), stem("limited"));
        assert_eq!(stem("users"), stem("user"));
        assert_eq!(stem("is"), "is");
    }
}
