//! A page of text for a terminal, wrapped to its width.

use super::{Line, Look, Style, Table, sanitize};

/// What a person is shown, put together from lines, tables, quotes and
/// commands. Everything that is put in may be foreign text.
pub(crate) struct Page {
    look: Look,
    text: String,
}

/// Columns per level of indentation.
const STEP: usize = 2;

impl Page {
    pub(crate) fn new(look: Look) -> Self {
        Self {
            look,
            text: String::new(),
        }
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Several lines where it is too wide for one.
    pub(crate) fn line(&mut self, level: usize, line: impl Into<Line>) {
        self.hanging(level, &Line::new(), &line.into());
    }

    /// A line with a mark before it; further lines stand below its text.
    pub(crate) fn item(&mut self, level: usize, mark: impl Into<Line>, line: impl Into<Line>) {
        self.hanging(level, &mark.into(), &line.into());
    }

    /// An empty line, but never two of them.
    pub(crate) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    pub(crate) fn heading(&mut self, text: &str) {
        self.gap();
        self.line(0, Line::new().styled(Style::Heading, text));
    }

    /// Foreign text: behind a bar, so that no one takes it for ours.
    /// Every word can be read, in no more lines than that; where there are more,
    /// the last one says so.
    pub(crate) fn quote(&mut self, level: usize, text: &str, most_lines: usize) {
        let text = sanitize(text).replace('\t', "    ");
        let room = self.room_in_quote(level);
        let lines: Vec<Line> = text
            .trim_end()
            .lines()
            .flat_map(|line| Line::from(line.trim_end()).wrapped_hanging(room))
            .collect();
        self.quoted_lines(level, &lines, most_lines);
        if lines.len() > most_lines {
            let more = match lines.len() - most_lines {
                1 => "1 more line".to_owned(),
                more => format!("{more} more lines"),
            };
            let note = format!("… {more}; --json shows all of them");
            self.quoted_line(level, &Line::new().styled(Style::Dim, note));
        }
    }

    /// Foreign code: behind a bar, too, with lines that are cut where they
    /// are too wide, so that they stand below each other.
    pub(crate) fn code(&mut self, level: usize, text: &str, most_lines: usize) {
        let text = sanitize(text).replace('\t', "    ");
        let room = self.room_in_quote(level);
        let lines: Vec<Line> = text
            .trim_end()
            .lines()
            .map(|line| Line::from(line.trim_end()).cut(room))
            .collect();
        self.quoted_lines(level, &lines, most_lines);
        if let Some(more @ 1..) = lines.len().checked_sub(most_lines) {
            let note = Line::new().styled(Style::Dim, format!("… {more} more lines"));
            self.quoted_line(level, &note);
        }
    }

    fn room_in_quote(&self, level: usize) -> usize {
        self.look.width.saturating_sub(level * STEP + STEP)
    }

    fn quoted_lines(&mut self, level: usize, lines: &[Line], most: usize) {
        for line in lines.iter().take(most) {
            self.quoted_line(level, line);
        }
    }

    /// A change of code, line by line, in the usual colours.
    pub(crate) fn diff(&mut self, level: usize, diff: &str) {
        let room = self.look.width.saturating_sub(level * STEP + STEP);
        for line in diff.trim_end().lines() {
            let style = match line.as_bytes().first() {
                Some(b'+') => Style::Good,
                Some(b'-') => Style::Bad,
                Some(b'@') => Style::Command,
                _ => Style::Plain,
            };
            let line = line.trim_end().replace('\t', "    ");
            self.quoted_line(level, &Line::new().styled(style, line).cut(room));
        }
    }

    /// A drawing, whose spaces matter.
    pub(crate) fn drawing(&mut self, level: usize, drawing: &str) {
        for line in drawing.trim_end().lines() {
            self.raw(level, &Line::from(line));
        }
    }

    /// To be copied, so it stays in one piece.
    pub(crate) fn command(&mut self, level: usize, command: &str) {
        let line = Line::new()
            .styled(Style::Dim, "$ ")
            .styled(Style::Command, command);
        self.raw(level, &line);
    }

    /// An address, where it could not stand behind a word.
    pub(crate) fn address(&mut self, level: usize, address: &str) {
        if !self.look.links && !address.is_empty() {
            self.raw(level, &Line::new().styled(Style::Dim, address));
        }
    }

    pub(crate) fn table(&mut self, level: usize, table: &Table) {
        for row in table.laid_out(self.look.width.saturating_sub(level * STEP)) {
            self.raw(level, &row);
        }
    }

    fn quoted_line(&mut self, level: usize, line: &Line) {
        let bar = Style::Dim.paint(if line.is_empty() { "│" } else { "│ " });
        let text = line.rendered(self.look.links);
        self.push(level, &format!("{bar}{text}"));
    }

    fn hanging(&mut self, level: usize, mark: &Line, line: &Line) {
        let room = self.look.width.saturating_sub(level * STEP + mark.width());
        let mut before = mark.rendered(self.look.links);
        for part in line.wrapped(room.max(1)) {
            let text = part.rendered(self.look.links);
            self.push(level, &format!("{before}{text}"));
            before = " ".repeat(mark.width());
        }
    }

    fn raw(&mut self, level: usize, line: &Line) {
        let text = line.rendered(self.look.links);
        self.push(level, &text);
    }

    fn push(&mut self, level: usize, text: &str) {
        for _ in 0..level * STEP {
            self.text.push(' ');
        }
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(fill: impl FnOnce(&mut Page)) -> String {
        let mut page = Page::new(Look::new(40, false));
        fill(&mut page);
        anstream::adapter::strip_str(&page.into_text()).to_string()
    }

    #[test]
    fn a_page_is_laid_out_within_its_width() {
        let text = shown(|page| {
            page.line(0, "A line that is too long for the page and goes on");
            page.gap();
            page.gap();
            page.item(
                1,
                "1. ",
                "An item that is too long for it, too, so it hangs",
            );
            page.heading("Quoted");
            page.quote(
                1,
                "short\n    - a point that is longer than the page is wide\n\nx\ny\n",
                5,
            );
            page.code(
                1,
                "short\n\ta line of code that has no end at all\n\nx\ny\n",
                3,
            );
            page.command(1, "git rebase --onto origin/main 0123456789abcdef feature");
            page.address(1, "https://example.invalid/");
        });
        insta::assert_snapshot!(text, @"
        A line that is too long for the page and
        goes on

          1. An item that is too long for it,
             too, so it hangs

        Quoted
          │ short
          │     - a point that is longer than
          │     the page is wide
          │
          │ x
          │ … 1 more line; --json shows all of them
          │ short
          │     a line of code that has no end …
          │
          │ … 2 more lines
          $ git rebase --onto origin/main 0123456789abcdef feature
          https://example.invalid/
        ");
    }
}
