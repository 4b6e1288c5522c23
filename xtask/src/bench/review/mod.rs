//! `cargo xtask bench review --data DIR`: the review beside other scanners, in
//! one run over code that others have labelled, and over projects that are in
//! good health. docs/benchmarks.md says which repositories belong in `DIR`.

mod annotated;
mod material;
mod noise;
mod owasp;
mod samples;
mod sarif;
mod scanner;
mod score;
mod weakness;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use self::material::Material;
use self::scanner::{Scan, Scanner, Scanners};
use self::score::{Counts, Label, grouped, ratio, signed};
use super::table::{Table, shown};
use crate::built::Built;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::peers;
use crate::project::Project;

pub(crate) struct Options {
    /// Checkouts of public repositories.
    pub(crate) data: PathBuf,
    /// Of OWASP's cases, only every so-manieth: semgrep takes minutes for all.
    pub(crate) every: u32,
    /// Names of scanners that are not run.
    pub(crate) without: Vec<String>,
}

pub(crate) fn run(
    project: &Project,
    environment: &Environment,
    options: &Options,
) -> Result<(), Failure> {
    let data = options
        .data
        .canonicalize()
        .map_err(Failure::could_not(format_args!(
            "find {}",
            options.data.display()
        )))?;
    let chosen = Scanner::all_but(&options.without)?;
    let python = peers::ensure(environment, &peers::SCANNERS)?;
    let built = Built::with(project, &["--release", "--package=baton", "--bin=baton"])?;
    let scratch = project.target.join("bench-review");
    fs::create_dir_all(&scratch).map_err(Failure::could_not(format_args!(
        "create {}",
        scratch.display()
    )))?;
    let bench = Bench {
        scanners: Scanners {
            baton: built.program("baton")?.to_owned(),
            bin: python.parent().unwrap_or(&python).to_owned(),
            rules: data.join("semgrep-rules"),
            scratch: scratch.clone(),
        },
        chosen,
        data,
        scratch,
    };
    println!("{}\n", super::machine()?);
    bench.owasp(options.every)?;
    bench.annotated()?;
    bench.samples()?;
    let healthy = bench.repository("healthy")?;
    let material = bench.material("healthy")?;
    print!(
        "{}",
        noise::measure(&bench.scanners, &bench.chosen, &healthy, &material)?
    );
    Ok(())
}

struct Bench {
    scanners: Scanners,
    chosen: Vec<Scanner>,
    data: PathBuf,
    scratch: PathBuf,
}

/// What each scanner made of a set.
type Scans = Vec<(Scanner, Scan)>;

impl Bench {
    fn owasp(&self, every: u32) -> Result<(), Failure> {
        let material = self.material("owasp")?;
        let repository = self.repository("BenchmarkJava")?;
        let every = usize::try_from(every).unwrap_or(usize::MAX);
        let labels = owasp::gather(&repository, every, &material)?;
        let scans = self.scan(&material, &[Scanner::Bandit, Scanner::Ruff])?;
        let mut table = overall("OWASP BenchmarkJava", &labels, &scans);
        if every > 1 {
            let whole = self.material("owasp-all")?;
            let all = owasp::gather(&repository, 1, &whole)?;
            let scan = self.scanners.scan(Scanner::Baton, &whole.folder)?;
            let label = format!("baton, all {} cases", all.len());
            table.row(row(&label, counts(&all, &scan), Some(scan.cpu_seconds)));
        }
        table.note(format!(
            "{} cases{}. A case is found when the scanner names its weakness anywhere in its file.",
            labels.len(),
            match every {
                1 => String::new(),
                every => format!(", one in {every}"),
            }
        ));
        println!("{table}");
        let by = |label: &Label| weakness::name(label.cwe).to_owned();
        let title = "OWASP BenchmarkJava by class: Youden";
        println!(
            "{}",
            split(title, "class", &labels, &scans, by, |counts| signed(
                counts.youden()
            ))
        );
        Ok(())
    }

    fn annotated(&self) -> Result<(), Failure> {
        let material = self.material("annotated")?;
        let labels = annotated::gather(&self.repository("semgrep-rules")?, &material)?;
        // Its rules were written for these very lines.
        let scans = self.scan(&material, &[Scanner::Semgrep])?;
        let mut table = overall("The tests of semgrep-rules", &labels, &scans);
        if let Some((_, baton)) = scans.iter().find(|(of, _)| *of == Scanner::Baton) {
            // Beside those that read nothing else.
            let python = counts(readable(&labels, Scanner::Bandit), baton);
            table.row(row("baton, Python alone", python, None));
        }
        table.note(format!(
            "{} marked places in seven languages. A place is found when the scanner names its weakness there; \
             semgrep is left out, because its rules were written for these lines. Scanners that read Python alone \
             are judged on Python alone.",
            labels.len()
        ));
        println!("{table}");
        let by = |label: &Label| language(label).to_owned();
        let title = "The tests of semgrep-rules by language: precision / recall";
        let both =
            |counts: Counts| format!("{} / {}", ratio(counts.precision()), ratio(counts.recall()));
        println!("{}", split(title, "language", &labels, &scans, by, both));
        let by = |label: &Label| weakness::name(label.cwe).to_owned();
        let title = "The tests of semgrep-rules by class: precision / recall";
        println!("{}", split(title, "class", &labels, &scans, by, both));
        Ok(())
    }

