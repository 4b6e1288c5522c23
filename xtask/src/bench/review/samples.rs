//! gosec's own samples: Go programs in Go literals, each with the number of
//! problems that its rule has to find. Those with a number above zero are weak.

use std::collections::HashMap;
use std::path::Path;

use super::material::{self, Material};
use super::score::{Label, Verdict};
use super::weakness;
use crate::failure::Failure;

/// Its numbers of weaknesses, such as `"G101": "798"`.
const NUMBERS: &str = "issue/issue.go";
const SAMPLES: &str = "testutils";

/// A request to an address that varies, which it numbers as if it were a
/// command, as no other scanner does.
const MISNUMBERED: &str = "G107";

pub(super) fn gather(repository: &Path, material: &Material) -> Result<Vec<Label>, Failure> {
    let numbers = numbers(&material::read(&repository.join(NUMBERS))?);
    let folder = repository.join(SAMPLES);
    let mut labels = Vec::new();
    for name in material::files_below(&folder)? {
        let Some(rule) = name.strip_suffix("_samples.go").map(str::to_uppercase) else {
            continue;
        };
        let known = numbers.get(&rule).copied();
        // Overflows and leaks are not what these scanners look for.
        let Some(cwe) = known.filter(|cwe| weakness::class(*cwe).is_some() && rule != MISNUMBERED)
        else {
            continue;
        };
        let text = material::read(&folder.join(&name))?;
        for (at, sample) in samples(&text).into_iter().enumerate() {
            let path = format!("{}/{at}/main.go", rule.to_lowercase());
            material.add(&path, sample.code)?;
            labels.push(Label {
                path,
                lines: None,
                cwe,
                verdict: Verdict::from_label(sample.problems > 0),
            });
        }
    }
    Ok(labels)
}

fn numbers(source: &str) -> HashMap<String, u32> {
    let rows = source.lines().filter_map(|line| {
        let (rule, cwe) = line.trim().strip_suffix(',')?.split_once(':')?;
        let rule = rule.trim().strip_prefix('"')?.strip_suffix('"')?;
        let cwe = cwe.trim().strip_prefix('"')?.strip_suffix('"')?;
        rule.starts_with('G')
            .then_some((rule.to_owned(), cwe.parse().ok()?))
    });
    rows.collect()
}

struct Sample<'a> {
    code: &'a str,
    problems: u32,
}

/// Programs of one file, judged as gosec does without settings.
fn samples(source: &str) -> Vec<Sample<'_>> {
    let begins = source
        .match_indices("[]string{")
        .map(|(at, mark)| at + mark.len());
    begins.filter_map(|at| sample(&source[at..])).collect()
}

fn sample(rest: &str) -> Option<Sample<'_>> {
    let (code, rest) = rest.trim_start().strip_prefix('`')?.split_once('`')?;
    let rest = rest.trim_start().trim_start_matches(',').trim_start();
    let rest = rest.strip_prefix('}')?.trim_start().strip_prefix(',')?;
    let rest = named(rest, "Errors:");
    let (problems, rest) = rest.split_once(',')?;
    let has_settings = !named(rest, "Config:").starts_with("gosec.NewConfig()");
    if has_settings {
        return None;
    }
    let problems = problems.trim().parse().ok()?;
    Some(Sample { code, problems })
}

/// A field of a literal may be named.
fn named<'a>(rest: &'a str, name: &str) -> &'a str {
    let rest = rest.trim_start();
    rest.strip_prefix(name).unwrap_or(rest).trim_start()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_come_out_of_both_kinds_of_literals() {
        let source = "
var Sample = []CodeSample{
    {[]string{`
package a`}, 2, gosec.NewConfig()},
    {
        Code: []string{`package b`},
        Errors: 0,
        Config: gosec.NewConfig(),
    },
    {[]string{`package c`, `package d`}, 1, gosec.NewConfig()},
    {[]string{`package e`}, 1, gosec.Config{\"G101\": 1}},
    {[]string{`package ` + \"f\"}, 1, gosec.NewConfig()},
}";
        let told: Vec<_> = samples(source)
            .iter()
            .map(|sample| (sample.code.trim(), sample.problems))
            .collect();
        assert_eq!(told, [("package a", 2), ("package b", 0)]);
    }

    #[test]
    fn numbers_are_read_from_the_table() {
        let source =
            "var idWeaknessMapping = map[string]string{\n\t\"G101\": \"798\",\n\t\"x\": \"y\",\n}";
        assert_eq!(numbers(source), HashMap::from([("G101".to_owned(), 798)]));
    }
}
