//! What people see in a browser.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::world::{Client, Response, World};

/// Something of every kind, with a title, text, name or message that would do
/// harm if it were not escaped.
const EVIL: &str = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&";

fn browser(world: &World) -> Client {
    world
        .anonymous()
        .header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
}

fn page(world: &World, path: &str) -> Response {
    let answer = browser(world).get(path).expect(200);
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8"),
        "{path}"
    );
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    answer
}

/// A repository in which everything is hostile, and its pages.
fn hostile(world: &World) -> Vec<String> {
    let octo = world.client("octo");
    let change = json!({ "description": EVIL });
    octo.patch("/repos/octo/demo", &change).expect(200);
    let sha = hostile_code(world);

    let name = "<script>\"'&";
    let label = json!({ "name": name, "color": "ff0000" });
    octo.post("/repos/octo/demo/labels", &label).expect(201);
    let issue = json!({ "title": EVIL, "body": EVIL, "labels": [name], "assignees": ["octo"] });
    octo.post("/repos/octo/demo/issues", &issue).expect(201);
    let comment = json!({ "body": EVIL });
    octo.post("/repos/octo/demo/issues/1/comments", &comment)
        .expect(201);
    let rename = json!({ "title": format!("{EVIL}!") });
    octo.patch("/repos/octo/demo/issues/1", &rename).expect(200);

    let pull = json!({ "title": EVIL, "body": EVIL, "head": "evil/<script>", "base": "main" });
    octo.post("/repos/octo/demo/pulls", &pull).expect(201);
    let review = json!({
        "event": "REQUEST_CHANGES", "body": EVIL,
        "comments": [{ "path": "src/evil.rs", "line": 1, "side": "RIGHT", "body": EVIL }],
    });
    world
        .client("reviewer")
        .post("/repos/octo/demo/pulls/2/reviews", &review)
        .expect(200);
    let [check, run, job] = hostile_checks(world, &sha);

    let run_page = format!("/octo/demo/actions/runs/{run}");
    vec![
        "/".to_owned(),
        "/octo".to_owned(),
        "/octo/demo".to_owned(),
        format!("/octo/demo/commit/{sha}"),
        "/octo/demo/issues".to_owned(),
        "/octo/demo/issues/1".to_owned(),
        "/octo/demo/pulls".to_owned(),
        "/octo/demo/pull/2".to_owned(),
        "/octo/demo/pull/2/commits".to_owned(),
        "/octo/demo/pull/2/checks".to_owned(),
        "/octo/demo/pull/2/files".to_owned(),
        "/octo/demo/actions".to_owned(),
        format!("{run_page}/job/{job}"),
        run_page,
        format!("/octo/demo/runs/{check}"),
    ]
}

/// Pushes hostile files; the commit that a pull request can be made of.
fn hostile_code(world: &World) -> String {
    let repo = world.checkout();
    repo.commit_file(
        "README.md",
        format!("# {EVIL}\n\n[x](javascript:alert(1))\n"),
        EVIL,
    );
    repo.commit_file("docs/<b>bold.md", EVIL, "A file with markup in its name");
    repo.git(&["push", "--quiet", "origin", "main"]);
    repo.git(&["checkout", "--quiet", "-b", "evil/<script>"]);
    repo.commit_file(
        "src/evil.rs",
        format!("// {EVIL}\n// \u{202e}reversed\n"),
        EVIL,
    );
    repo.git(&["push", "--quiet", "origin", "evil/<script>"]);
    repo.git(&["rev-parse", "HEAD"]).trim().to_owned()
}

