//! Patterns of names and paths, as GitHub's branch rules and workflow files and the workspace
//! files of package managers have them.
//!
//! They become regular expressions rather than `globset` globs, which have no word for two things
//! that workflow files may say: `**.js` for any folder, and `+` for a repetition.

use std::fmt::Write as _;

use regex::Regex;

/// Branch names, paths and patterns that people write are shorter.
const MAX_PATTERN_LEN: usize = 1024;

/// A pattern that a whole name or path has to match. Patterns come from outside; a match takes
/// time in proportion to the text, whatever the pattern is.
#[derive(Clone, Debug)]
pub struct Glob(Regex);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Fnmatch,
    WorkflowFilter,
}

impl Glob {
    /// As Ruby's `fnmatch` reads it with `FNM_PATHNAME`, which is what GitHub does with the
    /// patterns of branch protections and rulesets: `*`, `?` and sets such as `[a-z]` stop at a
    /// slash, and `**/` stands for any folders.
    pub fn fnmatch(pattern: &str) -> Option<Self> {
        Self::compile(pattern, Syntax::Fnmatch)
    }

    /// As the filters of GitHub's workflow files: `*` stops at a slash and `**` does not, `?`
    /// makes the character before it optional, and `+` repeats it. A `!` in front is for the
    /// caller, since its meaning depends on the patterns before it.
    pub fn workflow_filter(pattern: &str) -> Option<Self> {
        Self::compile(pattern, Syntax::WorkflowFilter)
    }

    /// The pattern that matches this text alone, in either syntax.
    pub fn escape(text: &str) -> String {
        let mut pattern = String::with_capacity(text.len());
        for character in text.chars() {
            if r"*?+[]\!".contains(character) {
                pattern.push('\\');
            }
            pattern.push(character);
        }
        pattern
    }

    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    fn compile(pattern: &str, syntax: Syntax) -> Option<Self> {
        if pattern.len() > MAX_PATTERN_LEN {
            return None;
        }
        let mut expression = String::from(r"(?s)\A(?:");
        let mut rest = pattern;
        while let Some(character) = rest.chars().next() {
            let is_folder_start =
                rest.len() == pattern.len() || pattern[..pattern.len() - rest.len()].ends_with('/');
            rest = &rest[character.len_utf8()..];
            match character {
                '*' => {
                    let (part, after) = stars(rest, is_folder_start, syntax);
                    expression += part;
                    rest = after;
                }
                '?' if syntax == Syntax::Fnmatch => expression += "[^/]",
                '?' | '+' if syntax == Syntax::WorkflowFilter => expression.push(character),
                '[' => match rest.split_once(']') {
                    Some((set, after)) => {
                        expression += &character_set(set);
                        rest = after;
                    }
                    None if syntax == Syntax::Fnmatch => expression += r"\[",
                    None => return None,
                },
                '\\' if !rest.is_empty() => {
                    let escaped = rest.chars().next()?;
                    expression += &regex::escape(escaped.encode_utf8(&mut [0; 4]));
                    rest = &rest[escaped.len_utf8()..];
                }
                other => expression += &regex::escape(other.encode_utf8(&mut [0; 4])),
            }
        }
        expression += r")\z";
        Regex::new(&expression).ok().map(Self)
    }
}

/// What one star and those that follow it stand for, and what is left of the pattern.
fn stars(rest: &str, is_folder_start: bool, syntax: Syntax) -> (&'static str, &str) {
    let after = rest.trim_start_matches('*');
    let is_deep = after.len() < rest.len();
    match (is_deep && is_folder_start, after.strip_prefix('/')) {
        (true, Some(after)) => ("(?:.*/)?", after),
        (true, None) if after.is_empty() => (".*", after),
        _ if is_deep && syntax == Syntax::WorkflowFilter => (".*", after),
        _ => ("[^/]*", after),
    }
}

