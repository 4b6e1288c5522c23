//! Jest, Mocha and Node's own runner, all behind `npm test`.

mod jest {
    use super::super::equipment::{node, without};
    use super::super::framework::{
        Bodies, Broken, Crash, Failure, Framework, Missing, Retries, Then,
    };
    use super::LEDGER;

    const JEST: Framework = Framework {
        language: "javascript",
        asked: None,
        command: "npm test",
        build: Some("npm run build"),
        equip: node,
        files: &[
            (
                "package.json",
                r#"{"name": "ledger", "scripts": {"build": "node --check ledger.js", "test": "jest"}}"#,
            ),
            ("ledger.js", LEDGER),
            (
                "test/sums.test.js",
                r#"
const { note, total } = require("../ledger");

describe("sums", () => {
  test("adds", () => {
    note("adds");
    expect(total([1, 2])).toBe(3);
  });

  test("empty", () => {
    note("empty");
    expect(total([])).toBe(0);
  });
});
"#,
            ),
            (
                "test/rates.test.js",
                r#"
const fs = require("node:fs");
const { spawn } = require("node:child_process");
const { note, total } = require("../ledger");

describe("rates (1.5 %)", () => {
  test("rounds", async () => {
    note("rounds");
    @ROUNDS@
  }, 300_000);

  describe("of metals", () => {
    it("converts > melts", () => {
      note("converts");
      @CONVERTS@
    });
  });
});
"#,
            ),
        ],
        bodies: Bodies {
            wrong: "expect(total([1, 2])).toBe(4);",
            error: "throw new Error('no rate for tin');",
            flaky: "const seen = fs.existsSync('@MARKER@');\nfs.writeFileSync('@MARKER@', '');\nexpect(seen).toBe(true);",
            hangs: "spawn('sh', ['linger.sh']);\nawait new Promise((done) => setTimeout(done, 300_000));",
            crash: "process.kill(process.pid, 'SIGABRT');\nawait new Promise((done) => setTimeout(done, 300_000));",
        },
        failures: [
            Failure {
                name: "rates (1.5 %) > rounds",
                file: "test/rates.test.js",
                error: "Expected: 4",
            },
            Failure {
                name: "rates (1.5 %) > of metals > converts > melts",
                file: "test/rates.test.js",
                error: "no rate for tin",
            },
        ],
        retries: Retries::OnlyWhatFailed,
        broken: Broken {
            file: "ledger.js",
            content: "exports.total = (amounts => 1;\n",
            error: "build_failure",
            told: "SyntaxError",
        },
        missing: Missing {
            arrange: |sandbox| without(sandbox, "npm"),
            then: Then::Reports("npm run build"),
        },
        crash: Crash { told: "Aborted" },
        seconds_to_start: 6,
    };

    all_cases!(JEST);
}

mod mocha {
    use super::super::equipment::{node, without};
    use super::super::framework::{
        Bodies, Broken, Crash, Failure, Framework, Missing, Retries, Then,
    };
    use super::LEDGER;

