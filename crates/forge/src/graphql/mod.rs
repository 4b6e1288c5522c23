//! GitHub's GraphQL API: the part of its schema that `gh` and baton ask for.
//!
//! `schema.graphql` is that part, in GitHub's own words. `endpoint` takes a request through `limits`
//! (how much it asks for), `validate` (whether it fits the schema) and `execute`, which walks the
//! selection and asks the `objects` for their fields. What an object does not resolve itself is
//! read from its facts, which REST and webhooks show as well. `mutations` call the same `actions`
//! as REST.

mod context;
mod endpoint;
mod errors;
mod execute;
mod field;
mod introspection;
mod limits;
mod lookup;
mod mutations;
mod object;
mod objects;
mod page;
mod prelude;
mod query;
mod schema;
mod validate;

pub(crate) use endpoint::routes;

/// The schema that is served, in GraphQL's own language, for comparison with GitHub's.
pub fn sdl() -> &'static str {
    schema::SDL
}
