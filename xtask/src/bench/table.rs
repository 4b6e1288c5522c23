//! Tables of figures.

use std::fmt;

/// A Markdown table. Columns after the first are numbers.
pub(super) struct Table {
    title: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

impl Table {
    pub(super) fn new(title: impl Into<String>, header: &[&str]) -> Self {
        Self {
            title: title.into(),
            header: header.iter().map(|&cell| cell.to_owned()).collect(),
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(super) fn row(&mut self, cells: impl Into<Vec<String>>) {
        let cells = cells.into();
        debug_assert_eq!(cells.len(), self.header.len(), "{}", self.title);
        self.rows.push(cells);
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "### {}\n\n| {} |", self.title, self.header.join(" | "))?;
        writeln!(f, "|---|{}", "---:|".repeat(self.header.len() - 1))?;
        for row in &self.rows {
            writeln!(f, "| {} |", row.join(" | "))?;
        }
        for note in &self.notes {
            writeln!(f, "\n{note}")?;
        }
        Ok(())
    }
}

/// Three digits that count: 0.123, 1.23, 12.3, 123, 1234.
pub(super) fn shown(number: f64) -> String {
    let decimals = match number.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    format!("{number:.decimals$}")
}

pub(super) fn times(ratio: f64) -> String {
    format!("{} ×", shown(ratio))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_markdown() {
        let mut table = Table::new("Start", &["program", "µs"]);
        table.row(["`true`".to_owned(), shown(512.4)]);
        table.row(["`baton`".to_owned(), shown(1.234)]);
        table.note("Median of two.");
        insta::assert_snapshot!(table, @"
        ### Start

        | program | µs |
        |---|---:|
        | `true` | 512 |
        | `baton` | 1.23 |

        Median of two.
        ");
    }
}
