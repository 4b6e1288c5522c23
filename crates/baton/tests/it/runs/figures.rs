//! Every figure in the handoffs of a run, recomputed by a program that shares
//! nothing with baton.

use std::fs;

use baton_testkit::{missing, peer};

use super::scene::Scene;

const SHOP: &str = "def total(prices):\n    return sum(prices)\n";

const TESTS: &str = "\
from shop import total


def test_two():
    assert total([1, 2]) == 3


def test_none():
    assert total([]) == 0
";

const SCRIBE: &str = "\
cat > /dev/null
cat > shop.py <<'EOF'
def total(prices):
    if any(price < 0 for price in prices):
        raise ValueError(\"negative price\")
    return sum(prices)
EOF
cat > test_negative.py <<'EOF'
import pytest

from shop import total


@pytest.mark.parametrize(\"price\", [-1, -2])
def test_negative(price):
    with pytest.raises(ValueError):
        total([price])


def test_zero():
    assert total([0]) == 0
EOF";

#[test]
#[cfg(target_os = "linux")]
fn every_figure_is_what_others_count() {
    let mut scene = Scene::with_files(&[("shop.py", SHOP), ("test_shop.py", TESTS)]);
    let Some(config) = crate::cheats::equip(&mut scene, "python") else {
        return;
    };
    let Some(python) = peer("python/bin/python") else {
        missing("python");
        return;
    };
    scene.world.sandbox.fake("scribe", SCRIBE);
    scene.configure(&config);
    let answer = scene.ask(&["run", "Refuse negative prices"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    let folder = scene.world.sandbox.path("handoffs");
    let shown = scene.ask(&["show", "-", "--handoffs", &folder.to_string_lossy()]);
    assert_eq!(shown.code, Some(0), "{shown}");

    let script = scene.world.sandbox.path("recompute.py");
    fs::write(&script, include_str!("recompute.py")).unwrap();
    let url = format!("{}/octo/demo.git", scene.world.web_url());
    let token = scene.world.token("octo").to_owned();
    let url = url.replacen("://", &format!("://{token}@"), 1);
    let tests = format!(
        "'{}' -m pytest -q -p no:cacheprovider --junitxml=\"$JUNIT\"",
        python.display()
    );
    let sandbox = &scene.world.sandbox;
    let ran = sandbox.run(
        &sandbox.root(),
        &python.to_string_lossy(),
        &[
            &*script.to_string_lossy(),
            &folder.to_string_lossy(),
            &url,
            &scene.world.api_url(),
            &token,
            "octo/demo",
            &tests,
        ],
    );
    let said = String::from_utf8_lossy(&ran.stdout);
    let told = format!("{said}\n{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said.ends_with("\n0 differences\n"), "{told}");
    assert!(said.contains("same: tests that ran: 5\n"), "{told}");
    assert!(said.contains("same: tests added: 2\n"), "{told}");
}
