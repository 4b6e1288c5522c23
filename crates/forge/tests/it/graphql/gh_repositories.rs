//! `gh repo`, `gh label`, `gh auth`, `gh search` and `gh api`.

use serde_json::json;

use crate::gh::{Gh, world_with_gh};

#[test]
fn repositories_are_shown_listed_and_made() {
    let Some(world) = world_with_gh() else { return };
    let repo = crate::gh::checkout(&world);
    let gh = Gh::new(&world, "octo", repo.path());

    let shown = gh.succeeds(&["repo", "view"]);
    assert!(shown.starts_with("name:\tocto/demo\n"), "{shown}");
    assert!(shown.contains("# Demo"), "{shown}");
    let fields = "name,nameWithOwner,owner,defaultBranchRef,url,isFork,isPrivate,\
                  viewerPermission,mergeCommitAllowed,squashMergeAllowed,rebaseMergeAllowed,\
                  deleteBranchOnMerge,hasIssuesEnabled,isArchived,isEmpty,forkCount,parent";
    let shown = gh.json(&["repo", "view", "octo/demo", "--json", fields]);
    assert_eq!(shown["nameWithOwner"], "octo/demo");
    assert_eq!(shown["defaultBranchRef"]["name"], "main");
    assert_eq!(shown["url"], "http://github.localhost/octo/demo");
    assert_eq!(shown["viewerPermission"], "ADMIN");
    assert_eq!(shown["isEmpty"], false);

    gh.succeeds(&[
        "repo",
        "create",
        "octo/newone",
        "--private",
        "--description",
        "New",
    ]);
    let list = gh.json(&["repo", "list", "--json", "name,isPrivate"]);
    assert_eq!(
        list,
        json!([
            { "name": "demo", "isPrivate": false },
            { "name": "newone", "isPrivate": true },
        ])
    );
    let list = gh.json(&[
        "repo",
        "list",
        "octo",
        "--visibility",
        "private",
        "--json",
        "name",
    ]);
    assert_eq!(list, json!([{ "name": "newone" }]));
    let complaint = Gh::new(&world, "guest", repo.path()).fails(&["repo", "view", "octo/newone"]);
    assert!(
        complaint.contains("Could not resolve to a Repository with the name 'octo/newone'."),
        "{complaint}"
    );

    gh.succeeds(&["repo", "archive", "octo/newone", "--yes"]);
    let shown = gh.json(&["repo", "view", "octo/newone", "--json", "isArchived"]);
    assert_eq!(shown, json!({ "isArchived": true }));
    gh.succeeds(&["repo", "clone", "octo/demo", "cloned"]);
    assert!(repo.path().join("cloned/README.md").is_file());
}

#[test]
fn who_asks_and_what_is_there() {
    let Some(world) = world_with_gh() else { return };
    let repo = crate::gh::checkout(&world);
    let gh = Gh::new(&world, "octo", repo.path());

    let status = gh.run(&["auth", "status", "--hostname", "github.localhost"]);
    assert_eq!(status.code, Some(0), "{}", status.stderr);
    assert!(
        status
            .stderr
            .contains("Logged in to github.localhost as octo"),
        "{}",
        status.stderr
    );

    gh.succeeds(&[
        "label",
        "create",
        "odd",
        "--color",
        "ff0000",
        "--description",
        "Strange",
    ]);
    let labels = gh.json(&[
        "label",
        "list",
        "--search",
        "odd",
        "--json",
        "name,color,description",
    ]);
    assert_eq!(
        labels,
        json!([{ "name": "odd", "color": "ff0000", "description": "Strange" }])
    );

    gh.succeeds(&["pr", "create", "--title", "Find me", "--body", ""]);
    let found = gh.json(&["search", "prs", "find", "--json", "title"]);
    assert_eq!(found, json!([{ "title": "Find me" }]));

    let query = "query=query($owner:String!,$repo:String!,$endCursor:String){\
                 repository(owner:$owner,name:$repo){labels(first:4,after:$endCursor){\
                 nodes{name} pageInfo{hasNextPage endCursor}}}}";
    let printed = gh.succeeds(&[
        "api",
        "graphql",
        "--paginate",
        "-F",
        "owner={owner}",
        "-F",
        "repo={repo}",
        "-f",
        query,
        "--jq",
        ".data.repository.labels.nodes[].name",
    ]);
    assert_eq!(
        printed.lines().collect::<Vec<_>>(),
        [
            "bug",
            "documentation",
            "duplicate",
            "enhancement",
            "good first issue",
            "help wanted",
            "invalid",
            "question",
            "wontfix",
            "odd",
        ]
    );
    let complaint = gh.fails(&["api", "graphql", "-f", "query={ viewer { shoeSize } }"]);
    assert!(
        complaint.contains("Field 'shoeSize' doesn't exist on type 'User'"),
        "{complaint}"
    );
}
