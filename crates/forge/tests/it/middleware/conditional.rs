use crate::world::{Response, World};

fn used(answer: &Response) -> u32 {
    answer.header("x-ratelimit-used").unwrap().parse().unwrap()
}

#[test]
fn what_a_caller_has_is_not_sent_again_and_not_counted() {
    let world = World::start();
    let octo = world.client("octo");
    let first = octo.get("/user").expect(200);
    let etag = first.header("etag").unwrap().to_owned();
    assert!(etag.starts_with("W/\""), "{etag}");

    for known in [etag.clone(), format!("\"other\", {etag}"), "*".to_owned()] {
        let again = octo.clone().header("If-None-Match", &known);
        let again = again.get("/user").expect(304);
        assert!(again.body.is_empty());
        assert_eq!(again.header("etag"), Some(etag.as_str()));
        assert_eq!(again.header("content-type"), None);
        assert_eq!(used(&again), used(&first), "{known}");
        assert!(again.header("x-github-request-id").is_some());
    }
    let other = octo.header("If-None-Match", "\"other\"").get("/user");
    assert_eq!(used(&other.expect(200)), used(&first) + 1);
}

#[test]
fn without_a_token_the_same_answer_counts() {
    let world = World::start();
    let first = world.anonymous().get("/users/octo").expect(200);
    let etag = first.header("etag").unwrap().to_owned();
    let again = world.anonymous().header("If-None-Match", &etag);
    let again = again.get("/users/octo").expect(304);
    assert_eq!(used(&again), used(&first) + 1);
}

#[test]
fn a_thing_says_when_it_was_changed() {
    let world = World::start();
    let octo = world.client("octo");
    let first = octo.get("/user").expect(200);
    let changed = first.header("last-modified").unwrap().to_owned();
    assert!(changed.ends_with(" GMT"), "{changed}");
    let since = |when: &str| octo.clone().header("If-Modified-Since", when).get("/user");
    since(&changed).expect(304);
    since("Sat, 01 Jan 2000 00:00:00 GMT").expect(200);
    since("the day before yesterday").expect(200);
    // A tag that does not fit wins over a date that does.
    let both = octo.clone().header("If-Modified-Since", &changed);
    both.header("If-None-Match", "\"other\"")
        .get("/user")
        .expect(200);
}

#[test]
fn failures_have_no_tag() {
    let world = World::start();
    let missing = world.client("octo").get("/users/stranger").expect(404);
    assert_eq!(missing.header("etag"), None);
}
