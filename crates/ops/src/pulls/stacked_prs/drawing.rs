//! The stack as a picture of ASCII lines.

use std::fmt::Write as _;

use super::members::{Member, Stack};

/// A larger stack is drawn in part.
const MAX_LINES: usize = 40;
const MAX_TITLE_LEN: usize = 60;

/// `root` is the branch at the bottom; `remark` says more about a member.
pub(super) fn draw(
    stack: &Stack,
    root: &str,
    lowest: u32,
    remark: impl Fn(&Member) -> String,
) -> String {
    let mut text = plain(root, MAX_TITLE_LEN);
    let mut lines = 1;
    // What is drawn below a member stands on it, as trees of folders are drawn.
    let mut left = vec![(lowest, String::new(), true)];
    let mut drawn = Vec::new();
    while let Some((number, indent, is_last)) = left.pop() {
        let Some(member) = stack.member(number).filter(|_| !drawn.contains(&number)) else {
            continue;
        };
        drawn.push(number);
        if lines == MAX_LINES {
            text += "\n...";
            break;
        }
        lines += 1;
        let branch = plain(&member.head_branch, MAX_TITLE_LEN);
        let corner = if is_last { "`-- " } else { "|-- " };
        let _ = write!(text, "\n{indent}{corner}#{number} {branch}");
        if !member.title.is_empty() {
            let _ = write!(text, " \"{}\"", plain(&member.title, MAX_TITLE_LEN));
        }
        let remark = remark(member);
        if !remark.is_empty() {
            let _ = write!(text, "  ({remark})");
        }
        let indent = indent + if is_last { "    " } else { "|   " };
        let above = stack.above(number);
        for (place, upper) in above.iter().enumerate().rev() {
            left.push((upper.number, indent.clone(), place + 1 == above.len()));
        }
    }
    text
}

/// One line of a picture: nothing in it may move what is around it.
fn plain(text: &str, longest: usize) -> String {
    let shown = |c: char| {
        if c.is_ascii_graphic() || c == ' ' {
            c
        } else {
            '?'
        }
    };
    let mut line: String = text.chars().take(longest).map(shown).collect();
    if text.chars().nth(longest).is_some() {
        line += "...";
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::members::tests::member;
    use super::*;

    #[test]
    fn a_tree_of_pull_requests_is_drawn() {
        let pair = [member(1, "a", "main"), member(2, "b", "a")];
        let mut odd = member(4, "d", "b");
        odd.title = "Tür\u{1b}[31m".to_owned();
        let stack = Stack::discover(pair, [member(3, "c", "a"), odd, member(5, "e", "b")], &[]);
        let remark = |member: &Member| match member.number {
            2 => "dependent".to_owned(),
            _ => String::new(),
        };
        insta::assert_snapshot!(draw(&stack, "main", 1, remark), @r#"
        main
        `-- #1 a "Change 1"
            |-- #2 b "Change 2"  (dependent)
            |   |-- #4 d "T?r?[31m"
            |   `-- #5 e "Change 5"
            `-- #3 c "Change 3"
        "#);
    }
}
