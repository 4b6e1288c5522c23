//! Parses `path.go:3:5: message`, and the lines around it.

use crate::place;
use crate::session::Failure;

use crate::stack::go::is_go_file;

/// One line of a compiler or linter.
pub(super) struct Diagnostic<'a> {
    pub(super) file: &'a str,
    pub(super) line: u64,
    pub(super) message: &'a str,
    /// `go vet` could not even type-check.
    pub(super) is_vet: bool,
    pub(super) has_column: bool,
}

pub(super) enum Origin<'a> {
    Compiler,
    Linter { tool: &'static str, rule: &'a str },
}

impl<'a> Diagnostic<'a> {
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let (is_vet, rest) = match text.strip_prefix("vet: ") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (file, line, after) = place::leading(rest)?;
        let message = after.strip_prefix(": ")?;
        if !is_go_file(file) || file.contains([' ', '\t']) || message.is_empty() {
            return None;
        }
        let place = rest.get(file.len() + 1..rest.len() - after.len());
        Some(Self {
            file: file.strip_prefix("./").unwrap_or(file),
            line,
            message,
            is_vet,
            has_column: place.is_some_and(|place| place.contains(':')),
        })
    }

    /// The tool that printed it; `None` if it could be any program's log.
    pub(super) fn origin(&self, below_package: bool) -> Option<Origin<'a>> {
        if below_package || self.is_vet {
            return Some(Origin::Compiler);
        }
        if !self.has_column {
            return None;
        }
        if NOT_LOADED.iter().any(|words| self.message.contains(words)) {
            return Some(Origin::Compiler);
        }
        let (_, rule) = self.message.strip_suffix(')')?.rsplit_once(" (")?;
        let tool = if is_check(rule) {
            "staticcheck"
        } else if is_linter(rule) {
            "golangci-lint"
        } else {
            return None;
        };
        Some(Origin::Linter { tool, rule })
    }
}

/// Messages about packages that cannot be loaded, without a package before.
const NOT_LOADED: [&str; 8] = [
    "no required module provides package ",
    "cannot find module providing package ",
    "missing go.sum entry for module providing package ",
    " is not in std",
    " is not in GOROOT",
    "cannot find package ",
    "expected 'package', found ",
    "import cycle not allowed",
];

/// Returns the package of `# example.org/app [example.org/app.test]`.
pub(super) fn package_header(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("# ")?;
    let (package, variant) = match rest.split_once(' ') {
        Some((package, variant)) => (package, Some(variant)),
        None => (rest, None),
    };
    let is_variant = variant.is_none_or(|v| v.starts_with('[') && v.ends_with(']'));
    let is_path = package
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"./_-~+[]".contains(&b) || !b.is_ascii());
    (is_variant && is_path && !package.is_empty()).then_some(package)
}

/// Returns the package of `FAIL\tpkg [build failed]`.
pub(super) fn not_built(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("FAIL\t")?;
    rest.strip_suffix(" [build failed]")
        .or_else(|| rest.strip_suffix(" [setup failed]"))
}

/// An error of the `go` command about modules.
pub(super) fn module_error(text: &str) -> Option<Failure> {
    const MESSAGES: [&str; 11] = [
        "cannot find main module",
        "go.mod file not found",
        "errors parsing go.mod",
        "errors parsing go.work",
        "updates to go.mod needed",
        "inconsistent vendoring",
        "unknown revision",
        "missing go.sum entry",
        "checksum mismatch",
        "cannot load module",
        "no matching versions for query",
    ];
    let message = text.strip_prefix("go: ")?;
    let is_error = MESSAGES.iter().any(|known| message.contains(known));
    is_error.then(|| Failure::named(message).because(text))
}

/// `SA4006`, `U1000`
fn is_check(rule: &str) -> bool {
    let letters = rule.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = rule.get(letters..).unwrap_or_default();
    (1..=3).contains(&letters) && digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit())
}

/// `errcheck`, `typecheck`, `wrapcheck`
fn is_linter(rule: &str) -> bool {
    rule.len() >= 3
        && rule.starts_with(|c: char| c.is_ascii_lowercase())
        && rule
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::{Diagnostic, Origin, package_header};

    #[test]
    fn only_known_tools_are_recognised() {
        let rule = |text| match Diagnostic::read(text)?.origin(false)? {
            Origin::Linter { rule, .. } => Some(rule),
            Origin::Compiler => Some("compiler"),
        };
        assert_eq!(
            rule("a/b.go:3:5: Error return value is not checked (errcheck)"),
            Some("errcheck")
        );
        assert_eq!(rule("a.go:3:5: func f is unused (U1000)"), Some("U1000"));
        assert_eq!(rule("server.go:88: listening (tls)"), None);
        assert_eq!(rule("a.go:3:5: something happened"), None);
        assert_eq!(
            rule("a.go:3:2: package fmtx is not in std (/usr/lib/go/src/fmtx)"),
            Some("compiler")
        );
        assert_eq!(rule("vet: ./a.go:3:2: undefined: x"), Some("compiler"));
    }

    #[test]
    fn package_headers_are_paths() {
        assert_eq!(
            package_header("# example.org/a [example.org/a.test]"),
            Some("example.org/a")
        );
        assert_eq!(package_header("# [example.org/a]"), Some("[example.org/a]"));
        assert_eq!(package_header("# A heading"), None);
    }
}
