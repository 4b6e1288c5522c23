//! A gate before servers that holds an exchange up, so that the client that waits for
//! the answer can be ended at that very moment.

use std::io::{self, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::request::Request;

/// Longer than anything takes: a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_mins(3);

/// Counts what is written to all servers behind its gates.
#[derive(Clone, Debug, Default)]
pub struct Gatekeeper(Arc<Keeping>);

#[derive(Debug, Default)]
struct Keeping {
    known: Mutex<Known>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct Known {
    writes: Vec<String>,
    hold: Option<Hold>,
    is_held: bool,
}

/// Where the traffic stops, for good. Writes are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// It was written, and no one hears of it.
    AnswerOf(usize),
    /// The answer arrived, and the request after it, of whatever kind, never
    /// does.
    RequestAfter(usize),
}

impl Gatekeeper {
    pub fn new() -> Self {
        Self::default()
    }

    /// The address of a gate before `server`.
    pub fn gate(&self, server: SocketAddr) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("it listens");
        let keeper = self.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let keeper = keeper.clone();
                // A client that was killed leaves in the middle.
                thread::spawn(move || drop(keeper.pass(&client, server)));
            }
        });
        address
    }

    /// From now on; what was written so far is forgotten.
    pub fn begin(&self, hold: Option<Hold>) {
        let mut known = self.known();
        *known = Known {
            hold,
            ..Known::default()
        };
    }

    /// Method and path of everything that was written.
    pub fn writes(&self) -> Vec<String> {
        self.known().writes.clone()
    }

    /// Returns once the traffic stopped, or says that it never did.
    pub fn wait_until_held(&self) -> bool {
        let known = self.known();
        let waited = self
            .0
            .news
            .wait_timeout_while(known, PATIENCE, |known| !known.is_held);
        let (known, _) = waited.unwrap_or_else(PoisonError::into_inner);
        known.is_held
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        let known = self.0.known.lock();
        known.unwrap_or_else(PoisonError::into_inner)
    }

    fn pass(&self, client: &TcpStream, server: SocketAddr) -> io::Result<()> {
        let Some(request) = Request::read(&mut BufReader::new(client))? else {
            return Ok(());
        };
        if self.stops_before_request() {
            return wait_for_the_end(client);
        }
        let mut upstream = TcpStream::connect(server)?;
        upstream.write_all(&request.for_one_answer())?;
        let mut answer = Vec::new();
        upstream.read_to_end(&mut answer)?;
        if is_write(&request) && self.stops_after(&request) {
            return wait_for_the_end(client);
        }
        let mut client = client;
        client.write_all(&closing(answer))
    }

    fn stops_before_request(&self) -> bool {
        let mut known = self.known();
        let stops = match known.hold {
            _ if known.is_held => true,
            Some(Hold::RequestAfter(number)) => known.writes.len() == number,
            _ => false,
        };
        if stops {
            known.is_held = true;
            self.0.news.notify_all();
        }
        stops
    }

    fn stops_after(&self, write: &Request) -> bool {
        let mut known = self.known();
        known
            .writes
            .push(format!("{} {}", write.method, write.path()));
        let stops = known.hold == Some(Hold::AnswerOf(known.writes.len()));
        if stops {
            known.is_held = true;
            self.0.news.notify_all();
        }
        stops
    }
}

/// The same answer, which says that the connection ends with it: a client that
/// keeps it would send its next request into nothing.
pub(crate) fn closing(mut answer: Vec<u8>) -> Vec<u8> {
    let first_line = answer.windows(2).position(|bytes| bytes == b"\r\n");
    if let Some(end) = first_line {
        let place = end + 2;
        answer.splice(place..place, *b"connection: close\r\n");
    }
    answer
}

/// Queries of GraphQL are posted as well.
fn is_write(request: &Request) -> bool {
    match request.method.as_str() {
        "GET" | "HEAD" => false,
        _ if request.path().ends_with("/graphql") => {
            String::from_utf8_lossy(&request.body).contains("mutation")
        }
        _ => true,
    }
}

/// The client goes; nothing else ever happens.
fn wait_for_the_end(mut client: &TcpStream) -> io::Result<()> {
    let mut nothing = [0; 1];
    while client.read(&mut nothing)? > 0 {}
    Ok(())
}
