//! The JSON of a request, read field by field, with the complaints in
//! GitHub's words.

use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{ApiError, Result};

/// An object whose fields are taken out one by one. What is wrong is gathered
/// and reported by [`finish`](Self::finish); until then, defaults stand in.
#[derive(Debug, Default)]
pub(crate) struct Payload {
    fields: Map<String, Value>,
    /// Where in the document it stands, for complaints.
    place: String,
    missing: Vec<String>,
    complaints: Vec<String>,
}

impl Payload {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self::default());
        }
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(fields)) => Ok(Self {
                fields,
                ..Self::default()
            }),
            // `null` stands for an empty body in GitHub's description.
            Ok(Value::Null) => Ok(Self::default()),
            Ok(other) => Err(invalid(&format!(
                "For 'links/0/schema', {other} is not an object."
            ))),
            Err(_) => Err(ApiError::NotJson),
        }
    }

    /// Whether the field is there, and not null.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.fields.get(key).is_some_and(|value| !value.is_null())
    }

    pub(crate) fn text(&mut self, key: &str) -> Option<String> {
        match self.take(key)? {
            Value::String(text) => Some(text),
            other => self.complain(key, &other, "a string"),
        }
    }

    /// Text that may be taken away: the inner `None` is a null.
    #[expect(
        clippy::option_option,
        reason = "absent, null and a value are three different things to say"
    )]
    pub(crate) fn nullable_text(&mut self, key: &str) -> Option<Option<String>> {
        match self.fields.get(key) {
            Some(Value::Null) => Some(None),
            _ => self.text(key).map(Some),
        }
    }

    pub(crate) fn flag(&mut self, key: &str) -> Option<bool> {
        match self.take(key)? {
            Value::Bool(flag) => Some(flag),
            other => self.complain(key, &other, "a boolean"),
        }
    }

    /// A line or position, which is never negative.
    pub(crate) fn line(&mut self, key: &str) -> Option<u32> {
        self.integer(key).and_then(|line| u32::try_from(line).ok())
    }

    pub(crate) fn required_text(&mut self, key: &str) -> String {
        self.require(key);
        self.text(key).unwrap_or_default()
    }

    pub(crate) fn integer(&mut self, key: &str) -> Option<i64> {
        let value = self.take(key)?;
        match value.as_i64() {
            Some(number) => Some(number),
            None => self.complain(key, &value, "an integer"),
        }
    }

    pub(crate) fn required_integer(&mut self, key: &str) -> i64 {
        self.require(key);
        self.integer(key).unwrap_or_default()
    }

    /// A time in any offset, as the API gives it: in UTC, to the second.
    pub(crate) fn time(&mut self, key: &str) -> Option<String> {
        let text = self.text(key)?;
        match text.parse::<jiff::Timestamp>() {
            Ok(time) => jiff::Timestamp::from_second(time.as_second())
                .ok()
                .map(|time| time.to_string()),
            Err(_) => self.complain(key, &Value::String(text), "a valid date-time"),
        }
    }

    /// One of some words.
    pub(crate) fn word<T: Copy>(
        &mut self,
        key: &str,
        words: &[T],
        spell: fn(T) -> &'static str,
    ) -> Option<T> {
        let text = self.text(key)?;
        let found = words.iter().copied().find(|word| spell(*word) == text);
        if found.is_none() {
            let allowed: Vec<&str> = words.iter().copied().map(spell).collect();
            let allowed = Value::from(allowed).to_string();
            let complaint = format!("a member of {}", allowed.replace(',', ", "));
            return self.complain(key, &Value::String(text), &complaint);
        }
        found
    }

    pub(crate) fn required_word<T: Copy>(
        &mut self,
        key: &str,
        words: &[T],
        spell: fn(T) -> &'static str,
    ) -> Option<T> {
        self.require(key);
        self.word(key, words, spell)
    }

    /// A list of objects.
    pub(crate) fn objects(&mut self, key: &str) -> Option<Vec<Self>> {
        let value = self.take(key)?;
        let Value::Array(items) = value else {
            return self.complain(key, &value, "an array");
        };
        let place = self.place_of(key);
        let mut objects = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let Value::Object(fields) = item else {
                return self.complain(key, &item, "an array of objects");
            };
            objects.push(Self {
                fields,
                place: format!("{place}/{index}/"),
                ..Self::default()
            });
        }
        Some(objects)
    }

    /// A list of this many numbers.
    pub(crate) fn required_integers(
        &mut self,
        key: &str,
        count: RangeInclusive<usize>,
    ) -> Vec<i64> {
        self.require(key);
        let Some(value) = self.take(key) else {
            return Vec::new();
        };
        match serde_json::from_value::<Vec<i64>>(value.clone()) {
            Ok(numbers) if count.contains(&numbers.len()) => numbers,
            _ => {
                let (least, most) = (count.start(), count.end());
                let wanted = format!("an array of {least} to {most} integers");
                self.complain(key, &value, &wanted).unwrap_or_default()
            }
        }
    }

    pub(crate) fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        let value = self.take(key)?;
        match serde_json::from_value(value.clone()) {
            Ok(texts) => Some(texts),
            Err(_) => self.complain(key, &value, "an array of strings"),
        }
    }

    pub(crate) fn object(&mut self, key: &str) -> Option<Self> {
        match self.take(key)? {
            Value::Object(fields) => Some(Self {
                fields,
                place: format!("{}/", self.place_of(key)),
                ..Self::default()
            }),
            other => self.complain(key, &other, "an object"),
        }
    }

    /// Whatever it is.
    pub(crate) fn value(&mut self, key: &str) -> Option<Value> {
        self.take(key)
    }

    /// The whole of it, as a type of ours.
    pub(crate) fn deserialize<T: DeserializeOwned>(self) -> Result<T> {
        serde_json::from_value(Value::Object(self.fields))
            .map_err(|error| invalid(&error.to_string().replace("struct variant", "an object")))
    }

    /// Takes over what is wrong with a part.
    pub(crate) fn absorb(&mut self, part: Self) {
        self.missing.extend(part.missing);
        self.complaints.extend(part.complaints);
    }

    /// Everything that is wrong, at once. Unknown fields are ignored, as
    /// GitHub does.
    pub(crate) fn finish(self) -> Result<()> {
        let mut lines = Vec::new();
        if !self.missing.is_empty() {
            let names: Vec<String> = self
                .missing
                .iter()
                .map(|name| format!("\"{name}\""))
                .collect();
            let verb = if names.len() == 1 {
                "wasn't"
            } else {
                "weren't"
            };
            lines.push(format!("{} {verb} supplied.", names.join(", ")));
        }
        lines.extend(self.complaints);
        if lines.is_empty() {
            return Ok(());
        }
        Err(invalid(&lines.join("\n")))
    }

    fn require(&mut self, key: &str) {
        if !self.has(key) {
            self.missing.push(key.to_owned());
        }
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        self.fields.remove(key).filter(|value| !value.is_null())
    }

    fn complain<T>(&mut self, key: &str, value: &Value, wanted: &str) -> Option<T> {
        let place = self.place_of(key);
        let shown: String = value.to_string().chars().take(80).collect();
        self.complaints
            .push(format!("For '{place}', {shown} is not {wanted}."));
        None
    }

    fn place_of(&self, key: &str) -> String {
        format!("{}properties/{key}", self.place)
    }
}

