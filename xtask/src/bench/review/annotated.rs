//! The tests of semgrep-rules: code with comments such as `ruleid: x` above a
//! line that rule `x` has to find, and `ok: x` above one that it must not. The
//! rules say which weakness they are about.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::material::{self, Material};
use super::score::{Label, Verdict};
use super::weakness;
use crate::failure::Failure;

/// The folders of the languages that the review reads.
pub(super) const FOLDERS: [&str; 7] = [
    "go",
    "java",
    "javascript",
    "python",
    "ruby",
    "rust",
    "typescript",
];

/// A pattern of several lines is marked at its first, where the source is; the
/// sink comes a few lines later.
const REACH: u32 = 3;

pub(super) fn gather(repository: &Path, material: &Material) -> Result<Vec<Label>, Failure> {
    let mut labels = Vec::new();
    for folder in FOLDERS {
        let files = material::files_below(&repository.join(folder))?;
        let mut rules: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for file in files.iter().filter(|file| is_rule(file)) {
            rules.entry(stem(file)).or_default().push(file);
        }
        for file in &files {
            let is_test = material::language(file).is_some() && !file.contains(".fixed.");
            let Some(beside) = rules.get(stem(file)).filter(|_| is_test) else {
                continue;
            };
            let mut weaknesses = BTreeMap::new();
            for rule in beside {
                let text = material::read(&repository.join(folder).join(rule))?;
                weaknesses.extend(weaknesses_of(&text));
            }
            let path = format!("{folder}/{}", file.replace(".test.", "."));
            let text = material::read(&repository.join(folder).join(file))?;
            let found = labels_in(&path, &text, &weaknesses);
            if !found.is_empty() {
                material.add(&path, &text)?;
                labels.extend(found);
            }
        }
    }
    Ok(labels)
}

fn is_rule(file: &str) -> bool {
    let ending = file.rsplit('.').next();
    matches!(ending, Some("yaml" | "yml")) && !file.contains(".test.")
}

/// The path without any ending: a rule and its tests share it.
fn stem(file: &str) -> &str {
    let name_at = file.rfind('/').map_or(0, |slash| slash + 1);
    let ending = file[name_at..].find('.');
    ending.map_or(file, |dot| &file[..name_at + dot])
}

/// The numbers of the weaknesses by rule, for rules about security. Read line
/// by line: the files are all laid out alike.
fn weaknesses_of(rules: &str) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    let mut blocks: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in rules.lines() {
        if let Some(id) = line.trim_start().strip_prefix("- id:") {
            blocks.push((id.trim(), Vec::new()));
        } else if let Some((_, lines)) = blocks.last_mut() {
            lines.push(line.trim());
        }
    }
    for (id, lines) in blocks {
        let cwe = lines.iter().find_map(|line| {
            let (_, number) = line.split_once("CWE-")?;
            let end = number.find(|letter: char| !letter.is_ascii_digit());
            number[..end.unwrap_or(number.len())].parse().ok()
        });
        let is_security = lines.contains(&"category: security");
        if let Some(cwe) = cwe.filter(|_| is_security) {
            found.insert(id.to_owned(), cwe);
        }
    }
    found
}

fn labels_in(path: &str, text: &str, weaknesses: &BTreeMap<String, u32>) -> Vec<Label> {
    let annotations: Vec<_> = (1_u32..)
        .zip(text.lines())
        .filter_map(|(line, text)| Some((line, annotation(text)?)))
        .collect();
    // One label for a place and a class, however many rules name it.
    let mut marks: BTreeMap<(u32, u32, u32), (u32, bool)> = BTreeMap::new();
    let lines: BTreeSet<u32> = annotations.iter().map(|(line, _)| *line).collect();
    for (line, (is_weak, rules)) in &annotations {
        // Comments that stand together are about the same line.
        let mut first = line + 1;
        while lines.contains(&first) {
            first += 1;
        }
        let next = lines.range(first..).next().copied().unwrap_or(u32::MAX);
        let last = (first + REACH).min(next - 1);
        for cwe in rules.iter().filter_map(|rule| weaknesses.get(*rule)) {
            let mark = marks
                .entry((first, last, weakness::representative(*cwe)))
                .or_insert((*cwe, *is_weak));
            // Right for one rule and wrong for another is wrong.
            mark.1 |= is_weak;
        }
    }
    let label = |((first, last, _), (cwe, is_weak))| Label {
        path: path.to_owned(),
        lines: Some((first, last)),
        cwe,
        verdict: Verdict::from_label(is_weak),
    };
    marks.into_iter().map(label).collect()
}

/// Whether the line below is weak, and for which rules. Marks such as
/// `todoruleid` are what semgrep cannot do, and are no labels.
fn annotation(line: &str) -> Option<(bool, Vec<&str>)> {
    let (is_weak, (before, rules)) = match line.split_once("ruleid:") {
        Some(parts) => (true, parts),
        None => (false, line.split_once("ok:")?),
    };
    let opens = ["//", "#", "/*", "<!--"];
    if !opens.iter().any(|open| before.trim_end().ends_with(open)) {
        return None;
    }
    let rules = rules
        .split(|letter: char| letter == ',' || letter.is_whitespace())
        .filter(|word| !word.is_empty())
        // Rules are sometimes named with their folders.
        .map(|word| word.rsplit('.').next().unwrap_or(word));
    Some((is_weak, rules.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "\
rules:
- id: raw
  metadata:
    cwe:
    - \"CWE-89: Improper Neutralization\"
    category: security
- id: style
  metadata:
    category: best-practice
- id: shell
  metadata:
    category: security
    cwe: 'CWE-78: OS Command'
";

    fn told(text: &str) -> Vec<(u32, u32, u32, bool)> {
        let labels = labels_in("a.py", text, &weaknesses_of(RULES));
        labels
            .into_iter()
            .map(|label| {
                let (first, last) = label.lines.unwrap();
                (first, last, label.cwe, label.verdict == Verdict::Weak)
            })
            .collect()
    }

    #[test]
    fn marks_are_about_the_lines_below_up_to_the_next_mark() {
        let text = "\
# ruleid: raw
query(a)
# ok: raw
query(b)
print()
print()
print()
print()
# ruleid: shell, style
# ok: python.lang.raw
run(c)
# todoruleid: raw
query(d)
";
        assert_eq!(
            told(text),
            [
                (2, 2, 89, true),
                (4, 7, 89, false),
                (11, 14, 78, true),
                (11, 14, 89, false),
            ]
        );
    }

    #[test]
    fn what_one_rule_calls_weak_is_weak() {
        assert_eq!(
            told("// ok: raw\n// ruleid: raw\nquery()\n"),
            [(3, 6, 89, true)]
        );
    }

    #[test]
    fn a_test_shares_its_rules_name() {
        assert_eq!(stem("lang/a.b/raw.test.py"), "lang/a.b/raw");
        assert_eq!(stem("lang/raw.yaml"), "lang/raw");
    }
}
