use serde_json::json;

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
fn refs_are_found_and_deleted_over_the_api() {
    let world = World::start();
    let repo = world.checkout();
    repo.git(&["push", "--quiet", "origin", "main:refs/heads/a/b"]);
    let octo = world.client("octo");
    let found = octo.get("/repos/octo/demo/git/ref/heads/a/b").expect(200);
    let object = found.json()["object"].take();
    assert_eq!(
        object,
        json!({"sha": repo.head(), "type": "commit", "url": object["url"]})
    );
    let matching = octo
        .get("/repos/octo/demo/git/matching-refs/heads/a")
        .expect(200)
        .json();
    assert_eq!(matching.as_array().unwrap().len(), 1);
    let one = "/repos/octo/demo/git/refs/heads/a/b";
    world.client("guest").delete(one).expect(403);
    octo.delete(one).expect(204);
    octo.get("/repos/octo/demo/git/ref/heads/a/b").expect(404);
    octo.delete(one).expect(422);
}

#[test]
fn files_and_folders_are_read() {
    let world = World::start();
    let repo = world.checkout();
    repo.commit_file(".github/CODEOWNERS", "* @octo\n", "Add owners");
    repo.git(&["push", "--quiet", "origin", "main"]);
    let octo = world.client("octo");
    let file = "/repos/octo/demo/contents/.github/CODEOWNERS";
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
    for root in ["/repos/octo/demo/contents", "/repos/octo/demo/contents/"] {
        let entries = octo.get(root).expect(200).json();
        assert_eq!(
            (&entries[0]["type"], &entries[0]["name"]),
            (&json!("dir"), &json!(".github"))
        );
    }
    octo.get("/repos/octo/demo/contents/nothing").expect(404);
    octo.get(&format!("{file}?ref=main~1")).expect(404);
}

#[test]
fn tags_name_the_commit_behind_them() {
    let world = World::start();
    let repo = world.checkout();
    repo.git(&["tag", "-a", "v1", "-m", "First"]);
    repo.git(&["push", "--quiet", "origin", "v1"]);
    let octo = world.client("octo");
    let annotated = octo
        .get("/repos/octo/demo/git/ref/tags/v1")
        .expect(200)
        .json();
    assert_eq!(annotated["object"]["type"], "tag");
    assert_eq!(
        octo.get("/repos/octo/demo/commits/v1").expect(200).json()["sha"],
        json!(repo.head())
    );
}
