use super::super::Role;
use super::super::heard::Heard;
use super::Call;

pub(super) fn call(role: Role) -> Call {
    let call = Call::new(&["--yes-always", "--no-stream", "--no-pretty"])
        .with(&["--no-check-update", "--no-analytics"])
        // A file that is no file: the prompt comes on the standard input.
        .with(&["--message-file", "/dev/stdin"]);
    match role {
        // Commits are the business of the step.
        Role::Writer => call.with(&["--no-auto-commits"]),
        Role::Reader => call.with(&["--dry-run", "--chat-mode", "ask"]),
    }
}

/// It speaks to people; only the line with what it cost has a form.
pub(super) fn read(line: &str, heard: &mut Heard) {
    heard.says_anew(line);
    let Some(rest) = line.trim().strip_prefix("Tokens: ") else {
        return;
    };
    heard.usage.turns += 1;
    let mut words = rest.split_whitespace();
    heard.usage.input_tokens += count(words.next());
    heard.usage.output_tokens += count(words.nth(1));
    let session = rest
        .rsplit_once('$')
        .and_then(|(_, cost)| cost.split(' ').next());
    if let Some(cost) = session.and_then(|cost| cost.parse().ok()) {
        heard.costs(cost);
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
