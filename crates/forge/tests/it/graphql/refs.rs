//! Branches and repositories that are made without a push.

use serde_json::{Value, json};

use super::{open_issue, repository_id, text, two_branches};
use crate::world::World;

#[test]
fn a_branch_is_made_moved_and_deleted() {
    let world = World::start();
    let repo = two_branches(&world);
    let octo = world.client("octo");
    let (main, feature) = (repo.git(&["rev-parse", "main"]), repo.head());
    let main = main.trim();
    let input =
        json!({ "repositoryId": repository_id(&octo), "name": "refs/heads/new", "oid": main });
    let made = octo.mutate("createRef", "ref { id name target { oid } }", &input)["ref"].take();
    assert_eq!(
        (&made["name"], &made["target"]["oid"]),
        (&json!("new"), &json!(main))
    );
    insta::assert_snapshot!(octo.refused("createRef", &input), @"UNPROCESSABLE: Reference already exists");
    let id = text(&made["id"]);
    let input = json!({ "refId": id, "oid": feature });
    let moved = octo.mutate("updateRef", "ref { target { oid } }", &input);
    assert_eq!(moved["ref"]["target"]["oid"], json!(feature));
    let back = json!({ "refId": id, "oid": main });
    insta::assert_snapshot!(octo.refused("updateRef", &back), @"UNPROCESSABLE: Update is not a fast forward");
    octo.mutate(
        "updateRef",
        "clientMutationId",
        &json!({ "refId": id, "oid": main, "force": true }),
    );
    let guest = world.client("guest");
    assert!(
        guest
            .refused("deleteRef", &json!({ "refId": id }))
            .starts_with("FORBIDDEN: ")
    );
    octo.mutate("deleteRef", "clientMutationId", &json!({ "refId": id }));
    let query = "{ repository(owner: \"octo\", name: \"demo\") { refs(refPrefix: \"refs/heads/\", first: 9) { nodes { name } } } }";
    assert_eq!(
        octo.data(query, &json!({}))["repository"]["refs"]["nodes"],
        json!([{ "name": "feature" }, { "name": "main" }])
    );
}

#[test]
fn a_branch_is_linked_to_its_issue() {
    let world = World::start();
    let repo = two_branches(&world);
    let octo = world.client("octo");
    let issue = open_issue(&octo, "Make it work!");
    let input = json!({ "issueId": issue, "oid": repo.head() });
    let look = "linkedBranch { id ref { name } } issue { linkedBranches(first: 9) { nodes { ref { name } } } }";
    let linked = octo.mutate("createLinkedBranch", look, &input);
    assert_eq!(linked["linkedBranch"]["ref"]["name"], "1-make-it-work");
    assert_eq!(
        linked["issue"]["linkedBranches"]["nodes"],
        json!([{ "ref": { "name": "1-make-it-work" } }])
    );
}

#[test]
fn a_repository_is_made_and_put_away() {
    let world = World::start();
    let octo = world.client("octo");
    let input = json!({ "name": "new", "visibility": "PRIVATE", "hasIssuesEnabled": false, "description": "Fresh" });
    let look = "repository { id nameWithOwner isPrivate hasIssuesEnabled description isEmpty defaultBranchRef { name } }";
    let mut made = octo.mutate("createRepository", look, &input)["repository"].take();
    let id = made["id"].take();
    assert_eq!(
        made,
        json!({
            "id": null, "nameWithOwner": "octo/new", "isPrivate": true, "hasIssuesEnabled": false,
            "description": "Fresh", "isEmpty": true, "defaultBranchRef": null,
        })
    );
    insta::assert_snapshot!(
        octo.refused("createRepository", &input),
        @"UNPROCESSABLE: name already exists on this account"
    );
    let input = json!({ "repositoryId": id });
    let away = octo.mutate("archiveRepository", "repository { isArchived }", &input);
    assert_eq!(away["repository"]["isArchived"], true);
    let issue = json!({ "repositoryId": id, "title": "Late" });
    assert_ne!(octo.refused("createIssue", &issue), "");
    let back = octo.mutate("unarchiveRepository", "repository { isArchived }", &input);
    assert_eq!(back["repository"]["isArchived"], Value::Bool(false));
}
