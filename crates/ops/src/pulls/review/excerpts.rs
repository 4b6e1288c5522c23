//! Excerpts of the diff within one budget of lines over all files, spent on the
//! riskiest hunks first.

use std::fmt::Write as _;

use baton_host::git::{DiffLineKind, Hunk};
use baton_protocol::tools::analyze_pr_impact::ImpactCategory as Area;

use super::super::areas;
use super::super::change::File;
use super::super::signals;
use super::Clues;
use super::focus::Focus;

/// Longer lines are data rather than code.
const MAX_LINE_LEN: usize = 300;
/// A line of code, with room to spare: so many bytes are there for each line of
/// the budget.
const USUAL_LINE: usize = 40;
/// A small budget may hold a few long lines all the same.
const MIN_ROOM: usize = 4_000;

/// Of the budget, for one hunk until all others had their turn.
const SHARES: usize = 4;
/// A hunk of that many lines is not worth cutting.
const MIN_SHARE: usize = 20;

/// A word that may mean trouble counts up to 6.
const OF_A_FINDING: u32 = 10;

/// What is shown of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub(super) text: Option<String>,
    /// Lines of the diff.
    pub(super) shown: usize,
    pub(super) omitted: usize,
    /// How much the riskiest hunk of the file matters.
    pub(super) score: u32,
}

/// Where a hunk is, and how much it matters.
struct Place {
    file: usize,
    hunk: usize,
    score: u32,
    lines: usize,
    /// Lines that are in the excerpt so far, and their size.
    shown: usize,
    size: usize,
}

/// For each file, in their order.
pub(super) fn select(files: &[File], clues: &Clues, focus: &Focus, budget: usize) -> Vec<Excerpt> {
    let mut places = ranked(files, clues, focus);
    let mut taken: Vec<Vec<Option<usize>>> = files
        .iter()
        .map(|file| vec![None; file.hunks().len()])
        .collect();
    let mut scores = vec![0; files.len()];
    let room = budget.saturating_mul(USUAL_LINE).max(MIN_ROOM);
    let (mut lines, mut bytes) = (budget, room);
    for place in &places {
        scores[place.file] = place.score.max(scores[place.file]);
    }
    // One hunk of a thousand lines leaves room for the others, and what no person wrote gets what
    // is left.
    let first = (budget / SHARES).max(MIN_SHARE);
    for (of_generated, most) in [(false, first), (false, usize::MAX), (true, usize::MAX)] {
        let turn = places.iter_mut();
        for place in turn.filter(|place| files[place.file].is_generated() == of_generated) {
            if lines == 0 {
                break;
            }
            let hunk = &files[place.file].hunks()[place.hunk];
            let wanted = place.lines.min(most).min(place.shown + lines);
            let (fitting, size) = fitting(hunk, wanted, place.size + bytes);
            if fitting <= place.shown {
                continue;
            }
            taken[place.file][place.hunk] = Some(fitting);
            lines -= fitting - place.shown;
            bytes -= size - place.size;
            (place.shown, place.size) = (fitting, size);
        }
    }
    let each = files.iter().zip(&taken).zip(scores);
    each.map(|((file, taken), score)| Excerpt {
        score,
        ..excerpt(file, taken)
    })
    .collect()
}

/// The riskiest first; among equals the order of the diff.
fn ranked(files: &[File], clues: &Clues, focus: &Focus) -> Vec<Place> {
    let mut places = Vec::new();
    for (file_index, file) in files.iter().enumerate() {
        let of_file = file_score(file);
        for (hunk_index, hunk) in file.hunks().iter().enumerate() {
            places.push(Place {
                file: file_index,
                hunk: hunk_index,
                score: of_file + hunk_score(file, hunk, clues, focus),
                lines: hunk.lines.len(),
                shown: 0,
                size: 0,
            });
        }
    }
    places.sort_by_key(|place| std::cmp::Reverse(place.score));
    places
}

