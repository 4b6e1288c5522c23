//! `resolve_review_thread`: which evidence holds, and that nothing happens
//! twice.

use baton_testkit::world::World;
use baton_testkit::world::forge::{Fault, FaultKind};
use serde_json::{Value, json};

use super::discussion::{FILE, Scene, lines};
use super::printed;
use super::world::{Spent, ToolCaller};

const TOOL: &str = "resolve_review_thread";

impl Scene<'_> {
    fn input(&self, more: &Value) -> Value {
        let mut input = json!({ "pr": "octo/demo#1", "thread": self.threads()[0].0 });
        for (name, value) in more.as_object().unwrap() {
            input[name] = value.clone();
        }
        input
    }

    fn settle(&self, more: &Value) -> Value {
        self.caller.ask(TOOL, &self.input(more))
    }

    /// The words of the refusal, after which nothing has changed.
    #[track_caller]
    fn refusal(&self, more: &Value) -> String {
        let before = self.threads();
        let error: Value =
            serde_json::from_str(&self.caller.error(TOOL, &self.input(more))).unwrap();
        assert_eq!(self.threads(), before, "a refusal changes nothing");
        error["error"].as_str().unwrap().to_owned()
    }

    fn facts(&self, more: &Value) -> String {
        let answer = self.settle(more);
        assert_eq!(
            (&answer["resolved"], &answer["changed"]),
            (&json!(true), &json!(true))
        );
        assert!(self.threads()[0].1);
        let facts = answer["evidence"]["facts"].as_array().unwrap();
        let facts = facts.iter().map(|fact| fact.as_str().unwrap());
        facts.collect::<Vec<_>>().join("\n")
    }
}

