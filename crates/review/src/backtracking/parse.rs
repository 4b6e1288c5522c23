//! Parses an expression. Syntax that differs between the supported languages is
//! accepted as any of them means it; if it is ambiguous, parsing gives up.

use super::Flags;
use super::set::Set;

/// Maximum nesting of groups.
const MAX_GROUP_DEPTH: u32 = 40;

#[derive(Debug, Clone)]
pub(super) enum Tree {
    Empty,
    One(Set),
    Sequence(Vec<Tree>),
    Choice(Vec<Tree>),
    /// At least so often, and at most.
    Repeat(Box<Tree>, u32, Option<u32>),
}

/// The tree, or nothing for what is not understood.
pub(super) fn parse(pattern: &str, flags: Flags) -> Option<Tree> {
    let mut parser = Parser {
        chars: pattern.chars().collect(),
        at: 0,
        flags,
        nested: 0,
    };
    let tree = parser.choice()?;
    (parser.at == parser.chars.len()).then_some(tree)
}

pub(super) struct Parser {
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    pub(super) flags: Flags,
    nested: u32,
}

impl Parser {
    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    pub(super) fn eat(&mut self, wanted: &str) -> bool {
        let matches = wanted
            .chars()
            .enumerate()
            .all(|(index, char)| self.chars.get(self.at + index) == Some(&char));
        if matches {
            self.at += wanted.chars().count();
        }
        matches
    }

    fn choice(&mut self) -> Option<Tree> {
        let mut ways = vec![self.sequence()?];
        while self.eat("|") {
            ways.push(self.sequence()?);
        }
        Some(if ways.len() == 1 {
            ways.remove(0)
        } else {
            Tree::Choice(ways)
        })
    }

    fn sequence(&mut self) -> Option<Tree> {
        let mut parts = Vec::new();
        while let Some(next) = self.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            if self.flags.verbose && self.skip_space() {
                continue;
            }
            let part = self.atom()?;
            let part = self.repeated(part)?;
            parts.push(part);
        }
        Some(Tree::Sequence(parts))
    }

    fn skip_space(&mut self) -> bool {
        match self.peek() {
            Some(space) if space.is_whitespace() => {
                self.at += 1;
                true
            }
            Some('#') => {
                while self.next().is_some_and(|char| char != '\n') {}
                true
            }
            _ => false,
        }
    }

    fn repeated(&mut self, part: Tree) -> Option<Tree> {
        while self.flags.verbose && self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
        let Some((least, most)) = self.quantifier() else {
            return Some(part);
        };
        // `a+?` asks for little first, which changes nothing here; `a++` never
        // gives back, and `a{2}*` is an error to some: both are beyond this reading.
        self.eat("?");
        if self.quantifier().is_some() {
            return None;
        }
        Some(Tree::Repeat(Box::new(part), least, most))
    }

    fn quantifier(&mut self) -> Option<(u32, Option<u32>)> {
        let bounds = match self.peek()? {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            '{' => return self.bounds(),
            _ => return None,
        };
        self.at += 1;
        Some(bounds)
    }

    /// `{2}`, `{2,}` and `{2,5}`; other braces are text.
    fn bounds(&mut self) -> Option<(u32, Option<u32>)> {
        let start = self.at;
        self.at += 1;
        let least = self.number();
        let most = if self.eat(",") { self.number() } else { least };
        let is_bare = self.at == start + 1 || (least.is_none() && most.is_none());
        if is_bare || !self.eat("}") {
            self.at = start;
            return None;
        }
        Some((least.unwrap_or(0), most))
    }

    pub(super) fn number(&mut self) -> Option<u32> {
        let mut digits = String::new();
        while let Some(digit) = self.peek().filter(char::is_ascii_digit) {
            digits.push(digit);
            self.at += 1;
        }
        digits.parse().ok()
    }

    fn atom(&mut self) -> Option<Tree> {
        match self.next()? {
            '(' => self.group(),
            '[' => self.class().map(|set| self.one(set)),
            '\\' => self.escape(),
            '.' => Some(Tree::One(if self.flags.dot_all {
                Set::all()
            } else {
                Set::from_chars(['\n', '\r']).inverted()
            })),
            '^' => Some(Tree::Empty),
            '$' => Some(Tree::One(Set::end())),
            '*' | '+' | '?' => None,
            char => Some(self.one(Set::from_chars([char]))),
        }
    }

    fn one(&self, set: Set) -> Tree {
        Tree::One(if self.flags.ignore_case {
            set.any_case()
        } else {
            set
        })
    }

    fn group(&mut self) -> Option<Tree> {
        if self.nested >= MAX_GROUP_DEPTH {
            return None;
        }
        let outer = self.flags;
        let mut is_ahead = false;
        if self.eat("?") {
            if self.eat("#") {
                while self.next()? != ')' {}
                return Some(Tree::Empty);
            }
            // Atomic groups and conditions are beyond this reading.
            if matches!(self.peek(), Some('>' | '(' | '|')) {
                return None;
            }
            is_ahead = self.eat("=") || self.eat("!") || self.eat("<=") || self.eat("<!");
            if !is_ahead && self.eat("P=") {
                while self.next()? != ')' {}
                return Some(Tree::Empty);
            }
            if !is_ahead && !self.eat(":") && !self.name() && self.inline_flags()? {
                return Some(Tree::Empty);
            }
        }
        self.nested += 1;
        let tree = self.choice()?;
        self.nested -= 1;
        self.flags = outer;
        if !self.eat(")") {
            return None;
        }
        Some(if is_ahead { Tree::Empty } else { tree })
    }

    /// `?<name>`, `?P<name>` and `?'name'`, whose question mark is read.
    fn name(&mut self) -> bool {
        let start = self.at;
        self.eat("P");
        let end = if self.eat("<") {
            '>'
        } else if self.eat("'") {
            '\''
        } else {
            self.at = start;
            return false;
        };
        while let Some(char) = self.next() {
            if char == end {
                return true;
            }
        }
        true
    }

    /// `(?i)` for the rest, which is true, or `(?i:` for the group.
    fn inline_flags(&mut self) -> Option<bool> {
        let mut on = true;
        loop {
            match self.next()? {
                '-' => on = false,
                'i' => self.flags.ignore_case = on,
                's' => self.flags.dot_all = on,
                'x' => self.flags.verbose = on,
                'm' | 'u' | 'a' | 'L' | 'd' | 'U' | 'n' => {}
                ':' => return Some(false),
                ')' => return Some(true),
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<Tree> {
        let next = self.next()?;
        Some(match next {
            'A' | 'b' | 'B' | 'G' | 'K' | 'm' | 'M' | 'y' => Tree::Empty,
            'z' | 'Z' => Tree::One(Set::end()),
            '1'..='9' => {
                self.number();
                Tree::Empty
            }
            'k' | 'g' => {
                self.name();
                Tree::Empty
            }
            'R' => Tree::One(Set::from_chars(['\n', '\r', '\u{b}', '\u{c}'])),
            'X' => Tree::One(Set::all()),
            _ => {
                let set = self.escaped(next)?;
                self.one(set)
            }
        })
    }
}
