//! What is done to issues, and to labels and comments.

use serde_json::{Value, json};

use super::{of, open_issue, repository_id, text, user_id};
use crate::world::World;

#[test]
fn an_issue_is_opened_changed_closed_and_locked() {
    let world = World::start();
    let octo = world.client("octo");
    let labels = "{ repository(owner: \"octo\", name: \"demo\") { labels(first: 2) { nodes { id name } } } }";
    let labels = octo.data(labels, &json!({}))["repository"]["labels"]["nodes"].take();
    let input = json!({
        "clientMutationId": "mine",
        "repositoryId": repository_id(&octo),
        "title": "Broken",
        "body": "At night",
        "labelIds": [labels[0]["id"]],
        "assigneeIds": [user_id(&octo, "octo")],
    });
    let made = octo.mutate(
        "createIssue",
        "clientMutationId issue { id number }",
        &input,
    );
    assert_eq!(
        (&made["clientMutationId"], &made["issue"]["number"]),
        (&json!("mine"), &json!(1))
    );
    let id = text(&made["issue"]["id"]);
    let look = "title body state stateReason locked activeLockReason closedAt
        labels(first: 9) { nodes { name } } assignees(first: 9) { nodes { login } } milestone { title }";
    let issue = of(&octo, &id, "Issue", look);
    assert_eq!(issue["labels"]["nodes"][0]["name"], "bug");
    assert_eq!(issue["assignees"]["nodes"][0]["login"], "octo");
    assert_eq!(issue["milestone"], Value::Null);

    let input =
        json!({ "id": id, "title": "Fixed", "labelIds": [labels[1]["id"]], "assigneeIds": [] });
    let changed = octo.mutate("updateIssue", "actor { login } issue { title }", &input);
    assert_eq!(changed["actor"]["login"], "octo");
    let input = json!({ "issueId": id, "stateReason": "DUPLICATE" });
    octo.mutate("closeIssue", "clientMutationId", &input);
    let input = json!({ "lockableId": id, "lockReason": "TOO_HEATED" });
    let locked = octo.mutate(
        "lockLockable",
        "lockedRecord { locked activeLockReason }",
        &input,
    );
    assert_eq!(
        locked["lockedRecord"],
        json!({ "locked": true, "activeLockReason": "TOO_HEATED" })
    );
    let issue = of(&octo, &id, "Issue", look);
    assert_eq!(issue["title"], "Fixed");
    assert_eq!(
        issue["labels"]["nodes"],
        json!([{ "name": "documentation" }])
    );
    assert_eq!(issue["assignees"]["nodes"], json!([]));
    assert_eq!(
        (&issue["state"], &issue["stateReason"]),
        (&json!("CLOSED"), &json!("NOT_PLANNED"))
    );
    let issue = of(&octo, &id, "Issue", "stateReason(enableDuplicate: true)");
    assert_eq!(issue["stateReason"], "DUPLICATE");
    octo.mutate(
        "unlockLockable",
        "unlockedRecord { locked }",
        &json!({ "lockableId": id }),
    );
    octo.mutate("reopenIssue", "clientMutationId", &json!({ "issueId": id }));
    let issue = of(&octo, &id, "Issue", look);
    assert_eq!(
        (&issue["state"], &issue["locked"]),
        (&json!("OPEN"), &json!(false))
    );
}

