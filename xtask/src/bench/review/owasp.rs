//! OWASP's benchmarks: a file for each case, and one that says which are weak.

use std::path::Path;

use super::material::{self, Material};
use super::score::{Label, Verdict};
use crate::failure::Failure;

/// The benchmark in one language.
pub(super) struct Edition {
    /// The repository.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    truth: &'static str,
    cases: &'static str,
    extension: &'static str,
}

pub(super) const JAVA: Edition = Edition {
    name: "BenchmarkJava",
    title: "OWASP BenchmarkJava",
    truth: "expectedresults-1.2.csv",
    cases: "src/main/java/org/owasp/benchmark/testcode",
    extension: "java",
};

pub(super) const PYTHON: Edition = Edition {
    name: "BenchmarkPython",
    title: "OWASP BenchmarkPython",
    truth: "expectedresults-0.1.csv",
    cases: "testcode",
    extension: "py",
};

impl Edition {
    pub(super) fn is_python(&self) -> bool {
        self.extension == "py"
    }
}

/// Every `every`th case, from the first.
pub(super) fn gather(
    edition: &Edition,
    repository: &Path,
    every: usize,
    material: &Material,
) -> Result<Vec<Label>, Failure> {
    let truth = material::read(&repository.join(edition.truth))?;
    let labels: Vec<Label> = labels(&truth, edition.extension)
        .into_iter()
        .step_by(every)
        .collect();
    for label in &labels {
        let content = material::read(&repository.join(edition.cases).join(&label.path))?;
        material.add(&label.path, &content)?;
    }
    Ok(labels)
}

/// Rows of `name, category, whether it is weak, cwe`.
fn labels(truth: &str, extension: &str) -> Vec<Label> {
    let rows = truth.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| {
        let mut cells = row.split(',').map(str::trim);
        let (name, _, is_weak, cwe) = (cells.next()?, cells.next()?, cells.next()?, cells.next()?);
        Some(Label {
            path: format!("{name}.{extension}"),
            lines: None,
            cwe: cwe.parse().ok()?,
            verdict: Verdict::from_label(is_weak == "true"),
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_labels() {
        let truth = "# test name, category\nBenchmarkTest00001,pathtraver,true,22\nBenchmarkTest00002,hash,false,328\nrubbish\n";
        let told: Vec<_> = labels(truth, "java")
            .into_iter()
            .map(|label| (label.path, label.cwe, label.verdict == Verdict::Weak))
            .collect();
        assert_eq!(
            told,
            [
                ("BenchmarkTest00001.java".to_owned(), 22, true),
                ("BenchmarkTest00002.java".to_owned(), 328, false)
            ]
        );
    }
}
