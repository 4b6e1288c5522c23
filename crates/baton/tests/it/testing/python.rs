use baton_testkit::Sandbox;

use super::equipment::peer;

/// The pinned Python, called `python` in the sandbox, with these options.
fn python(sandbox: &Sandbox, options: &str) -> Result<(), String> {
    let program = peer("python/bin/python")?;
    sandbox.fake(
        "python",
        &format!("exec '{}' {options} \"$@\"", program.display()),
    );
    Ok(())
}

const LEDGER: &str = r#"
def note(name):
    with open("@LOG@", "a") as log:
        log.write(name + "\n")


def total(amounts):
    return sum(amounts)
"#;

pub(super) mod pytest {
    use baton_testkit::Sandbox;

    use super::super::equipment::{peer, without};
    use super::super::framework::{
        Bodies, Broken, Crash, Failure, Framework, Missing, Retries, Then,
    };
    use super::{LEDGER, python};

    fn equip(sandbox: &mut Sandbox) -> Result<(), String> {
        let python_itself = peer("python/bin/python")?;
        sandbox.fake(
            "pytest",
            &format!("exec '{}' -m pytest \"$@\"", python_itself.display()),
        );
        python(sandbox, "")
    }

    pub(in crate::testing) const PYTEST: Framework = Framework {
        language: "python",
        asked: None,
        command: "pytest",
        build: None,
        equip,
        files: &[
            ("pytest.ini", "[pytest]\npythonpath = .\n"),
            ("ledger.py", LEDGER),
            (
                "tests/test_sums.py",
                r#"
from ledger import note, total


def test_adds():
    note("adds")
    assert total([1, 2]) == 3


def test_empty():
    note("empty")
    assert total([]) == 0
"#,
            ),
            (
                "tests/test_rates.py",
                r#"
import os
import subprocess
import time

import pytest

from ledger import note, total


@pytest.mark.parametrize("digits", ["two or less"])
def test_rounds(digits):
    note("rounds")
    @ROUNDS@


class TestRates:
    def test_converts(self):
        note("converts")
        @CONVERTS@
"#,
            ),
        ],
        bodies: Bodies {
            wrong: "assert total([1, 2]) == 4",
            error: "raise KeyError('no rate for tin')",
            flaky: "seen = os.path.exists('@MARKER@')\nopen('@MARKER@', 'w').close()\nassert seen",
            hangs: "subprocess.Popen(['sh', 'linger.sh'])\ntime.sleep(300)",
            crash: "os._exit(7)",
        },
        failures: [
            Failure {
                name: "tests/test_rates.py::test_rounds[two or less]",
                file: "tests/test_rates.py",
                error: "assert 3 == 4",
            },
            Failure {
                name: "tests/test_rates.py::TestRates::test_converts",
                file: "tests/test_rates.py",
                error: "KeyError: 'no rate for tin'",
            },
        ],
        retries: Retries::OnlyWhatFailed,
        broken: Broken {
            file: "tests/test_rates.py",
            content: "def test_rounds(:\n    pass\n",
            error: "test_failure",
            told: "SyntaxError",
        },
        missing: Missing {
            arrange: |sandbox| without(sandbox, "pytest"),
            then: Then::FallsBackTo("python -m pytest"),
        },
        crash: Crash {
            told: "tests/test_rates.py",
        },
        seconds_to_start: 3,
    };

    all_cases!(PYTEST);
}

pub(super) mod unittest {
    use super::super::framework::{
        Bodies, Broken, Crash, Failure, Framework, Missing, Retries, Then,
    };
    use super::{LEDGER, python};

    pub(in crate::testing) const UNITTEST: Framework = Framework {
        language: "python",
        asked: Some("python -m unittest"),
        command: "python -m unittest",
        build: None,
        equip: |sandbox| python(sandbox, ""),
        files: &[
            ("setup.cfg", "[metadata]\nname = ledger\n"),
            ("ledger.py", LEDGER),
            (
                "test_sums.py",
                r#"
import unittest

from ledger import note, total


class SumsTest(unittest.TestCase):
    def test_adds(self):
        note("adds")
        self.assertEqual(total([1, 2]), 3)

    def test_empty(self):
        note("empty")
        self.assertEqual(total([]), 0)
"#,
            ),
            (
                "test_rates.py",
                r#"
import os
import subprocess
import time
import unittest

from ledger import note, total


class RatesTest(unittest.TestCase):
    def test_rounds(self):
        """A sum has two digits at most."""
        note("rounds")
        @ROUNDS@

    def test_converts(self):
        note("converts")
        @CONVERTS@
"#,
            ),
        ],
        bodies: Bodies {
            wrong: "self.assertEqual(total([1, 2]), 4)",
            error: "raise KeyError('no rate for tin')",
            flaky: "seen = os.path.exists('@MARKER@')\nopen('@MARKER@', 'w').close()\nself.assertTrue(seen)",
            hangs: "subprocess.Popen(['sh', 'linger.sh'])\ntime.sleep(300)",
            crash: "os.abort()",
        },
        failures: [
            Failure {
                name: "test_rates.RatesTest.test_rounds",
                file: "test_rates.py",
                error: "3 != 4",
            },
            Failure {
                name: "test_rates.RatesTest.test_converts",
                file: "test_rates.py",
                error: "KeyError: 'no rate for tin'",
            },
        ],
        retries: Retries::OnlyWhatFailed,
        broken: Broken {
            file: "test_rates.py",
            content: "class RatesTest(:\n    pass\n",
            error: "test_failure",
            told: "SyntaxError",
        },
        missing: Missing {
            // Without its packages, Python has no pytest.
            arrange: |sandbox| python(sandbox, "-S").unwrap(),
            then: Then::FallsBackTo("python -m unittest discover"),
        },
        crash: Crash { told: "Aborted" },
        seconds_to_start: 3,
    };

    all_cases!(UNITTEST);
}