/// The characters between the brackets, of which a slash is never one.
fn character_set(set: &str) -> String {
    let negated = set.strip_prefix(['!', '^']);
    let members = negated.unwrap_or(set);
    let mut characters = members.chars();
    let mut ranges = String::new();
    while let Some(first) = characters.next() {
        let mut last = first;
        let mut ahead = characters.clone();
        if ahead.next() == Some('-')
            && let Some(end) = ahead.next()
        {
            last = end;
            characters = ahead;
        }
        if first <= last {
            let (first, last) = (u32::from(first), u32::from(last));
            let _ = write!(ranges, r"\x{{{first:x}}}-\x{{{last:x}}}");
        }
    }
    match negated {
        Some(_) => format!("[^{ranges}/]"),
        None if ranges.is_empty() => r"[^\x{0}-\x{10ffff}]".to_owned(),
        None => format!("[{ranges}&&[^/]]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(compile: fn(&str) -> Option<Glob>, pattern: &str, good: &[&str], bad: &[&str]) {
        let glob = compile(pattern).unwrap_or_else(|| panic!("{pattern} was refused"));
        for text in good {
            assert!(glob.matches(text), "{pattern} on {text}");
        }
        for text in bad {
            assert!(!glob.matches(text), "{pattern} on {text}");
        }
    }

    #[test]
    fn patterns_of_branches_are_those_of_fnmatch() {
        let check = |pattern, good: &[&str], bad: &[&str]| check(Glob::fnmatch, pattern, good, bad);
        check("main", &["main"], &["mainline", "x/main", "Main"]);
        check("*", &["feature", ""], &["feature/x"]);
        check("release/*", &["release/1.0"], &["release/1/0", "release"]);
        check("release/**/*", &["release/1", "release/1/0"], &["released"]);
        check("release/**", &["release/1", "release/1/0"], &["released"]);
        check("**/docs", &["docs", "a/b/docs"], &["a/bdocs"]);
        check("**/*", &["main", "octo/topic"], &[]);
        check("a**b", &["ab", "axb"], &["a/b"]);
        check("**x*", &["aaxb"], &["a/xb"]);
        check("a*c", &["abbc"], &["abcd"]);
        check(
            "packages/**/old",
            &["packages/a/b/old", "packages/old"],
            &["packages/old/x"],
        );
        check("*[Rr]elease*", &["my-release-1", "Release"], &["x/release"]);
        check("v[0-9].?", &["v1.2"], &["v1.", "vx.2", "v1./"]);
        check("v[!0-9]", &["vx"], &["v1", "v/"]);
        check("v[^0-9]", &["vx"], &["v1"]);
        check("[a-]", &["a", "-"], &["b"]);
        check("[]", &[], &["", "]"]);
        check("a[", &["a["], &["a"]);
        check(r"\*", &["*"], &["x"]);
        check("a\\", &["a\\"], &["a"]);
        check("(a|b).{2}", &["(a|b).{2}"], &["axx"]);
        check("", &[""], &["a"]);
    }

    /// The examples of GitHub's filter pattern cheat sheet.
    #[test]
    fn patterns_of_workflow_files_are_those_of_github() {
        let check =
            |pattern, good: &[&str], bad: &[&str]| check(Glob::workflow_filter, pattern, good, bad);
        check("feature/*", &["feature/my-branch"], &["feature/beta-a/my"]);
        check("feature/**", &["feature/beta-a/my-branch"], &["features"]);
        check("*", &["main", "README.md"], &["releases/x", "docs/a.md"]);
        check("**", &["all/the/branches", "every/tag"], &[]);
        check("*feature", &["mona-feature", "feature"], &["feature/x"]);
        check("v2*", &["v2", "v2.0", "v2.9"], &["v1"]);
        check(
            "v[12].[0-9]+.[0-9]+",
            &["v1.10.1", "v2.0.0"],
            &["v3.0.0", "v1.1", "v1..1"],
        );
        check("*.jsx?", &["page.js", "page.jsx"], &["page.jsxx", "a/b.js"]);
        check("*.js", &["app.js"], &["js/index.js"]);
        check(
            "**.js",
            &["index.js", "js/index.js", "src/js/app.js"],
            &["a.jsx"],
        );
        check("docs/*", &["docs/README.md"], &["docs/a/b.md"]);
        check("docs/**", &["docs/README.md", "docs/mona/o.txt"], &["docs"]);
        check(
            "docs/**/*.md",
            &["docs/README.md", "docs/mona/hello.md", "docs/a/m/f.md"],
            &["docs/a.txt"],
        );
        check(
            "**/docs/**",
            &["docs/hello.md", "dir/docs/my.txt", "s/docs/plan/s.doc"],
            &["mydocs/a"],
        );
        check(
            "**/README.md",
            &["README.md", "js/README.md"],
            &["xREADME.md"],
        );
        check("**/*src/**", &["a/src/app.js", "my-src/code/app.js"], &[]);
        check("**/*-post.md", &["my-post.md", "path/their-post.md"], &[]);
        check(
            "**/migrate-*.sql",
            &["migrate-10909.sql", "db/sept/migrate-v1.sql"],
            &["db/migrate.sql"],
        );
        check(r"a\*b", &["a*b"], &["axb"]);
    }

    #[test]
    fn what_cannot_be_read_is_no_pattern() {
        assert!(Glob::workflow_filter("v[0-9").is_none());
        assert!(Glob::workflow_filter("+x").is_none());
        assert!(Glob::fnmatch(&"a".repeat(MAX_PATTERN_LEN + 1)).is_none());
    }

    #[test]
    fn escaped_text_matches_itself_alone() {
        let text = r"a*b?c+[d]\e !";
        for compile in [Glob::fnmatch, Glob::workflow_filter] {
            check(compile, &Glob::escape(text), &[text], &["axbxcc[d]\\e !"]);
        }
    }

    #[test]
    fn many_stars_take_no_longer_than_few() {
        let pattern = Glob::fnmatch(&"*a".repeat(500)).unwrap();
        assert!(!pattern.matches(&"a".repeat(499)));
        assert!(pattern.matches(&"a".repeat(2000)));
    }
}
