//! Stores the raw output of an agent in a file.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};

use tokio::task::JoinHandle;

use super::AgentError;
use crate::steps::StepContext;

/// Everything that an agent writes, in a file of the run's folder, up to a limit.
/// Raw output is kept so that a better parser can read it again.
pub(super) struct RawLog {
    chunks: Option<Sender<Vec<u8>>>,
    writer: JoinHandle<()>,
    left: usize,
}

/// An hour of a talkative agent takes some megabytes.
const MAX_LOG_BYTES: usize = 16 * 1024 * 1024;

const CUT: &[u8] = b"\n[the rest is left out]\n";

impl RawLog {
    /// A new file for each attempt of a step.
    pub(super) async fn create(context: &StepContext) -> Result<Self, AgentError> {
        let folder = context.folder().join("agents");
        let name = context.key().within_run().replace('/', "-");
        let path = folder.clone();
        let opened = tokio::task::spawn_blocking(move || open(&folder, &name)).await;
        let file = opened
            .unwrap_or_else(|stopped| Err(io::Error::other(stopped)))
            .map_err(|source| AgentError::Log { path, source })?;
        let (chunks, to_write) = channel::<Vec<u8>>();
        let writer = tokio::task::spawn_blocking(move || {
            let mut file = file;
            for chunk in to_write {
                // A full disk loses the log, not the work.
                if file.write_all(&chunk).is_err() {
                    break;
                }
            }
        });
        Ok(Self {
            chunks: Some(chunks),
            writer,
            left: MAX_LOG_BYTES,
        })
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let Some(chunks) = &self.chunks else {
            return;
        };
        let kept = &bytes[..bytes.len().min(self.left)];
        self.left -= kept.len();
        let is_written = chunks.send(kept.to_vec()).is_ok();
        if self.left == 0 {
            let _ = chunks.send(CUT.to_vec());
        }
        if self.left == 0 || !is_written {
            self.chunks = None;
        }
    }

    /// Waits until everything is written.
    pub(super) async fn close(mut self) {
        self.chunks = None;
        let _ = self.writer.await;
    }
}

fn open(folder: &PathBuf, name: &str) -> io::Result<File> {
    fs::create_dir_all(folder)?;
    let mut number = 1;
    loop {
        match File::create_new(folder.join(format!("{name}.{number}.log"))) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            opened => return opened,
        }
    }
}
