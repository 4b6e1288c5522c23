//! Vitest after a real `tsc`.

use super::equipment::{node, without};
use super::framework::{Bodies, Broken, Crash, Failure, Framework, Missing, Retries, Then};

const VITEST: Framework = Framework {
    language: "typescript",
    asked: None,
    command: "npm test",
    build: Some("npm run build"),
    equip: node,
    files: &[
        (
            "package.json",
            r#"{"name": "ledger", "type": "module", "scripts": {"build": "tsc", "test": "vitest run"}}"#,
        ),
        (
            "tsconfig.json",
            r#"{"compilerOptions": {"strict": true, "outDir": "dist", "rootDir": "src", "target": "es2022", "module": "nodenext", "types": []}, "include": ["src"]}"#,
        ),
        (
            "src/ledger.ts",
            r"
export function total(amounts: number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
",
        ),
        (
            "test/note.ts",
            r#"
import { appendFileSync } from "node:fs";

export const note = (name: string): void => appendFileSync("@LOG@", name + "\n");
"#,
        ),
        (
            "test/sums.test.ts",
            r#"
import { describe, expect, test } from "vitest";
import { total } from "../src/ledger";
import { note } from "./note";

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
            "test/rates.test.ts",
            r#"
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { total } from "../src/ledger";
import { note } from "./note";

describe("rates (1.5 %)", () => {
  it("rounds", async () => {
    note("rounds");
    @ROUNDS@
  }, 300_000);

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
        wrong: "expect(total([1, 2])).toBe(4);",
        error: "throw new Error('no rate for tin');",
        flaky: "const seen: boolean = existsSync('@MARKER@');\nwriteFileSync('@MARKER@', '');\nexpect(seen).toBe(true);",
        hangs: "spawn('sh', ['linger.sh']);\nawait new Promise((done) => setTimeout(done, 300_000));",
        crash: "process.kill(process.pid, 'SIGABRT');\nawait new Promise((done) => setTimeout(done, 300_000));",
    },
    failures: [
        Failure {
            name: "rates (1.5 %) > rounds",
            file: "test/rates.test.ts",
            error: "expected 3 to be 4",
        },
        Failure {
            name: "rates (1.5 %) > of metals > converts",
            file: "test/rates.test.ts",
            error: "no rate for tin",
        },
    ],
    retries: Retries::OnlyWhatFailed,
    broken: Broken {
        file: "src/ledger.ts",
        content: "export const total: number = \"three\";\n",
        error: "build_failure",
        told: "src/ledger.ts(1,14): error TS2322",
    },
    missing: Missing {
        arrange: |sandbox| without(sandbox, "npm"),
        then: Then::Reports("npm run build"),
    },
    crash: Crash {
        told: "Worker exited unexpectedly",
    },
    seconds_to_start: 8,
};

all_cases!(VITEST);
