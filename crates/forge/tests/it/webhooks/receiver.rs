//! A program that is told things.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver as Queue, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;

/// Longer than anything takes: a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    deliveries: Queue<Delivery>,
    /// Statuses for the next requests; then 200.
    answers: Arc<Mutex<Vec<u16>>>,
    retired: Arc<AtomicBool>,
    listening: JoinHandle<()>,
}

#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Delivery {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn event(&self) -> &str {
        &self.headers["x-github-event"]
    }

    pub(crate) fn guid(&self) -> &str {
        &self.headers["x-github-delivery"]
    }
}

impl Receiver {
    pub(crate) fn start() -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    pub(crate) fn on(listener: TcpListener) -> Self {
        let address = listener.local_addr().unwrap();
        let (send, deliveries) = mpsc::channel();
        let answers = Arc::new(Mutex::new(Vec::new()));
        let scripted = Arc::clone(&answers);
        let retired = Arc::new(AtomicBool::new(false));
        let is_retired = Arc::clone(&retired);
        let listening = thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if is_retired.load(Ordering::Acquire) {
                    return;
                }
                // A sender that gave up half way is its own business.
                let _ = take(stream, &send, &scripted);
            }
        });
        Self {
            address,
            deliveries,
            answers,
            retired,
            listening,
        }
    }

    /// Listens no more.
    pub(crate) fn retire(self) {
        self.retired.store(true, Ordering::Release);
        drop(TcpStream::connect(self.address));
        self.listening.join().unwrap();
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook?from=forge", self.address)
    }

    /// What to answer to the next requests.
    pub(crate) fn answer(&self, statuses: &[u16]) {
        self.answers.lock().unwrap().extend(statuses);
    }

    pub(crate) fn next(&self) -> Delivery {
        self.deliveries
            .recv_timeout(PATIENCE)
            .expect("a delivery arrives")
    }

    /// The next one of a kind; others are let go.
    pub(crate) fn next_of(&self, event: &str) -> Delivery {
        loop {
            let delivery = self.next();
            if delivery.event() == event {
                return delivery;
            }
        }
    }

    /// Whatever has arrived by now.
    pub(crate) fn waiting(&self) -> Vec<Delivery> {
        self.deliveries.try_iter().collect()
    }
}

fn take(stream: TcpStream, send: &Sender<Delivery>, answers: &Mutex<Vec<u16>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length: usize = headers.get("content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let status = {
        let mut answers = answers.lock().unwrap();
        if answers.is_empty() {
            200
        } else {
            answers.remove(0)
        }
    };
    let said = "thanks";
    write!(
        reader.get_mut(),
        "HTTP/1.1 {status} Whatever\r\nContent-Length: {}\r\nX-Receiver: test\r\n\r\n{said}",
        said.len()
    )
    .ok()?;
    send.send(Delivery {
        path,
        headers,
        body,
    })
    .ok()
}
