//! Pull requests.

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use baton_host::git::Oid;

use super::commits::find_commit;
use super::media::Media;
use super::payload::Payload;
use super::prelude::*;
use crate::actions::pulls::{self as actions, HeadName, MergeOrder, NewPullRequest, PullChange};
use crate::git::GitRepository;
use crate::store::pull_lists::{self, Filter, Sort, StateFilter};
use crate::store::pulls::{self, MergeMethod, Pull};
use crate::views::commits;
use crate::views::pulls::{full, simple};

/// GitHub lists no more of either.
const MAX_FILES: usize = 3_000;
const MAX_COMMITS: usize = 250;

pub(super) fn routes() -> Router<App> {
    const ONE: &str = "/repos/{owner}/{repo}/pulls/{number}";
    Router::new()
        .route("/repos/{owner}/{repo}/pulls", get(list).post(create))
        .route(ONE, get(one).patch(update))
        .route(&format!("{ONE}/commits"), get(list_commits))
        .route(&format!("{ONE}/files"), get(list_files))
        .route(&format!("{ONE}/merge"), put(merge))
        .route(&format!("{ONE}/requested_reviewers"), post(request))
        .route(&format!("{ONE}/update-branch"), put(update_branch))
        .route("/repos/{owner}/{repo}/commits/{sha}/pulls", get(for_commit))
}

async fn list(call: Call) -> Answer {
    let filter = read_filter(&call)?;
    let repository = call.repository(Permission::Read)?;
    let (items, total) = call.app.show(|view| {
        let conn = view.conn;
        let total = pull_lists::count(conn, repository.id, &filter)?;
        let (limit, offset) = (call.paging.limit(), call.paging.offset());
        let found = pull_lists::list(conn, repository.id, &filter, limit, offset)?;
        let items = found
            .iter()
            .map(|pull| simple(view, Some(&call.caller), &repository, pull));
        Ok((items.collect::<Result<Vec<_>, _>>()?, total))
    })?;
    Ok(call.paging.answer(items, total))
}

fn read_filter(call: &Call) -> Result<Filter> {
    let invalid = |field| ApiError::invalid("PullRequest", field, "invalid", None);
    let state = match call.get("state").unwrap_or("open") {
        "open" => StateFilter::Open,
        "closed" => StateFilter::Closed,
        "all" => StateFilter::All,
        _ => return Err(invalid("state")),
    };
    let sort = match call.get("sort").unwrap_or("created") {
        // GitHub lists the oldest for "long-running", which is an order by age.
        "created" | "long-running" => Sort::Created,
        "updated" => Sort::Updated,
        "popularity" => Sort::Popularity,
        _ => return Err(invalid("sort")),
    };
    let ascending = match call.get("direction") {
        Some("asc") => true,
        Some("desc") => false,
        _ => !matches!(call.get("sort"), None | Some("created")),
    };
    // GitHub takes a head without an owner for none.
    let head = call.get("head").and_then(|head| head.split_once(':'));
    Ok(Filter {
        state,
        base_ref: call.get("base").map(str::to_owned),
        head_ref: head.map(|(_, branch)| branch.to_owned()),
        head_owner: head.map(|(owner, _)| owner.to_owned()),
        sort,
        ascending,
    })
}

/// The pull requests that a commit is part of: those it was merged by, and the open ones.
async fn for_commit(call: Call) -> Answer {
    let (repository, git) = call.git()?;
    let commit = find_commit(&git, call.path("sha")).await?;
    let numbers = git.pulls_containing(&commit).await?;
    let candidates = call.read(|conn| {
        let mut found = Vec::new();
        for number in numbers {
            found.extend(pulls::by_number(conn, repository.id, number)?);
        }
        let merged = pulls::merged_by_commit(conn, repository.id, commit.as_str())?;
        found.extend(merged);
        Ok(found)
    })?;
    let mut found: Vec<Pull> = Vec::new();
    for pull in candidates {
        let known = found.iter().any(|other| other.id() == pull.id());
        if !known && brings(&git, &pull, &commit).await? {
            found.push(pull);
        }
    }
    call.list(found, |view, pull| {
        simple(view, Some(&call.caller), &repository, pull)
    })
}

/// Whether the commit is the pull request's own, not one of its base branch.
async fn brings(git: &GitRepository, pull: &Pull, commit: &Oid) -> Result<bool> {
    let merged = pull.merged.as_ref();
    if merged.is_some_and(|merged| merged.commit_sha == commit.as_str()) {
        return Ok(true);
    }
    let Some(base) = Oid::parse(&pull.base_sha) else {
        return Ok(false);
    };
    Ok(!git.is_ancestor(commit, &base).await?)
}

