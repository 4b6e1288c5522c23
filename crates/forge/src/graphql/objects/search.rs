//! Search results.

use super::{Account, Issue, PullRequest, Repo};
use crate::graphql::object::Node;
use crate::graphql::page::Page;
use crate::graphql::prelude::*;
use crate::search;
use crate::store::{pulls, repositories, users};

/// What is found, with counts by kind.
pub(crate) fn search(cx: &Context, mut field: Field<'_>) -> Resolved {
    // `gh issue list --label` asks for the last ones and shows the newest, which come first: GitHub
    // takes it so unless there is a `before`.
    let arguments = &mut field.arguments.0;
    if arguments.get("before").is_none_or(Value::is_null)
        && arguments.get("first").is_none_or(Value::is_null)
        && let Some(last) = arguments.remove("last")
    {
        arguments.insert("first".to_owned(), last);
    }
    let (page, text) = (field.page()?, field.arguments.required("query"));
    let kind = field.arguments.required("type");
    let mut found = match kind {
        "ISSUE" => issues(cx, &page, text)?,
        "REPOSITORY" => repositories_named(cx, &page, text)?,
        "USER" => accounts_named(cx, &page, text)?,
        _ => Connection::default(),
    };
    let count = |wanted: &str| if kind == wanted { found.total() } else { 0 };
    found.counts = json!({
        "code_count": 0,
        "discussion_count": 0,
        "issue_count": count("ISSUE"),
        "repository_count": count("REPOSITORY"),
        "user_count": count("USER"),
        "wiki_count": 0,
    });
    one(found)
}

/// One of several types.
struct Item(Node);

impl Object for Item {
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        self.0.facts(cx)
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        self.0.resolve(cx, field).await
    }
}

fn issues(cx: &Context, page: &Page, text: &str) -> Result<Connection, QueryError> {
    let found = cx.read(|conn| search::issues(conn, &cx.caller, text, None))?;
    let keys: Vec<i64> = found.iter().map(|row| row.id).collect();
    Connection::keyed(page, &keys, |id| {
        let row = found.iter().find(|row| row.id == id).cloned();
        let row = row.ok_or(ApiError::NotFound)?;
        cx.read(|conn| {
            let repository = Arc::new(repositories::by_id(conn, row.repository_id)?);
            if !row.is_pull {
                return Ok(Item(Arc::new(Issue::new(row, &repository))));
            }
            let pull = pulls::by_id(conn, row.id)?.ok_or(ApiError::NotFound)?;
            Ok(Item(Arc::new(PullRequest::new(pull, &repository))))
        })
    })
}

/// The words that are no qualifiers, and the owner of `user:` or `org:`.
struct Words {
    words: Vec<String>,
    owner: Option<String>,
}

impl Words {
    fn read(text: &str) -> Self {
        let (mut words, mut owner) = (Vec::new(), None);
        for word in text.split_whitespace() {
            match word.split_once(':') {
                Some(("user" | "org", login)) => owner = Some(login.to_lowercase()),
                Some(_) => {}
                None => words.push(word.to_lowercase()),
            }
        }
        Self { words, owner }
    }

    fn are_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.words.iter().all(|word| text.contains(word))
    }
}

/// By name and description.
fn repositories_named(cx: &Context, page: &Page, text: &str) -> Result<Connection, QueryError> {
    let words = Words::read(text);
    let mut rows = Vec::new();
    for row in cx.rows(repositories::all)? {
        let description = row.description.as_deref().unwrap_or_default();
        let owner = row.owner.login.to_lowercase();
        let fits = words.owner.as_ref().is_none_or(|wanted| *wanted == owner)
            && words.are_in(&format!("{} {description}", row.full_name()));
        if fits && cx.permission(&row)? >= Permission::Read {
            rows.push(Arc::new(row));
        }
    }
    let keys: Vec<i64> = rows.iter().map(|row| row.id).collect();
    Connection::keyed(page, &keys, |id| {
        let row = rows.iter().find(|row| row.id == id).cloned();
        Ok(Repo(row.ok_or(ApiError::NotFound)?))
    })
}

/// By login and name.
fn accounts_named(cx: &Context, page: &Page, text: &str) -> Result<Connection, QueryError> {
    let words = Words::read(text);
    let mut rows = cx.rows(users::all)?;
    rows.retain(|row| {
        let name = row.name.as_deref().unwrap_or_default();
        row.kind != UserKind::Bot && words.are_in(&format!("{} {name}", row.login))
    });
    let keys: Vec<i64> = rows.iter().map(|row| row.id).collect();
    Connection::keyed(page, &keys, |id| {
        let row = rows.iter().find(|row| row.id == id).cloned();
        Ok(Account(row.ok_or(ApiError::NotFound)?))
    })
}
