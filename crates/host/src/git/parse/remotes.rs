//! Parses remotes and their configured URLs.

use super::{lines, nul_fields, text};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteLine {
    pub name: String,
    pub direction: Direction,
    pub url: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Fetch,
    Push,
}

/// Reads `git remote --verbose`: `name\turl (fetch)`, for a partial clone
/// followed by its filter in brackets.
pub fn remote_lines(bytes: &[u8]) -> Vec<RemoteLine> {
    let entry = |line: &[u8]| {
        let line = text(line);
        let (name, rest) = line.split_once('\t')?;
        let (url, direction) = match (rest.rsplit_once(" (fetch)"), rest.rsplit_once(" (push)")) {
            (Some((url, _)), None) => (url, Direction::Fetch),
            (None, Some((url, _))) => (url, Direction::Push),
            // A URL with such words in it: only the end counts.
            (Some((fetch, _)), Some((push, _))) if fetch.len() > push.len() => {
                (fetch, Direction::Fetch)
            }
            (Some(_), Some((push, _))) => (push, Direction::Push),
            (None, None) => return None,
        };
        Some(RemoteLine {
            name: name.to_owned(),
            direction,
            url: url.to_owned(),
        })
    };
    lines(bytes).filter_map(entry).collect()
}

/// Reads `git config --null --get-regexp` for the URLs of remotes:
/// `remote.<name>.url\n<value>`.
pub fn remote_config(bytes: &[u8]) -> Vec<RemoteLine> {
    let entry = |field: &[u8]| {
        let field = text(field);
        let (key, url) = field.split_once('\n')?;
        // The name itself may have dots.
        let (name, variable) = key.strip_prefix("remote.")?.rsplit_once('.')?;
        let direction = match variable {
            "url" => Direction::Fetch,
            "pushurl" => Direction::Push,
            _ => return None,
        };
        Some(RemoteLine {
            name: name.to_owned(),
            direction,
            url: url.to_owned(),
        })
    };
    nul_fields(bytes).filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_line_decides() {
        let line = |url: &str, direction| RemoteLine {
            name: "up.stream".to_owned(),
            direction,
            url: url.to_owned(),
        };
        let text = "up.stream\t/a (push)/b (fetch)\nup.stream\t/a (fetch) (push)\nup.stream\t/c (fetch) [blob:none]\nnonsense\n";
        assert_eq!(
            remote_lines(text.as_bytes()),
            [
                line("/a (push)/b", Direction::Fetch),
                line("/a (fetch)", Direction::Push),
                line("/c", Direction::Fetch),
            ]
        );
        assert_eq!(
            remote_config(b"remote.up.stream.pushurl\n/x\0remote.up.stream.fetch\n+a\0"),
            [line("/x", Direction::Push)]
        );
    }
}
