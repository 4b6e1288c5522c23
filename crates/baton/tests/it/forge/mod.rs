//! `baton forge`: the local forge from the binary.

mod serving;
mod set_up;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;

use baton_testkit::Sandbox;

use crate::command::baton;
use crate::processes::interrupt;

/// A forge of its own process.
struct Serving {
    child: Child,
    /// Without `http://`.
    host: String,
}

impl Serving {
    fn start(sandbox: &Sandbox, more: &[&str]) -> Self {
        let mut arguments = vec![
            "forge",
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--data",
            "forge",
        ];
        arguments.extend(more);
        let mut child = baton(sandbox).command(&arguments).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        let Some(host) = line.trim_end().strip_prefix("http://") else {
            let mut complaint = String::new();
            let _ = child.stderr.take().unwrap().read_to_string(&mut complaint);
            panic!("the forge did not start: {line:?} {complaint}");
        };
        Self {
            host: host.to_owned(),
            child,
        }
    }

    /// The whole answer to a `GET`.
    fn get(&self, path: &str, token: &str) -> String {
        self.get_as(&self.host, path, token)
    }

    /// The same, where the forge is asked by another name.
    fn get_as(&self, name: &str, path: &str, token: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {name}\r\n{}Connection: close\r\n\r\n",
            if token.is_empty() {
                String::new()
            } else {
                format!("Authorization: token {token}\r\n")
            }
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Ctrl-C; how it ended and what it said.
    fn stop(mut self) -> (Option<i32>, String) {
        interrupt(self.child.id());
        let mut said = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Gone already after `stop`; otherwise the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A line of output without its end.
fn line(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let answer = baton(sandbox).run(arguments);
    assert_eq!(answer.code, Some(0), "{answer}");
    answer.stdout.trim_end().to_owned()
}
