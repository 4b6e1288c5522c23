use baton_workflow::Usage;

/// What was made out of all that an agent said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) message: String,
    pub(super) usage: Usage,
    pub(super) session: Option<String>,
    /// Why it did not succeed, in its own words.
    pub(super) error: Option<String>,
    /// Nobody is logged in to it, which only a person can change.
    pub(super) logged_out: bool,
    /// It has said its last word.
    pub(super) is_done: bool,
    /// What it is doing now.
    pub(super) activity: Option<String>,
}

/// The end of what was said is what counts.
pub(super) const MAX_MESSAGE: usize = 64 * 1024;
const MAX_ERROR: usize = 2_000;

impl Heard {
    pub(super) fn says(&mut self, text: &str) {
        self.message.push_str(text);
        if self.message.len() > 2 * MAX_MESSAGE {
            let cut = self
                .message
                .ceil_char_boundary(self.message.len() - MAX_MESSAGE);
            self.message.drain(..cut);
        }
        self.does(text);
    }

    /// A whole message rather than the next part of one.
    pub(super) fn says_anew(&mut self, text: &str) {
        if !self.message.is_empty() {
            self.message.push('\n');
        }
        self.says(text);
    }

    pub(super) fn does(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.activity = Some(text.to_owned());
        }
    }

    pub(super) fn fails(&mut self, error: &str) {
        let end = error.floor_char_boundary(MAX_ERROR);
        self.error = Some(error[..end].trim().to_owned());
    }

    pub(super) fn costs(&mut self, dollars: f64) {
        // Nobody pays more than this, and nobody is paid.
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
    fn only_the_end_of_long_speeches_is_kept() {
        let mut heard = Heard::default();
        for _ in 0..1000 {
            heard.says(&"…".repeat(100));
        }
        assert!(heard.message.len() <= 2 * MAX_MESSAGE);
        heard.says("the end");
        assert!(heard.message.ends_with("the end"));
    }

    #[test]
    fn money_is_counted_in_millionths() {
        let mut heard = Heard::default();
        heard.costs(0.0421);
        assert_eq!(heard.usage.cost_micros, 42_100);
        heard.costs(f64::NAN);
        assert_eq!(heard.usage.cost_micros, 0);
        heard.costs(-1.0);
        assert_eq!(heard.usage.cost_micros, 0);
    }
}
