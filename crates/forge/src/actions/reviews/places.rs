//! Where the lines of a conversation are after a push.

use std::collections::HashMap;

use crate::actions::prelude::*;
use crate::git::FileDiff;
use crate::git::patch::{LineMap, Patch};
use crate::store::review_threads::{Place, Side, Subject, Thread};

/// What moved.
#[derive(Debug, Clone)]
pub(crate) struct Moves {
    /// The commits that the pull request is compared with.
    pub(crate) old_base: Oid,
    pub(crate) new_base: Oid,
    pub(crate) new_head: Oid,
}

/// The new place of every thread that was not outdated yet; none where its
/// lines have changed or are no longer part of the diff, `files`.
pub(crate) async fn replace_threads(
    git: &GitRepository,
    threads: &[Thread],
    files: &[FileDiff],
    moves: &Moves,
) -> Result<Vec<(i64, Option<Place>)>> {
    let mut maps: HashMap<(Side, String, String), LineMap> = HashMap::new();
    let mut places = Vec::new();
    for thread in threads.iter().filter(|thread| !thread.outdated) {
        let file = files.iter().find(|file| file.path == thread.path);
        let place = match (file, thread.subject) {
            (None, _) => None,
            (Some(_), Subject::File) => Some(Place::default()),
            (Some(file), Subject::Line) => {
                let key = (thread.side, thread.path.clone(), thread.commit_sha.clone());
                if !maps.contains_key(&key) {
                    let map = line_map(git, thread, moves).await?;
                    maps.insert(key.clone(), map);
                }
                maps.get(&key).and_then(|map| follow(thread, map, file))
            }
        };
        places.push((thread.id, place));
    }
    Ok(places)
}

async fn line_map(git: &GitRepository, thread: &Thread, moves: &Moves) -> Result<LineMap> {
    let (from, to) = match thread.side {
        Side::Left => (Some(moves.old_base.clone()), &moves.new_base),
        Side::Right => (Oid::parse(&thread.commit_sha), &moves.new_head),
    };
    let from = from.ok_or_else(|| ApiError::internal("a thread's commit is no commit id"))?;
    if from == *to {
        return Ok(LineMap::default());
    }
    let hunks = git.bare_hunks(&from, to, &thread.path).await?;
    Ok(LineMap::parse(&hunks))
}

fn follow(thread: &Thread, map: &LineMap, file: &FileDiff) -> Option<Place> {
    let patch = Patch::parse(file.patch.as_deref()?);
    let last = thread.place.line?;
    let first = thread.place.start_line.unwrap_or(last);
    // A range whose sides differ has no lines in between to follow.
    let same_side = thread.start_side.is_none_or(|side| side == thread.side);
    if same_side && first <= last {
        let whole = (first..=last).all(|line| map.follow(line).is_some());
        if !whole {
            return None;
        }
    }
    let line = map.follow(last)?;
    let start_line = match thread.place.start_line {
        Some(start) => Some(map.follow(start)?),
        None => None,
    };
    Some(Place {
        line: Some(line),
        start_line,
        position: Some(patch.position(thread.side, line)?),
    })
}
