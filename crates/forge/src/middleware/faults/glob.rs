//! Patterns of paths.

/// `*` stands for one segment, `**` for any number of them.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = segments(pattern).collect();
    let path: Vec<&str> = segments(path).collect();
    rest_matches(&pattern, &path)
}

fn rest_matches(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), None) => rest_matches(rest, path),
        (Some((&"**", rest)), Some((_, shorter))) => {
            rest_matches(rest, path) || rest_matches(pattern, shorter)
        }
        (Some((wanted, rest)), Some((segment, shorter))) => {
            (*wanted == "*" || wanted.eq_ignore_ascii_case(segment)) && rest_matches(rest, shorter)
        }
        _ => false,
    }
}

fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn segments_and_rests() {
        for (pattern, path) in [
            ("/user", "/user"),
            ("/repos/*/*/pulls", "/repos/octo/demo/pulls"),
            ("/repos/**", "/repos/octo/demo/pulls/1/files"),
            ("/repos/**/files", "/repos/octo/demo/pulls/1/files"),
            ("**", "/"),
            ("/Repos/Octo/*", "/repos/octo/demo"),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("/user", "/users"),
            ("/repos/*/pulls", "/repos/octo/demo/pulls"),
            ("/repos/*/*/pulls", "/repos/octo/demo/pulls/1"),
            ("/repos/**/files", "/repos/octo/demo/pulls/1"),
            ("/user", "/"),
        ] {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
    }
}
