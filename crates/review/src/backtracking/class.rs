//! Parses what matches one character: escapes and sets in brackets.

use super::parse::Parser;
use super::set::Set;

impl Parser {
    /// What an escape matches, inside brackets or outside.
    pub(super) fn escaped(&mut self, char: char) -> Option<Set> {
        let digits = Set::range('0', '9');
        let word = digits
            .union(Set::range('a', 'z'))
            .union(Set::range('A', 'Z'))
            .union(Set::from_chars(['_']));
        let space = Set::from_chars([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
        Some(match char {
            'd' => digits,
            'D' => digits.inverted(),
            'w' => word,
            'W' => word.inverted(),
            's' => space,
            'S' => space.inverted(),
            'h' => digits
                .union(Set::range('a', 'f'))
                .union(Set::range('A', 'F')),
            'n' => Set::from_chars(['\n']),
            'r' => Set::from_chars(['\r']),
            't' => Set::from_chars(['\t']),
            'f' => Set::from_chars(['\u{c}']),
            'v' => Set::from_chars(['\u{b}']),
            'a' => Set::from_chars(['\u{7}']),
            'e' => Set::from_chars(['\u{1b}']),
            'b' => Set::from_chars(['\u{8}']),
            '0' => {
                self.number();
                Set::from_chars(['\0'])
            }
            'x' => Set::from_chars([self.hex(2)?]),
            'u' if self.peek() == Some('{') => Set::from_chars([self.braced_code()?]),
            'u' => Set::from_chars([self.hex(4)?]),
            'U' => Set::from_chars([self.hex(8)?]),
            'c' => {
                let letter = self.next()?;
                Set::from_chars([char::from_u32(u32::from(letter) & 31)?])
            }
            'p' | 'P' => self.property(char == 'P')?,
            other => Set::from_chars([other]),
        })
    }

    fn hex(&mut self, digits: usize) -> Option<char> {
        let mut code = 0;
        for _ in 0..digits {
            code = code * 16 + self.next()?.to_digit(16)?;
        }
        // Surrogate halves are treated like any other non-ASCII character.
        Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn braced_code(&mut self) -> Option<char> {
        self.at += 1;
        let mut code: u32 = 0;
        loop {
            match self.next()? {
                '}' => return char::from_u32(code),
                digit => code = code.checked_mul(16)?.checked_add(digit.to_digit(16)?)?,
            }
        }
    }

    /// `\p{L}`: letters, digits, or something beyond ASCII.
    fn property(&mut self, negated: bool) -> Option<Set> {
        let mut name = String::new();
        if self.eat("{") {
            loop {
                match self.next()? {
                    '}' => break,
                    char => name.push(char),
                }
            }
        } else {
            name.push(self.next()?);
        }
        let letters = Set::range('a', 'z').union(Set::range('A', 'Z'));
        let set = match name.trim_start_matches('^').chars().next()? {
            'L' | 'A' | 'l' | 'a' => letters.union(Set::beyond_ascii()),
            'N' | 'D' | 'd' => Set::range('0', '9').union(Set::beyond_ascii()),
            _ => return None,
        };
        Some(if negated { set.inverted() } else { set })
    }

    /// Called after the opening bracket.
    pub(super) fn class(&mut self) -> Option<Set> {
        let negated = self.eat("^");
        let mut set = Set::default();
        let mut is_first = true;
        loop {
            let char = self.next()?;
            if char == ']' && !(is_first && self.chars[self.at..].contains(&']')) {
                break;
            }
            is_first = false;
            if char == '&' && self.eat("&") {
                return None;
            }
            if char == '[' {
                // Sets of sets exist in some languages and are text in others.
                let named = match self.peek()? {
                    ':' => self.posix()?,
                    '^' => return None,
                    _ => Set::from_chars([char]),
                };
                set = set.union(named);
                continue;
            }
            let (member, single) = self.member(char)?;
            set = set.union(member);
            let is_range = self.peek() == Some('-')
                && self.chars.get(self.at + 1).is_some_and(|next| *next != ']');
            if let (Some(first), true) = (single, is_range) {
                self.at += 1;
                let char = self.next()?;
                let (member, last) = self.member(char)?;
                match last {
                    Some(last) if first <= last => set = set.union(Set::range(first, last)),
                    Some(_) => return None,
                    None => set = set.union(member).union(Set::from_chars(['-'])),
                }
            }
        }
        if self.flags.ignore_case {
            set = set.any_case();
        }
        Some(if negated { set.inverted() } else { set })
    }

    /// A member of a class, and which character it is if it is only one.
    fn member(&mut self, char: char) -> Option<(Set, Option<char>)> {
        if char != '\\' {
            return Some((Set::from_chars([char]), Some(char)));
        }
        let next = self.next()?;
        let set = self.escaped(next)?;
        let is_letter = next.is_ascii_alphanumeric();
        Some((set, (!is_letter).then_some(next)))
    }

    /// `[:alpha:]`, whose first bracket is read.
    fn posix(&mut self) -> Option<Set> {
        self.at += 1;
        let mut name = String::new();
        loop {
            match self.next()? {
                ':' => break,
                char => name.push(char),
            }
        }
        if !self.eat("]") {
            return None;
        }
        let lower = Set::range('a', 'z');
        let upper = Set::range('A', 'Z');
        let digits = Set::range('0', '9');
        Some(match name.as_str() {
            "alpha" => lower.union(upper),
            "alnum" => lower.union(upper).union(digits),
            "digit" => digits,
            "lower" => lower,
            "upper" => upper,
            "space" => Set::from_chars([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']),
            "blank" => Set::from_chars([' ', '\t']),
            "punct" => Set::range('!', '/')
                .union(Set::range(':', '@'))
                .union(Set::range('[', '`'))
                .union(Set::range('{', '~')),
            "word" => lower
                .union(upper)
                .union(digits)
                .union(Set::from_chars(['_'])),
            "xdigit" => digits
                .union(Set::range('a', 'f'))
                .union(Set::range('A', 'F')),
            _ => return None,
        })
    }
}
