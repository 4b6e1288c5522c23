//! Where the parts of a document are.
//!
//! The documents are our own constants, so this reads them without checking them: they are
//! compared with GitHub's schema in tests.

use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

/// An operation or a fragment.
#[derive(Debug)]
pub(super) struct Definition<'t> {
    /// `query MergeReadiness` or `fragment Person`, as servers name it in paths.
    pub(super) title: String,
    pub(super) span: Range<usize>,
    /// With the parentheses around them.
    pub(super) variables_span: Range<usize>,
    pub(super) variables: Vec<(&'t str, Range<usize>)>,
    pub(super) set: Vec<Selection<'t>>,
}

#[derive(Debug)]
pub(super) struct Selection<'t> {
    pub(super) kind: Kind<'t>,
    pub(super) span: Range<usize>,
    /// The variables in its arguments and directives.
    pub(super) uses: Vec<&'t str>,
    pub(super) set: Vec<Selection<'t>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'t> {
    /// The name of the field in the answer.
    Field(&'t str),
    Inline,
    Spread(&'t str),
}

/// `None` for what is no document.
pub(super) fn parse(text: &str) -> Option<Vec<Definition<'_>>> {
    let tokens: Vec<Token<'_>> = Lexer::new(text).collect();
    let mut reader = Reader {
        tokens: &tokens,
        next: 0,
    };
    let mut definitions = Vec::new();
    while reader.next < tokens.len() {
        definitions.push(reader.definition()?);
    }
    Some(definitions)
}

#[derive(Clone, Debug)]
struct Token<'t> {
    text: &'t str,
    span: Range<usize>,
}

struct Lexer<'t> {
    text: &'t str,
    rest: Peekable<CharIndices<'t>>,
}

impl<'t> Lexer<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            rest: text.char_indices().peekable(),
        }
    }

    /// The place after all characters for which this holds.
    fn skip(&mut self, holds: impl Fn(char) -> bool) -> usize {
        while self
            .rest
            .next_if(|(_, character)| holds(*character))
            .is_some()
        {}
        self.rest
            .peek()
            .map_or(self.text.len(), |(place, _)| *place)
    }

    /// The place after a string, whose opening quote was read.
    fn skip_string(&mut self) -> usize {
        while let Some((_, character)) = self.rest.next() {
            match character {
                '\\' => drop(self.rest.next()),
                '"' => break,
                _ => {}
            }
        }
        self.skip(|_| false)
    }
}

impl<'t> Iterator for Lexer<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            let (start, first) = self.rest.next()?;
            let end = match first {
                '#' => {
                    self.skip(|character| character != '\n');
                    continue;
                }
                ',' => continue,
                blank if blank.is_whitespace() => continue,
                '.' => self.skip(|character| character == '.'),
                '"' => self.skip_string(),
                '_' | '-' | 'a'..='z' | 'A'..='Z' | '0'..='9' => {
                    self.skip(|character| character == '_' || character.is_ascii_alphanumeric())
                }
                _ => start + first.len_utf8(),
            };
            return Some(Token {
                text: &self.text[start..end],
                span: start..end,
            });
        }
    }
}

struct Reader<'t, 'r> {
    tokens: &'r [Token<'t>],
    next: usize,
}

