//! A server of few lines, so that nothing of what is tested serves the tests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// What one request came with: its first line, its headers in small letters, its body.
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) headers: Vec<String>,
    pub(crate) body: String,
}

/// Answers every request with the same bytes, and then closes the connection.
pub(crate) fn serve(answer: Vec<u8>) -> (SocketAddr, Receiver<Asked>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            // The test may be over; then no one wants to know.
            if sender.send(exchange(stream.unwrap(), &answer)).is_err() {
                return;
            }
        }
    });
    (address, receiver)
}

/// Answers every request with the same JSON.
pub(crate) fn serve_json(answer: &str) -> (u16, Receiver<Asked>) {
    let (address, asked) = serve(response(
        "Content-Type: application/json",
        answer.as_bytes(),
    ));
    (address.port(), asked)
}

/// A sound answer with one more header.
pub(crate) fn response(header: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\n{header}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn exchange(mut stream: TcpStream, answer: &[u8]) -> Asked {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim_end().is_empty() {
            break;
        }
        lines.push(line.trim_end().to_owned());
    }
    let line = lines.remove(0);
    let headers: Vec<_> = lines.iter().map(|line| line.to_ascii_lowercase()).collect();
    let length = headers
        .iter()
        .find_map(|header| header.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    stream.write_all(answer).unwrap();
    Asked {
        line,
        headers,
        body: String::from_utf8(body).unwrap(),
    }
}
