//! What people write on a pull request that must wait.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    Label(String),
    Title {
        /// The title when the hold is over; absent when nothing is left of it.
        without: Option<String>,
    },
}

/// In small letters, with spaces for all that is no letter.
const LABELS: [&str; 12] = [
    "blocked",
    "dnm",
    "do not land",
    "do not merge",
    "dont merge",
    "hold",
    "no merge",
    "not ready",
    "not ready for merge",
    "on hold",
    "wip",
    "work in progress",
];

/// Words that hold a title back wherever they begin it.
const PLAIN: [&str; 4] = ["wip", "do not merge", "don't merge", "dnm"];

/// Words that also begin ordinary titles, and need brackets or a colon.
const MARKED: [&str; 6] = [
    "draft",
    "hold",
    "on hold",
    "blocked",
    "work in progress",
    "not ready",
];

pub(super) fn find(title: &str, labels: &[String]) -> Vec<Hold> {
    let held = labels.iter().filter(|label| is_hold(label));
    let mut holds: Vec<Hold> = held.cloned().map(Hold::Label).collect();
    holds.extend(in_title(title));
    holds
}

/// `do-not-merge/hold`, `status: blocked` and `DO NOT MERGE` alike.
fn is_hold(label: &str) -> bool {
    let label = label.to_lowercase();
    let mut parts = label.split([':', '/']).map(words);
    parts.any(|part| LABELS.contains(&part.as_str()))
}

fn words(text: &str) -> String {
    let kept: String = text
        .chars()
        .filter(|character| *character != '\'')
        .map(|character| {
            if character.is_alphanumeric() {
                character
            } else {
                ' '
            }
        })
        .collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn in_title(title: &str) -> Option<Hold> {
    let title = title.trim();
    let rest = bracketed(title)
        .or_else(|| beginning(title, &MARKED).and_then(|rest| rest.strip_prefix(':')))
        .or_else(|| title.strip_prefix('🚧'))
        .or_else(|| beginning(title, &PLAIN))?;
    let rest = rest.trim_start_matches([':', '-', '–', ' ']).trim();
    Some(Hold::Title {
        without: (!rest.is_empty()).then(|| rest.to_owned()),
    })
}

/// Behind `[WIP]` or `(WIP)`.
fn bracketed(title: &str) -> Option<&str> {
    let (end, rest) = match title.chars().next()? {
        '[' => (']', &title[1..]),
        '(' => (')', &title[1..]),
        _ => return None,
    };
    let (inside, behind) = rest.split_once(end)?;
    let is_hold = PLAIN
        .iter()
        .chain(&MARKED)
        .any(|word| inside.trim().eq_ignore_ascii_case(word));
    is_hold.then_some(behind)
}

/// Behind one of the words, if the title begins with it as a whole word.
fn beginning<'t>(title: &'t str, wanted: &[&str]) -> Option<&'t str> {
    wanted.iter().find_map(|word| {
        let head = title.get(..word.len())?;
        let rest = &title[word.len()..];
        let is_whole = !rest.starts_with(char::is_alphanumeric);
        (head.eq_ignore_ascii_case(word) && is_whole).then_some(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_that_ask_to_wait() {
        let cases = [
            ("WIP: Fix the cart", Some("Fix the cart")),
            ("[WIP] Fix the cart", Some("Fix the cart")),
            ("(draft) Fix", Some("Fix")),
            ("Draft: Fix", Some("Fix")),
            ("do not merge - Fix", Some("Fix")),
            ("🚧 Fix", Some("Fix")),
        ];
        for (title, without) in cases {
            let expected = Hold::Title {
                without: without.map(str::to_owned),
            };
            assert_eq!(in_title(title), Some(expected), "{title}");
        }
        assert_eq!(in_title("wip"), Some(Hold::Title { without: None }));
        for title in [
            "Hold the door",
            "Draft the letter",
            "Wipe the disk",
            "[ci] Fix",
            "Fix WIP",
            "",
        ] {
            assert_eq!(in_title(title), None, "{title}");
        }
    }

    #[test]
    fn labels_that_ask_to_wait() {
        for label in [
            "do-not-merge/hold",
            "DO NOT MERGE",
            "status: blocked",
            "WIP",
            "don't merge",
        ] {
            assert!(is_hold(label), "{label}");
        }
        for label in [
            "bug",
            "hold-music",
            "needs review",
            "unblocked",
            "area/wiper",
        ] {
            assert!(!is_hold(label), "{label}");
        }
    }
}
