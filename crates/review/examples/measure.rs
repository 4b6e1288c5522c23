//! Measures the security review against labelled code.
//!
//! ```text
//! cargo run --release -p baton-review --example measure -- FOLDER TRUTH.csv
//! cargo run --release -p baton-review --example measure -- FOLDER
//! ```
//!
//! The truth is OWASP Benchmark's `expectedresults-*.csv` (`test name, category,
//! real vulnerability, cwe`), or `path,class,vulnerable` with classes as the
//! rules name them. Without a truth file the findings are counted, as a measure
//! of noise, and given one to a line.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, io};

use baton_review::{ChangedFile, Finding, Language, Options, Touched, review};

/// OWASP's categories, and the classes that answer them.
const OWASP: [(&str, &[&str]); 11] = [
    ("sqli", &["sql-injection"]),
    ("cmdi", &["command-injection"]),
    ("pathtraver", &["path-traversal"]),
    ("xss", &["xss"]),
    ("ldapi", &["ldap-injection"]),
    ("xpathi", &["xpath-injection"]),
    ("trustbound", &["trust-boundary"]),
    ("crypto", &["weak-cipher"]),
    ("hash", &["weak-hash"]),
    ("weakrand", &["weak-random"]),
    ("securecookie", &["insecure-cookie"]),
];

struct Label {
    path: String,
    category: String,
    classes: Vec<String>,
    vulnerable: bool,
}

#[derive(Default)]
struct Counts {
    hits: u32,
    misses: u32,
    alarms: u32,
    rests: u32,
}

impl Counts {
    fn row(&self, name: &str) -> String {
        let share = |part: u32, other: u32| f64::from(part) / f64::from((part + other).max(1));
        let recall = share(self.hits, self.misses);
        let fall_out = share(self.alarms, self.rests);
        let precision = share(self.hits, self.alarms);
        let f1 = 2.0 * precision * recall / (precision + recall).max(f64::EPSILON);
        format!(
            "{name:<24} {:>5} {:>5} {:>5} {:>5}  {recall:>6.3} {fall_out:>6.3} {precision:>6.3} {f1:>6.3} {:>+7.3}",
            self.hits,
            self.misses,
            self.alarms,
            self.rests,
            recall - fall_out
        )
    }

    fn add(&mut self, vulnerable: bool, found: bool) {
        match (vulnerable, found) {
            (true, true) => self.hits += 1,
            (true, false) => self.misses += 1,
            (false, true) => self.alarms += 1,
            (false, false) => self.rests += 1,
        }
    }
}

#[expect(clippy::print_stdout, reason = "a program for people")]
fn main() -> io::Result<()> {
    let mut args = env::args_os().skip(1).map(PathBuf::from);
    let Some(folder) = args.next() else {
        println!("usage: measure FOLDER [TRUTH.csv]");
        return Ok(());
    };
    let truth = args.next();
    let verbose = args.next().is_some();
    let files = read_all(&folder)?;
    let (findings, took) = reviewed(&files);
    let seconds = took.as_secs_f64();
    let lines: usize = files
        .iter()
        .map(|(_, bytes)| bytes.split(|b| *b == b'\n').count())
        .sum();
    match truth {
        Some(truth) => {
            let labels = labels(&fs::read_to_string(truth)?);
            for line in table(&labels, &findings, verbose) {
                println!("{line}");
            }
        }
        None => {
            for finding in &findings {
                println!(
                    "{} {} {finding} | {}",
                    finding.severity, finding.rule, finding.excerpt
                );
            }
        }
    }
    println!(
        "{} files, {lines} lines, {} findings (one per {} lines), {seconds:.3} s, {:.0} files/s",
        files.len(),
        findings.len(),
        lines / findings.len().max(1),
        f64::from(u32::try_from(files.len()).unwrap_or(u32::MAX)) / seconds
    );
    Ok(())
}

fn reviewed(files: &[(String, Vec<u8>)]) -> (Vec<Finding>, Duration) {
    let changed: Vec<_> = files
        .iter()
        .map(|(path, bytes)| ChangedFile {
            path,
            before: None,
            after: Some(bytes),
            touched: Touched::All,
        })
        .collect();
    let start = Instant::now();
    let findings = review(&changed, &Options::default()).findings;
    (findings, start.elapsed())
}

fn read_all(folder: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            let relative = path.strip_prefix(folder).unwrap_or(&path);
            let name = relative.to_string_lossy().replace('\\', "/");
            if path.is_symlink() || name.contains("node_modules") || name.starts_with(".git/") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if Language::from_path(&name).is_some() {
                files.push((name, fs::read(&path)?));
            }
        }
    }
    files.sort();
    Ok(files)
}

fn labels(text: &str) -> Vec<Label> {
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| {
        let mut cells = row.split(',').map(str::trim);
        let (path, category, vulnerable) = (cells.next()?, cells.next()?, cells.next()?);
        let known = OWASP.iter().find(|(name, _)| *name == category);
        let classes = match known {
            Some((_, classes)) => classes.iter().map(|class| (*class).to_owned()).collect(),
            None => category.split('|').map(str::to_owned).collect(),
        };
        Some(Label {
            path: path.to_owned(),
            category: category.to_owned(),
            classes,
            vulnerable: matches!(vulnerable, "true" | "1" | "yes"),
        })
    })
    .collect()
}

/// A row for each category, one for all, and their mean as OWASP scores it.
fn table(labels: &[Label], findings: &[Finding], verbose: bool) -> Vec<String> {
    let mut by_file: HashMap<&str, HashSet<&str>> = HashMap::new();
    for finding in findings {
        let path = finding.place.path.as_str();
        let stem = path
            .rsplit('/')
            .next()
            .and_then(|name| name.split('.').next());
        for key in [Some(path), stem].into_iter().flatten() {
            by_file.entry(key).or_default().insert(&finding.class);
        }
    }
    let mut lines = Vec::new();
    let mut rows: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut all = Counts::default();
    for label in labels {
        let found = by_file.get(label.path.as_str()).is_some_and(|classes| {
            label
                .classes
                .iter()
                .any(|class| classes.contains(class.as_str()))
        });
        rows.entry(&label.category)
            .or_default()
            .add(label.vulnerable, found);
        all.add(label.vulnerable, found);
        if verbose && found != label.vulnerable {
            let kind = if found { "alarm" } else { "miss" };
            lines.push(format!("{kind} {} {}", label.category, label.path));
        }
    }
    lines.push(format!(
        "{:<24} {:>5} {:>5} {:>5} {:>5}  {:>6} {:>6} {:>6} {:>6} {:>7}",
        "class", "TP", "FN", "FP", "TN", "recall", "fpr", "prec", "F1", "Youden"
    ));
    lines.extend(rows.iter().map(|(name, counts)| counts.row(name)));
    lines.push(all.row("all"));
    lines
}
