use super::*;

/// An answer that is waited for while `meanwhile` happens on another thread.
fn waited(
    scene: &Scene<'_>,
    more: &Value,
    meanwhile: impl FnOnce(&Told) + Send,
) -> Result<Value, OpError> {
    let told = Told::default();
    let mut caller = ToolCaller::new(scene.world);
    let heard = told.clone();
    caller.events = EventSink::for_messages(move |what| heard.0.lock().unwrap().push(what));
    caller.cancel = scene.caller.cancel.clone();
    thread::scope(|scope| {
        scope.spawn(|| meanwhile(&told));
        caller.call(TOOL, &with_pr(more))
    })
}

/// What was said of the progress.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    /// Until that much was said.
    fn wait_for(&self, count: usize) {
        while self.0.lock().unwrap().len() < count {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn the_first_failure_ends_the_wait() {
    let world = World::start();
    let scene = Scene::new(&world);
    let run = scene.run(&["test", "slow"]);
    run.begin("slow");
    let answer = waited(&scene, &json!({ "wait": true }), |told| {
        told.wait_for(2);
        run.end(
            "test",
            &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
        );
    });
    insta::assert_snapshot!(outline(&answer.unwrap()), @"
    running: 1 test failed in tests/test_a.py (CI / test)
    CI / test | tests/test_a.py::test_b | AssertionError: assert 1 == 2 | log high | pytest tests/test_a.py::test_b
    ");
}

#[test]
fn a_caller_that_wants_all_waits_for_the_end() {
    let world = World::start();
    let scene = Scene::new(&world);
    let run = scene.run(&["test", "slow"]);
    let answer = waited(
        &scene,
        &json!({ "wait": true, "bail_on_first": false }),
        |told| {
            told.wait_for(1);
            run.end(
                "test",
                &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
            );
            told.wait_for(4);
            run.end("slow", &JobEnd::success());
        },
    );
    let answer = answer.unwrap();
    assert!(answer["poll_info"].is_null());
    insta::assert_snapshot!(outline(&answer), @"
    failed: 1 test failed in tests/test_a.py (CI / test)
    CI / test | tests/test_a.py::test_b | AssertionError: assert 1 == 2 | log high | pytest tests/test_a.py::test_b
    ");
}

#[test]
fn the_wait_ends_when_everything_passed() {
    let world = World::start();
    let scene = Scene::new(&world);
    let run = scene.run(&["test"]);
    let answer = waited(&scene, &json!({ "wait": true }), |told| {
        told.wait_for(2);
        run.pass();
    });
    assert_eq!(answer.unwrap()["status"], "passed");
}

#[test]
fn no_caller_waits_for_longer_than_it_wants() {
    let world = World::start();
    let mut scene = Scene::new(&world);
    scene.run(&["test"]);
    scene.caller.poll = PollPolicy {
        max_wait: Duration::from_millis(50),
        interval: Duration::from_millis(20),
    };
    let answer = scene.ask_with(&json!({ "wait": true }));
    assert_eq!(answer["status"], "pending");
    insta::assert_snapshot!(answer["poll_info"]["message"].as_str().unwrap(), @"CI has not started (0 of 1 check ended); check back in 30s");
}

#[test]
fn a_wait_can_be_called_off() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.run(&["test"]);
    let cancel = scene.caller.cancel.clone();
    let answer = waited(&scene, &json!({ "wait": true }), |told| {
        told.wait_for(2);
        cancel.cancel();
    });
    assert!(matches!(answer, Err(OpError::Cancelled)), "{answer:?}");
}

#[test]
fn a_rate_limit_ends_the_wait_with_what_is_known() {
    let world = World::start();
    let scene = Scene::new(&world);
    let run = scene.run(&["test", "slow"]);
    run.begin("slow");
    let fault = Fault::new(FaultKind::PrimaryRateLimit { reset_after: 600 });
    let fault = fault.operation("PullRequestChecks").after(2);
    world.app().faults().add(fault);
    let answer = scene.ask_with(&json!({ "wait": true }));
    assert_eq!(answer["status"], "running");
    let retry_after = answer["poll_info"]["retry_after_seconds"].as_u64().unwrap();
    assert!((590..=601).contains(&retry_after), "{retry_after}");
}
