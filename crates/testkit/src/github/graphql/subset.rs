//! Whether another schema says nothing that GitHub's does not say.

use async_graphql_parser::Positioned;
use async_graphql_parser::types::{InputValueDefinition, TypeDefinition, TypeKind};

use super::schema::{Schema, fields, is_required};
use crate::github::problem::{Findings, Problem};

/// Everything in `part` that is not so in `whole`.
pub(super) fn check(whole: &Schema, part: &Schema) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (role, ours, theirs) in [
        ("query", part.query(), whole.query()),
        ("mutation", part.mutation(), whole.mutation()),
    ] {
        if ours != theirs {
            let mut findings = Findings::new("schema", role);
            findings.add("", format!("GitHub's is `{theirs}`, not `{ours}`"));
            problems.extend(findings.into_problems());
        }
    }
    for definition in part.types() {
        let operation = format!("type {}", definition.name.node);
        let mut findings = Findings::new(&operation, "definition");
        match whole.get(&definition.name.node) {
            None => findings.add("", "GitHub has no such type"),
            Some(theirs) => definitions(definition, theirs, &mut findings),
        }
        problems.extend(findings.into_problems());
    }
    problems
}

fn definitions(ours: &TypeDefinition, theirs: &TypeDefinition, findings: &mut Findings<'_>) {
    let (kind, their_kind) = (kind(ours), kind(theirs));
    if kind != their_kind {
        findings.add("", format!("GitHub's is {their_kind}, not {kind}"));
        return;
    }
    for field in fields(ours) {
        let name = &field.node.name.node;
        let place = format!("/{name}");
        let found = fields(theirs)
            .iter()
            .find(|field| field.node.name.node == *name);
        let Some(their_field) = found else {
            findings.add(place, "GitHub has no such field");
            continue;
        };
        let (ty, their_type) = (&field.node.ty.node, &their_field.node.ty.node);
        if ty != their_type {
            findings.add(&place, format!("GitHub's is `{their_type}`, not `{ty}`"));
        }
        inputs(
            &field.node.arguments,
            &their_field.node.arguments,
            &place,
            findings,
        );
    }
    match (&ours.kind, &theirs.kind) {
        (TypeKind::InputObject(ours), TypeKind::InputObject(theirs)) => {
            inputs(&ours.fields, &theirs.fields, "", findings);
        }
        (TypeKind::Enum(ours), TypeKind::Enum(theirs)) => {
            let theirs: Vec<_> = theirs.values.iter().map(|v| &v.node.value.node).collect();
            let ours = ours.values.iter().map(|value| &value.node.value.node);
            for value in ours.filter(|value| !theirs.contains(value)) {
                findings.add(format!("/{value}"), "GitHub has no such value");
            }
        }
        (TypeKind::Union(ours), TypeKind::Union(theirs)) => {
            names(&ours.members, &theirs.members, "member", findings);
        }
        (TypeKind::Object(ours), TypeKind::Object(theirs)) => {
            names(&ours.implements, &theirs.implements, "interface", findings);
        }
        (TypeKind::Interface(ours), TypeKind::Interface(theirs)) => {
            names(&ours.implements, &theirs.implements, "interface", findings);
        }
        _ => {}
    }
}

/// Arguments of a field, or fields of an input object. What GitHub requires has to be there.
fn inputs(
    ours: &[Positioned<InputValueDefinition>],
    theirs: &[Positioned<InputValueDefinition>],
    place: &str,
    findings: &mut Findings<'_>,
) {
    for input in ours {
        let name = &input.node.name.node;
        let place = format!("{place}/{name}");
        match theirs.iter().find(|their| their.node.name.node == *name) {
            None => findings.add(place, "GitHub takes no such input"),
            Some(their) if their.node.ty.node != input.node.ty.node => {
                let (ty, their_type) = (&input.node.ty.node, &their.node.ty.node);
                findings.add(place, format!("GitHub's is `{their_type}`, not `{ty}`"));
            }
            Some(_) => {}
        }
    }
    for their in theirs.iter().filter(|their| is_required(&their.node)) {
        let name = &their.node.name.node;
        if !ours.iter().any(|input| input.node.name.node == *name) {
            findings.add(format!("{place}/{name}"), "GitHub requires it");
        }
    }
}

fn names<N: PartialEq + std::fmt::Display>(
    ours: &[Positioned<N>],
    theirs: &[Positioned<N>],
    what: &str,
    findings: &mut Findings<'_>,
) {
    let known = |name: &N| theirs.iter().any(|their| their.node == *name);
    for name in ours.iter().filter(|name| !known(&name.node)) {
        findings.add(
            format!("/{}", name.node),
            format!("GitHub has no such {what} here"),
        );
    }
}

fn kind(definition: &TypeDefinition) -> &'static str {
    match definition.kind {
        TypeKind::Scalar => "a scalar",
        TypeKind::Object(_) => "an object",
        TypeKind::Interface(_) => "an interface",
        TypeKind::Union(_) => "a union",
        TypeKind::Enum(_) => "an enum",
        TypeKind::InputObject(_) => "an input object",
    }
}
