//! GitHub's GraphQL API: the part of its schema that `gh` and baton ask for.
//!
//! `objects` has one type per file, `mutations` one area per file. Both only
//! put rows and actions into GitHub's words: what a caller may see comes from
//! `auth`, what happens from `actions`. `endpoint` takes a request through
//! `limits` (how much it asks for) to the schema and makes GitHub's answer of
//! the result, with `errors` for what went wrong.

#![expect(
    clippy::unused_async,
    reason = "async-graphql takes a resolver only as an async function"
)]

mod access;
mod connection;
mod endpoint;
mod enums;
mod errors;
mod limits;
mod lookup;
mod mutations;
mod objects;
mod query;
mod scalars;

use std::sync::LazyLock;

use async_graphql::{EmptySubscription, SDLExportOptions, Schema};

use mutations::Mutation;
use objects::{Closable, RequirableByPullRequest, UniformResourceLocatable};
use query::Query;

pub(crate) use endpoint::routes;

type ForgeSchema = Schema<Query, Mutation, EmptySubscription>;

/// It has no state, so one serves every forge of the process.
static SCHEMA: LazyLock<ForgeSchema> = LazyLock::new(|| {
    Schema::build(Query, Mutation::default(), EmptySubscription)
        // Nothing is of these types, but others implement them.
        .register_output_type::<Closable>()
        .register_output_type::<RequirableByPullRequest>()
        .register_output_type::<UniformResourceLocatable>()
        .finish()
});

/// The schema that is served, in GraphQL's own language, for comparison with
/// GitHub's.
pub fn sdl() -> String {
    SCHEMA.sdl_with_options(
        SDLExportOptions::new()
            .sorted_fields()
            .sorted_arguments()
            .sorted_enum_items()
            .use_space_ident(),
    )
}
