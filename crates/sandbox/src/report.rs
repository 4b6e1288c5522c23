//! What the launcher reports about a program: a file with a line for each fact.

use std::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

pub(crate) const FAILURE: &str = "failure";
pub(crate) const LEFT: &str = "left";
pub(crate) const LISTENING: &str = "listening";
pub(crate) const REFUSED: &str = "refused";
pub(crate) const SIGNAL: &str = "signal";
/// A signal that came from outside of the sandbox, to the whole process group.
const OUTSIDE: &str = "outside";
pub(crate) const EXIT: &str = "exit";
pub(crate) const KILLED: &str = "killed";

/// What happened besides the program's own exit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Why the program was not started.
    pub failure: Option<String>,
    /// The names of processes that were still there when the program had ended;
    /// they were ended with it.
    pub left_behind: Vec<String>,
    /// Addresses on which those processes listened.
    pub listening: Vec<String>,
    /// The names of refused system calls that the program tried, where the
    /// kernel reports them.
    pub refused: Vec<String>,
    /// Signals that the program sent to the process that started it.
    pub signals: Vec<String>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Exit(u8),
    Signal(i32),
}

impl Report {
    /// Reads a report; an empty or missing file is an empty report.
    pub fn read(path: &Path) -> Self {
        let mut report = Self::default();
        let mut outside = Vec::new();
        for (name, value) in lines(path) {
            match name.as_str() {
                FAILURE => report.failure = Some(value),
                LEFT => report.left_behind.push(value),
                LISTENING => report.listening.push(value),
                REFUSED => report.refused.push(value),
                SIGNAL => report.signals.push(value),
                OUTSIDE => outside.push(value),
                _ => {}
            }
        }
        report.signals.retain(|signal| !outside.contains(signal));
        report
    }

    /// Whether there is nothing in it: no launcher has understood what it was
    /// asked for, or the disk is full.
    pub fn is_empty(path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|facts| facts.len() == 0)
    }

    /// How the program ended, if it did before its launcher.
    pub(crate) fn ending(path: &Path) -> Option<Ending> {
        let (name, value) = lines(path).pop()?;
        match name.as_str() {
            EXIT => value.parse().ok().map(Ending::Exit),
            KILLED => value.parse().ok().map(Ending::Signal),
            _ => None,
        }
    }

    /// Adds a signal that the first stage got as well, which no program in the
    /// sandbox can reach. To be called once the ending is known.
    pub(crate) fn add_outside_signal(path: &Path, name: &str) -> io::Result<()> {
        let mut file = fs::OpenOptions::new().append(true).open(path)?;
        writeln!(file, "{OUTSIDE} {name}")
    }

    /// Replaces the report by one about a program that was not started.
    pub(crate) fn write_failure(path: &Path, failure: &dyn fmt::Display) -> io::Result<()> {
        let text = failure.to_string().replace(char::is_control, " ");
        fs::write(path, format!("{FAILURE} {text}\n"))
    }
}

fn lines(path: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_line_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report");
        fs::write(
            &path,
            "listening [::]:80\nleft sleep 1\nleft node\nrefused bpf\nsignal SIGTERM\nkilled 11\n",
        )
        .unwrap();
        let report = Report::read(&path);
        assert_eq!(report.left_behind, ["sleep 1", "node"]);
        assert_eq!(report.listening, ["[::]:80"]);
        assert_eq!(report.refused, ["bpf"]);
        assert_eq!(report.signals, ["SIGTERM"]);
        assert_eq!(report.failure, None);
        assert_eq!(Report::ending(&path), Some(Ending::Signal(11)));
        Report::add_outside_signal(&path, "SIGTERM").unwrap();
        assert_eq!(Report::read(&path).signals, Vec::<String>::new());
        Report::write_failure(&path, &"cannot mount\n/x").unwrap();
        assert_eq!(
            Report::read(&path).failure.as_deref(),
            Some("cannot mount /x")
        );
        assert_eq!(Report::ending(&path), None);
        assert_eq!(Report::read(Path::new("/nonexistent")), Report::default());
    }
}
