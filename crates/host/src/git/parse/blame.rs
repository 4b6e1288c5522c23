//! Parses `git blame --incremental`.

use std::collections::HashMap;

use super::{lines, oid, text};
use crate::git::Oid;

/// Who last wrote some lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedLines {
    pub commit: Oid,
    pub author: String,
    /// Without the angle brackets.
    pub email: String,
    /// Seconds since 1970.
    pub time: i64,
    /// The first line, counted from 1, and how many follow each other.
    pub start: u32,
    pub count: u32,
}

/// Reads `git blame --incremental`.
pub fn blame(bytes: &[u8]) -> Vec<BlamedLines> {
    // A commit is described where it is first named.
    let mut authors: HashMap<Oid, (String, String, i64)> = HashMap::new();
    let mut found: Vec<BlamedLines> = Vec::new();
    for line in lines(bytes) {
        if let Some(group) = group(line) {
            found.push(group);
            continue;
        }
        let Some(commit) = found.last().map(|group| group.commit.clone()) else {
            continue;
        };
        let author = authors.entry(commit).or_default();
        if let Some(name) = line.strip_prefix(b"author ") {
            author.0 = text(name);
        } else if let Some(mail) = line.strip_prefix(b"author-mail ") {
            text(mail)
                .trim_matches(['<', '>'])
                .clone_into(&mut author.1);
        } else if let Some(time) = line.strip_prefix(b"author-time ") {
            author.2 = text(time).parse().unwrap_or(0);
        }
    }
    for group in &mut found {
        if let Some((name, email, time)) = authors.get(&group.commit) {
            group.author.clone_from(name);
            group.email.clone_from(email);
            group.time = *time;
        }
    }
    found
}

/// `<commit> <line there> <line here> <count>`
fn group(line: &[u8]) -> Option<BlamedLines> {
    let mut words = line.split(|&byte| byte == b' ');
    let commit = oid(words.next()?)?;
    let mut number = || str::from_utf8(words.next()?).ok()?.parse::<u32>().ok();
    let (_, start, count) = (number()?, number()?, number()?);
    Some(BlamedLines {
        commit,
        author: String::new(),
        email: String::new(),
        time: 0,
        start,
        count,
    })
}
