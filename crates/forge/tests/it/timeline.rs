use serde_json::{Value, json};

use crate::world::World;

#[test]
fn what_happens_to_an_issue_is_told_in_order() {
    let world = World::start();
    let octo = world.client("octo");
    octo.post(
        "/repos/octo/demo/issues",
        &json!({"title": "One", "labels": ["bug"], "assignees": ["reviewer"]}),
    )
    .expect(201);
    let one = "/repos/octo/demo/issues/1";
    octo.post(&format!("{one}/comments"), &json!({"body": "Why?"}))
        .expect(201);
    octo.patch(one, &json!({"title": "Two", "state": "closed"}))
        .expect(200);
    octo.put(&format!("{one}/lock"), &json!({})).expect(204);
    octo.delete(&format!("{one}/labels/bug")).expect(200);

    let events = octo.get(&format!("{one}/events")).expect(200).json();
    assert_eq!(
        words(&events),
        [
            "labeled",
            "assigned",
            "renamed",
            "closed",
            "locked",
            "unlabeled"
        ]
    );
    assert_eq!(
        events[0]["label"],
        json!({"name": "bug", "color": "d73a4a"})
    );
    assert_eq!(events[1]["assignee"]["login"], "reviewer");
    assert_eq!(events[2]["rename"], json!({"from": "One", "to": "Two"}));
    assert_eq!(events[3]["actor"]["login"], "octo");

    let all = octo.get(&format!("{one}/timeline")).expect(200).json();
    let mut sorted = words(&all);
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [
            "assigned",
            "closed",
            "commented",
            "labeled",
            "locked",
            "renamed",
            "unlabeled"
        ]
    );

    let closed = all.as_array().unwrap().iter();
    let mut closed = closed.filter(|event| event["event"] == "closed");
    assert_eq!(closed.next().unwrap()["state_reason"], "completed");

    let newest = octo
        .get("/repos/octo/demo/issues/events?per_page=1")
        .expect(200)
        .json();
    assert_eq!(newest[0]["event"], "unlabeled");
    assert_eq!(newest[0]["issue"]["number"], 1);
    let again = octo
        .follow(newest[0]["url"].as_str().unwrap())
        .expect(200)
        .json();
    assert_eq!(again["id"], newest[0]["id"]);
}

fn words(events: &Value) -> Vec<&str> {
    let events = events.as_array().unwrap().iter();
    events
        .map(|event| event["event"].as_str().unwrap())
        .collect()
}
