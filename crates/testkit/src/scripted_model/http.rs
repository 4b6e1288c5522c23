//! The HTTP server of the scripted model.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// As much of HTTP as agents need to reach a model.
pub(super) struct Request {
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn read(stream: &mut TcpStream) -> io::Result<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let path = line.split_whitespace().nth(1).unwrap_or("/").to_owned();
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            let Some((name, value)) = header.split_once(':') else {
                break;
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "transfer-encoding" => is_chunked = value.contains("chunked"),
                "expect" => reader
                    .get_mut()
                    .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
                _ => {}
            }
        }
        let body = if is_chunked {
            chunks(&mut reader)?
        } else {
            let mut body = vec![0; length];
            reader.read_exact(&mut body)?;
            body
        };
        Ok(Self { path, body })
    }
}

fn chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk)?;
        if size == 0 {
            return Ok(body);
        }
        body.extend_from_slice(&chunk[..size]);
    }
}

pub(super) fn reply(
    stream: &mut TcpStream,
    status: u16,
    media_type: &str,
    body: &str,
) -> io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} -\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )?;
    stream.flush()
}
