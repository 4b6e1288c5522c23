//! Which workflow reports a check, and whether it ever runs for a pull request.

use baton_host::detect::parse::yaml;
use baton_protocol::Glob;
use serde_json::Value;

#[derive(Clone, Debug)]
pub(super) struct Workflow {
    pub(super) path: String,
    /// What its jobs are called; expressions are not evaluated.
    labels: Vec<String>,
    on: Value,
}

/// Whether a workflow runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Runs,
    /// With the field that says so.
    Never(String),
    Unknown(String),
}

/// For which change it would run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change<'a> {
    pub(super) base: &'a str,
    pub(super) head_branch: &'a str,
    pub(super) is_from_fork: bool,
    pub(super) paths: &'a [String],
    /// There are more paths.
    pub(super) truncated: bool,
}

impl Workflow {
    /// `None` for a file that is no workflow.
    pub(super) fn parse(path: &str, text: &str) -> Option<Self> {
        let tree = yaml(text).ok()?;
        let jobs = tree.get("jobs")?.as_object()?;
        let label = |(id, job): (&String, &Value)| {
            let name = job.get("name").and_then(Value::as_str);
            name.unwrap_or(id).to_owned()
        };
        Some(Self {
            path: path.to_owned(),
            labels: jobs.iter().map(label).collect(),
            on: tree.get("on")?.clone(),
        })
    }

    /// One of its jobs may report under this name.
    pub(super) fn reports(&self, check: &str) -> bool {
        self.labels.iter().any(|label| is_named(label, check))
    }

    /// One of its jobs has exactly this name. Other names depend on a matrix or on an expression,
    /// whose values are not known.
    pub(super) fn certainly_reports(&self, check: &str) -> bool {
        self.labels.iter().any(|label| label == check)
    }

    pub(super) fn has_trigger(&self, event: &str) -> bool {
        self.trigger(event).is_some()
    }

    /// Whether it runs for a pull request.
    pub(super) fn reach(&self, change: Change<'_>) -> Reach {
        let events = ["pull_request", "pull_request_target"];
        let found = events
            .iter()
            .find_map(|event| Some((*event, self.trigger(event)?)));
        let by_pull = match found {
            Some((event, trigger)) => self.filtered(event, &trigger, change),
            None => Reach::Never(format!("{}: `on` has no `pull_request`", self.path)),
        };
        if by_pull == Reach::Runs || change.is_from_fork {
            return by_pull;
        }
        match self.trigger("push") {
            Some(push) if branches_allow(&push, change.head_branch) => {
                if push.get("paths").is_some() || push.get("paths-ignore").is_some() {
                    Reach::Unknown(format!(
                        "{}: `on.push` looks at the paths of each push",
                        self.path
                    ))
                } else {
                    Reach::Runs
                }
            }
            _ => by_pull,
        }
    }

    /// `null` where the event has no filters.
    fn trigger(&self, event: &str) -> Option<Value> {
        match &self.on {
            Value::String(name) => (name == event).then_some(Value::Null),
            Value::Array(names) => names
                .iter()
                .any(|name| name == event)
                .then_some(Value::Null),
            Value::Object(events) => events.get(event).cloned(),
            _ => None,
        }
    }

    fn filtered(&self, event: &str, trigger: &Value, change: Change<'_>) -> Reach {
        let place = |filter: &str| format!("{}: on.{event}.{filter}", self.path);
        if !branches_allow(trigger, change.base) {
            let filter = if trigger.get("branches").is_some() {
                "branches"
            } else {
                "branches-ignore"
            };
            return Reach::Never(format!("{} leaves `{}` out", place(filter), change.base));
        }
        let wanted = list(trigger, "paths");
        let ignored = list(trigger, "paths-ignore");
        let (filter, patterns) = match (&wanted, &ignored) {
            (Some(patterns), _) => ("paths", patterns),
            (None, Some(patterns)) => ("paths-ignore", patterns),
            (None, None) => return Reach::Runs,
        };
        let Some(patterns) = Filter::parse(patterns) else {
            return Reach::Unknown(format!(
                "{} has a pattern that is not understood",
                place(filter)
            ));
        };
        let runs = |path: &String| patterns.selects(path) == wanted.is_some();
        if change.paths.iter().any(runs) {
            Reach::Runs
        } else if change.truncated {
            Reach::Unknown(format!(
                "{} leaves out all paths that were read",
                place(filter)
            ))
        } else {
            Reach::Never(format!("{} leaves out every changed file", place(filter)))
        }
    }
}

/// What cannot be read leaves no branch out.
fn branches_allow(trigger: &Value, branch: &str) -> bool {
    let selects = |patterns: &[String]| Filter::parse(patterns).map(|all| all.selects(branch));
    match (list(trigger, "branches"), list(trigger, "branches-ignore")) {
        (Some(patterns), _) => selects(&patterns).unwrap_or(true),
        (None, Some(patterns)) => !selects(&patterns).unwrap_or(false),
        // A push of tags only is none of a branch.
        (None, None) => trigger.get("tags").is_none(),
    }
}

/// Patterns in their order, and whether each one selects or takes back.
struct Filter(Vec<(bool, Glob)>);