    const MOCHA: Framework = Framework {
        language: "javascript",
        asked: None,
        command: "npm test",
        build: None,
        equip: node,
        files: &[
            (
                "package.json",
                r#"{"name": "ledger", "scripts": {"test": "mocha --timeout 300000"}}"#,
            ),
            ("ledger.js", LEDGER),
            (
                "test/sums.js",
                r#"
const assert = require("node:assert");
const { note, total } = require("../ledger");

describe("sums", () => {
  it("adds", () => {
    note("adds");
    assert.strictEqual(total([1, 2]), 3);
  });

  it("empty", () => {
    note("empty");
    assert.strictEqual(total([]), 0);
  });
});
"#,
            ),
            (
                "test/rates.js",
                r#"
const assert = require("node:assert");
const fs = require("node:fs");
const { spawn } = require("node:child_process");
const { note, total } = require("../ledger");

describe("rates", () => {
  it("rounds", async () => {
    note("rounds");
    @ROUNDS@
  });

  describe("of metals", () => {
    it("converts", () => {
      note("converts");
      @CONVERTS@
    });
  });
});
"#,
            ),
        ],
        bodies: Bodies {
            wrong: "assert.strictEqual(total([1, 2]), 4);",
            error: "throw new Error('no rate for tin');",
            flaky: "const seen = fs.existsSync('@MARKER@');\nfs.writeFileSync('@MARKER@', '');\nassert.ok(seen);",
            hangs: "spawn('sh', ['linger.sh']);\nawait new Promise((done) => setTimeout(done, 300_000));",
            crash: "process.abort();",
        },
        failures: [
            Failure {
                name: "rates > rounds",
                file: "test/rates.js",
                error: "3 !== 4",
            },
            Failure {
                name: "rates > of metals > converts",
                file: "test/rates.js",
                error: "no rate for tin",
            },
        ],
        retries: Retries::OnlyWhatFailed,
        broken: Broken {
            file: "test/rates.js",
            content: "describe('rates', (=> {});\n",
            error: "test_failure",
            told: "SyntaxError",
        },
        missing: Missing {
            arrange: |sandbox| without(sandbox, "npm"),
            then: Then::Reports("npm test"),
        },
        crash: Crash { told: "Aborted" },
        seconds_to_start: 4,
    };

    all_cases!(MOCHA);
}

mod node_test {
    use super::super::equipment::{tools, without};
    use super::super::framework::{
        Bodies, Broken, Crash, Failure, Framework, Missing, Retries, Then,
    };
    use super::LEDGER;

    const NODE_TEST: Framework = Framework {
        language: "javascript",
        asked: None,
        command: "npm test",
        build: None,
        equip: |sandbox| tools(sandbox, &["node", "npm"]),
        files: &[
            (
                "package.json",
                r#"{"name": "ledger", "scripts": {"test": "node --test"}}"#,
            ),
            ("ledger.js", LEDGER),
            (
                "test/sums.test.js",
                r#"
const assert = require("node:assert");
const test = require("node:test");
const { note, total } = require("../ledger");

test("adds", () => {
  note("adds");
  assert.strictEqual(total([1, 2]), 3);
});

test("empty", () => {
  note("empty");
  assert.strictEqual(total([]), 0);
});
"#,
            ),
            (
                "test/rates.test.js",
                r#"
const assert = require("node:assert");
const fs = require("node:fs");
const test = require("node:test");
const { spawn } = require("node:child_process");
const { note, total } = require("../ledger");

test("rounds", async () => {
  note("rounds");
  @ROUNDS@
});

test("converts", () => {
  note("converts");
  @CONVERTS@
});
"#,
            ),
        ],
        bodies: Bodies {
            wrong: "assert.strictEqual(total([1, 2]), 4);",
            error: "throw new Error('no rate for tin');",
            flaky: "const seen = fs.existsSync('@MARKER@');\nfs.writeFileSync('@MARKER@', '');\nassert.ok(seen);",
            hangs: "spawn('sh', ['linger.sh']);\nawait new Promise((done) => setTimeout(done, 300_000));",
            crash: "process.abort();",
        },
        failures: [
            Failure {
                name: "rounds",
                file: "test/rates.test.js",
                error: "3 !== 4",
            },
            Failure {
                name: "converts",
                file: "test/rates.test.js",
                error: "no rate for tin",
            },
        ],
        retries: Retries::Everything,
        broken: Broken {
            file: "test/rates.test.js",
            content: "const total = (=> 1;\n",
            error: "test_failure",
            told: "SyntaxError",
        },
        missing: Missing {
            arrange: |sandbox| without(sandbox, "npm"),
            then: Then::Reports("npm test"),
        },
        crash: Crash { told: "SIGABRT" },
        seconds_to_start: 4,
    };

    all_cases!(NODE_TEST);
}

const LEDGER: &str = r#"
const fs = require("node:fs");

exports.note = (name) => fs.appendFileSync("@LOG@", name + "\n");
exports.total = (amounts) => amounts.reduce((sum, amount) => sum + amount, 0);
"#;
