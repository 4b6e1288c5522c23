//! A line of styled text.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::{Style, sanitize};

/// A line to be shown, in pieces of different looks. Whatever text is put in,
/// a terminal obeys none of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Vec<Piece>);

#[derive(Clone, Debug)]
struct Piece {
    text: String,
    style: Option<Style>,
    /// What it leads to.
    address: Option<String>,
}

impl Line {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub(crate) fn text(self, text: impl AsRef<str>) -> Self {
        self.piece(text.as_ref(), None, None)
    }

    #[must_use]
    pub(crate) fn styled(self, style: Style, text: impl AsRef<str>) -> Self {
        self.piece(text.as_ref(), Some(style), None)
    }

    /// A word that leads somewhere, where the terminal knows links.
    #[must_use]
    pub(crate) fn link(self, style: Style, text: impl AsRef<str>, address: &str) -> Self {
        self.piece(text.as_ref(), Some(style), safe_address(address))
    }

    #[must_use]
    pub(crate) fn followed_by(mut self, line: Self) -> Self {
        self.0.extend(line.0);
        self
    }

    fn piece(mut self, text: &str, style: Option<Style>, address: Option<String>) -> Self {
        self.0.push(Piece {
            text: sanitize(text).replace(['\n', '\t'], " "),
            style,
            address,
        });
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|piece| piece.text.is_empty())
    }

    /// In columns.
    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|piece| piece.text.width()).sum()
    }

    /// Its beginning, where all of it is too wide.
    pub(crate) fn cut(&self, width: usize) -> Self {
        if self.width() <= width {
            return self.clone();
        }
        let mut left = width.saturating_sub(1);
        let mut cut = Vec::new();
        for piece in &self.0 {
            let text = beginning(&piece.text, left);
            left -= text.width();
            let is_whole = text.len() == piece.text.len();
            cut.push(Piece {
                text: if is_whole {
                    text.to_owned()
                } else {
                    format!("{text}…")
                },
                ..piece.clone()
            });
            if !is_whole {
                break;
            }
        }
        Self(cut)
    }

    /// As lines that are no wider, broken between words. A word that is wider
    /// by itself stays whole, for it may be a path or an address.
    pub(crate) fn wrapped(&self, width: usize) -> Vec<Self> {
        let mut lines = vec![Self::new()];
        let mut used = 0;
        for piece in &self.0 {
            for word in piece.text.split_inclusive(' ') {
                let wide = word.trim_end().width();
                if used > 0 && used + wide > width && wide > 0 {
                    lines.push(Self::new());
                    used = 0;
                }
                used += word.width();
                let line = lines.last_mut().expect("there is a first line");
                line.push_word(word, piece);
            }
        }
        lines
    }

    /// The same for a line that may begin with spaces: further lines begin
    /// below its first word.
    pub(crate) fn wrapped_hanging(&self, width: usize) -> Vec<Self> {
        let text: String = self.0.iter().map(|piece| piece.text.as_str()).collect();
        let indent = text.len() - text.trim_start_matches(' ').len();
        // Deep indentation would leave no room for words.
        if indent > width / 2 {
            return self.wrapped(width.max(1));
        }
        let mut lines = self.wrapped(width.max(1));
        if lines.len() == 1 || indent == 0 {
            return lines;
        }
        let mut rest = Self::new();
        let first = lines.remove(0);
        for line in lines {
            rest = rest.followed_by(line);
        }
        let below = rest.wrapped((width - indent).max(1)).into_iter();
        let below = below.map(|line| Self::from(" ".repeat(indent)).followed_by(line));
        [first].into_iter().chain(below).collect()
    }

    fn push_word(&mut self, word: &str, of: &Piece) {
        match self.0.last_mut() {
            Some(last) if last.is_like(of) => last.text.push_str(word),
            _ => self.0.push(Piece {
                text: word.to_owned(),
                ..of.clone()
            }),
        }
    }

    /// With escape sequences for looks and, where they work, links.
    pub(crate) fn rendered(&self, links: bool) -> String {
        self.0.iter().map(|piece| piece.rendered(links)).collect()
    }
}

impl Piece {
    fn is_like(&self, other: &Self) -> bool {
        self.style == other.style && self.address == other.address
    }

    fn rendered(&self, links: bool) -> String {
        let painted = match self.style {
            Some(style) if !self.text.is_empty() => style.paint(&self.text),
            _ => self.text.clone(),
        };
        match &self.address {
            Some(address) if links => {
                format!("\u{1b}]8;;{address}\u{1b}\\{painted}\u{1b}]8;;\u{1b}\\")
            }
            _ => painted,
        }
    }
}

impl<T: AsRef<str>> From<T> for Line {
    fn from(text: T) -> Self {
        Self::new().text(text)
    }
}

/// As much of a text as fits.
fn beginning(text: &str, width: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > width {
            return &text[..at];
        }
    }
    text
}

/// An address of the web that can stand in an escape sequence.
fn safe_address(address: &str) -> Option<String> {
    let is_web = address.starts_with("https://") || address.starts_with("http://");
    let is_plain = address.bytes().all(|byte| byte.is_ascii_graphic());
    (is_web && is_plain).then(|| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(line: &Line) -> String {
        anstream::adapter::strip_str(&line.rendered(false)).to_string()
    }

    #[test]
    fn nothing_in_a_line_is_obeyed_or_breaks_it() {
        let line = Line::from("a\u{1b}[2Jb\nc\u{202e}d");
        assert_eq!(plain(&line), "a\u{fffd}[2Jb c\u{fffd}d");
        let line = Line::new().link(Style::Dim, "x", "https://a.example/\u{1b}\\");
        assert!(!line.rendered(true).contains("]8;;"));
        let line = Line::new().link(Style::Dim, "x", "javascript:alert(1)");
        assert!(!line.rendered(true).contains("]8;;"));
    }

    #[test]
    fn links_stand_behind_words_only_where_they_work() {
        let line = Line::new().link(Style::Dim, "log", "https://a.example/1");
        let shown = line.rendered(true);
        assert!(shown.contains("\u{1b}]8;;https://a.example/1\u{1b}\\"));
        assert_eq!(plain(&line), "log");
    }

    #[test]
    fn a_line_is_cut_by_columns() {
        let line = Line::from("日本語").styled(Style::Bad, " and more");
        assert_eq!(line.width(), 15);
        assert_eq!(plain(&line.cut(15)), "日本語 and more");
        assert_eq!(plain(&line.cut(9)), "日本語 a…");
        assert_eq!(plain(&line.cut(4)), "日…");
    }

    #[test]
    fn a_line_is_wrapped_between_words() {
        let line = Line::from("one two ").styled(Style::Bad, "three four");
        let lines: Vec<String> = line.wrapped(9).iter().map(plain).collect();
        assert_eq!(lines, ["one two ", "three ", "four"]);
        let line = Line::from("https://example.invalid/long is long");
        let lines: Vec<String> = line.wrapped(9).iter().map(plain).collect();
        assert_eq!(lines, ["https://example.invalid/long ", "is long"]);
    }
}
