//! The checks against GitHub's own descriptions: GitHub's examples pass, and
//! everything that is a little wrong does not.

mod graphql;
mod recorder;
mod rest;
mod webhooks;

use std::sync::LazyLock;

use baton_testkit::github::{Contract, Problem};
use baton_testkit::missing;

/// Read once, because it takes two seconds; `None` where the peers are not installed.
static CONTRACT: LazyLock<Option<Contract>> = LazyLock::new(Contract::find);

/// `None` after a loud line, also in the tests that come after the first.
fn contract() -> Option<&'static Contract> {
    if CONTRACT.is_none() {
        missing("github");
    }
    CONTRACT.as_ref()
}

fn shown(problems: &[Problem]) -> String {
    let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
