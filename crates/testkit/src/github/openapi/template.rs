//! Which operation a path belongs to.

/// Parameters whose value may contain slashes, as GitHub accepts them.
const WITH_SLASHES: [&str; 5] = ["basehead", "branch", "dir", "name", "ref"];

/// A path as GitHub describes it: `/repos/{owner}/{repo}`.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) path: String,
    segments: Vec<Segment>,
}

#[derive(Debug)]
enum Segment {
    Literal(String),
    Parameter,
    /// It takes any number of parts of the path, and at least one.
    WithSlashes,
    /// The path of a file, which is empty for the root.
    File,
}

/// How well a template fits, better ones first: GitHub's own router prefers words
/// to parameters, as in `/pulls/comments` and `/pulls/{pull_number}`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    literals: usize,
    /// A parameter that swallowed slashes is the worse choice.
    segments: usize,
}

impl Template {
    pub(super) fn new(path: &str) -> Self {
        let segments = path.split('/').skip(1).map(|segment| {
            let name = segment
                .strip_prefix('{')
                .and_then(|rest| rest.strip_suffix('}'));
            match name {
                Some("path") => Segment::File,
                Some(name) if WITH_SLASHES.contains(&name) => Segment::WithSlashes,
                Some(_) => Segment::Parameter,
                None => Segment::Literal(segment.to_owned()),
            }
        });
        Self {
            path: path.to_owned(),
            segments: segments.collect(),
        }
    }

    pub(super) fn fit(&self, path: &str) -> Option<Fit> {
        let parts: Vec<_> = path.split('/').skip(1).collect();
        let literal = |segment: &&Segment| matches!(segment, Segment::Literal(_));
        matches(&self.segments, &parts).then(|| Fit {
            literals: self.segments.iter().filter(literal).count(),
            segments: self.segments.len(),
        })
    }
}

fn matches(segments: &[Segment], parts: &[&str]) -> bool {
    let Some((segment, segments)) = segments.split_first() else {
        return parts.is_empty();
    };
    let mut behind = (1..=parts.len()).map(|taken| &parts[taken..]);
    let is_given = parts.first().is_some_and(|part| !part.is_empty());
    match segment {
        Segment::Literal(word) => {
            parts.first() == Some(&word.as_str()) && matches(segments, &parts[1..])
        }
        Segment::Parameter => is_given && matches(segments, &parts[1..]),
        Segment::WithSlashes => is_given && behind.any(|parts| matches(segments, parts)),
        Segment::File => matches(segments, parts) || behind.any(|parts| matches(segments, parts)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(template: &str, path: &str) -> bool {
        Template::new(template).fit(path).is_some()
    }

    #[test]
    fn a_parameter_is_one_segment_unless_it_may_hold_slashes() {
        assert!(fits("/", "/"));
        assert!(fits("/repos/{owner}/{repo}", "/repos/octo/demo"));
        assert!(!fits("/repos/{owner}/{repo}", "/repos/octo/demo/pulls"));
        assert!(!fits("/repos/{owner}/{repo}", "/repos/octo"));
        assert!(!fits("/repos/{owner}/{repo}", "/repos//demo"));
        assert!(fits("/git/ref/{ref}", "/git/ref/heads/fix/one"));
        assert!(!fits("/git/ref/{ref}", "/git/ref/"));
        assert!(!fits("/git/ref/{ref}", "/git/ref"));
        assert!(fits("/contents/{path}", "/contents/docs/a.md"));
        assert!(fits("/contents/{path}", "/contents/"));
        assert!(fits("/contents/{path}", "/contents"));
        assert!(fits(
            "/branches/{branch}/protection",
            "/branches/fix/one/protection"
        ));
    }

    #[test]
    fn words_fit_better_than_parameters() {
        let fit = |template: &str, path| Template::new(template).fit(path);
        assert!(fit("/pulls/comments", "/pulls/comments") > fit("/pulls/{n}", "/pulls/comments"));
        assert!(
            fit("/branches/{branch}/protection", "/branches/a/protection")
                > fit("/branches/{branch}", "/branches/a/protection")
        );
    }
}
