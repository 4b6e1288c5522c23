use async_graphql::Object;

#[derive(Default)]
pub(super) struct Mutation;
#[Object]
impl Mutation {
    async fn x(&self) -> i32 {
        1
    }
}
