//! What a call costs beyond the wire: many small calls, one after the other,
//! over one kept connection.
//!
//!     cargo run --release -p baton-remote --example http_overhead
//!
//! starts a server that answers everything with the same bytes, asks it in
//! several ways and prints the time for each call. `--serve` only serves, for
//! comparing with other programs:
//!
//!     curl -s -o /dev/null "http://127.0.0.1:PORT/[1-2000]"
#![expect(
    clippy::print_stdout,
    reason = "an example that prints what it measured"
)]

use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use baton_remote::http::{Cache, Call, Credential, Credentials, Http, Path, Secret, Settings};
use baton_state::State;

const CALLS: u32 = 2000;

fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    if std::env::args().any(|argument| argument == "--serve") {
        println!("{address}");
        serve(&listener);
        return Ok(());
    }
    let given = std::env::args().nth(1);
    let address = match &given {
        Some(given) => given.parse()?,
        None => address,
    };
    thread::spawn(move || serve(&listener));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(address))
}

async fn measure(address: SocketAddr) -> Result<(), Box<dyn Error>> {
    let started = Instant::now();
    let plain = Http::new(settings(address)?)?;
    println!("a client is made in {:?}", started.elapsed());

    let folder = tempfile::tempdir()?;
    let mut settings = settings(address)?;
    settings.cache = Some(Cache::new(State::open(folder.path())?));
    let caching = Http::new(settings)?;

    // The first round opens the connections.
    calls(&plain).await?;
    show("a call whose answer is kept", calls(&caching).await?);
    for _ in 0..3 {
        show("a call", calls(&plain).await?);
        show("a call that confirms", calls(&caching).await?);
    }
    Ok(())
}

fn settings(address: SocketAddr) -> Result<Settings, Box<dyn Error>> {
    let mut settings = Settings::new(format!("http://{address}"), "baton");
    let credential = Credential::bearer(&Secret::new("ghp_0123456789abcdefghij"))?;
    settings.credentials = Credentials::Fixed(credential);
    Ok(settings)
}

async fn calls(http: &Http) -> Result<Duration, Box<dyn Error>> {
    let started = Instant::now();
    for number in 0..CALLS {
        let call = Call::get(Path::new("/{number}", &[&number]));
        http.send(&call).await?;
    }
    Ok(started.elapsed() / CALLS)
}

fn show(what: &str, each: Duration) {
    println!("{what}: {each:?}");
}

/// Answers every request on every connection alike, and confirms every answer.
fn serve(listener: &TcpListener) {
    for stream in listener.incoming().flatten() {
        thread::spawn(move || answer(stream));
    }
}

fn answer(stream: TcpStream) -> std::io::Result<()> {
    const BODY: &str = r#"{"id": 1, "state": "open", "title": "A small answer"}"#;
    let reply = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\netag: \"v1\"\r\ncontent-length: {}\r\n\r\n{BODY}",
        BODY.len()
    );
    stream.set_nodelay(true)?;
    let mut output = stream.try_clone()?;
    let mut input = BufReader::new(stream);
    let mut line = String::new();
    let mut confirms = false;
    while input.read_line(&mut line)? > 0 {
        confirms |= line.starts_with("if-none-match");
        if line == "\r\n" {
            let confirmation = "HTTP/1.1 304 Not Modified\r\n\r\n";
            let reply = if confirms { confirmation } else { &reply };
            output.write_all(reply.as_bytes())?;
            confirms = false;
        }
        line.clear();
    }
    Ok(())
}
