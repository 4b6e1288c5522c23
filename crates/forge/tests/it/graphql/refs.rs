//! Repositories that are made without a push.

use serde_json::json;

use crate::world::World;

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
