//! Coverage by the tools that projects have. The expected shares are counted by
//! hand, in the comments beside them.

use baton_protocol::handoff::Handoff;
use baton_protocol::handoff::xml::Node;
use baton_testkit::world::World;
use baton_testkit::{missing, peer};
use baton_workflow::Step;

use crate::rehearsal::Rehearsal;

type Files<'f> = &'f [(&'f str, &'f str)];

/// The shares that a merge hands on, of everything and of the changed lines, where
/// `test` is the project's test command. Nothing of the tool is left behind.
#[track_caller]
fn measured(world: &World, base: Files<'_>, change: Files<'_>, test: &str) -> String {
    let mut rehearsal = Rehearsal::new(world, base, change);
    rehearsal.steps = vec![Step::Validate, Step::Merge];
    rehearsal.place.settings.preferred.test = Some(test.to_owned());
    let rehearsed = rehearsal.play();
    let Handoff::Merged(merged) = rehearsed.handoff() else {
        panic!("{:?}\n{:?}", rehearsed.last(), rehearsed.said);
    };
    let left = rehearsal.git(&["status", "--porcelain", "--ignored"]);
    assert!(!left.contains("baton") && !left.contains("cover"), "{left}");
    let summary = merged.validation_summary.as_ref().unwrap();
    let share = |share: Option<String>| share.unwrap_or_else(|| "unknown".to_owned());
    let mut others = summary.other.iter();
    let changed = others.find(|element| element.name() == "changed_lines_coverage");
    let changed = changed.and_then(|element| match &element.nodes()[0] {
        Node::Text(words) => Some(words.as_str()),
        Node::Element(_) => None,
    });
    format!(
        "{} in all, {} of the changed lines",
        share(summary.coverage.as_ref().map(ToString::to_string)),
        share(changed.map(str::to_owned))
    )
}

const PYTHON: (&str, &str) = (
    "shop.py",
    "def price(x):\n    return x * 2\n\n\ndef discount(x):\n    if x > 10:\n        return x - 1\n    return x\n",
);
const PYTHON_TEST: (&str, &str) = (
    "test_shop.py",
    "from shop import price\n\n\ndef test_price():\n    assert price(2) == 4\n",
);
const PYTHON_NEW_TEST: (&str, &str) = (
    "test_discount.py",
    "from shop import discount\n\n\ndef test_discount():\n    assert discount(20) == 19\n",
);

#[test]
fn python_is_measured_with_coverage_py() {
    let Some(python) = peer("python-coverage/bin/python3") else {
        return;
    };
    let world = World::start();
    let base = [
        ("pyproject.toml", "[project]\nname = \"shop\"\n"),
        (".gitignore", "__pycache__/\n.pytest_cache/\n"),
        ("shop.py", "def price(x):\n    return x * 2\n"),
        PYTHON_TEST,
    ];
    let test = format!("{} -m pytest -q", python.display());
    // shop.py: 5 of the 6 statements, as `return x` is not run; 3 of 3 in both tests:
    // 11 of 12. Of them the change has 3 of 4 and 3 of 3: 6 of 7.
    insta::assert_snapshot!(measured(&world, &base, &[PYTHON, PYTHON_NEW_TEST], &test), @"91.6% in all, 85.7% of the changed lines");
}

#[test]
fn a_python_without_the_tool_is_not_measured() {
    let Some(python) = peer("python/bin/python3") else {
        return;
    };
    let world = World::start();
    let base = [
        ("pyproject.toml", "[project]\nname = \"shop\"\n"),
        (".gitignore", "__pycache__/\n.pytest_cache/\n"),
        ("shop.py", "def price(x):\n    return x * 2\n"),
        PYTHON_TEST,
    ];
    let test = format!("{} -m pytest -q", python.display());
    insta::assert_snapshot!(measured(&world, &base, &[PYTHON, PYTHON_NEW_TEST], &test), @"unknown in all, unknown of the changed lines");
}

const JAVASCRIPT_TEST: (&str, &str) = (
    "shop.test.js",
    "const test = require('node:test');\nconst assert = require('node:assert');\nconst { price } = require('./shop.js');\n\ntest('doubles', () => {\n  assert.strictEqual(price(2), 4);\n});\n",
);

#[test]
fn javascript_is_measured_by_nodes_own_runner() {
    let mut world = World::start();
    if !world.sandbox.link_tool("node") {
        return missing("node");
    }
    let base = [
        (
            "package.json",
            "{\"name\": \"shop\", \"scripts\": {\"test\": \"node --test\"}}\n",
        ),
        (
            "shop.js",
            "function price(x) {\n  return x * 2;\n}\n\nmodule.exports = { price };\n",
        ),
        JAVASCRIPT_TEST,
    ];
    let test = JAVASCRIPT_TEST
        .1
        .replace("price(2), 4", "discount(20), 19")
        .replace("price", "discount")
        .replace("doubles", "discounts");
    let change = [
        (
            "shop.js",
            "function price(x) {\n  return x * 2;\n}\n\nfunction discount(x) {\n  if (x > 10) {\n    return x - 1;\n  }\n  return x;\n}\n\nmodule.exports = { price, discount };\n",
        ),
        ("discount.test.js", test.as_str()),
    ];
    // Node counts every line. shop.js: 11 of 12, as `return x;` is not run; 7 of 7 in
    // both tests: 25 of 26. Of them the change has 7 of 8 and 7 of 7: 14 of 15.
    insta::assert_snapshot!(measured(&world, &base, &change, "node --test"), @"96.1% in all, 93.3% of the changed lines");
}

#[test]
fn go_is_measured_by_its_own_tool() {
    let mut world = World::start();
    if !world.sandbox.link_tool("go") {
        return missing("go");
    }
    let price = "package shop\n\nfunc Price(x int) int {\n\treturn x * 2\n}\n";
    let base = [
        ("go.mod", "module example.com/shop\n\ngo 1.19\n"),
        ("shop.go", price),
        (
            "shop_test.go",
            "package shop\n\nimport \"testing\"\n\nfunc TestPrice(t *testing.T) {\n\tif Price(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n",
        ),
    ];
    let discount = format!(
        "{price}\nfunc Discount(x int) int {{\n\tif x > 10 {{\n\t\treturn x - 1\n\t}}\n\treturn x\n}}\n"
    );
    let change = [
        ("shop.go", discount.as_str()),
        (
            "discount_test.go",
            "package shop\n\nimport \"testing\"\n\nfunc TestDiscount(t *testing.T) {\n\tif Discount(20) != 19 {\n\t\tt.Fatal()\n\t}\n}\n",
        ),
    ];
    // 3 of 4 statements. Of the change's three lines with statements, `return x` is
    // not run: 2 of 3.
    insta::assert_snapshot!(measured(&world, &base, &change, "go test ./..."), @"75% in all, 66.6% of the changed lines");
}

#[test]
fn a_tool_that_fails_is_a_note_and_no_failure() {
    let world = World::start();
    let tool = "#!/bin/sh\nif [ \"$1\" = -m ] && [ \"$2\" = coverage ] && [ \"$3\" = run ]; then echo 'no room'; exit 1; fi\n";
    world.sandbox.fake("python3", tool);
    let base = [
        ("pyproject.toml", "[project]\nname = \"shop\"\n"),
        PYTHON_TEST,
    ];
    insta::assert_snapshot!(measured(&world, &base, &[PYTHON], "python3 -m unittest"), @"unknown in all, unknown of the changed lines");
}
