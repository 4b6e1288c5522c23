//! The head of a pull request, as a caller names it.

use baton_protocol::short;

use crate::error::OpError;

/// What was pushed after the caller looked has not been looked at.
pub(super) fn require(named: Option<&str>, head: &str) -> Result<(), OpError> {
    let Some(named) = named.map(str::trim) else {
        return Ok(());
    };
    if named.len() >= 7 && head.starts_with(&named.to_ascii_lowercase()) {
        return Ok(());
    }
    Err(moved(head))
}

/// `head` is the one that it has now.
pub(super) fn moved(head: &str) -> OpError {
    OpError::logical(
        format!(
            "the named commit is not the head of the pull request, which is {}",
            short(head)
        ),
        "Look at what was pushed since, then ask again with the new head.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_named_by_its_beginning() {
        let head = "0123456789abcdef0123456789abcdef01234567";
        assert!(require(None, head).is_ok() && require(Some("0123456"), head).is_ok());
        let longer = format!("{head}8");
        for other in ["", "0123", "fedcba9", &longer] {
            assert!(require(Some(other), head).is_err(), "{other}");
        }
    }
}
