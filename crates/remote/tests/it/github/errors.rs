//! The messages when GitHub refuses.

use baton_remote::github::{Auth, GitHubError, GitHubErrorKind};
use serde_json::{Value, json};

use super::server::{Answer, Scripted};
use super::{client, client_with, pull, report, repository};

const PULL: &str = "GET /repos/octo/app/pulls/12";

/// The message when reading a pull request gets this response, in a repository
/// that can be seen.
async fn refused(answer: Answer) -> String {
    let server = Scripted::start().await;
    server.on(PULL, answer);
    server.on_json("GET /repos/octo/app", &json!({ "full_name": "octo/app" }));
    let error = read_pull(&server).await;
    report(&error, &server)
}

async fn read_pull(server: &Scripted) -> GitHubError {
    let github = client(server);
    github.pull_request(&repository(), 12).await.unwrap_err()
}

fn message(text: &str) -> Value {
    json!({ "message": text, "documentation_url": "https://docs.github.com" })
}

#[tokio::test]
async fn not_found_in_a_repository_that_can_be_seen() {
    insta::assert_snapshot!(refused(Answer::json(404, &message("Not Found"))).await, @r"
    cannot read pull request octo/app#12: it was not found
    Check the name or number of pull request octo/app#12; the token may also lack the permission to see it.
    [user]
    ");
}

#[tokio::test]
async fn not_found_with_a_repository_that_cannot_be_seen() {
    let server = Scripted::start().await;
    server.on(PULL, Answer::json(404, &message("Not Found")));
    server.on(
        "GET /repos/octo/app",
        Answer::json(404, &message("Not Found")),
    );
    let error = read_pull(&server).await;
    insta::assert_snapshot!(report(&error, &server), @r"
    cannot read pull request octo/app#12: there is no repository octo/app, or this token may not see it
    Check the spelling of the repository; if it is private, give the token access to it (scope `repo`, or the repository in a fine-grained token's list).
    [user]
    ");
}

#[tokio::test]
async fn a_hidden_repository_and_a_token_without_the_scope() {
    let server = Scripted::start().await;
    let hidden = Answer::json(404, &message("Not Found"))
        .header("x-oauth-scopes", "gist")
        .header("x-accepted-oauth-scopes", "repo");
    server.otherwise(hidden);
    let error = read_pull(&server).await;
    insta::assert_snapshot!(report(&error, &server), @r"
    cannot read pull request octo/app#12: there is no repository octo/app, or this token may not see it
    Check the spelling of the repository; if it is private, the token needs the scope repo: run `gh auth refresh --scopes repo`.
    [user]
    ");
}

#[tokio::test]
async fn a_change_in_a_renamed_repository() {
    let server = Scripted::start().await;
    let target = format!("{}/repositories/77/issues/12/comments", server.api_url());
    server.on(
        "POST /repos/octo/app/issues/12/comments",
        Answer::json(307, &message("Temporary Redirect")).header("location", target),
    );
    server.on_json("GET /repos/octo/app", &json!({ "full_name": "octo/house" }));
    let github = client(&server);
    let error = github
        .create_issue_comment(&repository(), 12, "hello")
        .await
        .unwrap_err();
    insta::assert_snapshot!(report(&error, &server), @r"
    cannot comment on octo/app#12: the repository octo/app has another name now, octo/house
    Use its new name, octo/house; `git remote set-url` does so for a checkout.
    [user]
    ");
}

#[tokio::test]
async fn a_repository_is_looked_for_once() {
    let server = Scripted::start().await;
    server.on_json("GET /repos/octo/app/pulls/1", &pull(1));
    server.on(PULL, Answer::json(404, &message("Not Found")));
    let github = client(&server);
    github.pull_request(&repository(), 1).await.unwrap();
    let error = github.pull_request(&repository(), 12).await.unwrap_err();
    assert!(
        matches!(error.kind(), GitHubErrorKind::NotFound { .. }),
        "{error}"
    );
    assert_eq!(
        server.targets(),
        [
            "GET /api/v3/repos/octo/app/pulls/1",
            "GET /api/v3/repos/octo/app/pulls/12"
        ]
    );
}

#[tokio::test]
async fn a_token_that_is_not_accepted() {
    insta::assert_snapshot!(refused(Answer::json(401, &message("Bad credentials"))).await, @r"
    cannot read pull request octo/app#12: GitHub does not accept the token (Bad credentials)
    The token is wrong, expired or revoked: make a new one, or log in again with `gh auth login`.
    [user]
    ");
}

#[tokio::test]
async fn no_token_at_all() {
    let server = Scripted::start().await;
    server.on(PULL, Answer::json(401, &message("Requires authentication")));
    let github = client_with(&server, Auth::Anonymous);
    let error = github.pull_request(&repository(), 12).await.unwrap_err();
    insta::assert_snapshot!(report(&error, &server), @r"
    cannot read pull request octo/app#12: GitHub answers only those who log in
    Log in with `gh auth login`, or give a token in GH_TOKEN.
    [user]
    ");
}

#[tokio::test]
async fn a_token_without_the_scope() {
    let answer = Answer::json(403, &message("Must have admin rights to Repository."))
        .header("x-oauth-scopes", "gist, read:org")
        .header("x-accepted-oauth-scopes", "public_repo, repo");
    insta::assert_snapshot!(refused(answer).await, @r"
    cannot read pull request octo/app#12: the token lacks the scope public_repo or repo
    Run `gh auth refresh --scopes public_repo`, or add the scope to the token; it has gist, read:org.
    [user]
    ");
}

#[tokio::test]
async fn a_wider_scope_contains_the_narrow_one() {
    let answer = Answer::json(403, &message("Must have push access."))
        .header("x-oauth-scopes", "repo")
        .header("x-accepted-oauth-scopes", "public_repo");
    insta::assert_snapshot!(refused(answer).await, @r"
    cannot read pull request octo/app#12: the token may not do this: Must have push access.
    Give the token more permissions, or ask a user who has them.
    [user]
    ");
}

#[tokio::test]
async fn a_fine_grained_token_without_the_permission() {
    let answer = Answer::json(
        403,
        &message("Resource not accessible by personal access token"),
    )
    .header(
        "x-accepted-github-permissions",
        "pull_requests=read; contents=read",
    );
    insta::assert_snapshot!(refused(answer).await, @r"
    cannot read pull request octo/app#12: the token may not do this: Resource not accessible by personal access token
    Give the token the permission pull_requests=read; contents=read, or ask a user who has it.
    [user]
    ");
}

#[tokio::test]
async fn single_sign_on() {
    let answer = Answer::json(
        403,
        &message("Resource protected by organization SAML enforcement."),
    )
    .header(
        "x-github-sso",
        "required; url=https://github.com/orgs/octo/sso?authorization_request=AZSCKL",
    );
    insta::assert_snapshot!(refused(answer).await, @r"
    cannot read pull request octo/app#12: the organisation wants single sign-on for this token
    Open https://github.com/orgs/octo/sso?authorization_request=AZSCKL and allow the token there.
    [user]
    ");
}

#[tokio::test]
async fn a_blocked_repository() {
    let body = json!({
        "message": "Repository access blocked",
        "block": {
            "reason": "dmca",
            "created_at": "2031-05-06T07:08:09Z",
            "html_url": "https://github.com/github/dmca"
        }
    });
    insta::assert_snapshot!(refused(Answer::json(451, &body)).await, @r"
    cannot read pull request octo/app#12: GitHub has blocked the repository: Repository access blocked (dmca)
    Read https://github.com/github/dmca; only the owner and GitHub's support can undo it.
    [api]
    ");
    let body = json!({ "message": "Repository access blocked", "block": { "reason": "tos" } });
    insta::assert_snapshot!(refused(Answer::json(403, &body)).await, @r"
    cannot read pull request octo/app#12: GitHub has blocked the repository: Repository access blocked (tos)
    Only the owner and GitHub's support can undo it.
    [api]
    ");
}

#[tokio::test]
async fn an_archived_repository() {
    let answer = Answer::json(403, &message("Repository was archived so is read-only."));
    insta::assert_snapshot!(refused(answer).await, @r"
    cannot read pull request octo/app#12: the repository is archived and can only be read
    Ask the owner to unarchive it, or work in a fork.
    [logical]
    ");
}

#[tokio::test]
async fn what_is_not_valid_is_listed() {
    let body = json!({
        "message": "Validation Failed",
        "errors": [
            { "resource": "PullRequest", "code": "custom", "message": "No commits between main and door" },
            { "resource": "PullRequest", "code": "missing_field", "field": "head" },
            { "resource": "PullRequest", "code": "invalid", "field": "base" },
            { "resource": "Label", "code": "already_exists", "field": "name" },
            { "resource": "Milestone", "code": "missing", "field": "id" },
            { "code": "unprocessable" },
            "head sha can't be blank"
        ]
    });
    insta::assert_snapshot!(refused(Answer::json(422, &body)).await, @r"
    cannot read pull request octo/app#12: GitHub refuses: Validation Failed: No commits between main and door; PullRequest needs head; base of PullRequest is not valid; another Label has this name; Milestone does not exist; it: unprocessable; head sha can't be blank
    Change what was asked as GitHub says.
    [logical]
    ");
    let body = json!({ "message": "Bad request", "errors": "Only one of both" });
    insta::assert_snapshot!(refused(Answer::json(400, &body)).await, @r"
    cannot read pull request octo/app#12: GitHub refuses: Bad request: Only one of both
    Change what was asked as GitHub says.
    [logical]
    ");
}

#[tokio::test]
async fn gone_for_good() {
    let answer = Answer::json(410, &message("Issues are disabled for this repo"));
    insta::assert_snapshot!(refused(answer).await, @r"
    cannot read pull request octo/app#12: it is gone: Issues are disabled for this repo
    Nothing can bring it back; make it again if it is needed.
    [logical]
    ");
}

#[tokio::test]
async fn rate_limits_report_their_end() {
    let primary = Answer::json(403, &message("API rate limit exceeded for user ID 1."))
        .header("x-ratelimit-limit", "5000")
        .header("x-ratelimit-remaining", "0")
        .header("x-ratelimit-reset", "1935824289")
        .header("x-ratelimit-resource", "core");
    insta::assert_snapshot!(refused(primary).await, @r"
    cannot read pull request octo/app#12: the quota `core` is used up; it may be asked again in 110 min
    Wait as long as it says, or use a token with a larger quota.
    [api]
    ");
    let secondary = Answer::json(403, &message("You have exceeded a secondary rate limit."))
        .header("x-ratelimit-remaining", "4000")
        .header("retry-after", "60");
    insta::assert_snapshot!(refused(secondary).await, @r"
    cannot read pull request octo/app#12: the server wants fewer requests (secondary rate limit); it may be asked again in 60 s
    Wait as long as it says, or use a token with a larger quota.
    [api]
    ");
}

#[tokio::test]
async fn errors_of_the_server() {
    let answer = Answer::json(502, &message("Server Error"));
    insta::assert_snapshot!(refused(answer).await, @r"
    cannot read pull request octo/app#12: GET http://HOST/api/v3/repos/octo/app/pulls/12: the server answered 502 Bad Gateway: Server Error
    Try again later; the server's status page may say more.
    [api]
    ");
    let page = "<!DOCTYPE html><html><title>Unicorn!</title></html>";
    insta::assert_snapshot!(refused(Answer::text(200, "text/html", page)).await, @r"
    cannot read pull request octo/app#12: GET http://HOST/api/v3/repos/octo/app/pulls/12: an HTML page came instead of JSON; it begins: <!DOCTYPE html><html><title>Unicorn!</title></html>
    Check the configured URL, and for a proxy or a login page on the way.
    [api]
    ");
    insta::assert_snapshot!(refused(Answer::text(200, "application/json", "{\"number\": 12, ")).await, @r"
    cannot read pull request octo/app#12: GET http://HOST/api/v3/repos/octo/app/pulls/12: the answer is not the JSON that was expected: EOF while parsing a value at line 1, column 15
    Check that the server is of a supported version.
    [api]
    ");
    insta::assert_snapshot!(refused(Answer::json(200, &json!({ "number": 12 }))).await, @r"
    cannot read pull request octo/app#12: GET http://HOST/api/v3/repos/octo/app/pulls/12: the answer is not the JSON that was expected: missing field `node_id` at line 1, column 13
    Check that the server is of a supported version.
    [api]
    ");
}

#[tokio::test]
async fn names_from_anywhere_reach_no_terminal() {
    let server = Scripted::start().await;
    server.on_json("GET /repos/octo/app", &json!({ "full_name": "octo/app" }));
    let branch = "a\u{1b}[31mred\u{202e}b\nc";
    let route = "GET /repos/octo/app/branches/a%1B%5B31mred%E2%80%AEb%0Ac";
    server.on(
        route,
        Answer::json(404, &message("Branch \u{1b}[0m not found")),
    );
    let github = client(&server);
    let error = github.branch(&repository(), branch).await.unwrap_err();
    insta::assert_snapshot!(report(&error, &server), @r"
    cannot read branch 'a\u{1b}[31mred\u{202e}b c' of octo/app: it was not found
    Check the name or number of branch 'a\u{1b}[31mred\u{202e}b c' of octo/app; the token may also lack the permission to see it.
    [user]
    ");
}

#[tokio::test]
async fn names_that_would_lead_elsewhere_are_not_sent() {
    let server = Scripted::start().await;
    let github = client(&server);
    let error = github.branch(&repository(), "..").await.unwrap_err();
    insta::assert_snapshot!(report(&error, &server), @r"
    cannot read branch '..' of octo/app: GET http://HOST/api/v3/repos/{owner}/{repo}/branches/{branch}: cannot be sent: branch is a dot segment, which would name another path
    Check the names that were given.
    [user]
    ");
    let error = github.commit(&repository(), "").await.unwrap_err();
    insta::assert_snapshot!(report(&error, &server), @r"
    cannot read commit '' of octo/app: GET http://HOST/api/v3/repos/{owner}/{repo}/commits/{ref}: cannot be sent: ref is empty
    Check the names that were given.
    [user]
    ");
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn the_token_is_in_no_message() {
    let server = Scripted::start().await;
    server.on(
        PULL,
        Answer::json(401, &message("Bad credentials: token-of-octo")),
    );
    let error = read_pull(&server).await;
    let shown = format!("{error} {error:?} {}", error.hint());
    assert!(!shown.contains("token-of-octo"), "{shown}");
}

/// The message when the checks of a pull request get this response.
async fn graphql_refused(errors: &Value) -> String {
    let server = Scripted::start().await;
    let body = json!({ "data": { "repository": null }, "errors": errors });
    server.on_graphql("PullRequestChecks", Answer::json(200, &body));
    let github = client(&server);
    let error = github
        .pull_request_checks(&repository(), 12)
        .await
        .unwrap_err();
    report(&error, &server)
}

#[tokio::test]
async fn graphql_names_its_problems() {
    let not_found = |path: Value, message: &str| json!([{ "type": "NOT_FOUND", "path": path, "message": message }]);
    let hidden = not_found(
        json!(["repository"]),
        "Could not resolve to a Repository with the name 'octo/app'.",
    );
    insta::assert_snapshot!(graphql_refused(&hidden).await, @r"
    cannot read the checks of pull request octo/app#12: there is no repository octo/app, or this token may not see it
    Check the spelling of the repository; if it is private, give the token access to it (scope `repo`, or the repository in a fine-grained token's list).
    [user]
    ");
    let missing = not_found(
        json!(["repository", "pullRequest"]),
        "Could not resolve to a PullRequest with the number of 12.",
    );
    insta::assert_snapshot!(graphql_refused(&missing).await, @r"
    cannot read the checks of pull request octo/app#12: it was not found
    Check the name or number of pull request octo/app#12; the token may also lack the permission to see it.
    [user]
    ");
    let saml = json!([{ "type": "FORBIDDEN", "path": ["repository"], "extensions": { "saml_failure": true }, "message": "Resource protected by organization SAML enforcement." }]);
    insta::assert_snapshot!(graphql_refused(&saml).await, @r"
    cannot read the checks of pull request octo/app#12: the organisation wants single sign-on for this token
    Allow the token for the organisation: GitHub settings, Developer settings, tokens, Configure SSO.
    [user]
    ");
    let forbidden = json!([{ "type": "FORBIDDEN", "path": ["repository"], "message": "Resource not accessible by integration" }]);
    insta::assert_snapshot!(graphql_refused(&forbidden).await, @r"
    cannot read the checks of pull request octo/app#12: the token may not do this: Resource not accessible by integration
    Give the token more permissions, or ask a user who has them.
    [user]
    ");
    let old = json!([{ "message": "Field 'isInMergeQueue' doesn't exist on type 'PullRequest'", "extensions": { "code": "undefinedField" } }]);
    insta::assert_snapshot!(graphql_refused(&old).await, @r"
    cannot read the checks of pull request octo/app#12: the server does not know what was asked for: Field 'isInMergeQueue' doesn't exist on type 'PullRequest'
    The server is too old for this: update GitHub Enterprise Server.
    [api]
    ");
    let nodes = json!([{ "type": "MAX_NODE_LIMIT_EXCEEDED", "message": "This query requests up to 1,000,000 possible nodes" }]);
    insta::assert_snapshot!(graphql_refused(&nodes).await, @r"
    cannot read the checks of pull request octo/app#12: the answer would be too large for GitHub: This query requests up to 1,000,000 possible nodes
    Ask for less at a time.
    [api]
    ");
    let broken = json!([{ "message": "Something went wrong while executing your query." }]);
    insta::assert_snapshot!(graphql_refused(&broken).await, @r"
    cannot read the checks of pull request octo/app#12: something broke at GitHub: Something went wrong while executing your query.
    Try again; if it stays so, look at https://www.githubstatus.com.
    [api]
    ");
    insta::assert_snapshot!(graphql_refused(&json!([])).await, @r"
    cannot read the checks of pull request octo/app#12: the answer is not what was expected: invalid type: null, expected struct OnePull
    Check that the server is GitHub and of a supported version.
    [api]
    ");
}

#[tokio::test]
async fn graphql_reports_its_rate_limit_in_a_successful_response() {
    let limited =
        json!([{ "type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1." }]);
    insta::assert_snapshot!(graphql_refused(&limited).await, @r"
    cannot read the checks of pull request octo/app#12: the quota `graphql` is used up
    Wait as long as it says, or use a token with a larger quota.
    [api]
    ");
}
