use baton_forge::NewRepository;
use baton_testkit::Repo;
use serde_json::json;

use crate::world::World;

#[test]
fn a_push_arrives_and_is_cloned_by_everybody() {
    let world = World::start();
    let checkout = world.checkout();
    let url = format!("http://{}/octo/demo.git", world.address);
    let copy = world.sandbox.repo("copy");
    copy.git(&["fetch", "--quiet", &url, "main"]);
    assert_eq!(copy.git(&["rev-parse", "FETCH_HEAD"]), checkout.head());
    // GitHub serves the address without the suffix, too.
    let short = format!("http://{}/octo/demo", world.address);
    copy.git(&["fetch", "--quiet", &short, "main"]);
}

#[test]
fn a_bad_token_does_not_get_in() {
    let world = World::start();
    let repo = world.sandbox.repo("checkout");
    repo.commit("Begin");
    let push = |token: &str| {
        let url = world.git_url_with(token, "octo/demo");
        complaint(&repo, &["push", &url, "main"], token)
    };
    insta::assert_snapshot!(push("ghp_wrong").replace(&world.address.to_string(), "HOST"), @r"
    remote: Invalid username or token.
    fatal: Authentication failed for 'http://HOST/octo/demo.git/'
    ");
    let guest = world.token("guest", &["repo"]);
    insta::assert_snapshot!(push(&guest).replace(&world.address.to_string(), "HOST"), @r"
    remote: Permission to octo/demo.git denied to guest.
    fatal: unable to access 'http://HOST/octo/demo.git/': The requested URL returned error: 403
    ");
    let without_scope = world.token("octo", &["read:org"]);
    insta::assert_snapshot!(push(&without_scope).replace(&world.address.to_string(), "HOST"), @r"
    remote: Permission to octo/demo.git denied to octo.
    fatal: unable to access 'http://HOST/octo/demo.git/': The requested URL returned error: 403
    ");
}

#[test]
fn a_large_push_and_its_clone_pass_through_in_pieces() {
    let world = World::start();
    let checkout = world.checkout();
    // Text that does not compress: three times the post buffer of git, so that
    // it is sent in chunks.
    let mut state = 1u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    })
    .take(3 * 1024 * 1024 / 8)
    .flatten()
    .collect();
    let head = checkout.commit_file("noise.bin", &noise, "Add noise");
    checkout.git(&["push", "--quiet", "origin", "main"]);
    let url = format!("http://{}/octo/demo.git", world.address);
    let copy = world.sandbox.repo("copy");
    copy.git(&["fetch", "--quiet", &url, "main"]);
    copy.git(&["checkout", "--quiet", "FETCH_HEAD"]);
    assert_eq!(copy.head(), head);
    assert!(std::fs::read(copy.path().join("noise.bin")).unwrap() == noise);
}

#[test]
fn a_rule_refuses_one_ref_of_a_push_and_lets_the_other_pass() {
    let world = World::start();
    let repo = world.checkout();
    let protection = json!({
        "required_status_checks": null,
        "enforce_admins": true,
        "required_pull_request_reviews": {"required_approving_review_count": 1},
        "restrictions": null,
    });
    let octo = world.client("octo");
    octo.put("/repos/octo/demo/branches/main/protection", &protection)
        .expect(200);
    let before = repo.head();
    let after = repo.commit_file("a.txt", "a\n", "Add a");
    let said = complaint(&repo, &["push", "origin", "main", "main:topic"], "x");
    insta::assert_snapshot!(said.replace(&world.address.to_string(), "HOST"), @r"
    remote: error: GH006: Protected branch update failed for refs/heads/main.        
    remote: 
    remote: - Changes must be made through a pull request.        
    remote: error: hook declined to update refs/heads/main        
    To http://HOST/octo/demo.git
     * [new branch]      main -> topic
     ! [remote rejected] main -> main (hook declined)
    error: failed to push some refs to 'http://HOST/octo/demo.git'
    ");
    let head = |branch: &str| {
        octo.get(&format!("/repos/octo/demo/branches/{branch}"))
            .expect(200)
            .json()["commit"]["sha"]
            .clone()
    };
    assert_eq!(head("main"), before);
    assert_eq!(head("topic"), after);
    // Refused objects do not stay.
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    let refused = repo.commit_file("b.txt", "b\n", "Add b");
    repo.try_git(&["push", "origin", "other:main"]);
    octo.get(&format!("/repos/octo/demo/commits/{refused}"))
        .expect(422);
    // Over the API the same rule holds.
    octo.delete("/repos/octo/demo/git/refs/heads/main")
        .expect(422);
}

#[test]
fn pushes_are_refused_where_nothing_may_change() {
    let world = World::start();
    let repo = world.checkout();
    let octo = world.client("octo");
    let hidden = complaint(&repo, &["push", "origin", "main:refs/pull/1/head"], "x");
    assert!(hidden.contains("deny updating a hidden ref"), "{hidden}");
    octo.patch("/repos/octo/demo", &json!({"archived": true}))
        .expect(200);
    repo.commit("Too late");
    let archived = complaint(&repo, &["push", "origin", "main"], "x");
    assert!(
        archived.starts_with("remote: This repository was archived so it is read-only."),
        "{archived}"
    );
    world
        .client("octo")
        .get("/octo/demo.git/info/refs")
        .expect(403);
    world
        .anonymous()
        .get("/octo/missing.git/info/refs?service=git-upload-pack")
        .expect(401);
    octo.get("/octo/missing.git/info/refs?service=git-upload-pack")
        .expect(404);
}

#[test]
fn a_compressed_request_is_understood() {
    let world = World::start();
    let repo = world.checkout();
    // git compresses what it asks for once it has many refs to name.
    for number in 0..60 {
        repo.commit(&format!("Commit {number}"));
        repo.git(&["tag", &format!("t{number}")]);
    }
    repo.git(&["push", "--quiet", "origin", "main", "--tags"]);
    let copy = world.sandbox.repo("copy");
    let url = format!("http://{}/octo/demo.git", world.address);
    let output = copy.try_git(&[
        "-c",
        "protocol.version=0",
        "fetch",
        "--quiet",
        "--tags",
        &url,
        "main",
    ]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(copy.git(&["tag"]).lines().count(), 60);
}

#[test]
fn a_push_past_the_forge_is_noticed() {
    let world = World::start();
    let bare = world.sandbox.bare_repo("shared.git");
    let repo = world.sandbox.repo("outside");
    let first = repo.commit_file("a.txt", "a\n", "Add a");
    let folder = bare.path().to_str().unwrap().to_owned();
    repo.git(&["push", "--quiet", &folder, "main"]);
    world.create_repository(NewRepository {
        path: Some(bare.path().to_path_buf()),
        ..NewRepository::new("octo", "shared")
    });
    let octo = world.client("octo");
    let head = || {
        octo.get("/repos/octo/shared/branches/main")
            .expect(200)
            .json()["commit"]["sha"]
            .clone()
    };
    assert_eq!(head(), first);
    repo.branch("topic");
    let topic = repo.commit_file("b.txt", "b\n", "Add b");
    repo.git(&["push", "--quiet", &folder, "topic"]);
    let new = json!({"title": "B", "head": "topic", "base": "main"});
    octo.post("/repos/octo/shared/pulls", &new).expect(201);
    let pulled =
        || octo.get("/repos/octo/shared/pulls/1").expect(200).json()["head"]["sha"].clone();
    assert_eq!(pulled(), topic);
    let later = repo.commit_file("c.txt", "c\n", "Add c");
    repo.git(&["push", "--quiet", &folder, "topic"]);
    world.wait_for(|| (pulled() == later).then_some(()));

    // Over HTTP it can be pushed to as well.
    let last = repo.commit_file("d.txt", "d\n", "Add d");
    repo.git(&[
        "push",
        "--quiet",
        &world.git_url("octo", "octo/shared"),
        "topic",
    ]);
    assert_eq!(bare.git(&["rev-parse", "topic"]), last);
    octo.delete("/repos/octo/shared").expect(204);
    assert_eq!(bare.git(&["rev-parse", "topic"]), last);
}

/// As when the forge died between git's part of a push and its own.
#[test]
fn a_push_that_was_cut_off_is_made_up_for_at_the_next_start() {
    let world = World::start();
    let pulled = |world: &World| {
        let pull = world.client("octo").get("/repos/octo/demo/pulls/1");
        pull.expect(200).json()["head"]["sha"].clone()
    };
    let (topic, later) = {
        let repo = world.checkout();
        repo.branch("topic");
        let topic = repo.commit_file("b.txt", "b\n", "Add b");
        repo.git(&["push", "--quiet", "origin", "topic"]);
        let new = json!({"title": "B", "head": "topic", "base": "main"});
        world
            .client("octo")
            .post("/repos/octo/demo/pulls", &new)
            .expect(201);
        let later = repo.commit_file("c.txt", "c\n", "Add c");
        repo.git(&["push", "--quiet", world.folder().to_str().unwrap(), "topic"]);
        (topic, later)
    };
    assert_eq!(pulled(&world), topic);
    let world = world.restart();
    world.wait_for(|| (pulled(&world) == later).then_some(()));
}

/// What git says when it fails, without the token.
fn complaint(repo: &Repo<'_>, args: &[&str], token: &str) -> String {
    let output = repo.try_git(args);
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).replace(token, "TOKEN")
}
