//! The log file of a step.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

use tokio::sync::mpsc;
use tokio::task::{self, JoinHandle};

/// The log of a step, written on a thread of its own: anyone who prints never
/// waits for the disk. What may be on its way is bounded by the length of the
/// log.
pub(super) struct LogFile {
    pieces: mpsc::UnboundedSender<String>,
    writer: JoinHandle<io::Result<()>>,
}

impl LogFile {
    pub(super) fn create(path: PathBuf) -> Self {
        let (pieces, receiver) = mpsc::unbounded_channel();
        Self {
            pieces,
            writer: task::spawn_blocking(move || write(path, receiver)),
        }
    }

    pub(super) fn write(&self, text: String) {
        if !text.is_empty() {
            // A writer that is gone has a reason, which `finish` gives.
            let _ = self.pieces.send(text);
        }
    }

    /// Once all is written. A log that cannot be written does not fail a job.
    pub(super) async fn finish(self) {
        drop(self.pieces);
        match self.writer.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the log of a step could not be written"),
            Err(error) => tracing::warn!(%error, "the writer of a log ended early"),
        }
    }
}

fn write(path: PathBuf, mut pieces: mpsc::UnboundedReceiver<String>) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create(path)?;
    while let Some(piece) = pieces.blocking_recv() {
        file.write_all(piece.as_bytes())?;
    }
    Ok(())
}
