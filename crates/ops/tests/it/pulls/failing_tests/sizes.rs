use super::*;

/// Of an answer over MCP.
const MAX_ANSWER_BYTES: usize = 60_000;

#[test]
fn a_matrix_that_fails_alike_is_one_entry() {
    let world = World::start();
    let scene = Scene::new(&world);
    let names: Vec<_> = (0..12).map(|n| format!("test (3.{n})")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let run = scene.run(&names);
    let end = failed_with(
        "pytest",
        pytest(&["tests/test_a.py::test_b", "tests/test_a.py::test_c"]),
    );
    for name in &names {
        run.end(name, &end);
    }
    let answer = scene.ask();
    insta::assert_snapshot!(outline(&answer), @"
    failed: 2 tests failed in tests/test_a.py (12 checks)
    CI / test (3.0), CI / test (3.1), CI / test (3.10) and 9 more | tests/test_a.py::test_b | AssertionError: assert 1 == 2 | log high | pytest tests/test_a.py::test_b
    CI / test (3.0), CI / test (3.1), CI / test (3.10) and 9 more | tests/test_a.py::test_c | AssertionError: assert 1 == 2 | log high | pytest tests/test_a.py::test_c
    ");
    assert_eq!(
        answer["failures"][0]["checks"].as_array().unwrap().len(),
        12
    );
}

#[test]
fn two_hundred_checks_are_two_pages_of_questions() {
    let world = World::start();
    let scene = Scene::new(&world);
    let names: Vec<_> = (0..200).map(|n| format!("part {n:03}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let run = scene.run(&names);
    for name in &names[..199] {
        run.end(name, &JobEnd::success());
    }
    run.end(
        "part 199",
        &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
    );
    insta::assert_snapshot!(outline(&scene.ask()), @"
    failed: 1 test failed in tests/test_a.py (CI / part 199)
    CI / part 199 | tests/test_a.py::test_b | AssertionError: assert 1 == 2 | log high | pytest tests/test_a.py::test_b
    ");
    insta::assert_debug_snapshot!(scene.caller.spent(), @"
    Spent {
        requests: 6,
        points: 3,
    }
    ");
}

#[test]
fn many_failing_checks_are_not_all_looked_into() {
    let world = World::start();
    let scene = Scene::new(&world);
    let names: Vec<_> = (0..60).map(|n| format!("part {n:02}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let run = scene.run(&names);
    for name in &names {
        run.end(name, &failed_with("make", format!("{name} is broken")));
    }
    let answer = scene.ask();
    insta::assert_snapshot!(answer["message"].as_str().unwrap(), @"40 of 60 failed checks were looked into");
    insta::assert_snapshot!(answer["instructions"]["summary"].as_str().unwrap(), @"60 checks failed without naming a test");
    insta::assert_debug_snapshot!(scene.caller.spent(), @"
    Spent {
        requests: 83,
        points: 2,
    }
    ");
}

#[test]
fn a_log_of_fifty_megabytes_is_read_to_its_end() {
    let world = World::start();
    let scene = Scene::new(&world);
    let line = "the quick brown fox jumps over the lazy dog ".repeat(20) + "\n";
    let mut output = line.repeat((50 << 20) / line.len());
    output += &pytest(&["tests/test_a.py::test_b"]);
    scene
        .run(&["test"])
        .end("test", &failed_with("pytest", output));
    let answer = scene.ask();
    assert_eq!(answer["message"], Value::Null);
    insta::assert_snapshot!(outline(&answer), @"
    failed: 1 test failed in tests/test_a.py (CI / test)
    CI / test | tests/test_a.py::test_b | AssertionError: assert 1 == 2 | log high | pytest tests/test_a.py::test_b
    ");
    assert!(answer.to_string().len() < MAX_ANSWER_BYTES);
}

#[test]
fn pages_follow_each_other_and_belong_to_their_question() {
    let world = World::start();
    let scene = Scene::new(&world);
    let tests: Vec<_> = (0..25)
        .map(|n| format!("tests/test_a.py::test_{n:02}"))
        .collect();
    let tests: Vec<_> = tests.iter().map(String::as_str).collect();
    scene
        .run(&["test"])
        .end("test", &failed_with("pytest", pytest(&tests)));
    let mut seen = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let input = match &cursor {
            Value::Null => json!({}),
            cursor => json!({ "cursor": cursor }),
        };
        let answer = scene.ask_with(&input);
        let names = answer["failures"].as_array().unwrap().iter();
        let names: Vec<_> = names
            .map(|failure| failure["test_name"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(
            answer["instructions"]["commands"].as_array().unwrap().len(),
            names.len()
        );
        seen.push(names.len());
        if answer["nextCursor"].is_null() {
            break;
        }
        cursor = answer["nextCursor"].clone();
    }
    assert_eq!(seen, [10, 10, 5]);
    let other = scene
        .caller
        .call(TOOL, &with_pr(&json!({ "cursor": cursor, "wait": true })));
    assert!(matches!(other, Err(OpError::BadCursor(_))), "{other:?}");
}

#[test]
fn the_largest_answer_fits() {
    let world = World::start();
    let scene = Scene::new(&world);
    let names: Vec<_> = (0..30)
        .map(|n| format!("part {n:02} of a check with a long name"))
        .collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let run = scene.run(&names);
    for name in &names {
        let output = format!(
            "{name} says \"no\" in a very long line: {}\n",
            "\"no\" ".repeat(4000)
        );
        run.end(name, &failed_with("make test", output.repeat(20)));
    }
    let answer = scene.ask();
    assert_eq!(answer["failures"].as_array().unwrap().len(), 10);
    assert!(
        answer.to_string().len() < MAX_ANSWER_BYTES,
        "{}",
        answer.to_string().len()
    );
}
