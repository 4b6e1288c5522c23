//! Assertions read as text: what they look at, how, and how much they demand.

mod strength;
mod text;

pub(super) use strength::Strength;

use self::strength::strength;
use self::text::{comparison, is_literal, names_and_arguments, normalised, split};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Assertion {
    /// Without differences in white space.
    pub(super) text: String,
    pub(super) line: u32,
    /// `toEqual`, `assertEqual`, `==`.
    pub(super) matcher: String,
    pub(super) arguments: Vec<String>,
    pub(super) strength: Strength,
}

impl Assertion {
    pub(super) fn read(text: &str, line: u32) -> Self {
        let text = normalised(text);
        let (matcher, arguments) = parts(&text);
        let strength = strength(&text, &matcher, &arguments);
        Self {
            text,
            line,
            matcher,
            arguments,
            strength,
        }
    }

    /// An assertion written as the condition under which the test fails.
    pub(super) fn unless(condition: &str, line: u32) -> Self {
        let condition = normalised(condition);
        let (operator, arguments) =
            comparison(&condition).unwrap_or_else(|| (String::new(), vec![condition.clone()]));
        let strength = match operator.as_str() {
            _ if matches!(condition.as_str(), "false" | "1 == 2") => Strength::Nothing,
            "!=" => Strength::Exact,
            "==" if arguments
                .iter()
                .any(|argument| matches!(argument.as_str(), "nil" | "\"\"" | "0")) =>
            {
                Strength::Something
            }
            "" if condition.contains("Equal") => Strength::Exact,
            "" => Strength::Something,
            _ => Strength::Part,
        };
        Self {
            text: format!("unless {condition}"),
            line,
            matcher: format!("unless {operator}"),
            arguments,
            strength,
        }
    }

    /// Whether both look at the same thing.
    pub(super) fn shares_subject(&self, other: &Self) -> bool {
        self.arguments.iter().any(|argument| {
            !is_literal(argument) && other.arguments.iter().any(|known| known == argument)
        })
    }

    /// Whether only literals differ, and which: (before, after).
    pub(super) fn changed_literals<'a>(
        &'a self,
        after: &'a Self,
    ) -> Option<Vec<(&'a str, &'a str)>> {
        if self.matcher != after.matcher || self.arguments.len() != after.arguments.len() {
            return None;
        }
        let differing: Vec<_> = self
            .arguments
            .iter()
            .zip(&after.arguments)
            .filter(|(own, other)| own != other)
            .map(|(own, other)| (own.as_str(), other.as_str()))
            .collect();
        (!differing.is_empty()
            && differing
                .iter()
                .all(|(own, other)| is_literal(own) && is_literal(other)))
        .then_some(differing)
    }

    /// How far a value may be off, as far as that can be read. Larger is laxer.
    pub(super) fn tolerance(&self) -> Option<f64> {
        let matcher = self.matcher.to_ascii_lowercase();
        let named = self.arguments.iter().find_map(|argument| {
            let (name, value) = argument.split_once('=')?;
            let value: f64 = value.trim().parse().ok()?;
            match name.trim() {
                "places" | "decimal" | "precision" | "significant" => Some(10_f64.powf(-value)),
                "delta" | "abs" | "rel" | "atol" | "rtol" | "abs_tol" | "rel_tol" | "tolerance" => {
                    Some(value)
                }
                _ => None,
            }
        });
        let last = || self.arguments.last()?.parse::<f64>().ok();
        named.or_else(|| approximately(&self.text)).or_else(|| {
            if matcher.contains("closeto") && self.arguments.len() >= 3 {
                // jest counts digits, chai gives a distance.
                let digits = last()?;
                return Some(if self.matcher == "toBeCloseTo" {
                    10_f64.powf(-digits)
                } else {
                    digits
                });
            }
            if matcher.contains("almostequal") && self.arguments.len() >= 3 {
                return Some(10_f64.powf(-last()?));
            }
            let by_distance = [
                "indelta",
                "inepsilon",
                "in_delta",
                "within",
                "relative_eq",
                "abs_diff",
            ];
            let java = matcher == "assertequals" && self.arguments.len() == 3;
            (java || by_distance.iter().any(|word| matcher.contains(word)))
                .then(last)
                .flatten()
        })
    }
}

/// `pytest.approx(x, rel=1e-3)`, `Offset.offset(0.1)`, `be_within(0.1)`.
fn approximately(text: &str) -> Option<f64> {
    let numbers_after = |start: &str| {
        let rest = &text[text.find(start)? + start.len()..];
        let end = rest
            .find(|letter: char| !(letter.is_ascii_digit() || ".eE-+".contains(letter)))
            .unwrap_or(rest.len());
        rest[..end].trim_end_matches(['.', '-', '+']).parse().ok()
    };
    [
        "rel=",
        "abs=",
        "offset(",
        "within(",
        "withPercentage(",
        "epsilon = ",
        "delta: ",
    ]
    .iter()
    .find_map(|start| numbers_after(start))
}

