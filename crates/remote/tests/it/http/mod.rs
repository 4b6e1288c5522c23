//! The HTTP client against a scripted server.

mod bodies;
mod caching;
mod cancelling;
mod connecting;
mod downloads;
mod events;
mod faults;
mod in_flight;
mod pages;
mod rate_limits;
mod redirects;
mod requests;
mod retries;
mod secrets;
mod server;

use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use baton_remote::http::{
    Call, Clock, Credential, Credentials, Http, HttpError, Path, Secret, Settings,
};
use jiff::Timestamp;

use server::Server;

/// No message and no event may contain it.
const TOKEN: &str = "ghp_0123456789abcdefghij";

/// A clock that stands still but for the pauses, which take no time.
#[derive(Clone, Default)]
struct Pauses(Arc<Mutex<Vec<Duration>>>);

impl Pauses {
    fn clock(&self) -> Clock {
        let (told, slept) = (self.clone(), self.clone());
        Clock::new(
            move || told.now(),
            move |pause| {
                slept.0.lock().unwrap().push(pause);
                Box::pin(async {})
            },
            || 0.5,
        )
    }

    fn now(&self) -> Timestamp {
        start() + self.all().iter().sum::<Duration>()
    }

    fn all(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }

    fn seconds(&self) -> Vec<f64> {
        self.all().iter().map(Duration::as_secs_f64).collect()
    }
}

/// When the tests begin.
fn start() -> Timestamp {
    "2031-05-04T10:00:00Z".parse().unwrap()
}

/// Settings for a test server, with a credential and a clock of the test's own.
fn settings(server: &Server, pauses: &Pauses) -> Settings {
    let mut settings = Settings::new(server.url(), "baton-test");
    let credential = Credential::bearer(&Secret::new(TOKEN)).unwrap();
    settings.credentials = Credentials::Fixed(credential);
    settings.clock = pauses.clock();
    settings
}

fn client(server: &Server) -> Http {
    Http::new(settings(server, &Pauses::default())).unwrap()
}

fn get(path: &'static str) -> Call {
    Call::get(Path::new(path, &[]))
}

/// The whole message with its causes and hint, and the server's port called PORT.
fn message(error: &HttpError, server: &Server) -> String {
    let mut lines = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        lines.push(format!("because: {error}"));
        cause = error.source();
    }
    lines.push(format!("hint: {}", error.hint()));
    let port = format!(":{}", server.address.port());
    lines.join("\n").replace(&port, ":PORT")
}
