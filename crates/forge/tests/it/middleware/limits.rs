use baton_forge::{Limits, Pace, Settings};

use crate::world::{Response, World};

fn few(settings: &mut Settings) {
    settings.limits = Limits {
        core: 2,
        anonymous: 1,
        ..Limits::github()
    };
}

fn standing(answer: &Response) -> [&str; 4] {
    ["limit", "used", "remaining", "resource"].map(|name| {
        let name = format!("x-ratelimit-{name}");
        answer.header(&name).unwrap()
    })
}

#[test]
fn an_allowance_is_used_up() {
    let world = World::start_with(few);
    let octo = world.client("octo");
    let first = octo.get("/user").expect(200);
    assert_eq!(standing(&first), ["2", "1", "1", "core"]);
    // A failure counts like any other answer.
    octo.get("/users/stranger").expect(404);

    let refused = octo.get("/user").expect(403);
    assert_eq!(standing(&refused), ["2", "2", "0", "core"]);
    let id = refused.header("x-github-request-id").unwrap();
    let body = refused.text().replace(id, "[id]");
    insta::assert_snapshot!(body, @r#"{"message":"API rate limit exceeded for user ID 1. If you reach out to GitHub Support for help, please include the request ID [id].","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api","status":"403"}"#);
    assert_eq!(refused.header("retry-after"), None);
    // All tokens of a user share one allowance; other users have their own.
    let token = world.token("octo", &["repo"]);
    world.with_token(&token).get("/user").expect(403);
    world.client("reviewer").get("/user").expect(200);
}

#[test]
fn anonymous_callers_have_little() {
    let world = World::start_with(few);
    world.anonymous().get("/users/octo").expect(200);
    let refused = world.anonymous().get("/users/octo").expect(403);
    insta::assert_snapshot!(refused.json()["message"].as_str().unwrap(), @"API rate limit exceeded for 127.0.0.1. (But here's the good news: Authenticated requests get a higher rate limit. Check out the documentation for more details.)");
}

#[test]
fn too_many_writes_in_a_minute_have_to_wait() {
    let world = World::start_with(|settings| {
        settings.limits.pace = Some(Pace {
            concurrent: 10,
            points_per_minute: 100,
            writes_per_minute: 2,
            retry_after: 60,
        });
    });
    let octo = world.client("octo");
    for _ in 0..2 {
        octo.delete("/repos/octo/nothing").expect(404);
    }
    let refused = octo.delete("/repos/octo/nothing").expect(403);
    assert_eq!(refused.header("retry-after"), Some("60"));
    let id = refused.header("x-github-request-id").unwrap();
    insta::assert_snapshot!(refused.text().replace(id, "[id]"), @r#"{"documentation_url":"https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits","message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID [id].","status":"403"}"#);
    // There is quota left: nothing else tells this from a missing right.
    octo.get("/user").expect(200);
}
