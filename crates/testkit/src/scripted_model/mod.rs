//! A language model that follows a script, for real coding agents.
//!
//! It speaks the dialects `chat/completions`, `responses` and `messages`.
//! It reads which tools the agent declares, takes one that writes files, fills
//! in its arguments by their names, one call for each file, and says that it is
//! done when all results are back. Where there is a tool that reads a file, it is
//! used first: some agents let no one overwrite what was not read.

mod conversation;
mod http;
mod replies;
mod tools;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use self::conversation::{Conversation, Dialect};
use self::http::Request;
use self::replies::Say;

/// What the model does with a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Writes these files, below the folder that the agent works in, and says
    /// so.
    Write(Vec<(String, String)>),
    /// Says this and does nothing.
    Say(String),
    /// The server refuses the call with this status.
    Refuse(u16),
}

type Script = dyn Fn(&str) -> Deed + Send + Sync;

/// A server on loopback that ends with the test's process.
pub struct ScriptedModel {
    address: SocketAddr,
    tasks: Arc<Mutex<Vec<String>>>,
}

impl ScriptedModel {
    /// The script is given the task, which is what the user said last.
    pub fn start(script: impl Fn(&str) -> Deed + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("it is bound");
        let script: Arc<Script> = Arc::new(script);
        let tasks = Arc::default();
        let noted = Arc::clone(&tasks);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, noted) = (Arc::clone(&script), Arc::clone(&noted));
                // A client that goes away is not the model's concern.
                thread::spawn(move || drop(answer(stream, &*script, &noted)));
            }
        });
        Self { address, tasks }
    }

    /// `http://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The tasks that it was given, one for each call.
    pub fn tasks(&self) -> Vec<String> {
        self.tasks.lock().expect("no one panics with it").clone()
    }
}

fn answer(mut stream: TcpStream, script: &Script, noted: &Mutex<Vec<String>>) -> io::Result<()> {
    let request = Request::read(&mut stream)?;
    let Some(dialect) = Dialect::from_path(&request.path) else {
        return http::reply(&mut stream, 404, "application/json", "{}");
    };
    let Ok(body) = serde_json::from_slice(&request.body) else {
        return http::reply(&mut stream, 400, "application/json", "{}");
    };
    let conversation = Conversation::read(dialect, &body);
    noted
        .lock()
        .expect("no one panics with it")
        .push(conversation.task.clone());
    let say = match script(&conversation.task) {
        Deed::Refuse(status) => {
            let error = r#"{"type":"error","error":{"type":"authentication_error","message":"the key is not valid"}}"#;
            return http::reply(&mut stream, status, "application/json", error);
        }
        Deed::Say(text) => Say::Text(text),
        Deed::Write(files) => conversation.write(&files),
    };
    let (media_type, text) = replies::render(dialect, conversation.streams, &say);
    http::reply(&mut stream, 200, media_type, &text)
}
