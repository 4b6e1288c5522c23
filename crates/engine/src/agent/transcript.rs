//! Collects the message, the usage and the errors from an agent's output.

use baton_workflow::Usage;

/// What was parsed from an agent's output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Transcript {
    pub(super) message: String,
    pub(super) usage: Usage,
    pub(super) session: Option<String>,
    /// Why it did not succeed, in its own words.
    pub(super) error: Option<String>,
    /// The agent needs a login, which only a person can do.
    pub(super) logged_out: bool,
    /// It has sent its final message.
    pub(super) is_done: bool,
    /// What it is doing now.
    pub(super) activity: Option<String>,
}

/// Only the end of a long message is kept.
pub(super) const MAX_MESSAGE: usize = 64 * 1024;
const MAX_ERROR: usize = 2_000;

impl Transcript {
    pub(super) fn append(&mut self, text: &str) {
        self.message.push_str(text);
        if self.message.len() > 2 * MAX_MESSAGE {
            let cut = self
                .message
                .ceil_char_boundary(self.message.len() - MAX_MESSAGE);
            self.message.drain(..cut);
        }
        self.set_activity(text);
    }

    /// A whole message rather than the next part of one.
    pub(super) fn append_message(&mut self, text: &str) {
        if !self.message.is_empty() {
            self.message.push('\n');
        }
        self.append(text);
    }

    pub(super) fn set_activity(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.activity = Some(text.to_owned());
        }
    }

    pub(super) fn set_error(&mut self, error: &str) {
        let end = error.floor_char_boundary(MAX_ERROR);
        self.error = Some(error[..end].trim().to_owned());
    }

    pub(super) fn set_cost(&mut self, dollars: f64) {
        // Far above any real cost. Costs are never negative.
        const MAX_DOLLARS: f64 = 1e9;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the value is between zero and 10^15"
        )]
        let micros = (dollars.clamp(0.0, MAX_DOLLARS) * 1e6).round() as u64;
        self.usage.cost_micros = micros;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_long_message_is_kept() {
        let mut transcript = Transcript::default();
        for _ in 0..1000 {
            transcript.append(&"…".repeat(100));
        }
        assert!(transcript.message.len() <= 2 * MAX_MESSAGE);
        transcript.append("the end");
        assert!(transcript.message.ends_with("the end"));
    }

    #[test]
    fn money_is_counted_in_millionths() {
        let mut transcript = Transcript::default();
        transcript.set_cost(0.0421);
        assert_eq!(transcript.usage.cost_micros, 42_100);
        transcript.set_cost(f64::NAN);
        assert_eq!(transcript.usage.cost_micros, 0);
        transcript.set_cost(-1.0);
        assert_eq!(transcript.usage.cost_micros, 0);
    }
}
