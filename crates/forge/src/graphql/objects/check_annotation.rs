use async_graphql::{Context, Object, SimpleObject};

use super::Repository;
use crate::graphql::access::urls;
use crate::graphql::connection::lists;
use crate::graphql::enums::CheckAnnotationLevel;
use crate::graphql::scalars::{Uri, int};
use crate::store::check_annotations::Annotation;

/// What a check says about some lines.
pub(in crate::graphql) struct CheckAnnotation {
    pub(super) row: Annotation,
    pub(super) repository: Repository,
    pub(super) head_sha: String,
}

lists! {
    CheckAnnotations: CheckAnnotationConnection, CheckAnnotation;
}

#[derive(SimpleObject)]
pub(in crate::graphql) struct CheckAnnotationPosition {
    column: Option<i32>,
    line: i32,
}

#[derive(SimpleObject)]
pub(in crate::graphql) struct CheckAnnotationSpan {
    end: CheckAnnotationPosition,
    start: CheckAnnotationPosition,
}

#[Object]
impl CheckAnnotation {
    async fn annotation_level(&self) -> Option<CheckAnnotationLevel> {
        Some(self.row.level.into())
    }

    async fn blob_url(&self, ctx: &Context<'_>) -> Uri {
        let (sha, path) = (&self.head_sha, &self.row.path);
        Uri(urls(ctx).page(&format!("{}/blob/{sha}/{path}", self.repository.path())))
    }

    async fn location(&self) -> CheckAnnotationSpan {
        let position = |line, column: Option<i64>| CheckAnnotationPosition {
            column: column.map(int),
            line: int(line),
        };
        CheckAnnotationSpan {
            end: position(self.row.end_line, self.row.end_column),
            start: position(self.row.start_line, self.row.start_column),
        }
    }

    async fn message(&self) -> &str {
        &self.row.message
    }

    async fn path(&self) -> &str {
        &self.row.path
    }

    async fn raw_details(&self) -> Option<&str> {
        self.row.raw_details.as_deref()
    }

    async fn title(&self) -> Option<&str> {
        self.row.title.as_deref()
    }
}
