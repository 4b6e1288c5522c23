//! What the scanners made of a labelled set, as tables.

use std::collections::BTreeMap;

use super::material;
use super::scanner::{Scan, Scanner};
use super::score::{Counts, Label, grouped, ratio, signed};
use super::weakness;
use crate::bench::table::{Table, shown};

pub(super) struct Results {
    pub(super) title: &'static str,
    pub(super) labels: Vec<Label>,
    pub(super) scans: Vec<(Scanner, Scan)>,
}

/// What a cell of a table says.
type Cell = fn(Counts) -> String;

impl Results {
    /// All tables of a set in several languages.
    pub(super) fn print(&self, note: &str) {
        const THREE: &str = "precision / recall / F1";
        let mut table = self.overall();
        for (name, counts) in self.in_python() {
            table.row(row(&name, counts, None));
        }
        table.note(format!(
            "{note} Scanners that read Python alone are judged on Python alone."
        ));
        println!("{table}");
        let title = format!("{} by language: {THREE}", self.title);
        let everyone = |_: Scanner| true;
        let by = |label: &Label| Some(language(label).to_owned());
        println!("{}", self.split(&title, "language", everyone, by, three));
        println!("{}", self.by_class(THREE, three));
        let title = format!("{}, Python alone, by class: {THREE}", self.title);
        let python = |label: &Label| (language(label) == "Python").then(|| class(label));
        println!("{}", self.split(&title, "class", everyone, python, three));
    }

    pub(super) fn overall(&self) -> Table {
        let mut table = Table::new(
            self.title,
            &[
                "scanner",
                "found",
                "missed",
                "false alarms",
                "precision",
                "recall",
                "F1",
                "Youden",
                "CPU s",
            ],
        );
        for (scanner, scan) in &self.scans {
            let counts = counts(readable(&self.labels, *scanner), scan);
            table.row(row(scanner.name(), counts, Some(scan.cpu_seconds)));
        }
        table
    }

    /// Of the scanners that read everything in the set.
    pub(super) fn by_class(&self, values: &str, cell: Cell) -> Table {
        let title = format!("{} by class: {values}", self.title);
        let by = |label: &Label| Some(class(label));
        self.split(&title, "class", reads_all, by, cell)
    }

    /// The others beside those that read nothing but Python.
    fn in_python(&self) -> impl Iterator<Item = (String, Counts)> {
        let all = self.scans.iter().filter(|(scanner, _)| reads_all(*scanner));
        all.map(|(scanner, scan)| {
            let python = self
                .labels
                .iter()
                .filter(|label| language(label) == "Python");
            (
                format!("{}, Python alone", scanner.name()),
                counts(python, scan),
            )
        })
    }

    /// A row for each group of labels, a column for each scanner.
    fn split(
        &self,
        title: &str,
        what: &str,
        takes_part: impl Fn(Scanner) -> bool,
        group: impl Fn(&Label) -> Option<String>,
        cell: Cell,
    ) -> Table {
        let labels = self.labels.iter().filter(|label| group(label).is_some());
        let labels: Vec<&Label> = labels.collect();
        let name = |label: &Label| group(label).unwrap_or_default();
        let taking_part = self
            .scans
            .iter()
            .filter(|(scanner, _)| takes_part(*scanner));
        let mut header = vec![what, "weak", "right"];
        let mut judged: Vec<BTreeMap<String, Counts>> = Vec::new();
        for (scanner, scan) in taking_part {
            header.push(scanner.name());
            let readable = labels
                .iter()
                .copied()
                .filter(|label| scanner.reads(language(label)));
            judged.push(grouped(readable, &scan.alarms, name));
        }
        let mut table = Table::new(title, &header);
        for (name, size) in grouped(labels.iter().copied(), &[], name) {
            let mut cells = vec![
                name.clone(),
                size.misses.to_string(),
                size.rests.to_string(),
            ];
            let told = |groups: &BTreeMap<String, Counts>| groups.get(&name).copied();
            let told = judged.iter().map(told);
            cells.extend(told.map(|counts| counts.map(cell).unwrap_or_default()));
            table.row(cells);
        }
        table
    }
}

pub(super) fn three(counts: Counts) -> String {
    let three = [counts.precision(), counts.recall(), counts.f1()];
    three.map(ratio).join(" / ")
}

pub(super) fn youden(counts: Counts) -> String {
    signed(counts.youden())
}

pub(super) fn counts<'l>(labels: impl IntoIterator<Item = &'l Label>, scan: &'l Scan) -> Counts {
    let groups = grouped(labels, &scan.alarms, |_| String::new());
    groups.into_values().next().unwrap_or_default()
}

pub(super) fn row(name: &str, counts: Counts, cpu_seconds: Option<f64>) -> [String; 9] {
    [
        name.to_owned(),
        counts.hits.to_string(),
        counts.misses.to_string(),
        (counts.alarms + counts.strays).to_string(),
        ratio(counts.precision()),
        ratio(counts.recall()),
        ratio(counts.f1()),
        signed(counts.youden()),
        cpu_seconds.map_or_else(String::new, shown),
    ]
}

fn readable(labels: &[Label], scanner: Scanner) -> impl Iterator<Item = &Label> {
    labels
        .iter()
        .filter(move |label| scanner.reads(language(label)))
}

fn reads_all(scanner: Scanner) -> bool {
    scanner.reads("Go")
}

fn language(label: &Label) -> &'static str {
    material::language(&label.path).unwrap_or("another")
}

fn class(label: &Label) -> String {
    weakness::name(label.cwe).to_owned()
}
