//! Responses that are too large for memory.

use std::mem;
use std::path::Path as FilePath;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use tokio::fs::File;
use tokio::io::{AsyncSeekExt as _, AsyncWrite, AsyncWriteExt as _};

use super::asking::{Asking, Seen};
use super::body::Body;
use super::call::Call;
use super::client::Http;
use super::error::HttpError;
use super::failure::{Cause, Failure, Phase};
use super::json;
use super::reply::Reply;

/// How a response larger than its cap is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The call fails.
    Refuse,
    /// What fits is kept, and the result is marked as truncated.
    Truncate,
}

/// A response that was written elsewhere.
#[derive(Clone, Debug)]
pub struct Download {
    /// Status and headers; its body is empty.
    pub reply: Reply,
    /// Written, once unpacked.
    pub bytes: u64,
    /// The cap ended it; there was more.
    pub truncated: bool,
}

impl Http {
    /// Makes the call and writes the response to `to` as it comes. It is never
    /// repeated once something was written.
    pub fn download<'a>(
        &'a self,
        call: &'a Call,
        to: &'a mut (dyn AsyncWrite + Send + Unpin),
        overflow: Overflow,
    ) -> BoxFuture<'a, Result<Download, HttpError>> {
        Box::pin(async move {
            let mut asking = Asking::uncached(self, call).await?;
            loop {
                let mut written = 0;
                match stream(&mut asking, to, &mut written, overflow).await {
                    Ok(download) => return Ok(download),
                    Err(failure) if written == 0 => asking.pause_or_give_up(failure).await?,
                    Err(failure) => return Err(asking.failed(failure)),
                }
            }
        })
    }

    /// Makes the call and writes the response to a new file, which is removed
    /// after an error. An existing file is left alone, and is an error.
    pub async fn download_file(
        &self,
        call: &Call,
        file: &FilePath,
        overflow: Overflow,
    ) -> Result<Download, HttpError> {
        let mut asking = Asking::uncached(self, call).await?;
        let unwritable = |error: std::io::Error| unwritable(&error, &file.display().to_string());
        let created = File::options()
            .write(true)
            .create_new(true)
            .open(file)
            .await;
        let mut output = created.map_err(|error| asking.failed(unwritable(error)))?;
        let unfinished = Unfinished(Some(file));
        loop {
            let failure = match stream(&mut asking, &mut output, &mut 0, overflow).await {
                Ok(download) => {
                    unfinished.keep();
                    return Ok(download);
                }
                Err(failure) => failure,
            };
            asking.pause_or_give_up(failure).await?;
            let rewound = async {
                output.set_len(0).await?;
                output.rewind().await
            };
            rewound
                .await
                .map_err(|error| asking.failed(unwritable(error)))?;
        }
    }
}

/// Removes the file unless it is kept, also when the call is dropped.
struct Unfinished<'a>(Option<&'a FilePath>);

impl Unfinished<'_> {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if let Some(file) = self.0
            && let Err(error) = std::fs::remove_file(file)
        {
            tracing::debug!(?file, %error, "cannot remove an unfinished download");
        }
    }
}

async fn stream(
    asking: &mut Asking<'_>,
    to: &mut (dyn AsyncWrite + Send + Unpin),
    written: &mut u64,
    overflow: Overflow,
) -> Result<Download, Failure> {
    let (limit, _slot) = asking.begin_attempt().await?;
    let mut opened = asking.open(limit).await?;
    let status = opened.response.status().as_u16();
    let headers = mem::take(opened.response.headers_mut());
    let cap = asking.size_cap();
    let announced = opened.response.content_length();
    let mut body = Body::new(opened.response, u64::MAX);
    let outcome = if json::has_html_type(&headers) {
        // Logs and archives are never pages: a proxy or a login responded.
        Err(Failure::WebPage)
    } else if overflow == Overflow::Refuse && announced.is_some_and(|length| length > cap) {
        Err(Failure::TooLarge { cap })
    } else {
        copy(asking, &mut body, to, (cap, overflow), written).await
    };
    let seen = Seen {
        headers: (!opened.foreign).then_some(&headers),
        bytes: *written,
        from_cache: false,
    };
    let told = outcome.as_ref().map(|_| status).map_err(Failure::class);
    asking.report(told, opened.sent, seen);
    let truncated = outcome?;
    Ok(Download {
        reply: Reply {
            status,
            headers,
            body: Bytes::new(),
            from_cache: false,
            moved_to: opened.moved_to,
            asked: asking.asked.clone(),
        },
        bytes: *written,
        truncated,
    })
}

/// Copies until the end or the cap, and returns whether there was more.
async fn copy(
    asking: &Asking<'_>,
    body: &mut Body,
    to: &mut (dyn AsyncWrite + Send + Unpin),
    (cap, overflow): (u64, Overflow),
    written: &mut u64,
) -> Result<bool, Failure> {
    loop {
        let limit = asking.time_limit();
        let chunk = tokio::time::timeout_at(limit.at, body.next())
            .await
            .unwrap_or_else(|_| Err(limit.exceeded(Phase::Body)))?;
        let Some(mut chunk) = chunk else {
            to.flush()
                .await
                .map_err(|error| unwritable(&error, "its place"))?;
            return Ok(false);
        };
        let room = cap - *written;
        let over = chunk.len() as u64 > room;
        if over && overflow == Overflow::Refuse {
            return Err(Failure::TooLarge { cap });
        }
        chunk.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        *written += chunk.len() as u64;
        to.write_all(&chunk)
            .await
            .map_err(|error| unwritable(&error, "its place"))?;
        if over {
            to.flush()
                .await
                .map_err(|error| unwritable(&error, "its place"))?;
            return Ok(true);
        }
    }
}

fn unwritable(error: &std::io::Error, to: &str) -> Failure {
    Failure::Output {
        to: to.to_owned(),
        cause: Cause::from_error(error),
    }
}
