//! Moves bytes between a child's pipes and buffers.

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::mpsc;

use super::Capture;
use super::record::Recorder;

/// The capacity of a pipe on Linux: more than this never arrives at once.
const READ_BUFFER: usize = 64 * 1024;

/// A piece of output, as it arrived.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    pub stream: Stream,
    pub bytes: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output, or both streams where they are merged.
    Stdout,
    Stderr,
}

/// Moves bytes between the child's pipes and ours.
pub(super) struct Pump<'a> {
    stdin: Feeder,
    stdout: Source,
    stderr: Source,
    observer: &'a mut (dyn FnMut(Chunk<'_>) + Send),
}

/// Something arrived and waits in its buffer to be absorbed. Arrival and
/// absorption are apart because the first is raced against limits, and a lost
/// race must not lose bytes.
#[derive(Clone, Copy)]
pub(super) struct Arrived {
    stream: Stream,
    count: usize,
}

impl<'a> Pump<'a> {
    pub(super) fn new(
        stdin: Feeder,
        stdout: (Option<Receiver>, Recorder),
        stderr: (Option<Receiver>, Recorder),
        observer: &'a mut (dyn FnMut(Chunk<'_>) + Send),
    ) -> Self {
        Self {
            stdin,
            stdout: Source::new(stdout.0, stdout.1),
            stderr: Source::new(stderr.0, stderr.1),
            observer,
        }
    }

    /// Whether every writer has closed its end of the output.
    pub(super) fn is_drained(&self) -> bool {
        self.stdout.pipe.is_none() && self.stderr.pipe.is_none()
    }

    /// Waits for output while feeding the input. Waits forever where there is
    /// neither. May be dropped at any time without loss.
    pub(super) async fn arrived(&mut self) -> Arrived {
        let Self {
            stdin,
            stdout,
            stderr,
            ..
        } = self;
        loop {
            tokio::select! {
                count = stdout.read(), if stdout.pipe.is_some() => {
                    return Arrived { stream: Stream::Stdout, count };
                }
                count = stderr.read(), if stderr.pipe.is_some() => {
                    return Arrived { stream: Stream::Stderr, count };
                }
                () = stdin.feed(), if stdin.pipe.is_some() => {}
                else => std::future::pending().await,
            }
        }
    }

    pub(super) async fn absorb(&mut self, arrived: Arrived) {
        let source = match arrived.stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        if arrived.count == 0 {
            source.pipe = None;
            return;
        }
        let bytes = &source.buffer[..arrived.count];
        (self.observer)(Chunk {
            stream: arrived.stream,
            bytes,
        });
        source.recorder.push(bytes).await;
    }

    /// Standard output and standard error.
    pub(super) fn finish(self) -> (Capture, Capture) {
        (self.stdout.recorder.finish(), self.stderr.recorder.finish())
    }
}

struct Source {
    pipe: Option<Receiver>,
    buffer: Vec<u8>,
    recorder: Recorder,
}

impl Source {
    fn new(pipe: Option<Receiver>, recorder: Recorder) -> Self {
        let size = if pipe.is_some() { READ_BUFFER } else { 0 };
        Self {
            pipe,
            buffer: vec![0; size],
            recorder,
        }
    }

    /// How many bytes are now in the buffer; zero at the end of the stream. A
    /// pipe that cannot be read has nothing more to give either.
    async fn read(&mut self) -> usize {
        match &mut self.pipe {
            Some(pipe) => pipe.read(&mut self.buffer).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "reading the output of a child failed");
                0
            }),
            None => 0,
        }
    }
}

/// Writes the child's input.
pub(super) struct Feeder {
    pipe: Option<Sender>,
    bytes: Arc<[u8]>,
    written: usize,
    /// Where more comes from.
    more: Option<mpsc::Receiver<Vec<u8>>>,
}

impl Feeder {
    pub(super) fn new(
        pipe: Option<Sender>,
        bytes: Option<Arc<[u8]>>,
        more: Option<mpsc::Receiver<Vec<u8>>>,
    ) -> Self {
        Self {
            pipe,
            bytes: bytes.unwrap_or_default(),
            written: 0,
            more,
        }
    }

    /// Writes what the pipe takes, and closes it after the last byte. A child
    /// that does not read all of its input is not in error. May be dropped at
    /// any time without loss.
    async fn feed(&mut self) {
        let rest = &self.bytes[self.written..];
        let Some(pipe) = &mut self.pipe else {
            return;
        };
        if let (true, Some(more)) = (rest.is_empty(), &mut self.more) {
            match more.recv().await {
                Some(bytes) => {
                    self.bytes = bytes.into();
                    self.written = 0;
                }
                None => self.pipe = None,
            }
            return;
        }
        match pipe.write(rest).await {
            Ok(count) if count < rest.len() || self.more.is_some() => self.written += count,
            Ok(_) | Err(_) => self.pipe = None,
        }
    }
}
