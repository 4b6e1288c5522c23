//! Errors of the tools in the words of the command line: flags in place of fields.

use baton_ops::OpError;
use baton_protocol::Field;
use serde_json::Value;

use super::tool_flags;

/// The error of a call whose input came from flags.
pub(super) fn in_flags(fields: &[Field], error: OpError) -> OpError {
    let OpError::Failed {
        mut response,
        fault,
    } = error
    else {
        return error;
    };
    let problems = response
        .details
        .as_ref()
        .map(|details| &details["problems"]);
    response.error = match problems.and_then(Value::as_array) {
        Some(problems) => {
            let told: Vec<String> = problems.iter().map(|one| problem(fields, one)).collect();
            told.join("; ")
        }
        None => text(fields, &response.error),
    };
    response.suggestion = response.suggestion.map(|words| text(fields, &words));
    OpError::Failed { response, fault }
}

fn problem(fields: &[Field], problem: &Value) -> String {
    let message = problem["message"].as_str().unwrap_or_default();
    let path = problem["path"].as_str().unwrap_or_default();
    let name = path.trim_start_matches('/').split('/').next();
    let field = fields.iter().find(|field| Some(field.name) == name);
    match field.and_then(|field| Some((field, message.strip_prefix(field.name)?))) {
        // `limit must be …`, `comments[0] must be …`
        Some((field, rest)) => match place_in_list(rest) {
            Some((place, rest)) => format!(
                "{}, {} value:{rest}",
                tool_flags::argument_name(field),
                ordinal(place + 1)
            ),
            None => format!("{}{rest}", tool_flags::argument_name(field)),
        },
        None => text(fields, message),
    }
}

/// Splits `[0] must be …`.
fn place_in_list(words: &str) -> Option<(usize, &str)> {
    let (place, rest) = words.strip_prefix('[')?.split_once(']')?;
    Some((place.parse().ok()?, rest))
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// Sentences that speak of fields.
fn text(fields: &[Field], words: &str) -> String {
    let mut words = words.to_owned();
    for field in fields {
        let (name, flag) = (field.name, tool_flags::argument_name(field));
        words = words.replace(&format!("`{name}`"), &format!("`{flag}`"));
        words = words.replace(&format!("'{name}'"), &format!("'{flag}'"));
        // Only a field's name has an underscore.
        if name.contains('_') {
            words = words.replace(name, &flag);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{ordinal, place_in_list};

    #[test]
    fn values_of_a_list_are_counted_from_one() {
        assert_eq!(place_in_list("[11] must be"), Some((11, " must be")));
        assert_eq!(place_in_list(" must be"), None);
        let told: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal).into();
        assert_eq!(
            told,
            [
                "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"
            ]
        );
    }
}