fn file_score(file: &File) -> u32 {
    if file.is_generated() {
        return 0;
    }
    match areas::classify(file) {
        Area::Database => 5,
        Area::Infrastructure | Area::Backend => 4,
        Area::Frontend => 3,
        Area::Tests => 2,
        Area::Docs => 1,
    }
}

fn hunk_score(file: &File, hunk: &Hunk, clues: &Clues, focus: &Focus) -> u32 {
    // A mark at the head of a file does not hide what the static review found in it.
    let is_generated = file.is_generated();
    let signals: u32 = signals::in_hunk(&file.path, hunk)
        .iter()
        .map(|signal| {
            if focus.wants(signal.topic) {
                signal.weight * 4
            } else {
                signal.weight
            }
        })
        .sum();
    let old = hunk.old_start..=hunk.old_start + hunk.old_lines;
    let mut broken = clues.broken_in(&file.path);
    let breaks = broken.any(|change| change.line.is_some_and(|line| old.contains(&line)));
    let new = hunk.new_start..hunk.new_start + hunk.new_lines;
    let found: u32 = clues
        .found_in(&file.path)
        .filter(|finding| new.contains(&finding.place.start_line))
        .map(|finding| OF_A_FINDING * (1 + finding.severity as u32))
        .sum();
    let size = u32::try_from(hunk.lines.len() / 20)
        .unwrap_or(u32::MAX)
        .min(3);
    if is_generated {
        return found;
    }
    found + signals + size + if breaks { 6 } else { 0 }
}

/// How many of the first lines fit, and their size.
fn fitting(hunk: &Hunk, most_lines: usize, most_bytes: usize) -> (usize, usize) {
    let mut size = 0;
    for (count, line) in hunk.lines.iter().take(most_lines).enumerate() {
        let shown = line.text.chars().take(MAX_LINE_LEN).map(char::len_utf8);
        let next = size + shown.sum::<usize>() + 2;
        if next > most_bytes {
            return (count, size);
        }
        size = next;
    }
    (most_lines.min(hunk.lines.len()), size)
}

fn excerpt(file: &File, taken: &[Option<usize>]) -> Excerpt {
    let hunks = || file.hunks().iter().zip(taken);
    let all: usize = file.hunks().iter().map(|hunk| hunk.lines.len()).sum();
    let shown: usize = taken.iter().flatten().sum();
    if shown == 0 {
        return Excerpt {
            omitted: all,
            ..Excerpt::default()
        };
    }
    let mut text = String::new();
    let mut left_out = 0;
    for (hunk, taken) in hunks() {
        let Some(count) = taken else {
            left_out += hunk.lines.len();
            continue;
        };
        say_omitted(&mut text, &mut left_out);
        head(&mut text, hunk);
        for line in &hunk.lines[..*count] {
            text.push(match line.kind {
                DiffLineKind::Context => ' ',
                DiffLineKind::Added => '+',
                DiffLineKind::Removed => '-',
                DiffLineKind::NoNewline => '\\',
            });
            push_cut(&mut text, &line.text);
            text.push('\n');
        }
        left_out += hunk.lines.len() - count;
    }
    say_omitted(&mut text, &mut left_out);
    Excerpt {
        text: Some(text),
        shown,
        omitted: all - shown,
        score: 0,
    }
}

fn head(text: &mut String, hunk: &Hunk) {
    let Hunk {
        old_start,
        old_lines,
        new_start,
        new_lines,
        heading,
        ..
    } = hunk;
    let written = write!(
        text,
        "@@ -{old_start},{old_lines} +{new_start},{new_lines} @@"
    );
    written.expect("a string takes it");
    if !heading.is_empty() {
        text.push(' ');
        push_cut(text, heading);
    }
    text.push('\n');
}

fn say_omitted(text: &mut String, left_out: &mut usize) {
    if *left_out > 0 {
        let lines = if *left_out == 1 { "line" } else { "lines" };
        writeln!(text, "… {left_out} {lines} omitted").expect("a string takes it");
        *left_out = 0;
    }
}

