//! A request of HTTP/1.1, as servers of tests read it.

use std::io::{self, BufRead};

/// More than any test sends.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// What a client sent.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// `None` at the end of the connection.
    pub(crate) fn read(from: &mut impl BufRead) -> io::Result<Option<Self>> {
        let first = line(from)?;
        let mut words = first.split_whitespace();
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Ok(None);
        };
        let mut request = Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
        };
        loop {
            let header = line(from)?;
            let Some((name, value)) = header.split_once(':') else {
                break;
            };
            let entry = (name.to_ascii_lowercase(), value.trim().to_owned());
            request.headers.push(entry);
        }
        request.read_body(from)?;
        Ok(Some(request))
    }

    /// One that no one sent.
    #[cfg(feature = "jira")]
    pub(crate) fn local(method: &str, target: &str, authorization: &str, body: Vec<u8>) -> Self {
        Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: vec![("authorization".to_owned(), authorization.to_owned())],
            body,
        }
    }

    fn read_body(&mut self, from: &mut impl BufRead) -> io::Result<()> {
        if let Some(length) = self.header("content-length") {
            self.body = exactly(from, length.parse().unwrap_or(usize::MAX))?;
            return Ok(());
        }
        if self.header("transfer-encoding") != Some("chunked") {
            return Ok(());
        }
        loop {
            let size = line(from)?;
            let size = usize::from_str_radix(&size, 16).unwrap_or(usize::MAX);
            self.body.extend(exactly(from, size)?);
            line(from)?;
            if size == 0 {
                return Ok(());
            }
        }
    }

    /// The name is in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The client wants the connection closed after the answer.
    #[cfg(feature = "jira")]
    pub(crate) fn is_last(&self) -> bool {
        self.header("connection")
            .is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }

    pub(crate) fn path(&self) -> &str {
        let end = self.target.find('?').unwrap_or(self.target.len());
        &self.target[..end]
    }

    /// The same request to a server that closes the connection after it and packs nothing.
    pub(crate) fn for_one_answer(&self) -> Vec<u8> {
        const OF_THE_CONNECTION: [&str; 4] = [
            "accept-encoding",
            "connection",
            "content-length",
            "transfer-encoding",
        ];
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            if !OF_THE_CONNECTION.contains(&name.as_str()) {
                head.extend([name.as_str(), ": ", value.as_str(), "\r\n"]);
            }
        }
        let length = self.body.len();
        let end = format!("connection: close\r\ncontent-length: {length}\r\n\r\n");
        [head.as_bytes(), end.as_bytes(), &self.body].concat()
    }
}

fn line(from: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    from.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

fn exactly(from: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    if length > MAX_BODY {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(body)
}