impl<'t> Reader<'t, '_> {
    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.next).map(|token| token.text)
    }

    fn take(&mut self) -> Option<&'t str> {
        let text = self.peek()?;
        self.next += 1;
        Some(text)
    }

    fn take_if(&mut self, wanted: &str) -> bool {
        let is_next = self.peek() == Some(wanted);
        self.next += usize::from(is_next);
        is_next
    }

    /// The span from one token to the last one that was read.
    fn since(&self, first: usize) -> Range<usize> {
        self.tokens[first].span.start..self.tokens[self.next - 1].span.end
    }

    fn definition(&mut self) -> Option<Definition<'t>> {
        let first = self.next;
        let (kind, name) = (self.take()?, self.take()?);
        let at = self.tokens[self.next - 1].span.end;
        let (mut variables, mut variables_span) = (Vec::new(), at..at);
        if self.peek() == Some("(") {
            let opening = self.next;
            variables = self.variables()?;
            variables_span = self.since(opening);
        }
        while self.peek()? != "{" {
            self.next += 1;
        }
        let set = self.set()?;
        Some(Definition {
            title: format!("{kind} {name}"),
            span: self.since(first),
            variables_span,
            variables,
            set,
        })
    }

    fn variables(&mut self) -> Option<Vec<(&'t str, Range<usize>)>> {
        let mut variables: Vec<(&'t str, Range<usize>)> = Vec::new();
        self.next += 1;
        while !self.take_if(")") {
            let first = self.next;
            if self.take()? == "$" {
                let name = self.take()?;
                variables.push((name, self.since(first)));
            } else if let Some((_, span)) = variables.last_mut() {
                span.end = self.tokens[first].span.end;
            }
        }
        Some(variables)
    }

    fn set(&mut self) -> Option<Vec<Selection<'t>>> {
        let mut set = Vec::new();
        self.next += 1;
        while !self.take_if("}") {
            set.push(self.selection()?);
        }
        Some(set)
    }

    fn selection(&mut self) -> Option<Selection<'t>> {
        let first = self.next;
        let word = self.take()?;
        let kind = if word == "..." {
            self.after_dots()?
        } else {
            if self.take_if(":") {
                self.next += 1;
            }
            Kind::Field(word)
        };
        let uses = self.arguments()?;
        let set = match self.peek() {
            Some("{") => self.set()?,
            _ => Vec::new(),
        };
        Some(Selection {
            kind,
            span: self.since(first),
            uses,
            set,
        })
    }

    fn after_dots(&mut self) -> Option<Kind<'t>> {
        Some(match self.peek()? {
            "on" => {
                self.next += 2;
                Kind::Inline
            }
            "@" | "{" => Kind::Inline,
            name => {
                self.next += 1;
                Kind::Spread(name)
            }
        })
    }

    /// Reads arguments and directives.
    fn arguments(&mut self) -> Option<Vec<&'t str>> {
        let mut uses = Vec::new();
        loop {
            if self.take_if("@") {
                self.next += 1;
            } else if self.take_if("(") {
                let mut depth = 1;
                while depth > 0 {
                    match self.take()? {
                        "(" => depth += 1,
                        ")" => depth -= 1,
                        "$" => uses.push(self.take()?),
                        _ => {}
                    }
                }
            } else {
                return Some(uses);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(set: &[Selection<'_>], text: &str) -> String {
        let each = set.iter().map(|one| {
            let start = text[one.span.clone()]
                .split_whitespace()
                .next()
                .unwrap_or("");
            format!(
                "{:?} {start} {:?} [{}]",
                one.kind,
                one.uses,
                shown(&one.set, text)
            )
        });
        each.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn documents_are_read_with_their_places() {
        let text = "# A comment { \nquery Q($a: Int!, $b: [ID!]! = [\"x)\"]) @d(x: $a) {\n  \
            own: a(first: $a, after: \"}\") @include(if: $b) { ...P ... on T { x } }\n  b\n}\n\
            fragment P on Q { login }\n";
        let found = parse(text).unwrap();
        let lines: Vec<String> = found
            .iter()
            .map(|one| format!("{}: {}", one.title, shown(&one.set, text)))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        query Q: Field("own") own: ["a", "b"] [Spread("P") ...P [] [], Inline ... [] [Field("x") x [] []]], Field("b") b [] []
        fragment P: Field("login") login [] []
        "#);
        let variables: Vec<&str> = found[0]
            .variables
            .iter()
            .map(|(_, span)| &text[span.clone()])
            .collect();
        assert_eq!(variables, ["$a: Int!", "$b: [ID!]! = [\"x)\"]"]);
        assert_eq!(&text[found[1].span.clone()], "fragment P on Q { login }");
    }

    #[test]
    fn what_is_cut_off_is_no_document() {
        for text in ["query", "query Q {", "query Q { a(", "query Q { ...", "{"] {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
