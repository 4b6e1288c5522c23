//! An error and its causes, as text.

use std::error::Error;
use std::iter::successors;

/// The causes of an error, the nearest first.
pub fn causes<'e>(error: &'e (dyn Error + 'e)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    successors(error.source(), |&cause| cause.source())
}

/// The error and its causes in one line. A cause that the message above it already contains is
/// left out.
pub fn error_chain(error: &dyn Error) -> String {
    let mut chain = error.to_string();
    let mut last = chain.clone();
    for cause in causes(error) {
        let text = cause.to_string();
        if !last.contains(&text) {
            chain = format!("{chain}: {text}");
        }
        last = text;
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{message}")]
    struct Layer {
        message: &'static str,
        source: Option<Box<Layer>>,
    }

    fn chain(messages: &[&'static str]) -> Layer {
        let (message, rest) = messages.split_first().unwrap();
        Layer {
            message,
            source: (!rest.is_empty()).then(|| Box::new(chain(rest))),
        }
    }

    #[test]
    fn causes_follow_in_one_line() {
        assert_eq!(error_chain(&chain(&["a", "b", "c"])), "a: b: c");
        assert_eq!(
            error_chain(&chain(&["cannot read x: gone", "gone", "c"])),
            "cannot read x: gone: c"
        );
        assert_eq!(error_chain(&chain(&["a"])), "a");
    }
}
