//! Stand-in programs that note their calls.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A stand-in for a program: a shell script that notes how it was called.
#[derive(Debug)]
pub struct Fake {
    path: PathBuf,
    log: PathBuf,
}

impl Fake {
    /// Calls are noted as the working directory and the arguments, each ended
    /// by NUL, and an empty entry at the end of the call.
    pub(crate) fn write(bin: &Path, calls: &Path, name: &str, body: &str) -> Self {
        fs::create_dir_all(calls).expect("the sandbox is writable");
        let path = bin.join(name);
        let log = calls.join(name);
        let quoted_log = log.to_str().expect("sandbox paths are plain text");
        assert!(!quoted_log.contains('\''), "sandbox paths have no quotes");
        let script = format!(
            "#!/bin/sh\n{{ printf '%s\\0' \"$PWD\"; for arg; do printf ':%s\\0' \"$arg\"; done; printf '\\0'; }} >> '{quoted_log}'\n{body}\n"
        );
        // A real tool of that name is a link, which must not be written through.
        let _ = fs::remove_file(&path);
        write_script(&path, &script);
        Self { path, log }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The arguments of each call so far.
    pub fn calls(&self) -> Vec<Vec<String>> {
        self.entries().into_iter().map(|(_, args)| args).collect()
    }

    /// The working directory of each call so far.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.entries()
            .into_iter()
            .map(|(cwd, _)| cwd.into())
            .collect()
    }

    fn entries(&self) -> Vec<(String, Vec<String>)> {
        let log = fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let mut entries = Vec::new();
        let mut fields = log.split('\0');
        while let Some(cwd) = fields.next().filter(|cwd| !cwd.is_empty()) {
            let args = fields
                .by_ref()
                .map_while(|field| field.strip_prefix(':'))
                .map(str::to_owned)
                .collect();
            entries.push((cwd.to_owned(), args));
        }
        entries
    }
}

/// Writes an executable file.
///
/// A shell does the writing: while a file is open for writing it cannot be
/// executed, and if this process had it open, a child that another test's
/// thread starts at the same moment would hold it open a little longer.
#[expect(
    clippy::disallowed_methods,
    reason = "tests must not prepare their ground with the code under test"
)]
pub(crate) fn write_script(path: &Path, content: &str) {
    let mut shell = Command::new("/bin/sh")
        .args(["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("there is a shell");
    let mut stdin = shell.stdin.take().expect("the input was piped");
    stdin
        .write_all(content.as_bytes())
        .expect("the shell reads its input");
    drop(stdin);
    let status = shell.wait().expect("the shell ends");
    assert!(status.success(), "cannot write {}", path.display());
}
