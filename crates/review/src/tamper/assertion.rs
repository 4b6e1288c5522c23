//! Assertions read as text: what they look at, how, and how much they demand.

/// Of an argument that is longer, the start is enough to know it again.
const LONGEST: usize = 2_000;

/// How much an assertion demands of its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// It cannot fail.
    Nothing,
    /// It is there, it is true.
    Something,
    /// A part, a range, a type.
    Part,
    /// This value and no other.
    Exact,
}

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

fn normalised(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let mut normal = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.push_str(word);
    }
    // A trailing comma or bracket on a line of its own is only layout.
    normal
        .replace("( ", "(")
        .replace(", )", ")")
        .replace(",)", ")")
        .replace(" )", ")")
        .replace(") .", ").")
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

/// The last name says how it is compared, and `not` turns it around.
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

/// Names outside all brackets, and the arguments inside the outermost ones.
fn names_and_arguments(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut names, mut arguments) = (Vec::new(), Vec::new());
    let mut rest = text;
    loop {
        let Some(open) = rest.find(['(', '[', '{']) else {
            names.extend(words(rest));
            return (names, arguments);
        };
        names.extend(words(&rest[..open]));
        let end = closing(&rest[open..]).map_or(rest.len(), |length| open + length);
        if rest[open..].starts_with('(') {
            arguments.extend(split(&rest[open + 1..end.max(open + 1)], ','));
        }
        rest = rest.get(end + 1..).unwrap_or("");
    }
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
}

/// The offset of the bracket that closes the one the text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut scan = Scan::new(text);
    while let Some((at, letter)) = scan.next_code() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Splits outside brackets and quotes.
fn split(text: &str, separator: char) -> Vec<String> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut from = 0;
    let mut scan = Scan::new(text);
    while let Some((at, letter)) = scan.next_code() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if letter == separator && depth == 0 => {
                parts.push(text[from..at].trim().to_owned());
                from = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim().to_owned());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The comparison outside all brackets, if there is one: its operator and both sides.
fn comparison(text: &str) -> Option<(String, Vec<String>)> {
    const OPERATORS: [&str; 14] = [
        "===",
        "!==",
        "==",
        "!=",
        "<=",
        ">=",
        " is not ",
        " is ",
        " not in ",
        " in ",
        " < ",
        " > ",
        " =~ ",
        " instanceof ",
    ];
    let mut depth = 0_usize;
    let mut scan = Scan::new(text);
    while let Some((at, letter)) = scan.next_code() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => {
                let found = OPERATORS
                    .iter()
                    .find(|operator| text[at..].starts_with(**operator));
                if let Some(operator) = found {
                    let right = &text[at + operator.len()..];
                    let sides = vec![text[..at].trim().to_owned(), right.trim().to_owned()];
                    return Some((operator.trim().to_owned(), sides));
                }
            }
            _ => {}
        }
    }
    None
}

/// Characters that are code, not inside quotes.
struct Scan<'t> {
    letters: std::str::CharIndices<'t>,
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            letters: text.char_indices(),
        }
    }

    fn next_code(&mut self) -> Option<(usize, char)> {
        let (at, letter) = self.letters.next()?;
        if matches!(letter, '"' | '\'' | '`') {
            let mut rest = self.letters.clone();
            let mut escaped = false;
            // A lone quote, as of a lifetime, closes nowhere and is code.
            while let Some((_, inside)) = rest.next() {
                if !escaped && inside == letter {
                    self.letters = rest;
                    return Some((at, letter));
                }
                escaped = !escaped && inside == '\\';
            }
        }
        Some((at, letter))
    }
}

