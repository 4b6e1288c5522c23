//! What can be done through GraphQL. The arguments of a mutation are one input; its payload gives
//! back the id that the client gave the mutation.

mod issues;
mod pulls;
mod repositories;

use super::lookup;
use super::object::Node;
use super::objects::Account;
use crate::graphql::prelude::*;

pub(super) struct Mutation;

impl Object for Mutation {
    kind!("Mutation");

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let input = field.arguments.input("input").unwrap_or_default();
        let call = Call {
            cx,
            name: field.name,
            input,
        };
        let mut payload = match call.issues().await? {
            Some(payload) => payload,
            None => match call.pulls().await? {
                Some(payload) => payload,
                None => call.repositories().await?,
            },
        };
        payload.client_id = call.input.owned("clientMutationId");
        Ok(Output::Object(Arc::new(payload)))
    }
}

/// A mutation that is asked for.
struct Call<'a> {
    cx: &'a Context,
    name: &'a str,
    input: Arguments,
}

/// What a mutation gives back.
#[derive(Default)]
struct Payload {
    client_id: Option<String>,
    /// By the names of the payload's fields.
    objects: Vec<(&'static str, Node)>,
}

impl Payload {
    fn new(name: &'static str, object: impl Object) -> Self {
        Self {
            objects: vec![(name, Arc::new(object))],
            ..Self::default()
        }
    }

    fn and(mut self, name: &'static str, object: impl Object) -> Self {
        self.objects.push((name, Arc::new(object)));
        self
    }
}

impl Object for Payload {
    kind!("Payload");

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        if field.name == "clientMutationId" {
            return plain(self.client_id.clone());
        }
        if field.name == "actor" {
            let actor: Node = Arc::new(Account(cx.viewer()?.clone()));
            return Ok(Output::Object(actor));
        }
        let found = self.objects.iter().find(|(name, _)| *name == field.name);
        match found {
            Some((_, object)) => Ok(Output::Object(Arc::clone(object))),
            None => plain(Value::Null),
        }
    }
}

impl Call<'_> {
    fn id(&self, key: &str) -> &str {
        self.input.required(key)
    }

    /// Whether the caller may do something there that needs this permission.
    fn check(&self, repository: &Repository, needed: Permission) -> Result<(), QueryError> {
        self.cx.on(repository).allowed_to_change(needed)?;
        Ok(())
    }

    /// The names of labels, all of one repository.
    fn labels(&self, repository: &Repository) -> Result<Option<Vec<String>>, QueryError> {
        let Some(ids) = self.input.texts("labelIds") else {
            return Ok(None);
        };
        let names = ids.iter().map(|id| {
            let (label, home) = lookup::label(self.cx, id)?;
            if home.id != repository.id {
                return Err(QueryError::unknown_id(id));
            }
            Ok(label.name)
        });
        names.collect::<Result<_, _>>().map(Some)
    }

    fn assignees(&self) -> Result<Option<Vec<String>>, QueryError> {
        let ids = self.input.texts("assigneeIds");
        ids.map(|ids| lookup::logins(self.cx, &ids)).transpose()
    }
}
