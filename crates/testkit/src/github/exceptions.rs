//! Known differences from GitHub's descriptions, each with its reason.

use serde::Deserialize;

use super::problem::Problem;

/// Written exceptions, each with its reason, as TOML.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exceptions {
    #[serde(default, rename = "exception")]
    exceptions: Vec<Exception>,
}

/// The parts of a problem, in which `*` stands for anything.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    #[serde(default = "anything")]
    operation: String,
    #[serde(default = "anything")]
    part: String,
    #[serde(default = "anything")]
    pointer: String,
    message: String,
    reason: String,
}

impl Exceptions {
    pub fn parse(text: &str) -> Result<Self, String> {
        let exceptions: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        match exceptions
            .exceptions
            .iter()
            .find(|exception| exception.reason.trim().is_empty())
        {
            Some(exception) => Err(format!(
                "the exception for `{}` has no reason",
                exception.message
            )),
            None => Ok(exceptions),
        }
    }

    /// Where GitHub's descriptions are known to differ from what GitHub does.
    pub(super) fn allowed() -> Self {
        Self::parse(include_str!("allowed.toml")).expect("the list of exceptions is well formed")
    }

    /// Drops what is excepted.
    pub fn filter(&self, problems: Vec<Problem>) -> Vec<Problem> {
        problems
            .into_iter()
            .filter(|problem| {
                !self
                    .exceptions
                    .iter()
                    .any(|exception| exception.covers(problem))
            })
            .collect()
    }

    /// The exceptions that cover none of these problems and can go.
    pub fn idle(&self, problems: &[Problem]) -> Vec<String> {
        self.exceptions
            .iter()
            .filter(|exception| !problems.iter().any(|problem| exception.covers(problem)))
            .map(|exception| {
                let Exception {
                    operation,
                    part,
                    pointer,
                    message,
                    ..
                } = exception;
                format!("{operation}, {part}, {pointer}: {message}")
            })
            .collect()
    }
}

impl Exception {
    fn covers(&self, problem: &Problem) -> bool {
        fits(&self.operation, &problem.operation)
            && fits(&self.part, &problem.part)
            && fits(&self.pointer, &problem.pointer)
            && fits(&self.message, &problem.message)
    }
}

fn anything() -> String {
    "*".to_owned()
}

fn fits(pattern: &str, text: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(rest) = text.strip_prefix(before) else {
        return false;
    };
    (0..=rest.len()).any(|skipped| rest.get(skipped..).is_some_and(|rest| fits(after, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        assert!(fits("GET /user", "GET /user"));
        assert!(!fits("GET /user", "GET /users"));
        assert!(fits("*", ""));
        assert!(fits("/requested_teams/*/type", "/requested_teams/0/type"));
        assert!(!fits("/requested_teams/*/type", "/requested_teams/0"));
    }

    #[test]
    fn an_exception_needs_a_reason_and_can_be_idle() {
        let without = "[[exception]]\nmessage = \"x\"\nreason = \" \"";
        insta::assert_snapshot!(Exceptions::parse(without).unwrap_err(), @"the exception for `x` has no reason");

        let exceptions =
            Exceptions::parse("[[exception]]\nmessage = \"no *\"\nreason = \"r\"").unwrap();
        let problem = |message: &str| Problem {
            operation: "GET /".to_owned(),
            part: "request".to_owned(),
            pointer: String::new(),
            message: message.to_owned(),
        };
        let problems = vec![problem("no body"), problem("a body")];
        assert_eq!(exceptions.filter(problems.clone()), problems[1..]);
        assert_eq!(exceptions.idle(&problems), Vec::<String>::new());
        assert_eq!(exceptions.idle(&problems[1..]), ["*, *, *: no *"]);
    }
}