async fn create(call: Call) -> Answer {
    let mut input = call.payload()?;
    let needed = |field| ApiError::invalid("PullRequest", field, "missing_field", None);
    let (head, head_repo) = (input.text("head"), input.text("head_repo"));
    let base = input.text("base");
    let new = NewPullRequest {
        title: input.text("title"),
        body: input.text("body"),
        issue: input.integer("issue"),
        head: HeadName::parse(head.as_deref().unwrap_or_default(), head_repo.as_deref()),
        base: base.clone().unwrap_or_default(),
        draft: input.flag("draft") == Some(true),
        maintainer_can_modify: input.flag("maintainer_can_modify") != Some(false),
    };
    input.finish()?;
    let repository = call.repository_to_change(Permission::Read)?;
    head.ok_or_else(|| needed("head"))?;
    base.ok_or_else(|| needed("base"))?;
    let made = actions::create(call.on(&repository), new);
    let pull = Box::pin(made).await?;
    let body = full(&call.app, Some(&call.caller), &repository, &pull).await?;
    created_there(body)
}

async fn one(call: Call) -> Answer {
    let (repository, pull) = call.pull()?;
    let media = Media::from_headers(&call.headers);
    let content = match media {
        Media::Diff => actions::diff_text(&call.app, &repository, &pull).await?,
        Media::Patch => actions::mail_patches(&call.app, &repository, &pull).await?,
        Media::Json | Media::Raw | Media::Sha => {
            return ok(full(&call.app, Some(&call.caller), &repository, &pull).await?);
        }
    };
    Ok(([(CONTENT_TYPE, media.content_type())], content).into_response())
}

async fn update(call: Call) -> Answer {
    let mut input = call.payload()?;
    let open = match input.text("state").as_deref() {
        None => None,
        Some("open") => Some(true),
        Some("closed") => Some(false),
        Some(_) => return Err(ApiError::invalid("PullRequest", "state", "invalid", None)),
    };
    let change = PullChange {
        title: input.text("title"),
        body: input.nullable_text("body"),
        open,
        base: input.text("base"),
        maintainer_can_modify: input.flag("maintainer_can_modify"),
    };
    input.finish()?;
    let (repository, pull) = call.pull_to_change()?;
    let pull = actions::update(call.on(&repository), &pull, change).await?;
    ok(full(&call.app, Some(&call.caller), &repository, &pull).await?)
}

async fn list_files(call: Call) -> Answer {
    let (repository, pull) = call.pull()?;
    let mut files = actions::diff(&call.app, &repository, &pull).await?;
    files.truncate(MAX_FILES);
    call.list(files, |view, file| {
        Ok(commits::file(view, &repository, &pull.head_sha, file))
    })
}

async fn list_commits(call: Call) -> Answer {
    let (repository, pull) = call.pull()?;
    let mut found = actions::pull_commits(&call.app, &repository, &pull).await?;
    found.truncate(MAX_COMMITS);
    call.list(found, |view, commit| {
        commits::commit(view, &repository, commit)
    })
}

async fn merge(call: Call) -> Answer {
    let mut input = call.payload()?;
    let order = merge_order(&mut input)?;
    input.finish()?;
    let (repository, pull) = call.pull_to_change()?;
    let pull = actions::merge(call.on(&repository), &pull, &order).await?;
    let merged = pull.merged;
    let merged = merged.ok_or_else(|| ApiError::internal("a merge was not recorded"))?;
    ok(json!({
        "sha": merged.commit_sha,
        "merged": true,
        "message": "Pull Request successfully merged",
    }))
}

pub(super) fn merge_order(input: &mut Payload) -> Result<MergeOrder> {
    let method = match input.text("merge_method") {
        None => MergeMethod::Merge,
        Some(text) => MergeMethod::parse(&text)
            .ok_or_else(|| ApiError::invalid("PullRequest", "merge_method", "invalid", None))?,
    };
    Ok(MergeOrder {
        method,
        expected_head: input.text("sha"),
        title: input.text("commit_title"),
        message: input.text("commit_message"),
    })
}

async fn update_branch(call: Call) -> Answer {
    let mut input = call.payload()?;
    let expected = input.text("expected_head_sha");
    input.finish()?;
    let (repository, pull) = call.pull_to_change()?;
    actions::update_branch(call.on(&repository), &pull, expected.as_deref()).await?;
    let page = format!("/{}/pull/{}", repository.full_name(), pull.number());
    let page = call.app.urls().page(&page);
    accepted(json!({ "message": "Updating pull request branch.", "url": page }))
}

async fn request(call: Call) -> Answer {
    let logins = logins(&call)?;
    let (repository, pull) = call.pull_to_change()?;
    let pull = actions::request_reviews(call.on(&repository), &pull, logins).await?;
    call.show_new(|view| simple(view, Some(&call.caller), &repository, &pull))
}

/// There are no teams here, so a team names no one.
fn logins(call: &Call) -> Result<Vec<String>> {
    let mut input = call.payload()?;
    let logins = input.texts("reviewers").unwrap_or_default();
    let teams = input.texts("team_reviewers").unwrap_or_default();
    input.finish()?;
    if teams.is_empty() {
        return Ok(logins);
    }
    Err(ApiError::refused(
        StatusCode::UNPROCESSABLE_ENTITY,
        "Could not resolve to a node with the global id of a team.",
    ))
}
