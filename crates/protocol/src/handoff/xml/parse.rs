//! XML text to a bounded tree of elements.

use quick_xml::errors::{IllFormedError, SyntaxError};
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesDecl, BytesStart, Event};
use quick_xml::reader::Reader;

use super::characters::{first_forbidden, is_allowed, is_blank, is_name};
use super::element::Element;
use super::error::{Position, XmlError, XmlErrorKind};
use super::{MAX_ATTRIBUTES, MAX_BYTES, MAX_DEPTH, MAX_ELEMENTS};
use crate::foreign_text::shortened;

/// Reads one document into a tree.
pub fn parse(bytes: &[u8]) -> Result<Element, XmlError> {
    let text = decode(bytes)?;
    Builder::new(text).run().map_err(|fault| XmlError {
        position: Some(Position::at(fault.offset, text)),
        kind: fault.kind,
    })
}

/// The checks that need no parsing: size, encoding, characters.
fn decode(bytes: &[u8]) -> Result<&str, XmlError> {
    let whole = |kind| XmlError {
        position: None,
        kind,
    };
    if bytes.len() > MAX_BYTES {
        return Err(whole(XmlErrorKind::TooLarge { size: bytes.len() }));
    }
    let text = str::from_utf8(bytes).map_err(|error| {
        whole(XmlErrorKind::NotUtf8 {
            offset: error.valid_up_to(),
        })
    })?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if is_blank(text) {
        return Err(whole(XmlErrorKind::NoRoot));
    }
    match first_forbidden(text) {
        None => Ok(text),
        Some((offset, character)) => Err(XmlError {
            position: Some(Position::at(offset, text)),
            kind: XmlErrorKind::ForbiddenCharacter(character),
        }),
    }
}

/// An error at a byte offset, before lines are counted.
struct Fault {
    offset: usize,
    kind: XmlErrorKind,
}

