//! The conversation with `git http-backend`: a CGI program.

use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use baton_host::cmd::{Outcome, Streamed, StreamedEnding};
use baton_host::git::Call;
use http_body_util::BodyExt as _;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream};
use tokio_util::io::ReaderStream;

use crate::error::ApiError;
use crate::git::GitRepository;

use super::access::Refused;
use super::guard::Guard;

/// git's answers to a fetch come in pieces of this size.
const BUFFER: usize = 64 * 1024;

/// A CGI head has some hundred bytes.
const MAX_HEAD_LEN: usize = 16 * 1024;

/// One request, as the CGI program is told about it.
pub(super) struct Exchange<'a> {
    pub(super) method: &'static str,
    /// Below the repository.
    pub(super) path: &'static str,
    pub(super) query: &'a str,
    pub(super) user: Option<&'a str>,
    pub(super) headers: &'a HeaderMap,
    pub(super) guard: Option<&'a Guard>,
}

impl Exchange<'_> {
    pub(super) async fn start(&self, git: &GitRepository) -> Result<Streamed, Refused> {
        let header = |name: HeaderName| {
            let value = self.headers.get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let mut call = Call::write("serve git");
        for setting in [
            // Pull requests' refs are the forge's own business.
            "receive.hideRefs=refs/pull",
            "receive.autogc=false",
            "uploadpack.allowFilter=true",
            // A commit that a push by force took away can still be fetched by its id.
            "uploadpack.allowAnySHA1InWant=true",
        ] {
            call = call.args(["-c", setting]);
        }
        call = call
            .env("GIT_PROJECT_ROOT", git.path())
            .env("GIT_HTTP_EXPORT_ALL", "1")
            .env("REQUEST_METHOD", self.method)
            .env("PATH_INFO", self.path)
            .env("QUERY_STRING", self.query)
            .env("CONTENT_TYPE", header(CONTENT_TYPE))
            .env("HTTP_CONTENT_ENCODING", header(CONTENT_ENCODING))
            .env(
                "GIT_PROTOCOL",
                header(HeaderName::from_static("git-protocol")),
            );
        if let Some(user) = self.user {
            // It serves pushes only for someone it knows by name.
            call = call.env("REMOTE_USER", user);
        }
        if let Some(guard) = self.guard {
            call = guard.equip(call);
        }
        let started = git.host().stream(&call.arg("http-backend")).await;
        started.map_err(|error| Refused::Failed(error.into()))
    }
}

/// Feeds the body to the program while its answer is passed on, and lets the
/// answer end when the program and then `aftermath` are done. Without one, a
/// client that hangs up ends the program.
pub(super) async fn answer<A>(
    started: Streamed,
    body: Body,
    aftermath: Option<A>,
) -> Result<Response, Refused>
where
    A: Future<Output = ()> + Send + 'static,
{
    let Streamed {
        stdin,
        mut stdout,
        ending,
    } = started;
    if let Some(stdin) = stdin {
        tokio::spawn(feed(body, stdin));
    }
    let Some((head, rest)) = read_head(&mut stdout).await else {
        let (outcome, said) = ending.wait().await;
        let what = format!("git http-backend gave no answer ({outcome}): {said}");
        return Err(Refused::Failed(ApiError::internal(what)));
    };
    let (mut writer, reader) = tokio::io::duplex(BUFFER);
    tokio::spawn(async move {
        let passed_on = async {
            writer.write_all(&rest).await?;
            tokio::io::copy(&mut stdout, &mut writer).await
        };
        let is_cut_off = passed_on.await.is_err();
        let Some(aftermath) = aftermath else {
            if !is_cut_off {
                end(ending).await;
            }
            return;
        };
        // Anyone who hung up is not told; a push is finished all the same.
        if is_cut_off {
            drain(&mut stdout).await;
        }
        end(ending).await;
        aftermath.await;
        drop(writer);
    });
    response(&head, reader)
}

/// The head, and what came along of the body; absent where the program has
/// nothing sensible to say.
async fn read_head(stdout: &mut (impl AsyncRead + Unpin)) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut head = Vec::new();
    loop {
        if let Some(length) = end_of_head(&head) {
            let rest = head.split_off(length);
            return Some((head, rest));
        }
        let read = stdout.read_buf(&mut head).await.unwrap_or(0);
        if read == 0 || head.len() > MAX_HEAD_LEN {
            return None;
        }
    }
}

/// A client that hangs up in the middle ends the input early, which git takes
/// for what it is: a broken pack.
async fn feed(mut body: Body, mut stdin: impl AsyncWrite + Unpin) {
    while let Some(Ok(frame)) = body.frame().await {
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if stdin.write_all(&data).await.is_err() {
            return;
        }
    }
}

async fn drain(stdout: &mut (impl AsyncRead + Unpin)) {
    // Only to let git finish; what it says has no reader.
    let _ = tokio::io::copy(stdout, &mut tokio::io::sink()).await;
}

async fn end(ending: StreamedEnding) {
    let (outcome, said) = ending.wait().await;
    if outcome != Outcome::Exited(0) {
        tracing::debug!(%outcome, said, "git http-backend did not end well");
    }
}

/// Behind the empty line.
fn end_of_head(bytes: &[u8]) -> Option<usize> {
    let position = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    Some(position + 4)
}

fn response(head: &[u8], reader: DuplexStream) -> Result<Response, Refused> {
    let mut response = Response::new(Body::from_stream(ReaderStream::with_capacity(
        reader, BUFFER,
    )));
    let text = String::from_utf8_lossy(head);
    for (name, value) in text.lines().filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        if name.eq_ignore_ascii_case("status") {
            let code = value.split(' ').next().and_then(|code| code.parse().ok());
            let status = code.and_then(|code| StatusCode::from_u16(code).ok());
            *response.status_mut() = status.unwrap_or(StatusCode::BAD_GATEWAY);
            continue;
        }
        let name = HeaderName::from_bytes(name.as_bytes());
        let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) else {
            let what = "git http-backend gave a malformed header";
            return Err(Refused::Failed(ApiError::internal(what)));
        };
        response.headers_mut().insert(name, value);
    }
    Ok(response)
}
