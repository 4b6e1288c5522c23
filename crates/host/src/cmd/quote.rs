//! Quotes words for a POSIX shell.

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;

/// Words that a shell reads as syntax in the place of a command.
const RESERVED: [&[u8]; 13] = [
    b"case", b"do", b"done", b"elif", b"else", b"esac", b"fi", b"for", b"if", b"in", b"then",
    b"until", b"while",
];

/// Writes `word` so that a POSIX shell reads exactly these bytes as one
/// argument.
///
/// The result is safe to show on a terminal: control characters and bytes that
/// are not UTF-8 are written as `"$(printf '\033')"`, which every POSIX shell
/// turns back into the byte. Newlines stay as they are, inside quotes, because
/// command substitution would drop them.
pub fn quote(word: impl AsRef<OsStr>) -> String {
    let bytes = word.as_ref().as_bytes();
    // A leading `=` means "path of this command" to zsh.
    let plain = !bytes.is_empty()
        && bytes[0] != b'='
        && bytes.iter().all(|&byte| byte == b'=' || is_plain(byte));
    if plain {
        return bytes.iter().copied().map(char::from).collect();
    }
    let mut quoted = Quoted::default();
    for part in bytes.utf8_chunks() {
        for character in part.valid().chars() {
            quoted.push(character);
        }
        quoted.push_bytes(part.invalid());
    }
    quoted.finish()
}

/// Like [`quote`], for the first word of a command line, where `NAME=value`
/// would be an assignment and `if` the start of a construct.
pub fn quote_program(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref();
    let quoted = quote(word);
    let is_syntax = word.as_bytes().contains(&b'=') || RESERVED.contains(&word.as_bytes());
    if is_syntax && !quoted.starts_with('\'') {
        format!("'{quoted}'")
    } else {
        quoted
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_@%+:,./-".contains(&byte)
}

/// Builds `'text'"$(printf '\033')"'text'`, opening and closing as needed.
#[derive(Default)]
struct Quoted {
    text: String,
    within: Within,
}

#[derive(Default, PartialEq, Clone, Copy)]
enum Within {
    #[default]
    Nothing,
    Quotes,
    Printf,
}

impl Quoted {
    fn push(&mut self, character: char) {
        if character == '\'' {
            self.enter(Within::Nothing);
            self.text.push_str("\\'");
        } else if character.is_control() && character != '\n' {
            let mut buffer = [0; 4];
            self.push_bytes(character.encode_utf8(&mut buffer).as_bytes());
        } else {
            self.enter(Within::Quotes);
            self.text.push(character);
        }
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.enter(Within::Printf);
            write!(self.text, "\\{byte:03o}").expect("writing to a string cannot fail");
        }
    }

    fn enter(&mut self, next: Within) {
        if self.within == next {
            return;
        }
        self.text.push_str(match self.within {
            Within::Nothing => "",
            Within::Quotes => "'",
            Within::Printf => "')\"",
        });
        self.text.push_str(match next {
            Within::Nothing => "",
            Within::Quotes => "'",
            Within::Printf => "\"$(printf '",
        });
        self.within = next;
    }

    fn finish(mut self) -> String {
        self.enter(Within::Nothing);
        if self.text.is_empty() {
            self.text.push_str("''");
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::{quote, quote_program};

    #[test]
    fn plain_words_stay_plain() {
        assert_eq!(quote("--format=%H"), "--format=%H");
        assert_eq!(quote("src/main.rs"), "src/main.rs");
    }

    #[test]
    fn everything_else_is_quoted() {
        assert_eq!(quote(""), "''");
        assert_eq!(quote("two words"), "'two words'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote("~root"), "'~root'");
        assert_eq!(quote("=ls"), "'=ls'");
        assert_eq!(quote("$(rm x)"), "'$(rm x)'");
    }

    #[test]
    fn control_characters_never_reach_the_terminal() {
        assert_eq!(quote("a\u{1b}[2Jb"), r#"'a'"$(printf '\033')"'[2Jb'"#);
    }

    #[test]
    fn a_program_is_never_read_as_syntax() {
        assert_eq!(quote_program("git"), "git");
        assert_eq!(quote_program("A=b"), "'A=b'");
        assert_eq!(quote_program("while"), "'while'");
        assert_eq!(quote_program("a b=c"), "'a b=c'");
    }
}