fn strength(text: &str, matcher: &str, arguments: &[String]) -> Strength {
    if is_always_true(matcher, arguments) {
        return Strength::Nothing;
    }
    let name = matcher.to_ascii_lowercase();
    let plain = name.strip_prefix("not ").unwrap_or(&name);
    let is_any = |words: &[&str]| words.contains(&plain);
    let has_any = |words: &[&str]| words.iter().any(|word| plain.contains(word));
    let something = is_any(&[
        "assert",
        "asserttrue",
        "assertnotnull",
        "assertisnotnone",
        "notnil",
        "ok",
        "true",
        "tobedefined",
        "tobetruthy",
        "truthy",
        "notempty",
        "assertnotempty",
        "be_truthy",
        "be_present",
        "isnotnull",
        "istrue",
        "exist",
        "exists",
        "isnotempty",
        "assert_not_nil",
        "refute_nil",
        "be_an_instance_of",
        "tohavebeencalled",
        "assertdoesnotthrow",
        "noerror",
        "is not",
        "nothrow",
        "anything",
        "assert_called",
        "expect",
    ]) || (name.starts_with("not ")
        && is_any(&[
            "tobenull",
            "tobeundefined",
            "be_nil",
            "tothrow",
            "raise_error",
            "null",
            "undefined",
            "be_empty",
        ]));
    if something || text.contains("expect.anything()") || text.contains("mock.ANY") {
        return Strength::Something;
    }
    let wide_error = [
        "Exception",
        "Throwable",
        "StandardError",
        "BaseException",
        "Error",
    ]
    .iter()
    .any(|wide| {
        arguments
            .iter()
            .any(|argument| argument.trim_end_matches(".class") == *wide)
    });
    let bare_throw = arguments.len() <= 1 && has_any(&["tothrow", "raise_error", "throws"]);
    let part = name.starts_with("not ")
        || is_any(&[
            "in",
            "not in",
            "<",
            ">",
            "<=",
            ">=",
            "!=",
            "!==",
            "=~",
            "instanceof",
            "is_a",
        ])
        || has_any(&[
            "contain", "include", "match", "property", "instance", "greater", "less", "close",
            "almost", "regex", "start", "end_with", "endswith", "assertin", "len", "delta",
            "within", "type", "any",
        ]);
    if part || wide_error || bare_throw {
        return Strength::Part;
    }
    Strength::Exact
}

/// `assertTrue(true)`, `expect(1).toBe(1)`, `assert x == x`.
fn is_always_true(matcher: &str, arguments: &[String]) -> bool {
    let compares = ["==", "===", "equal", "tobe", "eq", "is"]
        .iter()
        .any(|word| matcher.to_ascii_lowercase().contains(word));
    match arguments {
        [only] => {
            matches!(
                only.as_str(),
                "true" | "True" | "1" | "!false" | "not False"
            ) && !matcher.starts_with("not ")
                && !matcher.to_ascii_lowercase().contains("false")
        }
        [left, right, ..] => {
            !matcher.starts_with("not ")
                && compares
                && left == right
                && (is_literal(left) || !left.contains('('))
        }
        [] => false,
    }
}

pub(super) fn is_literal(text: &str) -> bool {
    let text = text.trim();
    let number = text.trim_start_matches(['-', '+']);
    let word = matches!(
        text,
        "true" | "false" | "True" | "False" | "null" | "None" | "nil" | "undefined" | "NULL"
    );
    let quoted = text.len() >= 2
        && text.starts_with(['"', '\'', '`', ':'])
        && !text.contains("${")
        && (text.starts_with(':') || text.ends_with(['"', '\'', '`']));
    let collection = (text.starts_with('[') && text.ends_with(']')
        || text.starts_with('{') && text.ends_with('}'))
        && split(&text[1..text.len() - 1], ',').iter().all(|part| {
            part.split_once(':')
                .map_or(part.as_str(), |(_, value)| value)
                .trim()
                .parse::<f64>()
                .is_ok()
                || part.trim().starts_with(['"', '\''])
        });
    word || quoted || collection || number.starts_with(|letter: char| letter.is_ascii_digit())
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
        let of = |text: &str| Assertion::read(text, 1).tolerance().expect(text);
        assert!(
            of("self.assertAlmostEqual(a, b, places=2)")
                > of("self.assertAlmostEqual(a, b, places=7)")
        );
        assert!(of("expect(a).toBeCloseTo(b, 1)") > of("expect(a).toBeCloseTo(b, 5)"));
        assert!(
            of("assert a == pytest.approx(b, rel=0.1)")
                > of("assert a == pytest.approx(b, rel=1e-6)")
        );
        assert!(of("assertEquals(a, b, 0.5)") > of("assertEquals(a, b, 0.001)"));
        assert!(of("assert.InDelta(t, a, b, 1)") > of("assert.InDelta(t, a, b, 0.01)"));
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
