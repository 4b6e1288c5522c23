//! Sets of characters.

/// Characters beyond ASCII that an expression names get places of their own, as
/// far as there is room; all others share the last but one.
const NAMED: usize = 128;
const OTHERS: usize = 190;

/// Where the text ends.
const END: usize = 191;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Set([u64; 3]);

impl Set {
    pub(super) fn all() -> Self {
        let mut set = Self([u64::MAX; 3]);
        set.0[END / 64] &= !(1 << (END % 64));
        set
    }

    /// What `$` asks for.
    pub(super) fn end() -> Self {
        let mut set = Self::default();
        set.put(END);
        set
    }

    pub(super) fn from_chars(chars: impl IntoIterator<Item = char>) -> Self {
        let mut set = Self::default();
        for char in chars {
            set.put(place(char));
        }
        set
    }

    pub(super) fn range(first: char, last: char) -> Self {
        let mut set = Self::default();
        let ascii_end = u32::from(last).min(127);
        for code in u32::from(first)..=ascii_end {
            set.put(code as usize);
        }
        if last > '\u{7f}' {
            for index in NAMED..=OTHERS {
                set.put(index);
            }
        }
        set
    }

    /// Everything that is not ASCII.
    pub(super) fn beyond_ascii() -> Self {
        Self::range('\u{80}', char::MAX)
    }

    fn put(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self([
            self.0[0] | other.0[0],
            self.0[1] | other.0[1],
            self.0[2] | other.0[2],
        ])
    }

    pub(super) fn shared(self, other: Self) -> Self {
        Self([
            self.0[0] & other.0[0],
            self.0[1] & other.0[1],
            self.0[2] & other.0[2],
        ])
    }

    pub(super) fn inverted(self) -> Self {
        let all = Self::all().0;
        Self([
            !self.0[0] & all[0],
            !self.0[1] & all[1],
            !self.0[2] & all[2],
        ])
    }

    /// With the other case of each letter.
    pub(super) fn any_case(self) -> Self {
        let mut set = self;
        for lower in 'a'..='z' {
            let upper = lower.to_ascii_uppercase();
            if self.has(lower as usize) || self.has(upper as usize) {
                set.put(lower as usize);
                set.put(upper as usize);
            }
        }
        set
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == [0; 3]
    }

    pub(super) fn has(self, symbol: usize) -> bool {
        self.0[symbol / 64] & (1 << (symbol % 64)) != 0
    }

    /// Some member.
    pub(super) fn any(self) -> Option<usize> {
        (0..=END).find(|symbol| self.has(*symbol))
    }
}

/// The symbols a text can be continued with, its end being the last.
pub(super) fn symbols() -> std::ops::RangeInclusive<usize> {
    0..=END
}

pub(super) const END_OF_TEXT: usize = END;

fn place(char: char) -> usize {
    let code = u32::from(char) as usize;
    if code < NAMED {
        return code;
    }
    // Different characters should stay apart; a few may share a place.
    NAMED + code % (OTHERS - NAMED)
}
