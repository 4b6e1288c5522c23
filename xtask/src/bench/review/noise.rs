//! What the scanners say about projects in good health, where nearly every
//! finding is noise.

use std::path::Path;

use super::material::{Material, files_below, language, read};
use super::scanner::{Scanner, Scanners};
use crate::bench::table::{Table, shown};
use crate::failure::Failure;

/// Folders below that of the data, with the language that most of each is in.
const PROJECTS: [(&str, &str); 9] = [
    ("click", "Python"),
    ("flask", "Python"),
    ("requests", "Python"),
    ("rich", "Python"),
    ("express", "JavaScript"),
    ("gin", "Go"),
    ("gson", "Java"),
    ("ripgrep", "Rust"),
    ("rails/activesupport", "Ruby"),
];

/// All projects in one run of each scanner: semgrep takes longer to read its
/// rules than to apply them.
pub(super) fn measure(
    scanners: &Scanners,
    chosen: &[Scanner],
    healthy: &Path,
    material: &Material,
) -> Result<Table, Failure> {
    let names = chosen.iter().map(|scanner| scanner.name());
    let header: Vec<&str> = ["project", "lines"].into_iter().chain(names).collect();
    let mut table = Table::new("Findings in healthy projects", &header);
    let mut sizes = Vec::new();
    for (project, _) in PROJECTS {
        sizes.push(copy(&healthy.join(project), project, material)?);
    }
    let mut scans = Vec::new();
    for scanner in chosen {
        scans.push(scanners.scan(*scanner, &material.folder)?);
    }
    let mut total = Total::new(chosen.len());
    for ((project, spoken), (files, lines)) in PROJECTS.into_iter().zip(sizes) {
        let mut cells = vec![format!("{project} ({spoken})"), lines.to_string()];
        total.lines += lines;
        for (at, (scanner, scan)) in chosen.iter().zip(&scans).enumerate() {
            if !scanner.reads(spoken) {
                cells.push(String::new());
                continue;
            }
            let is_here = |path: &str| {
                path.strip_prefix(project)
                    .is_some_and(|p| p.starts_with('/'))
            };
            let here = scan.alarms.iter().filter(|alarm| is_here(&alarm.path));
            let count = u32::try_from(here.count()).unwrap_or(u32::MAX);
            cells.push(count.to_string());
            total.findings[at] += count;
            total.read[at] += lines;
            total.files[at] += files;
            total.cpu_seconds[at] = scan.cpu_seconds;
        }
        table.row(cells);
    }
    for cells in total.rows() {
        table.row(cells);
    }
    table.note(
        "Each as it comes: baton from medium severity on, with the code review; semgrep without folders that are \
         called test or tests. Lines are those of the seven languages, tests included.",
    );
    Ok(table)
}

/// The sources of a project; how many they are, and how many lines they have.
fn copy(project: &Path, name: &str, material: &Material) -> Result<(u32, u32), Failure> {
    let (mut files, mut lines) = (0, 0);
    for file in files_below(project)? {
        if language(&file).is_some() {
            let text = read(&project.join(&file))?;
            files += 1;
            lines += text.lines().count();
            material.add(&format!("{name}/{file}"), &text)?;
        }
    }
    Ok((files, u32::try_from(lines).unwrap_or(u32::MAX)))
}

/// For each scanner.
struct Total {
    lines: u32,
    findings: Vec<u32>,
    read: Vec<u32>,
    files: Vec<u32>,
    cpu_seconds: Vec<f64>,
}

impl Total {
    fn new(scanners: usize) -> Self {
        Self {
            lines: 0,
            findings: vec![0; scanners],
            read: vec![0; scanners],
            files: vec![0; scanners],
            cpu_seconds: vec![0.0; scanners],
        }
    }

    fn rows(&self) -> [Vec<String>; 4] {
        let row = |name: &str, lines: String, cell: &dyn Fn(usize) -> String| {
            let cells = (0..self.findings.len()).map(cell);
            [name.to_owned(), lines].into_iter().chain(cells).collect()
        };
        [
            row("all", self.lines.to_string(), &|at| {
                self.findings[at].to_string()
            }),
            row("lines for each finding", String::new(), &|at| {
                let each = self.read[at].checked_div(self.findings[at]);
                each.map_or_else(|| "–".to_owned(), |lines| lines.to_string())
            }),
            row("CPU s", String::new(), &|at| shown(self.cpu_seconds[at])),
            row("files for each CPU s", String::new(), &|at| {
                shown(f64::from(self.files[at]) / self.cpu_seconds[at])
            }),
        ]
    }
}
