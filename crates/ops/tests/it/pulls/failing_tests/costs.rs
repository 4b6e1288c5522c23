use super::*;

fn spent(failing: usize) -> Spent {
    let world = World::start();
    let scene = Scene::new(&world);
    let names: Vec<_> = (0..failing).map(|n| format!("part {n}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let run = scene.run(&names);
    for name in &names {
        run.end(
            name,
            &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
        );
    }
    scene.ask();
    scene.caller.spent()
}

#[test]
fn one_failing_job_takes_five_requests() {
    insta::assert_debug_snapshot!(spent(1), @"
    Spent {
        requests: 5,
        points: 2,
    }
    ");
}

#[test]
fn five_failing_jobs_take_their_logs_more() {
    insta::assert_debug_snapshot!(spent(5), @"
    Spent {
        requests: 13,
        points: 2,
    }
    ");
}
