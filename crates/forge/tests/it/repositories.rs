use baton_forge::{NewAccount, NewRepository, Role};
use serde_json::json;

use crate::world::World;

#[test]
fn a_repository_is_made_changed_and_deleted() {
    let world = World::start();
    let octo = world.client("octo");
    let made = octo
        .post("/user/repos", &json!({"name": "tool", "private": true}))
        .expect(201)
        .json();
    assert_eq!(made["full_name"], "octo/tool");
    assert_eq!(made["visibility"], "private");
    assert_eq!(made["permissions"]["admin"], true);
    world.client("guest").get("/repos/octo/tool").expect(404);
    let taken = octo
        .post("/user/repos", &json!({"name": "TOOL"}))
        .expect(422)
        .json();
    assert_eq!(
        taken["errors"][0]["message"],
        "name already exists on this account"
    );
    for name in ["", "a b", "..", "x.git", "ü"] {
        octo.post("/user/repos", &json!({"name": name})).expect(422);
    }

    let edit = json!({"private": false, "description": "A tool", "allow_merge_commit": false, "delete_branch_on_merge": true});
    let edited = octo.patch("/repos/octo/tool", &edit).expect(200).json();
    assert_eq!(edited["description"], "A tool");
    assert_eq!(edited["allow_merge_commit"], false);
    assert_eq!(edited["delete_branch_on_merge"], true);
    let none = json!({"allow_squash_merge": false, "allow_rebase_merge": false});
    octo.patch("/repos/octo/tool", &none).expect(422);
    world
        .client("guest")
        .patch("/repos/octo/tool", &edit)
        .expect(403);

    octo.patch("/repos/octo/tool", &json!({"archived": true}))
        .expect(200);
    octo.post("/repos/octo/tool/issues", &json!({"title": "x"}))
        .expect(403);
    octo.patch("/repos/octo/tool", &json!({"archived": false}))
        .expect(200);
    octo.post("/repos/octo/tool/issues", &json!({"title": "x"}))
        .expect(201);

    let weak = world.token("octo", &["repo"]);
    world
        .with_token(&weak)
        .delete("/repos/octo/tool")
        .expect(403);
    octo.delete("/repos/octo/tool").expect(204);
    octo.get("/repos/octo/tool").expect(404);
    octo.post("/user/repos", &json!({"name": "tool"}))
        .expect(201);
    assert_eq!(octo.get("/repos/octo/tool/issues").json(), json!([]));
}

#[test]
fn the_old_name_of_a_renamed_repository_leads_to_the_new_one() {
    let world = World::start();
    let checkout = world.checkout();
    let octo = world.client("octo");
    let renamed = octo
        .patch("/repos/octo/demo", &json!({"name": "show"}))
        .expect(200)
        .json();
    assert_eq!(renamed["full_name"], "octo/show");
    octo.get("/repos/octo/show").expect(200);

    // git follows: the remote still has the old name.
    let head = checkout.commit_file("new.txt", "new\n", "Go on");
    checkout.git(&["push", "--quiet", "origin", "main"]);
    checkout.git(&["fetch", "--quiet", "origin"]);
    let branch = octo
        .get("/repos/octo/show/branches/main")
        .expect(200)
        .json();
    assert_eq!(branch["commit"]["sha"], head);

    // A new repository takes the old name over.
    octo.post("/user/repos", &json!({"name": "demo"}))
        .expect(201);
    assert_eq!(
        octo.get("/repos/octo/demo").expect(200).json()["name"],
        "demo"
    );
}

