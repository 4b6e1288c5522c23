//! How a handoff's shape is written down once and used for everything.
//!
//! [`shape!`] declares a struct together with the way each field stands in a
//! document. From that one declaration come reading and writing (XML and
//! JSON, through [`Read`] and [`Write`]) and the schemas (through
//! [`Description`]), so none of them can drift from the others.

use std::marker::PhantomData;

use super::leaf::{Leaf, LeafType};
use super::vocabulary::Agent;
use super::xml::Element;

/// A struct that [`shape!`] declared.
pub(super) trait Shape: Sized {
    fn read(source: &mut impl Read) -> Result<Self, Noted>;
    fn write(&self, target: &mut impl Write);
    fn describe(to: &mut Description);

    fn description() -> Description {
        let mut description = Description::default();
        Self::describe(&mut description);
        description
    }
}

/// There is no usable value, and the source has noted every problem with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noted;

/// A document to read from. Each method looks for one field and notes all that
/// is wrong with it.
pub(super) trait Read {
    /// An element with a value.
    fn required<T: Leaf>(&mut self, name: &'static str) -> Result<T, Noted>;
    fn optional<T: Leaf>(&mut self, name: &'static str) -> Result<Option<T>, Noted>;
    /// An attribute of the element at hand.
    fn attribute<T: Leaf>(&mut self, name: &'static str) -> Result<T, Noted>;
    fn optional_attribute<T: Leaf>(&mut self, name: &'static str) -> Result<Option<T>, Noted>;
    /// The text of the element at hand. JSON calls it `name`; an empty name
    /// says that the text is all there is, in JSON a bare string.
    fn content<T: Leaf>(&mut self, name: &'static str) -> Result<T, Noted>;
    /// An element with elements of its own.
    fn optional_record<S: Shape>(&mut self, name: &'static str) -> Result<Option<S>, Noted>;
    fn record<S: Shape>(&mut self, name: &'static str) -> Result<S, Noted>;
    /// An element that holds any number of `item` elements.
    fn list<S: Shape>(&mut self, name: &'static str, item: &'static str) -> Result<Vec<S>, Noted>;
    fn optional_list<S: Shape>(
        &mut self,
        name: &'static str,
        item: &'static str,
    ) -> Result<Option<Vec<S>>, Noted>;
    /// Who sends the handoff, where that is not fixed by its kind.
    fn sender(&mut self, name: &'static str) -> Result<Agent, Noted>;
    /// The unknown elements; comes last.
    fn rest(&mut self, name: &'static str) -> Result<Vec<Element>, Noted>;
}

/// A document to write to, with the same methods as [`Read`].
#[expect(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "`shape!` passes every field by reference, whatever its type"
)]
pub(super) trait Write {
    fn required<T: Leaf>(&mut self, name: &'static str, value: &T);
    fn attribute<T: Leaf>(&mut self, name: &'static str, value: &T);
    fn content<T: Leaf>(&mut self, name: &'static str, value: &T);
    fn record<S: Shape>(&mut self, name: &'static str, value: &S);
    fn list<S: Shape>(&mut self, name: &'static str, item: &'static str, values: &[S]);
    fn rest(&mut self, name: &'static str, elements: &[Element]);

    fn optional<T: Leaf>(&mut self, name: &'static str, value: &Option<T>) {
        if let Some(value) = value {
            self.required(name, value);
        }
    }

    fn optional_attribute<T: Leaf>(&mut self, name: &'static str, value: &Option<T>) {
        if let Some(value) = value {
            self.attribute(name, value);
        }
    }

    fn optional_record<S: Shape>(&mut self, name: &'static str, value: &Option<S>) {
        if let Some(value) = value {
            self.record(name, value);
        }
    }

    fn optional_list<S: Shape>(
        &mut self,
        name: &'static str,
        item: &'static str,
        values: &Option<Vec<S>>,
    ) {
        if let Some(values) = values {
            self.list(name, item, values);
        }
    }

    /// The sender is written with the receiver, before everything else.
    fn sender(&mut self, _name: &'static str, _value: &Agent) {}
}

/// A shape as data, for the schemas.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Description {
    pub(super) fields: Vec<Field>,
    /// Unknown elements may stand beside the fields.
    pub(super) open: bool,
}

#[derive(Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) required: bool,
    pub(super) content: Content,
}

#[derive(Debug, PartialEq)]
pub(super) enum Content {
    Value(LeafType),
    Attribute(LeafType),
    Text(LeafType),
    Record(Description),
    List { item: &'static str, of: Description },
}

/// The same methods once more; the type of the field is all they need.
impl Description {
    fn push(&mut self, name: &'static str, required: bool, content: Content) {
        self.fields.push(Field {
            name,
            required,
            content,
        });
    }

    pub(super) fn required<T: Leaf>(&mut self, name: &'static str, _: PhantomData<T>) {
        self.push(name, true, Content::Value(LeafType::new::<T>()));
    }

    pub(super) fn optional<T: Leaf>(&mut self, name: &'static str, _: PhantomData<Option<T>>) {
        self.push(name, false, Content::Value(LeafType::new::<T>()));
    }

    pub(super) fn attribute<T: Leaf>(&mut self, name: &'static str, _: PhantomData<T>) {
        self.push(name, true, Content::Attribute(LeafType::new::<T>()));
    }

    pub(super) fn optional_attribute<T: Leaf>(
        &mut self,
        name: &'static str,
        _: PhantomData<Option<T>>,
    ) {
        self.push(name, false, Content::Attribute(LeafType::new::<T>()));
    }

    pub(super) fn content<T: Leaf>(&mut self, name: &'static str, _: PhantomData<T>) {
        self.push(name, true, Content::Text(LeafType::new::<T>()));
    }

    pub(super) fn record<S: Shape>(&mut self, name: &'static str, _: PhantomData<S>) {
        self.push(name, true, Content::Record(S::description()));
    }

    pub(super) fn optional_record<S: Shape>(
        &mut self,
        name: &'static str,
        _: PhantomData<Option<S>>,
    ) {
        self.push(name, false, Content::Record(S::description()));
    }

    pub(super) fn list<S: Shape>(
        &mut self,
        name: &'static str,
        item: &'static str,
        _: PhantomData<Vec<S>>,
    ) {
        let of = S::description();
        self.push(name, true, Content::List { item, of });
    }

    pub(super) fn optional_list<S: Shape>(
        &mut self,
        name: &'static str,
        item: &'static str,
        _: PhantomData<Option<Vec<S>>>,
    ) {
        let of = S::description();
        self.push(name, false, Content::List { item, of });
    }

    #[expect(
        clippy::unused_self,
        reason = "called like its siblings; sender and receiver are described with the edge"
    )]
    pub(super) fn sender(&mut self, _: &'static str, _: PhantomData<Agent>) {}

    pub(super) fn rest(&mut self, _: &'static str, _: PhantomData<Vec<Element>>) {
        self.open = true;
    }
}

/// Text alone, as the item of a list.
impl Shape for String {
    fn read(source: &mut impl Read) -> Result<Self, Noted> {
        source.content("")
    }

    fn write(&self, target: &mut impl Write) {
        target.content("", self);
    }

    fn describe(to: &mut Description) {
        to.content("", PhantomData::<Self>);
    }
}

/// Declares a struct and how each field stands in a document:
/// `how field: Type`, where `how` is a method of [`Read`]. `as "name"` gives
/// the name in the document where it is not the field's, `["item"]` the name
/// of a list's items.
macro_rules! shape {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $(
                $(#[$field_about:meta])*
                $how:ident $field:ident $(as $wire:literal)? $([$item:literal])? : $type:ty,
            )*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $( $(#[$field_about])* pub $field: $type, )*
        }

        impl $crate::handoff::shape::Shape for $name {
            fn read(
                source: &mut impl $crate::handoff::shape::Read,
            ) -> Result<Self, $crate::handoff::shape::Noted> {
                // All fields are read before any is missed, so that one answer
                // names every problem.
                $( let $field = source.$how(
                    $crate::handoff::shape::wire_name!($field $($wire)?) $(, $item)?
                ); )*
                Ok(Self { $( $field: $field?, )* })
            }

            fn write(&self, target: &mut impl $crate::handoff::shape::Write) {
                $( target.$how(
                    $crate::handoff::shape::wire_name!($field $($wire)?),
                    $( $item, )?
                    &self.$field,
                ); )*
            }

            fn describe(to: &mut $crate::handoff::shape::Description) {
                $( to.$how(
                    $crate::handoff::shape::wire_name!($field $($wire)?),
                    $( $item, )?
                    std::marker::PhantomData::<$type>,
                ); )*
            }
        }
    };
}

macro_rules! wire_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $wire:literal) => {
        $wire
    };
}

pub(super) use {shape, wire_name};
