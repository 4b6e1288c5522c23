//! One framework's run, as long as wanted.

use std::io;

use super::Log;

/// `{n}` stands for the number of the test.
pub(crate) struct Run {
    name: &'static str,
    head: &'static [&'static str],
    test: &'static [&'static str],
    tail: &'static [&'static str],
}

pub(crate) fn run(name: &str) -> Option<&'static Run> {
    RUNS.iter().find(|run| run.name == name)
}

pub(crate) fn names() -> String {
    let names: Vec<_> = RUNS.iter().map(|run| run.name).collect();
    names.join(", ")
}

impl Run {
    pub(crate) fn write(&self, log: &mut Log) -> io::Result<()> {
        let mut number = 0;
        let mut write = |log: &mut Log, lines: &[&str]| {
            number += 1;
            let number = number.to_string();
            for line in lines {
                match line.split_once("{n}") {
                    Some((before, after)) => {
                        log.line(&[before.as_bytes(), number.as_bytes(), after.as_bytes()])?;
                    }
                    None => log.line(&[line.as_bytes()])?,
                }
            }
            Ok::<_, io::Error>(())
        };
        write(log, self.head)?;
        while !log.is_full() {
            write(log, self.test)?;
        }
        write(log, self.tail)
    }
}

const RUNS: &[Run] = &[
    Run {
        name: "pytest",
        head: &[
            "============================= test session starts ==============================",
            "platform linux -- Python 3.12.3, pytest-8.3.4, pluggy-1.5.0 -- /usr/bin/python3",
            "rootdir: /home/dev/app",
            "collected 1000000 items",
            "",
        ],
        test: &[
            "tests/unit/billing/test_invoice.py::TestTotals::test_sum[case-{n}] PASSED             [ 50%]",
        ],
        tail: &[
            "tests/unit/billing/test_invoice.py::TestTotals::test_last FAILED                   [100%]",
            "",
            "=================================== FAILURES ===================================",
            "_____________________________ TestTotals.test_last _____________________________",
            "",
            "    def test_last():",
            ">       assert 1 == 2",
            "E       assert 1 == 2",
            "",
            "tests/unit/billing/test_invoice.py:9: AssertionError",
            "=========================== short test summary info ============================",
            "FAILED tests/unit/billing/test_invoice.py::TestTotals::test_last - assert 1 == 2",
            "=================== 1 failed, 1000000 passed in 812.31s (0:13:32) ===================",
        ],
    },
    Run {
        name: "go",
        head: &[],
        test: &[
            "=== RUN   TestInvoice/totals/case_{n}",
            "    invoice_test.go:31: adding up line items of the invoice",
            "--- PASS: TestInvoice/totals/case_{n} (0.01s)",
        ],
        tail: &[
            "=== RUN   TestLast",
            "    invoice_test.go:40: got 1, want 2",
            "--- FAIL: TestLast (0.00s)",
            "FAIL",
            "FAIL\texample.org/app/billing\t812.310s",
            "FAIL",
        ],
    },
    Run {
        name: "cargo",
        head: &["", "running 1000000 tests"],
        test: &["test billing::invoice::tests::totals::case_{n} ... ok"],
        tail: &[
            "test billing::invoice::tests::last ... FAILED",
            "",
            "failures:",
            "",
            "---- billing::invoice::tests::last stdout ----",
            "thread 'billing::invoice::tests::last' panicked at src/billing/invoice.rs:40:9:",
            "assertion `left == right` failed",
            "",
            "failures:",
            "    billing::invoice::tests::last",
            "",
            "test result: FAILED. 999999 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 812.31s",
        ],
    },
    Run {
        name: "nextest",
        head: &["    Starting 1000000 tests across 2 binaries"],
        test: &["        PASS [   0.004s] app billing::invoice::tests::totals::case_{n}"],
        tail: &[
            "------------",
            "     Summary [ 812.310s] 1000000 tests run: 1000000 passed, 0 skipped",
        ],
    },
    Run {
        name: "unittest",
        head: &[],
        test: &["test_case_{n} (tests.billing.test_invoice.TestTotals.test_case) ... ok"],
        tail: &[
            "======================================================================",
            "FAIL: test_last (tests.billing.test_invoice.TestTotals.test_last)",
            "----------------------------------------------------------------------",
            "Traceback (most recent call last):",
            "  File \"/home/dev/app/tests/billing/test_invoice.py\", line 40, in test_last",
            "    self.assertEqual(1, 2)",
            "AssertionError: 1 != 2",
            "",
            "----------------------------------------------------------------------",
            "Ran 1000000 tests in 812.310s",
            "",
            "FAILED (failures=1)",
        ],
    },
    Run {
        name: "jest",
        head: &["PASS src/cart/cart.test.js"],
        test: &["    ✓ adds up the line items of invoice {n} (2 ms)"],
        tail: &[
            "Test Suites: 1 passed, 1 total",
            "Tests:       1000000 passed, 1000000 total",
        ],
    },
    Run {
        name: "vitest",
        head: &[" RUN  v3.2.4 /home/dev/app", ""],
        test: &[" ✓ src/cart/cart.test.ts > totals > adds up the line items of invoice {n} 2ms"],
        tail: &[
            "",
            " Test Files  1 passed (1)",
            "      Tests  1000000 passed (1000000)",
        ],
    },
    Run {
        name: "mocha",
        head: &["  totals"],
        test: &["    ✔ adds up the line items of invoice {n} (12ms)"],
        tail: &["", "  1000000 passing (13m)"],
    },
    Run {
        name: "tap",
        head: &["TAP version 13"],
        test: &["ok {n} - adds up the line items of the invoice"],
        tail: &["1..1000000", "# pass 1000000"],
    },
    Run {
        name: "gradle",
        head: &["> Task :test", ""],
        test: &["InvoiceTest > totals() > case {n} PASSED"],
        tail: &["", "BUILD SUCCESSFUL in 13m 32s"],
    },
    Run {
        name: "maven",
        head: &[
            "[INFO] -------------------------------------------------------",
            "[INFO]  T E S T S",
            "[INFO] -------------------------------------------------------",
        ],
        test: &[
            "[INFO] Running com.shop.billing.Invoice{n}Test",
            "2026-03-01 08:00:00.000  INFO 4711 --- [ main] com.shop.billing.Invoice  : adding up",
            "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.012 s -- in com.shop.billing.InvoiceTest",
        ],
        tail: &[
            "[INFO] ",
            "[INFO] Results:",
            "[INFO] ",
            "[INFO] Tests run: 1000000, Failures: 0, Errors: 0, Skipped: 0",
        ],
    },
    Run {
        name: "rspec",
        head: &["", "Invoice"],
        test: &["  adds up the line items of invoice {n}"],
        tail: &[
            "",
            "Finished in 13 minutes 32 seconds (files took 0.2 seconds to load)",
            "1000000 examples, 0 failures",
        ],
    },
    Run {
        name: "minitest",
        head: &["# Running:", ""],
        test: &["InvoiceTest#test_totals_{n} = 0.01 s = ."],
        tail: &[
            "",
            "Finished in 812.310000s, 1231.1 runs/s, 1231.1 assertions/s.",
            "1000000 runs, 1000000 assertions, 0 failures, 0 errors, 0 skips",
        ],
    },
];
