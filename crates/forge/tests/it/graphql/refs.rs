//! Branches and repositories that are made without a push.

use serde_json::json;

use super::{open_issue, two_branches};
use crate::world::World;

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
}
