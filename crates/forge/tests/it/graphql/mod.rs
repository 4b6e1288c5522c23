//! GraphQL, as `gh` and baton ask it, over real HTTP.

mod schema;