#[test]
fn a_fork_has_the_commits_and_knows_its_parent() {
    let world = World::start();
    let checkout = world.checkout();
    checkout.branch("extra");
    checkout.git(&["push", "--quiet", "origin", "extra"]);
    let guest = world.client("guest");
    let fork = guest
        .post("/repos/octo/demo/forks", &json!({}))
        .expect(202)
        .json();
    assert_eq!(fork["full_name"], "guest/demo");
    assert_eq!(fork["fork"], true);
    assert_eq!(fork["parent"]["full_name"], "octo/demo");
    assert_eq!(fork["source"]["full_name"], "octo/demo");
    let branches = guest.get("/repos/guest/demo/branches").expect(200).json();
    assert_eq!(branches.as_array().unwrap().len(), 2);
    // Once more gives the same one.
    assert_eq!(
        guest
            .post("/repos/octo/demo/forks", &json!({}))
            .expect(202)
            .json()["id"],
        fork["id"]
    );
    assert_eq!(
        world.client("octo").get("/repos/octo/demo").json()["forks_count"],
        1
    );

    checkout.git(&[
        "push",
        "--quiet",
        &world.git_url("guest", "guest/demo"),
        "main:topic",
    ]);
    let both = guest
        .get("/repos/octo/demo/compare/main...guest:topic")
        .expect(200)
        .json();
    assert_eq!(both["status"], "identical");
    let only = json!({"default_branch_only": true});
    let third = world
        .client("reviewer")
        .post("/repos/octo/demo/forks", &only)
        .expect(202)
        .json();
    assert_eq!(third["default_branch"], "main");
    let branches = guest
        .get("/repos/reviewer/demo/branches")
        .expect(200)
        .json();
    assert_eq!(branches.as_array().unwrap().len(), 1);
}

#[test]
fn an_organisations_members_work_in_its_repositories() {
    let world = World::start();
    let app = world.app();
    world
        .run(app.create_account(NewAccount::organization("club")))
        .unwrap();
    world.run(app.add_member("club", "octo", true)).unwrap();
    world.run(app.add_member("club", "guest", false)).unwrap();
    let octo = world.client("octo");
    let new = json!({"name": "secret", "private": true});
    let made = octo.post("/orgs/club/repos", &new).expect(201).json();
    assert_eq!(made["owner"]["type"], "Organization");
    assert_eq!(made["organization"]["login"], "club");
    let guest = world.client("guest");
    let seen = guest.get("/repos/club/secret").expect(200).json();
    assert_eq!(seen["permissions"]["push"], false);
    world
        .client("reviewer")
        .get("/repos/club/secret")
        .expect(404);
    world
        .client("reviewer")
        .post("/orgs/club/repos", &new)
        .expect(403);
}

#[test]
fn collaborators_have_the_rights_of_their_role() {
    let world = World::start();
    let (octo, guest) = (world.client("octo"), world.client("guest"));
    world.create_repository(NewRepository {
        private: true,
        ..NewRepository::new("octo", "closed")
    });
    guest.get("/repos/octo/closed").expect(404);
    let give = |role| {
        let given = world
            .app()
            .set_collaborator("octo", "closed", "guest", role);
        world.run(given).unwrap();
    };
    give(Role::Write);
    let permission = "/repos/octo/closed/collaborators/guest/permission";
    let permission = octo.get(permission).expect(200).json();
    assert_eq!(
        (&permission["permission"], &permission["role_name"]),
        (&json!("write"), &json!("write"))
    );
    assert_eq!(permission["user"]["permissions"]["push"], true);
    guest.get("/repos/octo/closed").expect(200);
    give(Role::Read);
    guest
        .post("/repos/octo/closed/labels", &json!({"name": "x"}))
        .expect(403);
}

#[test]
fn a_suspended_repository_says_so() {
    let world = World::start();
    world.checkout();
    let app = world.app();
    world
        .run(app.suspend_repository("octo", "demo", Some("tos".to_owned())))
        .unwrap();
    let blocked = world
        .client("octo")
        .get("/repos/octo/demo")
        .expect(403)
        .json();
    assert_eq!(blocked["message"], "Repository access blocked");
    assert_eq!(blocked["block"]["reason"], "tos");
    world
        .client("octo")
        .get("/octo/demo.git/info/refs?service=git-upload-pack")
        .expect(403);
    world
        .run(app.suspend_repository("octo", "demo", None))
        .unwrap();
    world.client("octo").get("/repos/octo/demo").expect(200);
    world
        .run(app.set_collaborator("octo", "demo", "guest", Role::Admin))
        .unwrap();
}
