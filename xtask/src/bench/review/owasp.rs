//! OWASP `BenchmarkJava`: a file for each case, and one that says which are weak.

use std::path::Path;

use super::material::{self, Material};
use super::score::{Label, Verdict};
use crate::failure::Failure;

const TRUTH: &str = "expectedresults-1.2.csv";
const CASES: &str = "src/main/java/org/owasp/benchmark/testcode";

/// Every `every`th case, from the first.
pub(super) fn gather(
    repository: &Path,
    every: usize,
    material: &Material,
) -> Result<Vec<Label>, Failure> {
    let mut labels = labels(&material::read(&repository.join(TRUTH))?);
    labels = labels.into_iter().step_by(every).collect();
    for label in &labels {
        let content = material::read(&repository.join(CASES).join(&label.path))?;
        material.add(&label.path, &content)?;
    }
    Ok(labels)
}

/// Rows of `name, category, whether it is weak, cwe`.
fn labels(truth: &str) -> Vec<Label> {
    let rows = truth.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| {
        let mut cells = row.split(',').map(str::trim);
        let (name, _, is_weak, cwe) = (cells.next()?, cells.next()?, cells.next()?, cells.next()?);
        Some(Label {
            path: format!("{name}.java"),
            lines: None,
            cwe: cwe.parse().ok()?,
            verdict: Verdict::of(is_weak == "true"),
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
        let told: Vec<_> = labels(truth)
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
