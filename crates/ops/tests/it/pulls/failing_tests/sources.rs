use super::*;

#[test]
fn a_report_artifact_is_believed_first() {
    let world = World::start();
    let scene = Scene::new(&world);
    let run = scene.run(&["test", "lint"]);
    let report = captured("pytest/junit-xml/report.xml");
    run.artifact("junit-test", "report.xml", &report);
    run.end("test", &failed_with("pytest", "nothing to see"));
    run.end("lint", &JobEnd::success());
    insta::assert_snapshot!(outline(&scene.ask()), @r#"
    failed: 5 tests failed in tests (CI / test)
    CI / test | tests/test_gone.py | collection failure | report high | pytest tests/test_gone.py
    CI / test | tests/test_orders.py::OldStyle::test_parts | self = <test_orders.OldStyle testMethod=test_parts> | report high | pytest tests/test_orders.py::OldStyle::test_parts
    CI / test | tests/test_orders.py::TestShop::TestInner::test_label | self = <test_orders.TestShop.TestInner object at 0x7f85e389a910> | report high | pytest tests/test_orders.py::TestShop::TestInner::test_label
    CI / test | tests/test_orders.py::test_size[5] | size = 5 | report high | pytest 'tests/test_orders.py::test_size[5]'
    CI / test | tests/test_orders.py::test_with_queue | failed on setup with "RuntimeError: queue is not there" | report high | pytest tests/test_orders.py::test_with_queue
    "#);
}

#[test]
fn annotations_name_tests_where_they_can() {
    let world = World::start();
    let scene = Scene::new(&world);
    let annotation = json!({
        "path": "tests/test_a.py", "start_line": 7, "end_line": 7, "annotation_level": "failure",
        "title": "tests/test_a.py::test_b", "message": "AssertionError: assert 1 == 2",
    });
    let end = failed_with("pytest -q", "…").annotation(&annotation);
    scene.run(&["test"]).end("test", &end);
    insta::assert_snapshot!(scene.shown(), @r#"
    {
      "pr": "octo/demo#1",
      "status": "failed",
      "ci_info": {
        "workflow_name": "CI",
        "run_id": 1,
        "started_at": "2026-01-31T12:00:00Z",
        "completed_at": "2026-01-31T12:01:30Z",
        "duration_seconds": 90
      },
      "failures": [
        {
          "check_name": "CI / test",
          "test_name": "tests/test_a.py::test_b",
          "error_message": "AssertionError: assert 1 == 2",
          "log_url": "http://forge/octo/demo/actions/runs/1/job/1",
          "file_path": "tests/test_a.py",
          "line_number": 7,
          "confidence": "medium",
          "required": false,
          "source": "annotations",
          "command": "pytest tests/test_a.py::test_b"
        }
      ],
      "instructions": {
        "summary": "1 test failed in tests/test_a.py (CI / test)",
        "priority": [
          {
            "test": "tests/test_a.py::test_b",
            "reason": "It fails by itself, so it can be fixed by itself."
          }
        ],
        "commands": [
          "pytest tests/test_a.py::test_b"
        ]
      }
    }
    "#);
}

#[test]
fn a_check_of_another_app_has_its_annotations_only() {
    let world = World::start();
    let scene = Scene::new(&world);
    let annotation = json!({
        "path": "cart.py", "start_line": 1, "end_line": 1, "annotation_level": "failure",
        "message": "missing docstring",
    });
    let output = json!({ "title": "1 finding", "summary": "", "annotations": [annotation] });
    world.check_run(
        &scene.head,
        json!({ "name": "scan", "conclusion": "failure", "output": output }),
    );
    world.check_run(
        &scene.head,
        json!({
            "name": "deploy", "conclusion": "failure",
            "output": { "title": "No room", "summary": "The cluster is full." },
        }),
    );
    insta::assert_snapshot!(outline(&scene.ask()), @"
    failed: 1 test failed in cart.py (scan); 1 check failed without naming a test
    deploy | deploy | No room | check low | null
    scan | missing docstring | missing docstring | annotations medium | null
    ");
}

#[test]
fn logs_of_many_frameworks_are_read() {
    let world = World::start();
    let scene = Scene::new(&world);
    let cases = [
        ("cargo", "cargo test", "cargo-test/backtrace/output.txt"),
        (
            "go",
            "go test ./...",
            "gotestsum/standard-verbose/output.txt",
        ),
        ("jest", "npx jest", "jest/default-version-30/output.txt"),
        (
            "rspec",
            "bundle exec rspec",
            "rspec/documentation-color/output.txt",
        ),
        ("tsc", "npx tsc", "tsc/plain/output.txt"),
        (
            "vitest",
            "npx vitest run",
            "vitest/dot-version-4/output.txt",
        ),
    ];
    let names: Vec<_> = cases.iter().map(|(name, ..)| *name).collect();
    let run = scene.run(&names);
    for (name, command, case) in cases {
        run.end(name, &failed_with(command, captured(case)));
    }
    let mut pages = vec![scene.ask()];
    while let Some(cursor) = pages.last().unwrap()["nextCursor"].as_str() {
        pages.push(scene.ask_with(&json!({ "cursor": cursor })));
    }
    let shown: Vec<_> = pages.iter().map(outline).collect();
    insta::assert_snapshot!(shown.join("\n---\n"), @r#"
    failed: 40 tests failed (5 checks); 4 errors before any test in src (CI / tsc)
    CI / cargo | parse::tests::parses_words | thread 'parse::tests::parses_words' (19053) panicked at src/parse.rs:2:18: | log high | cargo test -- --exact parse::tests::parses_words
    CI / cargo | parse::tests::returns_error | Error: ParseIntError { kind: InvalidDigit } | log medium | cargo test -- --exact parse::tests::returns_error
    CI / go | ExampleAmount_Split | got: | log medium | go test '-run=^(ExampleAmount_Split)$' -count=1 ./money
    CI / go | TestParallel/p1 | money_test.go:50: in 1 | log high | go test '-run=^(TestParallel)$' -count=1 ./money
    CI / go | TestSplit | money_test.go:24: splitting ten by three | log high | go test '-run=^(TestSplit)$' -count=1 ./money
    CI / go | TestTable/minus_one | money_test.go:39: New(-1): negative amount | log high | go test '-run=^(TestTable)$' -count=1 ./money
    CI / go | TestTable/päckchen/[x]_"q" | money_test.go:39: New(-2): negative amount | log high | go test '-run=^(TestTable)$' -count=1 ./money
    CI / jest | adds 1 | expect(received).toBe(expected) // Object.is equality | log high | npx jest -t '^(adds 1)$' tests/helper.test.js
    CI / jest | price list > cleanup | cleanup went wrong | log high | npx jest -t '^(price list( | . )cleanup)$' tests/price.test.js
    CI / jest | price list > for "metal" :: rare > copper > tin | expect(received).toBe(expected) // Object.is equality | log high | npx jest -t '^(price list( | . )for .metal. .. rare( | . )copper( | . )tin)$' tests/price.test.js
    ---
    failed: 40 tests failed (5 checks); 4 errors before any test in src (CI / tsc)
    CI / jest | price list > for "metal" :: rare > gold throws | RangeError: unknown metal: gold | log high | npx jest -t '^(price list( | . )for .metal. .. rare( | . )gold throws)$' tests/price.test.js
    CI / jest | price list > for "metal" :: rare > silver | expect(received).toEqual(expected) // deep equality | log high | npx jest -t '^(price list( | . )for .metal. .. rare( | . )silver)$' tests/price.test.js
    CI / jest | price list > inline | expect(received).toMatchInlineSnapshot(snapshot) | log high | npx jest -t '^(price list( | . )inline)$' tests/price.test.js
    CI / jest | price list > mismatch with newline | thrown: "a string" | log high | npx jest -t '^(price list( | . )mismatch with newline)$' tests/price.test.js
    CI / jest | price list > rejects | expect(received).resolves.toBe() | log high | npx jest -t '^(price list( | . )rejects)$' tests/price.test.js
    CI / jest | price list > slow | thrown: "Exceeded timeout of 200 ms for a test. | log high | npx jest -t '^(price list( | . )slow)$' tests/price.test.js
    CI / jest | tests/load.test.js | Cannot find module './nothing-here' from 'tests/load.test.js' | log high | npx jest tests/load.test.js
    CI / jest | via helper | expect(received).toBe(expected) // Object.is equality | log high | npx jest -t '^(via helper)$' tests/helper.test.js
    CI / rspec | Stock behaves like a counter starts at zero | Failure/Error: expect(subject.level(:x)).to eq(1) | log high | bundle exec rspec spec/shared_stock.rb:3
    CI / rspec | Stock broken after fails twice | Got 1 failure and 1 other error: | log high | bundle exec rspec spec/stock_spec.rb:34
    ---
    failed: 40 tests failed (5 checks); 4 errors before any test in src (CI / tsc)
    CI / rspec | Stock rejects negative deliveries | Failure/Error: raise ArgumentError, "negative delivery: #{n}" if n < 0 | log high | bundle exec rspec spec/stock_spec.rb:8
    CI / rspec | Stock uses a helper | Failure/Error: def check(v) = expect(v).to(eq(3)) | log high | bundle exec rspec spec/stock_spec.rb:5
    CI / rspec | Stock#level aggregates | Got 2 failures and 1 other error: | log high | bundle exec rspec spec/stock_spec.rb:30
    CI / rspec | Stock#level has come | Expected pending 'No reason given' to fail. No error was raised. | log high | bundle exec rspec spec/stock_spec.rb:29
    CI / rspec | Stock#level matches many lines | Failure/Error: expect("one\ntwo\n").to eq("one\nthree\n") | log high | bundle exec rspec spec/stock_spec.rb:24
    CI / rspec | Stock#level when empty: [nothing] (at all) is 'zero' :: "quoted" | Failure/Error: expect(Stock.new.level(:nut)).to eq(2) | log high | bundle exec rspec spec/stock_spec.rb:13
    CI / rspec | Stock#level wraps causes | Failure/Error: raise "outer problem" | log high | bundle exec rspec spec/stock_spec.rb:20
    CI / tsc | TS2305 | Module '"./a"' has no exported member 'nope'. | log high | npx tsc --noEmit
    CI / tsc | TS2322 | Type 'string' is not assignable to type 'number'. | log high | npx tsc --noEmit
    CI / tsc | TS2322 | Type 'string' is not assignable to type 'number'. | log high | npx tsc --noEmit
    ---
    failed: 40 tests failed (5 checks); 4 errors before any test in src (CI / tsc)
    CI / tsc | TS2339 | Property 'z' does not exist on type 'Point'. | log high | npx tsc --noEmit
    CI / vitest | broken setup | Error: no database | log high | npx vitest run -t '^(broken setup)$' test/price.test.ts
    CI / vitest | price list > for "metal" :: rare > copper > tin | AssertionError: expected 7 to be 8 // Object.is equality | log high | npx vitest run -t '^(price list( | . )for .metal. .. rare( | . )copper( | . )tin)$' test/price.test.ts
    CI / vitest | price list > for "metal" :: rare > gold throws | RangeError: unknown metal: gold | log high | npx vitest run -t '^(price list( | . )for .metal. .. rare( | . )gold throws)$' test/price.test.ts
    CI / vitest | price list > for "metal" :: rare > silver | AssertionError: expected { a: [ 1, 2 ], b: 'x\ny' } to deeply equal { a: [ 1, 3 ], b: 'x\nz' } | log high | npx vitest run -t '^(price list( | . )for .metal. .. rare( | . )silver)$' test/price.test.ts
    CI / vitest | price list > rejects | AssertionError: promise rejected "Error: nö" instead of resolving | log high | npx vitest run -t '^(price list( | . )rejects)$' test/price.test.ts
    CI / vitest | price list > same error 1 | Error: always the same | log high | npx vitest run -t '^(price list( | . )same error 1)$' test/price.test.ts
    CI / vitest | price list > same error 2 | Error: always the same | log high | npx vitest run -t '^(price list( | . )same error 2)$' test/price.test.ts
    CI / vitest | price list > same error 3 | Error: always the same | log high | npx vitest run -t '^(price list( | . )same error 3)$' test/price.test.ts
    CI / vitest | price list > should have failed | Error: Expect test to fail | log high | npx vitest run -t '^(price list( | . )should have failed)$' test/price.test.ts
    ---
    failed: 40 tests failed (5 checks); 4 errors before any test in src (CI / tsc)
    CI / vitest | price list > slow | Error: Test timed out in 200ms. | log high | npx vitest run -t '^(price list( | . )slow)$' test/price.test.ts
    CI / vitest | price list > throws a string | Unknown Error: a string | log high | npx vitest run -t '^(price list( | . )throws a string)$' test/price.test.ts
    CI / vitest | test/empty.test.ts | Error: No test suite found in file /home/dev/app/test/empty.test.ts | log high | npx vitest run test/empty.test.ts
    CI / vitest | test/load.test.ts | Error: Cannot find module './nothing-here' imported from /home/dev/app/test/load.test.ts | log high | npx vitest run test/load.test.ts
    "#);
}

#[test]
fn a_whole_log_of_the_runner_is_read() {
    let world = World::start();
    let scene = Scene::new(&world);
    let log = captured("ci/github-actions/ci.log");
    let end = JobEnd::failure().step("Run tests", "failure", log);
    scene.run(&["test"]).end("test", &end);
    insta::assert_snapshot!(outline(&scene.ask()), @r#"
    failed: 3 tests failed in /home/dev/app/mt/cart.spec.js (CI / test)
    CI / test | broken "before all" hook for "one" | no hook | log high | npx mocha --grep '^(broken .before all. hook for .one.)$'
    CI / test | prices throws in source | negative: -1 | log high | npx mocha --grep '^(prices throws in source)$'
    CI / test | prices with tax adds | Expected values to be strictly equal: | log high | npx mocha --grep '^(prices with tax adds)$'
    "#);
}

#[test]
fn the_last_lines_are_better_than_nothing() {
    let world = World::start();
    let scene = Scene::new(&world);
    let output = "linking…\n\u{1b}[31mthe door does not close\u{1b}[0m\ntoken ***\n";
    scene
        .run(&["test"])
        .end("test", &failed_with("make test", output));
    insta::assert_snapshot!(scene.shown(), @r#"
    {
      "pr": "octo/demo#1",
      "status": "failed",
      "ci_info": {
        "workflow_name": "CI",
        "run_id": 1,
        "started_at": "2026-01-31T12:00:00Z",
        "completed_at": "2026-01-31T12:01:30Z",
        "duration_seconds": 90
      },
      "failures": [
        {
          "check_name": "CI / test",
          "test_name": "Run make test",
          "error_message": "linking…\nthe door does not close\ntoken ***",
          "log_url": "http://forge/octo/demo/actions/runs/1/job/1",
          "confidence": "low",
          "required": false,
          "source": "log_tail",
          "command": "make test"
        }
      ],
      "instructions": {
        "summary": "1 check failed without naming a test",
        "priority": [
          {
            "test": "Run make test",
            "reason": "It fails by itself, so it can be fixed by itself."
          }
        ],
        "commands": [
          "make test"
        ]
      }
    }
    "#);
}

#[test]
fn statuses_have_no_log() {
    let world = World::start();
    let scene = Scene::new(&world);
    world.status(&scene.head, "ci/legacy", "failure", "2 of 9 failed");
    world.status(&scene.head, "ci/other", "success", "fine");
    insta::assert_snapshot!(scene.shown(), @r#"
    {
      "pr": "octo/demo#1",
      "status": "failed",
      "failures": [
        {
          "check_name": "ci/legacy",
          "test_name": "ci/legacy",
          "error_message": "2 of 9 failed",
          "log_url": "https://ci.example.invalid/ci/legacy",
          "confidence": "low",
          "required": false,
          "source": "check"
        }
      ],
      "instructions": {
        "summary": "1 check failed without naming a test",
        "priority": [
          {
            "test": "ci/legacy",
            "reason": "It fails by itself, so it can be fixed by itself."
          }
        ],
        "commands": []
      }
    }
    "#);
}