fn push_cut(text: &mut String, line: &str) {
    let mut characters = line.chars();
    text.extend(characters.by_ref().take(MAX_LINE_LEN));
    if characters.next().is_some() {
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::change::samples;
    use super::*;

    /// Two risky lines, a long hunk of a person's, and a lock file.
    #[test]
    fn long_hunks_leave_room_for_the_risky_ones() {
        let long = |lines: usize| {
            let added = "+unsafe { value() }\n".repeat(lines);
            format!("@@ -0,0 +1,{lines} @@\n{added}")
        };
        let files = [
            samples::file("Cargo.lock", &long(2_000)),
            samples::file("src/long.rs", &long(2_000)),
            samples::file(
                "src/marked.ts",
                &long(900).replacen("unsafe", "// @generated unsafe", 1),
            ),
            samples::file("src/a.rs", "@@ -1,1 +1,2 @@\n context\n+let a = b;\n"),
            samples::file("src/b.rs", "@@ -1,1 +1,2 @@\n context\n+let c = d;\n"),
        ];
        let shown = |budget| {
            let excerpts = select(&files, &Clues::default(), &Focus::default(), budget);
            excerpts
                .iter()
                .map(|excerpt| excerpt.shown)
                .collect::<Vec<_>>()
        };
        let some = shown(200);
        assert_eq!(some[3..], [2, 2], "{some:?}");
        assert_eq!((some[0], some[2]), (0, 0), "{some:?}");
        assert!(some[1] > 100, "{some:?}");
        let all = shown(10_000);
        assert_eq!(all, [2_000, 2_000, 900, 2, 2]);
    }

    fn shown(budget: usize) -> String {
        let files = [
            samples::file("README.md", "@@ -1,1 +1,2 @@\n title\n+text\n"),
            samples::file(
                "src/a.rs",
                "@@ -1,1 +1,2 @@ fn a\n context\n+let a = 1;\n@@ -9,1 +10,3 @@ fn b\n context\n+unsafe { c() }\n+d();\n",
            ),
        ];
        let excerpts = select(&files, &Clues::default(), &Focus::default(), budget);
        let each = files.iter().zip(excerpts).map(|(file, excerpt)| {
            let text = excerpt.text.unwrap_or_default();
            format!(
                "{}: {} shown, {} omitted\n{text}",
                file.path, excerpt.shown, excerpt.omitted
            )
        });
        each.collect::<String>()
    }

    #[test]
    fn the_riskiest_hunk_is_shown_first_and_omissions_are_said() {
        let all = [shown(0), shown(2), shown(5), shown(100)];
        insta::assert_snapshot!(all.join("\n"), @"
        README.md: 0 shown, 2 omitted
        src/a.rs: 0 shown, 5 omitted

        README.md: 0 shown, 2 omitted
        src/a.rs: 2 shown, 3 omitted
        … 2 lines omitted
        @@ -9,1 +10,3 @@ fn b
         context
        +unsafe { c() }
        … 1 line omitted

        README.md: 0 shown, 2 omitted
        src/a.rs: 5 shown, 0 omitted
        @@ -1,1 +1,2 @@ fn a
         context
        +let a = 1;
        @@ -9,1 +10,3 @@ fn b
         context
        +unsafe { c() }
        +d();

        README.md: 2 shown, 0 omitted
        @@ -1,1 +1,2 @@
         title
        +text
        src/a.rs: 5 shown, 0 omitted
        @@ -1,1 +1,2 @@ fn a
         context
        +let a = 1;
        @@ -9,1 +10,3 @@ fn b
         context
        +unsafe { c() }
        +d();
        ");
    }

    #[test]
    fn long_lines_are_cut() {
        let file = samples::file("a.js", &format!("@@ -0,0 +1,1 @@\n+{}\n", "x".repeat(5000)));
        let excerpt = select(&[file], &Clues::default(), &Focus::default(), 10).remove(0);
        assert!(excerpt.text.unwrap().chars().count() < 400);
    }
}
