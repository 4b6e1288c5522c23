//! Logs and artifacts in the forms in which they are downloaded.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// GitHub's log files begin with one, and clients have to cope.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// What of a job goes into an archive.
#[derive(Debug, Clone)]
pub(crate) struct JobLog {
    pub(crate) name: String,
    pub(crate) steps: Vec<StepLog>,
}

#[derive(Debug, Clone)]
pub(crate) struct StepLog {
    pub(crate) number: i64,
    pub(crate) name: String,
    /// A step that printed nothing has no file.
    pub(crate) path: PathBuf,
}

/// All logs of a run: `1_JOB.txt` with the whole log of the first job, and
/// `JOB/1_STEP.txt` for each of its steps.
pub(crate) fn run_archive<W: Write + Seek>(target: W, jobs: &[JobLog]) -> io::Result<W> {
    let mut archive = ZipWriter::new(target);
    for (index, job) in jobs.iter().enumerate() {
        let name = file_name(&job.name);
        archive.start_file(format!("{}_{name}.txt", index + 1), options())?;
        job_text(&mut archive, job)?;
    }
    for job in jobs {
        let folder = file_name(&job.name);
        for step in &job.steps {
            let Some(mut log) = open(&step.path)? else {
                continue;
            };
            let name = file_name(&step.name);
            archive.start_file(format!("{folder}/{}_{name}.txt", step.number), options())?;
            archive.write_all(BYTE_ORDER_MARK)?;
            io::copy(&mut log, &mut archive)?;
        }
    }
    Ok(archive.finish()?)
}

/// The log of a job: those of its steps, one after the other.
pub(crate) fn job_text(target: &mut impl Write, job: &JobLog) -> io::Result<()> {
    target.write_all(BYTE_ORDER_MARK)?;
    for step in &job.steps {
        if let Some(mut log) = open(&step.path)? {
            io::copy(&mut log, target)?;
        }
    }
    Ok(())
}

/// An artifact that consists of one file.
pub(crate) fn single_file_archive<W: Write + Seek>(
    target: W,
    name: &str,
    content: &mut impl Read,
) -> io::Result<W> {
    let mut archive = ZipWriter::new(target);
    archive.start_file(file_name(name), options())?;
    io::copy(content, &mut archive)?;
    Ok(archive.finish()?)
}

fn options() -> SimpleFileOptions {
    // A log may pass four gibibytes, which has to be known beforehand.
    SimpleFileOptions::default().large_file(true)
}

fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A name that is one part of a path everywhere: without the characters that
/// GitHub leaves out, too, and never a way out of a folder.
fn file_name(name: &str) -> String {
    let kept: String = name
        .chars()
        .filter(|c| !c.is_control() && !"/\\:*?\"<>|".contains(*c))
        // File names may have 255 bytes; a number and an extension are added.
        .take(60)
        .collect();
    let kept = kept.trim();
    if kept.is_empty() || kept.chars().all(|c| c == '.') {
        "_".to_owned()
    } else {
        kept.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_part_of_a_path() {
        assert_eq!(file_name("build (ubuntu, 1.95)"), "build (ubuntu, 1.95)");
        assert_eq!(file_name("a/b: \"c\""), "ab c");
        assert_eq!(file_name("../../etc/passwd"), "....etcpasswd");
        assert_eq!(file_name(".."), "_");
        assert_eq!(file_name(" \u{1b}[31m "), "[31m");
        assert_eq!(file_name(&"ü".repeat(500)).chars().count(), 60);
    }
}
