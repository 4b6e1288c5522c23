//! Text that someone else wrote, made fit for the place it goes to: a comment
//! on the forge, one line of a message.

use std::fmt::Write as _;

/// One line of at most so many characters, without what steers a terminal.
pub(crate) fn one_line(text: &str, longest: usize) -> String {
    let mut line = String::new();
    for (index, word) in text.split_whitespace().enumerate() {
        if index > 0 {
            line.push(' ');
        }
        line.extend(word.chars().filter(|letter| !is_unseen(*letter)));
        if line.len() > longest {
            line.truncate(line.floor_char_boundary(longest));
            line.push('…');
            break;
        }
    }
    line
}

/// For Markdown: it shows as it is, makes no element and calls no one.
pub(crate) fn in_markdown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '&' => shown.push_str("&amp;"),
            // A space without width: the forge then sees no name.
            '@' => shown.push_str("@\u{200B}"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '!' | '~' => {
                write!(shown, "\\{letter}").expect("a string takes all text");
            }
            letter if is_unseen(letter) => shown.push(' '),
            letter => shown.push(letter),
        }
    }
    shown
}

/// Controls, and changes of direction.
fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_one_is_called_and_nothing_is_hidden() {
        let shown = in_markdown("<!-- a --> @octo [x](y) `z`");
        let expected = "&lt;\\!-- a --&gt; @\u{200B}octo \\[x\\](y) \\`z\\`";
        assert_eq!(shown, expected);
        assert_eq!(one_line("a\u{1b}[31m  b\nc", 9), "a[31m b c");
        assert_eq!(one_line("äöü", 3), "ä…");
    }
}
