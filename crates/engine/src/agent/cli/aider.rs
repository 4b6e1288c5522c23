//! Aider: its command line and its output.

use super::super::Role;
use super::super::transcript::Transcript;
use super::Call;

pub(super) fn call(role: Role) -> Call {
    let call = Call::new(&["--yes-always", "--no-stream", "--no-pretty"])
        .with(&["--no-check-update", "--no-analytics"])
        // Aider reads the prompt only from a file, so it gets the standard input
        // as one.
        .with(&["--message-file", "/dev/stdin"]);
    match role {
        // The step makes the commits.
        Role::Writer => call.with(&["--no-auto-commits"]),
        Role::Reader => call.with(&["--dry-run", "--chat-mode", "ask"]),
    }
}

/// Its output is for people; only the line with the cost has a format.
pub(super) fn read(line: &str, transcript: &mut Transcript) {
    transcript.append_message(line);
    let Some(rest) = line.trim().strip_prefix("Tokens: ") else {
        return;
    };
    transcript.usage.turns += 1;
    let mut words = rest.split_whitespace();
    transcript.usage.input_tokens += count(words.next());
    transcript.usage.output_tokens += count(words.nth(1));
    let session = rest
        .rsplit_once('$')
        .and_then(|(_, cost)| cost.split(' ').next());
    if let Some(cost) = session.and_then(|cost| cost.parse().ok()) {
        transcript.set_cost(cost);
    }
}

/// A number such as `1.2k`.
fn count(word: Option<&str>) -> u64 {
    let word = word.unwrap_or_default();
    let (number, unit) = match word.strip_suffix('k') {
        Some(number) => (number, 1e3),
        None => (
            word.strip_suffix('M').unwrap_or(word),
            if word.ends_with('M') { 1e6 } else { 1.0 },
        ),
    };
    let number: f64 = number.parse().unwrap_or_default();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is between zero and 10^12"
    )]
    let count = (number * unit).clamp(0.0, 1e12).round() as u64;
    count
}
