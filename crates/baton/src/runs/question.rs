//! A run's question, for a person at a terminal.

use std::io::{self, Write as _};
use std::thread;

use baton_workflow::{Answer, Question, RunId};
use tokio::sync::oneshot;

use crate::terminal::{self, Line, Look, Page, Style};

/// Prints the question with the command that answers it.
pub(crate) fn show_question(run: &RunId, question: &Question, look: Look) {
    let mut page = Page::new(look);
    put(&mut page, run, question);
    terminal::error_line(page.into_text().trim_end());
}

/// The same on a page.
pub(crate) fn put(page: &mut Page, run: &RunId, question: &Question) {
    page.gap();
    page.item(
        0,
        Line::new().styled(Style::Doubtful, "? "),
        Line::new().styled(Style::Heading, question.reason.to_string()),
    );
    for option in &question.options {
        page.item(
            1,
            Line::new().styled(Style::Command, format!("{}  ", option.key)),
            option.label.as_str(),
        );
    }
    page.gap();
    let first = question.options.first().map_or('y', |option| option.key);
    page.line(
        0,
        "Answer with one of them; --comment tells the next step more:",
    );
    page.command(1, &format!("baton answer {run} {first}"));
    if !question.objections.is_empty() {
        page.line(
            0,
            "To accept it for this repository, in later runs as well:",
        );
        page.command(1, &format!("baton accept {run} --reason TEXT"));
    }
}

/// Asks at the terminal. `None` when the person does not want to answer
/// now.
pub(super) async fn ask(question: &Question) -> Option<Answer> {
    loop {
        let line = read_line("answer (Enter to leave it for later): ").await?;
        let line = line.trim();
        let mut chars = line.chars();
        let choice = chars.next()?;
        if question.options.iter().any(|option| option.key == choice) {
            // What follows the letter is for the next step.
            let comment = chars.as_str().trim();
            return Some(Answer {
                choice,
                comment: (!comment.is_empty()).then(|| comment.to_owned()),
            });
        }
        let keys: Vec<String> = question
            .options
            .iter()
            .map(|option| option.key.to_string())
            .collect();
        terminal::error_line(&format!("Type one of: {}", keys.join(", ")));
    }
}

/// In a thread that nothing waits for: a terminal may never answer.
async fn read_line(prompt: &'static str) -> Option<String> {
    let (send, receive) = oneshot::channel();
    let reading = move || {
        let _ = write!(io::stderr().lock(), "{prompt}");
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line);
        // At the end of the input there is no one.
        let _ = send.send(read.ok().filter(|&bytes| bytes > 0).map(|_| line));
    };
    thread::Builder::new()
        .name("terminal".to_owned())
        .spawn(reading)
        .ok()?;
    receive.await.ok()?
}
