//! What each element name of the protocol means, over all kinds of handoff.
//!
//! A name has its meaning wherever it stands, also inside elements that the
//! protocol does not know. XSD 1.0 knows no other way: a schema that lets
//! unknown elements pass checks every name that it declares, at every depth.
//! The readers do the same, and both take the meanings from here.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::document::describe;
use super::edges::HandoffKind;
use super::leaf::LeafType;
use super::shape::{Content, Description};

/// Every name that has a meaning of its own.
pub(super) static GLOSSARY: LazyLock<BTreeMap<&'static str, Meaning>> = LazyLock::new(|| {
    let mut glossary = Glossary::default();
    for kind in HandoffKind::ALL {
        let routed = *kind != HandoffKind::WorkflowComplete;
        glossary.add(kind.root(), Meaning::Root { routed });
        glossary.add_fields(describe(*kind));
    }
    for name in ["from", "to"] {
        glossary.add(name, Meaning::Agent);
    }
    glossary.add("data", Meaning::Record);
    glossary.free_plain_text_in_records();
    glossary.0
});

#[derive(Debug, PartialEq)]
pub(super) enum Meaning {
    /// A whole document; a routed one names sender and receiver.
    Root { routed: bool },
    /// The name of an agent, or of what stands for one.
    Agent,
    /// Text that is a value of any of these types.
    Value(Vec<LeafType>),
    /// Elements of any names.
    Record,
    /// Elements of one name.
    List { item: &'static str, of: Description },
    /// Different things in different places, so that nothing holds everywhere.
    Unlike,
}

#[derive(Default)]
struct Glossary(BTreeMap<&'static str, Meaning>);

impl Glossary {
    fn add_fields(&mut self, description: Description) {
        for field in description.fields {
            match field.content {
                Content::Value(value) => self.add(field.name, Meaning::Value(vec![value])),
                Content::List { item, of } => self.add(field.name, Meaning::List { item, of }),
                Content::Record(inner) => {
                    self.add(field.name, Meaning::Record);
                    self.add_fields(inner);
                }
                Content::Attribute(_) | Content::Text(_) => {}
            }
        }
    }

    fn add(&mut self, name: &'static str, meaning: Meaning) {
        let meaning = match self.0.remove(name) {
            None => meaning,
            Some(known) => known.or(meaning),
        };
        self.0.insert(name, meaning);
    }

    /// Plain text inside a record needs no check, and without a meaning of its
    /// own its name is free for other uses inside unknown elements.
    fn free_plain_text_in_records(&mut self) {
        let top_level: Vec<&str> = HandoffKind::ALL
            .iter()
            .flat_map(|kind| describe(*kind).fields)
            .map(|field| field.name)
            .collect();
        self.0.retain(|name, meaning| match meaning {
            Meaning::Value(types) => {
                top_level.contains(name) || !types.iter().all(|value| value.is_free())
            }
            _ => true,
        });
    }
}

impl Meaning {
    /// What a name means that has both meanings.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Value(mut types), Self::Value(more)) => {
                for value in more {
                    if !types.contains(&value) {
                        types.push(value);
                    }
                }
                // Nothing is left to check once free text is among the types.
                if types.len() > 1 && types.iter().any(|value| value.is_free()) {
                    types = vec![LeafType::new::<String>()];
                }
                Self::Value(types)
            }
            (known, other) if known == other => known,
            _ => Self::Unlike,
        }
    }
}
