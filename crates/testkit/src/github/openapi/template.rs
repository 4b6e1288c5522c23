//! Which operation a path belongs to.

/// Parameters whose value may contain slashes, as GitHub accepts them.
const WITH_SLASHES: [&str; 6] = ["basehead", "branch", "dir", "name", "path", "ref"];

/// A path as GitHub describes it: `/repos/{owner}/{repo}`.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) path: String,
    segments: Vec<Segment>,
}

#[derive(Debug)]
enum Segment {
    Literal(String),
    Parameter { slashes: bool },
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
                Some(name) => Segment::Parameter {
                    slashes: WITH_SLASHES.contains(&name),
                },
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
    let (Some((segment, segments)), Some((part, parts))) =
        (segments.split_first(), parts.split_first())
    else {
        return segments.is_empty() && parts.is_empty();
    };
    match segment {
        Segment::Literal(word) => word == part && matches(segments, parts),
        Segment::Parameter { .. } if part.is_empty() => false,
        Segment::Parameter { slashes: false } => matches(segments, parts),
        Segment::Parameter { slashes: true } => {
            (0..=parts.len()).any(|more| matches(segments, &parts[more..]))
        }
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
