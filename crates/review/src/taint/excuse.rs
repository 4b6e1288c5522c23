//! Context that makes the code at a place acceptable.

use super::guard_names::says_insecure;
use super::tables::{Sink, Wrong};
use super::walk::Walker;
use crate::ir::{FunctionId, Span};

impl<'s> Walker<'_, 's, '_, '_> {
    /// Whether something around a call that is wrong by itself makes up for it.
    pub(super) fn is_excused(&self, wrong: &Wrong, at: Span) -> bool {
        let required = wrong.requires.as_ref();
        self.is_exempt(wrong.unless)
            || (wrong.unless_asked && (self.is_asked_for() || self.is_kept_as_insecure(at)))
            || required.is_some_and(|required| !required.is_match(self.unit.text))
            || wrong
                .within
                .as_ref()
                .is_some_and(|within| !within.is_match(self.unit.function(self.function).name))
    }

    /// Whether what it is assigned to is called insecure.
    fn is_kept_as_insecure(&self, at: Span) -> bool {
        let statement = self.statement_around(at);
        statement
            .split_once('=')
            .is_some_and(|(name, _)| says_insecure(name))
    }

    /// Whether a condition around the place shows that the less secure way was
    /// chosen on purpose.
    pub(super) fn is_asked_for(&self) -> bool {
        self.conditions.iter().any(|text| says_insecure(text))
    }

    /// Whether words nearby say that a sink does no harm: in the statement, which
    /// is asked first, or in the function.
    pub(super) fn is_spared(&self, sink: &Sink, at: Span) -> bool {
        if sink.unless.is_empty() {
            return false;
        }
        if !sink.despite.is_empty() {
            let statement = self.statement_around(at);
            let says = |words: &[String]| words.iter().any(|word| statement.contains(word));
            if says(sink.despite) || says(sink.unless) {
                return !says(sink.despite);
            }
        }
        self.is_exempt(sink.unless) && !self.is_exempt(sink.despite)
    }

    /// The text from the end of the statement before to the end of this one.
    fn statement_around(&self, at: Span) -> &'s str {
        let text = self.unit.text;
        let range = at.range();
        let before = text[..range.start].rfind([';', '{', '}']);
        let after = text[range.end..].find(';');
        &text[before.map_or(0, |at| at + 1)..after.map_or(text.len(), |at| range.end + at)]
    }

    /// Whether the function that is being walked, or what its class is marked
    /// with, contains one of the words.
    pub(super) fn is_exempt(&self, words: &[String]) -> bool {
        if words.is_empty() {
            return false;
        }
        let function = self.unit.function(self.function);
        let text = match self.function {
            FunctionId(0) => self.unit.text,
            _ => &self.unit.text[function.span.range()],
        };
        let class = function
            .class
            .and_then(|class| self.unit.classes.get(class));
        let marks = class.map_or(&[][..], |class| class.marks.as_slice());
        words.iter().any(|word| {
            text.contains(word.as_str()) || marks.iter().any(|mark| mark.contains(word.as_str()))
        })
    }
}
