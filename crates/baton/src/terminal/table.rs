//! A table for a terminal.

use super::Line;

/// Rows whose columns stand below each other.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Vec<Line>>,
}

/// Between two columns.
const GAP: usize = 2;

/// A column that has to give way keeps at least this.
const NARROWEST_COLUMN: usize = 8;

impl Table {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn row<const COLUMNS: usize>(&mut self, cells: [Line; COLUMNS]) {
        self.rows.push(cells.into());
    }

    /// The rows as lines of at most this width: the widest columns are cut.
    pub(super) fn laid_out(&self, width: usize) -> Vec<Line> {
        let widths = self.widths(width);
        let rows = self.rows.iter();
        rows.map(|row| laid_out(row, &widths)).collect()
    }

    fn widths(&self, width: usize) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(Line::width).max().unwrap_or(0)
            })
            .collect();
        let room = width.saturating_sub(GAP * columns.saturating_sub(1));
        while widths.iter().sum::<usize>() > room {
            match widths.iter_mut().max() {
                Some(widest) if *widest > NARROWEST_COLUMN => *widest -= 1,
                _ => break,
            }
        }
        widths
    }
}

fn laid_out(row: &[Line], widths: &[usize]) -> Line {
    let mut line = Line::new();
    for (number, (cell, width)) in row.iter().zip(widths).enumerate() {
        let cell = cell.cut(*width);
        let is_last = number + 1 == row.len();
        let padding = if is_last {
            0
        } else {
            width - cell.width() + GAP
        };
        line = line.followed_by(cell).text(" ".repeat(padding));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_columns_give_way() {
        let mut table = Table::new();
        table.row(["file".into(), "what happened to it".into(), "".into()]);
        table.row(["src/a.rs".into(), "short".into(), "x".into()]);
        table.row([
            "a/very/long/path/to/some/file.rs".into(),
            "some words".into(),
            "y".into(),
        ]);
        let lines: Vec<String> = table
            .laid_out(40)
            .iter()
            .map(|line| anstream::adapter::strip_str(&line.rendered(false)).to_string())
            .map(|line| line.trim_end().to_owned())
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        file                what happened to…
        src/a.rs            short              x
        a/very/long/path/…  some words         y
        ");
    }
}
