//! Reads a response's body in bounded memory.

use std::io;

use baton_protocol::causes;
use bytes::{Bytes, BytesMut};
use reqwest::Response;

use super::failure::{Cause, Failure};

/// The rest of a response. Bytes are counted as they are unpacked, so that a
/// small response cannot become a large one.
pub(super) struct Body {
    response: Response,
    received: u64,
    cap: u64,
}

impl Body {
    pub(super) fn new(response: Response, cap: u64) -> Self {
        Self {
            response,
            received: 0,
            cap,
        }
    }

    pub(super) fn received(&self) -> u64 {
        self.received
    }

    /// The next piece; an error once there are more bytes than the cap allows.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        let chunk = self
            .response
            .chunk()
            .await
            .map_err(|error| broken(&error, self.received))?;
        if let Some(chunk) = &chunk {
            self.received += chunk.len() as u64;
            if self.received > self.cap {
                return Err(Failure::TooLarge { cap: self.cap });
            }
        }
        Ok(chunk)
    }

    pub(super) async fn whole(&mut self) -> Result<Bytes, Failure> {
        let announced = self.response.content_length();
        if announced.is_some_and(|length| length > self.cap) {
            return Err(Failure::TooLarge { cap: self.cap });
        }
        // Most answers come in one piece, which then needs no copy.
        let Some(first) = self.next().await? else {
            return Ok(Bytes::new());
        };
        let Some(second) = self.next().await? else {
            return Ok(first);
        };
        let mut body = BytesMut::with_capacity(expected(announced, first.len() + second.len()));
        body.extend_from_slice(&first);
        body.extend_from_slice(&second);
        while let Some(chunk) = self.next().await? {
            body.extend_from_slice(&chunk);
        }
        Ok(body.freeze())
    }

    /// The first bytes of a response that is only quoted; an error while reading
    /// it matters less than its content.
    pub(super) async fn beginning(&mut self, most: usize) -> Vec<u8> {
        let mut beginning = Vec::new();
        while beginning.len() < most {
            match self.next().await {
                Ok(Some(chunk)) => beginning.extend_from_slice(&chunk),
                Ok(None) | Err(_) => break,
            }
        }
        beginning.truncate(most);
        beginning
    }
}

/// How much memory to reserve. The server's announcement is not trusted beyond
/// this.
fn expected(announced: Option<u64>, at_least: usize) -> usize {
    const MAX_PREALLOCATED: u64 = 1 << 20;
    let announced = announced.unwrap_or_default().min(MAX_PREALLOCATED);
    usize::try_from(announced).unwrap_or_default().max(at_least)
}

/// Why a body could not be read to its end.
fn broken(error: &reqwest::Error, received: u64) -> Failure {
    for error in causes(error) {
        if error.is::<hyper::Error>() {
            break;
        }
        // Without an error of the connection, it is the unpacking that failed.
        if let Some(error) = error.downcast_ref::<io::Error>() {
            let wraps = error
                .get_ref()
                .is_some_and(|inner| inner.is::<hyper::Error>() || inner.is::<reqwest::Error>());
            if !wraps && error.kind() != io::ErrorKind::UnexpectedEof {
                return Failure::Undecodable(Cause::from_error(error));
            }
        }
    }
    Failure::IncompleteBody {
        received,
        cause: Cause::from_error(error),
    }
}
