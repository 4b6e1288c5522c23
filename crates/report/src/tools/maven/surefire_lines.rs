//! Parses the lines that Surefire and Failsafe print, one by one.

use baton_protocol::report::Counts;

use crate::stack::java;

/// Splits `com.shop.CartTest.totals(int, double)[2]` into class and test.
pub(super) fn split_qualified(name: &str) -> Option<(&str, &str)> {
    let head = java::method_of(name);
    let (class, _) = head.rsplit_once('.')?;
    java::is_qualified(class).then_some(())?;
    let test = name.get(class.len() + 1..)?;
    Some((class, test))
}

/// Returns `total` for `total -- Time elapsed: 0.01 s <<< FAILURE!`.
pub(super) fn failed_test(rest: &str) -> Option<&str> {
    let rest = rest
        .strip_suffix("<<< FAILURE!")
        .or_else(|| rest.strip_suffix("<<< ERROR!"))?;
    let (name, _) = rest.rsplit_once("Time elapsed: ")?;
    let name = name.trim_end();
    let name = name.strip_suffix(" --").unwrap_or(name).trim();
    (!name.is_empty()).then_some(name)
}

/// `Tests run: 3, Failures: 1, Errors: 0, Skipped: 0`, and what follows it.
pub(super) struct TestsRun<'a> {
    numbers: [u64; 4],
    /// False for the total of all classes.
    pub(super) is_of_class: bool,
    pub(super) class: &'a str,
}

impl<'a> TestsRun<'a> {
    pub(super) fn read(rest: &'a str) -> Option<Self> {
        let mut left = rest.trim_start();
        let mut numbers = [0; 4];
        let labels = ["Tests run: ", ", Failures: ", ", Errors: ", ", Skipped: "];
        for (label, number) in labels.iter().zip(&mut numbers) {
            left = left.strip_prefix(label)?;
            let digits = left.bytes().take_while(u8::is_ascii_digit).count();
            *number = left.get(..digits)?.parse().ok()?;
            left = left.get(digits..)?;
        }
        let is_of_class = left.starts_with(", Time elapsed: ");
        let is_total = left.is_empty() || left.starts_with(", Flakes: ");
        let class = left.rsplit_once(" in ").map_or("", |(_, class)| class);
        (is_of_class || is_total).then_some(Self {
            numbers,
            is_of_class,
            class,
        })
    }

    pub(super) fn counts(&self) -> Counts {
        let [tests, failed, errors, skipped] = self.numbers;
        let run = tests.saturating_sub(skipped);
        Counts {
            run,
            passed: run.saturating_sub(failed + errors),
            failed,
            skipped,
            errors,
        }
    }
}

/// One line of the results.
pub(super) struct Entry<'a> {
    pub(super) class: &'a str,
    /// The class that declares the test; it differs if the test is inherited.
    pub(super) declaring: &'a str,
    pub(super) method: &'a str,
    pub(super) line: Option<u64>,
    pub(super) message: &'a str,
}

impl<'a> Entry<'a> {
    /// `  CartTest.total:12->check:30 message`, `  CartTest>Base.total:3 …`, or
    /// `  total(com.shop.CartTest): message`.
    pub(super) fn read(rest: &'a str) -> Option<Self> {
        let text = rest.strip_prefix("  ")?.trim_start();
        if let Some((head, message)) = text.split_once("): ")
            && let Some((method, class)) = head.split_once('(')
            && java::is_qualified(class)
        {
            return Some(Self {
                class: java::simple(class),
                declaring: java::simple(class),
                method: java::method_of(method),
                line: None,
                message,
            });
        }
        let (place, message) = text.split_once(' ').unwrap_or((text, ""));
        let first = place.split("->").next()?;
        let (first, line) = match first.split_once(':') {
            Some((first, line)) => (first, line.parse().ok()),
            None => (first, None),
        };
        let (class, method) = first.split_once('.')?;
        // An inherited test: `CartTest>Base.total`.
        let (class, declaring) = class.split_once('>').unwrap_or((class, class));
        let is_name = |text: &str| {
            !text.is_empty()
                && text
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
        };
        let method = java::method_of(method);
        let is_class = is_name(class) && class.starts_with(char::is_uppercase);
        (is_class && is_name(method)).then_some(Self {
            class,
            declaring,
            method,
            line,
            message,
        })
    }
}
