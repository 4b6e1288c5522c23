use serde_json::{Map, Value, json};

use super::users;
use crate::node_id::{Kind, node_id};
use crate::store::repositories::Repository;
use crate::urls::Urls;

/// Addresses that follow from that of the repository.
const ADDRESSES: &[(&str, &str)] = &[
    ("archive_url", "/{archive_format}{/ref}"),
    ("assignees_url", "/assignees{/user}"),
    ("blobs_url", "/git/blobs{/sha}"),
    ("branches_url", "/branches{/branch}"),
    ("collaborators_url", "/collaborators{/collaborator}"),
    ("comments_url", "/comments{/number}"),
    ("commits_url", "/commits{/sha}"),
    ("compare_url", "/compare/{base}...{head}"),
    ("contents_url", "/contents/{+path}"),
    ("contributors_url", "/contributors"),
    ("deployments_url", "/deployments"),
    ("downloads_url", "/downloads"),
    ("events_url", "/events"),
    ("forks_url", "/forks"),
    ("git_commits_url", "/git/commits{/sha}"),
    ("git_refs_url", "/git/refs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"),
    ("hooks_url", "/hooks"),
    ("issue_comment_url", "/issues/comments{/number}"),
    ("issue_events_url", "/issues/events{/number}"),
    ("issues_url", "/issues{/number}"),
    ("keys_url", "/keys{/key_id}"),
    ("labels_url", "/labels{/name}"),
    ("languages_url", "/languages"),
    ("merges_url", "/merges"),
    ("milestones_url", "/milestones{/number}"),
    (
        "notifications_url",
        "/notifications{?since,all,participating}",
    ),
    ("pulls_url", "/pulls{/number}"),
    ("releases_url", "/releases{/id}"),
    ("stargazers_url", "/stargazers"),
    ("statuses_url", "/statuses/{sha}"),
    ("subscribers_url", "/subscribers"),
    ("subscription_url", "/subscription"),
    ("tags_url", "/tags"),
    ("teams_url", "/teams"),
    ("trees_url", "/git/trees{/sha}"),
];

/// A repository inside another answer: `minimal-repository` in GitHub's
/// description.
pub(crate) fn minimal(urls: &Urls, repository: &Repository) -> Value {
    let full_name = repository.full_name();
    let api = urls.api(&format!("/repos/{full_name}"));
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| body.insert(key.to_owned(), value);
    put("id", json!(repository.id));
    put("node_id", json!(node_id(Kind::Repository, repository.id)));
    put("name", json!(repository.name));
    put("full_name", json!(full_name));
    put("private", json!(repository.private));
    put("owner", users::simple(urls, &repository.owner));
    put("html_url", json!(urls.page(&format!("/{full_name}"))));
    put("description", json!(repository.description));
    put("fork", json!(repository.fork_of.is_some()));
    put("url", json!(api));
    for (key, rest) in ADDRESSES {
        put(key, json!(format!("{api}{rest}")));
    }
    Value::Object(body)
}