    fn samples(&self) -> Result<(), Failure> {
        let material = self.material("samples")?;
        let labels = samples::gather(&self.repository("gosec")?, &material)?;
        let scans = self.scan(&material, &[Scanner::Bandit, Scanner::Ruff])?;
        let mut table = overall("The samples of gosec", &labels, &scans);
        table.note(format!(
            "{} programs in Go. One is found when the scanner names its weakness anywhere in it.",
            labels.len()
        ));
        println!("{table}");
        let by = |label: &Label| weakness::name(label.cwe).to_owned();
        let title = "The samples of gosec by class: precision / recall";
        let both =
            |counts: Counts| format!("{} / {}", ratio(counts.precision()), ratio(counts.recall()));
        println!("{}", split(title, "class", &labels, &scans, by, both));
        Ok(())
    }

    fn repository(&self, name: &str) -> Result<PathBuf, Failure> {
        let folder = self.data.join(name);
        if folder.is_dir() {
            return Ok(folder);
        }
        Err(Failure::new(format!("there is no {}", folder.display()))
            .next("clone the repositories that docs/benchmarks.md lists into the data folder"))
    }

    fn material(&self, name: &str) -> Result<Material, Failure> {
        Material::empty(self.scratch.join(name))
    }

    fn scan(&self, material: &Material, without: &[Scanner]) -> Result<Scans, Failure> {
        let mut scans = Vec::new();
        for scanner in &self.chosen {
            if !without.contains(scanner) {
                scans.push((*scanner, self.scanners.scan(*scanner, &material.folder)?));
            }
        }
        Ok(scans)
    }
}

fn language(label: &Label) -> &'static str {
    material::language(&label.path).unwrap_or("another")
}

fn counts<'l>(labels: impl IntoIterator<Item = &'l Label>, scan: &Scan) -> Counts {
    let groups = grouped(labels, &scan.alarms, |_| String::new());
    groups.into_values().next().unwrap_or_default()
}

fn readable(labels: &[Label], scanner: Scanner) -> impl Iterator<Item = &Label> {
    labels
        .iter()
        .filter(move |label| scanner.reads(language(label)))
}

fn overall(title: &str, labels: &[Label], scans: &Scans) -> Table {
    let mut table = Table::new(
        title,
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
    for (scanner, scan) in scans {
        let counts = counts(readable(labels, *scanner), scan);
        table.row(row(scanner.name(), counts, Some(scan.cpu_seconds)));
    }
    table
}

fn row(name: &str, counts: Counts, cpu_seconds: Option<f64>) -> [String; 9] {
    [
        name.to_owned(),
        counts.hits.to_string(),
        counts.misses.to_string(),
        counts.alarms.to_string(),
        ratio(counts.precision()),
        ratio(counts.recall()),
        ratio(counts.f1()),
        signed(counts.youden()),
        cpu_seconds.map_or_else(String::new, shown),
    ]
}

/// A row for each group of labels, a column for each scanner.
fn split(
    title: &str,
    what: &str,
    labels: &[Label],
    scans: &Scans,
    group: impl Fn(&Label) -> String,
    cell: impl Fn(Counts) -> String,
) -> Table {
    let header = ["", "weak", "right"];
    let names = scans.iter().map(|(scanner, _)| scanner.name());
    let mut header: Vec<&str> = header.into_iter().chain(names).collect();
    header[0] = what;
    let mut table = Table::new(title, &header);
    let judged: Vec<BTreeMap<String, Counts>> = scans
        .iter()
        .map(|(scanner, scan)| grouped(readable(labels, *scanner), &scan.alarms, &group))
        .collect();
    let sizes = grouped(labels, &[], &group);
    for (name, size) in sizes {
        let mut cells = vec![
            name.clone(),
            size.misses.to_string(),
            size.rests.to_string(),
        ];
        cells.extend(judged.iter().map(|groups| match groups.get(&name) {
            Some(counts) => cell(*counts),
            None => String::new(),
        }));
        table.row(cells);
    }
    table
}