fn invalid(complaints: &str) -> ApiError {
    ApiError::Unprocessable(format!("Invalid request.\n\n{complaints}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::check_state::StatusState;

    #[test]
    fn everything_wrong_is_told_at_once() {
        let body =
            br#"{"number": "1", "state": "odd", "at": "noon", "list": [1], "part": {"x": 1}}"#;
        let mut payload = Payload::parse(body).unwrap();
        payload.required_text("name");
        payload.required_text("head_sha");
        payload.integer("number");
        payload.word("state", StatusState::ALL, StatusState::as_str);
        payload.time("at");
        payload.objects("list");
        let mut part = payload.object("part").unwrap();
        part.text("x");
        payload.absorb(part);
        insta::assert_snapshot!(payload.finish().unwrap_err(), @r#"
        Invalid request.

        "name", "head_sha" weren't supplied.
        For 'properties/number', "1" is not an integer.
        For 'properties/state', "odd" is not a member of ["error", "failure", "pending", "success"].
        For 'properties/at', "noon" is not a valid date-time.
        For 'properties/list', 1 is not an array of objects.
        For 'properties/part/properties/x', 1 is not a string.
        "#);
    }

    #[test]
    fn nothing_is_an_empty_object() {
        for body in ["", " \n", "null", "{}"] {
            assert!(Payload::parse(body.as_bytes()).unwrap().finish().is_ok());
        }
        assert!(matches!(
            Payload::parse(b"{").unwrap_err(),
            ApiError::NotJson
        ));
    }

    #[test]
    fn times_are_kept_in_utc() {
        let mut payload = Payload::parse(br#"{"at": "2026-01-31T13:00:00.5+01:00"}"#).unwrap();
        assert_eq!(payload.time("at").as_deref(), Some("2026-01-31T12:00:00Z"));
    }
}
