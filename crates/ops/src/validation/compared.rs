//! Which problems a change brought: those that were not there before.

use std::collections::HashMap;

use baton_protocol::diagnostic::Diagnostic;

/// What stays the same when lines move: the rule, the words, and the line
/// itself. Numbers in the words are left out, since places are told there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Fingerprint {
    file: Option<String>,
    rule: Option<String>,
    words: String,
    line: Option<String>,
}

/// The text of a line in some version of the tree.
pub(super) type Lines<'a> = &'a dyn Fn(&str, u64) -> Option<String>;

/// Splits what is complained about now into what is new and what is old. A
/// problem that was there once and is there twice now is new once.
pub(super) fn split(
    now: Vec<Diagnostic>,
    lines_now: Lines<'_>,
    before: &[Diagnostic],
    lines_before: Lines<'_>,
    old_name: &dyn Fn(&str) -> String,
) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let mut known: HashMap<Fingerprint, usize> = HashMap::new();
    for diagnostic in before {
        *known
            .entry(fingerprint(
                diagnostic,
                diagnostic.file.clone(),
                lines_before,
            ))
            .or_default() += 1;
    }
    now.into_iter().partition(|diagnostic| {
        let file = diagnostic.file.as_deref().map(old_name);
        let print = fingerprint(diagnostic, file, lines_now);
        match known.get_mut(&print) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        }
    })
}

fn fingerprint(diagnostic: &Diagnostic, file: Option<String>, lines: Lines<'_>) -> Fingerprint {
    let line = diagnostic
        .file
        .as_deref()
        .zip(diagnostic.line())
        .and_then(|(file, line)| lines(file, line));
    Fingerprint {
        file,
        rule: diagnostic.rule.clone(),
        words: diagnostic
            .message
            .chars()
            .filter(|c| !c.is_ascii_digit())
            .collect(),
        line: line.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use baton_protocol::diagnostic::TextRange;

    use super::*;

    fn complaint(file: &str, line: u64, message: &str) -> Diagnostic {
        Diagnostic::new("ruff", message)
            .in_file(file)
            .at(TextRange::point(line, Some(1)))
            .with_rule("F401")
    }

    #[test]
    fn a_problem_that_only_moved_is_old() {
        let before = [complaint("a.py", 1, "`os` imported")];
        let now = vec![
            complaint("b.py", 3, "`os` imported"),
            complaint("b.py", 4, "`os` imported"),
            complaint("b.py", 3, "`re` imported"),
        ];
        let lines_before = |_: &str, line: u64| (line == 1).then(|| "import os".to_owned());
        let lines_now = |_: &str, line: u64| {
            Some(match line {
                3 => "  import  os".to_owned(),
                _ => "import os".to_owned(),
            })
        };
        let old_name = |name: &str| name.replace('b', "a");
        let (new, old) = split(now, &lines_now, &before, &lines_before, &old_name);
        let told = |list: &[Diagnostic]| {
            let list: Vec<String> = list.iter().map(ToString::to_string).collect();
            list.join(", ")
        };
        assert_eq!(told(&old), "F401 `os` imported at b.py:3");
        assert_eq!(
            told(&new),
            "F401 `os` imported at b.py:4, F401 `re` imported at b.py:3"
        );
    }
}