/// Hostile checks of a commit; the numbers of the check run, the workflow run
/// and its job.
fn hostile_checks(world: &World, sha: &str) -> [Value; 3] {
    let octo = world.client("octo");
    let status = json!({
        "state": "failure", "context": EVIL, "description": EVIL,
        "target_url": "https://ci.example/<script>",
    });
    octo.post(&format!("/repos/octo/demo/statuses/{sha}"), &status)
        .expect(201);
    let output = json!({
        "title": EVIL, "summary": EVIL, "text": EVIL,
        "annotations": [{
            "path": EVIL, "start_line": 1, "end_line": 1, "annotation_level": "failure",
            "message": EVIL, "title": EVIL,
        }],
    });
    let run = json!({
        "name": EVIL, "head_sha": sha, "status": "completed", "conclusion": "failure",
        "details_url": "javascript:alert(1)", "output": output,
    });
    let run = world
        .client("ci-bot")
        .post("/repos/octo/demo/check-runs", &run);
    let run = run.expect(201).json();
    let workflow = json!({
        "workflow": EVIL, "head_sha": sha, "head_branch": "evil/<script>", "display_title": EVIL,
        "jobs": [{ "name": EVIL }],
    });
    let fed = "/_forge/repos/octo/demo/actions";
    let fed_run = octo
        .post(&format!("{fed}/runs"), &workflow)
        .expect(201)
        .json();
    let jobs = octo.get(&format!(
        "/repos/octo/demo/actions/runs/{}/jobs",
        fed_run["id"]
    ));
    let job = jobs.expect(200).json()["jobs"][0]["id"].clone();
    let steps = json!({
        "status": "in_progress",
        "steps": [{ "number": 1, "name": EVIL, "status": "in_progress" }],
    });
    octo.patch(&format!("{fed}/jobs/{job}"), &steps).expect(200);
    let log = format!("2026-01-31T12:00:00.0000000Z {EVIL}\n##[error]{EVIL}\n");
    octo.send(
        "POST",
        &format!("{fed}/jobs/{job}/logs?step=1"),
        Some(log.as_bytes()),
    );
    [run["id"].clone(), fed_run["id"].clone(), job]
}

#[test]
fn nothing_of_a_stranger_becomes_markup() {
    let world = World::start();
    let mut escaped = 0;
    for path in hostile(&world) {
        let markup = page(&world, &path).text();
        for bad in [
            "<script",
            "<img src=x",
            "<b>bold",
            "href=\"javascript",
            "\u{202e}",
        ] {
            assert!(!markup.contains(bad), "{bad} in {path}:\n{markup}");
        }
        assert_eq!(markup.matches("<main").count(), 1, "{path}");
        escaped += markup.matches("&lt;script").count() + markup.matches("&#60;script").count();
    }
    // It is there to be read, all the same.
    assert!(escaped > 40, "{escaped}");
}

#[test]
fn pages_lead_to_one_another() {
    let world = World::start();
    let mut left: Vec<String> = vec!["/".to_owned()];
    hostile(&world);
    let mut seen = std::collections::BTreeSet::new();
    while let Some(path) = left.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let answer = browser(&world).get(&path);
        // Signing in asks for a password; old names and numbers lead on.
        assert!(
            matches!(answer.status, 200 | 301 | 303) || path == "/login",
            "{path}: {}",
            answer.status
        );
        let markup = answer.text();
        let links = markup.split("href=\"").skip(1);
        let links = links.filter_map(|rest| rest.split('"').next());
        for link in links.filter(|link| link.starts_with('/')) {
            let link = link.split('#').next().unwrap_or_default();
            left.push(link.replace("&amp;", "&").replace("&#38;", "&"));
        }
    }
    assert!(seen.len() > 20, "{seen:?}");
}

#[test]
fn a_conversation_is_told_in_order() {
    let world = World::start();
    hostile(&world);
    let markup = page(&world, "/octo/demo/pull/2").text();
    let text = without_markup(&markup);
    assert!(text.contains("reviewer requested changes"), "{text}");
    assert!(text.contains("src/evil.rs:1"), "{text}");
    let files = without_markup(&page(&world, "/octo/demo/pull/2/files").text());
    assert!(files.contains("1 file changed, +2 −0"), "{files}");
}

#[test]
fn private_repositories_are_for_those_who_sign_in() {
    let world = World::start();
    let octo = world.client("octo");
    octo.patch("/repos/octo/demo", &json!({ "private": true }))
        .expect(200);
    assert!(!page(&world, "/").text().contains("demo"));
    let anonymous = browser(&world).get("/octo/demo").expect(404);
    insta::assert_snapshot!(without_markup(&anonymous.text()), @"404 There is nothing here It may have been removed, or you may not be allowed to see it. Signing in may help. All repositories · Sign in");

    let asked = browser(&world).get("/login").expect(401);
    assert!(
        asked
            .header("www-authenticate")
            .unwrap()
            .starts_with("Basic ")
    );
    let token = world.token("octo", &["repo"]);
    let signed = |token: &str| {
        let given = STANDARD.encode(format!("octo:{token}"));
        browser(&world).header("Authorization", &format!("Basic {given}"))
    };
    let shown = signed(&token).get("/octo/demo").expect(200).text();
    assert!(shown.contains(">private<"), "{shown}");
    assert_eq!(
        signed(&token).get("/login").expect(303).header("location"),
        Some("/")
    );
    // A browser that is told so asks again.
    let wrong = signed("nonsense").get("/octo/demo").expect(401);
    assert!(wrong.header("www-authenticate").is_some());
}

