//! Ports for the servers of runs. Each run has its own for as long as it lasts,
//! also among processes that know nothing of each other.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

use baton_workflow::RunId;

use crate::step_error::StepError;

/// More runs than this do not happen on one machine at once.
const PORTS: u16 = 100;

/// Takes a port that no other run has and no one listens on. A run that has one
/// keeps it.
pub(crate) fn take(folder: &Path, first: u16, run: &RunId) -> Result<u16, StepError> {
    let failed = |error: &io::Error| {
        StepError::file(format_args!("choose a port in {}", folder.display()), error)
    };
    let taken = || -> io::Result<Option<u16>> {
        fs::create_dir_all(folder)?;
        let lock = File::create(folder.join("lock"))?;
        lock.lock()?;
        let range = first..=first.saturating_add(PORTS - 1);
        if let Some(port) = range.clone().find(|&port| is_of(folder, port, run)) {
            return Ok(Some(port));
        }
        for port in range {
            let is_free = !file(folder, port).exists();
            if is_free && TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
                fs::write(file(folder, port), run.as_str())?;
                return Ok(Some(port));
            }
        }
        Ok(None)
    };
    let last = first.saturating_add(PORTS - 1);
    match taken() {
        Ok(Some(port)) => Ok(port),
        Ok(None) => Err(StepError::blocked(format!(
            "all ports from {first} to {last} are taken; end a run, or remove the files of runs that are gone from {}",
            folder.display()
        ))),
        Err(error) => Err(failed(&error)),
    }
}

/// Gives a run's port back. Fine where it has none.
pub(crate) fn give_back(folder: &Path, port: u16, run: &RunId) {
    if is_of(folder, port, run) {
        let removed = fs::remove_file(file(folder, port));
        if let Err(error) = removed {
            tracing::warn!(%error, port, "the port stays taken");
        }
    }
}

fn is_of(folder: &Path, port: u16, run: &RunId) -> bool {
    fs::read_to_string(file(folder, port)).is_ok_and(|holder| holder == run.as_str())
}

fn file(folder: &Path, port: u16) -> PathBuf {
    folder.join(port.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_runs_have_the_same_port() {
        let folder = tempfile::tempdir().unwrap();
        let run = |name: &str| name.parse::<RunId>().unwrap();
        // A port that someone listens on is passed over.
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let first = listener.local_addr().unwrap().port().min(65_000);
        let one = take(folder.path(), first, &run("r-1")).unwrap();
        let two = take(folder.path(), first, &run("r-2")).unwrap();
        assert_ne!(one, two);
        assert_eq!(take(folder.path(), first, &run("r-1")).unwrap(), one);
        give_back(folder.path(), two, &run("r-1"));
        assert_eq!(take(folder.path(), first, &run("r-2")).unwrap(), two);
        give_back(folder.path(), one, &run("r-1"));
        give_back(folder.path(), one, &run("r-1"));
        assert!(!is_of(folder.path(), one, &run("r-1")));
    }
}