impl Filter {
    fn parse(patterns: &[String]) -> Option<Self> {
        let parsed = patterns.iter().map(|pattern| {
            let negated = pattern.strip_prefix('!');
            let glob = Glob::workflow_filter(negated.unwrap_or(pattern))?;
            Some((negated.is_none(), glob))
        });
        parsed.collect::<Option<_>>().map(Self)
    }

    /// The last pattern that matches counts.
    fn selects(&self, name: &str) -> bool {
        let mut last_first = self.0.iter().rev();
        last_first
            .find(|(_, glob)| glob.matches(name))
            .is_some_and(|(selects, _)| *selects)
    }
}

fn list(trigger: &Value, key: &str) -> Option<Vec<String>> {
    match trigger.get(key)? {
        Value::String(one) => Some(vec![one.clone()]),
        Value::Array(many) => Some(
            many.iter()
                .filter_map(|one| one.as_str().map(str::to_owned))
                .collect(),
        ),
        _ => None,
    }
}

/// A matrix adds ` (values)` to the name of a job, a called workflow ` / job`,
/// and expressions may become anything.
fn is_named(label: &str, check: &str) -> bool {
    let mut pattern = String::new();
    let mut rest = label;
    while let Some((before, after)) = rest.split_once("${{") {
        pattern += &Glob::escape(before);
        pattern += "**";
        rest = after.split_once("}}").map_or("", |(_, after)| after);
    }
    pattern += &Glob::escape(rest);
    ["", " (**)", " / **"].iter().any(|suffix| {
        Glob::workflow_filter(&format!("{pattern}{suffix}")).is_some_and(|glob| glob.matches(check))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(on: &str, paths: &[&str]) -> Reach {
        let text = format!("on:\n{on}\njobs:\n  test:\n    steps: []\n");
        let workflow = Workflow::parse(".github/workflows/ci.yml", &text).unwrap();
        let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
        workflow.reach(Change {
            base: "main",
            head_branch: "fix/cart",
            is_from_fork: false,
            paths: &paths,
            truncated: false,
        })
    }

    #[test]
    fn filters_decide_whether_it_runs() {
        let cases = [
            ("  pull_request:", "a.rs"),
            ("  pull_request:\n    branches: [release]", "a.rs"),
            ("  pull_request:\n    branches: ['ma*']", "a.rs"),
            ("  pull_request:\n    paths: ['docs/**']", "a.rs"),
            ("  pull_request:\n    paths: ['**.rs', '!a.rs']", "a.rs"),
            ("  pull_request:\n    paths: ['**.rs']", "src/a.rs"),
            ("  pull_request:\n    paths-ignore: ['**.md']", "a.md"),
            ("  pull_request:\n    paths: ['[a-z].rs']", "a.rs"),
            ("  pull_request:\n    paths: ['[a-z.rs']", "a.rs"),
            ("  push:", "a.rs"),
            ("  push:\n    branches: [main]", "a.rs"),
            ("  push:\n    tags: ['v*']", "a.rs"),
            ("  [pull_request, push]", "a.rs"),
            ("  schedule:", "a.rs"),
        ];
        let shown: Vec<String> = cases
            .iter()
            .map(|(on, path)| format!("{}: {:?}", on.replace('\n', ""), reach(on, &[path])))
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @r#"
        pull_request:: Runs
        pull_request:    branches: [release]: Never(".github/workflows/ci.yml: on.pull_request.branches leaves `main` out")
        pull_request:    branches: ['ma*']: Runs
        pull_request:    paths: ['docs/**']: Never(".github/workflows/ci.yml: on.pull_request.paths leaves out every changed file")
        pull_request:    paths: ['**.rs', '!a.rs']: Never(".github/workflows/ci.yml: on.pull_request.paths leaves out every changed file")
        pull_request:    paths: ['**.rs']: Runs
        pull_request:    paths-ignore: ['**.md']: Never(".github/workflows/ci.yml: on.pull_request.paths-ignore leaves out every changed file")
        pull_request:    paths: ['[a-z].rs']: Runs
        pull_request:    paths: ['[a-z.rs']: Unknown(".github/workflows/ci.yml: on.pull_request.paths has a pattern that is not understood")
        push:: Runs
        push:    branches: [main]: Never(".github/workflows/ci.yml: `on` has no `pull_request`")
        push:    tags: ['v*']: Never(".github/workflows/ci.yml: `on` has no `pull_request`")
        [pull_request, push]: Runs
        schedule:: Never(".github/workflows/ci.yml: `on` has no `pull_request`")
        "#);
    }

    #[test]
    fn jobs_report_under_their_names() {
        let text = "on: push\njobs:\n  build:\n    x: 1\n  t:\n    name: test ${{ matrix.os }}\n  lint:\n    name: 'a*'\n";
        let workflow = Workflow::parse("ci.yml", text).unwrap();
        for name in ["build", "build (1, 2)", "build / inner", "test linux", "a*"] {
            assert!(workflow.reports(name), "{name}");
        }
        for (name, is_certain) in [
            ("build", true),
            ("build (1, 2)", false),
            ("test linux", false),
        ] {
            assert_eq!(workflow.certainly_reports(name), is_certain, "{name}");
        }
        for name in ["t", "builder", "tests", "abc"] {
            assert!(!workflow.reports(name), "{name}");
        }
        assert!(Workflow::parse("x.yml", "just text").is_none());
    }
}