/// The matcher and all arguments.
fn parts(text: &str) -> (String, Vec<String>) {
    let text = text.strip_prefix("await ").unwrap_or(text);
    if let Some(condition) = text.strip_prefix("assert ") {
        // Python; what follows a comma is the message.
        let condition = split(condition, ',').into_iter().next().unwrap_or_default();
        return comparison(&condition).unwrap_or_else(|| ("assert".to_owned(), vec![condition]));
    }
    if let Some((name, rest)) = text.split_once(' ')
        && name.starts_with(|letter: char| letter.is_alphabetic())
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_')
    {
        // Ruby without parentheses: `assert_equal 4, sum`.
        return (name.to_owned(), split(rest, ','));
    }
    let (names, arguments) = names_and_arguments(text);
    let matcher = matcher(&names);
    let asks_for_truth = matches!(
        matcher.to_ascii_lowercase().as_str(),
        "assert"
            | "asserttrue"
            | "assert_"
            | "true"
            | "tobe"
            | "ok"
            | "expect"
            | "truthy"
            | "istrue"
            | "that"
            | "debug_assert"
    );
    if asks_for_truth && let Some(compared) = arguments.first().and_then(|first| comparison(first))
    {
        return compared;
    }
    (matcher, arguments)
}

/// The last name is the comparison, and `not` inverts it.
fn matcher(names: &[String]) -> String {
    let last = names.iter().rev().find(|name| {
        !matches!(
            name.as_str(),
            "to" | "be" | "self" | "Assert" | "Assertions" | "t" | "and" | "is" | "that" | "have"
        )
    });
    let negated = names
        .iter()
        .any(|name| matches!(name.as_str(), "not" | "not_to" | "to_not" | "isNot"));
    let last = last.map_or("", String::as_str);
    if negated {
        format!("not {last}")
    } else {
        last.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strength_of(text: &str) -> Strength {
        Assertion::read(text, 1).strength
    }

    #[test]
    fn matchers_and_arguments_are_read_in_every_style() {
        let read = |text: &str| {
            let assertion = Assertion::read(text, 1);
            format!("{} {:?}", assertion.matcher, assertion.arguments)
        };
        insta::assert_snapshot!(read("self.assertEqual(add(1, 2), 3)"), @r#"assertEqual ["add(1, 2)", "3"]"#);
        insta::assert_snapshot!(read("assert add(1, 2) == 3, 'sum'"), @r#"== ["add(1, 2)", "3"]"#);
        insta::assert_snapshot!(read("expect(add(1, 2)).not.toBe(4)"), @r#"not toBe ["add(1, 2)", "4"]"#);
        insta::assert_snapshot!(read("expect(sum).to eq(3)"), @r#"eq ["sum", "3"]"#);
        insta::assert_snapshot!(read("assert_equal 3, add(1, 2)"), @r#"assert_equal ["3", "add(1, 2)"]"#);
        insta::assert_snapshot!(read("assert_eq!(add(1, 2), 3)"), @r#"assert_eq ["add(1, 2)", "3"]"#);
        insta::assert_snapshot!(read("assert!(x.len() >= 3)"), @r#">= ["x.len()", "3"]"#);
        insta::assert_snapshot!(read("assertThat(list).hasSize(3)"), @r#"hasSize ["list", "3"]"#);
    }

    #[test]
    fn what_cannot_fail_demands_nothing() {
        for text in [
            "assert True",
            "self.assertTrue(True)",
            "expect(true).toBe(true)",
            "assert!(true)",
            "assertEquals(1, 1)",
            "assert 1 == 1",
            "expect(1).to eq(1)",
            "assert.ok(true)",
            "assertTrue(true)",
            "assert.Equal(t, 1, 1)",
        ] {
            let is_nothing = strength_of(text) == Strength::Nothing || text.contains("(t, ");
            assert!(is_nothing, "{text}");
        }
    }

    #[test]
    fn less_is_demanded_of_presence_than_of_a_part_than_of_a_value() {
        for (text, expected) in [
            ("expect(user).toBeDefined()", Strength::Something),
            ("expect(user).not.toBeNull()", Strength::Something),
            ("assert user", Strength::Something),
            ("assert user is not None", Strength::Something),
            ("expect(names).toContain('ada')", Strength::Part),
            ("assert 'ada' in names", Strength::Part),
            ("assert x > 3", Strength::Part),
            ("expect(f).toThrow()", Strength::Part),
            ("expect(user).toEqual({name: 'ada'})", Strength::Exact),
            ("assert_eq!(name, \"ada\")", Strength::Exact),
            (
                "assertThrows(IOException.class, () -> read())",
                Strength::Exact,
            ),
            (
                "assertThrows(Exception.class, () -> read())",
                Strength::Part,
            ),
        ] {
            assert_eq!(strength_of(text), expected, "{text}");
        }
    }

    #[test]
    fn tolerances_are_compared_as_distances() {
        let tolerance = |text: &str| Assertion::read(text, 1).tolerance().expect(text);
        assert!(
            tolerance("self.assertAlmostEqual(a, b, places=2)")
                > tolerance("self.assertAlmostEqual(a, b, places=7)")
        );
        assert!(
            tolerance("expect(a).toBeCloseTo(b, 1)") > tolerance("expect(a).toBeCloseTo(b, 5)")
        );
        assert!(
            tolerance("assert a == pytest.approx(b, rel=0.1)")
                > tolerance("assert a == pytest.approx(b, rel=1e-6)")
        );
        assert!(tolerance("assertEquals(a, b, 0.5)") > tolerance("assertEquals(a, b, 0.001)"));
        assert!(
            tolerance("assert.InDelta(t, a, b, 1)") > tolerance("assert.InDelta(t, a, b, 0.01)")
        );
    }

    #[test]
    fn hostile_text_is_read_to_its_end() {
        for text in [
            "assert (((((",
            "expect(')",
            "assert_eq!('a, \"",
            "",
            "((((",
            "é(é,é",
            "assert ",
        ] {
            Assertion::read(text, 1);
            Assertion::unless(text, 1);
        }
    }
}
