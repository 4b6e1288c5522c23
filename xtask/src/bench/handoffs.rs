//! Reading and writing handoffs, beside other XML readers.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::table::{Table, shown, times};
use super::{json_line, median, number};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::program::Program;
use crate::project::Project;

const ROUNDS: usize = 3;

/// Reading and writing handoffs against XML readers that build a tree and check nothing.
pub(super) fn measure(
    project: &Project,
    environment: &Environment,
    throughput: &Path,
) -> Result<Table, Failure> {
    let python = Some(environment.peers.join("python/bin/python"))
        .filter(|python| python.exists())
        .or_else(|| environment.find_on_path("python3"));
    let xmllint = environment.find_on_path("xmllint");
    let mut table = Table::new(
        "Handoffs",
        &[
            "document and work",
            "µs each",
            "MB/s",
            "per second",
            "time relative to baton",
        ],
    );
    for (name, findings, repeats) in [("small", 3, 3), ("large", 3_000, 1)] {
        let path = write_document(project, name, findings)?;
        let mut readers = vec![Reader::Baton { throughput }];
        readers.extend(
            xmllint
                .as_deref()
                .map(|program| Reader::Xmllint { program, repeats }),
        );
        readers.extend(
            python
                .as_deref()
                .map(|program| Reader::ElementTree { program }),
        );
        compare(&mut table, name, &path, &readers)?;
    }
    table.note(format!(
        "Median of {ROUNDS} rounds, process start not counted. baton reads into types and checks every rule; \
         the others build a tree."
    ));
    Ok(table)
}

enum Reader<'a> {
    Baton {
        throughput: &'a Path,
    },
    /// Each repeat makes the number of iterations ten times as large.
    Xmllint {
        program: &'a Path,
        repeats: usize,
    },
    ElementTree {
        program: &'a Path,
    },
}

/// Microseconds for one document.
struct Taken {
    read: f64,
    write: Option<f64>,
}

fn compare(
    table: &mut Table,
    name: &str,
    path: &Path,
    readers: &[Reader<'_>],
) -> Result<(), Failure> {
    let size = fs::metadata(path)
        .map_err(Failure::could_not("look at the document"))?
        .len();
    let megabytes = f64::from(u32::try_from(size).unwrap_or(u32::MAX)) / 1e6;
    let mut rounds: Vec<Vec<Taken>> = readers.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        for (reader, taken) in readers.iter().zip(&mut rounds) {
            taken.push(reader.measure(path)?);
        }
    }
    let kilobytes = shown(megabytes * 1e3);
    let mut add = |label: String, microseconds: f64, relative: String| {
        let rate = megabytes / (microseconds / 1e6);
        let each_second = 1e6 / microseconds;
        table.row([
            label,
            shown(microseconds),
            shown(rate),
            shown(each_second),
            relative,
        ]);
    };
    let mut baton = None;
    for (reader, taken) in readers.iter().zip(&rounds) {
        let read = median(taken.iter().map(|taken| taken.read).collect());
        let baton = *baton.get_or_insert(read);
        let label = format!("{name} ({kilobytes} kB), read: {}", reader.name());
        add(label, read, times(read / baton));
        if taken.iter().all(|taken| taken.write.is_some()) {
            let write = median(taken.iter().filter_map(|taken| taken.write).collect());
            let label = format!("{name} ({kilobytes} kB), write: {}", reader.name());
            add(label, write, String::new());
        }
    }
    Ok(())
}

impl Reader<'_> {
    fn name(&self) -> &'static str {
        match self {
            Self::Baton { .. } => "baton",
            Self::Xmllint { .. } => "`xmllint --noout`",
            Self::ElementTree { .. } => "Python ElementTree",
        }
    }

    fn measure(&self, path: &Path) -> Result<Taken, Failure> {
        match self {
            Self::Baton { throughput } => {
                let report = json_line(Program::new(throughput).args([path]))?;
                Ok(Taken {
                    read: number(&report, "read_us")?,
                    write: Some(number(&report, "write_us")?),
                })
            }
            Self::Xmllint { program, repeats } => {
                let output = Program::new(program)
                    .args(["--noout", "--timing"])
                    .args(vec!["--repeat"; *repeats])
                    .args([path])
                    .run_quietly()?;
                let told = String::from_utf8_lossy(&output.stderr);
                let read = xmllint_microseconds(&told)
                    .ok_or_else(|| Failure::new(format!("xmllint told no time: {told}")))?;
                Ok(Taken { read, write: None })
            }
            Self::ElementTree { program } => {
                let report = json_line(
                    Program::new(program)
                        .args(["-c", ELEMENT_TREE])
                        .args([path]),
                )?;
                let read = number(&report, "read_us")?;
                Ok(Taken { read, write: None })
            }
        }
    }
}

/// `100 iterations took 1777 ms`
fn xmllint_microseconds(told: &str) -> Option<f64> {
    let (iterations, rest) = told.trim().split_once(" iterations took ")?;
    let milliseconds: f64 = rest.strip_suffix(" ms")?.parse().ok()?;
    Some(milliseconds * 1e3 / iterations.parse::<f64>().ok()?)
}

const ELEMENT_TREE: &str = r#"
import json, sys, time
from xml.etree import ElementTree
document = open(sys.argv[1], "rb").read()
begin, runs = time.perf_counter(), 0
while time.perf_counter() - begin < 1:
    ElementTree.fromstring(document)
    runs += 1
print(json.dumps({"read_us": (time.perf_counter() - begin) * 1e6 / runs}))
"#;

/// A review with as many findings as asked for. 3,000 come close to the most that one handoff may hold.
fn write_document(project: &Project, name: &str, findings: usize) -> Result<PathBuf, Failure> {
    let mut document = format!(
        "<handoff>\n  <from>reviewer-agent</from>\n  <to>fixer-agent</to>\n  \
         <timestamp>2031-04-05T06:07:08Z</timestamp>\n  \
         <pr_url>https://github.com/ada/loom/pull/13</pr_url>\n  <pr_number>13</pr_number>\n  \
         <issue_number>12</issue_number>\n  <review_status>changes_requested</review_status>\n  \
         <critical_count>{findings}</critical_count>\n  <important_count>0</important_count>\n  <blocking_issues>\n"
    );
    for number in 1..=findings {
        writeln!(
            document,
            "    <issue location=\"src/weave/pattern_{number}.rs:{number}\" severity=\"critical\">The shuttle passes \
             &lt;weft&gt; {number} before the warp is tight, so a thread can be lost when two looms share one beam. \
             Take the lock first, &amp; add a test that weaves from both sides at once; the one in tests/weave.rs \
             covers only a single loom.</issue>"
        )
        .expect("a String takes every write");
    }
    document.push_str("  </blocking_issues>\n</handoff>\n");
    let folder = project.target.join("bench");
    fs::create_dir_all(&folder).map_err(Failure::could_not("create the folder for documents"))?;
    let path = folder.join(format!("{name}.xml"));
    fs::write(&path, document)
        .map_err(Failure::could_not(format_args!("write {}", path.display())))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_read_from_what_xmllint_says() {
        assert_eq!(
            xmllint_microseconds("100 iterations took 1777 ms\n"),
            Some(17_770.0)
        );
        assert_eq!(xmllint_microseconds("bad.xml:1: parser error"), None);
    }
}
