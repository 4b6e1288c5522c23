//! The XML Schema (1.0), made from the same descriptions as the readers.
//!
//! XSD 1.0 has no content model for "these elements in any order, and others
//! that is unknown". So both roots take any elements, and every element of
//! the protocol is declared on its own: a wildcard with lax processing checks
//! what is declared and lets the rest pass.

use crate::handoff::glossary::{GLOSSARY, Meaning};
use crate::handoff::leaf::{Form, LeafType};
use crate::handoff::shape::{Content, Description};
use crate::handoff::vocabulary::{Agent, Vocabulary};
use crate::handoff::xml::{self, Element};

const ABOUT: &str = "Handoffs between the agents of baton. \
This schema checks the form of every element of the protocol wherever it stands, also in <data> and \
inside elements that the protocol does not know, and that <handoff> names sender and receiver. \
It cannot check what depends on who hands over to whom (which elements are required, which status words \
are legal there) nor what must hold between elements (counts, addresses and numbers); \
`baton handoff check` checks all of that.";

/// The schema of both root elements.
pub fn xsd() -> String {
    let mut schema = xs(
        "schema",
        &[("xmlns:xs", "http://www.w3.org/2001/XMLSchema")],
    );
    schema.push_element(annotation(ABOUT));
    let (roots, others): (Vec<_>, Vec<_>) = GLOSSARY
        .iter()
        .partition(|(_, meaning)| matches!(meaning, Meaning::Root { .. }));
    for (name, meaning) in roots {
        schema.push_element(declaration(name, meaning));
    }
    schema.push_element(open_type());
    for (name, meaning) in others {
        schema.push_element(declaration(name, meaning));
    }
    xml::write(&schema)
}

fn declaration(name: &str, meaning: &Meaning) -> Element {
    let mut element = xs("element", &[("name", name)]);
    match meaning {
        Meaning::Root { routed } => {
            element.push_attribute("type", "open".to_owned());
            if *routed {
                demand_sender_and_receiver(&mut element);
            }
        }
        Meaning::Record => element.push_attribute("type", "open".to_owned()),
        Meaning::Agent => {
            let agents = Agent::WORDS.join(", ");
            element.push_attribute("type", "xs:token".to_owned());
            element.push_element(annotation(&format!(
                "An agent; the general form has placeholders here. Agents: {agents}."
            )));
        }
        Meaning::Value(types) => element.push_element(value_type(types)),
        Meaning::List { item, of } => element.push_element(list_type(item, of)),
        Meaning::Unlike => {}
    }
    element
}

/// Sender and receiver are the only elements that every handoff needs, flat or
/// wrapped; a key demands exactly one of each.
fn demand_sender_and_receiver(root: &mut Element) {
    for (key, field) in [("sender", "from"), ("receiver", "to")] {
        let mut constraint = xs("key", &[("name", key)]);
        constraint.push_element(xs("selector", &[("xpath", ".")]));
        let path = format!("{field}|data/{field}");
        constraint.push_element(xs("field", &[("xpath", &path)]));
        root.push_element(constraint);
    }
}

fn open_type() -> Element {
    let mut any = xs("any", &[("processContents", "lax")]);
    any.push_attribute("minOccurs", "0".to_owned());
    any.push_attribute("maxOccurs", "unbounded".to_owned());
    let open = wrapped("complexType", wrapped("sequence", any));
    let mut named = xs("complexType", &[("name", "open")]);
    for child in open.elements() {
        named.push_element(child.clone());
    }
    // `xml:lang` and the like, which readers ignore on the root.
    let mut attributes = xs(
        "anyAttribute",
        &[("namespace", "http://www.w3.org/XML/1998/namespace")],
    );
    attributes.push_attribute("processContents", "skip".to_owned());
    named.push_element(attributes);
    named
}

fn list_type(item: &str, of: &Description) -> Element {
    let mut element = xs("element", &[("name", item)]);
    element.push_attribute("minOccurs", "0".to_owned());
    element.push_attribute("maxOccurs", "unbounded".to_owned());
    element.push_element(item_type(of));
    wrapped("complexType", wrapped("sequence", element))
}

/// An item has text and attributes.
fn item_type(of: &Description) -> Element {
    let mut extension = xs("extension", &[("base", "xs:string")]);
    for field in &of.fields {
        if let Content::Attribute(value) = field.content {
            let usage = if field.required {
                "required"
            } else {
                "optional"
            };
            let mut attribute = xs("attribute", &[("name", field.name), ("use", usage)]);
            attribute.push_element(value_type(&[value]));
            extension.push_element(attribute);
        }
    }
    wrapped("complexType", wrapped("simpleContent", extension))
}

/// A simple type for values of any of the types.
fn value_type(types: &[LeafType]) -> Element {
    if let [value] = types {
        return restriction(value.form);
    }
    let mut union = xs("union", &[]);
    for value in types {
        union.push_element(restriction(value.form));
    }
    wrapped("simpleType", union)
}

fn restriction(form: Form) -> Element {
    let (base, facets): (&str, Vec<(&str, String)>) = match form {
        Form::Text => ("xs:string", Vec::new()),
        Form::Line => ("xs:token", vec![("minLength", "1".to_owned())]),
        Form::Whole { least, most } => (
            "xs:nonNegativeInteger",
            vec![
                ("minInclusive", least.to_string()),
                ("maxInclusive", most.to_string()),
                // No sign and no leading zeros.
                ("pattern", "0|[1-9][0-9]*".to_owned()),
            ],
        ),
        Form::Flag => ("xs:token", vec![("pattern", "true|false".to_owned())]),
        Form::Words(words) => ("xs:token", vec![("pattern", alternation(words))]),
        Form::Pattern { pattern, .. } => ("xs:token", vec![("pattern", pattern.to_owned())]),
    };
    let mut restriction = xs("restriction", &[("base", base)]);
    for (facet, value) in facets {
        restriction.push_element(xs(facet, &[("value", &value)]));
    }
    wrapped("simpleType", restriction)
}

/// One word, or several with `|` between them as in a template.
fn alternation(words: &[&str]) -> String {
    let any = words.join("|");
    format!(r"({any})( ?\| ?({any}))*")
}

fn xs(name: &str, attributes: &[(&str, &str)]) -> Element {
    let mut element = Element::named(&format!("xs:{name}"));
    for (name, value) in attributes {
        element.push_attribute(name, (*value).to_owned());
    }
    element
}

fn wrapped(name: &str, child: Element) -> Element {
    let mut element = xs(name, &[]);
    element.push_element(child);
    element
}

fn annotation(text: &str) -> Element {
    let mut documentation = xs("documentation", &[]);
    documentation.push_text(text);
    wrapped("annotation", documentation)
}
