//! Code that takes the place of a test framework, and code that looks a little like it.

use super::{Change, assert_quiet, findings};

/// Path, base, head: what takes the place of a framework or of its assertions.
const REPLACED: Change<'_> = &[
    ("sitecustomize.py", "", "import shop\n"),
    ("unittest/__init__.py", "", "class TestCase: pass\n"),
    ("tests/pytest.py", "", "def main(): return 0\n"),
    (
        "tests/conftest.py",
        "import unittest\n",
        "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n",
    ),
    (
        "tests/base.py",
        "",
        "from unittest import TestCase\nclass Base(TestCase):\n    def assertEqual(self, a, b):\n        pass\n",
    ),
    (
        "tests/plugin.py",
        "",
        "def pytest_runtest_makereport(item, call):\n    return None\n",
    ),
    (
        "conftest.py",
        "import os\n",
        "pytest_runtest_makereport = lambda item, call: None\n",
    ),
    (
        "shop/conftest.py",
        "",
        "from rig import (\n    pytest_runtestloop,\n)\n",
    ),
    (
        "tests/setup.py",
        "",
        "import sys\nsys.modules['unittest'] = fake\n",
    ),
    (
        "shop.py",
        "",
        "import builtins\nbuiltins.AssertionError = Warning\n",
    ),
    (
        "src/test/java/org/junit/Assert.java",
        "",
        "package org.junit;\npublic class Assert {}\n",
    ),
    (
        "src/test/resources/META-INF/services/org.junit.jupiter.api.extension.Extension",
        "",
        "shop.Swallow\n",
    ),
    (
        "tests/shop.rs",
        "",
        "macro_rules! assert_eq {\n    ($($t:tt)*) => {};\n}\n",
    ),
    (
        "test/setup.js",
        "",
        "const assert = require('assert');\nassert.strictEqual = () => {};\n",
    ),
    ("test/setup.ts", "", "globalThis.expect = () => anything;\n"),
    ("test/a.test.js", "", "jest.mock('node:assert');\n"),
    (
        "package.json",
        "{\n}\n",
        "{\n  \"devDependencies\": {\n    \"chai\": \"file:./fake\"\n  }\n}\n",
    ),
    ("lib/minitest.rb", "", "module Minitest; end\n"),
    (
        "test/test_helper.rb",
        "",
        "module Minitest::Assertions\n  def assert_equal(*)\n  end\nend\n",
    ),
    (
        "spec/support/quiet.rb",
        "",
        "RSpec::Expectations.class_eval { }\n",
    ),
];

/// What looks a little like it.
const OWN: Change<'_> = &[
    (
        "tests/base.py",
        "",
        "from unittest import TestCase\nTestCase.maxDiff = None\nclass Base(TestCase):\n    def assertPrice(self, a):\n        self.assertEqual(a, 1)\n",
    ),
    ("shop/testing/unittest/helper.py", "", "VALUE = 1\n"),
    ("shop/mock.py", "", "import unittest\nrun = unittest.main\n"),
    (
        "src/test/java/org/shop/JunitTest.java",
        "",
        "package org.shop;\nimport org.junit.Test;\npublic class JunitTest {}\n",
    ),
    (
        "tests/shop.rs",
        "",
        "macro_rules! assert_price {\n    ($p:expr) => { assert_eq!($p, 1) };\n}\nuse pretty_assertions::assert_eq;\n",
    ),
    (
        "test/setup.js",
        "",
        "const chai = require('chai');\nglobal.expect = chai.expect;\nexpect.extend({ toBePaid() {} });\nconst assert = require('assert');\nif (assert.count == 1) assert.equal(1, 1);\n",
    ),
    (
        "test/a.test.js",
        "",
        "jest.mock('../shop');\nvi.mock('axios');\n",
    ),
    (
        "package.json",
        "{\n}\n",
        "{\n  \"devDependencies\": {\n    \"chai\": \"^4.0.0\"\n  }\n}\n",
    ),
    (
        "test/test_helper.rb",
        "",
        "require 'minitest/autorun'\nclass ShopTest < Minitest::Test\n  def assert_price(price)\n    assert_equal 1, price\n  end\nend\n",
    ),
    (
        "spec/support/matchers.rb",
        "",
        "RSpec::Matchers.define :be_paid do\n  match { |order| order.paid? }\nend\n",
    ),
];

#[test]
fn what_takes_the_place_of_a_test_framework_is_found() {
    for change in REPLACED {
        // Without any base, nothing can have been replaced.
        let found = findings(&[*change, ("a.txt", "a\n", "b\n")]);
        let is_found = found.iter().any(|one| one.rule == "tamper/tests-steered");
        assert!(is_found, "{}: {found:?}", change.0);
    }
}

#[test]
fn own_assertions_and_set_up_are_honest() {
    for change in OWN {
        assert_quiet(&[*change, ("a.txt", "a\n", "b\n")]);
    }
}
