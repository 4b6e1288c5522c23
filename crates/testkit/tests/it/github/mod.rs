//! The checks against GitHub's own descriptions: GitHub's examples pass, and
//! everything that is a little wrong does not.

mod graphql;
mod rest;
mod webhooks;

use baton_testkit::github::Problem;

fn shown(problems: &[Problem]) -> String {
    let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
