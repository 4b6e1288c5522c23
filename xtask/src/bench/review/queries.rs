//! The tests of `CodeQL`'s queries about security: code in folders that are named
//! after a weakness, each with the list of all places where its queries find it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::material::{self, Material};
use super::score::{Label, Verdict};
use super::weakness;
use crate::failure::Failure;

/// One for each language; TypeScript is among JavaScript.
const FOLDERS: [&str; 6] = [
    "go/ql/test/query-tests/Security",
    "java/ql/test/query-tests/security",
    "javascript/ql/test/query-tests/Security",
    "python/ql/test/query-tests/Security",
    "ruby/ql/test/query-tests/security",
    "rust/ql/test/query-tests/security",
];

/// A file with more places than this is generated, a call to everything that a
/// library offers, and would outweigh all the others.
const GENERATED: usize = 200;

/// The places that a query's test lists, by file and class.
type Weak = BTreeMap<(String, u32), BTreeSet<(u32, u32)>>;

pub(super) fn gather(repository: &Path, material: &Material) -> Result<Vec<Label>, Failure> {
    let mut labels = Vec::new();
    for folder in FOLDERS {
        let root = repository.join(folder);
        let files = material::files_below(&root)?;
        let mut weak = Weak::new();
        for expected in files.iter().filter(|file| file.ends_with(".expected")) {
            let Some(cwe) = judged(expected) else {
                continue;
            };
            for (file, lines) in places(&material::read(&root.join(expected))?) {
                let found = weak.entry((beside(expected, file), cwe)).or_default();
                found.insert(lines);
            }
        }
        // The first letters of the folder are the language, which keeps the paths short.
        let language = folder.split('/').next().unwrap_or(folder);
        for file in &files {
            let Some(cwe) = judged(file).filter(|_| is_code(file)) else {
                continue;
            };
            let path = format!("{language}/{}", neutral(file));
            material.add(&path, &without_answers(&material::read(&root.join(file))?))?;
            let places = weak.remove(&(file.clone(), cwe)).unwrap_or_default();
            if places.len() > GENERATED {
                continue;
            }
            labels.extend(labels_of(&path, cwe, &places));
        }
    }
    Ok(labels)
}

fn labels_of(path: &str, cwe: u32, places: &BTreeSet<(u32, u32)>) -> Vec<Label> {
    let label = |lines, verdict| Label {
        path: path.to_owned(),
        lines,
        cwe,
        verdict,
    };
    let weak = places
        .iter()
        .map(|place| label(Some(*place), Verdict::Weak));
    weak.chain([label(None, Verdict::RightElsewhere)]).collect()
}

/// Libraries are there for the compiler and have no labels.
fn is_code(file: &str) -> bool {
    material::language(file).is_some() && !file.split('/').any(|part| part == "vendor")
}

/// Scanners leave tests out, or take them less seriously.
fn neutral(file: &str) -> String {
    file.replace("test", "case").replace("Test", "Case")
}

/// The weakness that the folder of a file is named after, if scanners look for it.
fn judged(file: &str) -> Option<u32> {
    let lower = file.to_ascii_lowercase();
    let (_, number) = lower.split_once("cwe-")?;
    let end = number.find(|letter: char| !letter.is_ascii_digit());
    let cwe = number[..end.unwrap_or(number.len())].parse().ok()?;
    weakness::class(cwe).map(|_| weakness::representative(cwe))
}

/// A query that follows values lists its steps as well; its findings are in a
/// section of their own then.
fn places(expected: &str) -> Vec<(&str, (u32, u32))> {
    let is_section = |line: &&str| !line.is_empty() && !line.starts_with('|');
    let findings = match expected.split_once("#select\n") {
        Some((_, findings)) => findings,
        // The lists of steps of a query without findings.
        None if expected.lines().any(|line| is_section(&line)) => "",
        None => expected,
    };
    let rows = findings.lines().take_while(|line| !is_section(line));
    rows.filter_map(place).collect()
}

/// `| file.py:3:5:4:9 | …`
fn place(row: &str) -> Option<(&str, (u32, u32))> {
    let place = row.strip_prefix("| ")?.split(" |").next()?;
    let mut parts = place.rsplitn(5, ':');
    let (_, end, _, start) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    Some((parts.next()?, (start.parse().ok()?, end.parse().ok()?)))
}

/// A path that is relative to the folder of `expected`.
fn beside(expected: &str, file: &str) -> String {
    let mut parts: Vec<&str> = expected.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Comments such as `// $ Alert` tell what a query has to find; they end where
/// the line does.
fn without_answers(code: &str) -> String {
    let mut cleaned = String::with_capacity(code.len());
    for line in code.lines() {
        let marks = ["// $", "# $"]
            .into_iter()
            .filter_map(|mark| line.find(mark));
        cleaned.push_str(&line[..marks.min().unwrap_or(line.len())]);
        cleaned.push('\n');
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_told_from_steps() {
        let listed = "edges\n| a.py:1:1:1:2 | x | a.py:9:1:9:2 | y |\n#select\n| b/a.py:3:5:4:9 | sink | more |\nnodes\n| a.py:7:1:7:2 | z |\n";
        assert_eq!(places(listed), [("b/a.py", (3, 4))]);
        assert_eq!(places("| a.py:3:5:3:9 | it |\n"), [("a.py", (3, 3))]);
        assert!(places("nodes\n| a.py:7:1:7:2 | z |\n").is_empty());
        assert!(places("| <no place> | it |\n").is_empty());
    }

    #[test]
    fn folders_name_the_weakness() {
        assert_eq!(judged("CWE-089/a.py"), Some(89));
        assert_eq!(judged("cwe-328/x/a.rb"), Some(326));
        assert_eq!(judged("CWE-190/a.go"), None);
        assert_eq!(judged("other/a.go"), None);
    }

    #[test]
    fn places_are_relative_to_their_list() {
        assert_eq!(
            beside("CWE-089/x/Q.expected", "../y/./a.go"),
            "CWE-089/y/a.go"
        );
    }

    #[test]
    fn answers_are_taken_out_and_lines_stay() {
        assert_eq!(
            without_answers("run(x) // $ Alert\n# $ Source\nrun(\"a\")"),
            "run(x) \n\nrun(\"a\")\n"
        );
    }
}