#[test]
fn a_fix_that_was_pushed_resolves_the_thread() {
    let world = World::start();
    let mut scene = Scene::new(&world);
    scene.thread("reviewer", FILE, 5, "Write it in digits.");
    let content = lines(&[(5, "5"), (25, "twenty-five")]);
    let fix = scene.push_file(FILE, &content, "Write digits, `as @reviewer` asked");
    let before = scene.caller.spent();
    let answer = scene.settle(&json!({ "commit": fix, "reply": "You are right." }));
    let after = scene.caller.spent();
    insta::assert_snapshot!(scene.shown(&answer), @r#"
    {
      "pr": "octo/demo#1",
      "thread": "PRRT_AAAAAAAAAAE",
      "resolved": true,
      "changed": true,
      "file_path": "src/cart.py",
      "line_number": 5,
      "html_url": "http://forge/octo/demo/pull/1#discussion_r1",
      "evidence": {
        "kind": "fix_commit",
        "head": "c1d574fc7490267cbd7622a3b4c6db932809031a",
        "commit": "c1d574fc7490267cbd7622a3b4c6db932809031a",
        "subject": "Write digits, `as @reviewer` asked",
        "facts": [
          "c1d574f is in the pull request, whose head is c1d574f",
          "it is newer than the comment, which is about 0f65aca",
          "it changes src/cart.py:5, in the hunk that the comment is about"
        ]
      },
      "reply_url": "http://forge/octo/demo/pull/1#discussion_r2",
      "key": "8ea3a6588e769034",
      "undo_command": "gh api graphql -f 'query=mutation($thread: ID!) { unresolveReviewThread(input: {threadId: $thread}) { thread { isResolved } } }' -f thread=PRRT_AAAAAAAAAAE",
      "message": "The thread is resolved"
    }
    "#);
    let threads = scene.threads();
    assert!(threads[0].1);
    insta::assert_snapshot!(threads[0].2.join("\n---\n"), @"
    Write it in digits.
    ---
    You are right.

    Fixed in c1d574fc7490267cbd7622a3b4c6db932809031a: `Write digits, 'as @reviewer' asked`

    <!-- baton:resolve-review-thread 8ea3a6588e769034 -->
    ");
    assert_eq!(
        (
            after.requests - before.requests,
            after.points - before.points
        ),
        (3, 3)
    );

    let again = scene.settle(&json!({ "commit": fix, "reply": "You are right." }));
    insta::assert_snapshot!(scene.shown(&again), @r#"
    {
      "pr": "octo/demo#1",
      "thread": "PRRT_AAAAAAAAAAE",
      "resolved": true,
      "changed": false,
      "file_path": "src/cart.py",
      "line_number": 5,
      "html_url": "http://forge/octo/demo/pull/1#discussion_r1",
      "evidence": {
        "kind": "fix_commit",
        "head": "c1d574fc7490267cbd7622a3b4c6db932809031a",
        "commit": "c1d574fc7490267cbd7622a3b4c6db932809031a",
        "facts": [
          "an earlier call with this key resolved it"
        ]
      },
      "reply_url": "http://forge/octo/demo/pull/1#discussion_r2",
      "resolved_by": "octo",
      "key": "8ea3a6588e769034",
      "undo_command": "gh api graphql -f 'query=mutation($thread: ID!) { unresolveReviewThread(input: {threadId: $thread}) { thread { isResolved } } }' -f thread=PRRT_AAAAAAAAAAE",
      "message": "The thread was resolved before"
    }
    "#);
    assert_eq!(scene.threads(), threads, "a second call changes nothing");

    let undo = answer["undo_command"].as_str().unwrap();
    if printed::run(&world, undo).is_some() {
        assert!(!scene.threads()[0].1, "the thread is open again");
        // The reply is there, so it is only resolved.
        let third = scene.settle(&json!({ "commit": fix }));
        assert_eq!(third["changed"], true);
        assert_eq!(scene.threads(), threads);
    }
}

#[test]
fn a_call_that_broke_off_is_taken_up_where_it_was() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.thread("reviewer", FILE, 5, "Why?");
    let fault = Fault::new(FaultKind::ServerError {
        status: 502,
        retry_after: None,
    });
    world
        .app()
        .faults()
        .add(fault.operation("ResolveReviewThread"));
    let input = json!({ "reason": "It is the fifth line.", "key": "run/004-fix" });
    scene.caller.call(TOOL, &scene.input(&input)).unwrap_err();
    assert_eq!(scene.threads()[0].2.len(), 2, "the reply was made");
    world.app().faults().clear();
    let answer = scene.settle(&input);
    assert_eq!(answer["changed"], true);
    let (_, resolved, comments) = &scene.threads()[0];
    assert_eq!((*resolved, comments.len()), (true, 2), "and only once");
}

#[test]
fn lines_are_followed_to_where_they_are_now() {
    let world = World::start();
    let mut scene = Scene::new(&world);
    let comment = scene.thread("reviewer", FILE, 25, "Write it in digits.");
    // The file is renamed and grows at its top before the fix.
    let grown = format!(
        "new 1\nnew 2\nnew 3\n{}",
        lines(&[(5, "five"), (25, "twenty-five")])
    );
    scene.repo.remove(FILE);
    scene.push_file("src/basket.py", &grown, "Rename the cart");
    let fix = scene.push_file(
        "src/basket.py",
        &grown.replace("twenty-five", "25"),
        "Write digits",
    );
    scene.push_file("README.md", "# Later\n", "Write on");
    let url = format!("{}/octo/demo/pull/1#discussion_r{comment}", world.web_url());
    insta::assert_snapshot!(scene.facts(&json!({ "thread": url, "commit": &fix[..12] })), @"
    bc118e6 is in the pull request, whose head is 4ab7716
    it is newer than the comment, which is about 0f65aca
    it changes src/basket.py:28, in the hunk that the comment is about
    ");
}

#[test]
fn a_commit_that_shows_nothing_is_refused() {
    let world = World::start();
    let mut scene = Scene::new(&world);
    let older = scene.head.clone();
    scene.thread("reviewer", FILE, 5, "Write it in digits.");
    let elsewhere = lines(&[(5, "five"), (25, "25")]);
    let elsewhere = scene.push_file(FILE, &elsewhere, "Change another hunk");
    let other_file = scene.push_file("README.md", "# Other\n", "Change another file");
    let unpushed = scene
        .repo
        .commit_file(FILE, lines(&[(5, "5")]), "Do not push this");
    let told = [
        json!({}),
        json!({ "reason": "  " }),
        json!({ "commit": "HEAD" }),
        json!({ "commit": older }),
        json!({ "commit": elsewhere }),
        json!({ "commit": other_file }),
        json!({ "commit": unpushed }),
        json!({ "commit": unpushed, "reason": "trust me" }),
        json!({ "commit": "0".repeat(40) }),
        json!({ "thread": "12345", "commit": elsewhere }),
    ]
    .map(|input| scene.refusal(&input))
    .join("\n");
    insta::assert_snapshot!(told, @"
    a thread is resolved on evidence, and none was given
    a thread is resolved on evidence, and none was given
    `commit` must be the id of a commit, of 7 hexadecimal digits or more
    the thread was not resolved: 0f65aca is the commit that the comment is about
    the thread was not resolved: ab01c9b does not change the commented hunk, which was src/cart.py:2-8
    the thread was not resolved: 31021b8 does not change the commented hunk, which was src/cart.py:2-8
    the thread was not resolved: octo/demo#1 does not contain the commit 744c9fa11d81600a12c6e47d3ff3afd45cd22af0; its head is 31021b8
    the thread was not resolved: octo/demo#1 does not contain the commit 744c9fa11d81600a12c6e47d3ff3afd45cd22af0; its head is 31021b8
    the thread was not resolved: octo/demo#1 does not contain the commit 0000000000000000000000000000000000000000; its head is 31021b8
    octo/demo#1 has no review thread '12345' (1 open)
    ");
    // A reason makes up for a commit that is there and elsewhere.
    let input = json!({ "commit": elsewhere, "reason": "The constant moved to line 25." });
    insta::assert_snapshot!(scene.facts(&input), @"
    ab01c9b is in the pull request, whose head is 31021b8
    ab01c9b does not change the commented hunk, which was src/cart.py:2-8; the reason has to do
    ");
    insta::assert_snapshot!(scene.threads()[0].2[1], @"
    The constant moved to line 25.

    <!-- baton:resolve-review-thread f543176b0d801925 -->
    ");
}

#[test]
fn a_thread_that_someone_resolved_is_left_alone() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.thread("reviewer", FILE, 5, "Why?");
    scene.resolve("reviewer", &scene.threads()[0].0);
    let answer = scene.settle(&json!({ "reason": "It is the fifth line." }));
    insta::assert_snapshot!(scene.shown(&answer), @r#"
    {
      "pr": "octo/demo#1",
      "thread": "PRRT_AAAAAAAAAAE",
      "resolved": true,
      "changed": false,
      "file_path": "src/cart.py",
      "line_number": 5,
      "html_url": "http://forge/octo/demo/pull/1#discussion_r1",
      "evidence": {
        "kind": "already_resolved",
        "head": "0f65aca82e4be43c397ad40d6a6d258ce4b4898e",
        "reason": "It is the fifth line.",
        "facts": [
          "it was resolved before; the evidence was not looked at"
        ]
      },
      "resolved_by": "reviewer",
      "key": "63a26ba69ab46aee",
      "undo_command": "gh api graphql -f 'query=mutation($thread: ID!) { unresolveReviewThread(input: {threadId: $thread}) { thread { isResolved } } }' -f thread=PRRT_AAAAAAAAAAE",
      "message": "The thread was resolved before"
    }
    "#);
    assert_eq!(scene.threads()[0].2.len(), 1);
    assert_eq!(
        scene.caller.spent(),
        Spent {
            requests: 1,
            points: 3
        }
    );
}

#[test]
fn who_may_not_resolve_is_told_so() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.thread("reviewer", FILE, 5, "Why?");
    let guest = ToolCaller::for_user(&world, "guest");
    let input = scene.input(&json!({ "reason": "It is the fifth line." }));
    insta::assert_snapshot!(guest.error(TOOL, &input), @r#"
    {
      "error": "this token may not resolve the thread PRRT_AAAAAAAAAAE",
      "category": "user",
      "suggestion": "Ask the pull request's author or someone with write access, or use their token."
    }
    "#);
    assert!(!scene.threads()[0].1);
}

#[test]
fn after_a_forced_push_the_fix_is_found_in_the_new_history() {
    let world = World::start();
    let mut scene = Scene::new(&world);
    scene.thread("reviewer", FILE, 5, "Write it in digits.");
    let original = scene.head.clone();
    // The same work again on another base, with the fix as a commit of its own.
    scene.repo.checkout("main");
    scene.repo.commit_file("README.md", "# Moved\n", "Move on");
    world.push(&scene.repo, "main");
    scene.repo.git(&["checkout", "--quiet", "-B", "fix/cart"]);
    let again = lines(&[(5, "five"), (25, "twenty-five")]);
    scene.push_file(FILE, &again, "Fix the cart");
    let fix = scene.push_file(
        FILE,
        &again.replace("five\nline 6", "5\nline 6"),
        "Write digits",
    );
    assert_eq!(
        scene
            .refusal(&json!({ "commit": original }))
            .split(';')
            .next(),
        Some(
            format!(
                "the thread was not resolved: octo/demo#1 does not contain the commit {original}"
            )
            .as_str()
        )
    );
    insta::assert_snapshot!(scene.facts(&json!({ "commit": fix })), @"
    5d6fc89 is in the pull request, whose head is 5d6fc89
    it is newer than the comment, which is about 0f65aca
    it changes src/cart.py:5, in the hunk that the comment is about
    ");
}