struct Builder<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// The elements that are open, outermost first; at most `MAX_DEPTH`.
    open: Vec<Element>,
    root: Option<Element>,
    elements: usize,
    /// Where the event at hand begins.
    offset: usize,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_comments = true;
        Self {
            text,
            reader,
            open: Vec::with_capacity(4),
            root: None,
            elements: 0,
            offset: 0,
        }
    }

    fn run(mut self) -> Result<Element, Fault> {
        loop {
            self.offset = offset_of(self.reader.buffer_position());
            let event = self
                .reader
                .read_event()
                .map_err(|error| self.explain(error))?;
            match event {
                Event::Start(tag) => {
                    let element = self.start(&tag)?;
                    self.open.push(element);
                }
                Event::Empty(tag) => {
                    let element = self.start(&tag)?;
                    self.close(element);
                }
                Event::End(_) => {
                    if let Some(mut element) = self.open.pop() {
                        element.drop_layout();
                        self.close(element);
                    }
                }
                Event::Text(text) => {
                    // One byte is far quicker to look for than three.
                    if text.contains(']')
                        && let Some(at) = text.find("]]>")
                    {
                        return Err(self.fault_after(at, XmlErrorKind::CdataEnd));
                    }
                    self.push_text(&text.xml10_content())?;
                }
                Event::CData(text) => self.push_text(&text.xml10_content())?,
                Event::GeneralRef(reference) => {
                    let character =
                        resolve(&reference.into_inner()).map_err(|kind| self.fault(kind))?;
                    self.push_text(character.encode_utf8(&mut [0; 4]))?;
                }
                Event::Comment(_) | Event::PI(_) => {}
                Event::Decl(declaration) => self.declaration(&declaration)?,
                Event::DocType(_) => return Err(self.fault(XmlErrorKind::Doctype)),
                Event::Eof => return self.finish(),
            }
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Result<Element, Fault> {
        let name = tag.name().into_inner();
        if !is_name(name) {
            return Err(self.fault(XmlErrorKind::Name(shortened(name))));
        }
        if self.root.is_some() {
            return Err(self.fault(XmlErrorKind::SecondRoot(shortened(name))));
        }
        if self.open.len() == MAX_DEPTH {
            return Err(self.fault(XmlErrorKind::TooDeep));
        }
        self.elements += 1;
        if self.elements > MAX_ELEMENTS {
            return Err(self.fault(XmlErrorKind::TooManyElements));
        }
        let mut element = Element::named(name);
        self.attributes(tag, &mut element)?;
        Ok(element)
    }

    fn attributes(&self, tag: &BytesStart<'_>, element: &mut Element) -> Result<(), Fault> {
        let name = tag.name().into_inner();
        let raw = tag.attributes_raw();
        for attribute in tag.attributes().with_checks(false) {
            // The cap comes before the check for duplicates, which compares
            // each attribute with all before it.
            if element.attributes().len() == MAX_ATTRIBUTES {
                return Err(self.fault(XmlErrorKind::TooManyAttributes(shortened(name))));
            }
            let malformed = || self.fault(XmlErrorKind::MalformedAttribute(shortened(name)));
            let attribute = attribute.map_err(|_| malformed())?;
            let key = attribute.key.into_inner();
            let key_offset = key.as_ptr().addr() - raw.as_ptr().addr();
            if !raw[..key_offset].ends_with([' ', '\t', '\r', '\n']) {
                return Err(malformed());
            }
            // One for the `<` before the name.
            let fault = |kind| self.fault_after(1 + name.len() + key_offset, kind);
            if element.attribute(key).is_some() {
                return Err(fault(XmlErrorKind::DuplicateAttribute(shortened(key))));
            }
            let value = attribute_value(&attribute).map_err(fault)?;
            element.push_attribute(key, value);
        }
        Ok(())
    }

    fn close(&mut self, element: Element) {
        match self.open.last_mut() {
            Some(parent) => parent.push_element(element),
            None => self.root = Some(element),
        }
    }

    fn push_text(&mut self, text: &str) -> Result<(), Fault> {
        if let Some(element) = self.open.last_mut() {
            element.push_text(text);
            return Ok(());
        }
        if is_blank(text) {
            return Ok(());
        }
        let blank = text.len() - text.trim_start().len();
        let looks_like_json = self.root.is_none() && text[blank..].starts_with(['{', '[']);
        Err(self.fault_after(blank, XmlErrorKind::TextOutsideRoot { looks_like_json }))
    }

    fn declaration(&self, declaration: &BytesDecl<'_>) -> Result<(), Fault> {
        if self.offset != 0 {
            return Err(self.fault(XmlErrorKind::LateDeclaration));
        }
        let version = declaration.version();
        if !version.is_ok_and(|version| version == "1.0") {
            return Err(self.fault(XmlErrorKind::Declaration));
        }
        match declaration.encoding() {
            None => Ok(()),
            Some(Ok(encoding)) if encoding.eq_ignore_ascii_case("utf-8") => Ok(()),
            Some(Ok(encoding)) => Err(self.fault(XmlErrorKind::Encoding(shortened(&encoding)))),
            Some(Err(_)) => Err(self.fault(XmlErrorKind::Declaration)),
        }
    }

    fn finish(self) -> Result<Element, Fault> {
        if let Some(element) = self.open.last() {
            let kind = XmlErrorKind::CutOff(shortened(element.name()));
            return Err(self.fault(kind));
        }
        match self.root {
            Some(root) => Ok(root),
            None => Err(self.fault(XmlErrorKind::NoRoot)),
        }
    }

    /// Puts the parser's error into our words.
    fn explain(&self, error: quick_xml::Error) -> Fault {
        let kind = match error {
            quick_xml::Error::Syntax(syntax) => match syntax {
                SyntaxError::UnclosedPI | SyntaxError::UnclosedXmlDecl => {
                    XmlErrorKind::CutOffMarkup("processing instruction")
                }
                SyntaxError::UnclosedComment => XmlErrorKind::CutOffMarkup("comment"),
                SyntaxError::UnclosedCData => XmlErrorKind::CutOffMarkup("CDATA section"),
                SyntaxError::UnclosedDoctype => XmlErrorKind::Doctype,
                SyntaxError::UnclosedTag
                | SyntaxError::UnclosedSingleQuotedAttributeValue
                | SyntaxError::UnclosedDoubleQuotedAttributeValue => {
                    XmlErrorKind::CutOffMarkup("tag")
                }
                SyntaxError::InvalidBangMarkup => XmlErrorKind::Markup,
            },
            quick_xml::Error::IllFormed(ill_formed) => match ill_formed {
                IllFormedError::MismatchedEndTag { expected, found } => {
                    XmlErrorKind::MismatchedEnd {
                        expected: shortened(&expected),
                        found: shortened(&found),
                    }
                }
                IllFormedError::UnmatchedEndTag(name) => {
                    XmlErrorKind::UnmatchedEnd(shortened(&name))
                }
                IllFormedError::MissingDoctypeName => XmlErrorKind::Doctype,
                IllFormedError::DoubleHyphenInComment => XmlErrorKind::Comment,
                IllFormedError::UnclosedReference => XmlErrorKind::LooseAmpersand,
                _ => XmlErrorKind::Markup,
            },
            _ => XmlErrorKind::Markup,
        };
        let offset = match kind {
            // The parser has gone past the `&` when it notices.
            XmlErrorKind::LooseAmpersand => self.offset,
            _ => offset_of(self.reader.error_position()),
        };
        Fault { offset, kind }
    }

    fn fault(&self, kind: XmlErrorKind) -> Fault {
        self.fault_after(0, kind)
    }

    /// A fault some bytes after the beginning of the event at hand.
    fn fault_after(&self, bytes: usize, kind: XmlErrorKind) -> Fault {
        Fault {
            offset: (self.offset + bytes).min(self.text.len()),
            kind,
        }
    }
}

/// The value with references resolved and white space normalised as XML asks.
fn attribute_value(attribute: &Attribute<'_>) -> Result<String, XmlErrorKind> {
    let name = attribute.key.into_inner();
    if !is_name(name) {
        return Err(XmlErrorKind::Name(shortened(name)));
    }
    let raw: &str = &attribute.value;
    if raw.contains('<') {
        return Err(XmlErrorKind::MarkupInAttribute(shortened(name)));
    }
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find(['&', '\t', '\r', '\n']) {
        value.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix('&') {
            let (reference, after) = after.split_once(';').ok_or(XmlErrorKind::LooseAmpersand)?;
            value.push(resolve(reference)?);
            rest = after;
        } else {
            value.push(' ');
            rest = rest.strip_prefix("\r\n").unwrap_or(&rest[1..]);
        }
    }
    value.push_str(rest);
    Ok(value)
}

/// The character that a reference (without `&` and `;`) stands for.
fn resolve(reference: &str) -> Result<char, XmlErrorKind> {
    match reference {
        "amp" => return Ok('&'),
        "lt" => return Ok('<'),
        "gt" => return Ok('>'),
        "quot" => return Ok('"'),
        "apos" => return Ok('\''),
        _ => {}
    }
    let Some(number) = reference.strip_prefix('#') else {
        return Err(if is_name(reference) {
            XmlErrorKind::Entity(shortened(reference))
        } else {
            XmlErrorKind::LooseAmpersand
        });
    };
    let (digits, radix) = match number.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    Some(digits)
        // `from_str_radix` would take a sign.
        .filter(|digits| digits.chars().all(|digit| digit.is_digit(radix)))
        .and_then(|digits| u32::from_str_radix(digits, radix).ok())
        .and_then(char::from_u32)
        .filter(|character| is_allowed(*character))
        .ok_or_else(|| XmlErrorKind::CharacterReference(shortened(reference)))
}

fn offset_of(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}
