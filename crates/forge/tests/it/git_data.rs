use serde_json::{Value, json};

use crate::world::World;

#[test]
fn commits_are_listed_and_shown_with_their_changes() {
    let world = World::start();
    let repo = world.checkout();
    repo.write("src/lib.rs", "one\ntwo\n");
    repo.write("odd \"näme\".txt", "x\n");
    repo.commit("Add files");
    repo.git(&["mv", "README.md", "READ.md"]);
    repo.write("src/lib.rs", "one\n2\n");
    repo.remove("odd \"näme\".txt");
    let head = repo.commit("Change files\n\nWith a body.");
    repo.git(&["push", "--quiet", "origin", "main"]);
    let octo = world.client("octo");

    let list = octo.get("/repos/octo/demo/commits?per_page=2").expect(200);
    assert!(list.link("last").unwrap().ends_with("page=2"));
    let list = list.json();
    assert_eq!(list[0]["sha"], head);
    assert_eq!(list[0]["commit"]["message"], "Change files\n\nWith a body.");
    assert_eq!(list[0]["parents"][0]["sha"], list[1]["sha"]);
    let touching = octo
        .get("/repos/octo/demo/commits?path=README.md")
        .expect(200)
        .json();
    assert_eq!(touching.as_array().unwrap().len(), 2);

    let one = octo.get("/repos/octo/demo/commits/main").expect(200).json();
    assert_eq!(
        one["stats"],
        json!({"total": 3, "additions": 1, "deletions": 2})
    );
    let files: Vec<_> = one["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| format!("{} {} {}", file["status"], file["filename"], file["patch"]))
        .collect();
    insta::assert_snapshot!(files.join("\n"), @r#"
    "renamed" "READ.md" null
    "removed" "odd \"näme\".txt" "@@ -1 +0,0 @@\n-x"
    "modified" "src/lib.rs" "@@ -1,2 +1,2 @@\n one\n-two\n+2"
    "#);
    let sha = octo
        .clone()
        .header("Accept", "application/vnd.github.sha")
        .get("/repos/octo/demo/commits/main");
    assert_eq!(sha.text(), head);
    let diff = octo
        .clone()
        .header("Accept", "application/vnd.github.v3.diff")
        .get("/repos/octo/demo/commits/main");
    assert!(
        diff.text()
            .starts_with("diff --git a/README.md b/READ.md\n"),
        "{}",
        diff.text()
    );
    assert_eq!(
        diff.header("content-type"),
        Some("application/vnd.github.diff; charset=utf-8")
    );
    octo.get("/repos/octo/demo/commits/nothing").expect(422);
    octo.get("/repos/octo/demo/commits/-x").expect(422);
}

#[test]
fn an_empty_repository_has_no_commits_and_says_so() {
    let world = World::start();
    let octo = world.client("octo");
    let empty = octo.get("/repos/octo/demo/commits").expect(409).json();
    assert_eq!(empty["message"], "Git Repository is empty.");
    octo.get("/repos/octo/demo/git/matching-refs/heads")
        .expect(409);
    octo.get("/repos/octo/demo/contents/x").expect(404);
    octo.get("/repos/octo/demo/readme").expect(404);
    assert_eq!(
        octo.get("/repos/octo/demo/branches").expect(200).json(),
        json!([])
    );
}

#[test]
fn two_branches_are_compared_from_their_common_commit() {
    let world = World::start();
    let repo = world.checkout();
    repo.branch("topic/one");
    let topic = repo.commit_file("a.txt", "a\n", "Add a");
    repo.checkout("main");
    let main = repo.commit_file("b.txt", "b\n", "Add b");
    repo.git(&["push", "--quiet", "origin", "main", "topic/one"]);
    let octo = world.client("octo");
    let both = octo
        .get("/repos/octo/demo/compare/main...topic%2Fone")
        .expect(200)
        .json();
    assert_eq!(both["status"], "diverged");
    assert_eq!(
        (&both["ahead_by"], &both["behind_by"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(both["base_commit"]["sha"], main);
    assert_eq!(both["commits"][0]["sha"], topic);
    assert_eq!(both["files"].as_array().unwrap().len(), 1);
    assert_eq!(both["files"][0]["filename"], "a.txt");
    octo.get("/repos/octo/demo/compare/main...missing")
        .expect(404);
    octo.get("/repos/octo/demo/compare/main").expect(404);
    let branch = octo
        .get("/repos/octo/demo/branches/topic%2Fone")
        .expect(200)
        .json();
    assert_eq!(branch["commit"]["sha"], topic);
    let missing = octo
        .get("/repos/octo/demo/branches/nope")
        .expect(404)
        .json();
    assert_eq!(missing["message"], "Branch not found");
}

#[test]
fn refs_are_made_moved_and_deleted_over_the_api() {
    let world = World::start();
    let repo = world.checkout();
    let first = repo.head();
    let second = repo.commit_file("a.txt", "a\n", "Add a");
    repo.git(&["push", "--quiet", "origin", "main"]);
    let octo = world.client("octo");
    let refs = "/repos/octo/demo/git/refs";
    let made = octo
        .post(refs, &json!({"ref": "refs/heads/a/b", "sha": first}))
        .expect(201)
        .json();
    assert_eq!(
        made["object"],
        json!({"sha": first, "type": "commit", "url": made["object"]["url"]})
    );
    let message = |response: crate::world::Response| {
        response.expect(422).json()["message"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        message(octo.post(refs, &json!({"ref": "refs/heads/a/b", "sha": first}))),
        "Reference already exists"
    );
    assert_eq!(
        message(octo.post(refs, &json!({"ref": "refs/heads/c", "sha": "0".repeat(40)}))),
        "Object does not exist"
    );
    assert_eq!(
        message(octo.post(refs, &json!({"ref": "heads/c", "sha": first}))),
        "Reference name is not valid"
    );
    assert_eq!(
        message(octo.post(refs, &json!({"ref": "refs/heads/a", "sha": first}))),
        "Reference cannot be updated"
    );
    let one = "/repos/octo/demo/git/refs/heads/a/b";
    octo.patch(one, &json!({"sha": second})).expect(200);
    assert_eq!(
        message(octo.patch(one, &json!({"sha": first}))),
        "Update is not a fast forward"
    );
    octo.patch(one, &json!({"sha": first, "force": true}))
        .expect(200);
    assert_eq!(
        octo.get("/repos/octo/demo/git/ref/heads/a/b")
            .expect(200)
            .json()["object"]["sha"],
        first
    );
    let matching = octo
        .get("/repos/octo/demo/git/matching-refs/heads/a")
        .expect(200)
        .json();
    assert_eq!(matching.as_array().unwrap().len(), 1);
    world.client("guest").delete(one).expect(403);
    octo.delete(one).expect(204);
    octo.get("/repos/octo/demo/git/ref/heads/a/b").expect(404);
    octo.delete(one).expect(422);
}

#[test]
fn a_commit_is_made_from_blobs_and_trees() {
    let world = World::start();
    let repo = world.checkout();
    let head = repo.head();
    let octo = world.client("octo");
    let git = |path: &str, body: &Value| {
        octo.post(&format!("/repos/octo/demo/git/{path}"), body)
            .expect(201)
            .json()
    };
    let blob = git("blobs", &json!({"content": "aGkK\n", "encoding": "base64"}));
    let tree = git(
        "trees",
        &json!({
            "base_tree": head,
            "tree": [
                {"path": "docs/hi.txt", "mode": "100644", "type": "blob", "sha": blob["sha"]},
                {"path": "run.sh", "mode": "100755", "type": "blob", "content": "#!/bin/sh\n"},
                {"path": "README.md", "mode": "100644", "type": "blob", "sha": null},
            ],
        }),
    );
    let commit = git(
        "commits",
        &json!({"message": "Made", "tree": tree["sha"], "parents": [head]}),
    );
    assert_eq!(commit["author"]["name"], "octo");
    assert_eq!(commit["parents"][0]["sha"], head);
    octo.patch(
        "/repos/octo/demo/git/refs/heads/main",
        &json!({"sha": commit["sha"]}),
    )
    .expect(200);
    repo.git(&["pull", "--quiet", "origin", "main"]);
    assert_eq!(
        repo.git(&["ls-tree", "-r", "HEAD", "--format=%(objectmode) %(path)"]),
        "100644 docs/hi.txt\n100755 run.sh"
    );
    // The address that stands for the account is known as theirs.
    let shown = octo.get("/repos/octo/demo/commits/main").expect(200).json();
    assert_eq!(shown["author"]["login"], "octo");
    let listed = octo
        .get(&format!(
            "/repos/octo/demo/git/trees/{}?recursive=1",
            tree["sha"].as_str().unwrap()
        ))
        .expect(200)
        .json();
    let paths: Vec<_> = listed["tree"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["path"].clone())
        .collect();
    assert_eq!(paths, ["docs", "docs/hi.txt", "run.sh"]);
    let content = octo
        .get(&format!(
            "/repos/octo/demo/git/blobs/{}",
            blob["sha"].as_str().unwrap()
        ))
        .expect(200)
        .json();
    assert_eq!(content["content"], "aGkK");
    let bad = json!({"tree": [{"path": "../x", "content": "x"}]});
    octo.post("/repos/octo/demo/git/trees", &bad).expect(422);
    octo.post(
        "/repos/octo/demo/git/commits",
        &json!({"message": "x", "tree": head}),
    )
    .expect(422);
}

#[test]
fn files_are_read_written_and_removed() {
    let world = World::start();
    let octo = world.client("octo");
    let file = "/repos/octo/demo/contents/.github/CODEOWNERS";
    let new = json!({"message": "Add owners", "content": "KiBAb2N0bwo="});
    let made = octo.put(file, &new).expect(201).json();
    assert_eq!(made["content"]["path"], ".github/CODEOWNERS");
    assert_eq!(made["commit"]["message"], "Add owners");
    let read = octo.get(file).expect(200).json();
    assert_eq!(
        (&read["encoding"], &read["content"]),
        (&json!("base64"), &json!("KiBAb2N0bwo=\n"))
    );
    let raw = octo
        .clone()
        .header("Accept", "application/vnd.github.raw")
        .get(file)
        .expect(200);
    assert_eq!(raw.text(), "* @octo\n");
    let folder = octo
        .get("/repos/octo/demo/contents/.github")
        .expect(200)
        .json();
    assert_eq!(folder[0]["type"], "file");
    assert_eq!(
        octo.get("/repos/octo/demo/contents").expect(200).json()[0]["type"],
        "dir"
    );
    assert_eq!(
        octo.get("/repos/octo/demo/contents/").expect(200).json()[0]["name"],
        ".github"
    );

    octo.put(file, &new).expect(422);
    let stale = json!({"message": "Again", "content": "eA==", "sha": "0".repeat(40)});
    octo.put(file, &stale).expect(409);
    let sha = read["sha"].as_str().unwrap();
    octo.put(
        file,
        &json!({"message": "Again", "content": "eA==", "sha": sha}),
    )
    .expect(200);
    octo.put("/repos/octo/demo/contents/a/../b", &new)
        .expect(422);
    octo.put(
        "/repos/octo/demo/contents/x",
        &json!({"message": "x", "content": "*"}),
    )
    .expect(422);
    world
        .client("guest")
        .put("/repos/octo/demo/contents/x", &new)
        .expect(403);
    let now = octo.get(file).expect(200).json();
    let gone = json!({"message": "Remove", "sha": now["sha"]});
    let removed = octo
        .send("DELETE", file, Some(gone.to_string().as_bytes()))
        .expect(200)
        .json();
    assert_eq!(removed["content"], Value::Null);
    octo.get(file).expect(404);
    octo.get(&format!("{file}?ref=main~1")).expect(404);
}

#[test]
fn tags_name_the_commit_behind_them() {
    let world = World::start();
    let repo = world.checkout();
    repo.git(&["tag", "-a", "v1", "-m", "First"]);
    repo.git(&["tag", "v2"]);
    repo.git(&["push", "--quiet", "origin", "v1", "v2"]);
    let octo = world.client("octo");
    let tags = octo.get("/repos/octo/demo/tags").expect(200).json();
    assert_eq!(
        (&tags[1]["name"], &tags[1]["commit"]["sha"]),
        (&json!("v1"), &json!(repo.head()))
    );
    let annotated = octo
        .get("/repos/octo/demo/git/ref/tags/v1")
        .expect(200)
        .json();
    assert_eq!(annotated["object"]["type"], "tag");
    let url = annotated["object"]["url"].as_str().unwrap();
    let tag = octo.follow(url).expect(200).json();
    assert_eq!(
        (&tag["tag"], &tag["message"]),
        (&json!("v1"), &json!("First"))
    );
    assert_eq!(tag["object"]["sha"], json!(repo.head()));
    assert_eq!(
        octo.get("/repos/octo/demo/commits/v1").expect(200).json()["sha"],
        json!(repo.head())
    );
}
