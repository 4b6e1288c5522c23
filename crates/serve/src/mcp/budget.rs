//! Makes an answer fit into a size. It stays valid JSON and, because only long
//! texts and the ends of lists are cut, valid by its schema. What was cut is
//! reported.

use std::fmt::Write as _;

use serde_json::Value;

pub(super) struct Fitted {
    pub(super) value: Value,
    /// What was left out, one sentence each.
    pub(super) notes: Vec<String>,
}

/// In characters. Long texts are cut to the first of these that is enough.
const TEXT_LENGTHS: [usize; 6] = [8000, 4000, 2000, 1000, 500, 250];

/// `None` when it cannot be made to fit.
pub(super) fn fit(mut value: Value, limit: usize) -> Option<Fitted> {
    let mut notes = Vec::new();
    if size(&value) > limit {
        notes.extend(shorten_texts(&mut value, limit));
        notes.extend(shorten_lists(&mut value, limit));
    }
    (size(&value) <= limit).then_some(Fitted { value, notes })
}

impl Fitted {
    pub(super) fn left_out(&self) -> Option<String> {
        (!self.notes.is_empty()).then(|| {
            let notes = self.notes.join("; ");
            format!("\nLeft out to keep the answer small: {notes}.\n")
        })
    }
}

fn size(value: &Value) -> usize {
    value.to_string().len()
}

fn shorten_texts(value: &mut Value, limit: usize) -> Option<String> {
    let mut note = None;
    // Each time from the whole text, so that it reports how much of it is gone.
    let whole = value.clone();
    for longest in TEXT_LENGTHS {
        if size(value) <= limit {
            break;
        }
        value.clone_from(&whole);
        if cut_texts(value, "", longest) {
            note = Some(format!("texts are cut to {longest} characters"));
        }
    }
    note
}

/// Whether anything was cut.
fn cut_texts(value: &mut Value, key: &str, longest: usize) -> bool {
    match value {
        Value::String(text) if !is_verbatim(key) => cut_text(text, longest),
        Value::Array(items) => {
            let mut any = false;
            for item in items {
                any |= cut_texts(item, key, longest);
            }
            any
        }
        Value::Object(fields) => {
            let mut any = false;
            for (key, field) in fields {
                any |= cut_texts(field, key, longest);
            }
            any
        }
        _ => false,
    }
}

/// Half a command, address or cursor is worse than none.
fn is_verbatim(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["command", "cursor", "url", "path", "file"]
        .iter()
        .any(|part| key.contains(part))
}

fn cut_text(text: &mut String, longest: usize) -> bool {
    let Some((end, _)) = text.char_indices().nth(longest) else {
        return false;
    };
    let characters = text.chars().count() - longest;
    text.truncate(end);
    write!(text, "… [{characters} more characters]").expect("a string takes all text");
    true
}

/// Halves the largest list until everything fits.
fn shorten_lists(value: &mut Value, limit: usize) -> Vec<String> {
    let mut cuts: Vec<(String, usize, usize)> = Vec::new();
    while size(value) > limit {
        let Some(place) = largest_list(value, String::new()).map(|(_, place)| place) else {
            break;
        };
        let Some(Value::Array(items)) = value.pointer_mut(&place) else {
            break;
        };
        let before = items.len();
        items.truncate(before / 2);
        let kept = items.len();
        match cuts.iter_mut().find(|(cut, ..)| *cut == place) {
            Some((_, now, _)) => *now = kept,
            None => cuts.push((place, kept, before)),
        }
    }
    cuts.into_iter()
        .map(|(place, kept, all)| format!("{place} has {kept} of its {all} items"))
        .collect()
}

/// The list that takes most bytes and is in no other such list, by its
/// pointer.
fn largest_list(value: &Value, place: String) -> Option<(usize, String)> {
    match value {
        Value::Array(items) if !items.is_empty() => Some((size(value), place)),
        Value::Object(fields) => fields
            .iter()
            .filter_map(|(key, field)| {
                let key = key.replace('~', "~0").replace('/', "~1");
                largest_list(field, format!("{place}/{key}"))
            })
            .max_by_key(|(size, _)| *size),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_fits_is_left_alone() {
        let value = json!({ "failures": [{ "error": "x".repeat(500) }] });
        let fitted = fit(value.clone(), 600).unwrap();
        assert_eq!(fitted.value, value);
        assert_eq!(fitted.left_out(), None);
    }

    #[test]
    fn long_texts_go_first_and_commands_stay_whole() {
        let value = json!({
            "body": "é".repeat(5000),
            "reply_command": "c".repeat(3000),
        });
        let fitted = fit(value, 8000).unwrap();
        let body = fitted.value["body"].as_str().unwrap();
        assert!(body.ends_with("… [3000 more characters]"), "{body}");
        assert_eq!(fitted.value["reply_command"].as_str().unwrap().len(), 3000);
        assert_eq!(fitted.notes, ["texts are cut to 2000 characters"]);
    }

    #[test]
    fn then_lists_lose_their_ends() {
        let items: Vec<_> = (0..1000).map(|n| json!({ "n": n })).collect();
        let value = json!({ "a/b": { "items": items }, "few": [1, 2] });
        let fitted = fit(value, 1000).unwrap();
        assert_eq!(fitted.value["few"], json!([1, 2]));
        insta::assert_snapshot!(
            fitted.left_out().unwrap().trim(),
            @"Left out to keep the answer small: /a~1b/items has 62 of its 1000 items."
        );
    }

    #[test]
    fn what_cannot_shrink_is_refused() {
        assert!(fit(json!({ "command": "x".repeat(100) }), 50).is_none());
    }
}