#[test]
fn comments_are_made_changed_and_minimized() {
    let world = World::start();
    let octo = world.client("octo");
    let id = open_issue(&octo, "Broken");
    let look = "commentEdge { cursor node { id body url viewerDidAuthor } } subject { id }";
    let input = json!({ "subjectId": id, "body": "Me too" });
    let made = octo.mutate("addComment", look, &input);
    assert_eq!(made["subject"]["id"], json!(id));
    let comment = &made["commentEdge"]["node"];
    assert_eq!(
        (&comment["body"], &comment["viewerDidAuthor"]),
        (&json!("Me too"), &json!(true))
    );
    let comment = text(&comment["id"]);

    let input = json!({ "id": comment, "body": "Me, too" });
    octo.mutate("updateIssueComment", "issueComment { body }", &input);
    let input = json!({ "subjectId": comment, "classifier": "OFF_TOPIC" });
    let folded = octo.mutate(
        "minimizeComment",
        "minimizedComment { isMinimized minimizedReason }",
        &input,
    );
    assert_eq!(
        folded["minimizedComment"],
        json!({ "isMinimized": true, "minimizedReason": "off-topic" })
    );
    let look = "comments(first: 9) { totalCount nodes { body isMinimized author { login } authorAssociation } }";
    let issue = of(&octo, &id, "Issue", look);
    assert_eq!(
        issue["comments"],
        json!({ "totalCount": 1, "nodes": [{
            "body": "Me, too", "isMinimized": true, "author": { "login": "octo" }, "authorAssociation": "OWNER",
        }] })
    );
    let guest = world.client("guest");
    let input = json!({ "id": comment, "body": "Mine" });
    assert!(
        guest
            .refused("updateIssueComment", &input)
            .starts_with("FORBIDDEN: ")
    );
}

#[test]
fn labels_and_assignees_come_and_go() {
    let world = World::start();
    let octo = world.client("octo");
    let id = open_issue(&octo, "Broken");
    let made = json!({ "name": "strange", "color": "ff0000" });
    let made = octo.post("/api/v3/repos/octo/demo/labels", &made);
    let label = made.expect(201).json()["node_id"].take();
    let look = "labelable { labels(first: 9) { nodes { name } } }";
    let input = json!({ "labelableId": id, "labelIds": [label] });
    let labelled = octo.mutate("addLabelsToLabelable", look, &input);
    assert_eq!(
        labelled["labelable"]["labels"]["nodes"],
        json!([{ "name": "strange" }])
    );
    let bare = octo.mutate("removeLabelsFromLabelable", look, &input);
    assert_eq!(bare["labelable"]["labels"]["nodes"], json!([]));

    let look = "issue { assignees(first: 9) { nodes { login } } }";
    let input = json!({ "id": id, "assigneeIds": [user_id(&octo, "reviewer")] });
    let assigned = octo.mutate("updateIssue", look, &input);
    assert_eq!(
        assigned["issue"]["assignees"]["nodes"],
        json!([{ "login": "reviewer" }])
    );
    let free = octo.mutate("updateIssue", look, &json!({ "id": id, "assigneeIds": [] }));
    assert_eq!(free["issue"]["assignees"]["nodes"], json!([]));
}

#[test]
fn reactions_are_counted() {
    let world = World::start();
    let (octo, guest) = (world.client("octo"), world.client("guest"));
    let id = open_issue(&octo, "Broken");
    let input = json!({ "subjectId": id, "body": "Me too" });
    let made = octo.mutate(
        "addComment",
        "commentEdge { node { id databaseId } }",
        &input,
    );
    let comment = &made["commentEdge"]["node"];
    let path = format!(
        "/api/v3/repos/octo/demo/issues/comments/{}/reactions",
        comment["databaseId"]
    );
    for client in [&octo, &guest] {
        client
            .post(&path, &json!({ "content": "heart" }))
            .expect(201);
    }
    let look = "reactionGroups { content viewerHasReacted users { totalCount } reactors(first: 1) { totalCount nodes { ... on User { login } } } }";
    let groups = of(&guest, &text(&comment["id"]), "IssueComment", look)["reactionGroups"].take();
    assert_eq!(groups.as_array().unwrap().len(), 8);
    let mut groups = groups.as_array().unwrap().iter();
    let hearts = groups.find(|group| group["content"] == "HEART").unwrap();
    assert_eq!(
        *hearts,
        json!({
            "content": "HEART", "viewerHasReacted": true, "users": { "totalCount": 2 },
            "reactors": { "totalCount": 2, "nodes": [{ "login": "octo" }] },
        })
    );
}