#[test]
fn old_names_and_numbers_lead_on() {
    let world = World::start();
    hostile(&world);
    let octo = world.client("octo");
    octo.patch("/repos/octo/demo", &json!({ "name": "weather" }))
        .expect(200);
    for (from, to) in [
        ("/octo/demo/issues", "/octo/weather"),
        ("/octo/weather.git", "/octo/weather"),
        ("/octo/weather/issues/2", "/octo/weather/pull/2"),
        ("/octo/weather/pull/1", "/octo/weather/issues/1"),
    ] {
        let answer = browser(&world).get(from).expect(301);
        assert_eq!(answer.header("location"), Some(to), "{from}");
    }
    for nowhere in [
        "/octo/weather/issues/99",
        "/octo/weather/pull/99",
        "/octo/weather/commit/0000000000000000000000000000000000000000",
        "/octo/weather/actions/runs/99",
        "/octo/nothing",
        "/stranger",
        "/a/b/c/d/e/f",
    ] {
        browser(&world).get(nowhere).expect(404);
    }
}

#[test]
fn an_empty_repository_says_what_to_do() {
    let world = World::start();
    let text = without_markup(&page(&world, "/octo/demo").text());
    assert!(text.contains("This repository is empty"), "{text}");
    assert!(
        text.contains(&format!("http://{}/octo/demo.git", world.address)),
        "{text}"
    );
}

#[test]
fn the_style_sheet_may_be_kept() {
    let world = World::start();
    let markup = page(&world, "/").text();
    let (_, rest) = markup.split_once("rel=\"stylesheet\" href=\"").unwrap();
    let address = rest.split('"').next().unwrap();
    let sheet = browser(&world).get(address).expect(200);
    assert_eq!(
        sheet.header("content-type"),
        Some("text/css; charset=utf-8")
    );
    assert!(sheet.header("cache-control").unwrap().contains("immutable"));
    let picture = browser(&world).get("/avatars/%3Cscript%3E").expect(200);
    assert_eq!(picture.header("content-type"), Some("image/svg+xml"));
    assert!(!picture.text().contains("<script"));
}

/// What is left to read.
fn without_markup(markup: &str) -> String {
    let body = markup.split_once("<main").map_or(markup, |(_, body)| body);
    let mut text = String::new();
    let mut is_tag = true;
    for c in body.chars() {
        match c {
            '<' => is_tag = true,
            '>' => is_tag = false,
            c if !is_tag => text.push(c),
            _ => {}
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The addresses that a pull request itself names.
#[test]
fn a_pull_request_can_be_had_as_text() {
    let world = World::start();
    let repo = world.checkout();
    repo.git(&["checkout", "--quiet", "-b", "topic"]);
    repo.commit_file("a.txt", "one\n", "Add a file");
    repo.git(&["push", "--quiet", "origin", "topic"]);
    let octo = world.client("octo");
    let pull = json!({ "title": "Add a file", "head": "topic", "base": "main" });
    octo.post("/repos/octo/demo/pulls", &pull).expect(201);
    let browser = browser(&world);
    let diff = browser.get("/octo/demo/pull/1.diff").expect(200);
    insta::assert_snapshot!(diff.text(), @"
    diff --git a/a.txt b/a.txt
    new file mode 100644
    index 0000000..5626abf
    --- /dev/null
    +++ b/a.txt
    @@ -0,0 +1 @@
    +one
    ");
    let patch = browser.get("/octo/demo/pull/1.patch").expect(200).text();
    assert!(patch.contains("Subject: [PATCH] Add a file"), "{patch}");
    for nothing in [
        "pull/1.exe",
        "pull/one",
        "pull/99999999999999999999",
        "issues/x",
    ] {
        browser.get(&format!("/octo/demo/{nothing}")).expect(404);
    }
}
